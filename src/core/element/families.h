/* SPDX-License-Identifier: Apache-2.0 */
/* The processors of all families, for the registry alone; each is defined in the file of its name
 * (UNSUPPORTED in unsupported.c). */
#ifndef STF_CORE_ELEMENT_FAMILIES_H
#define STF_CORE_ELEMENT_FAMILIES_H

#include "core/element/element.h"

extern const stf__processor stf__element_start;
extern const stf__processor stf__element_end;
extern const stf__processor stf__element_end_error;
extern const stf__processor stf__element_sub_process;
extern const stf__processor stf__element_pass;
extern const stf__processor stf__element_work;
extern const stf__processor stf__element_user_task;
extern const stf__processor stf__element_exclusive_gateway;
extern const stf__processor stf__element_parallel_gateway;
extern const stf__processor stf__element_inclusive_gateway;
extern const stf__processor stf__element_event_gateway;
extern const stf__processor stf__element_catch;
extern const stf__processor stf__element_receive;
extern const stf__processor stf__element_boundary;
extern const stf__processor stf__element_call;
extern const stf__processor stf__element_send;
extern const stf__processor stf__element_throw_message;
extern const stf__processor stf__element_end_message;
extern const stf__processor stf__element_UNSUPPORTED;

#endif

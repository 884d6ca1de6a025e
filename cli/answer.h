/* SPDX-License-Identifier: Apache-2.0 */
/* What the command line says about work: done with variables, failed, or a BPMN error. */
#ifndef CLI_ANSWER_H
#define CLI_ANSWER_H

#include <stepfast/engine.h>

#include "options.h"

/* Borrows from options. False: complained. */
bool cli_answer_read(const cli_options *options, stf_answer *ret_answer);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Capability: the store has a clock that all of its engines share. */
#ifndef STEPFAST_SYS_REPOSITORY_CLOCK_H
#define STEPFAST_SYS_REPOSITORY_CLOCK_H

#include <stepfast/sys/repository.h>

STF_BEGIN_DECLS

#define STF_REPOSITORY_CLOCK "stf.repository.clock/1"

typedef struct stf_store_clock_vtable {
    size_t struct_size;
    uint32_t abi;
    uint32_t flags;
    stf_status (*now)(void *impl, const stf_ctx *ctx, stf_wall *ret_now, stf_error *error);
} stf_store_clock_vtable;

#define STF_STORE_CLOCK_ABI 1u

STF_API STF_MUST_CHECK stf_status stf_repository_now(stf_repository *repository, const stf_ctx *ctx,
                                                     stf_wall *ret_now, stf_error *error);

STF_END_DECLS

#endif

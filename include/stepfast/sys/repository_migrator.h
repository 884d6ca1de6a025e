/* SPDX-License-Identifier: Apache-2.0 */
/* Capability: schema. A store without it has none. */
#ifndef STEPFAST_SYS_REPOSITORY_MIGRATOR_H
#define STEPFAST_SYS_REPOSITORY_MIGRATOR_H

#include <stepfast/sys/repository.h>

STF_BEGIN_DECLS

#define STF_REPOSITORY_MIGRATOR "stf.repository.migrator/1"

typedef struct stf_migrator_vtable {
    size_t struct_size;
    uint32_t abi;
    uint32_t flags;
    /* Brings the schema up to date; a re-run changes nothing. SCHEMA_MISMATCH: newer, or edited. */
    stf_status (*migrate)(void *impl, const stf_ctx *ctx, stf_error *error);
    /* Verifies only. SCHEMA_MISMATCH: missing, older or newer. */
    stf_status (*check_schema)(void *impl, const stf_ctx *ctx, stf_error *error);
} stf_migrator_vtable;

#define STF_MIGRATOR_ABI 1u

/* UNSUPPORTED without the capability. */
STF_API STF_MUST_CHECK stf_status stf_repository_migrate(stf_repository *repository,
                                                         const stf_ctx *ctx, stf_error *error);
STF_API STF_MUST_CHECK stf_status stf_repository_check_schema(stf_repository *repository,
                                                              const stf_ctx *ctx, stf_error *error);

STF_END_DECLS

#endif

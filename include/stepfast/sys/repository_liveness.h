/* SPDX-License-Identifier: Apache-2.0 */
/* Capability: proof that an owner is dead before its lease lapses (ADR 0003). An owner
 * string is held by at most one living process; a store that cannot prove death has no such
 * capability, and its engines wait for the lease. */
#ifndef STEPFAST_SYS_REPOSITORY_LIVENESS_H
#define STEPFAST_SYS_REPOSITORY_LIVENESS_H

#include <stepfast/sys/repository.h>

STF_BEGIN_DECLS

#define STF_REPOSITORY_LIVENESS "stf.repository.liveness/1"

typedef struct stf_liveness_vtable {
    size_t struct_size;
    uint32_t abi;
    uint32_t flags;
    /* Marks owner as alive until release_owner, the close of the store or the end of the process.
     * ALREADY_EXISTS: a living process holds it (or one that is indistinguishable). */
    stf_status (*hold_owner)(void *impl, const stf_ctx *ctx, stf_str owner, stf_error *error);
    void (*release_owner)(void *impl, stf_str owner);
    /* True only with proof. */
    stf_status (*owner_is_dead)(void *impl, const stf_ctx *ctx, stf_str owner, bool *ret_dead,
                                stf_error *error);
    /* The distinct lease owners of the group's non-terminal records, by bytes. */
    stf_status (*list_owners)(void *impl, const stf_ctx *ctx, stf_str group, stf_id_visitor visit,
                              void *user, stf_error *error);
} stf_liveness_vtable;

#define STF_LIVENESS_ABI 1u

STF_API STF_MUST_CHECK stf_status stf_repository_hold_owner(stf_repository *repository,
                                                            const stf_ctx *ctx, stf_str owner,
                                                            stf_error *error);
STF_API void stf_repository_release_owner(stf_repository *repository, stf_str owner);
STF_API STF_MUST_CHECK stf_status stf_repository_owner_is_dead(stf_repository *repository,
                                                               const stf_ctx *ctx, stf_str owner,
                                                               bool *ret_dead, stf_error *error);
STF_API STF_MUST_CHECK stf_status stf_repository_list_owners(stf_repository *repository,
                                                             const stf_ctx *ctx, stf_str group,
                                                             stf_id_visitor visit, void *user,
                                                             stf_error *error);

STF_END_DECLS

#endif

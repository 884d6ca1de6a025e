/* SPDX-License-Identifier: Apache-2.0 */
/* Capability: many records in one exchange and one commit. Without it the wrappers loop. */
#ifndef STEPFAST_SYS_REPOSITORY_BATCH_H
#define STEPFAST_SYS_REPOSITORY_BATCH_H

#include <stepfast/sys/repository.h>

STF_BEGIN_DECLS

#define STF_REPOSITORY_BATCH "stf.repository.batch/1"

typedef struct stf_batch_vtable {
    size_t struct_size;
    uint32_t abi;
    uint32_t flags;
    /* An outcome per record in results[i].status; a refused one never aborts its neighbours. Each
     * id occurs once (the wrapper sees to it). Anything but OK is the outcome of every record. */
    stf_status (*save_many)(void *impl, const stf_ctx *ctx, const stf_save *saves, size_t count,
                            stf_save_result *results, stf_error *error);
    /* Visits the records that exist, in any order; with a due_before that is not none only those
     * whose due is at or before it. */
    stf_status (*load_many)(void *impl, const stf_ctx *ctx, const stf_str *ids, size_t count,
                            stf_wall due_before, stf_record_visitor visit, void *user,
                            stf_error *error);
} stf_batch_vtable;

#define STF_BATCH_ABI 1u

/* Always possible. The second and later saves of one id in a batch are answered with
 * INVALID_ARGUMENT (R16). OK when every record has its outcome in results. */
STF_API STF_MUST_CHECK stf_status stf_repository_save_many(stf_repository *repository,
                                                           const stf_ctx *ctx,
                                                           const stf_save *saves, size_t count,
                                                           stf_save_result *results,
                                                           stf_error *error);
STF_API STF_MUST_CHECK stf_status stf_repository_load_many(stf_repository *repository,
                                                           const stf_ctx *ctx, const stf_str *ids,
                                                           size_t count, stf_wall due_before,
                                                           stf_record_visitor visit, void *user,
                                                           stf_error *error);

STF_END_DECLS

#endif

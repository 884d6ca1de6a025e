/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of the catalog capability: listing, counting, pruning. */
#include "base/mem.h"
#include "port/private.h"

static stf_status find_catalog(stf_repository *repository, bool has_arguments,
                               const stf_catalog_vtable **ret_slots, stf_error *error)
{
    if (repository == NULL || !has_arguments) {
        return stf__port_missing("repository or an argument", error);
    }
    *ret_slots = repository->capabilities[STF__CAPABILITY_CATALOG];
    return *ret_slots != NULL ? STF_OK : stf__port_unsupported(STF_REPOSITORY_CATALOG, error);
}

static stf_status check_query(const stf_catalog_query *query, size_t limit, const stf_ctx *ctx,
                              stf_error *error)
{
    stf__text texts[] = {{"group", query->group, true},
                         {"tenant", query->tenant, false},
                         {"label key", query->label_key, false},
                         {"after_id", query->after_id, false}};
    stf_status status = stf__port_check_page(texts, STF_COUNT_OF(texts), limit, error);
    if (status == STF_OK && query->label_version < 0) {
        status = stf_error_set(error, STF_INVALID_ARGUMENT, "PORT", "the version is negative");
    }
    return status == STF_OK ? stf_ctx_check(ctx, error) : status;
}

stf_status stf_repository_page(stf_repository *repository, const stf_ctx *ctx,
                               const stf_catalog_query *query, stf_record_visitor visit, void *user,
                               stf_error *error)
{
    const stf_catalog_vtable *capability = NULL;
    stf_status status =
        find_catalog(repository, query != NULL && visit != NULL, &capability, error);
    if (status == STF_OK) {
        status = check_query(query, query->limit, ctx, error);
    }
    return status == STF_OK ? capability->page(repository->impl, ctx, query, visit, user, error)
                            : status;
}

/* limit and after_id do not matter to a count. */
stf_status stf_repository_count(stf_repository *repository, const stf_ctx *ctx,
                                const stf_catalog_query *query, uint64_t *ret_count,
                                stf_error *error)
{
    const stf_catalog_vtable *capability = NULL;
    stf_status status =
        find_catalog(repository, query != NULL && ret_count != NULL, &capability, error);
    if (status == STF_OK) {
        status = check_query(query, 1, ctx, error);
    }
    if (status != STF_OK) {
        return status;
    }
    stf_catalog_query all = *query;
    all.after_id = (stf_str){NULL, 0};
    uint64_t count = 0;
    status = capability->count(repository->impl, ctx, &all, &count, error);
    if (status == STF_OK) {
        *ret_count = count;
    }
    return status;
}

stf_status stf_repository_prune(stf_repository *repository, const stf_ctx *ctx,
                                const stf_prune_request *request, uint64_t *ret_count,
                                stf_error *error)
{
    const stf_catalog_vtable *capability = NULL;
    stf_status status =
        find_catalog(repository, request != NULL && ret_count != NULL, &capability, error);
    if (status != STF_OK) {
        return status;
    }
    stf__text texts[] = {{"group", request->group, true}, {"tenant", request->tenant, false}};
    status = stf__port_check_page(texts, STF_COUNT_OF(texts), request->limit, error);
    if (status == STF_OK) {
        status = stf_ctx_check(ctx, error);
    }
    uint64_t count = 0;
    if (status == STF_OK) {
        status = capability->prune(repository->impl, ctx, request, &count, error);
    }
    if (status == STF_OK) {
        *ret_count = count;
    }
    return status;
}

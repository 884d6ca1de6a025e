/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of the wake capability: who is due, orphaned or waiting. */
#include "base/mem.h"
#include "port/private.h"

static stf_status find_wake(stf_repository *repository, bool has_arguments,
                            const stf_wake_vtable **ret_slots, stf_error *error)
{
    if (repository == NULL || !has_arguments) {
        return stf__port_missing("repository or an argument", error);
    }
    *ret_slots = repository->capabilities[STF__CAPABILITY_WAKE];
    return *ret_slots != NULL ? STF_OK : stf__port_unsupported(STF_REPOSITORY_WAKE, error);
}

stf_status stf_repository_due_page(stf_repository *repository, const stf_ctx *ctx,
                                   const stf_due_query *query, stf_wake_visitor visit, void *user,
                                   stf_error *error)
{
    const stf_wake_vtable *capability = NULL;
    stf_status status = find_wake(repository, query != NULL && visit != NULL, &capability, error);
    if (status != STF_OK) {
        return status;
    }
    stf__text texts[] = {{"group", query->group, true},
                         {"asker", query->asker, false},
                         {"after_id", query->after_id, false}};
    status = stf__port_check_page(texts, STF_COUNT_OF(texts), query->limit, error);
    if (status == STF_OK) {
        status = stf_ctx_check(ctx, error);
    }
    return status == STF_OK ? capability->due_page(repository->impl, ctx, query, visit, user, error)
                            : status;
}

static stf_status check_dead_owners(const stf_orphan_query *query, stf_error *error)
{
    if (query->dead_owner_count != 0 && query->dead_owners == NULL) {
        return stf__port_missing("dead_owners", error);
    }
    if (query->dead_owner_count > STF_LIMIT_PAGE) {
        return stf_error_set(error, STF_LIMIT_EXCEEDED, "PORT",
                             "%zu dead owners; at most %u are allowed", query->dead_owner_count,
                             STF_LIMIT_PAGE);
    }
    for (size_t i = 0; i < query->dead_owner_count; i++) {
        stf__text text = {"dead owner", query->dead_owners[i], true};
        stf_status status = stf__port_check_texts(&text, 1, error);
        if (status != STF_OK) {
            return status;
        }
    }
    return STF_OK;
}

stf_status stf_repository_orphan_page(stf_repository *repository, const stf_ctx *ctx,
                                      const stf_orphan_query *query, stf_wake_visitor visit,
                                      void *user, stf_error *error)
{
    const stf_wake_vtable *capability = NULL;
    stf_status status = find_wake(repository, query != NULL && visit != NULL, &capability, error);
    if (status != STF_OK) {
        return status;
    }
    stf__text texts[] = {{"group", query->group, true},
                         {"asker", query->asker, false},
                         {"after_id", query->after_id, false}};
    status = stf__port_check_page(texts, STF_COUNT_OF(texts), query->limit, error);
    if (status == STF_OK) {
        status = check_dead_owners(query, error);
    }
    if (status == STF_OK) {
        status = stf_ctx_check(ctx, error);
    }
    return status == STF_OK
               ? capability->orphan_page(repository->impl, ctx, query, visit, user, error)
               : status;
}

stf_status stf_repository_waiting_page(stf_repository *repository, const stf_ctx *ctx,
                                       const stf_waiting_query *query, stf_wake_visitor visit,
                                       void *user, stf_error *error)
{
    const stf_wake_vtable *capability = NULL;
    stf_status status = find_wake(repository, query != NULL && visit != NULL, &capability, error);
    if (status != STF_OK) {
        return status;
    }
    /* A wait's key may be longer than a name and has NULs: only its limit is checked. */
    stf__text texts[] = {{"group", query->group, true},
                         {"tenant", query->tenant, false},
                         {"after_id", query->after_id, false}};
    status = stf__port_check_page(texts, STF_COUNT_OF(texts), query->limit, error);
    if (status == STF_OK && query->key.size > STF_LIMIT_WAIT_KEY_BYTES) {
        status = stf_error_set(error, STF_LIMIT_EXCEEDED, "PORT",
                               "the key has %zu bytes; at most %d are allowed", query->key.size,
                               STF_LIMIT_WAIT_KEY_BYTES);
    }
    if (status == STF_OK) {
        status = stf_ctx_check(ctx, error);
    }
    return status == STF_OK
               ? capability->waiting_page(repository->impl, ctx, query, visit, user, error)
               : status;
}

stf_status stf_repository_next_due(stf_repository *repository, const stf_ctx *ctx, stf_str group,
                                   stf_str asker, stf_wall *ret_due, stf_error *error)
{
    const stf_wake_vtable *capability = NULL;
    stf_status status = find_wake(repository, ret_due != NULL, &capability, error);
    if (status != STF_OK) {
        return status;
    }
    stf__text texts[] = {{"group", group, true}, {"asker", asker, false}};
    status = stf__port_check_texts(texts, STF_COUNT_OF(texts), error);
    if (status == STF_OK) {
        status = stf_ctx_check(ctx, error);
    }
    stf_wall due = stf_wall_none();
    if (status == STF_OK) {
        status = capability->next_due(repository->impl, ctx, group, asker, &due, error);
    }
    if (status == STF_OK) {
        *ret_due = due;
    }
    return status;
}

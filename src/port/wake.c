/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of the wake capability: who is due, orphaned or waiting. A store without it is answered
 * for by the index in memory, so callers know one way only. */
#include "base/mem.h"
#include "port/index.h"

/* Who answers: the store, or the index over it. */
typedef struct answerer {
    const stf_wake_vtable *slots;
    void *impl;
} answerer;

static stf_status find_answerer(stf_repository *repository, bool has_arguments,
                                answerer *ret_answerer, stf_error *error)
{
    if (repository == NULL || !has_arguments) {
        return stf__port_missing("repository or an argument", error);
    }
    const stf_wake_vtable *capability = repository->capabilities[STF__CAPABILITY_WAKE];
    *ret_answerer = capability != NULL ? (answerer){capability, repository->impl}
                                       : (answerer){&stf__index_wake, repository};
    return STF_OK;
}

stf_status stf_repository_due_page(stf_repository *repository, const stf_ctx *ctx,
                                   const stf_due_query *query, stf_wake_visitor visit, void *user,
                                   stf_error *error)
{
    answerer wake = {NULL, NULL};
    stf_status status = find_answerer(repository, query != NULL && visit != NULL, &wake, error);
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
    return status == STF_OK ? wake.slots->due_page(wake.impl, ctx, query, visit, user, error)
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
    answerer wake = {NULL, NULL};
    stf_status status = find_answerer(repository, query != NULL && visit != NULL, &wake, error);
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
    return status == STF_OK ? wake.slots->orphan_page(wake.impl, ctx, query, visit, user, error)
                            : status;
}

stf_status stf_repository_waiting_page(stf_repository *repository, const stf_ctx *ctx,
                                       const stf_waiting_query *query, stf_wake_visitor visit,
                                       void *user, stf_error *error)
{
    answerer wake = {NULL, NULL};
    stf_status status = find_answerer(repository, query != NULL && visit != NULL, &wake, error);
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
    return status == STF_OK ? wake.slots->waiting_page(wake.impl, ctx, query, visit, user, error)
                            : status;
}

stf_status stf_repository_next_due(stf_repository *repository, const stf_ctx *ctx, stf_str group,
                                   stf_str asker, stf_wall *ret_due, stf_error *error)
{
    answerer wake = {NULL, NULL};
    stf_status status = find_answerer(repository, ret_due != NULL, &wake, error);
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
        status = wake.slots->next_due(wake.impl, ctx, group, asker, &due, error);
    }
    if (status == STF_OK) {
        *ret_due = due;
    }
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The pages of the wake index: it is brought up to date, and its rows are copied under the mutex
 * and visited without it. */
#include "port/index.h"

/* The time of a query that names none: only the store can say it. */
static stf_status find_now(stf_repository *repository, const stf_ctx *ctx, stf_wall asked,
                           stf_wall *ret_now, stf_error *error)
{
    const stf_store_clock_vtable *clock = repository->capabilities[STF__CAPABILITY_CLOCK];
    if (!stf_wall_is_none(asked)) {
        *ret_now = asked;
        return STF_OK;
    }
    if (clock == NULL) {
        return stf_error_set(
            error, STF_UNSUPPORTED, "PORT",
            "the store has no clock and no wake pages: the query must name a time");
    }
    return clock->now(repository->impl, ctx, ret_now, error);
}

static stf_status prepare_at(stf_repository *repository, const stf_ctx *ctx, stf_str group,
                             stf_wall asked, stf_wall *ret_now, stf_error *error)
{
    stf_status status = find_now(repository, ctx, asked, ret_now, error);
    return status == STF_OK ? stf__index_prepare(repository, ctx, group, *ret_now, error) : status;
}

/* Under the mutex; NULL: nothing is known of the group. */
static const stf__wake_set *find_set(const stf__index *index, stf_str name)
{
    const stf__index_group *group = stf__index_find_group(index, name);
    return group != NULL ? &group->set : NULL;
}

/* Under the mutex until the page is closed. */
static const stf__wake_set *open_page(stf__index *index, stf_str group, stf__wake_page *page)
{
    stf__wake_page_init(page, index->alloc);
    stf__index_lock(index);
    return find_set(index, group);
}

static stf_status close_page(stf__index *index, stf__wake_page *page, stf_status built,
                             stf_wake_visitor visit, void *user, stf_error *error)
{
    stf__index_unlock(index);
    if (built != STF_OK) {
        built = stf_error_set(error, STF_NO_MEMORY, "PORT", "no memory for a page");
    }
    return stf__wake_page_visit(page, built, visit, user, error);
}

static stf_status due_page(void *impl, const stf_ctx *ctx, const stf_due_query *query,
                           stf_wake_visitor visit, void *user, stf_error *error)
{
    stf_repository *repository = impl;
    stf_wall now;
    stf_status status = prepare_at(repository, ctx, query->group, query->now, &now, error);
    if (status != STF_OK) {
        return status;
    }
    stf__wake_page page;
    const stf__wake_set *set = open_page(repository->index, query->group, &page);
    status = stf__wake_page_take_due(&page, set, query, now);
    return close_page(repository->index, &page, status, visit, user, error);
}

static stf_status next_due(void *impl, const stf_ctx *ctx, stf_str group, stf_str asker,
                           stf_wall *ret_due, stf_error *error)
{
    stf_repository *repository = impl;
    stf_status status = stf__index_prepare(repository, ctx, group, stf_wall_none(), error);
    if (status == STF_OK) {
        stf__index_lock(repository->index);
        *ret_due = stf__wake_set_next_due(find_set(repository->index, group), asker);
        stf__index_unlock(repository->index);
    }
    return status;
}

static stf_status orphan_page(void *impl, const stf_ctx *ctx, const stf_orphan_query *query,
                              stf_wake_visitor visit, void *user, stf_error *error)
{
    stf_repository *repository = impl;
    stf_wall now;
    stf_status status = prepare_at(repository, ctx, query->group, query->now, &now, error);
    if (status != STF_OK) {
        return status;
    }
    stf__wake_page page;
    const stf__wake_set *set = open_page(repository->index, query->group, &page);
    status = stf__wake_page_take_orphans(&page, set, query, now);
    return close_page(repository->index, &page, status, visit, user, error);
}

static stf_status waiting_page(void *impl, const stf_ctx *ctx, const stf_waiting_query *query,
                               stf_wake_visitor visit, void *user, stf_error *error)
{
    stf_repository *repository = impl;
    stf_status status = stf__index_prepare(repository, ctx, query->group, stf_wall_none(), error);
    if (status != STF_OK) {
        return status;
    }
    stf__wake_page page;
    const stf__wake_set *set = open_page(repository->index, query->group, &page);
    status = stf__wake_page_take_waits(&page, set, query);
    return close_page(repository->index, &page, status, visit, user, error);
}

const stf_wake_vtable stf__index_wake = {
    .struct_size = sizeof(stf_wake_vtable),
    .abi = STF_WAKE_ABI,
    .due_page = due_page,
    .orphan_page = orphan_page,
    .waiting_page = waiting_page,
    .next_due = next_due,
};

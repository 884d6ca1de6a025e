/* SPDX-License-Identifier: Apache-2.0 */
/* Who is in flight, due, orphaned or waiting: the pages of each group's set, whose rows are copied
 * under the mutex and visited without it. */
#include "memory/private.h"

static stf_wall now_of(const stf_memory *memory, stf_wall now)
{
    return stf_wall_is_none(now) ? stf__memory_now(memory) : now;
}

/* Under the mutex; NULL: there is no such group. */
static const stf__wake_set *find_set(const stf_memory *memory, stf_str name)
{
    const stf__group *group = stf__memory_find_group(memory, name);
    return group != NULL ? &group->set : NULL;
}

/* Under the mutex until the page is closed. */
static const stf__wake_set *open_page(stf_memory *memory, stf_str group, stf__wake_page *page)
{
    stf__wake_page_init(page, &memory->alloc);
    stf__memory_lock(memory);
    return find_set(memory, group);
}

static stf_status close_page(stf_memory *memory, stf__wake_page *page, stf_status built,
                             stf_wake_visitor visit, void *user, stf_error *error)
{
    memory->waits_seen += page->waits_seen;
    stf__memory_unlock(memory);
    if (built != STF_OK) {
        built = stf__memory_no_memory(error);
    }
    return stf__wake_page_visit(page, built, visit, user, error);
}

typedef struct id_visit {
    stf_id_visitor visit;
    void *user;
} id_visit;

static stf_status visit_id(void *user, const stf_wake_row *row, stf_error *error)
{
    const id_visit *target = user;
    return target->visit(target->user, row->id, error);
}

stf_status stf__memory_list_in_flight(void *impl, const stf_ctx *ctx,
                                      const stf_in_flight_query *query, stf_id_visitor visit,
                                      void *user, stf_error *error)
{
    (void)ctx;
    stf_memory *memory = impl;
    id_visit target = {visit, user};
    stf_wall now = now_of(memory, query->now);
    stf__wake_page page;
    const stf__wake_set *set = open_page(memory, query->group, &page);
    stf_status status = stf__wake_page_take_in_flight(&page, set, query, now);
    return close_page(memory, &page, status, visit_id, &target, error);
}

static stf_status due_page(void *impl, const stf_ctx *ctx, const stf_due_query *query,
                           stf_wake_visitor visit, void *user, stf_error *error)
{
    (void)ctx;
    stf_memory *memory = impl;
    stf_wall now = now_of(memory, query->now);
    stf__wake_page page;
    const stf__wake_set *set = open_page(memory, query->group, &page);
    stf_status status = stf__wake_page_take_due(&page, set, query, now);
    return close_page(memory, &page, status, visit, user, error);
}

static stf_status next_due(void *impl, const stf_ctx *ctx, stf_str group, stf_str asker,
                           stf_wall *ret_due, stf_error *error)
{
    (void)ctx;
    (void)error;
    stf_memory *memory = impl;
    stf__memory_lock(memory);
    *ret_due = stf__wake_set_next_due(find_set(memory, group), asker);
    stf__memory_unlock(memory);
    return STF_OK;
}

static stf_status orphan_page(void *impl, const stf_ctx *ctx, const stf_orphan_query *query,
                              stf_wake_visitor visit, void *user, stf_error *error)
{
    (void)ctx;
    stf_memory *memory = impl;
    stf_wall now = now_of(memory, query->now);
    stf__wake_page page;
    const stf__wake_set *set = open_page(memory, query->group, &page);
    stf_status status = stf__wake_page_take_orphans(&page, set, query, now);
    return close_page(memory, &page, status, visit, user, error);
}

static stf_status waiting_page(void *impl, const stf_ctx *ctx, const stf_waiting_query *query,
                               stf_wake_visitor visit, void *user, stf_error *error)
{
    (void)ctx;
    stf_memory *memory = impl;
    stf__wake_page page;
    const stf__wake_set *set = open_page(memory, query->group, &page);
    stf_status status = stf__wake_page_take_waits(&page, set, query);
    return close_page(memory, &page, status, visit, user, error);
}

const stf_wake_vtable stf__memory_wake = {
    .struct_size = sizeof(stf_wake_vtable),
    .abi = STF_WAKE_ABI,
    .due_page = due_page,
    .orphan_page = orphan_page,
    .waiting_page = waiting_page,
    .next_due = next_due,
};

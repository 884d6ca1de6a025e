/* SPDX-License-Identifier: Apache-2.0 */
/* Who is in flight, due, orphaned or waiting. A page is one instant's picture: its rows are copied
 * under the mutex into an arena and visited without it. */
#include "base/arena.h"
#include "memory/private.h"

#define ROW_OF(node, member) STF__NODE_OWNER(node, stf__row, member)

typedef struct page_item {
    struct page_item *next;
    stf_wake_row row;
} page_item;

typedef struct wake_page {
    stf__arena arena;
    page_item *first;
    page_item **last;
    const stf_wake_row *last_row;
    size_t count;
} wake_page;

static void page_init(wake_page *page, const stf_memory *memory)
{
    *page = (wake_page){.first = NULL};
    page->last = &page->first;
    stf__arena_init(&page->arena, &memory->alloc);
}

/* Copies a row into the page. */
static stf_status page_add(wake_page *page, const stf__row *row, stf_wall at, const stf_wait *wait)
{
    page_item *item = stf__arena_zalloc(&page->arena, sizeof(*item));
    if (item == NULL || stf__arena_copy_str(&page->arena, row->id, &item->row.id) != STF_OK ||
        stf__arena_copy_str(&page->arena, stf__row_str(&row->owner), &item->row.owner) != STF_OK) {
        return STF_NO_MEMORY;
    }
    if (wait != NULL) {
        item->row.wait = *wait;
        if (stf__arena_copy_str(&page->arena, wait->key, &item->row.wait.key) != STF_OK) {
            return STF_NO_MEMORY;
        }
    }
    item->row.rec_version = row->version;
    item->row.at = at;
    *page->last = item;
    page->last = &item->next;
    page->last_row = &item->row;
    page->count++;
    return STF_OK;
}

/* Frees the page. `built` is how its making ended. */
static stf_status page_visit(wake_page *page, stf_status built, stf_wake_visitor visit, void *user,
                             stf_error *error)
{
    stf_status status = built == STF_OK ? STF_OK : stf__memory_no_memory(error);
    for (const page_item *item = page->first; item != NULL && status == STF_OK; item = item->next) {
        status = visit(user, &item->row, error);
    }
    stf__arena_done(&page->arena);
    return status;
}

static stf_wall now_of(const stf_memory *memory, stf_wall now)
{
    return stf_wall_is_none(now) ? stf__memory_now(memory) : now;
}

/* ---- In flight --------------------------------------------------------------------------- */

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
    stf_wall now = now_of(memory, query->now);
    wake_page page;
    page_init(&page, memory);
    stf_status status = STF_OK;
    stf__memory_lock(memory);
    const stf__group *group = stf__memory_find_group(memory, query->group);
    const stf__tree_node *node =
        group != NULL ? stf__tree_after(&group->records, stf__row_compare_id, &query->after_id)
                      : NULL;
    while (node != NULL && page.count < query->limit && status == STF_OK) {
        const stf__row *row = ROW_OF(node, by_id);
        stf_lease lease = stf__row_lease(row);
        if (stf_record_is_claimable(row->status, &lease, now)) {
            status = page_add(&page, row, now, NULL);
        }
        node = stf__tree_next(node);
    }
    stf__memory_unlock(memory);
    id_visit target = {visit, user};
    return page_visit(&page, status, visit_id, &target, error);
}

/* ---- Due --------------------------------------------------------------------------------- */

typedef struct due_key {
    stf_wall due;
    stf_str id;
} due_key;

static int compare_due(const void *key, const stf__tree_node *node)
{
    const due_key *wanted = key;
    const stf__row *row = ROW_OF(node, by_due);
    if (wanted->due.us != row->due.us) {
        return wanted->due.us < row->due.us ? -1 : 1;
    }
    return stf_str_compare(wanted->id, row->id);
}

static stf_status due_page(void *impl, const stf_ctx *ctx, const stf_due_query *query,
                           stf_wake_visitor visit, void *user, stf_error *error)
{
    (void)ctx;
    stf_memory *memory = impl;
    stf_wall now = now_of(memory, query->now);
    due_key after = {query->after_due, query->after_id};
    wake_page page;
    page_init(&page, memory);
    stf_status status = STF_OK;
    stf__memory_lock(memory);
    const stf__group *group = stf__memory_find_group(memory, query->group);
    const stf__tree_node *node =
        group != NULL ? stf__tree_after(&group->due, compare_due, &after) : NULL;
    while (node != NULL && page.count < query->limit && status == STF_OK) {
        const stf__row *row = ROW_OF(node, by_due);
        if (row->due.us > now.us) {
            break;
        }
        stf_lease lease = stf__row_lease(row);
        if (stf_lease_is_expired(&lease, now) || stf_str_equal(lease.owner, query->asker)) {
            status = page_add(&page, row, row->due, NULL);
        }
        node = stf__tree_next(node);
    }
    stf__memory_unlock(memory);
    return page_visit(&page, status, visit, user, error);
}

static stf_status next_due(void *impl, const stf_ctx *ctx, stf_str group_name, stf_str asker,
                           stf_wall *ret_due, stf_error *error)
{
    (void)ctx;
    (void)error;
    stf_memory *memory = impl;
    stf_wall due = stf_wall_none();
    stf__memory_lock(memory);
    const stf__group *group = stf__memory_find_group(memory, group_name);
    const stf__tree_node *node = group != NULL ? stf__tree_first(&group->due) : NULL;
    for (; node != NULL && stf_wall_is_none(due); node = stf__tree_next(node)) {
        const stf__row *row = ROW_OF(node, by_due);
        stf_str owner = stf__row_str(&row->owner);
        if (owner.size == 0 || stf_str_equal(owner, asker)) {
            due = row->due;
        }
    }
    stf__memory_unlock(memory);
    *ret_due = due;
    return STF_OK;
}

/* ---- Orphaned ---------------------------------------------------------------------------- */

static int compare_owned(const void *key, const stf__tree_node *node)
{
    return stf_str_compare(*(const stf_str *)key, ROW_OF(node, by_owner)->id);
}

static bool is_dead(const stf_orphan_query *query, stf_str owner)
{
    for (size_t i = 0; i < query->dead_owner_count; i++) {
        if (stf_str_equal(query->dead_owners[i], owner)) {
            return true;
        }
    }
    return false;
}

static bool is_orphan(const stf__row *row, const stf_orphan_query *query, stf_wall now)
{
    stf_lease lease = stf__row_lease(row);
    return row->status != STF_RECORD_SUSPENDED && !stf_str_equal(lease.owner, query->asker) &&
           (stf_lease_is_expired(&lease, now) || is_dead(query, lease.owner));
}

static stf_status orphan_page(void *impl, const stf_ctx *ctx, const stf_orphan_query *query,
                              stf_wake_visitor visit, void *user, stf_error *error)
{
    (void)ctx;
    stf_memory *memory = impl;
    stf_wall now = now_of(memory, query->now);
    wake_page page;
    page_init(&page, memory);
    stf_status status = STF_OK;
    stf__memory_lock(memory);
    const stf__group *group = stf__memory_find_group(memory, query->group);
    const stf__tree_node *node =
        group != NULL ? stf__tree_after(&group->owned, compare_owned, &query->after_id) : NULL;
    while (node != NULL && page.count < query->limit && status == STF_OK) {
        const stf__row *row = ROW_OF(node, by_owner);
        if (is_orphan(row, query, now)) {
            status = page_add(&page, row, row->expiry, NULL);
        }
        node = stf__tree_next(node);
    }
    stf__memory_unlock(memory);
    return page_visit(&page, status, visit, user, error);
}

/* ---- Waiting ----------------------------------------------------------------------------- */

/* Behind every wait of (since, id): the trees hold several for one id. */
static int compare_ages(const stf_waiting_query *query, const stf__row_wait *wait)
{
    if (query->after_since.us != wait->wait.since.us) {
        return query->after_since.us < wait->wait.since.us ? -1 : 1;
    }
    return stf_str_compare(query->after_id, wait->row->id);
}

static int compare_waiting(const void *key, const stf__tree_node *node)
{
    const stf_waiting_query *query = key;
    const stf__row_wait *wait = STF__NODE_OWNER(node, stf__row_wait, node);
    if (query->kind != wait->wait.kind) {
        return query->kind < wait->wait.kind ? -1 : 1;
    }
    return compare_ages(query, wait);
}

static int compare_waiting_by_key(const void *key, const stf__tree_node *node)
{
    const stf_waiting_query *query = key;
    const stf__row_wait *wait = STF__NODE_OWNER(node, stf__row_wait, by_key);
    if (query->kind != wait->wait.kind) {
        return query->kind < wait->wait.kind ? -1 : 1;
    }
    int order = stf_str_compare(query->key, wait->wait.key);
    return order != 0 ? order : compare_ages(query, wait);
}

static const stf__row_wait *wait_of(const stf__tree_node *node, bool has_key)
{
    if (node == NULL) {
        return NULL;
    }
    return has_key ? STF__NODE_OWNER(node, stf__row_wait, by_key)
                   : STF__NODE_OWNER(node, stf__row_wait, node);
}

/* Without a key all waits of the kind, oldest first; with one, those of the key only: who looks
 * for the waiters of a message must not walk over everybody who waits for another. */
static const stf__row_wait *first_wait(const stf__group *group, const stf_waiting_query *query)
{
    bool has_key = query->key.size != 0;
    return wait_of(has_key ? stf__tree_after(&group->waits_by_key, compare_waiting_by_key, query)
                           : stf__tree_after(&group->waits, compare_waiting, query),
                   has_key);
}

static const stf__row_wait *next_wait(const stf__row_wait *wait, bool has_key)
{
    return wait_of(stf__tree_next(has_key ? &wait->by_key : &wait->node), has_key);
}

static bool is_in_range(const stf__row_wait *wait, const stf_waiting_query *query)
{
    return wait->wait.kind == query->kind &&
           (query->key.size == 0 || stf_str_equal(query->key, wait->wait.key));
}

/* A full page still takes the waits of its last (since, id). */
static bool is_page_over(const wake_page *page, size_t limit, const stf__row_wait *wait)
{
    return page->count >= limit && (page->last_row->at.us != wait->wait.since.us ||
                                    !stf_str_equal(page->last_row->id, wait->row->id));
}

static stf_status waiting_page(void *impl, const stf_ctx *ctx, const stf_waiting_query *query,
                               stf_wake_visitor visit, void *user, stf_error *error)
{
    (void)ctx;
    stf_memory *memory = impl;
    wake_page page;
    page_init(&page, memory);
    stf_status status = STF_OK;
    stf__memory_lock(memory);
    const stf__group *group = stf__memory_find_group(memory, query->group);
    const stf__row_wait *wait = group != NULL ? first_wait(group, query) : NULL;
    while (wait != NULL && status == STF_OK && is_in_range(wait, query) &&
           !is_page_over(&page, query->limit, wait)) {
        memory->waits_seen++;
        if (query->tenant.size == 0 || stf_str_equal(query->tenant, wait->row->tenant->name)) {
            status = page_add(&page, wait->row, wait->wait.since, &wait->wait);
        }
        wait = next_wait(wait, query->key.size != 0);
    }
    stf__memory_unlock(memory);
    return page_visit(&page, status, visit, user, error);
}

const stf_wake_vtable stf__memory_wake = {
    .struct_size = sizeof(stf_wake_vtable),
    .abi = STF_WAKE_ABI,
    .due_page = due_page,
    .orphan_page = orphan_page,
    .waiting_page = waiting_page,
    .next_due = next_due,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* The pages of the wake index. A page is one instant's picture: its rows are copied under the mutex
 * into an arena and visited without it. */
#include "port/index.h"

#include "base/arena.h"
#include "base/mem.h"

#define ENTRY_OF(node, member) STF__NODE_OWNER(node, stf__index_entry, member)

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

static void page_init(wake_page *page, const stf__index *index)
{
    *page = (wake_page){.first = NULL};
    page->last = &page->first;
    stf__arena_init(&page->arena, index->alloc);
}

static stf_status page_add(wake_page *page, const stf__index_entry *entry, stf_wall at,
                           const stf_wait *wait)
{
    page_item *item = stf__arena_zalloc(&page->arena, sizeof(*item));
    if (item == NULL || stf__arena_copy_str(&page->arena, entry->id, &item->row.id) != STF_OK ||
        stf__arena_copy_str(&page->arena, entry->owner, &item->row.owner) != STF_OK) {
        return STF_NO_MEMORY;
    }
    if (wait != NULL) {
        item->row.wait = *wait;
        if (stf__arena_copy_str(&page->arena, wait->key, &item->row.wait.key) != STF_OK) {
            return STF_NO_MEMORY;
        }
    }
    item->row.rec_version = entry->version;
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
    stf_status status = built == STF_OK
                            ? STF_OK
                            : stf_error_set(error, STF_NO_MEMORY, "PORT", "no memory for a page");
    for (const page_item *item = page->first; item != NULL && status == STF_OK; item = item->next) {
        status = visit(user, &item->row, error);
    }
    stf__arena_done(&page->arena);
    return status;
}

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

/* ---- Due --------------------------------------------------------------------------------- */

static int compare_due(const void *key, const stf__tree_node *node)
{
    const stf_due_query *query = key;
    const stf__index_entry *entry = ENTRY_OF(node, by_due);
    if (query->after_due.us != entry->due.us) {
        return query->after_due.us < entry->due.us ? -1 : 1;
    }
    return stf_str_compare(query->after_id, entry->id);
}

static bool is_free_for(const stf__index_entry *entry, stf_str asker, stf_wall now)
{
    stf_lease lease = {entry->owner, 0, entry->expiry};
    return stf_lease_is_expired(&lease, now) || stf_str_equal(entry->owner, asker);
}

static stf_status due_page(void *impl, const stf_ctx *ctx, const stf_due_query *query,
                           stf_wake_visitor visit, void *user, stf_error *error)
{
    stf_repository *repository = impl;
    stf__index *index = repository->index;
    stf_wall now;
    stf_status status = find_now(repository, ctx, query->now, &now, error);
    if (status == STF_OK) {
        status = stf__index_prepare(repository, ctx, query->group, now, error);
    }
    if (status != STF_OK) {
        return status;
    }
    wake_page page;
    page_init(&page, index);
    stf__index_lock(index);
    const stf__index_group *group = stf__index_find_group(index, query->group);
    const stf__tree_node *node =
        group != NULL ? stf__tree_after(&group->due, compare_due, query) : NULL;
    while (node != NULL && page.count < query->limit && status == STF_OK) {
        const stf__index_entry *entry = ENTRY_OF(node, by_due);
        if (entry->due.us > now.us) {
            break;
        }
        if (is_free_for(entry, query->asker, now)) {
            status = page_add(&page, entry, entry->due, NULL);
        }
        node = stf__tree_next(node);
    }
    stf__index_unlock(index);
    return page_visit(&page, status, visit, user, error);
}

static stf_status next_due(void *impl, const stf_ctx *ctx, stf_str group_name, stf_str asker,
                           stf_wall *ret_due, stf_error *error)
{
    stf_repository *repository = impl;
    stf__index *index = repository->index;
    stf_wall due = stf_wall_none();
    stf_status status = stf__index_prepare(repository, ctx, group_name, stf_wall_none(), error);
    if (status != STF_OK) {
        return status;
    }
    stf__index_lock(index);
    const stf__index_group *group = stf__index_find_group(index, group_name);
    const stf__tree_node *node = group != NULL ? stf__tree_first(&group->due) : NULL;
    for (; node != NULL && stf_wall_is_none(due); node = stf__tree_next(node)) {
        const stf__index_entry *entry = ENTRY_OF(node, by_due);
        if (entry->owner.size == 0 || stf_str_equal(entry->owner, asker)) {
            due = entry->due;
        }
    }
    stf__index_unlock(index);
    *ret_due = due;
    return STF_OK;
}

/* ---- Orphaned ---------------------------------------------------------------------------- */

static int compare_owned(const void *key, const stf__tree_node *node)
{
    return stf_str_compare(*(const stf_str *)key, ENTRY_OF(node, by_owner)->id);
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

static bool is_orphan(const stf__index_entry *entry, const stf_orphan_query *query, stf_wall now)
{
    stf_lease lease = {entry->owner, 0, entry->expiry};
    return entry->status != STF_RECORD_SUSPENDED && !stf_str_equal(entry->owner, query->asker) &&
           (stf_lease_is_expired(&lease, now) || is_dead(query, entry->owner));
}

static stf_status orphan_page(void *impl, const stf_ctx *ctx, const stf_orphan_query *query,
                              stf_wake_visitor visit, void *user, stf_error *error)
{
    stf_repository *repository = impl;
    stf__index *index = repository->index;
    stf_wall now;
    stf_status status = find_now(repository, ctx, query->now, &now, error);
    if (status == STF_OK) {
        status = stf__index_prepare(repository, ctx, query->group, now, error);
    }
    if (status != STF_OK) {
        return status;
    }
    wake_page page;
    page_init(&page, index);
    stf__index_lock(index);
    const stf__index_group *group = stf__index_find_group(index, query->group);
    const stf__tree_node *node =
        group != NULL ? stf__tree_after(&group->owned, compare_owned, &query->after_id) : NULL;
    while (node != NULL && page.count < query->limit && status == STF_OK) {
        const stf__index_entry *entry = ENTRY_OF(node, by_owner);
        if (is_orphan(entry, query, now)) {
            status = page_add(&page, entry, entry->expiry, NULL);
        }
        node = stf__tree_next(node);
    }
    stf__index_unlock(index);
    return page_visit(&page, status, visit, user, error);
}

/* ---- Waiting ----------------------------------------------------------------------------- */

/* Behind every wait of (since, id): the trees hold several for one id. */
static int compare_ages(const stf_waiting_query *query, const stf__index_wait *wait)
{
    if (query->after_since.us != wait->wait.since.us) {
        return query->after_since.us < wait->wait.since.us ? -1 : 1;
    }
    return stf_str_compare(query->after_id, wait->entry->id);
}

static int compare_waiting(const void *key, const stf__tree_node *node)
{
    const stf_waiting_query *query = key;
    const stf__index_wait *wait = STF__NODE_OWNER(node, stf__index_wait, by_since);
    if (query->kind != wait->wait.kind) {
        return query->kind < wait->wait.kind ? -1 : 1;
    }
    return compare_ages(query, wait);
}

static int compare_waiting_by_key(const void *key, const stf__tree_node *node)
{
    const stf_waiting_query *query = key;
    const stf__index_wait *wait = STF__NODE_OWNER(node, stf__index_wait, by_key);
    if (query->kind != wait->wait.kind) {
        return query->kind < wait->wait.kind ? -1 : 1;
    }
    int order = stf_str_compare(query->key, wait->wait.key);
    return order != 0 ? order : compare_ages(query, wait);
}

static const stf__index_wait *wait_of(const stf__tree_node *node, bool has_key)
{
    if (node == NULL) {
        return NULL;
    }
    return has_key ? STF__NODE_OWNER(node, stf__index_wait, by_key)
                   : STF__NODE_OWNER(node, stf__index_wait, by_since);
}

static const stf__index_wait *first_wait(const stf__index_group *group,
                                         const stf_waiting_query *query)
{
    bool has_key = query->key.size != 0;
    return wait_of(has_key ? stf__tree_after(&group->waits_by_key, compare_waiting_by_key, query)
                           : stf__tree_after(&group->waits, compare_waiting, query),
                   has_key);
}

static const stf__index_wait *next_wait(const stf__index_wait *wait, bool has_key)
{
    return wait_of(stf__tree_next(has_key ? &wait->by_key : &wait->by_since), has_key);
}

static bool is_in_range(const stf__index_wait *wait, const stf_waiting_query *query)
{
    return wait->wait.kind == query->kind &&
           (query->key.size == 0 || stf_str_equal(query->key, wait->wait.key));
}

/* A full page still takes the waits of its last (since, id). */
static bool is_page_over(const wake_page *page, size_t limit, const stf__index_wait *wait)
{
    return page->count >= limit && (page->last_row->at.us != wait->wait.since.us ||
                                    !stf_str_equal(page->last_row->id, wait->entry->id));
}

static stf_status waiting_page(void *impl, const stf_ctx *ctx, const stf_waiting_query *query,
                               stf_wake_visitor visit, void *user, stf_error *error)
{
    stf_repository *repository = impl;
    stf__index *index = repository->index;
    stf_status status = stf__index_prepare(repository, ctx, query->group, stf_wall_none(), error);
    if (status != STF_OK) {
        return status;
    }
    wake_page page;
    page_init(&page, index);
    stf__index_lock(index);
    const stf__index_group *group = stf__index_find_group(index, query->group);
    const stf__index_wait *wait = group != NULL ? first_wait(group, query) : NULL;
    while (wait != NULL && status == STF_OK && is_in_range(wait, query) &&
           !is_page_over(&page, query->limit, wait)) {
        if (query->tenant.size == 0 || stf_str_equal(query->tenant, wait->entry->tenant)) {
            status = page_add(&page, wait->entry, wait->wait.since, &wait->wait);
        }
        wait = next_wait(wait, query->key.size != 0);
    }
    stf__index_unlock(index);
    return page_visit(&page, status, visit, user, error);
}

const stf_wake_vtable stf__index_wake = {
    .struct_size = sizeof(stf_wake_vtable),
    .abi = STF_WAKE_ABI,
    .due_page = due_page,
    .orphan_page = orphan_page,
    .waiting_page = waiting_page,
    .next_due = next_due,
};

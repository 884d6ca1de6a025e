/* SPDX-License-Identifier: Apache-2.0 */
/* The trees of a wake set, and the pages that walk them. */
#include "port/wake_set.h"

#define ENTRY_OF(node, member) STF__NODE_OWNER(node, stf__wake_entry, member)
#define WAIT_OF(node, member) STF__NODE_OWNER(node, stf__wake_wait, member)

struct stf__wake_item {
    stf__wake_item *next;
    stf_wake_row row;
};

/* ---- Order ------------------------------------------------------------------------------- */

static int compare_times(stf_wall a, stf_wall b)
{
    return (a.us > b.us) - (a.us < b.us);
}

static int compare_by_id(const stf__tree_node *a, const stf__tree_node *b)
{
    return stf_str_compare(ENTRY_OF(a, by_id)->id, ENTRY_OF(b, by_id)->id);
}

static int compare_by_owner(const stf__tree_node *a, const stf__tree_node *b)
{
    return stf_str_compare(ENTRY_OF(a, by_owner)->id, ENTRY_OF(b, by_owner)->id);
}

static int compare_by_due(const stf__tree_node *a, const stf__tree_node *b)
{
    const stf__wake_entry *entry_a = ENTRY_OF(a, by_due);
    const stf__wake_entry *entry_b = ENTRY_OF(b, by_due);
    int order = compare_times(entry_a->due, entry_b->due);
    return order != 0 ? order : stf_str_compare(entry_a->id, entry_b->id);
}

static int compare_kinds(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

/* By since, id and the place in the record: waits of one record lie in one array. */
static int compare_ages(const stf__wake_wait *a, const stf__wake_wait *b)
{
    int order = compare_times(a->wait.since, b->wait.since);
    if (order == 0) {
        order = stf_str_compare(a->entry->id, b->entry->id);
    }
    return order != 0 ? order : (a > b) - (a < b);
}

static int compare_waits(const stf__tree_node *a, const stf__tree_node *b)
{
    const stf__wake_wait *wait_a = WAIT_OF(a, by_since);
    const stf__wake_wait *wait_b = WAIT_OF(b, by_since);
    int order = compare_kinds(wait_a->wait.kind, wait_b->wait.kind);
    return order != 0 ? order : compare_ages(wait_a, wait_b);
}

static int compare_waits_by_key(const stf__tree_node *a, const stf__tree_node *b)
{
    const stf__wake_wait *wait_a = WAIT_OF(a, by_key);
    const stf__wake_wait *wait_b = WAIT_OF(b, by_key);
    int order = compare_kinds(wait_a->wait.kind, wait_b->wait.kind);
    if (order == 0) {
        order = stf_str_compare(wait_a->wait.key, wait_b->wait.key);
    }
    return order != 0 ? order : compare_ages(wait_a, wait_b);
}

/* ---- Where a page begins ------------------------------------------------------------------ */

static int seek_id(const void *key, const stf__tree_node *node)
{
    return stf_str_compare(*(const stf_str *)key, ENTRY_OF(node, by_id)->id);
}

static int seek_owned(const void *key, const stf__tree_node *node)
{
    return stf_str_compare(*(const stf_str *)key, ENTRY_OF(node, by_owner)->id);
}

static int seek_due(const void *key, const stf__tree_node *node)
{
    const stf_due_query *query = key;
    const stf__wake_entry *entry = ENTRY_OF(node, by_due);
    int order = compare_times(query->after_due, entry->due);
    return order != 0 ? order : stf_str_compare(query->after_id, entry->id);
}

/* Behind every wait of (since, id): the trees hold several for one id. */
static int seek_age(const stf_waiting_query *query, const stf__wake_wait *wait)
{
    int order = compare_times(query->after_since, wait->wait.since);
    return order != 0 ? order : stf_str_compare(query->after_id, wait->entry->id);
}

static int seek_wait(const void *key, const stf__tree_node *node)
{
    const stf_waiting_query *query = key;
    const stf__wake_wait *wait = WAIT_OF(node, by_since);
    int order = compare_kinds(query->kind, wait->wait.kind);
    return order != 0 ? order : seek_age(query, wait);
}

static int seek_wait_by_key(const void *key, const stf__tree_node *node)
{
    const stf_waiting_query *query = key;
    const stf__wake_wait *wait = WAIT_OF(node, by_key);
    int order = compare_kinds(query->kind, wait->wait.kind);
    if (order == 0) {
        order = stf_str_compare(query->key, wait->wait.key);
    }
    return order != 0 ? order : seek_age(query, wait);
}

/* ---- The set ----------------------------------------------------------------------------- */

void stf__wake_set_init(stf__wake_set *set)
{
    stf__tree_init(&set->records, compare_by_id);
    stf__tree_init(&set->due, compare_by_due);
    stf__tree_init(&set->owned, compare_by_owner);
    stf__tree_init(&set->waits, compare_waits);
    stf__tree_init(&set->waits_by_key, compare_waits_by_key);
}

static void place(stf__tree *tree, stf__tree_node *node, bool belongs)
{
    if (belongs && !stf__tree_has(node)) {
        stf__tree_insert(tree, node);
    } else if (!belongs) {
        stf__tree_remove(tree, node);
    }
}

void stf__wake_set_place(stf__wake_set *set, stf__wake_entry *entry)
{
    bool is_terminal = stf_record_status_is_terminal(entry->status);
    bool has_waits = !is_terminal && entry->status != STF_RECORD_SUSPENDED;
    place(&set->records, &entry->by_id, true);
    place(&set->due, &entry->by_due, !is_terminal && !stf_wall_is_none(entry->due));
    place(&set->owned, &entry->by_owner, !is_terminal && entry->owner.size != 0);
    for (size_t i = 0; i < entry->wait_count; i++) {
        place(&set->waits, &entry->waits[i].by_since, has_waits);
        place(&set->waits_by_key, &entry->waits[i].by_key, has_waits);
    }
}

void stf__wake_set_remove_waits(stf__wake_set *set, stf__wake_entry *entry)
{
    for (size_t i = 0; i < entry->wait_count; i++) {
        stf__tree_remove(&set->waits, &entry->waits[i].by_since);
        stf__tree_remove(&set->waits_by_key, &entry->waits[i].by_key);
    }
}

void stf__wake_set_remove(stf__wake_set *set, stf__wake_entry *entry)
{
    stf__wake_set_remove_waits(set, entry);
    stf__tree_remove(&set->owned, &entry->by_owner);
    stf__tree_remove(&set->due, &entry->by_due);
    stf__tree_remove(&set->records, &entry->by_id);
}

stf__tree_node *stf__wake_set_after_id(const stf__wake_set *set, stf_str id)
{
    return stf__tree_after(&set->records, seek_id, &id);
}

stf_wall stf__wake_set_next_due(const stf__wake_set *set, stf_str asker)
{
    const stf__tree_node *node = set != NULL ? stf__tree_first(&set->due) : NULL;
    for (; node != NULL; node = stf__tree_next(node)) {
        const stf__wake_entry *entry = ENTRY_OF(node, by_due);
        if (entry->owner.size == 0 || stf_str_equal(entry->owner, asker)) {
            return entry->due;
        }
    }
    return stf_wall_none();
}

/* ---- Pages ------------------------------------------------------------------------------- */

void stf__wake_page_init(stf__wake_page *page, const stf_allocator *alloc)
{
    *page = (stf__wake_page){.first = NULL};
    page->last = &page->first;
    stf__arena_init(&page->arena, alloc);
}

static stf_status page_add(stf__wake_page *page, const stf__wake_entry *entry, stf_wall at,
                           const stf_wait *wait)
{
    stf__wake_item *item = stf__arena_zalloc(&page->arena, sizeof(*item));
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

stf_status stf__wake_page_visit(stf__wake_page *page, stf_status built, stf_wake_visitor visit,
                                void *user, stf_error *error)
{
    stf_status status = built;
    for (const stf__wake_item *item = page->first; item != NULL && status == STF_OK;
         item = item->next) {
        status = visit(user, &item->row, error);
    }
    stf__arena_done(&page->arena);
    return status;
}

static stf_lease lease_of(const stf__wake_entry *entry)
{
    return (stf_lease){entry->owner, 0, entry->expiry}; /* no look asks for the incarnation */
}

stf_status stf__wake_page_take_in_flight(stf__wake_page *page, const stf__wake_set *set,
                                         const stf_in_flight_query *query, stf_wall now)
{
    stf_status status = STF_OK;
    const stf__tree_node *node =
        set != NULL ? stf__tree_after(&set->records, seek_id, &query->after_id) : NULL;
    for (; node != NULL && page->count < query->limit && status == STF_OK;
         node = stf__tree_next(node)) {
        const stf__wake_entry *entry = ENTRY_OF(node, by_id);
        stf_lease lease = lease_of(entry);
        if (stf_record_is_claimable(entry->status, &lease, now)) {
            status = page_add(page, entry, now, NULL);
        }
    }
    return status;
}

stf_status stf__wake_page_take_due(stf__wake_page *page, const stf__wake_set *set,
                                   const stf_due_query *query, stf_wall now)
{
    stf_status status = STF_OK;
    const stf__tree_node *node = set != NULL ? stf__tree_after(&set->due, seek_due, query) : NULL;
    for (; node != NULL && page->count < query->limit && status == STF_OK;
         node = stf__tree_next(node)) {
        const stf__wake_entry *entry = ENTRY_OF(node, by_due);
        if (entry->due.us > now.us) {
            break;
        }
        stf_lease lease = lease_of(entry);
        if (stf_lease_is_expired(&lease, now) || stf_str_equal(entry->owner, query->asker)) {
            status = page_add(page, entry, entry->due, NULL);
        }
    }
    return status;
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

static bool is_orphan(const stf__wake_entry *entry, const stf_orphan_query *query, stf_wall now)
{
    stf_lease lease = lease_of(entry);
    return entry->status != STF_RECORD_SUSPENDED && !stf_str_equal(entry->owner, query->asker) &&
           (stf_lease_is_expired(&lease, now) || is_dead(query, entry->owner));
}

stf_status stf__wake_page_take_orphans(stf__wake_page *page, const stf__wake_set *set,
                                       const stf_orphan_query *query, stf_wall now)
{
    stf_status status = STF_OK;
    const stf__tree_node *node =
        set != NULL ? stf__tree_after(&set->owned, seek_owned, &query->after_id) : NULL;
    for (; node != NULL && page->count < query->limit && status == STF_OK;
         node = stf__tree_next(node)) {
        const stf__wake_entry *entry = ENTRY_OF(node, by_owner);
        if (is_orphan(entry, query, now)) {
            status = page_add(page, entry, entry->expiry, NULL);
        }
    }
    return status;
}

static const stf__wake_wait *wait_of(const stf__tree_node *node, bool has_key)
{
    if (node == NULL) {
        return NULL;
    }
    return has_key ? WAIT_OF(node, by_key) : WAIT_OF(node, by_since);
}

/* Without a key all waits of the kind, oldest first; with one, those of the key only: who looks
 * for the waiters of a message must not walk over everybody who waits for another. */
static const stf__wake_wait *first_wait(const stf__wake_set *set, const stf_waiting_query *query)
{
    bool has_key = query->key.size != 0;
    return wait_of(has_key ? stf__tree_after(&set->waits_by_key, seek_wait_by_key, query)
                           : stf__tree_after(&set->waits, seek_wait, query),
                   has_key);
}

static const stf__wake_wait *next_wait(const stf__wake_wait *wait, bool has_key)
{
    return wait_of(stf__tree_next(has_key ? &wait->by_key : &wait->by_since), has_key);
}

static bool is_in_range(const stf__wake_wait *wait, const stf_waiting_query *query)
{
    return wait->wait.kind == query->kind &&
           (query->key.size == 0 || stf_str_equal(query->key, wait->wait.key));
}

/* A full page still takes the waits of its last (since, id). */
static bool is_page_over(const stf__wake_page *page, size_t limit, const stf__wake_wait *wait)
{
    return page->count >= limit && (page->last_row->at.us != wait->wait.since.us ||
                                    !stf_str_equal(page->last_row->id, wait->entry->id));
}

stf_status stf__wake_page_take_waits(stf__wake_page *page, const stf__wake_set *set,
                                     const stf_waiting_query *query)
{
    stf_status status = STF_OK;
    const stf__wake_wait *wait = set != NULL ? first_wait(set, query) : NULL;
    while (wait != NULL && status == STF_OK && is_in_range(wait, query) &&
           !is_page_over(page, query->limit, wait)) {
        page->waits_seen++;
        if (query->tenant.size == 0 || stf_str_equal(query->tenant, *wait->entry->tenant)) {
            status = page_add(page, wait->entry, wait->wait.since, &wait->wait);
        }
        wait = next_wait(wait, query->key.size != 0);
    }
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Bringing the wake index up to date before it answers: the first time all of a group, later a page
 * of it at a time, and always what is unsure. Every exchange is bounded; two callers who build at
 * once both do, so that neither answers from half an index. */
#include "port/index.h"

#include "base/arena.h"
#include "base/mem.h"

#include <string.h>

static stf_status no_memory(stf_error *error)
{
    return stf_error_set(error, STF_NO_MEMORY, "PORT", "no memory for the wake index");
}

/* ---- Loading ----------------------------------------------------------------------------- */

typedef struct id_page {
    stf__index *index;
    stf__arena arena;
    uint64_t begun; /* the sequence before the store was asked */
    size_t count;
    stf_str ids[STF__INDEX_PAGE];
} id_page;

static void page_init(id_page *page, stf__index *index)
{
    page->index = index;
    page->begun = 0;
    page->count = 0;
    stf__arena_init(&page->arena, index->alloc);
}

static stf_status page_add(id_page *page, stf_str id)
{
    stf_status status = stf__arena_copy_str(&page->arena, id, &page->ids[page->count]);
    page->count += status == STF_OK ? 1 : 0;
    return status;
}

static stf_status take_loaded(void *user, const stf_record *record, stf_error *error)
{
    id_page *page = user;
    stf_status status = STF_OK;
    stf__index_lock(page->index);
    const stf__index_entry *entry = stf__index_find(page->index, record->id);
    if (entry == NULL || entry->changed <= page->begun) {
        status = stf__index_put(page->index, record);
    }
    stf__index_unlock(page->index);
    return status == STF_OK ? STF_OK : no_memory(error);
}

static stf_status load_ids(stf_repository *repository, const stf_ctx *ctx, id_page *page,
                           size_t from, size_t count, stf_error *error)
{
    return stf__port_load_many(repository, ctx, page->ids + from, count, stf_wall_none(),
                               take_loaded, page, error);
}

/* One bad record never stops the rest: what cannot be read is in no page, as if it were not there.
 */
static stf_status load_page(stf_repository *repository, const stf_ctx *ctx, id_page *page,
                            stf_error *error)
{
    stf_status status =
        page->count == 0 ? STF_OK : load_ids(repository, ctx, page, 0, page->count, error);
    if (status != STF_CORRUPT) {
        return status;
    }
    status = STF_OK;
    for (size_t i = 0; i < page->count && status == STF_OK; i++) {
        status = load_ids(repository, ctx, page, i, 1, error);
        status = status == STF_CORRUPT ? STF_OK : status;
    }
    return status;
}

/* ---- What is unsure ---------------------------------------------------------------------- */

/* Those that were marked up to `last`, which a record that is marked again is not. */
static stf_status collect_unsure(id_page *page, uint64_t last)
{
    stf_status status = STF_OK;
    stf__index_lock(page->index);
    page->begun = page->index->sequence;
    const stf__index_entry *entry = page->index->unsure_first;
    while (entry != NULL && entry->unsure_since <= last && page->count < STF__INDEX_PAGE &&
           status == STF_OK) {
        status = page_add(page, entry->wake.id);
        entry = entry->unsure_after;
    }
    stf__index_unlock(page->index);
    return status;
}

/* Whoever was asked for and did not come is gone. */
static void settle_unsure(id_page *page)
{
    stf__index_lock(page->index);
    for (size_t i = 0; i < page->count; i++) {
        stf__index_entry *entry = stf__index_find(page->index, page->ids[i]);
        if (entry == NULL || entry->unsure_since > page->begun) {
            continue;
        }
        if (entry->changed <= page->begun) {
            stf__index_remove(page->index, entry);
        } else {
            stf__index_trust(page->index, entry);
        }
    }
    stf__index_unlock(page->index);
}

static stf_status load_unsure(stf_repository *repository, const stf_ctx *ctx, stf_error *error)
{
    stf__index *index = repository->index;
    stf__index_lock(index);
    uint64_t last = index->sequence;
    stf__index_unlock(index);
    for (size_t count = STF__INDEX_PAGE; count != 0;) {
        id_page page;
        page_init(&page, index);
        stf_status status = collect_unsure(&page, last) == STF_OK ? STF_OK : no_memory(error);
        if (status == STF_OK) {
            status = load_page(repository, ctx, &page, error);
        }
        if (status == STF_OK) {
            settle_unsure(&page);
        }
        count = page.count;
        stf__arena_done(&page.arena);
        if (status != STF_OK) {
            return status;
        }
    }
    return STF_OK;
}

/* ---- The walk ---------------------------------------------------------------------------- */

static stf_status take_id(void *user, stf_str id, stf_error *error)
{
    id_page *page = user;
    if (page->count == STF__INDEX_PAGE) {
        return stf_error_set(error, STF_INTERNAL, "PORT", "the store lists more than its limit");
    }
    return page_add(page, id) == STF_OK ? STF_OK : no_memory(error);
}

/* An entry of the page's range that should be listed and is not: another handle took, ended or
 * deleted it. */
static void doubt_unlisted(const id_page *page, const stf__index_group *group, stf_str after,
                           stf_wall now)
{
    bool is_last = page->count < STF__INDEX_PAGE;
    stf__index_entry *entry = stf__index_after_id(group, after);
    while (entry != NULL &&
           (is_last || stf_str_compare(entry->wake.id, page->ids[page->count - 1]) <= 0)) {
        stf_lease lease = {entry->wake.owner, 0, entry->wake.expiry};
        if (entry->changed <= page->begun &&
            stf_record_is_claimable(entry->wake.status, &lease, now)) {
            stf__index_doubt(page->index, entry->wake.id);
        }
        entry = stf__index_next(stf__tree_next(&entry->wake.by_id));
    }
}

/* One page behind *after, which moves on; empty at the end. */
static stf_status walk_page(stf_repository *repository, const stf_ctx *ctx, stf__index_group *group,
                            stf_wall now, stf_buf *after, stf_error *error)
{
    id_page page;
    page_init(&page, repository->index);
    stf__index_lock(page.index);
    page.begun = page.index->sequence;
    stf__index_unlock(page.index);
    stf_in_flight_query query = {
        .group = group->name, .now = now, .after_id = stf_buf_str(after), .limit = STF__INDEX_PAGE};
    stf_status status =
        repository->vtable.list_in_flight(repository->impl, ctx, &query, take_id, &page, error);
    if (status == STF_OK) {
        status = load_page(repository, ctx, &page, error);
    }
    if (status == STF_OK && !stf_wall_is_none(now)) {
        stf__index_lock(page.index);
        doubt_unlisted(&page, group, stf_buf_str(after), now);
        stf__index_unlock(page.index);
    }
    if (status == STF_OK) {
        after->size = 0;
        if (page.count == STF__INDEX_PAGE &&
            stf_buf_append_str(after, page.ids[page.count - 1]) != STF_OK) {
            status = no_memory(error);
        }
    }
    stf__arena_done(&page.arena);
    return status;
}

static stf_status build(stf_repository *repository, const stf_ctx *ctx, stf__index_group *group,
                        stf_wall now, stf_error *error)
{
    stf_buf after;
    stf_buf_init(&after, repository->alloc);
    stf_status status;
    do {
        status = walk_page(repository, ctx, group, now, &after, error);
        if (status == STF_OK) {
            status = stf_ctx_check(ctx, error);
        }
    } while (status == STF_OK && after.size != 0);
    stf_buf_done(&after);
    if (status == STF_OK) {
        stf__index_lock(repository->index);
        group->is_built = true;
        group->walked_at = now;
        stf__index_unlock(repository->index);
    }
    return status;
}

/* Another handle's records are found here; a page each period bounds what that costs. */
static stf_status walk_on(stf_repository *repository, const stf_ctx *ctx, stf__index_group *group,
                          stf_wall now, stf_error *error)
{
    stf_buf after;
    stf_buf_init(&after, repository->alloc);
    stf__index_lock(repository->index);
    stf_status status =
        stf_buf_append_str(&after, (stf_str){group->walk_after, group->walk_size}) == STF_OK
            ? STF_OK
            : no_memory(error);
    stf__index_unlock(repository->index);
    if (status == STF_OK) {
        status = walk_page(repository, ctx, group, now, &after, error);
    }
    if (status == STF_OK) {
        stf__index_lock(repository->index);
        group->walked_at = now;
        group->walk_size = after.size;
        if (after.size != 0) {
            memcpy(group->walk_after, after.data, after.size);
        }
        stf__index_unlock(repository->index);
    }
    stf_buf_done(&after);
    return status;
}

/* ---- Before each answer ------------------------------------------------------------------- */

static bool forget_built(void *user, stf_str key, void *value)
{
    (void)user;
    (void)key;
    ((stf__index_group *)value)->is_built = false;
    return true;
}

/* The group, and what is to be done for it. */
static stf_status look_up(stf__index *index, stf_str name, stf_wall now,
                          stf__index_group **ret_group, bool *ret_is_built, bool *ret_walks)
{
    stf__index_lock(index);
    if (index->is_lossy) {
        stf__map_each(&index->groups, forget_built, NULL);
        index->is_lossy = false;
    }
    stf_status status = stf__index_get_group(index, name, ret_group);
    if (status == STF_OK) {
        const stf__index_group *group = *ret_group;
        *ret_is_built = group->is_built;
        *ret_walks = !stf_wall_is_none(now) &&
                     (stf_wall_is_none(group->walked_at) || now.us < group->walked_at.us ||
                      now.us - group->walked_at.us >= STF__INDEX_PERIOD_US);
    }
    stf__index_unlock(index);
    return status;
}

stf_status stf__index_prepare(stf_repository *repository, const stf_ctx *ctx, stf_str name,
                              stf_wall now, stf_error *error)
{
    stf__index_group *group = NULL;
    bool is_built = false;
    bool walks = false;
    if (look_up(repository->index, name, now, &group, &is_built, &walks) != STF_OK) {
        return no_memory(error);
    }
    stf_status status = STF_OK;
    if (!is_built) {
        status = build(repository, ctx, group, now, error);
    } else if (walks) {
        status = walk_on(repository, ctx, group, now, error);
    }
    return status == STF_OK ? load_unsure(repository, ctx, error) : status;
}

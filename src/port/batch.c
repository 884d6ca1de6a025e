/* SPDX-License-Identifier: Apache-2.0 */
/* Batches: with the capability one exchange, without it a loop over the single calls. A store sees
 * each id once (R16): a later save of an id is refused here, a later load of one is dropped. */
#include "base/map.h"
#include "base/mem.h"
#include "port/index.h"

#include <string.h>

static stf_status no_memory(stf_error *error)
{
    return stf_error_set(error, STF_NO_MEMORY, "PORT", "no memory for a batch");
}

static stf_status check_count(size_t count, stf_error *error)
{
    if (count > STF_LIMIT_BATCH) {
        return stf_error_set(error, STF_LIMIT_EXCEEDED, "PORT",
                             "a batch of %zu records; at most %u are allowed", count,
                             STF_LIMIT_BATCH);
    }
    return STF_OK;
}

/* A batch of so few needs no memory, and no map to find an id that comes twice. */
enum {
    FEW = 4
};

typedef struct few_saves {
    stf_save saves[FEW];
    stf_save_result results[FEW];
    size_t places[FEW];
    stf_save_result all[FEW];
} few_saves;

/* What of a batch goes to the store. */
typedef struct save_batch {
    stf_save *saves;          /* those that were not refused here */
    stf_save_result *results; /* their outcomes */
    size_t *places;           /* their places in the caller's arrays */
    stf_save_result *all;     /* an outcome for each of the caller's saves */
    size_t count;
    bool is_few; /* in the caller's few_saves */
} save_batch;

static void batch_done(const stf_allocator *alloc, save_batch *batch)
{
    if (batch->is_few) {
        return;
    }
    stf__mem_free(alloc, batch->saves);
    stf__mem_free(alloc, batch->results);
    stf__mem_free(alloc, batch->places);
    stf__mem_free(alloc, batch->all);
}

static bool batch_init(const stf_allocator *alloc, size_t count, few_saves *few, save_batch *batch)
{
    if (count <= FEW) {
        memset(few->all, 0, sizeof(few->all));
        memset(few->results, 0, sizeof(few->results));
        *batch = (save_batch){few->saves, few->results, few->places, few->all, 0, true};
        return true;
    }
    batch->saves = stf__mem_zalloc_array(alloc, count, sizeof(*batch->saves));
    batch->results = stf__mem_zalloc_array(alloc, count, sizeof(*batch->results));
    batch->places = stf__mem_zalloc_array(alloc, count, sizeof(*batch->places));
    batch->all = stf__mem_zalloc_array(alloc, count, sizeof(*batch->all));
    return batch->saves != NULL && batch->results != NULL && batch->places != NULL &&
           batch->all != NULL;
}

static bool is_among(const save_batch *batch, const stf__map *seen, stf_str id)
{
    if (!batch->is_few) {
        return stf__map_get(seen, id) != NULL;
    }
    for (size_t i = 0; i < batch->count; i++) {
        if (stf_str_equal(batch->saves[i].record->id, id)) {
            return true;
        }
    }
    return false;
}

/* Fills `seen` with the ids on the way, unless they are few. Only NO_MEMORY fails the whole. */
static stf_status sort_out(stf_repository *repository, const stf_ctx *ctx, const stf_save *saves,
                           size_t count, stf__map *seen, save_batch *batch)
{
    for (size_t i = 0; i < count; i++) {
        stf_status status = stf__port_check_save(repository, ctx, &saves[i], NULL);
        const stf_record *record = saves[i].record;
        if (status == STF_OK && is_among(batch, seen, record->id)) {
            status = STF_INVALID_ARGUMENT;
        }
        batch->all[i].status = (uint32_t)status;
        if (status != STF_OK) {
            continue;
        }
        if (!batch->is_few && stf__map_put(seen, record->id, batch) != STF_OK) {
            return STF_NO_MEMORY;
        }
        batch->saves[batch->count] = saves[i];
        batch->places[batch->count] = i;
        batch->count++;
    }
    return STF_OK;
}

/* Without the capability a failure of the exchange itself is the outcome of that one record: those
 * before it are saved. */
static void save_one_by_one(stf_repository *repository, const stf_ctx *ctx, save_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        stf_status status = stf_ctx_check(ctx, NULL);
        if (status == STF_OK) {
            status = repository->vtable.save(repository->impl, ctx, &batch->saves[i],
                                             &batch->results[i], NULL);
        }
        if (status != STF_OK) {
            memset(&batch->results[i], 0, sizeof(batch->results[i]));
        }
        batch->results[i].status = (uint32_t)status;
    }
}

static stf_status save_sorted_out(stf_repository *repository, const stf_ctx *ctx, save_batch *batch,
                                  stf_error *error)
{
    const stf_batch_vtable *capability = repository->capabilities[STF__CAPABILITY_BATCH];
    if (batch->count == 0) {
        return STF_OK;
    }
    stf_status status = STF_OK;
    if (capability == NULL) {
        save_one_by_one(repository, ctx, batch);
    } else {
        status = capability->save_many(repository->impl, ctx, batch->saves, batch->count,
                                       batch->results, error);
    }
    for (size_t i = 0; i < batch->count; i++) {
        stf_status outcome = status == STF_OK ? (stf_status)batch->results[i].status : status;
        stf__index_note_save(repository->index, &batch->saves[i], outcome, &batch->results[i]);
    }
    return status;
}

stf_status stf_repository_save_many(stf_repository *repository, const stf_ctx *ctx,
                                    const stf_save *saves, size_t count, stf_save_result *results,
                                    stf_error *error)
{
    if (repository == NULL || (count != 0 && (saves == NULL || results == NULL))) {
        return stf__port_missing("repository, saves or results", error);
    }
    stf_status status = check_count(count, error);
    if (status == STF_OK) {
        status = stf_ctx_check(ctx, error);
    }
    if (status != STF_OK || count == 0) {
        return status;
    }
    save_batch batch = {0};
    few_saves few;
    stf__map seen;
    stf__map_init(&seen, repository->alloc);
    if (!batch_init(repository->alloc, count, &few, &batch) ||
        sort_out(repository, ctx, saves, count, &seen, &batch) != STF_OK) {
        status = no_memory(error);
    }
    if (status == STF_OK) {
        status = save_sorted_out(repository, ctx, &batch, error);
    }
    if (status == STF_OK) {
        for (size_t i = 0; i < batch.count; i++) {
            batch.all[batch.places[i]] = batch.results[i];
        }
        memcpy(results, batch.all, count * sizeof(*results));
    }
    stf__map_done(&seen);
    batch_done(repository->alloc, &batch);
    return status;
}

/* ---- Loading ----------------------------------------------------------------------------- */

typedef struct due_filter {
    stf_wall due_before;
    stf_record_visitor visit;
    void *user;
} due_filter;

static stf_status visit_due(void *user, const stf_record *record, stf_error *error)
{
    const due_filter *filter = user;
    if (!stf_wall_is_none(filter->due_before) &&
        (stf_wall_is_none(record->due) || record->due.us > filter->due_before.us)) {
        return STF_OK;
    }
    return filter->visit(filter->user, record, error);
}

static stf_status load_one_by_one(stf_repository *repository, const stf_ctx *ctx,
                                  const stf_str *ids, size_t count, due_filter *filter,
                                  stf_error *error)
{
    for (size_t i = 0; i < count; i++) {
        bool is_found = false;
        stf_status status = stf_ctx_check(ctx, error);
        if (status == STF_OK) {
            status = repository->vtable.load(repository->impl, ctx, ids[i], visit_due, filter,
                                             &is_found, error);
        }
        if (status != STF_OK) {
            return status;
        }
    }
    return STF_OK;
}

stf_status stf__port_load_many(stf_repository *repository, const stf_ctx *ctx, const stf_str *ids,
                               size_t count, stf_wall due_before, stf_record_visitor visit,
                               void *user, stf_error *error)
{
    const stf_batch_vtable *capability = repository->capabilities[STF__CAPABILITY_BATCH];
    if (capability != NULL) {
        return capability->load_many(repository->impl, ctx, ids, count, due_before, visit, user,
                                     error);
    }
    due_filter filter = {due_before, visit, user};
    return load_one_by_one(repository, ctx, ids, count, &filter, error);
}

static stf_status check_ids(const stf_str *ids, size_t count, stf_error *error)
{
    for (size_t i = 0; i < count; i++) {
        stf__text text = {"id", ids[i], true};
        stf_status status = stf__port_check_texts(&text, 1, error);
        if (status != STF_OK) {
            return status;
        }
    }
    return STF_OK;
}

/* The distinct ids, in an array of the caller's. */
static stf_status copy_distinct(const stf_allocator *alloc, const stf_str *ids, size_t count,
                                stf_str *distinct, size_t *ret_count)
{
    stf__map seen;
    stf__map_init(&seen, alloc);
    size_t kept = 0;
    stf_status status = STF_OK;
    for (size_t i = 0; i < count && status == STF_OK; i++) {
        if (stf__map_get(&seen, ids[i]) == NULL) {
            status = stf__map_put(&seen, ids[i], distinct);
            distinct[kept++] = ids[i];
        }
    }
    stf__map_done(&seen);
    *ret_count = kept;
    return status;
}

stf_status stf_repository_load_many(stf_repository *repository, const stf_ctx *ctx,
                                    const stf_str *ids, size_t count, stf_wall due_before,
                                    stf_record_visitor visit, void *user, stf_error *error)
{
    if (repository == NULL || visit == NULL || (count != 0 && ids == NULL)) {
        return stf__port_missing("repository, visit or ids", error);
    }
    stf_status status = check_count(count, error);
    if (status == STF_OK) {
        status = check_ids(ids, count, error);
    }
    if (status == STF_OK) {
        status = stf_ctx_check(ctx, error);
    }
    if (status != STF_OK || count == 0) {
        return status;
    }
    size_t kept = 0;
    stf_str *distinct = stf__mem_zalloc_array(repository->alloc, count, sizeof(*distinct));
    if (distinct == NULL ||
        copy_distinct(repository->alloc, ids, count, distinct, &kept) != STF_OK) {
        status = no_memory(error);
        goto done;
    }
    stf__index_load load = {repository->index, visit, user};
    status = stf__port_load_many(repository, ctx, distinct, kept, due_before, stf__index_visit,
                                 &load, error);
done:
    stf__mem_free(repository->alloc, distinct);
    return status;
}

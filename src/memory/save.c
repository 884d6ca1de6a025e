/* SPDX-License-Identifier: Apache-2.0 */
/* Saving, deleting, evicting and pruning. The order of a save: group, identity, comparison, room,
 * and only then the change. Rows that go are taken out under the mutex and freed behind it. */
#include "memory/private.h"

#include <string.h>

/* ---- The list of the ended ---------------------------------------------------------------- */

static void unlist_ended(stf_memory *memory, stf__row *row)
{
    if (!row->is_listed_ended) {
        return;
    }
    *(row->older != NULL ? &row->older->newer : &memory->ended_oldest) = row->newer;
    *(row->newer != NULL ? &row->newer->older : &memory->ended_newest) = row->older;
    row->older = row->newer = NULL;
    row->is_listed_ended = false;
    memory->ended_count--;
}

/* A record that is saved back to a live status leaves the list; one that stays ended keeps its
 * place. */
static void list_if_ended(stf_memory *memory, stf__row *row)
{
    if (!stf_record_status_is_terminal(row->wake.status)) {
        unlist_ended(memory, row);
    } else if (!row->is_listed_ended) {
        row->older = memory->ended_newest;
        *(row->older != NULL ? &row->older->newer : &memory->ended_oldest) = row;
        memory->ended_newest = row;
        row->is_listed_ended = true;
        memory->ended_count++;
    }
}

/* Out of every structure, onto a list of the caller's (through `newer`). */
static void take_out(stf_memory *memory, stf__row *row, stf__row **gone)
{
    unlist_ended(memory, row);
    stf__wake_set_remove(&row->group->set, &row->wake);
    stf__map_remove(&memory->records, row->wake.id);
    row->newer = *gone;
    *gone = row;
}

static void evict_oldest(stf_memory *memory, stf__row **evicted)
{
    while (memory->ended_count > memory->max_terminal) {
        take_out(memory, memory->ended_oldest, evicted);
    }
}

/* Not under the mutex. */
static void free_gone(stf_memory *memory, stf__row *gone, bool is_eviction)
{
    while (gone != NULL) {
        stf__row *next = gone->newer;
        if (is_eviction && memory->on_evict != NULL) {
            memory->on_evict(memory->user, gone->wake.id);
        }
        stf__row_free(memory, gone);
        gone = next;
    }
}

/* ---- Saving ------------------------------------------------------------------------------ */

static stf_status conflict(const stf_record *record, int64_t stored, int64_t expected,
                           stf_error *error)
{
    return stf_error_set(error, STF_CONCURRENT_UPDATE, "MEMORY_REPO",
                         "record \"%.*s\" is not the one that was read (stored version %lld, "
                         "expected %lld)",
                         STF_STR_ARG(record->id), (long long)stored, (long long)expected);
}

/* Group and tenant never change. */
static stf_status check_identity(const stf__row *row, const stf__group *group,
                                 const stf_record *record, stf_error *error)
{
    if (row == NULL) {
        return STF_OK;
    }
    if (row->group != group) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "MEMORY_REPO",
                             "record \"%.*s\" belongs to the group \"%.*s\", not to \"%.*s\"",
                             STF_STR_ARG(record->id), STF_STR_ARG(row->group->name),
                             STF_STR_ARG(record->group));
    }
    if (record->tenant.size != 0 && !stf_str_equal(*row->wake.tenant, record->tenant)) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "MEMORY_REPO",
                             "record \"%.*s\" belongs to the tenant \"%.*s\", not to \"%.*s\"",
                             STF_STR_ARG(record->id), STF_STR_ARG(*row->wake.tenant),
                             STF_STR_ARG(record->tenant));
    }
    return STF_OK;
}

static stf_status compare(const stf__row *row, const stf_save *save, stf_error *error)
{
    int64_t stored = row != NULL ? row->wake.version : 0;
    bool is_same = stored == save->expected_version;
    if (is_same && (save->flags & STF_SAVE_HAS_ATTEMPT_SEEN) != 0) {
        is_same = row != NULL && memcmp(row->attempt.bytes, save->attempt_seen.bytes,
                                        sizeof(row->attempt.bytes)) == 0;
    }
    return is_same ? STF_OK : conflict(save->record, stored, save->expected_version, error);
}

/* A new row with room for the save, in the map but in no tree yet; NULL when out of memory. */
static stf__row *create_row(stf_memory *memory, stf__group *group, const stf_save *save)
{
    stf__row *row = stf__row_new(memory, group, save->record->id);
    if (row == NULL) {
        return NULL;
    }
    if (stf__row_reserve(memory, row, save) != STF_OK ||
        stf__map_put(&memory->records, row->wake.id, row) != STF_OK) {
        stf__row_free(memory, row);
        return NULL;
    }
    const stf__tenant *tenant = stf__memory_establish_tenant(memory, group, save->record->tenant);
    if (tenant == NULL) {
        stf__map_remove(&memory->records, row->wake.id);
        stf__row_free(memory, row);
        return NULL;
    }
    row->wake.tenant = &tenant->name;
    return row;
}

static stf_status save_locked(stf_memory *memory, const stf_save *save, stf_wall now,
                              stf__row **evicted, stf_save_result *ret_result, stf_error *error)
{
    stf__group *group = NULL;
    stf_status status = stf__memory_need_group(memory, save->record->group, &group, error);
    if (status != STF_OK) {
        return status;
    }
    stf__row *row = stf__map_get(&memory->records, save->record->id);
    status = check_identity(row, group, save->record, error);
    if (status == STF_OK) {
        status = compare(row, save, error);
    }
    if (status != STF_OK) {
        return status;
    }
    stf__journal_block *journal = NULL;
    if (stf__journal_copy(memory, save, &journal) != STF_OK) {
        return stf__memory_no_memory(error);
    }
    bool has_room = true;
    if (row == NULL) {
        row = create_row(memory, group, save);
        has_room = row != NULL;
    } else {
        has_room = stf__row_reserve(memory, row, save) == STF_OK;
    }
    if (!has_room) {
        stf__mem_free(&memory->alloc, journal);
        return stf__memory_no_memory(error);
    }
    stf__row_apply(row, save, now);
    if (journal != NULL) {
        journal->version = row->wake.version;
        *row->journal_last = journal;
        row->journal_last = &journal->next;
    }
    *ret_result = (stf_save_result){.status = STF_OK,
                                    .rec_version = row->wake.version,
                                    .attempt = row->attempt,
                                    .lease_expiry = row->wake.expiry};
    list_if_ended(memory, row);
    evict_oldest(memory, evicted);
    return STF_OK;
}

stf_status stf__memory_save(void *impl, const stf_ctx *ctx, const stf_save *save,
                            stf_save_result *ret_result, stf_error *error)
{
    (void)ctx;
    stf_memory *memory = impl;
    stf__row *evicted = NULL;
    stf_wall now = stf__memory_now(memory);
    stf__memory_lock(memory);
    stf_status status = save_locked(memory, save, now, &evicted, ret_result, error);
    stf__memory_unlock(memory);
    free_gone(memory, evicted, true);
    return status;
}

stf_status stf__memory_save_many(void *impl, const stf_ctx *ctx, const stf_save *saves,
                                 size_t count, stf_save_result *results, stf_error *error)
{
    (void)ctx;
    (void)error;
    stf_memory *memory = impl;
    stf__row *evicted = NULL;
    stf_wall now = stf__memory_now(memory);
    stf__memory_lock(memory);
    for (size_t i = 0; i < count; i++) {
        results[i] = (stf_save_result){.status = STF_OK};
        stf_status status = save_locked(memory, &saves[i], now, &evicted, &results[i], NULL);
        results[i].status = (uint32_t)status;
    }
    stf__memory_unlock(memory);
    free_gone(memory, evicted, true);
    return STF_OK;
}

/* ---- Deleting ---------------------------------------------------------------------------- */

stf_status stf__memory_remove(void *impl, const stf_ctx *ctx, const stf_delete *request,
                              stf_error *error)
{
    (void)ctx;
    stf_memory *memory = impl;
    stf__row *gone = NULL;
    stf_status status = STF_OK;
    stf__memory_lock(memory);
    stf__row *row = stf__map_get(&memory->records, request->id);
    if (row != NULL) {
        bool is_same = row->wake.version == request->expected_version &&
                       ((request->flags & STF_DELETE_HAS_ATTEMPT_SEEN) == 0 ||
                        memcmp(row->attempt.bytes, request->attempt_seen.bytes,
                               sizeof(row->attempt.bytes)) == 0);
        if (is_same || (request->flags & STF_DELETE_ANY) != 0) {
            take_out(memory, row, &gone);
        } else {
            stf_record named = {.id = request->id};
            status = conflict(&named, row->wake.version, request->expected_version, error);
        }
    }
    stf__memory_unlock(memory);
    free_gone(memory, gone, false);
    return status;
}

/* The oldest first. "Ended" is the last save of an ended record. */
stf_status stf__memory_prune(void *impl, const stf_ctx *ctx, const stf_prune_request *request,
                             uint64_t *ret_count, stf_error *error)
{
    (void)ctx;
    (void)error;
    stf_memory *memory = impl;
    stf__row *gone = NULL;
    uint64_t count = 0;
    stf__memory_lock(memory);
    const stf__group *group = stf__memory_find_group(memory, request->group);
    stf__row *row = group != NULL ? memory->ended_oldest : NULL;
    while (row != NULL && count < request->limit) {
        stf__row *next = row->newer;
        bool is_of_tenant =
            request->tenant.size == 0 || stf_str_equal(*row->wake.tenant, request->tenant);
        if (row->group == group && is_of_tenant && row->updated.us < request->ended_before.us) {
            take_out(memory, row, &gone);
            count++;
        }
        row = next;
    }
    stf__memory_unlock(memory);
    free_gone(memory, gone, false);
    *ret_count = count;
    return STF_OK;
}

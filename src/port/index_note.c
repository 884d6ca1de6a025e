/* SPDX-License-Identifier: Apache-2.0 */
/* What the wrappers tell the wake index. A save that won is taken as it is; what leaves a doubt is
 * marked and loaded at the next wake call. */
#include "port/index.h"

#include <string.h>

/* A save's fields with what its answer adds. false: the entry would be a guess. */
static bool is_known(const stf__index_entry *entry, const stf_record *saved, stf_record *record)
{
    if (entry != NULL && entry->group != NULL && entry->wake.version > saved->rec_version) {
        return false; /* a later save was noted first, or the id was deleted and made again */
    }
    *record = *saved;
    if (record->tenant.size == 0) {
        if (entry == NULL || entry->tenant.size == 0) {
            return false; /* the store knows which one is the default */
        }
        record->tenant = entry->tenant;
    }
    return true;
}

static void take_saved(stf__index *index, const stf_save *save, const stf_save_result *result)
{
    stf_record saved = *save->record;
    stf_record record;
    saved.rec_version = result->rec_version;
    saved.attempt = result->attempt;
    saved.lease.expiry = result->lease_expiry;
    if (!is_known(stf__index_find(index, saved.id), &saved, &record) ||
        stf__index_put(index, &record) != STF_OK) {
        stf__index_doubt(index, saved.id);
    }
}

void stf__index_note_save(stf__index *index, const stf_save *save, stf_status status,
                          const stf_save_result *result)
{
    if (index == NULL) {
        return;
    }
    stf__index_lock(index);
    if (status == STF_OK) {
        take_saved(index, save, result);
    } else if (status == STF_CONCURRENT_UPDATE || status == STF_OUTCOME_UNKNOWN) {
        stf__index_doubt(index, save->record->id);
    }
    stf__index_unlock(index);
}

void stf__index_note_delete(stf__index *index, stf_str id, stf_status status)
{
    if (index == NULL) {
        return;
    }
    stf__index_lock(index);
    stf__index_entry *entry = stf__index_find(index, id);
    if (entry != NULL && status == STF_OK) {
        stf__index_remove(index, entry);
    } else if (entry != NULL &&
               (status == STF_CONCURRENT_UPDATE || status == STF_OUTCOME_UNKNOWN)) {
        stf__index_doubt(index, id);
    }
    stf__index_unlock(index);
}

static bool is_as_noted(const stf__index_entry *entry, const stf_record *record)
{
    return entry->group != NULL && entry->wake.version == record->rec_version &&
           memcmp(entry->attempt.bytes, record->attempt.bytes, sizeof(entry->attempt.bytes)) == 0;
}

/* A load may be older than a save that was noted meanwhile, so it says only that there is a doubt.
 */
static void note_load(stf__index *index, const stf_record *record)
{
    if (index == NULL) {
        return;
    }
    stf__index_lock(index);
    const stf__index_entry *entry = stf__index_find(index, record->id);
    bool is_news = entry != NULL ? !is_as_noted(entry, record)
                                 : !stf_record_status_is_terminal(record->status);
    if (is_news) {
        stf__index_doubt(index, record->id);
    }
    stf__index_unlock(index);
}

stf_status stf__index_visit(void *user, const stf_record *record, stf_error *error)
{
    const stf__index_load *load = user;
    note_load(load->index, record);
    return load->visit(load->user, record, error);
}

void stf__index_note_absent(stf__index *index, stf_str id)
{
    if (index == NULL) {
        return;
    }
    stf__index_lock(index);
    if (stf__index_find(index, id) != NULL) {
        stf__index_doubt(index, id);
    }
    stf__index_unlock(index);
}

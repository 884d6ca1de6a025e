/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of the wake index: their making and the list of what is unsure. */
#include "port/index.h"

#include "base/mem.h"

#include <string.h>

/* ---- Life -------------------------------------------------------------------------------- */

static stf_status no_memory(stf_error *error)
{
    return stf_error_set(error, STF_NO_MEMORY, "PORT", "no memory for the wake index");
}

stf_status stf__index_new(const stf_allocator *alloc, stf__index **ret_index, stf_error *error)
{
    stf__index *index = stf__mem_zalloc(alloc, sizeof(*index));
    if (index == NULL) {
        return no_memory(error);
    }
    index->alloc = alloc;
    stf__map_init(&index->groups, alloc);
    stf__map_init(&index->entries, alloc);
    if (pthread_mutex_init(&index->mutex, NULL) != 0) {
        stf__mem_free(alloc, index);
        return no_memory(error);
    }
    *ret_index = index;
    return STF_OK;
}

static bool free_value(void *user, stf_str key, void *value)
{
    (void)key;
    stf__mem_free(user, value);
    return true;
}

/* The allocator is only read; stf__map_each takes no const user. */
static void free_map(stf__map *map, const stf_allocator *alloc)
{
    stf_allocator copy = *alloc;
    stf__map_each(map, free_value, &copy);
    stf__map_done(map);
}

void stf__index_free(stf__index *index)
{
    if (index == NULL) {
        return;
    }
    free_map(&index->entries, index->alloc);
    free_map(&index->groups, index->alloc);
    (void)pthread_mutex_destroy(&index->mutex);
    stf__mem_free(index->alloc, index);
}

void stf__index_lock(stf__index *index)
{
    (void)pthread_mutex_lock(&index->mutex);
}

void stf__index_unlock(stf__index *index)
{
    (void)pthread_mutex_unlock(&index->mutex);
}

/* ---- Groups ------------------------------------------------------------------------------ */

stf__index_group *stf__index_find_group(const stf__index *index, stf_str name)
{
    return stf__map_get(&index->groups, name);
}

stf_status stf__index_get_group(stf__index *index, stf_str name, stf__index_group **ret_group)
{
    stf__index_group *group = stf__index_find_group(index, name);
    if (group == NULL) {
        group = stf__mem_zalloc(index->alloc, sizeof(*group) + name.size);
        if (group == NULL) {
            return STF_NO_MEMORY;
        }
        char *text = (char *)group + sizeof(*group);
        memcpy(text, name.data, name.size);
        group->name = (stf_str){text, name.size};
        group->walked_at = stf_wall_none();
        stf__wake_set_init(&group->set);
        if (stf__map_put(&index->groups, group->name, group) != STF_OK) {
            stf__mem_free(index->alloc, group);
            return STF_NO_MEMORY;
        }
    }
    *ret_group = group;
    return STF_OK;
}

/* ---- What is unsure ---------------------------------------------------------------------- */

void stf__index_trust(stf__index *index, stf__index_entry *entry)
{
    if (entry->unsure_since == 0) {
        return;
    }
    stf__index_entry *before = entry->unsure_before;
    stf__index_entry *after = entry->unsure_after;
    *(before != NULL ? &before->unsure_after : &index->unsure_first) = after;
    *(after != NULL ? &after->unsure_before : &index->unsure_last) = before;
    entry->unsure_before = entry->unsure_after = NULL;
    entry->unsure_since = 0;
}

/* Goes to the end, so that who loads the list from its start comes to an end. */
static void mark_unsure(stf__index *index, stf__index_entry *entry)
{
    stf__index_trust(index, entry);
    entry->unsure_since = ++index->sequence;
    entry->unsure_before = index->unsure_last;
    *(index->unsure_last != NULL ? &index->unsure_last->unsure_after : &index->unsure_first) =
        entry;
    index->unsure_last = entry;
}

/* ---- Entries ----------------------------------------------------------------------------- */

stf__index_entry *stf__index_find(const stf__index *index, stf_str id)
{
    return stf__map_get(&index->entries, id);
}

stf__index_entry *stf__index_next(stf__tree_node *by_id)
{
    return by_id == NULL ? NULL
                         : (stf__index_entry *)(void *)((char *)by_id -
                                                        offsetof(stf__index_entry, wake.by_id));
}

stf__index_entry *stf__index_after_id(const stf__index_group *group, stf_str id)
{
    return stf__index_next(stf__wake_set_after_id(&group->set, id));
}

static void unlink_entry(stf__index_entry *entry)
{
    if (entry->group != NULL) {
        stf__wake_set_remove(&entry->group->set, &entry->wake);
    }
}

void stf__index_remove(stf__index *index, stf__index_entry *entry)
{
    unlink_entry(entry);
    stf__index_trust(index, entry);
    (void)stf__map_remove(&index->entries, entry->wake.id);
    stf__mem_free(index->alloc, entry);
}

static stf_str copy_text(char **at, stf_str text)
{
    stf_str copy = {*at, text.size};
    if (text.size != 0) {
        memcpy(*at, text.data, text.size);
    }
    *at += text.size;
    return copy;
}

/* In no tree and no list yet; NULL when out of memory. All sizes are limited by the wrapper. */
static stf__index_entry *copy_record(const stf__index *index, const stf_record *record)
{
    size_t head_size = sizeof(stf__index_entry) +
                       record->wait_count * sizeof(((stf__index_entry *)NULL)->waits[0]);
    size_t text_size = record->id.size + record->tenant.size + record->lease.owner.size;
    for (size_t i = 0; i < record->wait_count; i++) {
        text_size += record->waits[i].key.size;
    }
    char *block = stf__mem_zalloc(index->alloc, head_size + text_size);
    if (block == NULL) {
        return NULL;
    }
    stf__index_entry *entry = (stf__index_entry *)(void *)block;
    char *at = block + head_size;
    entry->wake.id = copy_text(&at, record->id);
    entry->tenant = copy_text(&at, record->tenant);
    entry->wake.tenant = &entry->tenant;
    entry->wake.owner = copy_text(&at, record->lease.owner);
    entry->wake.expiry = record->lease.expiry;
    entry->wake.due = record->due;
    entry->wake.version = record->rec_version;
    entry->attempt = record->attempt;
    entry->wake.status = record->status;
    entry->wake.waits = entry->waits;
    entry->wake.wait_count = (uint32_t)record->wait_count; /* at most STF_LIMIT_WAITS */
    for (size_t i = 0; i < record->wait_count; i++) {
        stf__wake_wait *wait = &entry->waits[i];
        wait->entry = &entry->wake;
        wait->wait = record->waits[i];
        wait->wait.key = copy_text(&at, record->waits[i].key);
    }
    return entry;
}

stf_status stf__index_put(stf__index *index, const stf_record *record)
{
    stf__index_entry *old = stf__index_find(index, record->id);
    if (stf_record_status_is_terminal(record->status)) {
        if (old != NULL) {
            stf__index_remove(index, old);
        }
        return STF_OK;
    }
    stf__index_group *group = NULL;
    if (stf__index_get_group(index, record->group, &group) != STF_OK) {
        return STF_NO_MEMORY;
    }
    stf__index_entry *entry = copy_record(index, record);
    /* Replacing a key takes no memory: its slot is there. */
    if (entry == NULL || stf__map_put(&index->entries, entry->wake.id, entry) != STF_OK) {
        stf__mem_free(index->alloc, entry);
        return STF_NO_MEMORY;
    }
    if (old != NULL) {
        unlink_entry(old);
        stf__index_trust(index, old);
        stf__mem_free(index->alloc, old);
    }
    entry->group = group;
    entry->changed = ++index->sequence;
    stf__wake_set_place(&group->set, &entry->wake);
    return STF_OK;
}

void stf__index_doubt(stf__index *index, stf_str id)
{
    stf__index_entry *entry = stf__index_find(index, id);
    if (entry == NULL) {
        stf_record unknown = STF_RECORD_INIT;
        unknown.id = id;
        entry = copy_record(index, &unknown);
        if (entry == NULL || stf__map_put(&index->entries, entry->wake.id, entry) != STF_OK) {
            stf__mem_free(index->alloc, entry);
            index->is_lossy = true;
            return;
        }
    }
    mark_unsure(index, entry);
}

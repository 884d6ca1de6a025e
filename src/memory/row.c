/* SPDX-License-Identifier: Apache-2.0 */
/* A row: its bytes, its copies and its places in the group's wake set. A save first makes room for
 * everything (which may fail), then writes over the old bytes and moves the row only between those
 * indexes whose keys changed (which cannot). */
#include "memory/private.h"

#include <string.h>

/* ---- Life -------------------------------------------------------------------------------- */

stf__row *stf__row_new(stf_memory *memory, stf__group *group, stf_str id)
{
    stf__row *row = stf__mem_zalloc(&memory->alloc, sizeof(*row) + id.size);
    if (row == NULL) {
        return NULL;
    }
    memcpy(row->id_text, id.data, id.size);
    row->group = group;
    row->wake.id = (stf_str){row->id_text, id.size};
    row->wake.due = row->wake.expiry = stf_wall_none();
    row->journal_last = &row->journal;
    return row;
}

void stf__row_free(stf_memory *memory, stf__row *row)
{
    if (row == NULL) {
        return;
    }
    stf__mem_free(&memory->alloc, row->owner.data);
    stf__mem_free(&memory->alloc, row->label_key.data);
    stf__mem_free(&memory->alloc, row->head.data);
    stf__mem_free(&memory->alloc, row->bulk.data);
    stf__mem_free(&memory->alloc, row->wait_text.data);
    stf__mem_free(&memory->alloc, row->wake.waits);
    while (row->journal != NULL) {
        stf__journal_block *next = row->journal->next;
        stf__mem_free(&memory->alloc, row->journal);
        row->journal = next;
    }
    stf__mem_free(&memory->alloc, row);
}

/* ---- Room -------------------------------------------------------------------------------- */

static size_t wait_text_size(const stf_record *record)
{
    size_t size = 0;
    for (size_t i = 0; i < record->wait_count; i++) {
        size += record->waits[i].key.size; /* both are limited */
    }
    return size;
}

/* Up to what an allocator gives for that size anyway: a head grows by a few bytes at a time. */
static stf_status reserve(const stf_memory *memory, stf__row_bytes *bytes, size_t size)
{
    if (size <= bytes->capacity) {
        return STF_OK;
    }
    if (size > UINT32_MAX - 32) {
        return STF_NO_MEMORY;
    }
    size_t capacity = (size + 8 + 15) / 16 * 16 - 8;
    uint8_t *data = stf__mem_realloc_array(&memory->alloc, bytes->data, capacity, 1);
    if (data == NULL) {
        return STF_NO_MEMORY;
    }
    bytes->data = data;
    bytes->capacity = (uint32_t)capacity;
    return STF_OK;
}

static bool are_waits_equal(const stf__row *row, const stf_record *record)
{
    if (row->wake.wait_count != record->wait_count) {
        return false;
    }
    for (size_t i = 0; i < row->wake.wait_count; i++) {
        const stf_wait *a = &row->wake.waits[i].wait;
        const stf_wait *b = &record->waits[i];
        if (a->kind != b->kind || a->flags != b->flags || a->since.us != b->since.us ||
            a->until.us != b->until.us || !stf_str_equal(a->key, b->key)) {
            return false;
        }
    }
    return true;
}

/* The nodes move with their array, so they leave the tree while it grows. */
static stf_status reserve_waits(stf_memory *memory, stf__row *row, size_t count)
{
    if (count <= row->wait_capacity) {
        return STF_OK;
    }
    stf__wake_wait *larger = stf__mem_zalloc_array(&memory->alloc, count, sizeof(*larger));
    if (larger == NULL) {
        return STF_NO_MEMORY;
    }
    bool is_linked = row->wake.wait_count != 0 && stf__tree_has(&row->wake.waits[0].by_since);
    if (is_linked) {
        stf__wake_set_remove_waits(&row->group->set, &row->wake);
    }
    if (row->wake.wait_count != 0) {
        memcpy(larger, row->wake.waits, row->wake.wait_count * sizeof(*larger));
    }
    stf__mem_free(&memory->alloc, row->wake.waits);
    row->wake.waits = larger;
    row->wait_capacity = (uint32_t)count; /* at most STF_LIMIT_WAITS */
    if (is_linked) {
        stf__wake_set_place(&row->group->set, &row->wake);
    }
    return STF_OK;
}

/* The trees' view of the owner goes where its bytes go. */
static stf_status reserve_owner(const stf_memory *memory, stf__row *row, size_t size)
{
    stf_status status = reserve(memory, &row->owner, size);
    row->wake.owner.data = (const char *)row->owner.data;
    return status;
}

/* The keys are views of the text, so a text that grows takes them along. */
static stf_status reserve_wait_text(const stf_memory *memory, stf__row *row, size_t size)
{
    const uint8_t *before = row->wait_text.data;
    if (reserve(memory, &row->wait_text, size) != STF_OK) {
        return STF_NO_MEMORY;
    }
    if (row->wait_text.data != before) {
        size_t at = 0;
        for (size_t i = 0; i < row->wake.wait_count; i++) {
            row->wake.waits[i].wait.key.data = (const char *)row->wait_text.data + at;
            at += row->wake.waits[i].wait.key.size;
        }
    }
    return STF_OK;
}

stf_status stf__row_reserve(stf_memory *memory, stf__row *row, const stf_save *save)
{
    const stf_record *record = save->record;
    bool keeps_head = (save->flags & STF_SAVE_KEEP_HEAD) != 0;
    bool keeps_bulk = (save->flags & STF_SAVE_KEEP_BULK) != 0;
    if (reserve_owner(memory, row, record->lease.owner.size) != STF_OK ||
        reserve(memory, &row->label_key, record->label_key.size) != STF_OK ||
        (!keeps_head && reserve(memory, &row->head, record->head.size) != STF_OK) ||
        (!keeps_bulk && reserve(memory, &row->bulk, record->bulk.size) != STF_OK)) {
        return STF_NO_MEMORY;
    }
    if (are_waits_equal(row, record)) {
        return STF_OK;
    }
    if (reserve_waits(memory, row, record->wait_count) != STF_OK) {
        return STF_NO_MEMORY;
    }
    return reserve_wait_text(memory, row, wait_text_size(record));
}

/* ---- Content ----------------------------------------------------------------------------- */

/* Room was made before, so appending cannot fail. */
static void set_bytes(stf__row_bytes *bytes, const void *data, size_t size)
{
    if (size != 0) {
        memcpy(bytes->data, data, size);
    }
    bytes->size = (uint32_t)size;
}

static void set_waits(stf__row *row, const stf_record *record)
{
    row->wake.wait_count = (uint32_t)record->wait_count;
    row->wait_text.size = 0;
    for (size_t i = 0; i < record->wait_count; i++) {
        stf_wait wait = record->waits[i];
        if (wait.key.size != 0) {
            uint8_t *text = row->wait_text.data + row->wait_text.size;
            memcpy(text, wait.key.data, wait.key.size);
            row->wait_text.size += (uint32_t)wait.key.size;
            wait.key.data = (const char *)text;
        } else {
            wait.key.data = NULL;
        }
        row->wake.waits[i] = (stf__wake_wait){.entry = &row->wake, .wait = wait};
    }
}

static stf_wall add_saturated(stf_wall time, int64_t duration_us)
{
    int64_t sum;
    return (stf_wall){__builtin_add_overflow(time.us, duration_us, &sum) ? INT64_MAX : sum};
}

static void set_lease(stf__row *row, const stf_save *save, stf_wall now)
{
    const stf_lease *lease = &save->record->lease;
    set_bytes(&row->owner, lease->owner.data, lease->owner.size);
    row->wake.owner = stf__row_str(&row->owner);
    if (lease->owner.size == 0) {
        row->wake.expiry = stf_wall_none();
    } else if ((save->flags & STF_SAVE_LEASE_DURATION) != 0) {
        row->wake.expiry = add_saturated(now, save->lease_duration_us);
    } else {
        row->wake.expiry = lease->expiry;
    }
    if (row->wake.version == 0 || lease->incarnation > row->incarnation) {
        row->incarnation = lease->incarnation;
    }
}

/* An ordinary save moves a row in no tree, and then does not touch its nodes. */
static bool stays_in_place(const stf__row *row, const stf_record *record, bool has_same_waits)
{
    return row->wake.version != 0 && has_same_waits && row->wake.status == record->status &&
           row->wake.due.us == record->due.us &&
           (row->owner.size == 0) == (record->lease.owner.size == 0);
}

void stf__row_apply(stf__row *row, const stf_save *save, stf_wall now)
{
    const stf_record *record = save->record;
    bool has_same_waits = are_waits_equal(row, record);
    bool stays = stays_in_place(row, record, has_same_waits);
    if (row->wake.due.us != record->due.us) {
        stf__tree_remove(&row->group->set.due, &row->wake.by_due);
        row->wake.due = record->due;
    }
    if (!has_same_waits) {
        stf__wake_set_remove_waits(&row->group->set, &row->wake);
        set_waits(row, record);
    }
    set_lease(row, save, now);
    set_bytes(&row->label_key, record->label_key.data, record->label_key.size);
    if ((save->flags & STF_SAVE_KEEP_HEAD) == 0) {
        set_bytes(&row->head, record->head.data, record->head.size);
    }
    if ((save->flags & STF_SAVE_KEEP_BULK) == 0) {
        set_bytes(&row->bulk, record->bulk.data, record->bulk.size);
    }
    row->label_version = record->label_version;
    row->wake.status = record->status;
    row->attempt = save->attempt;
    row->created = row->wake.version == 0 ? now : row->created;
    row->updated = now;
    row->wake.version++;
    if (!stays) {
        stf__wake_set_place(&row->group->set, &row->wake);
    }
}

stf_str stf__row_str(const stf__row_bytes *bytes)
{
    return (stf_str){(const char *)bytes->data, bytes->size};
}

/* ---- Copies ------------------------------------------------------------------------------ */

static stf_str copy_text(char **at, const void *data, size_t size)
{
    stf_str copy = {*at, size};
    if (size != 0) {
        memcpy(*at, data, size);
    }
    *at += size;
    return copy;
}

static stf_str copy_row_text(char **at, const stf__row_bytes *bytes)
{
    return copy_text(at, bytes->data, bytes->size);
}

static stf_bytes copy_bytes(char **at, const stf__row_bytes *bytes)
{
    stf_str copy = copy_row_text(at, bytes);
    return (stf_bytes){(const uint8_t *)copy.data, copy.size};
}

stf_record *stf__row_copy(const stf_memory *memory, const stf__row *row)
{
    size_t waits_size = row->wake.wait_count * sizeof(stf_wait);
    size_t text_size = row->wake.id.size + (size_t)row->owner.size + row->label_key.size +
                       row->head.size + row->bulk.size + row->wait_text.size;
    char *block = stf__mem_alloc(&memory->alloc, sizeof(stf_record) + waits_size + text_size);
    if (block == NULL) {
        return NULL;
    }
    stf_record *record = (stf_record *)(void *)block;
    stf_wait *waits = (stf_wait *)(void *)(block + sizeof(stf_record));
    char *at = block + sizeof(stf_record) + waits_size;
    for (size_t i = 0; i < row->wake.wait_count; i++) {
        waits[i] = row->wake.waits[i].wait;
        waits[i].key = copy_text(&at, waits[i].key.data, waits[i].key.size);
    }
    *record = (stf_record)STF_RECORD_INIT;
    record->id = copy_text(&at, row->wake.id.data, row->wake.id.size);
    record->group = row->group->name;
    record->tenant = *row->wake.tenant;
    record->head = copy_bytes(&at, &row->head);
    record->bulk = copy_bytes(&at, &row->bulk);
    record->lease =
        (stf_lease){copy_row_text(&at, &row->owner), row->incarnation, row->wake.expiry};
    record->rec_version = row->wake.version;
    record->attempt = row->attempt;
    record->due = row->wake.due;
    record->waits = waits;
    record->wait_count = row->wake.wait_count;
    record->label_key = copy_row_text(&at, &row->label_key);
    record->label_version = row->label_version;
    record->created = row->created;
    record->updated = row->updated;
    record->status = row->wake.status;
    return record;
}

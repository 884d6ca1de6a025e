/* SPDX-License-Identifier: Apache-2.0 */
/* Reading whole records. The row's statement stays open while its bulk and waits are read, so all
 * parts come from one snapshot. */
#include "records.h"

#include <string.h>

/* A record whose texts and parts lie in the collection's bytes, at these places. */
typedef struct kept_record {
    stf_record record;
    size_t id_at;
    size_t group_at;
    size_t tenant_at;
    size_t owner_at;
    size_t label_at;
    size_t head_at;
    size_t bulk_at;
    size_t wait_first;
} kept_record;

/* A wait whose key lies in the collection's bytes is kept as the wait; its key's place is put where
 * the pointer will be. */
typedef struct kept_wait {
    stf_wait wait;
    size_t key_at;
} kept_wait;

void stf__sqlite_records_init(stf__sqlite_records *records, const stf_sqlite *sqlite)
{
    stf_buf_init(&records->bytes, &sqlite->alloc);
    stf_buf_init(&records->items, &sqlite->alloc);
    stf_buf_init(&records->waits, &sqlite->alloc);
    records->count = 0;
}

void stf__sqlite_records_done(stf__sqlite_records *records)
{
    stf_buf_done(&records->bytes);
    stf_buf_done(&records->items);
    stf_buf_done(&records->waits);
}

bool stf__sqlite_records_is_full(const stf__sqlite_records *records)
{
    return records->bytes.size >= STF__SQLITE_CHUNK_BYTES;
}

/* Copies a column's bytes; their place and size. */
static stf_status keep(stf__sqlite_records *records, const stf__sqlite_query *query, int column,
                       size_t *ret_at, size_t *ret_size, stf_error *error)
{
    stf_bytes bytes = {NULL, 0};
    stf_status status = stf__sqlite_get_bytes(query, column, &bytes, error);
    if (status != STF_OK) {
        return status;
    }
    *ret_at = records->bytes.size;
    *ret_size = bytes.size;
    return stf_buf_append(&records->bytes, bytes.data, bytes.size) == STF_OK
               ? STF_OK
               : stf__sqlite_no_memory(error);
}

static stf_status keep_texts(stf__sqlite_records *records, const stf__sqlite_query *query,
                             kept_record *item, stf_error *error)
{
    stf_record *record = &item->record;
    struct {
        int column;
        size_t *at;
        size_t *size;
    } texts[] = {
        {1, &item->id_at, &record->id.size},
        {2, &item->group_at, &record->group.size},
        {3, &item->tenant_at, &record->tenant.size},
        {7, &item->owner_at, &record->lease.owner.size},
        {13, &item->label_at, &record->label_key.size},
        {17, &item->head_at, &record->head.size},
    };
    stf_status status = STF_OK;
    for (size_t i = 0; status == STF_OK && i < sizeof(texts) / sizeof(texts[0]); i++) {
        status = keep(records, query, texts[i].column, texts[i].at, texts[i].size, error);
    }
    return status;
}

static stf_status keep_bulk(stf__sqlite_records *records, stf_sqlite *sqlite, int64_t instance_no,
                            kept_record *item, stf_error *error)
{
    stf__sqlite_query query = stf__sqlite_query_start(&sqlite->conn, STF__SQL_BULK_READ);
    stf__sqlite_put_int(&query, instance_no);
    bool has_row = false;
    stf_status status = stf__sqlite_step(&query, &has_row, error);
    if (status == STF_OK && has_row) {
        status = keep(records, &query, 0, &item->bulk_at, &item->record.bulk.size, error);
    }
    stf__sqlite_done(&query);
    return status;
}

static stf_status keep_wait(stf__sqlite_records *records, const stf__sqlite_query *query,
                            stf_error *error)
{
    kept_wait kept = {.wait = {
                          .kind = (uint32_t)stf__sqlite_get_int(query, 0),
                          .flags = (uint32_t)stf__sqlite_get_int(query, 1),
                          .since = {stf__sqlite_get_int(query, 3)},
                          .until = stf__sqlite_get_time(query, 4),
                      }};
    stf_status status = keep(records, query, 2, &kept.key_at, &kept.wait.key.size, error);
    if (status == STF_OK && stf_buf_append(&records->waits, &kept, sizeof(kept)) != STF_OK) {
        status = stf__sqlite_no_memory(error);
    }
    return status;
}

static stf_status keep_waits(stf__sqlite_records *records, stf_sqlite *sqlite, int64_t instance_no,
                             kept_record *item, stf_error *error)
{
    item->wait_first = records->waits.size / sizeof(kept_wait);
    stf__sqlite_query query = stf__sqlite_query_start(&sqlite->conn, STF__SQL_WAITS_READ);
    stf__sqlite_put_int(&query, instance_no);
    bool has_row = true;
    stf_status status = STF_OK;
    while (status == STF_OK) {
        status = stf__sqlite_step(&query, &has_row, error);
        if (status != STF_OK || !has_row) {
            break;
        }
        status = keep_wait(records, &query, error);
        item->record.wait_count++;
    }
    stf__sqlite_done(&query);
    return status;
}

static stf_status keep_attempt(const stf__sqlite_query *query, stf_attempt *attempt,
                               stf_error *error)
{
    stf_bytes bytes = {NULL, 0};
    stf_status status = stf__sqlite_get_bytes(query, 5, &bytes, error);
    if (status == STF_OK && bytes.size == sizeof(attempt->bytes)) {
        memcpy(attempt->bytes, bytes.data, bytes.size);
    }
    return status;
}

stf_status stf__sqlite_records_add(stf__sqlite_records *records, stf_sqlite *sqlite,
                                   const stf__sqlite_query *query, stf_error *error)
{
    int64_t instance_no = stf__sqlite_get_int(query, 0);
    kept_record item = {.record = STF_RECORD_INIT};
    stf_record *record = &item.record;
    record->rec_version = stf__sqlite_get_int(query, 4);
    record->status = (uint32_t)stf__sqlite_get_int(query, 6);
    record->lease.incarnation = stf__sqlite_get_int(query, 8);
    record->lease.expiry = stf__sqlite_get_time(query, 9);
    record->due = stf__sqlite_get_time(query, 10);
    record->label_version = stf__sqlite_get_int(query, 14);
    record->created.us = stf__sqlite_get_int(query, 15);
    record->updated.us = stf__sqlite_get_int(query, 16);
    bool has_waits = stf__sqlite_get_int(query, 11) != 0;
    bool has_bulk = stf__sqlite_get_int(query, 12) != 0;
    stf_status status = keep_attempt(query, &record->attempt, error);
    if (status == STF_OK) {
        status = keep_texts(records, query, &item, error);
    }
    if (status == STF_OK && has_bulk) {
        status = keep_bulk(records, sqlite, instance_no, &item, error);
    }
    if (status == STF_OK && has_waits) {
        status = keep_waits(records, sqlite, instance_no, &item, error);
    }
    if (status == STF_OK && stf_buf_append(&records->items, &item, sizeof(item)) != STF_OK) {
        status = stf__sqlite_no_memory(error);
    }
    records->count += status == STF_OK ? 1 : 0;
    return status;
}

/* Gives a record its pointers; waits has room for its waits. */
static void place(const stf__sqlite_records *records, kept_record *item, stf_wait *waits)
{
    const uint8_t *bytes = records->bytes.data;
    const kept_wait *kept = (const kept_wait *)(const void *)records->waits.data;
    stf_record *record = &item->record;
    record->id.data = (const char *)bytes + item->id_at;
    record->group.data = (const char *)bytes + item->group_at;
    record->tenant.data = (const char *)bytes + item->tenant_at;
    record->lease.owner.data = (const char *)bytes + item->owner_at;
    record->label_key.data = (const char *)bytes + item->label_at;
    record->head.data = bytes + item->head_at;
    record->bulk.data = record->bulk.size != 0 ? bytes + item->bulk_at : NULL;
    for (size_t i = 0; i < record->wait_count; i++) {
        waits[i] = kept[item->wait_first + i].wait;
        waits[i].key.data = (const char *)bytes + kept[item->wait_first + i].key_at;
    }
    record->waits = record->wait_count != 0 ? waits : NULL;
}

stf_status stf__sqlite_records_visit(stf__sqlite_records *records, stf_record_visitor visit,
                                     void *user, stf_str *ret_last_id, stf_error *error)
{
    kept_record *items = (kept_record *)(void *)records->items.data;
    stf_buf waits;
    stf_buf_init(&waits, records->waits.alloc);
    stf_status status = STF_OK;
    for (size_t i = 0; status == STF_OK && i < records->count; i++) {
        stf_buf_clear(&waits);
        if (stf_buf_reserve(&waits, items[i].record.wait_count * sizeof(stf_wait)) != STF_OK) {
            status = stf__sqlite_no_memory(error);
            break;
        }
        place(records, &items[i], (stf_wait *)(void *)waits.data);
        if (ret_last_id != NULL) {
            *ret_last_id = items[i].record.id;
        }
        status = visit(user, &items[i].record, error);
    }
    stf_buf_done(&waits);
    return status;
}

/* ---- load ---- */

/* Adds the record of that id, if it exists and is due. */
static stf_status collect(stf__sqlite_records *records, stf_sqlite *sqlite, stf_str id,
                          stf_wall due_before, stf_error *error)
{
    stf__sqlite_query query = stf__sqlite_query_start(&sqlite->conn, STF__SQL_RECORD_LOAD);
    stf__sqlite_put_text(&query, id);
    stf__sqlite_put_time(&query, due_before);
    bool has_row = false;
    stf_status status = stf__sqlite_step(&query, &has_row, error);
    if (status == STF_OK && has_row) {
        status = stf__sqlite_records_add(records, sqlite, &query, error);
    }
    stf__sqlite_done(&query);
    return status;
}

stf_status stf__sqlite_load(void *impl, const stf_ctx *ctx, stf_str id, stf_record_visitor visit,
                            void *user, bool *ret_found, stf_error *error)
{
    stf_sqlite *sqlite = ((stf__sqlite_repository *)impl)->sqlite;
    stf_status status = stf__sqlite_enter(sqlite, ctx, error);
    if (status != STF_OK) {
        return status;
    }
    stf__sqlite_records records;
    stf__sqlite_records_init(&records, sqlite);
    status = collect(&records, sqlite, id, stf_wall_none(), error);
    stf__sqlite_leave(sqlite);
    if (status == STF_OK) {
        *ret_found = records.count != 0;
        status = stf__sqlite_records_visit(&records, visit, user, NULL, error);
    }
    stf__sqlite_records_done(&records);
    return status;
}

/* Reads ids from *next on until the collection is full. */
static stf_status load_chunk(stf__sqlite_records *records, stf_sqlite *sqlite, const stf_ctx *ctx,
                             const stf_str *ids, size_t count, size_t *next, stf_wall due_before,
                             stf_error *error)
{
    stf_status status = stf__sqlite_enter(sqlite, ctx, error);
    if (status != STF_OK) {
        return status;
    }
    while (status == STF_OK && *next < count && !stf__sqlite_records_is_full(records)) {
        status = collect(records, sqlite, ids[*next], due_before, error);
        (*next)++;
    }
    stf__sqlite_leave(sqlite);
    return status;
}

stf_status stf__sqlite_load_many(void *impl, const stf_ctx *ctx, const stf_str *ids, size_t count,
                                 stf_wall due_before, stf_record_visitor visit, void *user,
                                 stf_error *error)
{
    stf_sqlite *sqlite = ((stf__sqlite_repository *)impl)->sqlite;
    size_t next = 0;
    stf_status status = STF_OK;
    while (status == STF_OK && next < count) {
        stf__sqlite_records records;
        stf__sqlite_records_init(&records, sqlite);
        status = load_chunk(&records, sqlite, ctx, ids, count, &next, due_before, error);
        if (status == STF_OK) {
            status = stf__sqlite_records_visit(&records, visit, user, NULL, error);
        }
        stf__sqlite_records_done(&records);
    }
    return status;
}

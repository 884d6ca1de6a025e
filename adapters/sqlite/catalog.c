/* SPDX-License-Identifier: Apache-2.0 */
/* Listing, counting and pruning, for people and tools. */
#include "records.h"

/* Group and tenant as numbers; *ret_is_empty: one of them does not exist. */
static stf_status find_place(stf_sqlite *sqlite, stf_str group, stf_str tenant,
                             int64_t *ret_group_no, int64_t *ret_tenant_no, bool *ret_is_empty,
                             stf_error *error)
{
    int64_t group_no = 0;
    int64_t tenant_no = 0;
    stf_status status = stf__sqlite_find_group(sqlite, group, &group_no, error);
    if (status == STF_OK && group_no != 0 && tenant.size != 0) {
        status = stf__sqlite_find_tenant(sqlite, group_no, tenant, &tenant_no, error);
    }
    if (status == STF_OK) {
        *ret_group_no = group_no;
        *ret_tenant_no = tenant_no;
        *ret_is_empty = group_no == 0 || (tenant.size != 0 && tenant_no == 0);
    }
    return status;
}

static void put_number_or_null(stf__sqlite_query *query, int64_t number)
{
    if (number == 0) {
        stf__sqlite_put_null(query);
    } else {
        stf__sqlite_put_int(query, number);
    }
}

/* Starts the statement with the parameters that page and count share. */
static stf_status start(stf_sqlite *sqlite, unsigned statement, const stf_catalog_query *request,
                        bool *ret_is_empty, stf__sqlite_query *ret_query, stf_error *error)
{
    int64_t group_no = 0;
    int64_t tenant_no = 0;
    stf_status status = find_place(sqlite, request->group, request->tenant, &group_no, &tenant_no,
                                   ret_is_empty, error);
    if (status != STF_OK || *ret_is_empty) {
        return status;
    }
    *ret_query = stf__sqlite_query_start(&sqlite->conn, statement);
    stf__sqlite_put_int(ret_query, group_no);
    put_number_or_null(ret_query, tenant_no);
    stf__sqlite_put_text(ret_query, request->label_key);
    stf__sqlite_put_int(ret_query, request->label_version);
    stf__sqlite_put_int(ret_query, (int64_t)request->status_mask);
    return STF_OK;
}

/* Adds rows behind after_id until limit, the end or a full collection: *ret_is_over. */
static stf_status page_chunk(stf__sqlite_records *records, stf_sqlite *sqlite,
                             const stf_catalog_query *request, stf_str after_id, size_t limit,
                             bool *ret_is_over, stf_error *error)
{
    stf__sqlite_query query = {.conn = NULL};
    bool is_empty = false;
    stf_status status = start(sqlite, STF__SQL_CATALOG_PAGE, request, &is_empty, &query, error);
    *ret_is_over = true;
    if (status != STF_OK || is_empty) {
        return status;
    }
    stf__sqlite_put_text(&query, after_id);
    stf__sqlite_put_int(&query, (int64_t)limit);
    bool has_row = true;
    while (status == STF_OK) {
        if (stf__sqlite_records_is_full(records)) {
            *ret_is_over = records->count >= limit;
            break;
        }
        status = stf__sqlite_step(&query, &has_row, error);
        if (status != STF_OK || !has_row) {
            break;
        }
        status = stf__sqlite_records_add(records, sqlite, &query, error);
    }
    stf__sqlite_done(&query);
    return status;
}

/* Copies the last id, which lies in the collection that goes. */
static stf_status remember_id(stf_buf *after, stf_str id, stf_error *error)
{
    stf_buf_clear(after);
    return stf_buf_append_str(after, id) == STF_OK ? STF_OK : stf__sqlite_no_memory(error);
}

/* One go: read under the lock, visit without it. */
static stf_status page_go(stf_sqlite *sqlite, const stf_ctx *ctx, const stf_catalog_query *request,
                          stf_buf *after, size_t *left, stf_record_visitor visit, void *user,
                          stf_error *error)
{
    bool is_over = true;
    stf_str last_id = {NULL, 0};
    stf__sqlite_records records;
    stf__sqlite_records_init(&records, sqlite);
    stf_status status = stf__sqlite_enter(sqlite, ctx, error);
    if (status == STF_OK) {
        status = page_chunk(&records, sqlite, request, stf_buf_str(after), *left, &is_over, error);
        stf__sqlite_leave(sqlite);
    }
    if (status == STF_OK) {
        status = stf__sqlite_records_visit(&records, visit, user, &last_id, error);
    }
    if (status == STF_OK && !is_over) {
        status = remember_id(after, last_id, error);
    }
    *left = is_over ? 0 : *left - records.count;
    stf__sqlite_records_done(&records);
    return status;
}

static stf_status page(void *impl, const stf_ctx *ctx, const stf_catalog_query *request,
                       stf_record_visitor visit, void *user, stf_error *error)
{
    stf_sqlite *sqlite = ((stf__sqlite_repository *)impl)->sqlite;
    size_t left = request->limit;
    stf_buf after;
    stf_buf_init(&after, &sqlite->alloc);
    stf_status status = remember_id(&after, request->after_id, error);
    while (status == STF_OK && left != 0) {
        status = page_go(sqlite, ctx, request, &after, &left, visit, user, error);
    }
    stf_buf_done(&after);
    return status;
}

static stf_status count_locked(stf_sqlite *sqlite, const stf_catalog_query *request,
                               uint64_t *ret_count, stf_error *error)
{
    stf__sqlite_query query = {.conn = NULL};
    bool is_empty = false;
    stf_status status = start(sqlite, STF__SQL_CATALOG_COUNT, request, &is_empty, &query, error);
    if (status != STF_OK || is_empty) {
        *ret_count = 0;
        return status;
    }
    bool has_row = false;
    status = stf__sqlite_step(&query, &has_row, error);
    if (status == STF_OK) {
        *ret_count = has_row ? (uint64_t)stf__sqlite_get_int(&query, 0) : 0;
    }
    stf__sqlite_done(&query);
    return status;
}

static stf_status count(void *impl, const stf_ctx *ctx, const stf_catalog_query *request,
                        uint64_t *ret_count, stf_error *error)
{
    stf_sqlite *sqlite = ((stf__sqlite_repository *)impl)->sqlite;
    stf_status status = stf__sqlite_enter(sqlite, ctx, error);
    uint64_t found = 0;
    if (status == STF_OK) {
        status = count_locked(sqlite, request, &found, error);
        stf__sqlite_leave(sqlite);
    }
    if (status == STF_OK) {
        *ret_count = found;
    }
    return status;
}

/* The numbers of the records to delete, collected first: a statement does not walk a table that it
 * sees changing. */
static stf_status collect_ended(stf_sqlite *sqlite, const stf_prune_request *request,
                                stf_buf *numbers, stf_error *error)
{
    int64_t group_no = 0;
    int64_t tenant_no = 0;
    bool is_empty = false;
    stf_status status = find_place(sqlite, request->group, request->tenant, &group_no, &tenant_no,
                                   &is_empty, error);
    if (status != STF_OK || is_empty) {
        return status;
    }
    stf__sqlite_query query = stf__sqlite_query_start(&sqlite->conn, STF__SQL_PRUNE_PAGE);
    stf__sqlite_put_int(&query, group_no);
    put_number_or_null(&query, tenant_no);
    stf__sqlite_put_int(&query, request->ended_before.us);
    stf__sqlite_put_int(&query, (int64_t)request->limit);
    bool has_row = true;
    while (status == STF_OK) {
        status = stf__sqlite_step(&query, &has_row, error);
        if (status != STF_OK || !has_row) {
            break;
        }
        int64_t number = stf__sqlite_get_int(&query, 0);
        if (stf_buf_append(numbers, &number, sizeof(number)) != STF_OK) {
            status = stf__sqlite_no_memory(error);
        }
    }
    stf__sqlite_done(&query);
    return status;
}

static stf_status prune(void *impl, const stf_ctx *ctx, const stf_prune_request *request,
                        uint64_t *ret_count, stf_error *error)
{
    stf_sqlite *sqlite = ((stf__sqlite_repository *)impl)->sqlite;
    stf_status status = stf__sqlite_enter_write(sqlite, ctx, error);
    if (status != STF_OK) {
        return status;
    }
    stf_buf numbers;
    stf_buf_init(&numbers, &sqlite->alloc);
    status = collect_ended(sqlite, request, &numbers, error);
    size_t found = numbers.size / sizeof(int64_t);
    const int64_t *ended = (const int64_t *)(const void *)numbers.data;
    for (size_t i = 0; status == STF_OK && i < found; i++) {
        status = stf__sqlite_drop_record(sqlite, ended[i], error);
    }
    status = stf__sqlite_finish_write(sqlite, status, error);
    stf_buf_done(&numbers);
    if (status == STF_OK) {
        *ret_count = found;
    }
    return status;
}

const stf_catalog_vtable stf__sqlite_catalog_slots = {
    .struct_size = sizeof(stf_catalog_vtable),
    .abi = STF_CATALOG_ABI,
    .page = page,
    .count = count,
    .prune = prune,
};

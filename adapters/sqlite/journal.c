/* SPDX-License-Identifier: Apache-2.0 */
/* The history rows that saves carried. */
#include "store.h"

/* A row whose texts lie in the collection's bytes. */
typedef struct journal_item {
    stf_journal_row row;
    int64_t version;
    uint64_t position;
    size_t element_at;
    size_t detail_at;
} journal_item;

typedef struct journal_rows {
    stf_buf bytes;
    stf_buf items;
} journal_rows;

static stf_status add_row(journal_rows *rows, const stf__sqlite_query *query, stf_error *error)
{
    stf_str element = {NULL, 0};
    stf_str detail = {NULL, 0};
    stf_status status = stf__sqlite_get_text(query, 6, &element, error);
    if (status == STF_OK) {
        status = stf__sqlite_get_text(query, 7, &detail, error);
    }
    if (status != STF_OK) {
        return status;
    }
    journal_item item = {
        .row =
            {
                .fact = (uint32_t)stf__sqlite_get_int(query, 2),
                .flags = (uint32_t)stf__sqlite_get_int(query, 3),
                .activation = (uint64_t)stf__sqlite_get_int(query, 4),
                .at = {stf__sqlite_get_int(query, 5)},
                .element = element,
                .detail = detail,
            },
        .version = stf__sqlite_get_int(query, 0),
        .position = (uint64_t)stf__sqlite_get_int(query, 1),
        .element_at = rows->bytes.size,
        .detail_at = rows->bytes.size + element.size,
    };
    if (stf_buf_append_str(&rows->bytes, element) != STF_OK ||
        stf_buf_append_str(&rows->bytes, detail) != STF_OK ||
        stf_buf_append(&rows->items, &item, sizeof(item)) != STF_OK) {
        return stf__sqlite_no_memory(error);
    }
    return STF_OK;
}

static stf_status collect(journal_rows *rows, stf_sqlite *sqlite, const stf_journal_query *request,
                          stf_error *error)
{
    /* position 0 means whole versions: start behind every row of after_version. */
    int64_t position = request->after_position != 0 && request->after_position < (uint64_t)INT64_MAX
                           ? (int64_t)request->after_position
                           : INT64_MAX;
    stf__sqlite_query query = stf__sqlite_query_start(&sqlite->conn, STF__SQL_JOURNAL_PAGE);
    stf__sqlite_put_text(&query, request->id);
    stf__sqlite_put_int(&query, request->after_version);
    stf__sqlite_put_int(&query, position);
    stf__sqlite_put_int(&query, (int64_t)request->limit);
    bool has_row = true;
    stf_status status = STF_OK;
    while (status == STF_OK) {
        status = stf__sqlite_step(&query, &has_row, error);
        if (status != STF_OK || !has_row) {
            break;
        }
        status = add_row(rows, &query, error);
    }
    stf__sqlite_done(&query);
    return status;
}

static stf_status visit_rows(const journal_rows *rows, stf_journal_visitor visit, void *user,
                             stf_error *error)
{
    journal_item *items = (journal_item *)(void *)rows->items.data;
    const char *bytes = (const char *)rows->bytes.data;
    stf_status status = STF_OK;
    for (size_t i = 0; status == STF_OK && i < rows->items.size / sizeof(*items); i++) {
        stf_journal_row *row = &items[i].row;
        row->element.data = row->element.size != 0 ? bytes + items[i].element_at : NULL;
        row->detail.data = row->detail.size != 0 ? bytes + items[i].detail_at : NULL;
        status = visit(user, items[i].version, items[i].position, row, error);
    }
    return status;
}

static stf_status page(void *impl, const stf_ctx *ctx, const stf_journal_query *request,
                       stf_journal_visitor visit, void *user, stf_error *error)
{
    stf_sqlite *sqlite = ((stf__sqlite_repository *)impl)->sqlite;
    stf_status status = stf__sqlite_enter(sqlite, ctx, error);
    if (status != STF_OK) {
        return status;
    }
    journal_rows rows;
    stf_buf_init(&rows.bytes, &sqlite->alloc);
    stf_buf_init(&rows.items, &sqlite->alloc);
    status = collect(&rows, sqlite, request, error);
    stf__sqlite_leave(sqlite);
    if (status == STF_OK) {
        status = visit_rows(&rows, visit, user, error);
    }
    stf_buf_done(&rows.bytes);
    stf_buf_done(&rows.items);
    return status;
}

const stf_journal_vtable stf__sqlite_journal_slots = {
    .struct_size = sizeof(stf_journal_vtable),
    .abi = STF_JOURNAL_ABI,
    .page = page,
};

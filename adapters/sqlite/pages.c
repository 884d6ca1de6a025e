/* SPDX-License-Identifier: Apache-2.0 */
/* Who is in flight, due, orphaned or waiting. Rows are copied while the connection is held and
 * visited afterwards, so that a visitor may use the store. */
#include "store.h"

/* A row whose texts lie in the page's bytes, at these places. */
typedef struct page_item {
    stf_wake_row row;
    size_t id_at;
    size_t owner_at;
    size_t key_at;
} page_item;

typedef struct wake_page {
    stf_buf bytes;
    stf_buf items;
    size_t count;
} wake_page;

static void page_init(wake_page *page, const stf_sqlite *sqlite)
{
    stf_buf_init(&page->bytes, &sqlite->alloc);
    stf_buf_init(&page->items, &sqlite->alloc);
    page->count = 0;
}

static page_item *items_of(const wake_page *page)
{
    return (page_item *)(void *)page->items.data;
}

static void place(wake_page *page, stf_str *text, size_t at)
{
    text->data = (const char *)page->bytes.data + at;
}

/* Copies the row; its texts may be views of the statement. */
static stf_status page_add(wake_page *page, const stf_wake_row *row, stf_error *error)
{
    page_item item = {.row = *row, .id_at = page->bytes.size};
    item.owner_at = item.id_at + row->id.size;
    item.key_at = item.owner_at + row->owner.size;
    if (stf_buf_append_str(&page->bytes, row->id) != STF_OK ||
        stf_buf_append_str(&page->bytes, row->owner) != STF_OK ||
        stf_buf_append_str(&page->bytes, row->wait.key) != STF_OK ||
        stf_buf_append(&page->items, &item, sizeof(item)) != STF_OK) {
        return stf__sqlite_no_memory(error);
    }
    page->count++;
    return STF_OK;
}

/* Visits what was collected unless collecting failed; frees the page. */
static stf_status page_visit(wake_page *page, stf_status status, stf_wake_visitor visit, void *user,
                             stf_error *error)
{
    for (size_t i = 0; status == STF_OK && i < page->count; i++) {
        page_item *item = &items_of(page)[i];
        place(page, &item->row.id, item->id_at);
        place(page, &item->row.owner, item->owner_at);
        place(page, &item->row.wait.key, item->key_at);
        status = visit(user, &item->row, error);
    }
    stf_buf_done(&page->bytes);
    stf_buf_done(&page->items);
    return status;
}

static stf_wall now_or(const stf_sqlite *sqlite, stf_wall now)
{
    return stf_wall_is_none(now) ? stf__sqlite_now(sqlite) : now;
}

static stf_sqlite *sqlite_of(void *impl)
{
    return ((stf__sqlite_repository *)impl)->sqlite;
}

/* Which columns of a page's statement hold what; -1: not there. */
typedef struct page_shape {
    int id;
    int version;
    int at;
    int owner;
    int wait; /* until, kind, flags, key */
} page_shape;

static stf_status read_row(const stf__sqlite_query *query, const page_shape *shape,
                           stf_wake_row *ret_row, stf_error *error)
{
    stf_wake_row row = {.at = {STF_WALL_NONE_US}};
    stf_status status = stf__sqlite_get_text(query, shape->id, &row.id, error);
    if (status == STF_OK && shape->owner >= 0) {
        status = stf__sqlite_get_text(query, shape->owner, &row.owner, error);
    }
    if (status == STF_OK && shape->wait >= 0) {
        status = stf__sqlite_get_text(query, shape->wait + 3, &row.wait.key, error);
        row.wait.until = stf__sqlite_get_time(query, shape->wait);
        row.wait.kind = (uint32_t)stf__sqlite_get_int(query, shape->wait + 1);
        row.wait.flags = (uint32_t)stf__sqlite_get_int(query, shape->wait + 2);
    }
    if (status != STF_OK) {
        return status;
    }
    row.rec_version = shape->version >= 0 ? stf__sqlite_get_int(query, shape->version) : 0;
    row.at = shape->at >= 0 ? stf__sqlite_get_time(query, shape->at) : row.at;
    row.wait.since = row.at;
    *ret_row = row;
    return STF_OK;
}

/* Says of each row whether it belongs to the page and whether the page ends before it. */
typedef struct page_filter {
    bool (*is_wanted)(const void *user, const stf_wake_row *row); /* NULL: every row is */
    bool (*is_over)(const void *user, const wake_page *page, const stf_wake_row *row);
    const void *user;
} page_filter;

/* Steps through the bound query, and ends it. */
static stf_status page_fill(wake_page *page, stf__sqlite_query *query, const page_shape *shape,
                            const page_filter *filter, stf_error *error)
{
    bool has_row = true;
    stf_status status = STF_OK;
    while (status == STF_OK) {
        stf_wake_row row;
        status = stf__sqlite_step(query, &has_row, error);
        if (status != STF_OK || !has_row) {
            break;
        }
        status = read_row(query, shape, &row, error);
        if (status == STF_OK && filter->is_over != NULL &&
            filter->is_over(filter->user, page, &row)) {
            break;
        }
        if (status == STF_OK &&
            (filter->is_wanted == NULL || filter->is_wanted(filter->user, &row))) {
            status = page_add(page, &row, error);
        }
    }
    stf__sqlite_done(query);
    return status;
}

/* Enters and finds the group; 0 gives an empty page. */
static stf_status enter_group(stf_sqlite *sqlite, const stf_ctx *ctx, stf_str group,
                              int64_t *ret_group_no, stf_error *error)
{
    stf_status status = stf__sqlite_enter(sqlite, ctx, error);
    if (status != STF_OK) {
        return status;
    }
    status = stf__sqlite_find_group(sqlite, group, ret_group_no, error);
    if (status != STF_OK) {
        stf__sqlite_leave(sqlite);
    }
    return status;
}

static const page_filter all_rows = {NULL, NULL, NULL};

/* ---- ids ---- */

typedef struct id_target {
    stf_id_visitor visit;
    void *user;
} id_target;

static stf_status visit_id(void *user, const stf_wake_row *row, stf_error *error)
{
    const id_target *target = user;
    return target->visit(target->user, row->id, error);
}

static const page_shape id_shape = {.id = 0, .version = -1, .at = -1, .owner = -1, .wait = -1};

stf_status stf__sqlite_list_in_flight(void *impl, const stf_ctx *ctx,
                                      const stf_in_flight_query *request, stf_id_visitor visit,
                                      void *user, stf_error *error)
{
    stf_sqlite *sqlite = sqlite_of(impl);
    int64_t group_no = 0;
    stf_status status = enter_group(sqlite, ctx, request->group, &group_no, error);
    if (status != STF_OK) {
        return status;
    }
    wake_page page;
    page_init(&page, sqlite);
    if (group_no != 0) {
        stf__sqlite_query query = stf__sqlite_query_start(&sqlite->conn, STF__SQL_IN_FLIGHT);
        stf__sqlite_put_int(&query, group_no);
        stf__sqlite_put_text(&query, request->after_id);
        stf__sqlite_put_int(&query, now_or(sqlite, request->now).us);
        stf__sqlite_put_int(&query, (int64_t)request->limit);
        status = page_fill(&page, &query, &id_shape, &all_rows, error);
    }
    stf__sqlite_leave(sqlite);
    id_target target = {visit, user};
    return page_visit(&page, status, visit_id, &target, error);
}

stf_status stf__sqlite_list_owners(void *impl, const stf_ctx *ctx, stf_str group,
                                   stf_id_visitor visit, void *user, stf_error *error)
{
    stf_sqlite *sqlite = sqlite_of(impl);
    int64_t group_no = 0;
    stf_status status = enter_group(sqlite, ctx, group, &group_no, error);
    if (status != STF_OK) {
        return status;
    }
    wake_page page;
    page_init(&page, sqlite);
    if (group_no != 0) {
        stf__sqlite_query query = stf__sqlite_query_start(&sqlite->conn, STF__SQL_OWNERS);
        stf__sqlite_put_int(&query, group_no);
        status = page_fill(&page, &query, &id_shape, &all_rows, error);
    }
    stf__sqlite_leave(sqlite);
    id_target target = {visit, user};
    return page_visit(&page, status, visit_id, &target, error);
}

/* ---- due ---- */

static stf_status due_page(void *impl, const stf_ctx *ctx, const stf_due_query *request,
                           stf_wake_visitor visit, void *user, stf_error *error)
{
    static const page_shape shape = {.id = 0, .version = 1, .at = 2, .owner = 3, .wait = -1};
    stf_sqlite *sqlite = sqlite_of(impl);
    int64_t group_no = 0;
    stf_status status = enter_group(sqlite, ctx, request->group, &group_no, error);
    if (status != STF_OK) {
        return status;
    }
    wake_page page;
    page_init(&page, sqlite);
    if (group_no != 0) {
        stf__sqlite_query query = stf__sqlite_query_start(&sqlite->conn, STF__SQL_DUE_PAGE);
        stf__sqlite_put_int(&query, group_no);
        stf__sqlite_put_int(&query, request->after_due.us);
        stf__sqlite_put_text(&query, request->after_id);
        stf__sqlite_put_int(&query, now_or(sqlite, request->now).us);
        stf__sqlite_put_text(&query, request->asker);
        stf__sqlite_put_int(&query, (int64_t)request->limit);
        status = page_fill(&page, &query, &shape, &all_rows, error);
    }
    stf__sqlite_leave(sqlite);
    return page_visit(&page, status, visit, user, error);
}

static stf_status read_next_due(stf_sqlite *sqlite, int64_t group_no, stf_str asker,
                                stf_wall *ret_due, stf_error *error)
{
    stf__sqlite_query query = stf__sqlite_query_start(&sqlite->conn, STF__SQL_NEXT_DUE);
    stf__sqlite_put_int(&query, group_no);
    stf__sqlite_put_text(&query, asker);
    bool has_row = false;
    stf_status status = stf__sqlite_step(&query, &has_row, error);
    if (status == STF_OK) {
        *ret_due = has_row ? stf__sqlite_get_time(&query, 0) : stf_wall_none();
    }
    stf__sqlite_done(&query);
    return status;
}

static stf_status next_due(void *impl, const stf_ctx *ctx, stf_str group, stf_str asker,
                           stf_wall *ret_due, stf_error *error)
{
    stf_sqlite *sqlite = sqlite_of(impl);
    int64_t group_no = 0;
    stf_status status = enter_group(sqlite, ctx, group, &group_no, error);
    if (status != STF_OK) {
        return status;
    }
    stf_wall due = stf_wall_none();
    if (group_no != 0) {
        status = read_next_due(sqlite, group_no, asker, &due, error);
    }
    stf__sqlite_leave(sqlite);
    if (status == STF_OK) {
        *ret_due = due;
    }
    return status;
}

/* ---- orphaned ---- */

typedef struct orphan_filter {
    const stf_orphan_query *request;
    stf_wall now;
} orphan_filter;

static bool is_orphan(const void *user, const stf_wake_row *row)
{
    const orphan_filter *filter = user;
    if (row->at.us <= filter->now.us) {
        return true;
    }
    for (size_t i = 0; i < filter->request->dead_owner_count; i++) {
        if (stf_str_equal(filter->request->dead_owners[i], row->owner)) {
            return true;
        }
    }
    return false;
}

static bool is_full(const void *user, const wake_page *page, const stf_wake_row *row)
{
    (void)row;
    const orphan_filter *filter = user;
    return page->count >= filter->request->limit;
}

static stf_status orphan_page(void *impl, const stf_ctx *ctx, const stf_orphan_query *request,
                              stf_wake_visitor visit, void *user, stf_error *error)
{
    static const page_shape shape = {.id = 0, .version = 1, .at = 2, .owner = 3, .wait = -1};
    stf_sqlite *sqlite = sqlite_of(impl);
    int64_t group_no = 0;
    stf_status status = enter_group(sqlite, ctx, request->group, &group_no, error);
    if (status != STF_OK) {
        return status;
    }
    wake_page page;
    page_init(&page, sqlite);
    if (group_no != 0) {
        orphan_filter orphans = {request, now_or(sqlite, request->now)};
        page_filter filter = {is_orphan, is_full, &orphans};
        stf__sqlite_query query = stf__sqlite_query_start(&sqlite->conn, STF__SQL_ORPHAN_PAGE);
        stf__sqlite_put_int(&query, group_no);
        stf__sqlite_put_text(&query, request->after_id);
        stf__sqlite_put_text(&query, request->asker);
        status = page_fill(&page, &query, &shape, &filter, error);
    }
    stf__sqlite_leave(sqlite);
    return page_visit(&page, status, visit, user, error);
}

/* ---- waiting ---- */

/* A full page still takes the waits of its last (since, id), which no cursor can split. */
static bool is_waiting_over(const void *user, const wake_page *page, const stf_wake_row *row)
{
    const stf_waiting_query *request = user;
    if (page->count < request->limit) {
        return false;
    }
    const page_item *last = &items_of(page)[page->count - 1];
    stf_str id = {(const char *)page->bytes.data + last->id_at, last->row.id.size};
    return last->row.at.us != row->at.us || !stf_str_equal(id, row->id);
}

static void put_waiting(stf__sqlite_query *query, const stf_waiting_query *request,
                        int64_t group_no, int64_t tenant_no)
{
    stf__sqlite_put_int(query, group_no);
    stf__sqlite_put_int(query, request->kind);
    if (request->key.size != 0) {
        stf__sqlite_put_blob(query, request->key.data, request->key.size);
    }
    stf__sqlite_put_int(query, request->after_since.us);
    stf__sqlite_put_text(query, request->after_id);
    if (tenant_no != 0) {
        stf__sqlite_put_int(query, tenant_no);
    }
}

static stf_status fill_waiting(stf_sqlite *sqlite, const stf_waiting_query *request,
                               int64_t group_no, wake_page *page, stf_error *error)
{
    static const page_shape shape = {.id = 0, .version = 1, .at = 2, .owner = 7, .wait = 3};
    int64_t tenant_no = 0;
    if (request->tenant.size != 0) {
        stf_status status =
            stf__sqlite_find_tenant(sqlite, group_no, request->tenant, &tenant_no, error);
        if (status != STF_OK || tenant_no == 0) {
            return status;
        }
    }
    page_filter filter = {NULL, is_waiting_over, request};
    stf__sqlite_query query = stf__sqlite_query_start(
        &sqlite->conn, request->key.size != 0 ? STF__SQL_WAITING_PAGE : STF__SQL_WAITING_ANY_PAGE);
    put_waiting(&query, request, group_no, tenant_no);
    return page_fill(page, &query, &shape, &filter, error);
}

static stf_status waiting_page(void *impl, const stf_ctx *ctx, const stf_waiting_query *request,
                               stf_wake_visitor visit, void *user, stf_error *error)
{
    stf_sqlite *sqlite = sqlite_of(impl);
    int64_t group_no = 0;
    stf_status status = enter_group(sqlite, ctx, request->group, &group_no, error);
    if (status != STF_OK) {
        return status;
    }
    wake_page page;
    page_init(&page, sqlite);
    if (group_no != 0) {
        status = fill_waiting(sqlite, request, group_no, &page, error);
    }
    stf__sqlite_leave(sqlite);
    return page_visit(&page, status, visit, user, error);
}

const stf_wake_vtable stf__sqlite_wake_slots = {
    .struct_size = sizeof(stf_wake_vtable),
    .abi = STF_WAKE_ABI,
    .due_page = due_page,
    .orphan_page = orphan_page,
    .waiting_page = waiting_page,
    .next_due = next_due,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* The definition store. A version number is never given twice: a removed file leaves its row. */
#include <inttypes.h>
#include <string.h>

#include "store.h"

typedef struct definitions {
    stf_sqlite *sqlite; /* a reference */
} definitions;

/* A definition whose texts and file lie in one buffer, one behind the other. */
typedef struct kept_definition {
    stf_buf bytes;
    stf_definition definition;
    bool is_found;
} kept_definition;

/* Copies the row (tenant, key, version, deployed, file) that the query stands on. */
static stf_status keep(kept_definition *kept, const stf__sqlite_query *query, stf_error *error)
{
    stf_str tenant = {NULL, 0};
    stf_str key = {NULL, 0};
    stf_bytes file = {NULL, 0};
    stf_status status = stf__sqlite_get_text(query, 0, &tenant, error);
    if (status == STF_OK) {
        status = stf__sqlite_get_text(query, 1, &key, error);
    }
    if (status == STF_OK) {
        status = stf__sqlite_get_bytes(query, 4, &file, error);
    }
    if (status != STF_OK) {
        return status;
    }
    stf_buf_clear(&kept->bytes);
    if (stf_buf_append_str(&kept->bytes, tenant) != STF_OK ||
        stf_buf_append_str(&kept->bytes, key) != STF_OK ||
        stf_buf_append(&kept->bytes, file.data, file.size) != STF_OK) {
        return stf__sqlite_no_memory(error);
    }
    const uint8_t *bytes = kept->bytes.data;
    kept->definition.tenant = (stf_str){(const char *)bytes, tenant.size};
    kept->definition.key = (stf_str){(const char *)bytes + tenant.size, key.size};
    kept->definition.file = (stf_bytes){bytes + tenant.size + key.size, file.size};
    kept->definition.version = stf__sqlite_get_int(query, 2);
    kept->definition.deployed = stf__sqlite_get_time(query, 3);
    return STF_OK;
}

/* The only row of the bound query, and ends it. */
static stf_status keep_only(kept_definition *kept, stf__sqlite_query *query, stf_error *error)
{
    bool has_row = false;
    stf_status status = stf__sqlite_step(query, &has_row, error);
    if (status == STF_OK && has_row) {
        status = keep(kept, query, error);
    }
    kept->is_found = has_row && status == STF_OK;
    stf__sqlite_done(query);
    return status;
}

static stf_status find_place(stf_sqlite *sqlite, stf_str group, stf_str tenant,
                             int64_t *ret_group_no, int64_t *ret_tenant_no, stf_error *error)
{
    *ret_tenant_no = 0;
    stf_status status = stf__sqlite_find_group(sqlite, group, ret_group_no, error);
    if (status == STF_OK && *ret_group_no != 0) {
        status = stf__sqlite_find_tenant(sqlite, *ret_group_no, tenant, ret_tenant_no, error);
    }
    return status;
}

/* ---- put ---- */

/* The latest version, if its file has these bytes; 0 otherwise. */
static stf_status find_same(stf_sqlite *sqlite, int64_t tenant_no, const stf_definition *definition,
                            int64_t *ret_version, stf_error *error)
{
    stf__sqlite_query query = stf__sqlite_query_start(&sqlite->conn, STF__SQL_DEFINITION_LATEST);
    stf__sqlite_put_int(&query, tenant_no);
    stf__sqlite_put_text(&query, definition->key);
    bool has_row = false;
    stf_bytes file = {NULL, 0};
    *ret_version = 0;
    stf_status status = stf__sqlite_step(&query, &has_row, error);
    if (status == STF_OK && has_row) {
        status = stf__sqlite_get_bytes(&query, 1, &file, error);
    }
    if (status == STF_OK && has_row && file.size == definition->file.size &&
        (file.size == 0 || memcmp(file.data, definition->file.data, file.size) == 0)) {
        *ret_version = stf__sqlite_get_int(&query, 0);
    }
    stf__sqlite_done(&query);
    return status;
}

static stf_status add_version(stf_sqlite *sqlite, int64_t tenant_no,
                              const stf_definition *definition, int64_t *ret_version,
                              stf_error *error)
{
    stf__sqlite_query query = stf__sqlite_query_start(&sqlite->conn, STF__SQL_DEFINITION_ADD);
    stf__sqlite_put_int(&query, tenant_no);
    stf__sqlite_put_text(&query, definition->key);
    stf__sqlite_put_int(&query, stf__sqlite_now(sqlite).us);
    stf__sqlite_put_blob(&query, definition->file.data, definition->file.size);
    bool has_row = false;
    stf_status status = stf__sqlite_step(&query, &has_row, error);
    if (status == STF_OK) {
        *ret_version = has_row ? stf__sqlite_get_int(&query, 0) : 0;
    }
    stf__sqlite_done(&query);
    return status;
}

/* Under the write lock: two deployments of one key are one behind the other. */
static stf_status put_locked(stf_sqlite *sqlite, const stf_definition *definition,
                             int64_t *ret_version, bool *ret_is_new, stf_error *error)
{
    int64_t group_no = 0;
    int64_t tenant_no = 0;
    stf_status status = stf__sqlite_find_group(sqlite, definition->group, &group_no, error);
    if (status == STF_OK && group_no == 0) {
        return stf__sqlite_group_not_found(definition->group, error);
    }
    if (status == STF_OK) {
        status = stf__sqlite_ensure_tenant(sqlite, group_no, definition->tenant, &tenant_no, error);
    }
    if (status == STF_OK) {
        status = find_same(sqlite, tenant_no, definition, ret_version, error);
    }
    *ret_is_new = *ret_version == 0;
    if (status == STF_OK && *ret_is_new) {
        status = add_version(sqlite, tenant_no, definition, ret_version, error);
    }
    return status;
}

static stf_status put(void *impl, const stf_ctx *ctx, const stf_definition *definition,
                      int64_t *ret_version, bool *ret_is_new, stf_error *error)
{
    stf_sqlite *sqlite = ((definitions *)impl)->sqlite;
    int64_t version = 0;
    bool is_new = false;
    stf_status status = stf__sqlite_enter_write(sqlite, ctx, error);
    if (status != STF_OK) {
        return status;
    }
    status = put_locked(sqlite, definition, &version, &is_new, error);
    status = stf__sqlite_finish_write(sqlite, status, error);
    if (status == STF_OK) {
        *ret_version = version;
        *ret_is_new = is_new;
    }
    return status;
}

/* ---- get, list ---- */

static stf_status get_locked(stf_sqlite *sqlite, stf_str group, stf_str tenant, stf_str key,
                             int64_t version, kept_definition *kept, stf_error *error)
{
    int64_t group_no = 0;
    int64_t tenant_no = 0;
    stf_status status = find_place(sqlite, group, tenant, &group_no, &tenant_no, error);
    if (status != STF_OK || tenant_no == 0) {
        return status;
    }
    stf__sqlite_query query = stf__sqlite_query_start(&sqlite->conn, STF__SQL_DEFINITION_GET);
    stf__sqlite_put_int(&query, tenant_no);
    stf__sqlite_put_text(&query, key);
    stf__sqlite_put_int(&query, version);
    return keep_only(kept, &query, error);
}

static stf_status get(void *impl, const stf_ctx *ctx, stf_str group, stf_str tenant, stf_str key,
                      int64_t version, stf_definition_visitor visit, void *user, bool *ret_found,
                      stf_error *error)
{
    stf_sqlite *sqlite = ((definitions *)impl)->sqlite;
    stf_status status = stf__sqlite_enter(sqlite, ctx, error);
    if (status != STF_OK) {
        return status;
    }
    kept_definition kept = {.definition = {.group = group}};
    stf_buf_init(&kept.bytes, &sqlite->alloc);
    status = get_locked(sqlite, group, tenant, key, version, &kept, error);
    stf__sqlite_leave(sqlite);
    if (status == STF_OK) {
        *ret_found = kept.is_found;
    }
    if (status == STF_OK && kept.is_found) {
        status = visit(user, &kept.definition, error);
    }
    stf_buf_done(&kept.bytes);
    return status;
}

/* The first definition behind the one that last holds (at first: the request's cursor). */
static stf_status next_locked(stf_sqlite *sqlite, const stf_definition_query *request,
                              const stf_definition *last, kept_definition *kept, stf_error *error)
{
    int64_t group_no = 0;
    stf_status status = stf__sqlite_find_group(sqlite, request->group, &group_no, error);
    if (status != STF_OK || group_no == 0) {
        return status;
    }
    stf__sqlite_query query = stf__sqlite_query_start(&sqlite->conn, STF__SQL_DEFINITION_LIST);
    stf__sqlite_put_int(&query, group_no);
    stf__sqlite_put_text(&query, request->tenant);
    stf__sqlite_put_text(&query, request->key);
    stf__sqlite_put_text(&query, last->tenant);
    stf__sqlite_put_text(&query, last->key);
    stf__sqlite_put_int(&query, last->version);
    return keep_only(kept, &query, error);
}

/* Files are large: one is read at a time, and visited without the connection. */
static stf_status list(void *impl, const stf_ctx *ctx, const stf_definition_query *request,
                       stf_definition_visitor visit, void *user, stf_error *error)
{
    stf_sqlite *sqlite = ((definitions *)impl)->sqlite;
    kept_definition kept[2] = {{.definition = {.group = request->group,
                                               .tenant = request->after_tenant,
                                               .key = request->after_key,
                                               .version = request->after_version}},
                               {.definition = {.group = request->group}}};
    stf_buf_init(&kept[0].bytes, &sqlite->alloc);
    stf_buf_init(&kept[1].bytes, &sqlite->alloc);
    stf_status status = STF_OK;
    for (size_t i = 0; status == STF_OK && i < request->limit; i++) {
        const kept_definition *last = &kept[i % 2];
        kept_definition *next = &kept[(i + 1) % 2];
        next->is_found = false;
        status = stf__sqlite_enter(sqlite, ctx, error);
        if (status == STF_OK) {
            status = next_locked(sqlite, request, &last->definition, next, error);
            stf__sqlite_leave(sqlite);
        }
        if (status != STF_OK || !next->is_found) {
            break;
        }
        status = visit(user, &next->definition, error);
    }
    stf_buf_done(&kept[0].bytes);
    stf_buf_done(&kept[1].bytes);
    return status;
}

/* ---- remove ---- */

static stf_status check_pinned(stf_sqlite *sqlite, int64_t group_no, int64_t tenant_no, stf_str key,
                               int64_t version, stf_error *error)
{
    stf__sqlite_query query = stf__sqlite_query_start(&sqlite->conn, STF__SQL_DEFINITION_PINNED);
    stf__sqlite_put_int(&query, group_no);
    stf__sqlite_put_int(&query, tenant_no);
    stf__sqlite_put_text(&query, key);
    stf__sqlite_put_int(&query, version);
    bool has_row = false;
    stf_str id = {NULL, 0};
    stf_status status = stf__sqlite_step(&query, &has_row, error);
    if (status == STF_OK && has_row) {
        status = stf__sqlite_get_text(&query, 0, &id, error);
    }
    if (status == STF_OK && has_row) {
        status = stf_error_set(error, STF_INVALID_STATE, "SQLITE_REPO",
                               "version %" PRId64 " of \"%.*s\" is used by \"%.*s\", which has not"
                               " ended",
                               version, (int)key.size, key.data, (int)id.size, id.data);
    }
    stf__sqlite_done(&query);
    return status;
}

static stf_status remove_locked(stf_sqlite *sqlite, stf_str group, stf_str tenant, stf_str key,
                                int64_t version, stf_error *error)
{
    int64_t group_no = 0;
    int64_t tenant_no = 0;
    stf_status status = find_place(sqlite, group, tenant, &group_no, &tenant_no, error);
    if (status != STF_OK || tenant_no == 0) {
        return status;
    }
    status = check_pinned(sqlite, group_no, tenant_no, key, version, error);
    if (status != STF_OK) {
        return status;
    }
    stf__sqlite_query query = stf__sqlite_query_start(&sqlite->conn, STF__SQL_DEFINITION_REMOVE);
    stf__sqlite_put_int(&query, tenant_no);
    stf__sqlite_put_text(&query, key);
    stf__sqlite_put_int(&query, version);
    return stf__sqlite_run(&query, error);
}

static stf_status remove_definition(void *impl, const stf_ctx *ctx, stf_str group, stf_str tenant,
                                    stf_str key, int64_t version, stf_error *error)
{
    stf_sqlite *sqlite = ((definitions *)impl)->sqlite;
    stf_status status = stf__sqlite_enter_write(sqlite, ctx, error);
    if (status != STF_OK) {
        return status;
    }
    status = remove_locked(sqlite, group, tenant, key, version, error);
    return stf__sqlite_finish_write(sqlite, status, error);
}

/* ---- the store ---- */

static void close_store(void *impl)
{
    definitions *store = impl;
    stf_sqlite *sqlite = store->sqlite;
    stf__sqlite_free(sqlite, store);
    stf_sqlite_unref(sqlite);
}

static const stf_definition_store_vtable slots = {
    .struct_size = sizeof(stf_definition_store_vtable),
    .abi = STF_DEFINITION_STORE_ABI,
    .put = put,
    .get = get,
    .list = list,
    .remove = remove_definition,
    .close = close_store,
};

stf_status stf_sqlite_open_definitions(stf_sqlite *sqlite, stf_definition_store **ret_store,
                                       stf_error *error)
{
    if (sqlite == NULL || ret_store == NULL) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "SQLITE_REPO", "an argument is missing");
    }
    definitions *store = stf__sqlite_alloc(sqlite, sizeof(*store));
    if (store == NULL) {
        return stf__sqlite_no_memory(error);
    }
    store->sqlite = stf_sqlite_ref(sqlite);
    stf_status status = stf_definition_store_new(&sqlite->alloc, &slots, store, ret_store, error);
    if (status != STF_OK) {
        close_store(store);
    }
    return status;
}

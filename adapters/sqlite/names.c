/* SPDX-License-Identifier: Apache-2.0 */
/* The registries of groups and tenants. */
#include <string.h>

#include "store.h"

static bool is_remembered(const stf__sqlite_name *name, int64_t within, stf_str text)
{
    return name->number != 0 && name->within == within && name->size == text.size &&
           memcmp(name->text, text.data, text.size) == 0;
}

static void remember(stf__sqlite_name *name, int64_t within, stf_str text, int64_t number)
{
    if (number != 0 && text.size != 0 && text.size <= sizeof(name->text)) {
        memcpy(name->text, text.data, text.size);
        name->size = text.size;
        name->within = within;
        name->number = number;
    }
}

/* The first column of the only row; 0 without a row. Ends the query. */
static stf_status read_number(stf__sqlite_query *query, int64_t *ret_no, stf_error *error)
{
    bool has_row = false;
    stf_status status = stf__sqlite_step(query, &has_row, error);
    if (status == STF_OK) {
        *ret_no = has_row ? stf__sqlite_get_int(query, 0) : 0;
    }
    stf__sqlite_done(query);
    return status;
}

stf_status stf__sqlite_find_group(stf_sqlite *sqlite, stf_str group, int64_t *ret_no,
                                  stf_error *error)
{
    if (is_remembered(&sqlite->group, 0, group)) {
        *ret_no = sqlite->group.number;
        return STF_OK;
    }
    stf__sqlite_query query = stf__sqlite_query_start(&sqlite->conn, STF__SQL_GROUP_FIND);
    stf__sqlite_put_text(&query, group);
    stf_status status = read_number(&query, ret_no, error);
    if (status == STF_OK) {
        remember(&sqlite->group, 0, group, *ret_no);
    }
    return status;
}

stf_status stf__sqlite_find_tenant(stf_sqlite *sqlite, int64_t group_no, stf_str tenant,
                                   int64_t *ret_no, stf_error *error)
{
    if (tenant.size == 0) {
        stf__sqlite_query query = stf__sqlite_query_start(&sqlite->conn, STF__SQL_TENANT_DEFAULT);
        stf__sqlite_put_int(&query, group_no);
        return read_number(&query, ret_no, error);
    }
    if (is_remembered(&sqlite->tenant, group_no, tenant)) {
        *ret_no = sqlite->tenant.number;
        return STF_OK;
    }
    stf__sqlite_query query = stf__sqlite_query_start(&sqlite->conn, STF__SQL_TENANT_FIND);
    stf__sqlite_put_int(&query, group_no);
    stf__sqlite_put_text(&query, tenant);
    stf_status status = read_number(&query, ret_no, error);
    if (status == STF_OK) {
        remember(&sqlite->tenant, group_no, tenant, *ret_no);
    }
    return status;
}

stf_status stf__sqlite_ensure_tenant(stf_sqlite *sqlite, int64_t group_no, stf_str tenant,
                                     int64_t *ret_no, stf_error *error)
{
    int64_t number = 0;
    stf_status status = stf__sqlite_find_tenant(sqlite, group_no, tenant, &number, error);
    if (status == STF_OK && number == 0) {
        stf__sqlite_query query = stf__sqlite_query_start(&sqlite->conn, STF__SQL_TENANT_ADD);
        stf__sqlite_put_int(&query, group_no);
        stf__sqlite_put_text(&query, tenant.size != 0 ? tenant : stf_str_of("default"));
        stf__sqlite_put_int(&query, tenant.size == 0);
        stf__sqlite_put_int(&query, stf__sqlite_now(sqlite).us);
        status = read_number(&query, &number, error);
    }
    if (status == STF_OK) {
        *ret_no = number;
    }
    return status;
}

stf_status stf__sqlite_group_not_found(stf_str group, stf_error *error)
{
    return stf_error_set(error, STF_NOT_FOUND, "SQLITE_REPO",
                         "the group \"%.*s\" is not registered", (int)group.size,
                         group.size != 0 ? group.data : "");
}

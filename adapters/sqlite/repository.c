/* SPDX-License-Identifier: Apache-2.0 */
/* The repository over a handle: the registries, what it says of itself, and its capabilities. */
#include <stdio.h>
#include <stepfast/sys/repository_cluster.h>
#include <stepfast/sys/repository_migrator.h>
#include <string.h>

#include "schema.h"
#include "store.h"

static stf_sqlite *sqlite_of(void *impl)
{
    return ((stf__sqlite_repository *)impl)->sqlite;
}

/* ---- groups and tenants ---- */

static stf_status find_group_alone(stf_sqlite *sqlite, const stf_ctx *ctx, stf_str group,
                                   int64_t *ret_no, stf_error *error)
{
    stf_status status = stf__sqlite_enter(sqlite, ctx, error);
    if (status == STF_OK) {
        status = stf__sqlite_find_group(sqlite, group, ret_no, error);
        stf__sqlite_leave(sqlite);
    }
    return status;
}

/* A group that is there costs no write. */
static stf_status register_group(void *impl, const stf_ctx *ctx, stf_str group, stf_error *error)
{
    stf_sqlite *sqlite = sqlite_of(impl);
    int64_t group_no = 0;
    stf_status status = find_group_alone(sqlite, ctx, group, &group_no, error);
    if (status != STF_OK || group_no != 0) {
        return status;
    }
    status = stf__sqlite_enter_write(sqlite, ctx, error);
    if (status != STF_OK) {
        return status;
    }
    stf__sqlite_query query = stf__sqlite_query_start(&sqlite->conn, STF__SQL_GROUP_ADD);
    stf__sqlite_put_text(&query, group);
    stf__sqlite_put_int(&query, stf__sqlite_now(sqlite).us);
    status = stf__sqlite_run(&query, error);
    return stf__sqlite_finish_write(sqlite, status, error);
}

static stf_status group_exists(void *impl, const stf_ctx *ctx, stf_str group, bool *ret_exists,
                               stf_error *error)
{
    int64_t group_no = 0;
    stf_status status = find_group_alone(sqlite_of(impl), ctx, group, &group_no, error);
    if (status == STF_OK) {
        *ret_exists = group_no != 0;
    }
    return status;
}

static stf_status append_tenant_name(stf_sqlite *sqlite, int64_t tenant_no, stf_buf *ret_tenant,
                                     stf_error *error)
{
    stf__sqlite_query query = stf__sqlite_query_start(&sqlite->conn, STF__SQL_TENANT_NAME);
    stf__sqlite_put_int(&query, tenant_no);
    bool has_row = false;
    stf_str name = {NULL, 0};
    stf_status status = stf__sqlite_step(&query, &has_row, error);
    if (status == STF_OK && has_row) {
        status = stf__sqlite_get_text(&query, 0, &name, error);
    }
    if (status == STF_OK && stf_buf_append_str(ret_tenant, name) != STF_OK) {
        status = stf__sqlite_no_memory(error);
    }
    stf__sqlite_done(&query);
    return status;
}

/* Looks only; *ret_no is 0 where the tenant must be made. */
static stf_status look_up_tenant(stf_sqlite *sqlite, stf_str group, stf_str tenant, int64_t *ret_no,
                                 stf_buf *ret_tenant, stf_error *error)
{
    int64_t group_no = 0;
    stf_status status = stf__sqlite_find_group(sqlite, group, &group_no, error);
    if (status == STF_OK && group_no == 0) {
        return stf__sqlite_group_not_found(group, error);
    }
    if (status == STF_OK) {
        status = stf__sqlite_find_tenant(sqlite, group_no, tenant, ret_no, error);
    }
    if (status == STF_OK && *ret_no != 0) {
        status = append_tenant_name(sqlite, *ret_no, ret_tenant, error);
    }
    return status;
}

static stf_status make_tenant(stf_sqlite *sqlite, const stf_ctx *ctx, stf_str group, stf_str tenant,
                              stf_error *error)
{
    stf_status status = stf__sqlite_enter_write(sqlite, ctx, error);
    if (status != STF_OK) {
        return status;
    }
    int64_t group_no = 0;
    int64_t tenant_no = 0;
    status = stf__sqlite_find_group(sqlite, group, &group_no, error);
    if (status == STF_OK) {
        status = stf__sqlite_ensure_tenant(sqlite, group_no, tenant, &tenant_no, error);
    }
    return stf__sqlite_finish_write(sqlite, status, error);
}

static stf_status resolve_tenant(void *impl, const stf_ctx *ctx, stf_str group, stf_str tenant,
                                 stf_buf *ret_tenant, stf_error *error)
{
    stf_sqlite *sqlite = sqlite_of(impl);
    int64_t tenant_no = 0;
    stf_status status = STF_OK;
    for (int round = 0; status == STF_OK && tenant_no == 0 && round < 2; round++) {
        if (round == 1) {
            status = make_tenant(sqlite, ctx, group, tenant, error);
        }
        if (status == STF_OK) {
            status = stf__sqlite_enter(sqlite, ctx, error);
        }
        if (status == STF_OK) {
            status = look_up_tenant(sqlite, group, tenant, &tenant_no, ret_tenant, error);
            stf__sqlite_leave(sqlite);
        }
    }
    return status;
}

/* ---- what it says of itself ---- */

static stf_status describe(void *impl, const stf_ctx *ctx, stf_repository_facts *ret_facts,
                           stf_error *error)
{
    static const char *const levels[] = {"OFF", "NORMAL", "FULL", "EXTRA"};
    stf_sqlite *sqlite = sqlite_of(impl);
    char mode[16] = "";
    int64_t level = 0;
    stf_status status = stf__sqlite_enter(sqlite, ctx, error);
    if (status != STF_OK) {
        return status;
    }
    status = stf__sqlite_pragma_text(&sqlite->conn, "PRAGMA journal_mode", mode, error);
    if (status == STF_OK) {
        status = stf__sqlite_pragma_int(&sqlite->conn, "PRAGMA synchronous", &level, error);
    }
    stf__sqlite_leave(sqlite);
    if (status != STF_OK) {
        return status;
    }
    bool is_synced = level >= 2 && strcmp(mode, "wal") == 0;
    ret_facts->flags = is_synced ? STF_REPOSITORY_DURABLE : 0;
    ret_facts->payload_bytes = STF_LIMIT_PAYLOAD_BYTES;
    (void)snprintf(ret_facts->name, sizeof(ret_facts->name), "sqlite");
    (void)snprintf(ret_facts->durability, sizeof(ret_facts->durability),
                   "journal_mode=%s synchronous=%s: %s", mode,
                   level >= 0 && level <= 3 ? levels[level] : "?",
                   is_synced ? "each commit is synced" : "a power cut may lose the last commits");
    return STF_OK;
}

/* ---- capabilities ---- */

static stf_status migrate(void *impl, const stf_ctx *ctx, stf_error *error)
{
    stf_sqlite *sqlite = sqlite_of(impl);
    stf_status status = stf__sqlite_enter(sqlite, ctx, error);
    if (status == STF_OK) {
        status = stf__sqlite_schema_migrate(&sqlite->conn, stf__sqlite_now(sqlite), error);
        stf__sqlite_leave(sqlite);
    }
    return status;
}

static stf_status check_schema(void *impl, const stf_ctx *ctx, stf_error *error)
{
    stf_sqlite *sqlite = sqlite_of(impl);
    stf__sqlite_schema_state state = STF__SQLITE_SCHEMA_NONE;
    stf_status status = stf__sqlite_enter(sqlite, ctx, error);
    if (status == STF_OK) {
        status = stf__sqlite_schema_look(&sqlite->conn, &state, error);
        stf__sqlite_leave(sqlite);
    }
    if (status == STF_OK && state != STF__SQLITE_SCHEMA_CURRENT) {
        status = stf_error_set(error, STF_SCHEMA_MISMATCH, "SQLITE_REPO",
                               "%s: the schema is %s; migrate the store", sqlite->path,
                               state == STF__SQLITE_SCHEMA_NONE ? "missing" : "older");
    }
    return status;
}

static bool is_compatible(void *impl)
{
    (void)impl;
    return false;
}

static const char *reason(void *impl)
{
    (void)impl;
    return "one machine; engines share one file";
}

static const stf_migrator_vtable migrator_slots = {
    .struct_size = sizeof(stf_migrator_vtable),
    .abi = STF_MIGRATOR_ABI,
    .migrate = migrate,
    .check_schema = check_schema,
};

static const stf_cluster_vtable cluster_slots = {
    .struct_size = sizeof(stf_cluster_vtable),
    .abi = STF_CLUSTER_ABI,
    .compatible = is_compatible,
    .reason = reason,
};

static const stf_batch_vtable batch_slots = {
    .struct_size = sizeof(stf_batch_vtable),
    .abi = STF_BATCH_ABI,
    .save_many = stf__sqlite_save_many,
    .load_many = stf__sqlite_load_many,
};

/* No clock: the engines of one machine share the machine's. */
static const void *extension(void *impl, const char *id)
{
    static const struct {
        const char *id;
        const void *slots;
    } capabilities[] = {
        {STF_REPOSITORY_MIGRATOR, &migrator_slots},
        {STF_REPOSITORY_CLUSTER, &cluster_slots},
        {STF_REPOSITORY_BATCH, &batch_slots},
        {STF_REPOSITORY_WAKE, &stf__sqlite_wake_slots},
        {STF_REPOSITORY_CATALOG, &stf__sqlite_catalog_slots},
        {STF_REPOSITORY_JOURNAL, &stf__sqlite_journal_slots},
        {STF_REPOSITORY_LIVENESS, &stf__sqlite_liveness_slots},
    };
    (void)impl;
    for (size_t i = 0; i < sizeof(capabilities) / sizeof(capabilities[0]); i++) {
        if (strcmp(capabilities[i].id, id) == 0) {
            return capabilities[i].slots;
        }
    }
    return NULL;
}

static void close_repository(void *impl)
{
    stf__sqlite_repository *repository = impl;
    stf_sqlite *sqlite = repository->sqlite;
    stf__sqlite_release_all_owners(repository);
    pthread_mutex_destroy(&repository->holds_mutex);
    stf__sqlite_free(sqlite, repository);
    stf_sqlite_unref(sqlite);
}

static const stf_repository_vtable slots = {
    .struct_size = sizeof(stf_repository_vtable),
    .abi = STF_REPOSITORY_ABI,
    .save = stf__sqlite_save,
    .load = stf__sqlite_load,
    .remove = stf__sqlite_remove,
    .list_in_flight = stf__sqlite_list_in_flight,
    .register_group = register_group,
    .group_exists = group_exists,
    .resolve_tenant = resolve_tenant,
    .describe = describe,
    .extension = extension,
    .close = close_repository,
};

stf_status stf_sqlite_open_repository(stf_sqlite *sqlite, stf_repository **ret_repository,
                                      stf_error *error)
{
    if (sqlite == NULL || ret_repository == NULL) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "SQLITE_REPO", "an argument is missing");
    }
    stf__sqlite_repository *repository = stf__sqlite_alloc(sqlite, sizeof(*repository));
    if (repository == NULL) {
        return stf__sqlite_no_memory(error);
    }
    repository->sqlite = stf_sqlite_ref(sqlite);
    pthread_mutex_init(&repository->holds_mutex, NULL);
    stf_status status =
        stf_repository_new(&sqlite->alloc, &slots, repository, ret_repository, error);
    if (status != STF_OK) {
        close_repository(repository);
    }
    return status;
}

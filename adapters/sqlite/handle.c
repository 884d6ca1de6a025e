/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing a database file. The schema is looked at before anything is changed, so a
 * file that this program does not understand stays as it was. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "schema.h"
#include "store.h"

#define DEFAULT_BUSY_TIMEOUT_US 5000000
#define DEFAULT_CHECKPOINT_BYTES 16777216u /* 16 MiB */
#define KNOWN_FLAGS (STF_SQLITE_SYNC_NORMAL | STF_SQLITE_MUST_EXIST | STF_SQLITE_NO_MIGRATION)

void *stf__sqlite_alloc(const stf_sqlite *sqlite, size_t size)
{
    void *memory = sqlite->alloc.alloc(sqlite->alloc.user, size);
    return memory != NULL ? memset(memory, 0, size) : NULL;
}

void stf__sqlite_free(const stf_sqlite *sqlite, void *memory)
{
    sqlite->alloc.free(sqlite->alloc.user, memory);
}

stf_status stf__sqlite_no_memory(stf_error *error)
{
    return stf_error_set(error, STF_NO_MEMORY, "SQLITE_REPO", "out of memory");
}

stf_wall stf__sqlite_now(const stf_sqlite *sqlite)
{
    return sqlite->clock->wall(sqlite->clock->user);
}

stf_status stf__sqlite_enter(stf_sqlite *sqlite, const stf_ctx *ctx, stf_error *error)
{
    stf_status status = stf__sqlite_gate_enter(&sqlite->gate, ctx, error);
    if (status == STF_OK) {
        sqlite->conn.ctx = ctx;
    }
    return status;
}

void stf__sqlite_leave(stf_sqlite *sqlite)
{
    sqlite->conn.ctx = NULL;
    stf__sqlite_gate_leave(&sqlite->gate);
}

stf_status stf__sqlite_enter_write(stf_sqlite *sqlite, const stf_ctx *ctx, stf_error *error)
{
    stf_status status = stf__sqlite_enter(sqlite, ctx, error);
    if (status != STF_OK) {
        return status;
    }
    status = stf__sqlite_begin(&sqlite->conn, error);
    if (status != STF_OK) {
        stf__sqlite_leave(sqlite);
    }
    return status;
}

stf_status stf__sqlite_finish_write(stf_sqlite *sqlite, stf_status status, stf_error *error)
{
    if (status == STF_OK) {
        status = stf__sqlite_commit(&sqlite->conn, error);
    } else {
        stf__sqlite_rollback(&sqlite->conn);
    }
    if (status != STF_OK) {
        sqlite->group.number = 0;
        sqlite->tenant.number = 0;
    }
    stf__sqlite_leave(sqlite);
    return status;
}

/* A relative path gets "./": SQLite gives ":memory:", "" and "file:..." meanings of their own. */
static char *copy_path(const stf_sqlite *sqlite, const char *path)
{
    size_t room = strlen(path) + sizeof("./");
    const char *prefix = path[0] == '/' ? "" : "./";
    char *copy = stf__sqlite_alloc(sqlite, room);
    if (copy != NULL) {
        snprintf(copy, room, "%s%s", prefix, path);
    }
    return copy;
}

/* Only stat: to open and close the file here would drop the locks that SQLite has on it. */
static stf_status check_exists(const char *path, stf_error *error)
{
    struct stat facts;
    if (stat(path, &facts) != 0 && errno == ENOENT) {
        return stf_error_set(error, STF_NOT_FOUND, "SQLITE_REPO", "%s: there is no such file",
                             path);
    }
    return STF_OK;
}

/* Settings of the connection; nothing here changes the file. Freed pages are overwritten only where
 * it costs no write of its own. */
static stf_status set_up_connection(stf_sqlite *sqlite, const stf_sqlite_options *options,
                                    stf_error *error)
{
    bool is_normal = (options->flags & STF_SQLITE_SYNC_NORMAL) != 0;
    stf_status status = stf__sqlite_exec(
        &sqlite->conn, is_normal ? "PRAGMA synchronous=NORMAL" : "PRAGMA synchronous=FULL", error);
    if (status == STF_OK) {
        status = stf__sqlite_exec(&sqlite->conn,
                                  "PRAGMA temp_store=MEMORY;"
                                  " PRAGMA secure_delete=FAST; PRAGMA cache_size=-16000;"
                                  " PRAGMA trusted_schema=OFF",
                                  error);
    }
    return status;
}

/* An upper bound that is lower than the file is raised to the file's size by SQLite. */
static stf_status limit_pages(stf_sqlite *sqlite, uint64_t max_page_count, stf_error *error)
{
    if (max_page_count == 0) {
        return STF_OK;
    }
    char text[64];
    (void)sqlite3_snprintf((int)sizeof(text), text, "PRAGMA max_page_count=%llu",
                           (unsigned long long)max_page_count);
    return stf__sqlite_exec(&sqlite->conn, text, error);
}

static stf_status prepare_schema(stf_sqlite *sqlite, const stf_sqlite_options *options,
                                 stf_error *error)
{
    stf__sqlite_schema_state state = STF__SQLITE_SCHEMA_NONE;
    stf_status status = stf__sqlite_schema_look(&sqlite->conn, &state, error);
    if (status != STF_OK) {
        return status;
    }
    bool may_migrate = (options->flags & STF_SQLITE_NO_MIGRATION) == 0;
    if (state != STF__SQLITE_SCHEMA_CURRENT && !may_migrate) {
        return stf_error_set(error, STF_SCHEMA_MISMATCH, "SQLITE_REPO",
                             "%s: the schema is %s; migrate the store", sqlite->path,
                             state == STF__SQLITE_SCHEMA_NONE ? "missing" : "older");
    }
    status = stf__sqlite_use_wal(&sqlite->conn, error);
    if (status == STF_OK) {
        status = limit_pages(sqlite, options->max_page_count, error);
    }
    if (status == STF_OK && state == STF__SQLITE_SCHEMA_NONE) {
        status = stf__sqlite_schema_migrate(&sqlite->conn, stf__sqlite_now(sqlite), error);
    }
    return status;
}

/* COMMIT and ROLLBACK must not need memory when they are needed. */
static stf_status prepare_transactions(stf_sqlite *sqlite, stf_error *error)
{
    static const unsigned statements[] = {STF__SQL_BEGIN, STF__SQL_COMMIT, STF__SQL_ROLLBACK};
    for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++) {
        stf__sqlite_query query = stf__sqlite_query_start(&sqlite->conn, statements[i]);
        if (query.code != SQLITE_OK) {
            return stf__sqlite_run(&query, error); /* reports it */
        }
    }
    return STF_OK;
}

static stf_status open_file(stf_sqlite *sqlite, const stf_sqlite_options *options, stf_error *error)
{
    bool may_create = (options->flags & (STF_SQLITE_MUST_EXIST | STF_SQLITE_NO_MIGRATION)) == 0;
    stf_status status = may_create ? STF_OK : check_exists(sqlite->path, error);
    if (status == STF_OK) {
        int64_t busy_us =
            options->busy_timeout_us != 0 ? options->busy_timeout_us : DEFAULT_BUSY_TIMEOUT_US;
        status = stf__sqlite_conn_open(
            &sqlite->conn, sqlite->path,
            SQLITE_OPEN_READWRITE | (may_create ? SQLITE_OPEN_CREATE : 0), busy_us, error);
    }
    return status;
}

static stf_status open_store(stf_sqlite *sqlite, const stf_ctx *ctx,
                             const stf_sqlite_options *options, stf_error *error)
{
    stf_status status = open_file(sqlite, options, error);
    if (status != STF_OK) {
        return status;
    }
    sqlite->conn.ctx = ctx;
    status = set_up_connection(sqlite, options, error);
    if (status == STF_OK) {
        status = prepare_schema(sqlite, options, error);
    }
    if (status == STF_OK) {
        status = prepare_transactions(sqlite, error);
    }
    if (status == STF_OK) {
        status = stf__sqlite_checkpointer_start(
            &sqlite->checkpointer, &sqlite->conn, &sqlite->gate,
            options->checkpoint_bytes != 0 ? options->checkpoint_bytes : DEFAULT_CHECKPOINT_BYTES,
            error);
    }
    sqlite->conn.ctx = NULL;
    if (status != STF_OK) {
        stf__sqlite_conn_close(&sqlite->conn);
    }
    return status;
}

static stf_status check_options(const stf_sqlite_options *options, stf_error *error)
{
    if (options == NULL || options->struct_size < sizeof(*options) ||
        options->abi != STF_SQLITE_ABI) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "SQLITE_REPO",
                             "the options are missing or of another version");
    }
    if (options->path == NULL || options->path[0] == '\0') {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "SQLITE_REPO", "the path is empty");
    }
    if ((options->flags & ~KNOWN_FLAGS) != 0 || options->busy_timeout_us < 0 ||
        options->max_page_count > UINT32_MAX - 1) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "SQLITE_REPO",
                             "%s: an option is out of its range", options->path);
    }
    return STF_OK;
}

static void free_handle(stf_sqlite *sqlite)
{
    stf_allocator alloc = sqlite->alloc;
    alloc.free(alloc.user, sqlite->path);
    alloc.free(alloc.user, sqlite);
}

stf_status stf_sqlite_open(const stf_ctx *ctx, const stf_sqlite_options *options,
                           stf_sqlite **ret_sqlite, stf_error *error)
{
    stf_status status = check_options(options, error);
    if (status == STF_OK && ret_sqlite == NULL) {
        status =
            stf_error_set(error, STF_INVALID_ARGUMENT, "SQLITE_REPO", "no place for the handle");
    }
    if (status == STF_OK) {
        status = stf_ctx_check(ctx, error);
    }
    if (status != STF_OK) {
        return status;
    }
    const stf_allocator *alloc = options->alloc != NULL ? options->alloc : stf_allocator_default();
    stf_sqlite *sqlite = alloc->alloc(alloc->user, sizeof(*sqlite));
    if (sqlite == NULL) {
        return stf__sqlite_no_memory(error);
    }
    *sqlite = (stf_sqlite){
        .references = 1,
        .alloc = *alloc,
        .clock = options->clock != NULL ? options->clock : stf_clock_system(),
    };
    sqlite->path = copy_path(sqlite, options->path);
    status = sqlite->path != NULL ? stf__sqlite_gate_init(&sqlite->gate, error)
                                  : stf__sqlite_no_memory(error);
    if (status != STF_OK) {
        free_handle(sqlite);
        return status;
    }
    status = open_store(sqlite, ctx, options, error);
    if (status != STF_OK) {
        stf__sqlite_gate_done(&sqlite->gate);
        free_handle(sqlite);
        return status;
    }
    *ret_sqlite = sqlite;
    return STF_OK;
}

stf_sqlite *stf_sqlite_ref(stf_sqlite *sqlite)
{
    if (sqlite != NULL) {
        atomic_fetch_add_explicit(&sqlite->references, 1, memory_order_relaxed);
    }
    return sqlite;
}

stf_sqlite *stf_sqlite_unref(stf_sqlite *sqlite)
{
    if (sqlite == NULL ||
        atomic_fetch_sub_explicit(&sqlite->references, 1, memory_order_acq_rel) != 1) {
        return NULL;
    }
    stf__sqlite_checkpointer_stop(&sqlite->checkpointer);
    stf__sqlite_checkpoint_at_close(&sqlite->conn);
    stf__sqlite_conn_close(&sqlite->conn);
    stf__sqlite_gate_done(&sqlite->gate);
    free_handle(sqlite);
    return NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The SQLite baseline: the least that a durable compare-and-set needs, with libsqlite3 itself. One
 * prepared UPDATE that names the version is a transaction of its own; a batch is BEGIN, the
 * UPDATEs, COMMIT. The schema, the log and the sync level are the store's. See bench_raw.h. */
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include <stepfast/sqlite.h>

#include "bench_raw.h"

enum {
    BEGIN,
    COMMIT,
    INSERT,
    UPDATE,
    READ,
    STATEMENTS
};

static const char *const texts[STATEMENTS] = {
    [BEGIN] = "BEGIN IMMEDIATE",
    [COMMIT] = "COMMIT",
    [INSERT] = "INSERT INTO stepfast_instances (rec_version, attempt, updated, head, id, group_no,"
               " tenant_no, status, incarnation, wait_count, bulk_bytes, label_key, label_version,"
               " created) VALUES (?1, ?2, ?3, ?4, ?5, 1, 1, 0, 0, 0, 0, 'bench', 1, ?3)",
    [UPDATE] = "UPDATE stepfast_instances SET rec_version = ?1, attempt = ?2, updated = ?3,"
               " head = ?4 WHERE id = ?5 AND rec_version = ?1 - 1",
    [READ] = "SELECT rec_version, attempt, status, owner, due, wait_count, label_key, updated, head"
             " FROM stepfast_instances WHERE id = ?1",
};

/* The store moves its log into the file from 16 MiB on; 4096 pages of 4 KiB are as much. */
static const char settings[] =
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA temp_store=MEMORY;"
    " PRAGMA secure_delete=FAST; PRAGMA cache_size=-16000; PRAGMA wal_autocheckpoint=4096";

/* The store makes the tables, whatever its schema is by now, and group and tenant number one. */
static stf_status make_file(const char *path, stf_error *error)
{
    stf_sqlite *sqlite = NULL;
    stf_repository *repository = NULL;
    stf_sqlite_options options = STF_SQLITE_OPTIONS_INIT;
    options.path = path;
    stf_buf tenant;
    stf_buf_init(&tenant, NULL);
    stf_str group = stf_str_of("bench");
    stf_status status = stf_sqlite_open(NULL, &options, &sqlite, error);
    if (status == STF_OK) {
        status = stf_sqlite_open_repository(sqlite, &repository, error);
    }
    if (status == STF_OK) {
        status = stf_repository_register_group(repository, NULL, group, error);
    }
    if (status == STF_OK) {
        status =
            stf_repository_resolve_tenant(repository, NULL, group, stf_str_of(""), &tenant, error);
    }
    stf_buf_done(&tenant);
    stf_repository_close(repository);
    stf_sqlite_unref(sqlite);
    return status;
}

typedef struct raw_file {
    bench_raw base;
    sqlite3 *db;
    sqlite3_stmt *statements[STATEMENTS];
    stf_buf read;
} raw_file;

static stf_status fail(const raw_file *self, const char *what, stf_error *error)
{
    return stf_error_set(error, STF_INTERNAL, "BENCH", "the raw SQLite reference, %s: %s", what,
                         self->db != NULL ? sqlite3_errmsg(self->db) : "no memory");
}

static bool run(sqlite3_stmt *statement)
{
    int code = sqlite3_step(statement);
    return sqlite3_reset(statement) == SQLITE_OK && code == SQLITE_DONE;
}

static stf_status write_row(raw_file *self, const bench_row *row, stf_error *error)
{
    uint8_t attempt[16] = {0};
    sqlite3_stmt *statement = self->statements[row->version == 1 ? INSERT : UPDATE];
    memcpy(attempt, &row->version, sizeof row->version);
    sqlite3_bind_int64(statement, 1, row->version);
    sqlite3_bind_blob(statement, 2, attempt, sizeof attempt, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 3, stf_clock_system()->wall(NULL).us);
    sqlite3_bind_blob64(statement, 4, row->head.data, row->head.size, SQLITE_STATIC);
    sqlite3_bind_text(statement, 5, row->id, BENCH_ID_BYTES, SQLITE_STATIC);
    if (!run(statement) || sqlite3_changes(self->db) != 1) {
        return fail(self, "writing", error);
    }
    return STF_OK;
}

static stf_status write_rows(bench_raw *raw, const bench_row *rows, size_t count, stf_error *error)
{
    raw_file *self = (raw_file *)raw;
    stf_status status = STF_OK;
    if (count > 1 && !run(self->statements[BEGIN])) {
        return fail(self, "begin", error);
    }
    for (size_t i = 0; i < count && status == STF_OK; i++) {
        status = write_row(self, &rows[i], error);
    }
    if (status == STF_OK && count > 1 && !run(self->statements[COMMIT])) {
        status = fail(self, "commit", error);
    }
    return status;
}

static stf_status read_row(bench_raw *raw, const bench_row *row, size_t *ret_size, stf_error *error)
{
    raw_file *self = (raw_file *)raw;
    sqlite3_stmt *statement = self->statements[READ];
    sqlite3_bind_text(statement, 1, row->id, BENCH_ID_BYTES, SQLITE_STATIC);
    if (sqlite3_step(statement) != SQLITE_ROW) {
        (void)sqlite3_reset(statement);
        return fail(self, "reading", error);
    }
    stf_buf_clear(&self->read);
    stf_status status = stf_buf_append(&self->read, sqlite3_column_blob(statement, 8),
                                       (size_t)sqlite3_column_bytes(statement, 8));
    *ret_size = self->read.size;
    (void)sqlite3_reset(statement);
    return status;
}

static void close_file(bench_raw *raw)
{
    raw_file *self = (raw_file *)raw;
    for (size_t i = 0; i < STATEMENTS; i++) {
        sqlite3_finalize(self->statements[i]);
    }
    (void)sqlite3_close(self->db);
    stf_buf_done(&self->read);
    free(self);
}

static bool prepare(raw_file *self)
{
    bool is_right = sqlite3_exec(self->db, settings, NULL, NULL, NULL) == SQLITE_OK;
    for (size_t i = 0; i < STATEMENTS && is_right; i++) {
        is_right = sqlite3_prepare_v3(self->db, texts[i], -1, SQLITE_PREPARE_PERSISTENT,
                                      &self->statements[i], NULL) == SQLITE_OK;
    }
    return is_right;
}

stf_status bench_raw_open_sqlite(const char *path, bench_raw **ret_raw, stf_error *error)
{
    static const bench_raw_vtable vtable = {write_rows, read_row, close_file};
    stf_status status = make_file(path, error);
    if (status != STF_OK) {
        return status;
    }
    raw_file *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return stf_error_set(error, STF_NO_MEMORY, "BENCH", "no memory for a raw reference");
    }
    self->base.vtable = &vtable;
    stf_buf_init(&self->read, NULL);
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(path, &self->db, flags, NULL) != SQLITE_OK || !prepare(self)) {
        status = fail(self, "opening", error);
        close_file(&self->base);
        return status;
    }
    *ret_raw = &self->base;
    return STF_OK;
}

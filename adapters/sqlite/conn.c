/* SPDX-License-Identifier: Apache-2.0 */
/* One connection to one file. Its handlers are set before the first statement, so no wait is
 * without bound: a lock wait ends at the deadline, at a cancel or after the busy timeout; a long
 * statement ends at the deadline or a cancel. COMMIT is never interrupted. */
#include "conn.h"

#include <string.h>

#include "gate.h"

/* Steps of SQLite's machine between two looks at the deadline; some 100 us. */
#define PROGRESS_STEPS 4000

static stf_status fail(stf__sqlite_conn *conn, int code, stf__sqlite_phase phase, stf_error *error)
{
    const stf__sqlite_failure failure = {
        .db = conn->db, .path = conn->path, .ctx = conn->ctx, .code = code, .phase = phase};
    return stf__sqlite_map(&failure, error);
}

/* The system's clock: an injected one may stand still, and this measures real waiting. */
static int64_t now_us(void)
{
    const stf_clock *clock = stf_clock_system();
    return clock->mono(clock->user).us;
}

static int on_busy(void *user, int count)
{
    static const int pauses_us[] = {50, 100, 200, 500, 1000, 2000};
    stf__sqlite_conn *conn = user;
    int64_t now = now_us();
    if (count == 0) {
        conn->busy_since_us = now;
    }
    int64_t left_us = conn->busy_timeout_us - (now - conn->busy_since_us);
    if (left_us <= 0 || stf_ctx_check(conn->ctx, NULL) != STF_OK) {
        return 0;
    }
    size_t last = sizeof(pauses_us) / sizeof(pauses_us[0]) - 1;
    int64_t pause_us = pauses_us[(size_t)count < last ? (size_t)count : last];
    stf__sqlite_pause(conn->ctx, -1, pause_us < left_us ? pause_us : left_us);
    return 1;
}

static int on_progress(void *user)
{
    const stf__sqlite_conn *conn = user;
    return stf_ctx_check(conn->ctx, NULL) != STF_OK;
}

stf_status stf__sqlite_conn_open(stf__sqlite_conn *conn, const char *path, int flags,
                                 int64_t busy_timeout_us, stf_error *error)
{
    *conn = (stf__sqlite_conn){.path = path, .busy_timeout_us = busy_timeout_us};
    int code =
        sqlite3_open_v2(path, &conn->db, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, NULL);
    if (code == SQLITE_OK && sqlite3_db_readonly(conn->db, "main") == 1) {
        code = SQLITE_READONLY;
    }
    if (code != SQLITE_OK) {
        stf_status status = fail(conn, code, STF__SQLITE_WORK, error);
        stf__sqlite_conn_close(conn);
        return status;
    }
    sqlite3_busy_handler(conn->db, on_busy, conn);
    sqlite3_progress_handler(conn->db, PROGRESS_STEPS, on_progress, conn);
    return STF_OK;
}

void stf__sqlite_conn_close(stf__sqlite_conn *conn)
{
    for (size_t i = 0; i < STF__SQL_COUNT; i++) {
        sqlite3_finalize(conn->statements[i]);
        conn->statements[i] = NULL;
    }
    (void)sqlite3_close(conn->db);
    conn->db = NULL;
}

stf_status stf__sqlite_exec(stf__sqlite_conn *conn, const char *text, stf_error *error)
{
    int code = sqlite3_exec(conn->db, text, NULL, NULL, NULL);
    return code == SQLITE_OK ? STF_OK : fail(conn, code, STF__SQLITE_WORK, error);
}

/* Steps a pragma to its first row; the caller finalizes. */
static int start_pragma(stf__sqlite_conn *conn, const char *text, sqlite3_stmt **ret_stmt)
{
    int code = sqlite3_prepare_v2(conn->db, text, -1, ret_stmt, NULL);
    return code == SQLITE_OK ? sqlite3_step(*ret_stmt) : code;
}

static int read_pragma_text(stf__sqlite_conn *conn, const char *text, char ret_value[16])
{
    sqlite3_stmt *stmt = NULL;
    int code = start_pragma(conn, text, &stmt);
    if (code == SQLITE_ROW) {
        const unsigned char *value = sqlite3_column_text(stmt, 0);
        (void)sqlite3_snprintf(16, ret_value, "%s", value != NULL ? (const char *)value : "");
        code = SQLITE_OK;
    }
    sqlite3_finalize(stmt);
    return code;
}

stf_status stf__sqlite_pragma_text(stf__sqlite_conn *conn, const char *text, char ret_value[16],
                                   stf_error *error)
{
    int code = read_pragma_text(conn, text, ret_value);
    return code == SQLITE_OK ? STF_OK : fail(conn, code, STF__SQLITE_WORK, error);
}

stf_status stf__sqlite_pragma_int(stf__sqlite_conn *conn, const char *text, int64_t *ret_value,
                                  stf_error *error)
{
    sqlite3_stmt *stmt = NULL;
    int code = start_pragma(conn, text, &stmt);
    if (code == SQLITE_ROW) {
        *ret_value = sqlite3_column_int64(stmt, 0);
    }
    sqlite3_finalize(stmt);
    return code == SQLITE_ROW ? STF_OK : fail(conn, code, STF__SQLITE_WORK, error);
}

/* SQLite does not call the busy handler while it upgrades the lock for this pragma. */
stf_status stf__sqlite_use_wal(stf__sqlite_conn *conn, stf_error *error)
{
    char mode[16] = "";
    int code = read_pragma_text(conn, "PRAGMA journal_mode=WAL", mode);
    for (int count = 0; (code & 0xff) == SQLITE_BUSY && on_busy(conn, count) != 0; count++) {
        code = read_pragma_text(conn, "PRAGMA journal_mode=WAL", mode);
    }
    if (code != SQLITE_OK) {
        return fail(conn, code, STF__SQLITE_WORK, error);
    }
    if (strcmp(mode, "wal") != 0) {
        return stf_error_set(error, STF_UNAVAILABLE, "SQLITE_REPO",
                             "%s: the write-ahead log is not possible here; the journal mode is %s",
                             conn->path, mode);
    }
    return STF_OK;
}

stf_status stf__sqlite_begin(stf__sqlite_conn *conn, stf_error *error)
{
    stf__sqlite_query query = stf__sqlite_query_start(conn, STF__SQL_BEGIN);
    return stf__sqlite_run(&query, error);
}

/* The last look at the deadline is before COMMIT. The handlers are blind from there on: SQLite asks
 * the progress handler once more when COMMIT has done its work, and would report an interrupt. */
stf_status stf__sqlite_commit(stf__sqlite_conn *conn, stf_error *error)
{
    stf_status status = stf_ctx_check(conn->ctx, error);
    if (status == STF_OK) {
        const stf_ctx *ctx = conn->ctx;
        conn->ctx = NULL;
        stf__sqlite_query query = stf__sqlite_query_start(conn, STF__SQL_COMMIT);
        int code = query.code == SQLITE_OK ? sqlite3_step(query.stmt) : query.code;
        if (code != SQLITE_DONE) {
            /* Without a statement nothing was sent. */
            status =
                fail(conn, code, query.stmt != NULL ? STF__SQLITE_COMMIT : STF__SQLITE_WORK, error);
        }
        stf__sqlite_done(&query);
        conn->ctx = ctx;
    }
    if (status != STF_OK) {
        stf__sqlite_rollback(conn);
    }
    return status;
}

/* Must not need memory for a statement of its own and must not be interrupted. SQLite may have
 * rolled back already. */
void stf__sqlite_rollback(stf__sqlite_conn *conn)
{
    const stf_ctx *ctx = conn->ctx;
    conn->ctx = NULL;
    if (sqlite3_get_autocommit(conn->db) == 0) {
        stf__sqlite_query query = stf__sqlite_query_start(conn, STF__SQL_ROLLBACK);
        if (query.stmt != NULL) {
            (void)sqlite3_step(query.stmt);
        }
        stf__sqlite_done(&query);
    }
    conn->ctx = ctx;
}

stf__sqlite_query stf__sqlite_query_start(stf__sqlite_conn *conn, unsigned statement)
{
    stf__sqlite_query query = {.conn = conn, .next = 1};
    sqlite3_stmt **slot = &conn->statements[statement];
    if (*slot == NULL) {
        char buffer[STF__SQLITE_STATEMENT_BYTES];
        const char *text = stf__sqlite_statement_text(statement, buffer);
        query.code = sqlite3_prepare_v3(conn->db, text, -1, SQLITE_PREPARE_PERSISTENT, slot, NULL);
    }
    query.stmt = *slot;
    return query;
}

static void note(stf__sqlite_query *query, int code)
{
    if (query->code == SQLITE_OK) {
        query->code = code;
    }
}

/* Nothing can be bound to a statement that was not prepared. */
static bool take_parameter(stf__sqlite_query *query, int *ret_index)
{
    *ret_index = query->next++;
    return query->stmt != NULL;
}

void stf__sqlite_put_int(stf__sqlite_query *query, int64_t value)
{
    int index = 0;
    if (take_parameter(query, &index)) {
        note(query, sqlite3_bind_int64(query->stmt, index, value));
    }
}

void stf__sqlite_put_null(stf__sqlite_query *query)
{
    int index = 0;
    if (take_parameter(query, &index)) {
        note(query, sqlite3_bind_null(query->stmt, index));
    }
}

void stf__sqlite_put_time(stf__sqlite_query *query, stf_wall time)
{
    if (stf_wall_is_none(time)) {
        stf__sqlite_put_null(query);
    } else {
        stf__sqlite_put_int(query, time.us);
    }
}

/* SQLITE_STATIC: the caller's bytes outlive the query, and done unbinds them. */
void stf__sqlite_put_text(stf__sqlite_query *query, stf_str text)
{
    int index = 0;
    if (take_parameter(query, &index)) {
        note(query, sqlite3_bind_text64(query->stmt, index, text.size != 0 ? text.data : "",
                                        text.size, SQLITE_STATIC, SQLITE_UTF8));
    }
}

void stf__sqlite_put_name(stf__sqlite_query *query, stf_str text)
{
    if (text.size == 0) {
        stf__sqlite_put_null(query);
    } else {
        stf__sqlite_put_text(query, text);
    }
}

void stf__sqlite_put_blob(stf__sqlite_query *query, const void *data, size_t size)
{
    int index = 0;
    if (take_parameter(query, &index)) {
        note(query,
             sqlite3_bind_blob64(query->stmt, index, size != 0 ? data : "", size, SQLITE_STATIC));
    }
}

stf_status stf__sqlite_step(stf__sqlite_query *query, bool *ret_has_row, stf_error *error)
{
    int code = query->code == SQLITE_OK ? sqlite3_step(query->stmt) : query->code;
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
        return fail(query->conn, code, STF__SQLITE_WORK, error);
    }
    *ret_has_row = code == SQLITE_ROW;
    return STF_OK;
}

stf_status stf__sqlite_run(stf__sqlite_query *query, stf_error *error)
{
    bool has_row = false;
    stf_status status = stf__sqlite_step(query, &has_row, error);
    stf__sqlite_done(query);
    return status;
}

void stf__sqlite_done(stf__sqlite_query *query)
{
    if (query->stmt != NULL) {
        (void)sqlite3_reset(query->stmt); /* repeats the failure that step reported */
        (void)sqlite3_clear_bindings(query->stmt);
    }
}

int64_t stf__sqlite_get_int(const stf__sqlite_query *query, int column)
{
    return sqlite3_column_int64(query->stmt, column);
}

stf_wall stf__sqlite_get_time(const stf__sqlite_query *query, int column)
{
    if (sqlite3_column_type(query->stmt, column) == SQLITE_NULL) {
        return stf_wall_none();
    }
    return (stf_wall){sqlite3_column_int64(query->stmt, column)};
}

stf_status stf__sqlite_get_bytes(const stf__sqlite_query *query, int column, stf_bytes *ret_bytes,
                                 stf_error *error)
{
    const void *data = sqlite3_column_blob(query->stmt, column);
    int size = sqlite3_column_bytes(query->stmt, column);
    if (data == NULL && sqlite3_errcode(query->conn->db) == SQLITE_NOMEM) {
        return fail(query->conn, SQLITE_NOMEM, STF__SQLITE_WORK, error);
    }
    *ret_bytes = (stf_bytes){.data = data, .size = data != NULL ? (size_t)size : 0};
    return STF_OK;
}

stf_status stf__sqlite_get_text(const stf__sqlite_query *query, int column, stf_str *ret_text,
                                stf_error *error)
{
    stf_bytes bytes = {NULL, 0};
    stf_status status = stf__sqlite_get_bytes(query, column, &bytes, error);
    if (status == STF_OK) {
        *ret_text = (stf_str){.data = (const char *)bytes.data, .size = bytes.size};
    }
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* One connection to one file: opening, pragmas, waiting under a deadline, prepared statements.
 * Used by one thread at a time (gate.h). */
#ifndef STF_SQLITE_CONN_H
#define STF_SQLITE_CONN_H

#include <sqlite3.h>
#include <stepfast/ctx.h>

#include "errmap.h"
#include "statements.h"

typedef struct stf__sqlite_conn {
    sqlite3 *db;
    const char *path;   /* borrowed */
    const stf_ctx *ctx; /* of the running call; looked at by lock waits and long statements */
    int64_t busy_timeout_us;
    int64_t busy_since_us;
    sqlite3_stmt *statements[STF__SQL_COUNT];
} stf__sqlite_conn;

/* Opens with the busy and progress handlers in place; no statement has run. flags are
 * SQLITE_OPEN_*. */
STF_MUST_CHECK stf_status stf__sqlite_conn_open(stf__sqlite_conn *conn, const char *path, int flags,
                                                int64_t busy_timeout_us, stf_error *error);
void stf__sqlite_conn_close(stf__sqlite_conn *conn);

/* Runs text that gives no rows of interest. */
STF_MUST_CHECK stf_status stf__sqlite_exec(stf__sqlite_conn *conn, const char *text,
                                           stf_error *error);

/* The first column of the first row of a pragma, as text (cut) or number. */
STF_MUST_CHECK stf_status stf__sqlite_pragma_text(stf__sqlite_conn *conn, const char *text,
                                                  char ret_value[16], stf_error *error);
STF_MUST_CHECK stf_status stf__sqlite_pragma_int(stf__sqlite_conn *conn, const char *text,
                                                 int64_t *ret_value, stf_error *error);

/* journal_mode=WAL, waiting for others who do the same. */
STF_MUST_CHECK stf_status stf__sqlite_use_wal(stf__sqlite_conn *conn, stf_error *error);

/* A write transaction. A commit that fails is rolled back. */
STF_MUST_CHECK stf_status stf__sqlite_begin(stf__sqlite_conn *conn, stf_error *error);
STF_MUST_CHECK stf_status stf__sqlite_commit(stf__sqlite_conn *conn, stf_error *error);
void stf__sqlite_rollback(stf__sqlite_conn *conn);

/* ---- One use of a prepared statement: start, bind in order, step, done ---- */

typedef struct stf__sqlite_query {
    stf__sqlite_conn *conn;
    sqlite3_stmt *stmt;
    int code; /* the first failure; reported by the next step */
    int next; /* the next parameter */
} stf__sqlite_query;

stf__sqlite_query stf__sqlite_query_start(stf__sqlite_conn *conn, unsigned statement);
void stf__sqlite_put_int(stf__sqlite_query *query, int64_t value);
void stf__sqlite_put_null(stf__sqlite_query *query);
void stf__sqlite_put_time(stf__sqlite_query *query, stf_wall time); /* none: NULL */
void stf__sqlite_put_text(stf__sqlite_query *query, stf_str text);
void stf__sqlite_put_name(stf__sqlite_query *query, stf_str text); /* empty: NULL */
void stf__sqlite_put_blob(stf__sqlite_query *query, const void *data, size_t size);

STF_MUST_CHECK stf_status stf__sqlite_step(stf__sqlite_query *query, bool *ret_has_row,
                                           stf_error *error);
/* One step, then done; for statements without rows. */
STF_MUST_CHECK stf_status stf__sqlite_run(stf__sqlite_query *query, stf_error *error);
/* Gives the statement back, with nothing bound. */
void stf__sqlite_done(stf__sqlite_query *query);

int64_t stf__sqlite_get_int(const stf__sqlite_query *query, int column);
stf_wall stf__sqlite_get_time(const stf__sqlite_query *query, int column); /* NULL: none */
/* Views, valid until the next step. SQLite reports memory that ran out as NULL: NO_MEMORY. */
STF_MUST_CHECK stf_status stf__sqlite_get_bytes(const stf__sqlite_query *query, int column,
                                                stf_bytes *ret_bytes, stf_error *error);
STF_MUST_CHECK stf_status stf__sqlite_get_text(const stf__sqlite_query *query, int column,
                                               stf_str *ret_text, stf_error *error);

#endif

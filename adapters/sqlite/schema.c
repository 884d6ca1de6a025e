/* SPDX-License-Identifier: Apache-2.0 */
/* Numbered migrations, embedded as text, and the ledger of those that were applied. A newer schema
 * or an edited migration is refused, never guessed. */
#include "schema.h"

#include <inttypes.h>
#include <stdio.h>
#include <stepfast/sqlite.h>
#include <string.h>

typedef struct migration {
    int64_t number;
    const char *text;
} migration;

static const migration migrations[] = {
    {1, stf__sqlite_migration_0001_initial},
};

#define MIGRATION_COUNT (sizeof(migrations) / sizeof(migrations[0]))

static const char ledger_sql[] = "CREATE TABLE IF NOT EXISTS stepfast_schema_version ("
                                 " number INTEGER PRIMARY KEY, checksum TEXT NOT NULL,"
                                 " applied INTEGER NOT NULL)";

const char *stf_sqlite_schema_sql(void)
{
    return stf__sqlite_migration_0001_initial;
}

/* FNV-1a, 64 bits: guards against edits by mistake, not against an attacker. */
void stf__sqlite_schema_checksum(const char *text, char ret_checksum[17])
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *text != '\0'; text++) {
        hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
    }
    (void)snprintf(ret_checksum, 17, "%016" PRIx64, hash);
}

static stf_status check_row(const stf__sqlite_conn *conn, size_t row, int64_t number,
                            stf_str checksum, stf_error *error)
{
    if (row >= MIGRATION_COUNT) {
        return stf_error_set(error, STF_SCHEMA_MISMATCH, "SQLITE_REPO",
                             "%s: the schema is newer (%" PRId64
                             ") than this program knows (%" PRId64 ")",
                             conn->path, number, migrations[MIGRATION_COUNT - 1].number);
    }
    char expected[17];
    stf__sqlite_schema_checksum(migrations[row].text, expected);
    if (number != migrations[row].number || !stf_str_equal(checksum, stf_str_of(expected))) {
        return stf_error_set(error, STF_SCHEMA_MISMATCH, "SQLITE_REPO",
                             "%s: migration %" PRId64
                             " was applied with other content than this program's (checksum %s)",
                             conn->path, number, expected);
    }
    return STF_OK;
}

/* Compares the rows in their order; *ret_count is how many migrations were applied. */
static stf_status read_ledger(stf__sqlite_conn *conn, sqlite3_stmt *stmt, size_t *ret_count,
                              stf_error *error)
{
    stf__sqlite_query query = {.conn = conn, .stmt = stmt};
    size_t count = 0;
    for (;;) {
        bool has_row = false;
        stf_str checksum = {NULL, 0};
        stf_status status = stf__sqlite_step(&query, &has_row, error);
        if (status == STF_OK && !has_row) {
            break;
        }
        if (status == STF_OK) {
            status = stf__sqlite_get_text(&query, 1, &checksum, error);
        }
        if (status == STF_OK) {
            status = check_row(conn, count, stf__sqlite_get_int(&query, 0), checksum, error);
        }
        if (status != STF_OK) {
            return status;
        }
        count++;
    }
    *ret_count = count;
    return STF_OK;
}

/* *ret_has_ledger is false where the table is missing. */
static stf_status count_applied(stf__sqlite_conn *conn, bool *ret_has_ledger, size_t *ret_count,
                                stf_error *error)
{
    int64_t ledgers = 0;
    stf_status status =
        stf__sqlite_pragma_int(conn,
                               "SELECT count(*) FROM sqlite_schema"
                               " WHERE type = 'table' AND name = 'stepfast_schema_version'",
                               &ledgers, error);
    if (status != STF_OK) {
        return status;
    }
    *ret_has_ledger = ledgers != 0;
    *ret_count = 0;
    if (ledgers == 0) {
        return STF_OK;
    }
    sqlite3_stmt *stmt = NULL;
    stf__sqlite_query query = {.conn = conn};
    query.code = sqlite3_prepare_v2(
        conn->db, "SELECT number, checksum FROM stepfast_schema_version ORDER BY number", -1, &stmt,
        NULL);
    if (query.code != SQLITE_OK) {
        bool has_row = false;
        return stf__sqlite_step(&query, &has_row, error); /* reports the failure */
    }
    status = read_ledger(conn, stmt, ret_count, error);
    sqlite3_finalize(stmt);
    return status;
}

stf_status stf__sqlite_schema_look(stf__sqlite_conn *conn, stf__sqlite_schema_state *ret_state,
                                   stf_error *error)
{
    char encoding[16] = "";
    stf_status status = stf__sqlite_pragma_text(conn, "PRAGMA encoding", encoding, error);
    if (status == STF_OK && strcmp(encoding, "UTF-8") != 0) {
        status = stf_error_set(error, STF_SCHEMA_MISMATCH, "SQLITE_REPO",
                               "%s: the database stores text as %s; ids are ordered by UTF-8 bytes",
                               conn->path, encoding);
    }
    bool has_ledger = false;
    size_t count = 0;
    if (status == STF_OK) {
        status = count_applied(conn, &has_ledger, &count, error);
    }
    if (status == STF_OK) {
        *ret_state = !has_ledger               ? STF__SQLITE_SCHEMA_NONE
                     : count < MIGRATION_COUNT ? STF__SQLITE_SCHEMA_OLDER
                                               : STF__SQLITE_SCHEMA_CURRENT;
    }
    return status;
}

static stf_status apply(stf__sqlite_conn *conn, const migration *next, stf_wall now,
                        stf_error *error)
{
    stf_status status = stf__sqlite_exec(conn, next->text, error);
    if (status != STF_OK) {
        return status;
    }
    char checksum[17];
    char text[160];
    stf__sqlite_schema_checksum(next->text, checksum);
    (void)snprintf(text, sizeof(text),
                   "INSERT INTO stepfast_schema_version (number, checksum, applied)"
                   " VALUES (%" PRId64 ", '%s', %" PRId64 ")",
                   next->number, checksum, now.us);
    return stf__sqlite_exec(conn, text, error);
}

/* One migration, or none: *ret_is_done. What was applied is read again under the write lock. */
static stf_status migrate_step(stf__sqlite_conn *conn, stf_wall now, bool *ret_is_done,
                               stf_error *error)
{
    stf_status status = stf__sqlite_exec(conn, "BEGIN IMMEDIATE", error);
    if (status != STF_OK) {
        return status;
    }
    bool has_ledger = false;
    size_t count = 0;
    status = count_applied(conn, &has_ledger, &count, error);
    if (status == STF_OK && count == MIGRATION_COUNT) {
        stf__sqlite_rollback(conn);
        *ret_is_done = true;
        return STF_OK;
    }
    if (status == STF_OK && !has_ledger) {
        status = stf__sqlite_exec(conn, ledger_sql, error);
    }
    if (status == STF_OK) {
        status = apply(conn, &migrations[count], now, error);
    }
    if (status != STF_OK) {
        stf__sqlite_rollback(conn);
        return status;
    }
    return stf__sqlite_commit(conn, error);
}

stf_status stf__sqlite_schema_migrate(stf__sqlite_conn *conn, stf_wall now, stf_error *error)
{
    bool is_done = false;
    stf_status status = STF_OK;
    while (status == STF_OK && !is_done) {
        status = migrate_step(conn, now, &is_done, error);
    }
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The one place that turns a result of SQLite into a status. "Nothing was written" is promised only
 * where SQLite has rolled back or will: a failed write or sync inside COMMIT may leave a complete
 * transaction in the log, which the next recovery would find, so it is OUTCOME_UNKNOWN. */
#include "errmap.h"

#include <string.h>

typedef struct mapping {
    int code; /* primary, or extended where the primary code's row does not fit */
    const char *name;
    stf_status status;
    const char *sentence;
} mapping;

#define ROW(code, status, sentence)                                                                \
    {                                                                                              \
        code, #code, status, sentence                                                              \
    }

/* An exact row wins over the primary code's row. */
static const mapping mappings[] = {
    ROW(SQLITE_BUSY, STF_UNAVAILABLE, "another connection holds the write lock"),
    ROW(SQLITE_BUSY_SNAPSHOT, STF_UNAVAILABLE, "another connection wrote meanwhile"),
    ROW(SQLITE_BUSY_RECOVERY, STF_UNAVAILABLE, "another connection recovers the log"),
    ROW(SQLITE_LOCKED, STF_UNAVAILABLE, "another statement holds a lock"),
    ROW(SQLITE_PROTOCOL, STF_UNAVAILABLE, "the lock protocol did not settle"),
    ROW(SQLITE_FULL, STF_UNAVAILABLE,
        "the disk or the file (max_page_count) is full; the change was rolled back"),
    ROW(SQLITE_IOERR, STF_UNAVAILABLE, "an I/O error; the change was rolled back"),
    ROW(SQLITE_IOERR_READ, STF_UNAVAILABLE, "reading failed"),
    ROW(SQLITE_IOERR_WRITE, STF_UNAVAILABLE, "writing failed; the change was rolled back"),
    ROW(SQLITE_IOERR_FSYNC, STF_UNAVAILABLE, "syncing failed; the change was rolled back"),
    ROW(SQLITE_IOERR_NOMEM, STF_NO_MEMORY, "out of memory"),
    ROW(SQLITE_IOERR_DATA, STF_CORRUPT, "a page does not match its checksum"),
    ROW(SQLITE_IOERR_CORRUPTFS, STF_CORRUPT, "the file system is damaged"),
    ROW(SQLITE_CORRUPT, STF_CORRUPT, "the database is damaged"),
    ROW(SQLITE_NOTADB, STF_CORRUPT, "the file is not an SQLite database"),
    ROW(SQLITE_READONLY, STF_UNAVAILABLE, "the file is not writable"),
    ROW(SQLITE_READONLY_DBMOVED, STF_UNAVAILABLE, "the file was moved or deleted while open"),
    ROW(SQLITE_CANTOPEN, STF_UNAVAILABLE, "the file cannot be opened or created"),
    ROW(SQLITE_CANTOPEN_ISDIR, STF_UNAVAILABLE, "the path is a directory"),
    ROW(SQLITE_PERM, STF_UNAVAILABLE, "access is denied"),
    ROW(SQLITE_AUTH, STF_UNAVAILABLE, "access is denied"),
    ROW(SQLITE_NOMEM, STF_NO_MEMORY, "out of memory"),
    ROW(SQLITE_TOOBIG, STF_LIMIT_EXCEEDED, "a value is too large for SQLite"),
    ROW(SQLITE_NOLFS, STF_LIMIT_EXCEEDED, "the file system has no large files"),
    ROW(SQLITE_INTERRUPT, STF_UNAVAILABLE, "the statement was interrupted"),
    ROW(SQLITE_ERROR, STF_INTERNAL, "a statement failed"),
    ROW(SQLITE_CONSTRAINT, STF_INTERNAL, "a constraint was violated"),
    ROW(SQLITE_MISMATCH, STF_CORRUPT, "a stored value has an impossible type"),
    ROW(SQLITE_MISUSE, STF_INTERNAL, "SQLite was called wrongly"),
    ROW(SQLITE_ABORT, STF_INTERNAL, "the statement was aborted"),
};

static const mapping other = {0, "SQLITE_OTHER", STF_INTERNAL, "an unexpected result of SQLite"};

static const mapping *find_mapping(int code)
{
    const mapping *found = &other;
    for (size_t i = 0; i < sizeof(mappings) / sizeof(mappings[0]); i++) {
        if (mappings[i].code == code) {
            return &mappings[i];
        }
        if (mappings[i].code == (code & 0xff)) {
            found = &mappings[i];
        }
    }
    return found;
}

/* SQLite has no result of its own for a schema that lacks what a statement names. */
static bool is_schema_error(const stf__sqlite_failure *failure)
{
    if (failure->code != SQLITE_ERROR || failure->db == NULL) {
        return false;
    }
    const char *text = sqlite3_errmsg(failure->db);
    return strncmp(text, "no such ", strlen("no such ")) == 0 ||
           strstr(text, "has no column named") != NULL;
}

/* A COMMIT that could not start wrote nothing, and a full disk leaves no complete transaction. */
static bool is_outcome_known(int code)
{
    int primary = code & 0xff;
    return primary == SQLITE_BUSY || primary == SQLITE_LOCKED || primary == SQLITE_FULL ||
           primary == SQLITE_READONLY;
}

static bool is_wait(int code)
{
    int primary = code & 0xff;
    return primary == SQLITE_BUSY || primary == SQLITE_LOCKED || primary == SQLITE_INTERRUPT;
}

/* The connection's own text is of its last call, which need not be what failed: that a file is
 * read-only is found before any. */
static const char *get_detail(const stf__sqlite_failure *failure)
{
    bool is_last = failure->db != NULL &&
                   (sqlite3_extended_errcode(failure->db) & 0xff) == (failure->code & 0xff);
    return is_last ? sqlite3_errmsg(failure->db) : sqlite3_errstr(failure->code);
}

static stf_status describe(const stf__sqlite_failure *failure, const mapping *row, stf_error *error)
{
    const char *detail = get_detail(failure);
    if (failure->phase == STF__SQLITE_COMMIT && !is_outcome_known(failure->code)) {
        return stf_error_set(error, STF_OUTCOME_UNKNOWN, "SQLITE_REPO",
                             "%s: COMMIT failed and may still have taken effect: %s (%s)",
                             failure->path, row->sentence, detail);
    }
    if (is_schema_error(failure)) {
        return stf_error_set(error, STF_SCHEMA_MISMATCH, "SQLITE_REPO",
                             "%s: the schema lacks a part (migrate the store): %s", failure->path,
                             detail);
    }
    return stf_error_set(error, row->status, "SQLITE_REPO", "%s: %s (%s)", failure->path,
                         row->sentence, detail);
}

stf_status stf__sqlite_map(const stf__sqlite_failure *failure, stf_error *error)
{
    const mapping *row = find_mapping(failure->code);
    if (is_wait(failure->code)) {
        stf_status status = stf_ctx_check(failure->ctx, error);
        if (status != STF_OK) {
            stf_error_context(error, "%s: %s", failure->path, row->sentence);
            return status;
        }
    }
    stf_status status = describe(failure, row, error);
    stf_error_set_native(error, "%s (%d)", row->name, failure->code);
    stf_error_add_detail(error, "path", "%s", failure->path);
    return status;
}

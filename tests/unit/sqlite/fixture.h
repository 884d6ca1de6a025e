/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of this room share: a store in a directory of its own, a clock that stands still,
 * a counting allocator, and a VFS that counts and fails. */
#ifndef STF_TEST_SQLITE_FIXTURE_H
#define STF_TEST_SQLITE_FIXTURE_H

#include <sqlite3.h>
#include <stepfast/sqlite.h>
#include <stepfast/sys/repository_batch.h>
#include <stepfast/sys/repository_catalog.h>
#include <stepfast/sys/repository_journal.h>
#include <stepfast/sys/repository_liveness.h>
#include <stepfast/sys/repository_migrator.h>
#include <stepfast/sys/repository_wake.h>

#include "support/stf_test.h"

#define FIXTURE_NOW 1700000000000000 /* what the clock says at first */

typedef struct sqlite_fixture {
    char dir[64];
    char path[96];
    int64_t now_us;
    stf_clock clock;
    stf_sqlite_options options; /* may be changed before fixture_open */
    stf_sqlite *sqlite;
    stf_repository *repository;
    stf_error error;
} sqlite_fixture;

/* A directory and no file yet. */
void fixture_make(sqlite_fixture *fixture);
/* Opens with fixture->options and registers the group "g"; fails the test otherwise. */
void fixture_open(sqlite_fixture *fixture);
void fixture_init(sqlite_fixture *fixture); /* both */
void fixture_close(sqlite_fixture *fixture);
void fixture_done(sqlite_fixture *fixture); /* closes, removes the directory */

/* Another handle on the same file; ends with stf_repository_close. */
stf_repository *fixture_second(sqlite_fixture *fixture);

/* Raw SQL on the closed or open file, through a connection of its own. */
void fixture_sql(const sqlite_fixture *fixture, const char *text);
int64_t fixture_sql_int(const sqlite_fixture *fixture, const char *text);

/* An active record of group "g", tenant "t", head "head". */
stf_record fixture_record(const char *id);
stf_str fixture_str(const char *text);
stf_bytes fixture_bytes(const char *text);

/* A save of the record that expects that version; its attempt is drawn from a counter. */
stf_save fixture_save(const stf_record *record, int64_t expected_version);
stf_status fixture_put(stf_repository *repository, const stf_record *record,
                       int64_t expected_version, stf_error *error);
/* The stored version; 0 where there is no record. Fails the test on an error. */
int64_t fixture_version(stf_repository *repository, const char *id);

/* Visitors that put ids, each with a blank behind it, into a stf_buf. */
stf_status fixture_note_id(void *user, stf_str id, stf_error *error);
stf_status fixture_note_wake(void *user, const stf_wake_row *row, stf_error *error);
stf_status fixture_note_record(void *user, const stf_record *record, stf_error *error);

/* ---- allocator: fails the n-th call ---- */

typedef struct fixture_alloc {
    stf_allocator alloc;
    int64_t calls;
    int64_t fail_at; /* 0: never */
    int64_t live;    /* blocks not freed */
} fixture_alloc;

void fixture_alloc_init(fixture_alloc *counting);

/* ---- VFS: counts writes of the log, fails the n-th write or sync ---- */

typedef struct fixture_vfs_state {
    _Atomic uint64_t wal_bytes; /* written to the log */
    _Atomic uint64_t writes;    /* and syncs and truncates, of every file; what fail_at counts */
    uint64_t fail_at;           /* 0: never */
    uint64_t fail_count;        /* how many in a row */
    int fail_code;              /* 0: the kind's own (IOERR_WRITE, IOERR_FSYNC, IOERR_TRUNCATE) */
    int failed_code;            /* what the first failing call gave; 0: none failed */
    int fail_kinds;             /* FIXTURE_FAIL_*; 0: all */
    void (*_Atomic on_db_write)(
        void *user); /* before each write of the database file; may be NULL */
    void *user;
} fixture_vfs_state;

#define FIXTURE_FAIL_WRITE 1
#define FIXTURE_FAIL_SYNC 2
#define FIXTURE_FAIL_TRUNCATE 4

/* Makes it the default VFS of this process. */
fixture_vfs_state *fixture_vfs_install(void);

#endif

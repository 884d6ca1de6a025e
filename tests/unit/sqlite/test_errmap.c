/* SPDX-License-Identifier: Apache-2.0 */
/* The table of native results: their status before COMMIT and from COMMIT. */
#include "errmap.h"

#include "fixture.h"

typedef struct row {
    int code;
    stf_status work;
    stf_status commit;
    const char *native;
} row;

static const row rows[] = {
    {SQLITE_BUSY, STF_UNAVAILABLE, STF_UNAVAILABLE, "SQLITE_BUSY (5)"},
    {SQLITE_BUSY_SNAPSHOT, STF_UNAVAILABLE, STF_UNAVAILABLE, "SQLITE_BUSY_SNAPSHOT (517)"},
    {SQLITE_LOCKED, STF_UNAVAILABLE, STF_UNAVAILABLE, "SQLITE_LOCKED (6)"},
    {SQLITE_FULL, STF_UNAVAILABLE, STF_UNAVAILABLE, "SQLITE_FULL (13)"},
    {SQLITE_IOERR_WRITE, STF_UNAVAILABLE, STF_OUTCOME_UNKNOWN, "SQLITE_IOERR_WRITE (778)"},
    {SQLITE_IOERR_FSYNC, STF_UNAVAILABLE, STF_OUTCOME_UNKNOWN, "SQLITE_IOERR_FSYNC (1034)"},
    {SQLITE_IOERR_SHMMAP, STF_UNAVAILABLE, STF_OUTCOME_UNKNOWN, "SQLITE_IOERR (5386)"},
    {SQLITE_IOERR_NOMEM, STF_NO_MEMORY, STF_OUTCOME_UNKNOWN, "SQLITE_IOERR_NOMEM (3082)"},
    {SQLITE_CORRUPT, STF_CORRUPT, STF_OUTCOME_UNKNOWN, "SQLITE_CORRUPT (11)"},
    {SQLITE_CORRUPT_INDEX, STF_CORRUPT, STF_OUTCOME_UNKNOWN, "SQLITE_CORRUPT (779)"},
    {SQLITE_NOTADB, STF_CORRUPT, STF_OUTCOME_UNKNOWN, "SQLITE_NOTADB (26)"},
    {SQLITE_READONLY, STF_UNAVAILABLE, STF_UNAVAILABLE, "SQLITE_READONLY (8)"},
    {SQLITE_CANTOPEN, STF_UNAVAILABLE, STF_OUTCOME_UNKNOWN, "SQLITE_CANTOPEN (14)"},
    {SQLITE_NOMEM, STF_NO_MEMORY, STF_OUTCOME_UNKNOWN, "SQLITE_NOMEM (7)"},
    {SQLITE_CONSTRAINT_UNIQUE, STF_INTERNAL, STF_OUTCOME_UNKNOWN, "SQLITE_CONSTRAINT (2067)"},
    {SQLITE_NOTFOUND, STF_INTERNAL, STF_OUTCOME_UNKNOWN, "SQLITE_OTHER (12)"},
};

STF_TEST(each_native_result_has_its_status_and_name)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        stf_error error = STF_ERROR_INIT;
        stf__sqlite_failure failure = {.path = "/a/b.db", .code = rows[i].code};
        STF_CHECK_STATUS(stf__sqlite_map(&failure, &error), rows[i].work, &error);
        ck_assert_str_eq(error.native_code, rows[i].native);
        ck_assert_ptr_nonnull(strstr(error.message, "/a/b.db"));
        failure.phase = STF__SQLITE_COMMIT;
        STF_CHECK_STATUS(stf__sqlite_map(&failure, &error), rows[i].commit, &error);
        ck_assert_uint_eq(error.status, rows[i].commit);
        ck_assert_int_eq(stf__sqlite_map(&failure, NULL), rows[i].commit);
    }
}

STF_TEST(a_failure_that_is_not_the_connections_last_result_has_its_own_text)
{
    stf_error error = STF_ERROR_INIT;
    sqlite3 *db = NULL;
    ck_assert_int_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
    stf__sqlite_failure failure = {.path = "x", .db = db, .code = SQLITE_READONLY};
    STF_CHECK_STATUS(stf__sqlite_map(&failure, &error), STF_UNAVAILABLE, &error);
    ck_assert_str_eq(error.message,
                     "x: the file is not writable (attempt to write a readonly database)");
    failure.code = sqlite3_exec(db, "no statement", NULL, NULL, NULL);
    STF_CHECK_STATUS(stf__sqlite_map(&failure, &error), STF_INTERNAL, &error);
    ck_assert_ptr_nonnull(strstr(error.message, "syntax error"));
    sqlite3_close(db);
}

STF_TEST(a_wait_that_the_deadline_ended_says_so)
{
    stf_error error = STF_ERROR_INIT;
    stf_ctx ctx = STF_CTX_INIT;
    ctx.flags = STF_CTX_HAS_DEADLINE; /* long ago */
    stf__sqlite_failure failure = {.path = "x", .ctx = &ctx, .code = SQLITE_BUSY};
    STF_CHECK_STATUS(stf__sqlite_map(&failure, &error), STF_DEADLINE_EXCEEDED, &error);
    failure.code = SQLITE_INTERRUPT;
    STF_CHECK_STATUS(stf__sqlite_map(&failure, &error), STF_DEADLINE_EXCEEDED, &error);
    failure.code = SQLITE_CORRUPT;
    STF_CHECK_STATUS(stf__sqlite_map(&failure, &error), STF_CORRUPT, &error);
}

static const stf_test_case cases[] = {
    STF_CASE(each_native_result_has_its_status_and_name),
    STF_CASE(a_failure_that_is_not_the_connections_last_result_has_its_own_text),
    STF_CASE(a_wait_that_the_deadline_ended_says_so),
};

STF_TEST_MAIN("sqlite errmap", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting under a deadline, a cancel token and the busy timeout, on a database that somebody else
 * has locked; long statements; and that COMMIT is not interrupted. */
#include "conn.h"

#include "fixture.h"

#include <pthread.h>
#include <unistd.h>

static int64_t now_us(void)
{
    const stf_clock *clock = stf_clock_system();
    return clock->mono(clock->user).us;
}

/* Somebody else's write transaction. */
static sqlite3 *lock_file(const sqlite_fixture *f)
{
    sqlite3 *db = NULL;
    ck_assert_int_eq(sqlite3_open(f->path, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    return db;
}

static stf_ctx deadline_in(int64_t us)
{
    stf_ctx ctx = STF_CTX_INIT;
    ctx.flags = STF_CTX_HAS_DEADLINE;
    ctx.deadline.us = now_us() + us;
    return ctx;
}

static stf_status save_under(sqlite_fixture *f, const stf_ctx *ctx)
{
    stf_record record = fixture_record("a");
    stf_save save = fixture_save(&record, 0);
    stf_save_result result;
    return stf_repository_save(f->repository, ctx, &save, &result, &f->error);
}

STF_TEST(a_locked_database_gives_up_at_the_deadline)
{
    sqlite_fixture f;
    fixture_init(&f);
    sqlite3 *other = lock_file(&f);
    stf_ctx ctx = deadline_in(150000);
    int64_t start = now_us();
    STF_CHECK_STATUS(save_under(&f, &ctx), STF_DEADLINE_EXCEEDED, &f.error);
    int64_t waited = now_us() - start;
    ck_assert_int_ge(waited, 140000);
    ck_assert_int_lt(waited, 2000000); /* far below the busy timeout of 5 s */
    sqlite3_close(other);
    STF_CHECK_OK(save_under(&f, NULL), &f.error);
    fixture_done(&f);
}

STF_TEST(a_locked_database_is_unavailable_after_the_busy_timeout)
{
    sqlite_fixture f;
    fixture_make(&f);
    f.options.busy_timeout_us = 100000;
    fixture_open(&f);
    sqlite3 *other = lock_file(&f);
    int64_t start = now_us();
    STF_CHECK_STATUS(save_under(&f, NULL), STF_UNAVAILABLE, &f.error);
    ck_assert_int_ge(now_us() - start, 90000);
    ck_assert_msg(strstr(f.error.native_code, "SQLITE_BUSY") != NULL, "%s", f.error.native_code);
    sqlite3_close(other);
    STF_CHECK_OK(save_under(&f, NULL), &f.error);
    fixture_done(&f);
}

STF_TEST(a_new_file_that_is_locked_is_unavailable_to_open)
{
    sqlite_fixture f;
    fixture_make(&f);
    f.options.busy_timeout_us = 50000;
    sqlite3 *other = lock_file(&f); /* rollback mode: WAL cannot be set */
    ck_assert_int_eq(sqlite3_exec(other, "CREATE TABLE theirs (x)", NULL, NULL, NULL), SQLITE_OK);
    stf_sqlite *sqlite = NULL;
    STF_CHECK_STATUS(stf_sqlite_open(NULL, &f.options, &sqlite, &f.error), STF_UNAVAILABLE,
                     &f.error);
    stf_ctx ctx = deadline_in(20000);
    STF_CHECK_STATUS(stf_sqlite_open(&ctx, &f.options, &sqlite, &f.error), STF_DEADLINE_EXCEEDED,
                     &f.error);
    sqlite3_close(other);
    fixture_done(&f);
}

typedef struct cancel_job {
    stf_cancel *cancel;
    pthread_t thread;
} cancel_job;

static void *cancel_soon(void *user)
{
    usleep(50000);
    stf_cancel_request(((cancel_job *)user)->cancel);
    return NULL;
}

STF_TEST(a_cancel_ends_the_wait_for_a_lock)
{
    sqlite_fixture f;
    fixture_init(&f);
    sqlite3 *other = lock_file(&f);
    cancel_job canceller = {NULL, 0};
    STF_CHECK_OK(stf_cancel_new(NULL, &canceller.cancel, &f.error), &f.error);
    stf_ctx ctx = STF_CTX_INIT;
    ctx.cancel = canceller.cancel;
    pthread_create(&canceller.thread, NULL, cancel_soon, &canceller);
    int64_t start = now_us();
    STF_CHECK_STATUS(save_under(&f, &ctx), STF_CANCELLED, &f.error);
    ck_assert_int_lt(now_us() - start, 2000000);
    pthread_join(canceller.thread, NULL);
    stf_cancel_unref(canceller.cancel);
    sqlite3_close(other);
    ck_assert_int_eq(fixture_version(f.repository, "a"), 0);
    fixture_done(&f);
}

/* A clock whose deadline passes after so many looks. */
static stf_mono ticking_mono(void *user)
{
    return (stf_mono){++*(int64_t *)user};
}

static stf_wall ticking_wall(void *user)
{
    return (stf_wall){*(int64_t *)user};
}

STF_TEST(a_long_statement_ends_at_the_deadline_and_the_connection_goes_on)
{
    stf_error error = STF_ERROR_INIT;
    stf__sqlite_conn conn;
    STF_CHECK_OK(stf__sqlite_conn_open(&conn, ":memory:", SQLITE_OPEN_READWRITE, 1000, &error),
                 &error);
    stf_ctx ctx = deadline_in(30000);
    conn.ctx = &ctx;
    STF_CHECK_STATUS(stf__sqlite_exec(&conn,
                                      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM"
                                      " n) SELECT count(*) FROM n",
                                      &error),
                     STF_DEADLINE_EXCEEDED, &error);
    conn.ctx = NULL;
    STF_CHECK_OK(stf__sqlite_exec(&conn, "SELECT 1", &error), &error);
    stf__sqlite_conn_close(&conn);
}

/* Whatever look the deadline passes at: OK means stored, anything else means not. */
STF_TEST(a_deadline_never_makes_a_committed_save_look_undone)
{
    sqlite_fixture f;
    fixture_init(&f);
    int64_t version = 0;
    int64_t ticks = 0;
    stf_clock clock = {.struct_size = sizeof(clock),
                       .abi = STF_CLOCK_ABI,
                       .user = &ticks,
                       .wall = ticking_wall,
                       .mono = ticking_mono};
    size_t refused = 0;
    for (int64_t looks = 1; looks < 400; looks++) {
        stf_ctx ctx = STF_CTX_INIT;
        ctx.flags = STF_CTX_HAS_DEADLINE;
        ctx.clock = &clock;
        ctx.deadline.us = ticks + 1 + looks % 8;
        stf_record record = fixture_record("a");
        stf_save save = fixture_save(&record, version);
        stf_save_result result;
        stf_status status = stf_repository_save(f.repository, &ctx, &save, &result, &f.error);
        ck_assert_msg(status == STF_OK || status == STF_DEADLINE_EXCEEDED, "%s: %s",
                      stf_status_name(status), f.error.message);
        version += status == STF_OK;
        refused += status != STF_OK;
        ck_assert_int_eq(fixture_version(f.repository, "a"), version);
    }
    ck_assert_uint_gt(refused, 0);
    ck_assert_int_gt(version, 0);
    fixture_done(&f);
}

/* SQLite looks at the progress handler once more when COMMIT is done, now and then. The deadline
 * passes at the second look, that is behind the one before COMMIT. */
STF_TEST(a_commit_is_not_interrupted_by_a_deadline_that_passes_during_it)
{
    stf_error error = STF_ERROR_INIT;
    stf__sqlite_conn conn;
    int64_t ticks = 0;
    stf_clock clock = {.struct_size = sizeof(clock),
                       .abi = STF_CLOCK_ABI,
                       .user = &ticks,
                       .wall = ticking_wall,
                       .mono = ticking_mono};
    STF_CHECK_OK(stf__sqlite_conn_open(&conn, ":memory:", SQLITE_OPEN_READWRITE, 1000, &error),
                 &error);
    STF_CHECK_OK(stf__sqlite_exec(&conn, "CREATE TABLE t (x)", &error), &error);
    for (int i = 0; i < 10000; i++) {
        STF_CHECK_OK(stf__sqlite_begin(&conn, &error), &error);
        STF_CHECK_OK(stf__sqlite_exec(&conn, "INSERT INTO t VALUES (1)", &error), &error);
        stf_ctx ctx = STF_CTX_INIT;
        ctx.flags = STF_CTX_HAS_DEADLINE;
        ctx.clock = &clock;
        ctx.deadline.us = ticks + 2;
        conn.ctx = &ctx;
        STF_CHECK_OK(stf__sqlite_commit(&conn, &error), &error);
        conn.ctx = NULL;
    }
    int64_t count = 0;
    STF_CHECK_OK(stf__sqlite_pragma_int(&conn, "SELECT count(*) FROM t", &count, &error), &error);
    ck_assert_int_eq(count, 10000);
    stf__sqlite_conn_close(&conn);
}

STF_TEST(a_statement_is_given_back_with_nothing_bound)
{
    stf_error error = STF_ERROR_INIT;
    stf__sqlite_conn conn;
    STF_CHECK_OK(stf__sqlite_conn_open(&conn, ":memory:", SQLITE_OPEN_READWRITE, 1000, &error),
                 &error);
    STF_CHECK_OK(stf__sqlite_exec(&conn, stf_sqlite_schema_sql(), &error), &error);
    for (int round = 0; round < 2; round++) {
        stf__sqlite_query query = stf__sqlite_query_start(&conn, STF__SQL_GROUP_ADD);
        if (round == 0) {
            stf__sqlite_put_text(&query, fixture_str("g"));
            stf__sqlite_put_int(&query, 1);
        }
        /* In the second round the group is NULL, which the schema refuses. */
        STF_CHECK_STATUS(stf__sqlite_run(&query, &error), round == 0 ? STF_OK : STF_INTERNAL,
                         &error);
    }
    stf__sqlite_conn_close(&conn);
}

static const stf_test_case cases[] = {
    STF_CASE(a_locked_database_gives_up_at_the_deadline),
    STF_CASE(a_locked_database_is_unavailable_after_the_busy_timeout),
    STF_CASE(a_new_file_that_is_locked_is_unavailable_to_open),
    STF_CASE(a_cancel_ends_the_wait_for_a_lock),
    STF_CASE(a_long_statement_ends_at_the_deadline_and_the_connection_goes_on),
    STF_CASE(a_deadline_never_makes_a_committed_save_look_undone),
    STF_CASE(a_commit_is_not_interrupted_by_a_deadline_that_passes_during_it),
    STF_CASE(a_statement_is_given_back_with_nothing_bound),
};

STF_TEST_MAIN("sqlite conn", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that runs out, ours and SQLite's, at every call: NO_MEMORY, nothing written, nothing
 * leaked, and a store that goes on. */
#include "fixture.h"

/* ---- ours ---- */

static stf_status use_store(sqlite_fixture *f, int64_t *ret_seen)
{
    stf_repository *repository = NULL;
    stf_status status = stf_sqlite_open_repository(f->sqlite, &repository, &f->error);
    if (status != STF_OK) {
        return status;
    }
    stf_buf seen;
    stf_buf_init(&seen, NULL);
    bool is_found = false;
    status = stf_repository_load(repository, NULL, fixture_str("a"), fixture_note_record, &seen,
                                 &is_found, &f->error);
    if (status == STF_OK) {
        stf_catalog_query query = {.group = fixture_str("g"), .limit = 10};
        status =
            stf_repository_page(repository, NULL, &query, fixture_note_record, &seen, &f->error);
    }
    if (status == STF_OK) {
        stf_waiting_query query = {.group = fixture_str("g"),
                                   .kind = STF_WAIT_TASK,
                                   .after_since = stf_wall_none(),
                                   .limit = 10};
        status = stf_repository_waiting_page(repository, NULL, &query, fixture_note_wake, &seen,
                                             &f->error);
    }
    if (status == STF_OK) {
        status = stf_repository_hold_owner(repository, NULL, fixture_str("me"), &f->error);
    }
    if (status == STF_OK) {
        stf_prune_request request = {
            .group = fixture_str("g"), .ended_before = {FIXTURE_NOW + 1}, .limit = 5};
        uint64_t count = 0;
        status = stf_repository_prune(repository, NULL, &request, &count, &f->error);
    }
    *ret_seen = (int64_t)seen.size;
    stf_buf_done(&seen);
    stf_repository_close(repository);
    return status;
}

STF_TEST(our_memory_may_run_out_at_every_call)
{
    sqlite_fixture f;
    fixture_init(&f);
    stf_wait wait = {.kind = STF_WAIT_TASK, .key = fixture_str("k"), .until = stf_wall_none()};
    stf_record record = fixture_record("a");
    record.bulk = fixture_bytes("bulk");
    record.waits = &wait;
    record.wait_count = 1;
    STF_CHECK_OK(fixture_put(f.repository, &record, 0, &f.error), &f.error);
    record = fixture_record("z");
    record.status = STF_RECORD_COMPLETED;
    STF_CHECK_OK(fixture_put(f.repository, &record, 0, &f.error), &f.error);
    fixture_close(&f);
    fixture_alloc counting;
    fixture_alloc_init(&counting);
    f.options.alloc = &counting.alloc;
    stf_status status = STF_NO_MEMORY;
    int64_t n = 0;
    while (status != STF_OK) {
        n++;
        ck_assert_int_lt(n, 500);
        counting.calls = 0;
        counting.fail_at = n;
        int64_t seen = 0;
        status = stf_sqlite_open(NULL, &f.options, &f.sqlite, &f.error);
        if (status == STF_OK) {
            status = use_store(&f, &seen);
            f.sqlite = stf_sqlite_unref(f.sqlite);
        }
        ck_assert_msg(status == STF_OK || status == STF_NO_MEMORY, "n=%lld: %s: %s", (long long)n,
                      stf_status_name(status), f.error.message);
        ck_assert_msg(counting.live == 0, "n=%lld leaks", (long long)n);
        ck_assert(status != STF_OK || seen == 8); /* "a ", "a z ", "a " */
    }
    ck_assert_int_gt(n, 8);
    f.options.alloc = NULL;
    fixture_done(&f);
}

/* ---- SQLite's ---- */

static sqlite3_mem_methods system_memory;
static int64_t memory_calls;
static int64_t memory_fail_at; /* 0: never */

static bool is_memory_failing(void)
{
    memory_calls++;
    return memory_fail_at != 0 && memory_calls == memory_fail_at;
}

static void *failing_malloc(int size)
{
    return is_memory_failing() ? NULL : system_memory.xMalloc(size);
}

static void *failing_realloc(void *memory, int size)
{
    return is_memory_failing() ? NULL : system_memory.xRealloc(memory, size);
}

static void install_memory(void)
{
    ck_assert_int_eq(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &system_memory), SQLITE_OK);
    sqlite3_mem_methods failing = system_memory;
    failing.xMalloc = failing_malloc;
    failing.xRealloc = failing_realloc;
    ck_assert_int_eq(sqlite3_config(SQLITE_CONFIG_MALLOC, &failing), SQLITE_OK);
    /* Without lookaside, every small allocation comes here. */
    ck_assert_int_eq(sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0), SQLITE_OK);
}

static bool is_honest(stf_status status)
{
    return status == STF_OK || status == STF_NO_MEMORY || status == STF_OUTCOME_UNKNOWN;
}

STF_TEST(sqlites_memory_may_run_out_at_every_call_of_an_open)
{
    install_memory();
    sqlite_fixture f;
    fixture_make(&f);
    stf_status status = STF_NO_MEMORY;
    for (int64_t n = 1; status != STF_OK; n++) {
        ck_assert_int_lt(n, 3000);
        memory_calls = 0;
        memory_fail_at = n;
        status = stf_sqlite_open(NULL, &f.options, &f.sqlite, &f.error);
        bool has_failed = memory_calls >= n;
        memory_fail_at = 0;
        ck_assert_msg(is_honest(status), "n=%lld: %s: %s", (long long)n, stf_status_name(status),
                      f.error.message);
        if (status == STF_OK) {
            /* SQLite does without some memory; the end is an open in which nothing failed. */
            f.sqlite = stf_sqlite_unref(f.sqlite);
            status = has_failed ? STF_NO_MEMORY : STF_OK;
        }
    }
    fixture_open(&f);
    fixture_done(&f);
}

STF_TEST(sqlites_memory_may_run_out_at_every_call_of_a_save_and_a_load)
{
    static uint8_t bulk[20000];
    install_memory();
    sqlite_fixture f;
    fixture_init(&f);
    stf_wait wait = {.kind = STF_WAIT_TASK, .key = fixture_str("k"), .until = stf_wall_none()};
    int64_t version = 0;
    bool is_over = false;
    for (int64_t n = 1; !is_over; n++) {
        ck_assert_int_lt(n, 3000);
        stf_record record = fixture_record("a");
        record.bulk = (stf_bytes){bulk, sizeof(bulk)};
        record.waits = &wait;
        record.wait_count = (size_t)n % 2;
        record.due.us = n;
        fixture_close(&f); /* every statement is prepared anew */
        fixture_open(&f);
        memory_calls = 0;
        memory_fail_at = n;
        stf_status status = fixture_put(f.repository, &record, version, &f.error);
        bool is_found = false;
        stf_buf seen;
        stf_buf_init(&seen, NULL);
        stf_status load = stf_repository_load(f.repository, NULL, fixture_str("a"),
                                              fixture_note_record, &seen, &is_found, NULL);
        stf_buf_done(&seen);
        is_over = memory_calls < n;
        memory_fail_at = 0;
        ck_assert_msg(is_honest(status), "n=%lld: %s: %s", (long long)n, stf_status_name(status),
                      f.error.message);
        ck_assert(load == STF_OK || load == STF_NO_MEMORY);
        int64_t stored = fixture_version(f.repository, "a");
        if (status != STF_OUTCOME_UNKNOWN) {
            version += status == STF_OK;
            ck_assert_msg(stored == version, "n=%lld", (long long)n);
        }
        version = stored;
    }
    ck_assert_int_gt(version, 0);
    fixture_done(&f);
}

static const stf_test_case cases[] = {
    STF_CASE(our_memory_may_run_out_at_every_call),
    STF_CASE(sqlites_memory_may_run_out_at_every_call_of_an_open),
    STF_CASE(sqlites_memory_may_run_out_at_every_call_of_a_save_and_a_load),
};

STF_TEST_MAIN("sqlite memory", cases)

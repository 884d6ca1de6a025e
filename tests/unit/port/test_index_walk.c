/* SPDX-License-Identifier: Apache-2.0 */
/* How the wake index comes by what it did not save itself: the first walk, the pages after it, and
 * what they cost. */
#include "port/index.h"

#include <pthread.h>
#include <stdio.h>

#include "conformance/passthrough.h"
#include "support/stf_test.h"
#include "unit/port/index_case.h"

static index_case self;

static void put_many(stf_repository *repository, unsigned count, int64_t due_us)
{
    for (unsigned i = 0; i < count; i++) {
        char id[16];
        (void)snprintf(id, sizeof(id), "id-%04u", i);
        index_put(&self, repository, id, 0, due_us);
    }
}

static int64_t next_due(void)
{
    stf_wall due = {77};
    STF_CHECK_OK(stf_repository_next_due(self.mine, NULL, stf_str_of("g"), (stf_str){NULL, 0}, &due,
                                         &self.error),
                 &self.error);
    return due.us;
}

STF_TEST(the_first_call_finds_what_was_there_before_over_several_pages)
{
    const unsigned count = 2 * STF__INDEX_PAGE + 3;
    index_case_open(&self);
    put_many(self.other, count, STF_WALL_NONE_US);
    index_put(&self, self.other, "zzz", 0, 42);
    self.faults.log_calls = true;
    ck_assert_int_eq(next_due(), 42);
    ck_assert_str_eq(self.faults.log, "list_in_flight load_many list_in_flight load_many "
                                      "list_in_flight load_many ");
    /* And asks nothing more when nothing is in doubt. */
    ck_assert_int_eq(next_due(), 42);
    index_expect_waiting(&self, "nobody", "");
    ck_assert_uint_eq(strlen(self.faults.log), 3 * strlen("list_in_flight load_many "));
    index_case_close(&self);
}

STF_TEST(what_another_handle_saves_is_found_a_page_each_period)
{
    index_case_open(&self);
    index_expect_due(&self, "");
    put_many(self.other, STF__INDEX_PAGE, STF_WALL_NONE_US);
    index_put(&self, self.other, "zzz", 0, 10);
    index_pass_period(&self);
    index_expect_due(&self, ""); /* the first page */
    index_expect_due(&self, ""); /* and no further in this period */
    index_pass_period(&self);
    index_expect_due(&self, "zzz ");
    index_case_close(&self);
}

STF_TEST(what_another_handle_changes_ends_and_deletes_is_found)
{
    index_case_open(&self);
    index_put(&self, self.mine, "changed", 0, 10);
    index_put(&self, self.mine, "deleted", 0, 10);
    index_put(&self, self.mine, "ended", 0, 10);
    index_put(&self, self.mine, "same", 0, 10);
    index_expect_due(&self, "changed deleted ended same ");
    index_put(&self, self.other, "changed", 1, STF_WALL_NONE_US);
    index_delete(&self, self.other, "deleted");
    index_save ended;
    index_save_init(&ended, "ended", 1, 10);
    ended.record.status = STF_RECORD_COMPLETED;
    STF_CHECK_OK(index_save_run(&self, self.other, &ended), &self.error);
    index_pass_period(&self);
    index_expect_due(&self, "same ");
    index_expect_waiting(&self, "key", "changed same ");
    index_case_close(&self);
}

/* list_in_flight does not list what a live foreign lease holds. */
STF_TEST(what_another_engine_holds_is_found_when_its_lease_has_lapsed)
{
    index_case_open(&self);
    index_save owned;
    index_save_init(&owned, "a", 0, 10);
    owned.record.lease = (stf_lease){{"other", 5}, 1, {self.now_us + 3 * STF__INDEX_PERIOD_US}};
    STF_CHECK_OK(index_save_run(&self, self.other, &owned), &self.error);
    index_expect_orphans(&self, "");
    index_pass_period(&self);
    index_expect_orphans(&self, "");
    index_pass_period(&self);
    index_pass_period(&self);
    index_expect_orphans(&self, "a ");
    index_expect_due(&self, "a ");
    index_case_close(&self);
}

STF_TEST(a_walk_that_fails_is_begun_again)
{
    for (long n = 1; n < 4; n++) {
        index_case_open(&self);
        put_many(self.other, STF__INDEX_PAGE + 1, 10);
        faulty_repository_cut(&self.faults, n);
        stf_wall due = {77};
        STF_CHECK_STATUS(stf_repository_next_due(self.mine, NULL, stf_str_of("g"),
                                                 (stf_str){NULL, 0}, &due, &self.error),
                         STF_UNAVAILABLE, &self.error);
        ck_assert_int_eq(due.us, 77);
        faulty_repository_heal(&self.faults);
        index_put(&self, self.other, "zzz", 0, 5);
        ck_assert_int_eq(next_due(), 5);
        index_case_close(&self);
    }
}

STF_TEST(a_doubt_that_could_not_be_settled_stays_one)
{
    index_case_open(&self);
    index_put(&self, self.mine, "a", 0, STF_WALL_NONE_US);
    ck_assert_int_eq(next_due(), STF_WALL_NONE_US);
    index_save lost;
    index_save_init(&lost, "a", 1, 10);
    faulty_repository_fail_saves(&self.faults, 1, 1, STF_OUTCOME_UNKNOWN, true);
    STF_CHECK_STATUS(index_save_run(&self, self.mine, &lost), STF_OUTCOME_UNKNOWN, &self.error);
    faulty_repository_cut(&self.faults, 1);
    stf_wall due = stf_wall_none();
    STF_CHECK_STATUS(stf_repository_next_due(self.mine, NULL, stf_str_of("g"), (stf_str){NULL, 0},
                                             &due, &self.error),
                     STF_UNAVAILABLE, &self.error);
    faulty_repository_heal(&self.faults);
    ck_assert_int_eq(next_due(), 10);
    index_case_close(&self);
}

/* Whatever allocation fails: the call says so, and once there is memory again the pages are right.
 */
STF_TEST(every_failing_allocation_is_said_and_nothing_is_forgotten)
{
    stf_status status = STF_NO_MEMORY;
    long n = 1;
    for (; status == STF_NO_MEMORY; n++) {
        ck_assert_int_lt(n, 200);
        index_case_open(&self);
        index_put(&self, self.other, "before", 0, 20);
        self.allocator.fail_at = self.allocator.calls + n;
        index_put(&self, self.mine, "a", 0, 10); /* an index without memory fails no save */
        index_put(&self, self.mine, "a", 1, 5);
        stf_wall due = {77};
        status = stf_repository_next_due(self.mine, NULL, stf_str_of("g"), (stf_str){NULL, 0}, &due,
                                         &self.error);
        ck_assert(status == STF_OK || status == STF_NO_MEMORY);
        ck_assert_int_eq(due.us, status == STF_OK ? 5 : 77);
        bool has_failed = self.allocator.calls >= self.allocator.fail_at;
        status = has_failed ? STF_NO_MEMORY : status;
        self.allocator.fail_at = 0;
        index_expect_due(&self, "a before ");
        index_expect_waiting(&self, "key", "a before ");
        index_case_close(&self);
    }
    ck_assert_int_gt(n, 8);
}

/* ---- A record that the store cannot read -------------------------------------------------- */

static stf_status load_but_bad(void *impl, const stf_ctx *ctx, stf_str id, stf_record_visitor visit,
                               void *user, bool *ret_found, stf_error *error)
{
    if (stf_str_equal(id, stf_str_of("bad"))) {
        return stf_error_set(error, STF_CORRUPT, "TEST", "unreadable");
    }
    return stf_repository_load(((passthrough *)impl)->inner, ctx, id, visit, user, ret_found,
                               error);
}

static stf_status load_many_but_bad(void *impl, const stf_ctx *ctx, const stf_str *ids,
                                    size_t count, stf_wall due_before, stf_record_visitor visit,
                                    void *user, stf_error *error)
{
    (void)due_before;
    stf_status status = STF_OK;
    for (size_t i = 0; i < count && status == STF_OK; i++) {
        bool is_found = false;
        status = load_but_bad(impl, ctx, ids[i], visit, user, &is_found, error);
    }
    return status;
}

static const void *extension_but_wake(void *impl, const char *id)
{
    return strcmp(id, STF_REPOSITORY_WAKE) == 0 ? NULL : passthrough_extension(impl, id);
}

static void have_bad_record(stf_repository_vtable *vtable, passthrough *store)
{
    vtable->load = load_but_bad;
    vtable->extension = extension_but_wake;
    store->batch.load_many = load_many_but_bad;
}

STF_TEST(a_record_that_cannot_be_read_does_not_hide_the_others)
{
    stf_repository *inner = NULL;
    index_case_open(&self);
    index_put(&self, self.other, "a", 0, 10);
    index_put(&self, self.other, "bad", 0, 10);
    index_put(&self, self.other, "c", 0, 10);
    STF_CHECK_OK(stf_memory_open_repository(self.memory, &inner, &self.error), &self.error);
    stf_repository_close(self.mine);
    STF_CHECK_OK(passthrough_new(have_bad_record, inner, &self.mine, &self.error), &self.error);
    index_expect_due(&self, "a c ");
    index_put(&self, self.other, "c", 1, 20);
    index_save late;
    index_save_init(&late, "bad", 5, 10); /* puts it in doubt */
    STF_CHECK_STATUS(index_save_run(&self, self.mine, &late), STF_CONCURRENT_UPDATE, &self.error);
    index_pass_period(&self);
    index_expect_due(&self, "a c ");
    index_expect_waiting(&self, "key", "a c ");
    index_case_close(&self);
}

/* ---- Threads ----------------------------------------------------------------------------- */

#define THREADS 4u
#define SAVES 200u

static void *save_on(void *argument)
{
    char id[16];
    (void)snprintf(id, sizeof(id), "thread-%u", *(unsigned *)argument);
    for (unsigned i = 0; i < SAVES; i++) {
        index_save save;
        stf_error error = STF_ERROR_INIT;
        index_save_init(&save, id, (int64_t)i, i + 1 == SAVES ? 10 : STF_WALL_NONE_US);
        save.record.waits = &save.wait;
        save.save.record = &save.record;
        STF_CHECK_OK(stf_repository_save(self.mine, NULL, &save.save, &save.result, &error),
                     &error);
    }
    return NULL;
}

STF_TEST(threads_save_while_pages_are_read)
{
    pthread_t threads[THREADS];
    unsigned numbers[THREADS];
    index_case_open_for_threads(&self);
    for (unsigned i = 0; i < THREADS; i++) {
        numbers[i] = i;
        ck_assert_int_eq(pthread_create(&threads[i], NULL, save_on, &numbers[i]), 0);
    }
    for (unsigned i = 0; i < SAVES; i++) {
        size_t rows = 0;
        stf_due_query query = {.group = {"g", 1},
                               .now = {(int64_t)i * STF__INDEX_PERIOD_US},
                               .after_due = stf_wall_none(),
                               .limit = 10};
        STF_CHECK_OK(
            stf_repository_due_page(self.mine, NULL, &query, index_count_row, &rows, &self.error),
            &self.error);
        ck_assert_uint_le(rows, THREADS);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    }
    index_expect_due(&self, "thread-0 thread-1 thread-2 thread-3 ");
    index_expect_waiting(&self, "key", "thread-0 thread-1 thread-2 thread-3 ");
    index_case_close(&self);
}

static const stf_test_case cases[] = {
    STF_CASE(the_first_call_finds_what_was_there_before_over_several_pages),
    STF_CASE(what_another_handle_saves_is_found_a_page_each_period),
    STF_CASE(what_another_handle_changes_ends_and_deletes_is_found),
    STF_CASE(what_another_engine_holds_is_found_when_its_lease_has_lapsed),
    STF_CASE(a_walk_that_fails_is_begun_again),
    STF_CASE(a_doubt_that_could_not_be_settled_stays_one),
    STF_CASE(every_failing_allocation_is_said_and_nothing_is_forgotten),
    STF_CASE(a_record_that_cannot_be_read_does_not_hide_the_others),
    STF_CASE(threads_save_while_pages_are_read),
};

STF_TEST_MAIN("port/index_walk", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* Batches: the store sees each id once, with and without the capability. */
#include "unit/base/faulty.h"
#include "unit/port/fake.h"

#include "support/stf_test.h"

#define COUNT 6

static stf_record records[COUNT];
static stf_save saves[COUNT];
static stf_save_result results[COUNT];

/* "a", "b", "a" again, "" (refused), "c" at a negative version (refused), "d". */
static void make_batch(void)
{
    static const char *const ids[COUNT] = {"a", "b", "a", "", "c", "d"};
    for (size_t i = 0; i < COUNT; i++) {
        records[i] = fake_record();
        records[i].id = stf_str_of(ids[i]);
        saves[i] = fake_save(&records[i]);
        results[i] = (stf_save_result){.status = 99, .rec_version = 77};
    }
    saves[4].expected_version = -1;
}

static void expect_results(stf_status of_good)
{
    const stf_status expected[COUNT] = {
        of_good, of_good, STF_INVALID_ARGUMENT, STF_EMPTY_NOT_ALLOWED, STF_INVALID_ARGUMENT,
        of_good};
    for (size_t i = 0; i < COUNT; i++) {
        ck_assert_uint_eq(results[i].status, expected[i]);
        ck_assert_int_eq(results[i].rec_version, expected[i] == STF_OK ? 1 : 0);
    }
}

STF_TEST(r16_the_store_sees_each_id_once_and_nothing_refused)
{
    for (int has_capability = 0; has_capability < 2; has_capability++) {
        fake store;
        fake_init(&store);
        if (has_capability == 0) {
            store.capabilities[STF__CAPABILITY_BATCH] = NULL;
        }
        stf_repository *repository = fake_open(&store);
        make_batch();
        ck_assert_uint_eq(stf_repository_save_many(repository, NULL, saves, COUNT, results, NULL),
                          STF_OK);
        expect_results(STF_OK);
        ck_assert_str_eq(store.ids_seen, "a b d ");
        stf_repository_close(repository);
    }
}

STF_TEST(a_batch_of_few_is_sorted_out_as_one_of_many)
{
    for (size_t count = 1; count <= COUNT; count++) {
        static const char *const seen[] = {"", "a ", "a b ", "a b ", "a b ", "a b ", "a b d "};
        fake store;
        fake_init(&store);
        stf_repository *repository = fake_open(&store);
        make_batch();
        ck_assert_uint_eq(stf_repository_save_many(repository, NULL, saves, count, results, NULL),
                          STF_OK);
        ck_assert_str_eq(store.ids_seen, seen[count]);
        ck_assert_uint_eq(results[2].status, count > 2 ? STF_INVALID_ARGUMENT : 99);
        ck_assert_uint_eq(results[3].status, count > 3 ? STF_EMPTY_NOT_ALLOWED : 99);
        stf_repository_close(repository);
    }
}

STF_TEST(without_the_capability_each_record_has_its_own_failure)
{
    fake store;
    fake_init(&store);
    store.capabilities[STF__CAPABILITY_BATCH] = NULL;
    store.answer = STF_CONCURRENT_UPDATE;
    stf_repository *repository = fake_open(&store);
    make_batch();
    ck_assert_uint_eq(stf_repository_save_many(repository, NULL, saves, COUNT, results, NULL),
                      STF_OK);
    expect_results(STF_CONCURRENT_UPDATE);
    stf_repository_close(repository);
}

STF_TEST(a_failed_exchange_leaves_the_results_alone)
{
    fake store;
    fake_init(&store);
    store.answer = STF_OUTCOME_UNKNOWN;
    stf_repository *repository = fake_open(&store);
    make_batch();
    ck_assert_uint_eq(stf_repository_save_many(repository, NULL, saves, COUNT, results, NULL),
                      STF_OUTCOME_UNKNOWN);
    for (size_t i = 0; i < COUNT; i++) {
        ck_assert_int_eq(results[i].rec_version, 77);
    }
    stf_repository_close(repository);
}

STF_TEST(a_batch_of_refused_records_reaches_no_slot)
{
    fake store;
    fake_init(&store);
    stf_repository *repository = fake_open(&store);
    make_batch();
    ck_assert_uint_eq(stf_repository_save_many(repository, NULL, saves + 3, 2, results, NULL),
                      STF_OK);
    ck_assert_uint_eq(store.calls, 0);
    ck_assert_uint_eq(stf_repository_save_many(repository, NULL, NULL, 1, results, NULL),
                      STF_INVALID_ARGUMENT);
    ck_assert_uint_eq(
        stf_repository_save_many(repository, NULL, saves, STF_LIMIT_BATCH + 1, results, NULL),
        STF_LIMIT_EXCEEDED);
    stf_repository_close(repository);
}

/* ---- Loading ----------------------------------------------------------------------------- */

static const stf_str ids[] = {{"x", 1}, {"y", 1}, {"x", 1}};

STF_TEST(each_id_is_loaded_once)
{
    for (int has_capability = 0; has_capability < 2; has_capability++) {
        fake store;
        size_t count = 0;
        fake_init(&store);
        if (has_capability == 0) {
            store.capabilities[STF__CAPABILITY_BATCH] = NULL;
        }
        stf_repository *repository = fake_open(&store);
        ck_assert_uint_eq(stf_repository_load_many(repository, NULL, ids, 3, stf_wall_none(),
                                                   fake_visit_record, &count, NULL),
                          STF_OK);
        ck_assert_uint_eq(count, 2);
        ck_assert_str_eq(store.ids_seen, "x y ");
        stf_repository_close(repository);
    }
}

STF_TEST(the_loop_filters_what_is_not_due)
{
    static const struct {
        int64_t due_us;
        int64_t before_us;
        size_t visited;
    } rows[] = {{10, 10, 2},
                {11, 10, 0},
                {9, 10, 2},
                {STF_WALL_NONE_US, 10, 0},
                {11, STF_WALL_NONE_US, 2},
                {STF_WALL_NONE_US, STF_WALL_NONE_US, 2}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        fake store;
        size_t count = 0;
        fake_init(&store);
        store.capabilities[STF__CAPABILITY_BATCH] = NULL;
        store.due.us = rows[i].due_us;
        stf_repository *repository = fake_open(&store);
        ck_assert_uint_eq(stf_repository_load_many(repository, NULL, ids, 3,
                                                   (stf_wall){rows[i].before_us}, fake_visit_record,
                                                   &count, NULL),
                          STF_OK);
        ck_assert_uint_eq(count, rows[i].visited);
        stf_repository_close(repository);
    }
}

STF_TEST(a_failing_load_or_a_bad_id_ends_the_call)
{
    fake store;
    size_t count = 0;
    fake_init(&store);
    store.capabilities[STF__CAPABILITY_BATCH] = NULL;
    store.answer = STF_CORRUPT;
    stf_repository *repository = fake_open(&store);
    ck_assert_uint_eq(stf_repository_load_many(repository, NULL, ids, 3, stf_wall_none(),
                                               fake_visit_record, &count, NULL),
                      STF_CORRUPT);
    ck_assert_str_eq(store.ids_seen, "x ");
    const stf_str bad[] = {{"x", 1}, {NULL, 0}};
    store.calls = 0;
    ck_assert_uint_eq(stf_repository_load_many(repository, NULL, bad, 2, stf_wall_none(),
                                               fake_visit_record, &count, NULL),
                      STF_EMPTY_NOT_ALLOWED);
    ck_assert_uint_eq(stf_repository_load_many(repository, NULL, NULL, 2, stf_wall_none(),
                                               fake_visit_record, &count, NULL),
                      STF_INVALID_ARGUMENT);
    ck_assert_uint_eq(store.calls, 0);
    ck_assert_uint_eq(count, 0);
    stf_repository_close(repository);
}

/* ---- Memory ------------------------------------------------------------------------------ */

STF_TEST(without_memory_nothing_reaches_the_store_and_nothing_leaks)
{
    stf_status status = STF_NO_MEMORY;
    for (long n = 2; status == STF_NO_MEMORY; n++) { /* the first call makes the repository */
        fake store;
        faulty memory;
        stf_repository *repository = NULL;
        size_t count = 0;
        fake_init(&store);
        faulty_init(&memory, n);
        ck_assert(stf_repository_new(&memory.port, &store.vtable, &store, &repository, NULL) ==
                  STF_OK);
        make_batch();
        status = stf_repository_save_many(repository, NULL, saves, COUNT, results, NULL);
        if (status == STF_OK) {
            status = stf_repository_load_many(repository, NULL, ids, 3, stf_wall_none(),
                                              fake_visit_record, &count, NULL);
            ck_assert_uint_eq(count, status == STF_OK ? 2 : 0);
        } else {
            ck_assert_uint_eq(store.calls, 0);
            ck_assert_int_eq(results[0].rec_version, 77);
        }
        stf_repository_close(repository);
        ck_assert_int_eq(memory.live, 0);
        ck_assert_int_lt(n, 100);
    }
    ck_assert_uint_eq(status, STF_OK);
}

static const stf_test_case cases[] = {
    STF_CASE(r16_the_store_sees_each_id_once_and_nothing_refused),
    STF_CASE(a_batch_of_few_is_sorted_out_as_one_of_many),
    STF_CASE(without_the_capability_each_record_has_its_own_failure),
    STF_CASE(a_failed_exchange_leaves_the_results_alone),
    STF_CASE(a_batch_of_refused_records_reaches_no_slot),
    STF_CASE(each_id_is_loaded_once),
    STF_CASE(the_loop_filters_what_is_not_due),
    STF_CASE(a_failing_load_or_a_bad_id_ends_the_call),
    STF_CASE(without_memory_nothing_reaches_the_store_and_nothing_leaks),
};

STF_TEST_MAIN("port/batch", cases)

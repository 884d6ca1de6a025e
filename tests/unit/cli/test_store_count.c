/* SPDX-License-Identifier: Apache-2.0 */
/* What goes through the port is counted, and figures of work that was not done are refused. */
#include "store_count.h"

#include <stepfast/memory.h>
#include <stepfast/sys/repository_batch.h>
#include <stepfast/sys/repository_catalog.h>
#include <stepfast/sys/repository_clock.h>
#include <stepfast/sys/repository_journal.h>
#include <stepfast/sys/repository_liveness.h>
#include <stepfast/sys/repository_migrator.h>
#include <stepfast/sys/repository_wake.h>
#include <string.h>

#include "support/stf_test.h"

typedef struct fixture {
    stf_memory *memory;
    stf_repository *plain;
    stf_repository *counted;
    cli_store_totals totals;
} fixture;

static void open_fixture(fixture *f)
{
    stf_repository *inner = NULL;
    memset(f, 0, sizeof *f);
    ck_assert_int_eq(stf_memory_new(NULL, &f->memory, NULL), STF_OK);
    ck_assert_int_eq(stf_memory_open_repository(f->memory, &f->plain, NULL), STF_OK);
    ck_assert_int_eq(stf_memory_open_repository(f->memory, &inner, NULL), STF_OK);
    ck_assert_int_eq(cli_store_count(inner, &f->totals, &f->counted, NULL), STF_OK);
    ck_assert_int_eq(stf_repository_register_group(f->counted, NULL, stf_str_of("g"), NULL),
                     STF_OK);
}

static void close_fixture(fixture *f)
{
    stf_repository_close(f->counted);
    stf_repository_close(f->plain);
    stf_memory_unref(f->memory);
}

static void fill(stf_save *save, stf_record *record, const char *id, int64_t expected,
                 const char *head, const char *bulk)
{
    *record = (stf_record)STF_RECORD_INIT;
    record->id = stf_str_of(id);
    record->group = stf_str_of("g");
    record->label_key = stf_str_of("k");
    record->head = (stf_bytes){(const uint8_t *)head, strlen(head)};
    record->bulk = (stf_bytes){(const uint8_t *)bulk, strlen(bulk)};
    *save = (stf_save)STF_SAVE_INIT;
    save->record = record;
    save->expected_version = expected;
}

static stf_status save(fixture *f, const char *id, int64_t expected)
{
    stf_record record;
    stf_save one;
    stf_save_result result;
    fill(&one, &record, id, expected, "12345", "123");
    return stf_repository_save(f->counted, NULL, &one, &result, NULL);
}

STF_TEST(saves_creates_refusals_and_bytes_are_counted_for_what_they_are)
{
    fixture f;
    open_fixture(&f);
    ck_assert_int_eq(save(&f, "a", 0), STF_OK);
    ck_assert_int_eq(save(&f, "a", 1), STF_OK);
    ck_assert_int_eq(save(&f, "a", 1), STF_CONCURRENT_UPDATE);
    ck_assert_uint_eq(f.totals.commits, 3);
    ck_assert_uint_eq(f.totals.saves, 2);
    ck_assert_uint_eq(f.totals.creates, 1);
    ck_assert_uint_eq(f.totals.refused, 1);
    ck_assert_uint_eq(f.totals.head_bytes, 10);
    ck_assert_uint_eq(f.totals.bulk_bytes, 6);
    close_fixture(&f);
}

STF_TEST(a_batch_is_one_commit_of_each_record_that_was_saved)
{
    fixture f;
    stf_record records[3];
    stf_save saves[3];
    stf_save_result results[3];
    open_fixture(&f);
    fill(&saves[0], &records[0], "a", 0, "12", "");
    fill(&saves[1], &records[1], "b", 7, "12", ""); /* there is none: refused */
    fill(&saves[2], &records[2], "c", 0, "1234", "");
    ck_assert_int_eq(stf_repository_save_many(f.counted, NULL, saves, 3, results, NULL), STF_OK);
    ck_assert_uint_eq(f.totals.commits, 1);
    ck_assert_uint_eq(f.totals.saves, 2);
    ck_assert_uint_eq(f.totals.refused, 1);
    ck_assert_uint_eq(f.totals.head_bytes, 6);
    close_fixture(&f);
}

static stf_status visit(void *user, const stf_record *record, stf_error *error)
{
    (void)error;
    *(uint64_t *)user += record->head.size;
    return STF_OK;
}

STF_TEST(loads_are_counted_by_the_records_that_were_visited)
{
    fixture f;
    uint64_t size = 0;
    bool is_found = false;
    const stf_str ids[] = {stf_str_of("a"), stf_str_of("b"), stf_str_of("nobody")};
    open_fixture(&f);
    ck_assert_int_eq(save(&f, "a", 0), STF_OK);
    ck_assert_int_eq(save(&f, "b", 0), STF_OK);
    ck_assert_int_eq(stf_repository_load(f.counted, NULL, ids[0], visit, &size, &is_found, NULL),
                     STF_OK);
    ck_assert_uint_eq(f.totals.loads, 1);
    ck_assert_int_eq(stf_repository_load(f.counted, NULL, ids[2], visit, &size, &is_found, NULL),
                     STF_OK);
    ck_assert(!is_found);
    ck_assert_uint_eq(f.totals.loads, 1);
    ck_assert_int_eq(
        stf_repository_load_many(f.counted, NULL, ids, 3, stf_wall_none(), visit, &size, NULL),
        STF_OK);
    ck_assert_uint_eq(f.totals.loads, 3);
    ck_assert_uint_eq(size, 15);
    close_fixture(&f);
}

STF_TEST(the_counting_store_offers_what_the_counted_one_does)
{
    static const char *const ids[] = {STF_REPOSITORY_BATCH,    STF_REPOSITORY_WAKE,
                                      STF_REPOSITORY_CATALOG,  STF_REPOSITORY_JOURNAL,
                                      STF_REPOSITORY_LIVENESS, STF_REPOSITORY_CLOCK,
                                      STF_REPOSITORY_MIGRATOR};
    fixture f;
    open_fixture(&f);
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        ck_assert_msg(stf_repository_has(f.counted, ids[i]) == stf_repository_has(f.plain, ids[i]),
                      "%s", ids[i]);
    }
    ck_assert(stf_repository_has(f.counted, STF_REPOSITORY_BATCH));
    close_fixture(&f);
}

STF_TEST(a_figure_is_refused_unless_every_count_is_that_of_its_work)
{
    const cli_store_totals right = {
        .commits = 15, .saves = 20, .creates = 10, .head_bytes = 4000, .bulk_bytes = 0};
    const struct {
        const char *what;
        cli_store_totals totals;
        stf_status status;
    } rows[] = {
        {"all is right", right, STF_OK},
        {"a save too few",
         {.commits = 15, .saves = 19, .creates = 10, .head_bytes = 4000},
         STF_INTERNAL},
        {"a save too many",
         {.commits = 15, .saves = 21, .creates = 10, .head_bytes = 4000},
         STF_INTERNAL},
        {"a record that was made twice",
         {.commits = 15, .saves = 20, .creates = 11, .head_bytes = 4000},
         STF_INTERNAL},
        {"a refused save",
         {.commits = 15, .saves = 20, .creates = 10, .refused = 1, .head_bytes = 4000},
         STF_INTERNAL},
        {"saves of nothing",
         {.commits = 15, .saves = 20, .creates = 10, .head_bytes = 19},
         STF_INTERNAL},
        {"no commit", {.commits = 0, .saves = 20, .creates = 10, .head_bytes = 4000}, STF_INTERNAL},
        {"more commits than saves",
         {.commits = 21, .saves = 20, .creates = 10, .head_bytes = 4000},
         STF_INTERNAL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        stf_error error = STF_ERROR_INIT;
        stf_status status = cli_store_totals_check("figure", &rows[i].totals, 10, 2, 10, &error);
        ck_assert_msg(status == rows[i].status, "%s: %s", rows[i].what, stf_status_name(status));
        ck_assert_msg(status == STF_OK || strstr(error.message, "figure: counted") != NULL, "%s",
                      error.message);
    }
}

STF_TEST(what_was_counted_before_a_figure_is_not_part_of_it)
{
    const cli_store_totals before = {1, 2, 3, 4, 5, 6, 7};
    const cli_store_totals after = {11, 22, 33, 44, 55, 66, 77};
    const cli_store_totals since = cli_store_totals_since(&after, &before);
    ck_assert_uint_eq(since.commits, 10);
    ck_assert_uint_eq(since.saves, 20);
    ck_assert_uint_eq(since.refused, 30);
    ck_assert_uint_eq(since.creates, 40);
    ck_assert_uint_eq(since.loads, 50);
    ck_assert_uint_eq(since.head_bytes, 60);
    ck_assert_uint_eq(since.bulk_bytes, 70);
}

static const stf_test_case cases[] = {
    STF_CASE(saves_creates_refusals_and_bytes_are_counted_for_what_they_are),
    STF_CASE(a_batch_is_one_commit_of_each_record_that_was_saved),
    STF_CASE(loads_are_counted_by_the_records_that_were_visited),
    STF_CASE(the_counting_store_offers_what_the_counted_one_does),
    STF_CASE(a_figure_is_refused_unless_every_count_is_that_of_its_work),
    STF_CASE(what_was_counted_before_a_figure_is_not_part_of_it),
};

STF_TEST_MAIN("store_count", cases)

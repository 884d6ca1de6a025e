/* SPDX-License-Identifier: Apache-2.0 */
/* Loading: every field as it was saved, copies that a visitor may outlive the connection's lock
 * with, and pages of large records in several goes. */
#include "records.h"

#include "fixture.h"

static stf_wait waits[3];

static stf_record full_record(void)
{
    waits[0] = (stf_wait){.kind = STF_WAIT_MESSAGE,
                          .flags = 5,
                          .key = {"name\0key", 8},
                          .since = {-12345678},
                          .until = {FIXTURE_NOW + 1}};
    waits[1] = (stf_wait){.kind = 77, .since = stf_wall_none(), .until = stf_wall_none()};
    waits[2] = waits[0];
    stf_record record = fixture_record("\xc3\xa4/1");
    record.head = (stf_bytes){(const uint8_t *)"\0\xff\1", 3};
    record.bulk = (stf_bytes){(const uint8_t *)"\0bulk\0", 6};
    record.lease = (stf_lease){fixture_str("owner"), 3, {FIXTURE_NOW + 123456}};
    record.due = (stf_wall){-1};
    record.waits = waits;
    record.wait_count = 3;
    record.label_key = fixture_str("order");
    record.label_version = 12;
    record.status = 99;
    return record;
}

static stf_status check_full(void *user, const stf_record *record, stf_error *error)
{
    (void)error;
    stf_record expected = full_record();
    STF_CHECK_STR(record->id, "\xc3\xa4/1");
    STF_CHECK_STR(record->group, "g");
    STF_CHECK_STR(record->tenant, "t");
    ck_assert_mem_eq(record->head.data, expected.head.data, 3);
    ck_assert_mem_eq(record->bulk.data, expected.bulk.data, 6);
    STF_CHECK_STR(record->lease.owner, "owner");
    ck_assert_int_eq(record->lease.incarnation, 3);
    ck_assert_int_eq(record->lease.expiry.us, FIXTURE_NOW + 123456);
    ck_assert_int_eq(record->due.us, -1);
    ck_assert_uint_eq(record->wait_count, 3);
    for (size_t i = 0; i < 3; i++) {
        ck_assert_uint_eq(record->waits[i].kind, waits[i].kind);
        ck_assert_uint_eq(record->waits[i].flags, waits[i].flags);
        ck_assert(stf_str_equal(record->waits[i].key, waits[i].key));
        ck_assert_int_eq(record->waits[i].since.us, waits[i].since.us);
        ck_assert_int_eq(record->waits[i].until.us, waits[i].until.us);
    }
    STF_CHECK_STR(record->label_key, "order");
    ck_assert_int_eq(record->label_version, 12);
    ck_assert_uint_eq(record->status, 99);
    ck_assert_int_eq(record->created.us, FIXTURE_NOW);
    ck_assert_int_eq(record->updated.us, FIXTURE_NOW + 9);
    ck_assert_int_eq(record->rec_version, 2);
    ++*(int *)user;
    return STF_OK;
}

STF_TEST(every_field_comes_back_also_after_a_reopen)
{
    sqlite_fixture f;
    fixture_init(&f);
    stf_record record = full_record();
    STF_CHECK_OK(fixture_put(f.repository, &record, 0, &f.error), &f.error);
    f.now_us += 9;
    stf_save save = fixture_save(&record, 1);
    save.flags = STF_SAVE_KEEP_BULK | STF_SAVE_KEEP_HEAD;
    record.head = record.bulk = (stf_bytes){NULL, 0};
    stf_save_result result;
    STF_CHECK_OK(stf_repository_save(f.repository, NULL, &save, &result, &f.error), &f.error);
    int seen = 0;
    for (int round = 0; round < 2; round++) {
        bool is_found = false;
        STF_CHECK_OK(stf_repository_load(f.repository, NULL, record.id, check_full, &seen,
                                         &is_found, &f.error),
                     &f.error);
        ck_assert(is_found);
        fixture_close(&f);
        fixture_open(&f);
    }
    ck_assert_int_eq(seen, 2);
    fixture_done(&f);
}

static stf_status save_inside(void *user, const stf_record *record, stf_error *error)
{
    stf_record copy = *record;
    return fixture_put(user, &copy, record->rec_version, error);
}

STF_TEST(a_visitor_may_use_the_store)
{
    sqlite_fixture f;
    fixture_init(&f);
    stf_record record = fixture_record("a");
    STF_CHECK_OK(fixture_put(f.repository, &record, 0, &f.error), &f.error);
    bool is_found = false;
    STF_CHECK_OK(stf_repository_load(f.repository, NULL, record.id, save_inside, f.repository,
                                     &is_found, &f.error),
                 &f.error);
    ck_assert_int_eq(fixture_version(f.repository, "a"), 2);
    stf_catalog_query query = {.group = fixture_str("g"), .limit = 10};
    STF_CHECK_OK(
        stf_repository_page(f.repository, NULL, &query, save_inside, f.repository, &f.error),
        &f.error);
    ck_assert_int_eq(fixture_version(f.repository, "a"), 3);
    fixture_done(&f);
}

static stf_status refuse(void *user, const stf_record *record, stf_error *error)
{
    (void)record;
    ++*(int *)user;
    return stf_error_set(error, STF_CALLBACK, "TEST", "no");
}

STF_TEST(a_visitor_ends_the_visit)
{
    sqlite_fixture f;
    fixture_init(&f);
    stf_record records[2] = {fixture_record("a"), fixture_record("b")};
    STF_CHECK_OK(fixture_put(f.repository, &records[0], 0, &f.error), &f.error);
    STF_CHECK_OK(fixture_put(f.repository, &records[1], 0, &f.error), &f.error);
    stf_str ids[2] = {fixture_str("a"), fixture_str("b")};
    int seen = 0;
    STF_CHECK_STATUS(stf_repository_load_many(f.repository, NULL, ids, 2, stf_wall_none(), refuse,
                                              &seen, &f.error),
                     STF_CALLBACK, &f.error);
    ck_assert_int_eq(seen, 1);
    fixture_done(&f);
}

STF_TEST(load_many_takes_what_exists_and_is_due)
{
    sqlite_fixture f;
    fixture_init(&f);
    static const int64_t dues[3] = {5, 10, STF_WALL_NONE_US};
    static const char *const names[3] = {"a", "b", "c"};
    for (size_t i = 0; i < 3; i++) {
        stf_record record = fixture_record(names[i]);
        record.due.us = dues[i];
        STF_CHECK_OK(fixture_put(f.repository, &record, 0, &f.error), &f.error);
    }
    stf_str ids[4] = {fixture_str("c"), fixture_str("x"), fixture_str("b"), fixture_str("a")};
    static const struct {
        int64_t due_before;
        const char *seen;
    } table[] = {{STF_WALL_NONE_US, "c b a "}, {9, "a "}, {10, "b a "}, {4, ""}};
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        stf_buf seen;
        stf_buf_init(&seen, NULL);
        STF_CHECK_OK(stf_repository_load_many(f.repository, NULL, ids, 4,
                                              (stf_wall){table[i].due_before}, fixture_note_record,
                                              &seen, &f.error),
                     &f.error);
        STF_CHECK_STR(stf_buf_str(&seen), table[i].seen);
        stf_buf_done(&seen);
    }
    fixture_done(&f);
}

STF_TEST(large_records_are_read_in_several_goes)
{
    static uint8_t bulk[STF__SQLITE_CHUNK_BYTES / 2];
    sqlite_fixture f;
    fixture_init(&f);
    stf_str ids[5];
    static char names[5][4];
    for (int i = 0; i < 5; i++) {
        snprintf(names[i], sizeof(names[i]), "r%d", i);
        ids[i] = fixture_str(names[i]);
        stf_record record = fixture_record(names[i]);
        record.bulk = (stf_bytes){bulk, sizeof(bulk)};
        STF_CHECK_OK(fixture_put(f.repository, &record, 0, &f.error), &f.error);
    }
    stf_buf seen;
    stf_buf_init(&seen, NULL);
    STF_CHECK_OK(stf_repository_load_many(f.repository, NULL, ids, 5, stf_wall_none(),
                                          fixture_note_record, &seen, &f.error),
                 &f.error);
    STF_CHECK_STR(stf_buf_str(&seen), "r0 r1 r2 r3 r4 ");
    for (size_t limit = 1; limit <= 6; limit++) {
        stf_buf_clear(&seen);
        stf_catalog_query query = {.group = fixture_str("g"), .limit = limit};
        STF_CHECK_OK(
            stf_repository_page(f.repository, NULL, &query, fixture_note_record, &seen, &f.error),
            &f.error);
        stf_str expected = {"r0 r1 r2 r3 r4 ", 3 * (limit < 5 ? limit : 5)};
        ck_assert(stf_str_equal(stf_buf_str(&seen), expected));
    }
    stf_buf_done(&seen);
    fixture_done(&f);
}

static const stf_test_case cases[] = {
    STF_CASE(every_field_comes_back_also_after_a_reopen),
    STF_CASE(a_visitor_may_use_the_store),
    STF_CASE(a_visitor_ends_the_visit),
    STF_CASE(load_many_takes_what_exists_and_is_due),
    STF_CASE(large_records_are_read_in_several_goes),
};

STF_TEST_MAIN("sqlite records", cases)

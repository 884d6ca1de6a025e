/* SPDX-License-Identifier: Apache-2.0 */
/* History rows: written with the save that wins, paged by version and position. */
#include "fixture.h"

#include <inttypes.h>

static stf_status note(void *user, int64_t version, uint64_t position, const stf_journal_row *row,
                       stf_error *error)
{
    (void)error;
    return stf_buf_printf(user, "%" PRId64 ".%" PRIu64 ":%.*s/%.*s ", version, position,
                          (int)row->element.size, row->element.size != 0 ? row->element.data : "",
                          (int)row->detail.size, row->detail.size != 0 ? row->detail.data : "");
}

static stf_status put(sqlite_fixture *f, int64_t expected_version, const char *first,
                      const char *second)
{
    stf_journal_row rows[2] = {
        {.fact = 3, .activation = UINT64_MAX, .at = {7}, .element = fixture_str(first)},
        {.fact = 4, .flags = 9, .at = {8}, .detail = fixture_str(second)},
    };
    stf_record record = fixture_record("a");
    stf_save save = fixture_save(&record, expected_version);
    save.journal = rows;
    save.journal_count = 2;
    stf_save_result result;
    return stf_repository_save(f->repository, NULL, &save, &result, &f->error);
}

STF_TEST(rows_are_paged_by_version_and_position)
{
    sqlite_fixture f;
    fixture_init(&f);
    STF_CHECK_OK(put(&f, 0, "one", "two"), &f.error);
    STF_CHECK_STATUS(put(&f, 0, "lost", "lost"), STF_CONCURRENT_UPDATE, &f.error);
    STF_CHECK_OK(put(&f, 1, "three", "four"), &f.error);
    static const struct {
        int64_t version;
        uint64_t position;
        size_t limit;
        const char *seen;
    } table[] = {
        {0, 0, 10, "1.1:one/ 1.2:/two 2.1:three/ 2.2:/four "},
        {0, 0, 3, "1.1:one/ 1.2:/two 2.1:three/ "},
        {1, 0, 10, "2.1:three/ 2.2:/four "},
        {1, 1, 2, "1.2:/two 2.1:three/ "},
        {2, 2, 10, ""},
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        stf_journal_query query = {fixture_str("a"), table[i].version, table[i].position,
                                   table[i].limit};
        stf_buf seen;
        stf_buf_init(&seen, NULL);
        STF_CHECK_OK(stf_repository_journal_page(f.repository, NULL, &query, note, &seen, &f.error),
                     &f.error);
        STF_CHECK_STR(stf_buf_str(&seen), table[i].seen);
        stf_buf_done(&seen);
    }
    fixture_done(&f);
}

static stf_status check_first(void *user, int64_t version, uint64_t position,
                              const stf_journal_row *row, stf_error *error)
{
    (void)error;
    (void)version;
    ++*(int *)user;
    ck_assert_uint_eq(row->fact, position == 1 ? 3 : 4);
    ck_assert_uint_eq(row->flags, position == 1 ? 0 : 9);
    ck_assert_uint_eq(row->activation, position == 1 ? UINT64_MAX : 0);
    ck_assert_int_eq(row->at.us, position == 1 ? 7 : 8);
    return STF_OK;
}

STF_TEST(every_field_of_a_row_comes_back)
{
    sqlite_fixture f;
    fixture_init(&f);
    STF_CHECK_OK(put(&f, 0, "one", "two"), &f.error);
    stf_journal_query query = {.id = fixture_str("a"), .limit = 10};
    int seen = 0;
    STF_CHECK_OK(
        stf_repository_journal_page(f.repository, NULL, &query, check_first, &seen, &f.error),
        &f.error);
    ck_assert_int_eq(seen, 2);
    query.id = fixture_str("absent");
    STF_CHECK_OK(
        stf_repository_journal_page(f.repository, NULL, &query, check_first, &seen, &f.error),
        &f.error);
    ck_assert_int_eq(seen, 2);
    fixture_done(&f);
}

static const stf_test_case cases[] = {
    STF_CASE(rows_are_paged_by_version_and_position),
    STF_CASE(every_field_of_a_row_comes_back),
};

STF_TEST_MAIN("sqlite journal", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* Listing, counting and pruning. */
#include "fixture.h"

static void settle(sqlite_fixture *f)
{
    static const struct {
        const char *id;
        const char *group;
        const char *tenant;
        const char *label;
        int64_t version;
        uint32_t status;
    } table[] = {
        {"a", "g", "t", "order", 1, STF_RECORD_ACTIVE},
        {"b", "h", "t", "order", 1, STF_RECORD_ACTIVE},
        {"c", "g", "u", "order", 2, STF_RECORD_COMPLETED},
        {"d", "g", "t", "claim", 1, STF_RECORD_TERMINATED},
        {"e", "g", "t", "claim", 1, 99},
    };
    fixture_init(f);
    STF_CHECK_OK(stf_repository_register_group(f->repository, NULL, fixture_str("h"), &f->error),
                 &f->error);
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        stf_record record = fixture_record(table[i].id);
        record.group = fixture_str(table[i].group);
        record.tenant = fixture_str(table[i].tenant);
        record.label_key = fixture_str(table[i].label);
        record.label_version = table[i].version;
        record.status = table[i].status;
        record.bulk = fixture_bytes("bulk");
        STF_CHECK_OK(fixture_put(f->repository, &record, 0, &f->error), &f->error);
        f->now_us += 10;
    }
}

STF_TEST(pages_and_counts_filter_alike)
{
    static const struct {
        const char *group;
        const char *tenant;
        const char *label;
        int64_t version;
        uint64_t mask;
        const char *after;
        const char *seen;
    } table[] = {
        {"g", "", "", 0, 0, "", "a c d e "}, {"h", "", "", 0, 0, "", "b "},
        {"x", "", "", 0, 0, "", ""},         {"g", "t", "", 0, 0, "", "a d e "},
        {"g", "x", "", 0, 0, "", ""},        {"g", "", "order", 0, 0, "", "a c "},
        {"g", "", "order", 2, 0, "", "c "},  {"g", "", "", 0, 1u << STF_RECORD_ACTIVE, "", "a "},
        {"g", "", "", 0, 6, "", "c d "},     {"g", "", "", 0, UINT64_MAX, "", "a c d "},
        {"g", "", "", 0, 0, "c", "d e "},
    };
    sqlite_fixture f;
    settle(&f);
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        stf_catalog_query query = {.group = fixture_str(table[i].group),
                                   .tenant = fixture_str(table[i].tenant),
                                   .label_key = fixture_str(table[i].label),
                                   .label_version = table[i].version,
                                   .status_mask = table[i].mask,
                                   .after_id = fixture_str(table[i].after),
                                   .limit = 10};
        stf_buf seen;
        stf_buf_init(&seen, NULL);
        STF_CHECK_OK(
            stf_repository_page(f.repository, NULL, &query, fixture_note_record, &seen, &f.error),
            &f.error);
        STF_CHECK_STR(stf_buf_str(&seen), table[i].seen);
        stf_buf_done(&seen);
        uint64_t count = 99;
        STF_CHECK_OK(stf_repository_count(f.repository, NULL, &query, &count, &f.error), &f.error);
        if (table[i].after[0] == '\0') {
            ck_assert_uint_eq(count, strlen(table[i].seen) / 2);
        }
    }
    fixture_done(&f);
}

STF_TEST(pruning_takes_what_ended_before_and_nothing_else)
{
    sqlite_fixture f;
    settle(&f);
    stf_prune_request request = {
        .group = fixture_str("g"), .ended_before = {FIXTURE_NOW + 20}, .limit = 10};
    uint64_t count = 99;
    STF_CHECK_OK(stf_repository_prune(f.repository, NULL, &request, &count, &f.error), &f.error);
    ck_assert_uint_eq(count, 0); /* "c" ended at that very instant */
    request.ended_before.us = FIXTURE_NOW + 1000;
    request.tenant = fixture_str("u");
    STF_CHECK_OK(stf_repository_prune(f.repository, NULL, &request, &count, &f.error), &f.error);
    ck_assert_uint_eq(count, 1);
    request.tenant = fixture_str("");
    STF_CHECK_OK(stf_repository_prune(f.repository, NULL, &request, &count, &f.error), &f.error);
    ck_assert_uint_eq(count, 1);
    ck_assert_int_eq(fixture_sql_int(&f, "SELECT count(*) FROM stepfast_instances"), 3);
    ck_assert_int_eq(fixture_sql_int(&f, "SELECT count(*) FROM stepfast_bulks"), 3);
    ck_assert_int_eq(fixture_version(f.repository, "e"), 1); /* an unknown status has not ended */
    fixture_done(&f);
}

STF_TEST(pruning_stops_at_its_limit)
{
    sqlite_fixture f;
    fixture_init(&f);
    for (int i = 0; i < 5; i++) {
        char id[8];
        snprintf(id, sizeof(id), "r%d", i);
        stf_record record = fixture_record(id);
        record.status = STF_RECORD_COMPLETED;
        STF_CHECK_OK(fixture_put(f.repository, &record, 0, &f.error), &f.error);
    }
    stf_prune_request request = {
        .group = fixture_str("g"), .ended_before = {FIXTURE_NOW + 1}, .limit = 2};
    static const uint64_t counts[] = {2, 2, 1, 0};
    for (size_t i = 0; i < 4; i++) {
        uint64_t count = 99;
        STF_CHECK_OK(stf_repository_prune(f.repository, NULL, &request, &count, &f.error),
                     &f.error);
        ck_assert_uint_eq(count, counts[i]);
    }
    fixture_done(&f);
}

static const stf_test_case cases[] = {
    STF_CASE(pages_and_counts_filter_alike),
    STF_CASE(pruning_takes_what_ended_before_and_nothing_else),
    STF_CASE(pruning_stops_at_its_limit),
};

STF_TEST_MAIN("sqlite catalog", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* Save and delete: what is compared, what is written, what a batch's losers leave, and a full file.
 */
#include "fixture.h"

STF_TEST(a_save_is_refused_in_the_order_of_the_contract)
{
    sqlite_fixture f;
    fixture_init(&f);
    stf_error *error = &f.error;
    STF_CHECK_OK(stf_repository_register_group(f.repository, NULL, fixture_str("h"), error), error);
    stf_record record = fixture_record("a");
    STF_CHECK_STATUS(fixture_put(f.repository, &record, 3, error), STF_CONCURRENT_UPDATE, error);
    STF_CHECK_OK(fixture_put(f.repository, &record, 0, error), error);
    record.group = fixture_str("nowhere");
    STF_CHECK_STATUS(fixture_put(f.repository, &record, 9, error), STF_NOT_FOUND, error);
    record.group = fixture_str("h");
    STF_CHECK_STATUS(fixture_put(f.repository, &record, 9, error), STF_INVALID_ARGUMENT, error);
    record.group = fixture_str("g");
    record.tenant = fixture_str("another");
    STF_CHECK_STATUS(fixture_put(f.repository, &record, 9, error), STF_INVALID_ARGUMENT, error);
    record.tenant = fixture_str("");
    STF_CHECK_STATUS(fixture_put(f.repository, &record, 9, error), STF_CONCURRENT_UPDATE, error);
    STF_CHECK_OK(fixture_put(f.repository, &record, 1, error), error);
    /* A refused tenant was not registered. */
    ck_assert_int_eq(fixture_sql_int(&f, "SELECT count(*) FROM stepfast_tenants"), 1);
    fixture_done(&f);
}

STF_TEST(the_attempt_is_compared_too)
{
    sqlite_fixture f;
    fixture_init(&f);
    stf_record record = fixture_record("a");
    stf_save first = fixture_save(&record, 0);
    stf_save_result result;
    STF_CHECK_OK(stf_repository_save(f.repository, NULL, &first, &result, &f.error), &f.error);
    stf_delete request = {.struct_size = sizeof(request), .abi = STF_DELETE_ABI, .id = record.id};
    request.expected_version = 1;
    STF_CHECK_OK(stf_repository_delete(f.repository, NULL, &request, &f.error), &f.error);
    STF_CHECK_OK(fixture_put(f.repository, &record, 0, &f.error), &f.error);
    stf_save late = fixture_save(&record, 1); /* the version of the deleted one fits */
    late.flags = STF_SAVE_HAS_ATTEMPT_SEEN;
    late.attempt_seen = first.attempt;
    STF_CHECK_STATUS(stf_repository_save(f.repository, NULL, &late, &result, &f.error),
                     STF_CONCURRENT_UPDATE, &f.error);
    request.flags = STF_DELETE_HAS_ATTEMPT_SEEN;
    request.attempt_seen = first.attempt;
    STF_CHECK_STATUS(stf_repository_delete(f.repository, NULL, &request, &f.error),
                     STF_CONCURRENT_UPDATE, &f.error);
    request.flags = STF_DELETE_ANY;
    request.expected_version = 77;
    STF_CHECK_OK(stf_repository_delete(f.repository, NULL, &request, &f.error), &f.error);
    STF_CHECK_OK(stf_repository_delete(f.repository, NULL, &request, &f.error), &f.error);
    fixture_done(&f);
}

STF_TEST(losers_of_a_batch_leave_nothing_and_abort_nobody)
{
    sqlite_fixture f;
    fixture_init(&f);
    stf_record records[4] = {fixture_record("a"), fixture_record("b"), fixture_record("c"),
                             fixture_record("d")};
    stf_wait wait = {.kind = STF_WAIT_TASK, .key = fixture_str("k"), .until = stf_wall_none()};
    records[1].waits = &wait;
    records[1].wait_count = 1;
    records[2].group = fixture_str("nowhere");
    stf_save saves[4];
    for (size_t i = 0; i < 4; i++) {
        saves[i] = fixture_save(&records[i], i == 1 ? 5 : 0);
    }
    stf_save_result results[4];
    STF_CHECK_OK(stf_repository_save_many(f.repository, NULL, saves, 4, results, &f.error),
                 &f.error);
    static const stf_status expected[4] = {STF_OK, STF_CONCURRENT_UPDATE, STF_NOT_FOUND, STF_OK};
    for (size_t i = 0; i < 4; i++) {
        ck_assert_uint_eq(results[i].status, expected[i]);
    }
    ck_assert_int_eq(results[3].rec_version, 1);
    ck_assert_int_eq(fixture_sql_int(&f, "SELECT count(*) FROM stepfast_instances"), 2);
    ck_assert_int_eq(fixture_sql_int(&f, "SELECT count(*) FROM stepfast_waits"), 0);
    fixture_done(&f);
}

STF_TEST(the_lease_of_a_duration_is_counted_by_the_store)
{
    sqlite_fixture f;
    fixture_init(&f);
    stf_record record = fixture_record("a");
    record.lease = (stf_lease){.owner = fixture_str("me"), .incarnation = 7};
    stf_save save = fixture_save(&record, 0);
    save.flags = STF_SAVE_LEASE_DURATION;
    save.lease_duration_us = 30;
    stf_save_result result;
    STF_CHECK_OK(stf_repository_save(f.repository, NULL, &save, &result, &f.error), &f.error);
    ck_assert_int_eq(result.lease_expiry.us, FIXTURE_NOW + 30);
    save = fixture_save(&record, 1);
    save.flags = STF_SAVE_LEASE_DURATION;
    save.lease_duration_us = INT64_MAX;
    record.lease.incarnation = 3; /* never goes down */
    STF_CHECK_OK(stf_repository_save(f.repository, NULL, &save, &result, &f.error), &f.error);
    ck_assert_int_eq(result.lease_expiry.us, INT64_MAX);
    ck_assert_int_eq(fixture_sql_int(&f, "SELECT incarnation FROM stepfast_instances"), 7);
    record.lease.owner = fixture_str("");
    save = fixture_save(&record, 2);
    STF_CHECK_OK(stf_repository_save(f.repository, NULL, &save, &result, &f.error), &f.error);
    ck_assert(stf_wall_is_none(result.lease_expiry));
    fixture_done(&f);
}

STF_TEST(only_waits_that_changed_are_written)
{
    sqlite_fixture f;
    fixture_init(&f);
    stf_wait waits[3] = {
        {.kind = STF_WAIT_TASK, .key = fixture_str("one"), .since = {1}, .until = {9}},
        {.kind = STF_WAIT_TASK, .key = fixture_str("two"), .since = {2}, .until = stf_wall_none()},
        {.kind = STF_WAIT_JOB, .key = fixture_str("three"), .since = {3}, .until = stf_wall_none()},
    };
    stf_record record = fixture_record("a");
    record.waits = waits;
    record.wait_count = 3;
    STF_CHECK_OK(fixture_put(f.repository, &record, 0, &f.error), &f.error);
    /* A mark on the rows shows which of them are written again. */
    fixture_sql(&f, "CREATE TABLE writes (kind TEXT, position INTEGER);"
                    "CREATE TRIGGER t1 AFTER INSERT ON stepfast_waits BEGIN"
                    " INSERT INTO writes VALUES ('insert', new.position); END;"
                    "CREATE TRIGGER t2 AFTER DELETE ON stepfast_waits BEGIN"
                    " INSERT INTO writes VALUES ('delete', old.position); END");
    STF_CHECK_OK(fixture_put(f.repository, &record, 1, &f.error), &f.error);
    ck_assert_int_eq(fixture_sql_int(&f, "SELECT count(*) FROM writes"), 0);
    waits[2].until.us = 5;
    STF_CHECK_OK(fixture_put(f.repository, &record, 2, &f.error), &f.error);
    ck_assert_int_eq(fixture_sql_int(&f, "SELECT count(*) FROM writes"), 2);
    ck_assert_int_eq(fixture_sql_int(&f, "SELECT min(position) FROM writes"), 2);
    record.wait_count = 1;
    STF_CHECK_OK(fixture_put(f.repository, &record, 3, &f.error), &f.error);
    ck_assert_int_eq(fixture_sql_int(&f, "SELECT count(*) FROM stepfast_waits"), 1);
    record.wait_count = 0;
    STF_CHECK_OK(fixture_put(f.repository, &record, 4, &f.error), &f.error);
    ck_assert_int_eq(fixture_sql_int(&f, "SELECT count(*) FROM stepfast_waits"), 0);
    fixture_done(&f);
}

/* Bytes of the log that one save writes. */
static uint64_t log_bytes_of(sqlite_fixture *f, const fixture_vfs_state *vfs, const stf_save *save)
{
    uint64_t before = vfs->wal_bytes;
    stf_save_result result;
    STF_CHECK_OK(stf_repository_save(f->repository, NULL, save, &result, &f->error), &f->error);
    return vfs->wal_bytes - before;
}

#define PAGE (4096 + 24) /* a frame of the log */

STF_TEST(a_save_writes_few_pages_and_none_of_what_it_keeps)
{
    const fixture_vfs_state *vfs = fixture_vfs_install();
    static uint8_t bulk[256 * 1024];
    static uint8_t head[512];
    sqlite_fixture f;
    fixture_init(&f);
    stf_record record = fixture_record("a");
    record.head = (stf_bytes){head, sizeof(head)};
    record.bulk = (stf_bytes){bulk, sizeof(bulk)};
    record.lease = (stf_lease){fixture_str("me"), 1, {FIXTURE_NOW}};
    record.due = (stf_wall){FIXTURE_NOW};
    stf_save save = fixture_save(&record, 0);
    ck_assert_uint_gt(log_bytes_of(&f, vfs, &save), sizeof(bulk));
    int64_t version = 1;
    /* The row's page and nothing else, whatever indexes the record is in. */
    for (; version < 20; version++) {
        head[version] = (uint8_t)version;
        record.lease.expiry.us++;
        save = fixture_save(&record, version);
        save.flags = STF_SAVE_KEEP_BULK;
        uint64_t bytes = log_bytes_of(&f, vfs, &save);
        ck_assert_msg(bytes <= PAGE, "%llu bytes", (unsigned long long)bytes);
    }
    /* Going to rest: the row and the two indexes. */
    record.lease.owner = fixture_str("");
    record.due.us += 5;
    save = fixture_save(&record, version++);
    save.flags = STF_SAVE_KEEP_BULK;
    ck_assert_uint_le(log_bytes_of(&f, vfs, &save), 3 * PAGE);
    record.bulk.size = 0; /* and it can go */
    save = fixture_save(&record, version);
    STF_CHECK_OK(stf_repository_save(f.repository, NULL, &save, &(stf_save_result){0}, &f.error),
                 &f.error);
    ck_assert_int_eq(fixture_sql_int(&f, "SELECT count(*) FROM stepfast_bulks"), 0);
    fixture_done(&f);
}

STF_TEST(a_batch_is_one_commit)
{
    const fixture_vfs_state *vfs = fixture_vfs_install();
    enum {
        COUNT = 50
    };
    static char ids[COUNT][8];
    sqlite_fixture f;
    fixture_init(&f);
    stf_record records[COUNT];
    stf_save saves[COUNT];
    stf_save_result results[COUNT];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < COUNT; i++) {
            snprintf(ids[i], sizeof(ids[i]), "r%02d", i);
            records[i] = fixture_record(ids[i]);
            saves[i] = fixture_save(&records[i], round);
        }
        uint64_t before = vfs->wal_bytes;
        STF_CHECK_OK(stf_repository_save_many(f.repository, NULL, saves, COUNT, results, &f.error),
                     &f.error);
        if (round == 1) { /* small rows share pages, and a page is logged once */
            ck_assert_uint_le(vfs->wal_bytes - before, 6 * PAGE);
        }
    }
    fixture_done(&f);
}

STF_TEST(a_full_file_loses_nothing_says_so_and_works_again_when_there_is_room)
{
    static uint8_t bytes[20000];
    sqlite_fixture f;
    fixture_make(&f);
    f.options.max_page_count = 150;
    fixture_open(&f);
    int stored = 0;
    char id[16];
    stf_status status = STF_OK;
    while (status == STF_OK) {
        snprintf(id, sizeof(id), "r%d", stored);
        stf_record record = fixture_record(id);
        record.bulk = (stf_bytes){bytes, sizeof(bytes)};
        status = fixture_put(f.repository, &record, 0, &f.error);
        stored += status == STF_OK;
        ck_assert_int_lt(stored, 200);
    }
    ck_assert_int_gt(stored, 5);
    STF_CHECK_STATUS(status, STF_UNAVAILABLE, &f.error);
    ck_assert_msg(strstr(f.error.message, "full") != NULL, "%s", f.error.message);
    ck_assert_str_eq(f.error.native_code, "SQLITE_FULL (13)");
    ck_assert_int_eq(fixture_version(f.repository, id), 0);
    for (int i = 0; i < stored; i++) {
        snprintf(id, sizeof(id), "r%d", i);
        ck_assert_int_eq(fixture_version(f.repository, id), 1);
    }
    stf_delete request = {.struct_size = sizeof(request),
                          .abi = STF_DELETE_ABI,
                          .flags = STF_DELETE_ANY,
                          .id = fixture_str("r0")};
    STF_CHECK_OK(stf_repository_delete(f.repository, NULL, &request, &f.error), &f.error);
    stf_record record = fixture_record("new");
    record.bulk = (stf_bytes){bytes, sizeof(bytes)};
    STF_CHECK_OK(fixture_put(f.repository, &record, 0, &f.error), &f.error);
    fixture_close(&f);
    f.options.max_page_count = 0;
    fixture_open(&f);
    ck_assert_int_eq(fixture_version(f.repository, "new"), 1);
    ck_assert_int_eq(fixture_sql_int(&f, "SELECT count(*) FROM stepfast_instances"), stored);
    fixture_done(&f);
}

STF_TEST(a_deleted_record_leaves_no_part_behind)
{
    sqlite_fixture f;
    fixture_init(&f);
    stf_wait wait = {.kind = STF_WAIT_TASK, .key = fixture_str("k"), .until = stf_wall_none()};
    stf_journal_row row = {.fact = 1, .element = fixture_str("e")};
    stf_record record = fixture_record("a");
    record.bulk = fixture_bytes("bulk");
    record.waits = &wait;
    record.wait_count = 1;
    stf_save save = fixture_save(&record, 0);
    save.journal = &row;
    save.journal_count = 1;
    stf_save_result result;
    STF_CHECK_OK(stf_repository_save(f.repository, NULL, &save, &result, &f.error), &f.error);
    static const char parts[] =
        "SELECT (SELECT count(*) FROM stepfast_bulks) + (SELECT count(*) FROM stepfast_waits)"
        " + (SELECT count(*) FROM stepfast_journal) + (SELECT count(*) FROM stepfast_instances)";
    ck_assert_int_eq(fixture_sql_int(&f, parts), 4);
    stf_delete request = {.struct_size = sizeof(request),
                          .abi = STF_DELETE_ABI,
                          .id = record.id,
                          .expected_version = 1};
    STF_CHECK_OK(stf_repository_delete(f.repository, NULL, &request, &f.error), &f.error);
    ck_assert_int_eq(fixture_sql_int(&f, parts), 0);
    fixture_done(&f);
}

static const stf_test_case cases[] = {
    STF_CASE(a_save_is_refused_in_the_order_of_the_contract),
    STF_CASE(the_attempt_is_compared_too),
    STF_CASE(losers_of_a_batch_leave_nothing_and_abort_nobody),
    STF_CASE(the_lease_of_a_duration_is_counted_by_the_store),
    STF_CASE(only_waits_that_changed_are_written),
    STF_CASE(a_save_writes_few_pages_and_none_of_what_it_keeps),
    STF_CASE(a_batch_is_one_commit),
    STF_CASE(a_full_file_loses_nothing_says_so_and_works_again_when_there_is_room),
    STF_CASE(a_deleted_record_leaves_no_part_behind),
};

STF_TEST_MAIN("sqlite save", cases)

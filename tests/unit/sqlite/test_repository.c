/* SPDX-License-Identifier: Apache-2.0 */
/* What the store says of itself, and two handles on one file. */
#include "fixture.h"

#include <stepfast/sys/repository_clock.h>
#include <stepfast/sys/repository_cluster.h>

STF_TEST(r19_durability_is_read_from_the_connection)
{
    sqlite_fixture f;
    fixture_init(&f);
    stf_repository_facts facts = STF_REPOSITORY_FACTS_INIT;
    STF_CHECK_OK(stf_repository_describe(f.repository, NULL, &facts, &f.error), &f.error);
    ck_assert_uint_eq(facts.flags, STF_REPOSITORY_DURABLE);
    ck_assert_str_eq(facts.name, "sqlite");
    ck_assert_str_eq(facts.durability, "journal_mode=wal synchronous=FULL: each commit is synced");
    fixture_close(&f);
    f.options.flags = STF_SQLITE_SYNC_NORMAL;
    fixture_open(&f);
    STF_CHECK_OK(stf_repository_describe(f.repository, NULL, &facts, &f.error), &f.error);
    ck_assert_uint_eq(facts.flags, 0);
    ck_assert_ptr_nonnull(strstr(facts.durability, "synchronous=NORMAL"));
    fixture_done(&f);
}

STF_TEST(capabilities_are_all_but_a_clock)
{
    sqlite_fixture f;
    fixture_init(&f);
    static const char *const ids[] = {STF_REPOSITORY_MIGRATOR, STF_REPOSITORY_CLUSTER,
                                      STF_REPOSITORY_BATCH,    STF_REPOSITORY_WAKE,
                                      STF_REPOSITORY_CATALOG,  STF_REPOSITORY_JOURNAL,
                                      STF_REPOSITORY_LIVENESS};
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        ck_assert_msg(stf_repository_has(f.repository, ids[i]), "%s", ids[i]);
    }
    ck_assert(!stf_repository_has(f.repository, STF_REPOSITORY_CLOCK));
    bool is_compatible = true;
    const char *reason = NULL;
    STF_CHECK_OK(
        stf_repository_is_cluster_compatible(f.repository, &is_compatible, &reason, &f.error),
        &f.error);
    ck_assert(!is_compatible);
    ck_assert_str_eq(reason, "one machine; engines share one file");
    fixture_done(&f);
}

STF_TEST(groups_are_registered_once_and_seen_by_every_handle)
{
    sqlite_fixture f;
    fixture_init(&f);
    stf_repository *second = fixture_second(&f);
    bool exists = true;
    STF_CHECK_OK(stf_repository_group_exists(second, NULL, fixture_str("h"), &exists, &f.error),
                 &f.error);
    ck_assert(!exists);
    for (int i = 0; i < 2; i++) {
        STF_CHECK_OK(stf_repository_register_group(f.repository, NULL, fixture_str("h"), &f.error),
                     &f.error);
    }
    STF_CHECK_OK(stf_repository_group_exists(second, NULL, fixture_str("h"), &exists, &f.error),
                 &f.error);
    ck_assert(exists);
    stf_repository_close(second);
    fixture_done(&f);
}

STF_TEST(two_handles_see_each_others_saves_and_one_wins)
{
    sqlite_fixture f;
    fixture_init(&f);
    stf_repository *second = fixture_second(&f);
    stf_record record = fixture_record("a");
    STF_CHECK_OK(fixture_put(f.repository, &record, 0, &f.error), &f.error);
    STF_CHECK_OK(fixture_put(second, &record, 1, &f.error), &f.error);
    STF_CHECK_STATUS(fixture_put(f.repository, &record, 1, &f.error), STF_CONCURRENT_UPDATE,
                     &f.error);
    ck_assert_int_eq(fixture_version(f.repository, "a"), 2);
    stf_repository_close(second);
    fixture_done(&f);
}

STF_TEST(arguments_are_checked)
{
    sqlite_fixture f;
    fixture_init(&f);
    stf_repository *repository = NULL;
    stf_definition_store *store = NULL;
    STF_CHECK_STATUS(stf_sqlite_open_repository(NULL, &repository, &f.error), STF_INVALID_ARGUMENT,
                     &f.error);
    STF_CHECK_STATUS(stf_sqlite_open_repository(f.sqlite, NULL, &f.error), STF_INVALID_ARGUMENT,
                     &f.error);
    STF_CHECK_STATUS(stf_sqlite_open_definitions(NULL, &store, &f.error), STF_INVALID_ARGUMENT,
                     &f.error);
    fixture_done(&f);
}

static const stf_test_case cases[] = {
    STF_CASE(r19_durability_is_read_from_the_connection),
    STF_CASE(capabilities_are_all_but_a_clock),
    STF_CASE(groups_are_registered_once_and_seen_by_every_handle),
    STF_CASE(two_handles_see_each_others_saves_and_one_wins),
    STF_CASE(arguments_are_checked),
};

STF_TEST_MAIN("sqlite repository", cases)

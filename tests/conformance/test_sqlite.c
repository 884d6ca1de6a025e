/* SPDX-License-Identifier: Apache-2.0 */
/* The SQLite store against the whole suite. */
#include "conformance/sqlite_factory.h"
#include "support/stf_test.h"

static void report(void *user, const stf_conformance_result *result)
{
    ck_assert_msg(result->outcome != STF_CONFORMANCE_FAILED, "%s: %s", result->id, result->reason);
    /* The one capability that this store does not have. */
    ck_assert_msg(result->outcome == STF_CONFORMANCE_OK || strcmp(result->id, "facts.clock") == 0,
                  "%s was skipped: %s", result->id, result->reason);
    ++*(size_t *)user;
}

static void check_suite(uint32_t flags, uint32_t race_saves)
{
    sqlite_factory factory;
    size_t seen = 0;
    stf_error error = STF_ERROR_INIT;
    stf_conformance_options options = {
        .struct_size = sizeof(options), .abi = STF_CONFORMANCE_ABI, .race_saves = race_saves};
    sqlite_factory_init(&factory, flags);
    STF_CHECK_OK(stf_conformance_run(&factory.factory, &options, report, &seen, &error), &error);
    ck_assert_uint_eq(seen, stf_conformance_case_count());
    sqlite_factory_done(&factory);
}

/* Fewer saves race here: each waits for the disk, and a disk may be slow. */
STF_TEST(sqlite_store_passes_every_case)
{
    check_suite(0, 1000);
}

STF_TEST(sqlite_store_passes_every_case_without_waiting_for_the_disk)
{
    check_suite(STF_SQLITE_SYNC_NORMAL, 10000);
}

static const stf_test_case cases[] = {
    STF_CASE(sqlite_store_passes_every_case),
    STF_CASE(sqlite_store_passes_every_case_without_waiting_for_the_disk),
};

STF_TEST_MAIN("conformance/sqlite", cases)

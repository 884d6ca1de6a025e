/* SPDX-License-Identifier: Apache-2.0 */
/* The memory store against the whole suite, and the suite's own manners. */
#include "conformance/memory_factory.h"

#include "support/stf_test.h"

typedef struct tally {
    size_t ok;
    size_t failed;
    size_t skipped;
} tally;

/* What a store that nothing survives, without migrations, clock and proof of death may skip. */
static bool may_be_skipped(const char *id)
{
    static const char *const allowed[] = {"durability.", "liveness.", "facts.clock",
                                          "facts.migrate"};
    for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++) {
        if (strncmp(id, allowed[i], strlen(allowed[i])) == 0) {
            return true;
        }
    }
    return false;
}

static void report(void *user, const stf_conformance_result *result)
{
    tally *sums = user;
    ck_assert_msg(result->outcome != STF_CONFORMANCE_FAILED, "%s: %s", result->id, result->reason);
    ck_assert_msg(result->outcome != STF_CONFORMANCE_SKIPPED || may_be_skipped(result->id),
                  "%s was skipped: %s", result->id, result->reason);
    sums->ok += result->outcome == STF_CONFORMANCE_OK;
    sums->skipped += result->outcome == STF_CONFORMANCE_SKIPPED;
    ck_assert_uint_eq(result->number, sums->ok + sums->skipped);
}

STF_TEST(memory_store_passes_every_case)
{
    memory_factory factory;
    tally sums = {0};
    stf_error error = STF_ERROR_INIT;
    memory_factory_init(&factory);
    STF_CHECK_OK(stf_conformance_run(&factory.factory, NULL, report, &sums, &error), &error);
    ck_assert_uint_eq(sums.ok + sums.skipped, stf_conformance_case_count());
    ck_assert_uint_gt(sums.ok, 100);
}

STF_TEST(one_case_can_be_run_alone_and_an_unknown_one_is_not_found)
{
    memory_factory factory;
    tally sums = {0};
    stf_error error = STF_ERROR_INIT;
    stf_conformance_options options = {
        .struct_size = sizeof(options), .abi = STF_CONFORMANCE_ABI, .only = "facts.describe"};
    memory_factory_init(&factory);
    STF_CHECK_OK(stf_conformance_run(&factory.factory, &options, report, &sums, &error), &error);
    ck_assert_uint_eq(sums.ok, 1);
    options.only = "no.such-case";
    STF_CHECK_STATUS(stf_conformance_run(&factory.factory, &options, NULL, NULL, &error),
                     STF_NOT_FOUND, &error);
}

static void report_to_tap(void *user, const stf_conformance_result *result)
{
    (void)user;
    stf_conformance_report_tap(NULL, result);
}

STF_TEST(tap_is_printed_without_a_failure)
{
    memory_factory factory;
    stf_conformance_options options = {
        .struct_size = sizeof(options), .abi = STF_CONFORMANCE_ABI, .race_saves = 10};
    stf_error error = STF_ERROR_INIT;
    memory_factory_init(&factory);
    STF_CHECK_OK(stf_conformance_run(&factory.factory, &options, report_to_tap, NULL, &error),
                 &error);
}

static stf_status refuse_fresh(void *user, const stf_clock *clock, stf_repository **ret_repository,
                               stf_error *error)
{
    (void)user;
    (void)clock;
    (void)ret_repository;
    return stf_error_set(error, STF_UNAVAILABLE, "TEST", "no store today");
}

STF_TEST(a_failing_factory_is_callback_and_a_malformed_one_invalid)
{
    memory_factory factory;
    stf_error error = STF_ERROR_INIT;
    memory_factory_init(&factory);
    factory.factory.fresh = refuse_fresh;
    STF_CHECK_STATUS(stf_conformance_run(&factory.factory, NULL, NULL, NULL, &error), STF_CALLBACK,
                     &error);
    factory.factory.destroy = NULL;
    STF_CHECK_STATUS(stf_conformance_run(&factory.factory, NULL, NULL, NULL, &error),
                     STF_INVALID_ARGUMENT, &error);
    STF_CHECK_STATUS(stf_conformance_run(NULL, NULL, NULL, NULL, &error), STF_INVALID_ARGUMENT,
                     &error);
}

static const stf_test_case cases[] = {
    STF_CASE(memory_store_passes_every_case),
    STF_CASE(one_case_can_be_run_alone_and_an_unknown_one_is_not_found),
    STF_CASE(tap_is_printed_without_a_failure),
    STF_CASE(a_failing_factory_is_callback_and_a_malformed_one_invalid),
};

STF_TEST_MAIN("conformance/memory", cases)

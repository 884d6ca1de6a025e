/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of the catalog capability. */
#include "unit/port/capability_calls.h"

static stf_status call_page(stf_repository *repository, const stf_ctx *ctx, stf_str name)
{
    size_t count = 0;
    stf_catalog_query query = {.group = name, .limit = 1};
    stf_status status =
        stf_repository_page(repository, ctx, &query, fake_visit_record, &count, NULL);
    ck_assert_uint_eq(count, status == STF_OK);
    return status;
}

/* The fake checks that after_id is gone; limit 0 is fine for a count. */
static stf_status call_count(stf_repository *repository, const stf_ctx *ctx, stf_str name)
{
    uint64_t count = 7;
    stf_catalog_query query = {.group = name, .after_id = {"m", 1}};
    stf_status status = stf_repository_count(repository, ctx, &query, &count, NULL);
    ck_assert_uint_eq(count, status == STF_OK ? 42 : 7);
    return status;
}

static stf_status call_prune(stf_repository *repository, const stf_ctx *ctx, stf_str name)
{
    uint64_t count = 7;
    stf_prune_request request = {.group = name, .limit = 1};
    stf_status status = stf_repository_prune(repository, ctx, &request, &count, NULL);
    ck_assert_uint_eq(count, status == STF_OK ? 42 : 7);
    return status;
}

static const capability_call calls[] = {
    {call_page, STF__CAPABILITY_CATALOG, true},
    {call_count, STF__CAPABILITY_CATALOG, true},
    {call_prune, STF__CAPABILITY_CATALOG, true},
};

STF_TEST(each_call_keeps_the_guarantees)
{
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        check_capability_call(&calls[i]);
    }
}

STF_TEST(a_negative_label_version_and_a_page_of_nothing_are_refused)
{
    fake store;
    size_t count = 0;
    uint64_t total = 0;
    fake_init(&store);
    stf_repository *repository = fake_open(&store);
    stf_catalog_query query = {.group = {"g", 1}, .limit = 1, .label_version = -1};
    ck_assert_uint_eq(
        stf_repository_page(repository, NULL, &query, fake_visit_record, &count, NULL),
        STF_INVALID_ARGUMENT);
    query.label_version = 0;
    query.limit = 0;
    ck_assert_uint_eq(
        stf_repository_page(repository, NULL, &query, fake_visit_record, &count, NULL),
        STF_INVALID_ARGUMENT);
    stf_prune_request request = {.group = {"g", 1}};
    ck_assert_uint_eq(stf_repository_prune(repository, NULL, &request, &total, NULL),
                      STF_INVALID_ARGUMENT);
    ck_assert_uint_eq(store.calls, 0);
    stf_repository_close(repository);
}

static const stf_test_case cases[] = {
    STF_CASE(each_call_keeps_the_guarantees),
    STF_CASE(a_negative_label_version_and_a_page_of_nothing_are_refused),
};

STF_TEST_MAIN("port/catalog", cases)

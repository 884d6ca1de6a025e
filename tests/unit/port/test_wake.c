/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of the wake capability. */
#include "unit/port/capability_calls.h"

static stf_status call_due(stf_repository *repository, const stf_ctx *ctx, stf_str name)
{
    size_t count = 0;
    stf_due_query query = {.group = name, .limit = 1};
    stf_status status =
        stf_repository_due_page(repository, ctx, &query, fake_visit_row, &count, NULL);
    ck_assert_uint_eq(count, status == STF_OK);
    return status;
}

static stf_status call_orphan(stf_repository *repository, const stf_ctx *ctx, stf_str name)
{
    size_t count = 0;
    stf_orphan_query query = {.group = name, .limit = 1};
    stf_status status =
        stf_repository_orphan_page(repository, ctx, &query, fake_visit_row, &count, NULL);
    ck_assert_uint_eq(count, status == STF_OK);
    return status;
}

static stf_status call_waiting(stf_repository *repository, const stf_ctx *ctx, stf_str name)
{
    size_t count = 0;
    stf_waiting_query query = {.group = name, .limit = 1};
    stf_status status =
        stf_repository_waiting_page(repository, ctx, &query, fake_visit_row, &count, NULL);
    ck_assert_uint_eq(count, status == STF_OK);
    return status;
}

static stf_status call_next_due(stf_repository *repository, const stf_ctx *ctx, stf_str name)
{
    stf_wall due = {7};
    stf_status status =
        stf_repository_next_due(repository, ctx, name, (stf_str){NULL, 0}, &due, NULL);
    ck_assert_int_eq(due.us, status == STF_OK ? 42 : 7);
    return status;
}

static const capability_call calls[] = {
    {call_due, STF__CAPABILITY_WAKE, true},
    {call_orphan, STF__CAPABILITY_WAKE, true},
    {call_waiting, STF__CAPABILITY_WAKE, true},
    {call_next_due, STF__CAPABILITY_WAKE, true},
};

STF_TEST(each_call_keeps_the_guarantees)
{
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        check_capability_call(&calls[i]);
    }
}

static stf_status orphans_with(stf_repository *repository, const stf_str *dead, size_t count)
{
    size_t visited = 0;
    stf_orphan_query query = {
        .group = {"g", 1}, .dead_owners = dead, .dead_owner_count = count, .limit = 1};
    return stf_repository_orphan_page(repository, NULL, &query, fake_visit_row, &visited, NULL);
}

STF_TEST(dead_owners_are_names_and_not_too_many)
{
    fake store;
    fake_init(&store);
    stf_repository *repository = fake_open(&store);
    const stf_str good[] = {{"x", 1}, {"y", 1}};
    const stf_str empty[] = {{"x", 1}, {NULL, 0}};
    ck_assert_uint_eq(orphans_with(repository, good, 2), STF_OK);
    store.calls = 0;
    ck_assert_uint_eq(orphans_with(repository, empty, 2), STF_EMPTY_NOT_ALLOWED);
    ck_assert_uint_eq(orphans_with(repository, NULL, 1), STF_INVALID_ARGUMENT);
    ck_assert_uint_eq(orphans_with(repository, good, STF_LIMIT_PAGE + 1), STF_LIMIT_EXCEEDED);
    ck_assert_uint_eq(store.calls, 0);
    stf_repository_close(repository);
}

STF_TEST(a_waiting_key_may_hold_nul_and_be_longer_than_a_name)
{
    static char text[STF_LIMIT_WAIT_KEY_BYTES + 1];
    fake store;
    size_t visited = 0;
    fake_init(&store);
    stf_repository *repository = fake_open(&store);
    stf_waiting_query query = {
        .group = {"g", 1}, .key = {text, STF_LIMIT_WAIT_KEY_BYTES}, .limit = 1};
    ck_assert_uint_eq(
        stf_repository_waiting_page(repository, NULL, &query, fake_visit_row, &visited, NULL),
        STF_OK);
    query.key.size++;
    ck_assert_uint_eq(
        stf_repository_waiting_page(repository, NULL, &query, fake_visit_row, &visited, NULL),
        STF_LIMIT_EXCEEDED);
    ck_assert_uint_eq(store.calls, 1);
    stf_repository_close(repository);
}

static const stf_test_case cases[] = {
    STF_CASE(each_call_keeps_the_guarantees),
    STF_CASE(dead_owners_are_names_and_not_too_many),
    STF_CASE(a_waiting_key_may_hold_nul_and_be_longer_than_a_name),
};

STF_TEST_MAIN("port/wake", cases)

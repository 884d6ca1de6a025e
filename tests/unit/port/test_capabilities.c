/* SPDX-License-Identifier: Apache-2.0 */
/* The small capabilities: UNSUPPORTED where absent, outputs on success only. */
#include "unit/port/capability_calls.h"

static stf_status call_migrate(stf_repository *repository, const stf_ctx *ctx, stf_str name)
{
    (void)name;
    return stf_repository_migrate(repository, ctx, NULL);
}

static stf_status call_check_schema(stf_repository *repository, const stf_ctx *ctx, stf_str name)
{
    (void)name;
    return stf_repository_check_schema(repository, ctx, NULL);
}

static stf_status call_now(stf_repository *repository, const stf_ctx *ctx, stf_str name)
{
    (void)name;
    stf_wall now = {7};
    stf_status status = stf_repository_now(repository, ctx, &now, NULL);
    ck_assert_int_eq(now.us, status == STF_OK ? 42 : 7);
    return status;
}

static stf_status visit_journal(void *user, int64_t version, uint64_t position,
                                const stf_journal_row *row, stf_error *error)
{
    (void)user;
    (void)version;
    (void)position;
    (void)row;
    (void)error;
    return STF_OK;
}

static stf_status call_journal(stf_repository *repository, const stf_ctx *ctx, stf_str name)
{
    stf_journal_query query = {.id = name, .limit = 1};
    return stf_repository_journal_page(repository, ctx, &query, visit_journal, NULL, NULL);
}

static stf_status call_hold(stf_repository *repository, const stf_ctx *ctx, stf_str name)
{
    return stf_repository_hold_owner(repository, ctx, name, NULL);
}

static stf_status call_is_dead(stf_repository *repository, const stf_ctx *ctx, stf_str name)
{
    bool is_dead = false;
    stf_status status = stf_repository_owner_is_dead(repository, ctx, name, &is_dead, NULL);
    ck_assert_int_eq(is_dead, status == STF_OK);
    return status;
}

static stf_status call_list_owners(stf_repository *repository, const stf_ctx *ctx, stf_str name)
{
    size_t count = 0;
    stf_status status =
        stf_repository_list_owners(repository, ctx, name, fake_visit_id, &count, NULL);
    ck_assert_uint_eq(count, status == STF_OK);
    return status;
}

static const capability_call calls[] = {
    {call_migrate, STF__CAPABILITY_MIGRATOR, false},
    {call_check_schema, STF__CAPABILITY_MIGRATOR, false},
    {call_now, STF__CAPABILITY_CLOCK, false},
    {call_journal, STF__CAPABILITY_JOURNAL, true},
    {call_hold, STF__CAPABILITY_LIVENESS, true},
    {call_is_dead, STF__CAPABILITY_LIVENESS, true},
    {call_list_owners, STF__CAPABILITY_LIVENESS, true},
};

STF_TEST(each_call_keeps_the_guarantees)
{
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        check_capability_call(&calls[i]);
    }
}

STF_TEST(the_cluster_answer_has_a_reason)
{
    fake store;
    fake_init(&store);
    stf_repository *repository = fake_open(&store);
    bool is_compatible = false;
    const char *reason = NULL;
    ck_assert_uint_eq(
        stf_repository_is_cluster_compatible(repository, &is_compatible, &reason, NULL), STF_OK);
    ck_assert(is_compatible);
    ck_assert_str_eq(reason, "because");
    ck_assert_uint_eq(stf_repository_is_cluster_compatible(repository, NULL, &reason, NULL),
                      STF_INVALID_ARGUMENT);
    stf_repository_close(repository);
    store.capabilities[STF__CAPABILITY_CLUSTER] = NULL;
    repository = fake_open(&store);
    ck_assert_uint_eq(
        stf_repository_is_cluster_compatible(repository, &is_compatible, &reason, NULL),
        STF_UNSUPPORTED);
    stf_repository_close(repository);
}

STF_TEST(releasing_reaches_the_slot_only_with_a_name_and_the_capability)
{
    fake store;
    fake_init(&store);
    stf_repository *repository = fake_open(&store);
    stf_repository_release_owner(repository, (stf_str){NULL, 0});
    stf_repository_release_owner(NULL, stf_str_of("e"));
    ck_assert_uint_eq(store.calls, 0);
    stf_repository_release_owner(repository, stf_str_of("e"));
    ck_assert_uint_eq(store.calls, 1);
    stf_repository_close(repository);
}

STF_TEST(journal_pages_are_bounded_and_versions_not_negative)
{
    fake store;
    fake_init(&store);
    stf_repository *repository = fake_open(&store);
    stf_journal_query query = {.id = {"a", 1}, .limit = 0};
    ck_assert_uint_eq(
        stf_repository_journal_page(repository, NULL, &query, visit_journal, NULL, NULL),
        STF_INVALID_ARGUMENT);
    query.limit = STF_LIMIT_PAGE + 1;
    ck_assert_uint_eq(
        stf_repository_journal_page(repository, NULL, &query, visit_journal, NULL, NULL),
        STF_LIMIT_EXCEEDED);
    query.limit = 1;
    query.after_version = -1;
    ck_assert_uint_eq(
        stf_repository_journal_page(repository, NULL, &query, visit_journal, NULL, NULL),
        STF_INVALID_ARGUMENT);
    ck_assert_uint_eq(store.calls, 0);
    stf_repository_close(repository);
}

static const stf_test_case cases[] = {
    STF_CASE(each_call_keeps_the_guarantees),
    STF_CASE(the_cluster_answer_has_a_reason),
    STF_CASE(releasing_reaches_the_slot_only_with_a_name_and_the_capability),
    STF_CASE(journal_pages_are_bounded_and_versions_not_negative),
};

STF_TEST_MAIN("port/capabilities", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* The base calls: ctx before the slot, outputs on success only, refusals that reach no slot. */
#include "unit/port/fake.h"

#include "support/stf_test.h"

/* One call of each kind; `store` has the answer. Outputs are looked at by the call itself. */
typedef stf_status (*base_call)(stf_repository *repository, const stf_ctx *ctx, stf_str name);

static stf_status call_save(stf_repository *repository, const stf_ctx *ctx, stf_str name)
{
    stf_record record = fake_record();
    stf_save save = fake_save(&record);
    stf_save_result result = {.rec_version = 77};
    record.id = name;
    stf_status status = stf_repository_save(repository, ctx, &save, &result, NULL);
    ck_assert_int_eq(result.rec_version, status == STF_OK ? 1 : 77);
    return status;
}

static stf_status call_load(stf_repository *repository, const stf_ctx *ctx, stf_str name)
{
    size_t count = 0;
    bool is_found = false;
    stf_status status =
        stf_repository_load(repository, ctx, name, fake_visit_record, &count, &is_found, NULL);
    ck_assert_int_eq(is_found, status == STF_OK);
    ck_assert_uint_eq(count, status == STF_OK);
    return status;
}

static stf_status call_delete(stf_repository *repository, const stf_ctx *ctx, stf_str name)
{
    stf_delete request = {.struct_size = sizeof(request), .abi = STF_DELETE_ABI, .id = name};
    return stf_repository_delete(repository, ctx, &request, NULL);
}

static stf_status call_list(stf_repository *repository, const stf_ctx *ctx, stf_str name)
{
    size_t count = 0;
    stf_in_flight_query query = {.group = name, .limit = 1};
    stf_status status =
        stf_repository_list_in_flight(repository, ctx, &query, fake_visit_id, &count, NULL);
    ck_assert_uint_eq(count, status == STF_OK);
    return status;
}

static stf_status call_register(stf_repository *repository, const stf_ctx *ctx, stf_str name)
{
    return stf_repository_register_group(repository, ctx, name, NULL);
}

static stf_status call_exists(stf_repository *repository, const stf_ctx *ctx, stf_str name)
{
    bool exists = false;
    stf_status status = stf_repository_group_exists(repository, ctx, name, &exists, NULL);
    ck_assert_int_eq(exists, status == STF_OK);
    return status;
}

static stf_status call_resolve(stf_repository *repository, const stf_ctx *ctx, stf_str name)
{
    stf_buf buf;
    stf_buf_init(&buf, NULL);
    ck_assert(stf_buf_append_str(&buf, stf_str_of("before ")) == STF_OK);
    stf_status status =
        stf_repository_resolve_tenant(repository, ctx, name, stf_str_of(""), &buf, NULL);
    STF_CHECK_STR(stf_buf_str(&buf), status == STF_OK ? "before concrete" : "before ");
    stf_buf_done(&buf);
    return status;
}

static const base_call calls[] = {call_save,     call_load,   call_delete, call_list,
                                  call_register, call_exists, call_resolve};
#define CALL_COUNT (sizeof(calls) / sizeof(calls[0]))

static const stf_str good = {"a", 1};

STF_TEST(outputs_are_set_on_success_only)
{
    for (size_t i = 0; i < CALL_COUNT; i++) {
        fake store;
        fake_init(&store);
        stf_repository *repository = fake_open(&store);
        ck_assert_uint_eq(calls[i](repository, NULL, good), STF_OK);
        store.answer = STF_UNAVAILABLE;
        ck_assert_uint_eq(calls[i](repository, NULL, good), STF_UNAVAILABLE);
        ck_assert_uint_eq(store.calls + store.group_lookups, 2);
        stf_repository_close(repository);
    }
}

STF_TEST(refused_calls_reach_no_slot)
{
    static const stf_str bad = {"\xff", 1};
    const stf_str empty = {NULL, 0};
    const stf_str over = fake_long_text();
    for (size_t i = 0; i < CALL_COUNT; i++) {
        fake store;
        fake_init(&store);
        stf_repository *repository = fake_open(&store);
        ck_assert_uint_eq(calls[i](repository, NULL, empty), STF_EMPTY_NOT_ALLOWED);
        ck_assert_uint_eq(calls[i](repository, NULL, over), STF_LIMIT_EXCEEDED);
        ck_assert_uint_eq(calls[i](repository, NULL, bad), STF_INVALID_ARGUMENT);
        ck_assert_uint_eq(calls[i](NULL, NULL, good), STF_INVALID_ARGUMENT);
        ck_assert_uint_eq(store.calls, 0);
        stf_repository_close(repository);
    }
}

static stf_wall wall(void *user)
{
    (void)user;
    return (stf_wall){0};
}

static stf_mono mono(void *user)
{
    (void)user;
    return (stf_mono){1000};
}

STF_TEST(ctx_is_looked_at_before_the_slot_and_after_the_arguments)
{
    stf_clock clock = {
        .struct_size = sizeof(clock), .abi = STF_CLOCK_ABI, .wall = wall, .mono = mono};
    stf_ctx late = STF_CTX_INIT;
    late.flags = STF_CTX_HAS_DEADLINE;
    late.clock = &clock;
    late.deadline.us = 999;
    for (size_t i = 0; i < CALL_COUNT; i++) {
        fake store;
        fake_init(&store);
        stf_repository *repository = fake_open(&store);
        ck_assert_uint_eq(calls[i](repository, &late, good), STF_DEADLINE_EXCEEDED);
        ck_assert_uint_eq(calls[i](repository, &late, (stf_str){NULL, 0}), STF_EMPTY_NOT_ALLOWED);
        ck_assert_uint_eq(store.calls + store.group_lookups, 0);
        stf_repository_close(repository);
    }
}

STF_TEST(delete_knows_its_flags_and_versions)
{
    fake store;
    fake_init(&store);
    stf_repository *repository = fake_open(&store);
    stf_delete request = {.struct_size = sizeof(request), .abi = STF_DELETE_ABI, .id = good};
    request.expected_version = -1;
    ck_assert_uint_eq(stf_repository_delete(repository, NULL, &request, NULL),
                      STF_INVALID_ARGUMENT);
    request.expected_version = 1;
    request.flags = 1u << 20;
    ck_assert_uint_eq(stf_repository_delete(repository, NULL, &request, NULL),
                      STF_INVALID_ARGUMENT);
    request.flags = 0;
    request.abi++;
    ck_assert_uint_eq(stf_repository_delete(repository, NULL, &request, NULL),
                      STF_INVALID_ARGUMENT);
    ck_assert_uint_eq(stf_repository_delete(repository, NULL, NULL, NULL), STF_INVALID_ARGUMENT);
    ck_assert_uint_eq(store.calls, 0);
    stf_repository_close(repository);
}

STF_TEST(a_description_is_terminated_and_fits_the_callers_struct)
{
    fake store;
    fake_init(&store);
    stf_repository *repository = fake_open(&store);
    stf_repository_facts facts = STF_REPOSITORY_FACTS_INIT;
    ck_assert_uint_eq(stf_repository_describe(repository, NULL, &facts, NULL), STF_OK);
    ck_assert_uint_eq(strlen(facts.name), sizeof(facts.name) - 1);
    ck_assert_uint_eq(strlen(facts.durability), sizeof(facts.durability) - 1);
    facts = (stf_repository_facts){.struct_size = 4, .abi = STF_REPOSITORY_FACTS_ABI};
    ck_assert_uint_eq(stf_repository_describe(repository, NULL, &facts, NULL),
                      STF_INVALID_ARGUMENT);
    facts = (stf_repository_facts)STF_REPOSITORY_FACTS_INIT;
    store.answer = STF_UNAVAILABLE;
    ck_assert_uint_eq(stf_repository_describe(repository, NULL, &facts, NULL), STF_UNAVAILABLE);
    ck_assert_int_eq(facts.name[0], '\0');
    stf_repository_close(repository);
}

static const stf_test_case cases[] = {
    STF_CASE(outputs_are_set_on_success_only),
    STF_CASE(refused_calls_reach_no_slot),
    STF_CASE(ctx_is_looked_at_before_the_slot_and_after_the_arguments),
    STF_CASE(delete_knows_its_flags_and_versions),
    STF_CASE(a_description_is_terminated_and_fits_the_callers_struct),
};

STF_TEST_MAIN("port/repository", cases)

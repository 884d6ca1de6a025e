/* SPDX-License-Identifier: Apache-2.0 */
/* An engine on a store that cannot say who is due, orphaned or waiting: the port's index does, and
 * the engine knows no difference. Each engine here has a handle, and so an index, of its own. */
#include <stepfast/sys/repository_wake.h>

#include "conformance/without_wake.h"
#include "unit/engine/message_case.h"

static const char *const all_topics[] = {"*", NULL};

/* An engine on a handle of its own; not opened. */
static engine_case *make(stf_memory *memory, const char *id, int64_t at_us)
{
    engine_case *c = engine_case_new();
    stf_repository *inner = NULL;
    stf_repository *outer = NULL;
    stf_definition_store *definitions = NULL;
    STF_CHECK_OK(stf_memory_open_repository(memory, &inner, &c->error), &c->error);
    STF_CHECK_OK(without_wake_new(NULL, inner, NULL, &outer, &c->error), &c->error);
    STF_CHECK_OK(stf_memory_open_definitions(memory, &definitions, &c->error), &c->error);
    ck_assert(!stf_repository_has(outer, STF_REPOSITORY_WAKE));
    engine_case_use(c, outer, definitions);
    c->options.id = id;
    atomic_store(&c->clock.us, at_us);
    return c;
}

/* The store's clock is the first case's. */
typedef struct shared_store {
    case_clock clock;
    stf_memory *memory;
} shared_store;

static void open_shared(shared_store *shared)
{
    stf_error error = STF_ERROR_INIT;
    case_clock_init(&shared->clock);
    stf_memory_options options = {
        .struct_size = sizeof(options), .abi = STF_MEMORY_ABI, .clock = &shared->clock.port};
    STF_CHECK_OK(stf_memory_new(&options, &shared->memory, &error), &error);
}

static void advance(shared_store *shared, engine_case *c, int64_t us)
{
    atomic_fetch_add(&shared->clock.us, us);
    engine_case_advance(c, us);
}

STF_TEST(the_whole_chain_runs_and_a_new_handle_finds_what_is_there)
{
    shared_store shared;
    open_shared(&shared);
    engine_case *c = make(shared.memory, "one", 0);
    engine_case_open(c, all_topics);
    engine_case_deploy(c, case_order);
    engine_case_start(c, "i1", NULL);
    engine_case_idle(c);
    ck_assert_uint_eq(engine_case_calls_of(c, "work"), 1);
    engine_case_free(c);
    /* Nothing but the store is left; the timer of 5 s is found through the list of the living. */
    c = make(shared.memory, "two", 0);
    engine_case_open(c, all_topics);
    advance(&shared, c, SECONDS(5));
    ck_assert(engine_case_waits_at(c, "i1", "approve"));
    engine_case_task(c, "i1", "approve", NULL);
    ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
    engine_case_free(c);
    stf_memory_unref(shared.memory);
}

STF_TEST(what_a_dead_engine_left_is_found_when_its_lease_has_lapsed)
{
    shared_store shared;
    open_shared(&shared);
    engine_case *c = make(shared.memory, "one", 0);
    engine_case_open(c, all_topics);
    engine_case_deploy(c, case_work);
    engine_case_start(c, "i1", NULL);
    engine_case_crash(c);
    engine_case_free(c);
    c = make(shared.memory, "two", 0);
    engine_case_open(c, all_topics);
    advance(&shared, c, SECONDS(29));
    ck_assert_str_eq(engine_case_status(c, "i1"), "active");
    advance(&shared, c, SECONDS(5));
    ck_assert_str_eq(engine_case_status(c, "i1"), "incident");
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_INSTANCE_RECOVERED), 1);
    engine_case_free(c);
    stf_memory_unref(shared.memory);
}

/* Jobs wait until somebody has the handler; messages find who waits for them. */
STF_TEST(waiting_work_and_waiting_messages_are_found)
{
    shared_store shared;
    open_shared(&shared);
    engine_case *c = make(shared.memory, "one", 0);
    engine_case_open(c, NULL);
    engine_case_deploy(c, case_work);
    engine_case_deploy_file(c, case_messages);
    engine_case_start(c, "i1", NULL);
    engine_case_start_of(c, "w", "w1", "{\"key\": \"k1\"}");
    engine_case_start_of(c, "w", "w2", "{\"key\": \"k2\"}");
    engine_case_free(c);
    c = make(shared.memory, "two", 0);
    engine_case_open(c, all_topics);
    char receiver[256];
    ck_assert_int_eq(engine_case_publish(c, "paid", "k2", NULL, 0, receiver), STF_OK);
    ck_assert_str_eq(receiver, "w2");
    ck_assert_int_eq(engine_case_publish(c, "paid", "k3", NULL, 0, NULL), STF_NOT_FOUND);
    engine_case_idle(c);
    ck_assert_uint_eq(engine_case_calls_of(c, "work"), 1);
    ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
    ck_assert(!engine_case_waits_at(c, "w1", "after"));
    ck_assert(engine_case_waits_at(c, "w2", "after"));
    engine_case_free(c);
    stf_memory_unref(shared.memory);
}

static const stf_test_case cases[] = {
    STF_CASE(the_whole_chain_runs_and_a_new_handle_finds_what_is_there),
    STF_CASE(what_a_dead_engine_left_is_found_when_its_lease_has_lapsed),
    STF_CASE(waiting_work_and_waiting_messages_are_found),
};

STF_TEST_MAIN("engine_without_wake", cases)

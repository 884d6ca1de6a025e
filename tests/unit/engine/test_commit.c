/* SPDX-License-Identifier: Apache-2.0 */
/* The durability argument: nothing is released before the save is durable, a lost answer is settled
 * by repeating the identical save (R3), and nothing is saved that would never be found (R8). */
#include "engine/private.h"
#include "unit/engine/rule_case.h"

static const char *const all_topics[] = {"*", NULL};

/* ---- R8 ----------------------------------------------------------------------------------------
 */

STF_TEST(r8_an_active_record_without_owner_due_and_wait_is_refused)
{
    stf_error error = STF_ERROR_INIT;
    stf_wait wait = {.kind = STF_WAIT_TASK};
    stf_record record = STF_RECORD_INIT;
    record.id = stf_str_of("i1");
    ck_assert_int_eq(stf__commit_check(&record, &error), STF_INTERNAL);
    ck_assert_ptr_nonnull(strstr(error.message, "i1"));
    record.lease.owner = stf_str_of("o");
    ck_assert_int_eq(stf__commit_check(&record, &error), STF_OK);
    record.lease.owner = (stf_str){NULL, 0};
    record.due = (stf_wall){0};
    ck_assert_int_eq(stf__commit_check(&record, &error), STF_OK);
    record.due = stf_wall_none();
    record.waits = &wait;
    record.wait_count = 1;
    ck_assert_int_eq(stf__commit_check(&record, &error), STF_OK);
    record.wait_count = 0;
    static const uint32_t others[] = {STF_RECORD_COMPLETED, STF_RECORD_TERMINATED,
                                      STF_RECORD_SUSPENDED, STF_RECORD_INCIDENT};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        record.status = others[i];
        ck_assert_int_eq(stf__commit_check(&record, &error), STF_OK);
    }
}

/* ---- Order -------------------------------------------------------------------------------------
 */

typedef struct order_watch {
    engine_case *c;
    size_t facts_at_save; /* when the last save began */
    size_t calls_at_save;
} order_watch;

static void watch_call(void *user, const char *name)
{
    order_watch *watch = user;
    if (strncmp(name, "save", 4) == 0) {
        watch->facts_at_save = engine_case_facts_of(watch->c, STF_FACT_INSTANCE_CREATED);
        watch->calls_at_save = engine_case_calls_of(watch->c, "work");
    }
}

STF_TEST(r4_no_fact_is_told_and_no_handler_runs_before_the_save)
{
    engine_case *c = engine_case_new();
    order_watch watch = {.c = c, .facts_at_save = 99, .calls_at_save = 99};
    engine_case_open(c, all_topics);
    engine_case_deploy(c, case_work);
    c->faulty.user = &watch;
    c->faulty.on_call = watch_call;
    engine_case_start(c, "i1", NULL);
    ck_assert_uint_eq(watch.facts_at_save, 0);
    ck_assert_uint_eq(watch.calls_at_save, 0);
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_INSTANCE_CREATED), 1);
    c->faulty.on_call = NULL;
    engine_case_free(c);
}

STF_TEST(r4_a_save_that_fails_releases_nothing)
{
    engine_case *c = engine_case_new();
    stf_ctx ctx = STF_CTX_INIT;
    stf_start start = STF_START_INIT;
    engine_case_open(c, all_topics);
    engine_case_deploy(c, case_work);
    faulty_repository_fail_saves(&c->faulty, 1, 0, STF_UNAVAILABLE, false);
    ctx.flags = STF_CTX_HAS_DEADLINE;
    ctx.deadline = stf_clock_system()->mono(NULL);
    ctx.deadline.us += 50000;
    start.process = stf_str_of("p");
    start.id = stf_str_of("i1");
    STF_CHECK_STATUS(stf_engine_start_instance(c->engine, &ctx, &start, NULL, &c->error),
                     STF_DEADLINE_EXCEEDED, &c->error);
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_INSTANCE_CREATED), 0);
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_CHECKPOINT_DEFERRED), 1);
    faulty_repository_heal(&c->faulty);
    atomic_fetch_add(&c->clock.us, SECONDS(5));
    engine_case_idle(c);
    /* DEADLINE_EXCEEDED promised that nothing was written, now and later. */
    ck_assert(!engine_case_record(c, "i1").is_found);
    ck_assert_uint_eq(engine_case_calls_of(c, "work"), 0);
    engine_case_free(c);
}

STF_TEST(a_store_that_is_away_for_a_while_is_waited_for)
{
    engine_case *c = engine_case_new();
    engine_case_open(c, all_topics);
    engine_case_deploy(c, case_work);
    engine_case_start(c, "i1", NULL);
    faulty_repository_fail_saves(&c->faulty, 1, 3, STF_UNAVAILABLE, false);
    for (int i = 0; i < 200 && strcmp(engine_case_status(c, "i1"), "completed") != 0; i++) {
        atomic_fetch_add(&c->clock.us, 1000000);
        STF_CHECK_OK(stf_engine_step(c->engine, NULL, NULL, &c->error), &c->error);
    }
    ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
    ck_assert_uint_eq(engine_case_calls_of(c, "work"), 1); /* the result was kept */
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_CHECKPOINT_DEFERRED), 1);
    engine_case_free(c);
}

/* ---- R3 ----------------------------------------------------------------------------------------
 */

/* Plays one instance while the n-th save answers OUTCOME_UNKNOWN `count` times. */
static void play_with_lost_replies(long n, long count, bool applies)
{
    engine_case *c = engine_case_new();
    stf_ctx ctx = STF_CTX_INIT;
    ctx.flags = STF_CTX_HAS_DEADLINE;
    engine_case_open(c, all_topics);
    engine_case_deploy(c, case_order);
    faulty_repository_fail_saves(&c->faulty, n, count, STF_OUTCOME_UNKNOWN, applies);
    stf_start start = STF_START_INIT;
    start.process = stf_str_of("p");
    start.id = stf_str_of("i1");
    stf_status status = STF_OK;
    /* Time moves only by steps here, so the call drives while a thread-free clock stands still:
     * give each call a real deadline and go on by hand. */
    ctx.deadline.us = stf_clock_system()->mono(NULL).us + 20000;
    status = stf_engine_start_instance(c->engine, &ctx, &start, NULL, &c->error);
    ck_assert(status == STF_OK || (status == STF_OUTCOME_UNKNOWN && n == 1));
    for (int i = 0; i < 300 && strcmp(engine_case_status(c, "i1"), "completed") != 0; i++) {
        atomic_fetch_add(&c->clock.us, 500000);
        STF_CHECK_OK(stf_engine_step(c->engine, NULL, NULL, &c->error), &c->error);
        if (i > 100 && engine_case_record(c, "i1").is_found &&
            engine_case_waits_at(c, "i1", "approve")) {
            ctx.deadline.us = stf_clock_system()->mono(NULL).us + 20000;
            status = stf_engine_complete_task(c->engine, &ctx, stf_str_of("i1"), 0,
                                              stf_str_of("approve"), NULL, &c->error);
            /* A second try while the first is not settled is taken back. */
            ck_assert_msg(status == STF_OK || status == STF_OUTCOME_UNKNOWN ||
                              status == STF_DEADLINE_EXCEEDED,
                          "%s", stf_status_name(status));
        }
    }
    for (int i = 0; i < 20; i++) { /* what the store has, the engine has yet to settle */
        atomic_fetch_add(&c->clock.us, SECONDS(3));
        STF_CHECK_OK(stf_engine_step(c->engine, NULL, NULL, &c->error), &c->error);
    }
    if (n == 1 && !applies) {
        /* Its caller has left before it was written: the start may be dropped. */
        ck_assert_uint_le(engine_case_calls_of(c, "work"), 1);
    } else {
        ck_assert_msg(strcmp(engine_case_status(c, "i1"), "completed") == 0,
                      "save %ld x %ld %d: %s", n, count, applies, engine_case_status(c, "i1"));
        ck_assert_uint_eq(engine_case_calls_of(c, "work"), 1);
        ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_INSTANCE_COMPLETED), 1);
        ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_TIMER_FIRED), 1);
        ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_TASK_COMPLETED), 1);
    }
    engine_case_free(c);
}

STF_TEST(r3_an_applied_save_whose_reply_is_lost_is_found_and_applied_once)
{
    for (long n = 1; n <= 4; n++) {
        play_with_lost_replies(n, 1, true);
        play_with_lost_replies(n, 3, true);
    }
}

STF_TEST(r3_a_lost_save_is_repeated_until_it_is_written)
{
    for (long n = 1; n <= 4; n++) {
        play_with_lost_replies(n, 1, false);
        play_with_lost_replies(n, 5, false);
    }
}

STF_TEST(r3_until_it_is_settled_the_record_takes_no_other_step)
{
    engine_case *c = engine_case_new();
    engine_case_open(c, NULL);
    engine_case_deploy(c, case_task);
    /* The clock stands still, so the repeat after the back-off does not come in time. */
    faulty_repository_fail_saves(&c->faulty, 1, 1, STF_OUTCOME_UNKNOWN, true);
    stf_ctx ctx = STF_CTX_INIT;
    ctx.flags = STF_CTX_HAS_DEADLINE;
    ctx.deadline.us = stf_clock_system()->mono(NULL).us + 30000;
    stf_start start = STF_START_INIT;
    start.process = stf_str_of("p");
    start.id = stf_str_of("i1");
    STF_CHECK_STATUS(stf_engine_start_instance(c->engine, &ctx, &start, NULL, &c->error),
                     STF_OUTCOME_UNKNOWN, &c->error);
    ck_assert(engine_case_record(c, "i1").is_found);
    /* Until it is settled, the record takes no other step here. */
    ctx.deadline.us = stf_clock_system()->mono(NULL).us + 5000;
    STF_CHECK_STATUS(stf_engine_complete_task(c->engine, &ctx, stf_str_of("i1"), 0,
                                              stf_str_of("approve"), NULL, &c->error),
                     STF_DEADLINE_EXCEEDED, &c->error);
    ck_assert_int_eq(engine_case_record(c, "i1").version, 1);
    atomic_fetch_add(&c->clock.us, SECONDS(5));
    engine_case_idle(c);
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_INSTANCE_CREATED), 1);
    ck_assert_int_eq(engine_case_record(c, "i1").version, 1);
    engine_case_task(c, "i1", "approve", NULL);
    ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
    engine_case_free(c);
}

STF_TEST(r3_a_step_of_another_engine_between_the_commit_and_its_repeat_changes_nothing)
{
    static const bool applies[] = {true, false};
    for (size_t i = 0; i < 2; i++) {
        engine_case *c = engine_case_new();
        engine_case_open(c, NULL);
        engine_case *other = engine_case_join(c, "two", NULL);
        rule_case_step_between_commit_and_repeat(c, other, applies[i]);
        engine_case_free(other);
        engine_case_free(c);
    }
}

/* ---- On any store: the memory store here, SQLite in tests/integration/engine -------------------
 */

static void play_on_memory(void (*play)(engine_case *c, engine_case *other),
                           const char *const *topics)
{
    engine_case *c = engine_case_new();
    engine_case_open(c, topics);
    engine_case *other = engine_case_join(c, "two", NULL);
    play(c, other);
    engine_case_free(other);
    engine_case_free(c);
}

STF_TEST(r4_who_looks_from_outside_sees_the_save_before_its_effects)
{
    play_on_memory(rule_case_effects_follow_their_saves, all_topics);
}

STF_TEST(r9_a_record_that_was_made_again_at_the_same_version_is_not_written_over)
{
    play_on_memory(rule_case_made_again_under_the_save, NULL);
}

STF_TEST(r16_a_lost_row_of_a_batch_is_stepped_again_and_its_neighbours_are_saved)
{
    play_on_memory(rule_case_lost_row_in_a_batch, NULL);
}

/* ---- Conflicts ---------------------------------------------------------------------------------
 */

typedef struct rival_engine {
    engine_case *c;
    engine_case *other; /* another engine on the same store */
    bool is_done;
} rival_engine;

/* Just before the first engine's save, the other one completes the same task. */
static void overtake(void *user, const char *name)
{
    rival_engine *rival = user;
    if (strcmp(name, "save") == 0 && !rival->is_done) {
        rival->is_done = true;
        engine_case_task(rival->other, "i1", "approve", NULL);
    }
}

STF_TEST(r1_of_two_engines_that_complete_one_task_one_wins_and_the_other_is_told)
{
    engine_case *c = engine_case_new();
    engine_case_open(c, NULL);
    engine_case_deploy(c, case_task);
    engine_case_start(c, "i1", NULL);
    rival_engine rival = {.c = c, .other = engine_case_join(c, "two", NULL)};
    c->faulty.user = &rival;
    c->faulty.on_call = overtake;
    STF_CHECK_STATUS(stf_engine_complete_task(c->engine, NULL, stf_str_of("i1"), 0,
                                              stf_str_of("approve"), NULL, &c->error),
                     STF_INVALID_STATE, &c->error);
    c->faulty.on_call = NULL;
    ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_TASK_COMPLETED), 0);
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_SAVE_CONFLICTED), 1);
    ck_assert_uint_eq(engine_case_facts_of(rival.other, STF_FACT_TASK_COMPLETED), 1);
    engine_case_free(rival.other);
    engine_case_free(c);
}

STF_TEST(r1_two_engines_fire_one_timer_once)
{
    engine_case *c = engine_case_new();
    engine_case_open(c, NULL);
    engine_case_deploy(c, case_timer);
    engine_case_start(c, "i1", NULL);
    engine_case *other = engine_case_join(c, "two", NULL);
    atomic_fetch_add(&c->clock.us, SECONDS(3600));
    atomic_fetch_add(&other->clock.us, SECONDS(3600));
    engine_case_idle(other);
    engine_case_idle(c);
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_TIMER_FIRED) +
                          engine_case_facts_of(other, STF_FACT_TIMER_FIRED),
                      1);
    engine_case_free(other);
    engine_case_free(c);
}

STF_TEST(a_second_start_of_an_id_is_refused_in_memory_and_in_the_store)
{
    engine_case *c = engine_case_new();
    stf_start start = STF_START_INIT;
    engine_case_open(c, all_topics);
    engine_case_deploy(c, case_work);
    engine_case_start(c, "i1", NULL);
    start.process = stf_str_of("p");
    start.id = stf_str_of("i1");
    STF_CHECK_STATUS(stf_engine_start_instance(c->engine, NULL, &start, NULL, &c->error),
                     STF_ALREADY_EXISTS, &c->error);
    engine_case_idle(c);
    STF_CHECK_STATUS(stf_engine_start_instance(c->engine, NULL, &start, NULL, &c->error),
                     STF_ALREADY_EXISTS, &c->error);
    ck_assert_uint_eq(engine_case_calls_of(c, "work"), 1);
    engine_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(r8_an_active_record_without_owner_due_and_wait_is_refused),
    STF_CASE(r4_no_fact_is_told_and_no_handler_runs_before_the_save),
    STF_CASE(r4_a_save_that_fails_releases_nothing),
    STF_CASE(a_store_that_is_away_for_a_while_is_waited_for),
    STF_CASE(r3_an_applied_save_whose_reply_is_lost_is_found_and_applied_once),
    STF_CASE(r3_a_lost_save_is_repeated_until_it_is_written),
    STF_CASE(r3_until_it_is_settled_the_record_takes_no_other_step),
    STF_CASE(r3_a_step_of_another_engine_between_the_commit_and_its_repeat_changes_nothing),
    STF_CASE(r4_who_looks_from_outside_sees_the_save_before_its_effects),
    STF_CASE(r9_a_record_that_was_made_again_at_the_same_version_is_not_written_over),
    STF_CASE(r16_a_lost_row_of_a_batch_is_stepped_again_and_its_neighbours_are_saved),
    STF_CASE(r1_of_two_engines_that_complete_one_task_one_wins_and_the_other_is_told),
    STF_CASE(r1_two_engines_fire_one_timer_once),
    STF_CASE(a_second_start_of_an_id_is_refused_in_memory_and_in_the_store),
};

STF_TEST_MAIN("commit", cases)

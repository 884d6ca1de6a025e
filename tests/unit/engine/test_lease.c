/* SPDX-License-Identifier: Apache-2.0 */
/* Leases: work runs under one, is renewed while it is silent, and no effect starts past the
 * holder's own deadline (R21); a fenced holder starts nothing; any engine may step any record (R1).
 */
#include "engine/private.h"
#include "unit/engine/engine_case.h"

static const char *const all_topics[] = {"*", NULL};

static void wait_for_calls(engine_case *c, size_t count)
{
    (void)pthread_mutex_lock(&c->lock);
    while (c->call_count < count) {
        (void)pthread_cond_wait(&c->changed, &c->lock);
    }
    (void)pthread_mutex_unlock(&c->lock);
}

static void release_handlers(engine_case *c)
{
    (void)pthread_mutex_lock(&c->lock);
    c->is_released = true;
    (void)pthread_cond_broadcast(&c->changed);
    (void)pthread_mutex_unlock(&c->lock);
}

static void step(engine_case *c)
{
    STF_CHECK_OK(stf_engine_step(c->engine, NULL, NULL, &c->error), &c->error);
}

/* While handlers run or saves are put off, the engine is not idle and its clock stands still. */
static void go_on_until_completed(engine_case *c, size_t count)
{
    while (engine_case_facts_of(c, STF_FACT_INSTANCE_COMPLETED) < count) {
        atomic_fetch_add(&c->clock.us, SECONDS(1) / 10);
        step(c);
    }
}

/* An engine whose only handler runs and waits. */
static engine_case *open_with_running_handler(const char *body)
{
    engine_case *c = engine_case_new();
    c->options.workers = 1;
    c->answer = CASE_BLOCK;
    engine_case_open(c, all_topics);
    engine_case_deploy(c, body);
    engine_case_start(c, "i1", NULL);
    wait_for_calls(c, 1);
    return c;
}

STF_TEST(a_silent_lease_is_renewed_at_a_third_without_the_payload)
{
    engine_case *c = open_with_running_handler(case_work);
    case_record first = engine_case_record(c, "i1");
    ck_assert_int_eq(first.expiry.us, CASE_BEGIN_US + SECONDS(30));
    atomic_fetch_add(&c->clock.us, SECONDS(10) - 1);
    step(c);
    ck_assert_int_eq(engine_case_record(c, "i1").version, first.version);
    atomic_fetch_add(&c->clock.us, 1);
    step(c);
    case_record renewed = engine_case_record(c, "i1");
    ck_assert_int_eq(renewed.version, first.version + 1);
    ck_assert_int_eq(renewed.expiry.us, CASE_BEGIN_US + SECONDS(40));
    ck_assert_int_eq(renewed.incarnation, first.incarnation);
    ck_assert_str_eq(renewed.owner, first.owner);
    ck_assert_uint_eq(renewed.head_size, first.head_size);
    release_handlers(c);
    engine_case_idle(c);
    ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
    engine_case_free(c);
}

STF_TEST(a_lost_renewal_is_looked_up_and_the_lease_kept)
{
    static const bool applies[] = {true, false};
    for (size_t i = 0; i < 2; i++) {
        engine_case *c = open_with_running_handler(case_work);
        atomic_fetch_add(&c->clock.us, SECONDS(10));
        faulty_repository_fail_saves(&c->faulty, 1, 1, STF_OUTCOME_UNKNOWN, applies[i]);
        for (int n = 0; n < 5; n++) {
            step(c);
            atomic_fetch_add(&c->clock.us, SECONDS(1));
        }
        ck_assert_int_ge(engine_case_record(c, "i1").expiry.us, CASE_BEGIN_US + SECONDS(40));
        ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_LEASE_LOST), 0);
        release_handlers(c);
        engine_case_idle(c);
        ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
        ck_assert_uint_eq(engine_case_calls_of(c, "work"), 1);
        engine_case_free(c);
    }
}

/* How many are held; in order. */
static size_t check_held(engine_case *c)
{
    size_t count = 0;
    int64_t before = INT64_MIN;
    STF__LIST_EACH(link, following, &c->engine->held)
    {
        const stf__instance *instance = STF__LIST_ENTRY(link, const stf__instance, held_link);
        ck_assert_int_ge(instance->renew_at.us, before);
        before = instance->renew_at.us;
        count++;
    }
    return count;
}

STF_TEST(each_of_several_held_is_renewed_at_its_time_whatever_fails_between)
{
    static const char *const ids[] = {"i1", "i2", "i3", "i4"};
    int64_t versions[4];
    engine_case *c = engine_case_new();
    c->options.workers = 4;
    c->answer = CASE_BLOCK;
    engine_case_open(c, all_topics);
    engine_case_deploy(c, case_work);
    for (size_t i = 0; i < 4; i++) {
        engine_case_start(c, ids[i], NULL);
        wait_for_calls(c, i + 1);
        atomic_fetch_add(&c->clock.us, SECONDS(1));
        versions[i] = engine_case_record(c, ids[i]).version;
        ck_assert_uint_eq(check_held(c), i + 1);
    }
    stf__lease_hurry(c->engine, stf__instance_find(c->engine, stf_str_of("i3")));
    ck_assert_uint_eq(check_held(c), 4);
    step(c);
    ck_assert_int_eq(engine_case_record(c, "i3").version, ++versions[2]);
    ck_assert_uint_eq(check_held(c), 4);
    atomic_fetch_add(&c->clock.us, SECONDS(6)); /* the first two are due, at ten and eleven */
    faulty_repository_fail_saves(&c->faulty, 1, 1, STF_UNAVAILABLE, false);
    step(c);
    ck_assert_uint_eq(check_held(c), 4); /* one failed, and is tried again a moment later */
    atomic_fetch_add(&c->clock.us, SECONDS(1));
    step(c);
    ck_assert_uint_eq(check_held(c), 4);
    const int64_t renewed[] = {1, 1, 0, 0};
    for (size_t i = 0; i < 4; i++) {
        ck_assert_msg(engine_case_record(c, ids[i]).version == versions[i] + renewed[i], "%s",
                      ids[i]);
    }
    release_handlers(c);
    engine_case_idle(c);
    ck_assert_uint_eq(check_held(c), 0);
    engine_case_free(c);
}

/* ---- R21 ---------------------------------------------------------------------------------------
 */

static const char two_branches[] =
    "<startEvent id='s'/><parallelGateway id='g'/><serviceTask id='a'/><serviceTask id='b'/>"
    "<endEvent id='e'/><endEvent id='e2'/>"
    "<sequenceFlow id='f1' sourceRef='s' targetRef='g'/>"
    "<sequenceFlow id='f2' sourceRef='g' targetRef='a'/>"
    "<sequenceFlow id='f3' sourceRef='g' targetRef='b'/>"
    "<sequenceFlow id='f4' sourceRef='a' targetRef='e'/>"
    "<sequenceFlow id='f5' sourceRef='b' targetRef='e2'/>";

static stf_status count_run(void *user, const stf_ctx *ctx, stf_work *work, stf_error *error)
{
    engine_case *c = user;
    (void)ctx;
    c->call_count++;
    if (c->handler_us != 0) {
        atomic_fetch_add(&c->clock.us, c->handler_us);
        c->handler_us = 0;
    }
    return stf_work_complete(work, NULL, error);
}

/* Two handlers of one instance are launched by one save and run one after the other on one thread;
 * the first takes longer than the lease. */
static engine_case *open_with_two_launched(void)
{
    engine_case *c = engine_case_new();
    stf_handler handler = {.struct_size = sizeof(handler),
                           .abi = STF_HANDLER_ABI,
                           .user = c,
                           .run = count_run,
                           .concurrency_max = 2};
    engine_case_make(c, NULL);
    STF_CHECK_OK(stf_engine_add_handler(c->engine, stf_str_of("*"), &handler, &c->error),
                 &c->error);
    STF_CHECK_OK(stf_engine_start(c->engine, NULL, &c->error), &c->error);
    engine_case_deploy(c, two_branches);
    engine_case_start(c, "i1", NULL);
    c->handler_us = SECONDS(31);
    return c;
}

STF_TEST(r21_past_the_deadline_no_effect_starts_until_the_lease_is_renewed)
{
    engine_case *c = open_with_two_launched();
    step(c);
    ck_assert_uint_eq(c->call_count, 1); /* the second found its lease over */
    engine_case_idle(c);
    ck_assert_uint_eq(c->call_count, 2); /* nobody had taken it over, so it ran after a renewal */
    ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
    engine_case_free(c);
}

STF_TEST(r21_past_the_deadline_a_record_that_was_taken_over_starts_no_effect_here)
{
    engine_case *c = open_with_two_launched();
    engine_case *other = engine_case_join(c, "two", NULL);
    atomic_store(&other->clock.us, SECONDS(31));
    engine_case_idle(other); /* both are unknown there now */
    ck_assert_str_eq(engine_case_status(c, "i1"), "incident");
    engine_case_idle(c);
    ck_assert_uint_eq(c->call_count, 1);
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_LEASE_LOST), 1);
    /* The one that ran offered its result as an outside event: taken while it was unknown. */
    stf_value *view = engine_case_view(c, "i1");
    ck_assert_uint_eq(stf_value_count(stf_value_peek(view, stf_str_of("incidents"))), 1);
    stf_value_unref(view);
    engine_case_free(other);
    engine_case_free(c);
}

static stf_work *find_run(engine_case *c, const char *element)
{
    stf__instance *instance = stf__instance_find(c->engine, stf_str_of("i1"));
    STF__LIST_EACH(link, following, &instance->runs)
    {
        stf_work *run = STF__LIST_ENTRY(link, stf_work, link);
        if (stf_str_equal(run->element, stf_str_of(element))) {
            return run;
        }
    }
    return NULL;
}

/* A run that is only planned may go and come again with the copy. */
static bool is_launched(engine_case *c, const char *element)
{
    const stf_work *run = find_run(c, element);
    return run != NULL && run->state == STF__RUN_LAUNCHED;
}

static const char three_branches[] =
    "<startEvent id='s'/><parallelGateway id='g'/>"
    "<serviceTask id='again' stepfast:idempotent='true'/><serviceTask id='once'/>"
    "<serviceTask id='later'/>"
    "<sequenceFlow id='f1' sourceRef='s' targetRef='g'/>"
    "<sequenceFlow id='f2' sourceRef='g' targetRef='again'/>"
    "<sequenceFlow id='f3' sourceRef='g' targetRef='once'/>"
    "<sequenceFlow id='f4' sourceRef='g' targetRef='later'/>";

static void stall(void *user, const char *name)
{
    engine_case *c = user;
    if (strncmp(name, "save", 4) == 0) {
        c->faulty.on_call = NULL;
        atomic_fetch_add(&c->clock.us, SECONDS(40));
    }
}

/* Three were launched by one save, two of them run. The renewal takes 40 seconds and fails. */
static engine_case *open_with_stalled_store(void)
{
    engine_case *c = engine_case_new();
    c->options.workers = 2;
    c->concurrency_max = 3;
    c->answer = CASE_BLOCK;
    engine_case_open(c, all_topics);
    engine_case_deploy(c, three_branches);
    engine_case_start(c, "i1", NULL);
    wait_for_calls(c, 2);
    c->faulty.user = c;
    c->faulty.on_call = stall;
    faulty_repository_fail_saves(&c->faulty, 1, 0, STF_UNAVAILABLE, false);
    atomic_fetch_add(&c->clock.us, SECONDS(10));
    step(c);
    ck_assert_int_eq(atomic_load(&c->clock.us), SECONDS(50));
    return c;
}

STF_TEST(r1_in_a_stall_past_the_lease_nothing_starts_and_only_what_may_run_twice_is_stopped)
{
    engine_case *c = open_with_stalled_store();
    atomic_fetch_add(&c->clock.us, SECONDS(1));
    /* "again" is told to stop, and ends; its thread finds that "later" may not start any more. */
    while (is_launched(c, "later") && engine_case_calls_of(c, "later") == 0) {
        step(c);
    }
    ck_assert_uint_eq(engine_case_calls_of(c, "later"), 0);
    ck_assert_uint_eq(find_run(c, "again")->state, STF__RUN_FINISHED);
    ck_assert(is_launched(c, "once"));
    ck_assert(!atomic_load(&find_run(c, "once")->is_unwanted));
    faulty_repository_heal(&c->faulty);
    release_handlers(c);
    go_on_until_completed(c, 1); /* nobody had taken it over: all goes on here */
    ck_assert_uint_eq(c->call_count, 3);
    ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
    engine_case_free(c);
}

STF_TEST(r1_what_was_taken_over_in_a_stall_gets_the_results_late_and_nothing_runs_twice)
{
    engine_case *c = open_with_stalled_store();
    engine_case *other = engine_case_join(c, "two", all_topics);
    engine_case_idle(other);
    ck_assert_uint_eq(engine_case_calls_of(other, "again"), 1);
    ck_assert_uint_eq(other->call_count, 1); /* the others are unknown to it */
    faulty_repository_heal(&c->faulty);
    release_handlers(c);
    engine_case_advance(c, SECONDS(10));
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_LEASE_LOST), 1);
    ck_assert_uint_eq(engine_case_calls_of(c, "later"), 0);
    stf_value *view = engine_case_view(c, "i1");
    const stf_value *incidents = stf_value_peek(view, stf_str_of("incidents"));
    ck_assert_uint_eq(stf_value_count(incidents), 1); /* "once" was settled by its own result */
    STF_CHECK_STR(stf_value_peek_string(
                      stf_value_peek(stf_value_peek_item(incidents, 0), stf_str_of("element"))),
                  "later");
    stf_value_unref(view);
    STF_CHECK_OK(stf_engine_retry_incident(other->engine, NULL, stf_str_of("i1"), 0, &c->error),
                 &c->error);
    engine_case_idle(other);
    ck_assert_uint_eq(engine_case_calls_of(other, "later"), 1);
    ck_assert_uint_eq(c->call_count, 2);
    ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
    engine_case_free(other);
    engine_case_free(c);
}

/* ---- R16 ---------------------------------------------------------------------------------------
 */

STF_TEST(r16_renewals_go_in_a_batch_of_their_own_and_do_not_fail_with_the_steps)
{
    engine_case *c = open_with_running_handler(case_work);
    engine_case_deploy(c, case_timer);
    engine_case_start(c, "i2", NULL);
    engine_case_start(c, "i3", NULL);
    step(c);
    atomic_fetch_add(&c->clock.us, SECONDS(3600)); /* all three at once */
    long before = atomic_load(&c->faulty.saves);
    faulty_repository_fail_saves(&c->faulty, 2, 1, STF_UNAVAILABLE, false);
    step(c);
    ck_assert_int_eq(atomic_load(&c->faulty.saves) - before, 2);
    ck_assert_int_eq(engine_case_record(c, "i1").expiry.us, CASE_BEGIN_US + SECONDS(3600 + 30));
    ck_assert_int_eq(engine_case_record(c, "i2").version, 1);
    release_handlers(c);
    go_on_until_completed(c, 3);
    engine_case_free(c);
}

/* ---- Taking over -------------------------------------------------------------------------------
 */

STF_TEST(r1_a_lapsed_lease_is_claimed_under_the_next_incarnation_before_anything_else)
{
    engine_case *c = open_with_running_handler(case_work);
    engine_case *other = engine_case_join(c, "two", all_topics);
    engine_case_idle(other);
    ck_assert_int_eq(engine_case_record(c, "i1").incarnation, 1); /* live: left alone */
    atomic_fetch_add(&other->clock.us, SECONDS(31));
    atomic_fetch_add(&c->clock.us, SECONDS(31)); /* the store's time */
    engine_case_idle(other);
    case_record record = engine_case_record(c, "i1");
    ck_assert_int_eq(record.incarnation, 2);
    ck_assert_str_eq(engine_case_status(c, "i1"), "incident");
    ck_assert_uint_eq(engine_case_calls_of(other, "work"), 0); /* never repeated silently */
    ck_assert_uint_eq(engine_case_facts_of(other, STF_FACT_INSTANCE_RECOVERED), 1);
    ck_assert_uint_eq(engine_case_facts_of(other, STF_FACT_WORK_UNKNOWN), 1);
    release_handlers(c);
    engine_case_idle(c); /* the late result settles the unknown (R12) */
    ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
    engine_case_free(other);
    engine_case_free(c);
}

STF_TEST(r2_idempotent_work_of_a_lapsed_lease_runs_again_under_the_same_key)
{
    engine_case *c = open_with_running_handler(
        "<startEvent id='s'/><serviceTask id='work' stepfast:idempotent='true'/><endEvent id='e'/>"
        "<sequenceFlow id='f1' sourceRef='s' targetRef='work'/>"
        "<sequenceFlow id='f2' sourceRef='work' targetRef='e'/>");
    engine_case *other = engine_case_join(c, "two", all_topics);
    atomic_fetch_add(&other->clock.us, SECONDS(31));
    atomic_fetch_add(&c->clock.us, SECONDS(31));
    engine_case_idle(other);
    ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
    ck_assert_uint_eq(engine_case_calls_of(other, "work"), 1);
    ck_assert_str_eq(c->calls[0].key, other->calls[0].key);
    ck_assert_uint_eq(other->calls[0].attempt, 1); /* R6: recovery does not count attempts */
    release_handlers(c);
    engine_case_idle(c); /* too late: dropped, told, nothing changes */
    ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_RESULT_DROPPED), 1);
    engine_case_free(other);
    engine_case_free(c);
}

/* ---- R1 ----------------------------------------------------------------------------------------
 */

static const char task_beside_work[] =
    "<startEvent id='s'/><parallelGateway id='g'/><serviceTask id='work'/>"
    "<userTask id='approve'/><serviceTask id='after'/><endEvent id='e'/><endEvent id='e2'/>"
    "<sequenceFlow id='f1' sourceRef='s' targetRef='g'/>"
    "<sequenceFlow id='f2' sourceRef='g' targetRef='work'/>"
    "<sequenceFlow id='f3' sourceRef='g' targetRef='approve'/>"
    "<sequenceFlow id='f4' sourceRef='work' targetRef='e'/>"
    "<sequenceFlow id='f5' sourceRef='approve' targetRef='after'/>"
    "<sequenceFlow id='f6' sourceRef='after' targetRef='e2'/>";

STF_TEST(r1_any_engine_steps_a_record_whose_handler_runs_elsewhere_and_starts_nothing)
{
    engine_case *c = open_with_running_handler(task_beside_work);
    engine_case *other = engine_case_join(c, "two", all_topics);
    case_record before = engine_case_record(c, "i1");
    engine_case_task(other, "i1", "approve", NULL);
    case_record after = engine_case_record(c, "i1");
    ck_assert_str_eq(after.owner, before.owner); /* the holder's lease is left as it is */
    ck_assert_int_eq(after.incarnation, before.incarnation);
    ck_assert_int_eq(after.expiry.us, before.expiry.us);
    ck_assert_int_eq(after.due.us, CASE_BEGIN_US); /* now: the holder starts the new work */
    engine_case_idle(other);
    ck_assert_uint_eq(engine_case_calls_of(other, "after"), 0);
    release_handlers(c);
    engine_case_idle(c);
    ck_assert_uint_eq(engine_case_calls_of(c, "work"), 1);
    ck_assert_uint_eq(engine_case_calls_of(c, "after"), 1);
    ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_LEASE_LOST), 0);
    engine_case_free(other);
    engine_case_free(c);
}

/* The first one's lease lapses, the second one takes the record over and runs a handler of its own;
 * the first one's result comes while that handler runs. */
STF_TEST(r1_the_results_of_two_handlers_on_two_engines_are_both_taken)
{
    engine_case *c = open_with_running_handler(task_beside_work);
    engine_case *other = engine_case_neighbour(c, "two");
    other->options.workers = 1;
    other->answer = CASE_BLOCK;
    engine_case_open(other, all_topics);
    atomic_fetch_add(&c->clock.us, SECONDS(31));
    atomic_fetch_add(&other->clock.us, SECONDS(31));
    step(other);
    engine_case_task(other, "i1", "approve", NULL);
    wait_for_calls(other, 1);
    case_record held = engine_case_record(other, "i1");
    release_handlers(c);
    engine_case_idle(c);
    case_record taken = engine_case_record(other, "i1");
    ck_assert_int_eq(taken.version, held.version + 1);
    ck_assert_str_eq(taken.owner, held.owner); /* whose lease it is is left as it was */
    ck_assert_int_eq(taken.incarnation, held.incarnation);
    release_handlers(other);
    engine_case_idle(other);
    ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
    ck_assert_uint_eq(engine_case_calls_of(c, "work"), 1);
    ck_assert_uint_eq(engine_case_calls_of(other, "after"), 1);
    ck_assert_uint_eq(c->call_count + other->call_count, 2);
    engine_case_free(other);
    engine_case_free(c);
}

static const char message_beside_work[] =
    "<process id='p' isExecutable='true'><startEvent id='s'/><parallelGateway id='g'/>"
    "<serviceTask id='work'/><receiveTask id='wait' messageRef='m'/>"
    "<serviceTask id='after'/><endEvent id='e'/><endEvent id='e2'/>"
    "<sequenceFlow id='f1' sourceRef='s' targetRef='g'/>"
    "<sequenceFlow id='f2' sourceRef='g' targetRef='work'/>"
    "<sequenceFlow id='f3' sourceRef='g' targetRef='wait'/>"
    "<sequenceFlow id='f4' sourceRef='work' targetRef='e'/>"
    "<sequenceFlow id='f5' sourceRef='wait' targetRef='after'/>"
    "<sequenceFlow id='f6' sourceRef='after' targetRef='e2'/></process>"
    "<message id='m' name='paid'/>";

static engine_case *open_with_running_handler_and_wait(void)
{
    engine_case *c = engine_case_new();
    c->options.workers = 1;
    c->answer = CASE_BLOCK;
    engine_case_open(c, all_topics);
    engine_case_deploy_file(c, message_beside_work);
    engine_case_start(c, "i1", NULL);
    wait_for_calls(c, 1);
    return c;
}

STF_TEST(r1_a_message_reaches_a_record_whose_handler_runs_elsewhere)
{
    engine_case *c = open_with_running_handler_and_wait();
    engine_case *other = engine_case_join(c, "two", all_topics);
    case_record before = engine_case_record(c, "i1");
    char receiver[256];
    STF_CHECK_OK(engine_case_publish(other, "paid", "", NULL, 0, receiver), &other->error);
    ck_assert_str_eq(receiver, "i1");
    case_record after = engine_case_record(c, "i1");
    ck_assert_str_eq(after.owner, before.owner);
    ck_assert_int_eq(after.incarnation, before.incarnation);
    ck_assert_int_eq(after.due.us, CASE_BEGIN_US); /* now: the holder starts the new work */
    engine_case_idle(other);
    ck_assert_uint_eq(engine_case_calls_of(other, "after"), 0);
    release_handlers(c);
    engine_case_idle(c);
    ck_assert_uint_eq(engine_case_calls_of(c, "work"), 1);
    ck_assert_uint_eq(engine_case_calls_of(c, "after"), 1);
    ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_LEASE_LOST), 0);
    engine_case_free(other);
    engine_case_free(c);
}

/* The holder learns of it by its next renewal, and tells the handler. */
STF_TEST(r1_a_cancel_by_another_engine_stops_the_handler_of_the_holder)
{
    engine_case *c = open_with_running_handler_and_wait();
    engine_case *other = engine_case_join(c, "two", all_topics);
    STF_CHECK_OK(stf_engine_cancel_instance(other->engine, NULL, stf_str_of("i1"), stf_str_of(""),
                                            &other->error),
                 &other->error);
    ck_assert_str_eq(engine_case_status(c, "i1"), "terminated");
    atomic_fetch_add(&c->clock.us, SECONDS(10));
    engine_case_idle(c); /* ends, because the handler's token was requested */
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_RESULT_DROPPED), 1);
    ck_assert_str_eq(engine_case_status(c, "i1"), "terminated");
    engine_case_free(other);
    engine_case_free(c);
}

STF_TEST(a_cancel_stops_the_handler_here)
{
    engine_case *c = open_with_running_handler_and_wait();
    STF_CHECK_OK(
        stf_engine_cancel_instance(c->engine, NULL, stf_str_of("i1"), stf_str_of(""), &c->error),
        &c->error);
    engine_case_idle(c);
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_RESULT_DROPPED), 1);
    engine_case_free(c);
}

STF_TEST(a_handler_whose_activation_is_gone_is_told_and_its_result_dropped)
{
    engine_case *c = open_with_running_handler(
        "<startEvent id='s'/><serviceTask id='work'/>"
        "<boundaryEvent id='late' attachedToRef='work'><timerEventDefinition>"
        "<timeDuration>PT10S</timeDuration></timerEventDefinition></boundaryEvent>"
        "<userTask id='approve'/><endEvent id='e'/><endEvent id='e2'/>"
        "<sequenceFlow id='f1' sourceRef='s' targetRef='work'/>"
        "<sequenceFlow id='f2' sourceRef='work' targetRef='e'/>"
        "<sequenceFlow id='f3' sourceRef='late' targetRef='approve'/>"
        "<sequenceFlow id='f4' sourceRef='approve' targetRef='e2'/>");
    atomic_fetch_add(&c->clock.us, SECONDS(10));
    engine_case_idle(c); /* the handler ends because its token was requested */
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_RESULT_DROPPED), 1);
    ck_assert(engine_case_waits_at(c, "i1", "approve"));
    engine_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(a_silent_lease_is_renewed_at_a_third_without_the_payload),
    STF_CASE(a_lost_renewal_is_looked_up_and_the_lease_kept),
    STF_CASE(each_of_several_held_is_renewed_at_its_time_whatever_fails_between),
    STF_CASE(r21_past_the_deadline_no_effect_starts_until_the_lease_is_renewed),
    STF_CASE(r21_past_the_deadline_a_record_that_was_taken_over_starts_no_effect_here),
    STF_CASE(r1_in_a_stall_past_the_lease_nothing_starts_and_only_what_may_run_twice_is_stopped),
    STF_CASE(r1_what_was_taken_over_in_a_stall_gets_the_results_late_and_nothing_runs_twice),
    STF_CASE(r16_renewals_go_in_a_batch_of_their_own_and_do_not_fail_with_the_steps),
    STF_CASE(r1_a_lapsed_lease_is_claimed_under_the_next_incarnation_before_anything_else),
    STF_CASE(r2_idempotent_work_of_a_lapsed_lease_runs_again_under_the_same_key),
    STF_CASE(r1_any_engine_steps_a_record_whose_handler_runs_elsewhere_and_starts_nothing),
    STF_CASE(r1_the_results_of_two_handlers_on_two_engines_are_both_taken),
    STF_CASE(r1_a_message_reaches_a_record_whose_handler_runs_elsewhere),
    STF_CASE(r1_a_cancel_by_another_engine_stops_the_handler_of_the_holder),
    STF_CASE(a_cancel_stops_the_handler_here),
    STF_CASE(a_handler_whose_activation_is_gone_is_told_and_its_result_dropped),
};

STF_TEST_MAIN("lease", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* Whole processes on the memory store with inline handlers and a virtual clock. */
#include "unit/engine/engine_case.h"

#include <stepfast/sys/repository_wake.h>

static const char *const all_topics[] = {"*", NULL};

STF_TEST(a_process_runs_from_start_over_handler_timer_and_task_to_its_end)
{
    engine_case *c = engine_case_new();
    engine_case_open(c, all_topics);
    ck_assert_int_eq(engine_case_deploy(c, case_order), 1);
    engine_case_start(c, "i1", "{\"amount\": 7}");
    ck_assert_uint_eq(engine_case_calls_of(c, "work"), 0); /* start returns after its save */
    engine_case_idle(c);
    ck_assert_uint_eq(engine_case_calls_of(c, "work"), 1);
    ck_assert(engine_case_waits_at(c, "i1", "t"));
    engine_case_advance(c, SECONDS(5));
    ck_assert(engine_case_waits_at(c, "i1", "approve"));
    engine_case_task(c, "i1", "approve", "{\"ok\": true}");
    ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
    stf_value *view = engine_case_view(c, "i1");
    const stf_value *variables = stf_value_peek(view, stf_str_of("variables"));
    ck_assert(stf_value_is_true(stf_value_peek(variables, stf_str_of("ok"))));
    ck_assert_ptr_nonnull(stf_value_peek(variables, stf_str_of("amount")));
    stf_value_unref(view);
    engine_case_free(c);
}

STF_TEST(a_record_at_rest_has_no_owner_and_leaves_memory)
{
    engine_case *c = engine_case_new();
    engine_case_open(c, all_topics);
    engine_case_deploy(c, case_order);
    engine_case_start(c, "i1", NULL);
    case_record started = engine_case_record(c, "i1");
    ck_assert_int_eq(started.incarnation, 1);
    ck_assert_str_ne(started.owner, ""); /* its handler is to run: saved under a lease */
    engine_case_idle(c);
    case_record resting = engine_case_record(c, "i1");
    ck_assert_str_eq(resting.owner, "");
    ck_assert_int_eq(resting.incarnation, 1);
    ck_assert_int_eq(resting.due.us, CASE_BEGIN_US + SECONDS(5));
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_INSTANCE_DEHYDRATED), 1);
    engine_case_free(c);
}

STF_TEST(a_timer_fires_at_its_recorded_deadline_and_not_before)
{
    engine_case *c = engine_case_new();
    engine_case_open(c, NULL);
    engine_case_deploy(c, case_timer);
    engine_case_start(c, "i1", NULL);
    engine_case_advance(c, SECONDS(3600) - 1);
    ck_assert_str_eq(engine_case_status(c, "i1"), "active");
    engine_case_advance(c, 1);
    ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_TIMER_FIRED), 1);
    engine_case_free(c);
}

STF_TEST(next_deadline_is_the_earliest_timer_or_the_next_poll)
{
    engine_case *c = engine_case_new();
    c->options.poll_us = SECONDS(7200);
    engine_case_open(c, NULL);
    engine_case_deploy(c, case_timer);
    engine_case_start(c, "i1", NULL);
    engine_case_idle(c);
    ck_assert_int_eq(stf_engine_next_deadline(c->engine).us, SECONDS(1000) + SECONDS(3600));
    engine_case_free(c);
}

static const char boundary_body[] =
    "<startEvent id='s'/><userTask id='approve'/>"
    "<boundaryEvent id='late' attachedToRef='approve'><timerEventDefinition>"
    "<timeDuration>PT10S</timeDuration></timerEventDefinition></boundaryEvent>"
    "<boundaryEvent id='nudge' attachedToRef='approve' cancelActivity='false'>"
    "<timerEventDefinition><timeDuration>PT3S</timeDuration></timerEventDefinition>"
    "</boundaryEvent><serviceTask id='remind'/><endEvent id='e'/><endEvent id='e2'/>"
    "<endEvent id='e3'/>"
    "<sequenceFlow id='f1' sourceRef='s' targetRef='approve'/>"
    "<sequenceFlow id='f2' sourceRef='approve' targetRef='e'/>"
    "<sequenceFlow id='f3' sourceRef='late' targetRef='e2'/>"
    "<sequenceFlow id='f4' sourceRef='nudge' targetRef='remind'/>"
    "<sequenceFlow id='f5' sourceRef='remind' targetRef='e3'/>";

STF_TEST(boundary_timers_nudge_beside_a_task_and_then_end_it)
{
    engine_case *c = engine_case_new();
    engine_case_open(c, all_topics);
    engine_case_deploy(c, boundary_body);
    engine_case_start(c, "i1", NULL);
    engine_case_advance(c, SECONDS(4));
    ck_assert_uint_eq(engine_case_calls_of(c, "remind"), 1);
    ck_assert(engine_case_waits_at(c, "i1", "approve"));
    engine_case_advance(c, SECONDS(6));
    ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
    STF_CHECK_STATUS(stf_engine_complete_task(c->engine, NULL, stf_str_of("i1"), 0,
                                              stf_str_of("approve"), NULL, &c->error),
                     STF_INVALID_STATE, &c->error);
    engine_case_free(c);
}

STF_TEST(r29_a_loop_without_a_wait_yields_and_then_gets_an_incident)
{
    engine_case *c = engine_case_new();
    engine_case_open(c, NULL);
    engine_case_deploy(c,
                       "<startEvent id='s'/><task id='a'/><exclusiveGateway id='g' default='f3'/>"
                       "<endEvent id='e'/>"
                       "<sequenceFlow id='f1' sourceRef='s' targetRef='a'/>"
                       "<sequenceFlow id='f2' sourceRef='a' targetRef='g'/>"
                       "<sequenceFlow id='f3' sourceRef='g' targetRef='a'/>"
                       "<sequenceFlow id='f4' sourceRef='g' targetRef='e'>"
                       "<conditionExpression>=false</conditionExpression></sequenceFlow>");
    engine_case_start(c, "i1", NULL);
    engine_case_idle(c);
    ck_assert_str_eq(engine_case_status(c, "i1"), "incident");
    ck_assert_int_gt(engine_case_record(c, "i1").version, 5);
    ck_assert_int_lt(engine_case_record(c, "i1").version, 20);
    engine_case_free(c);
}

STF_TEST(work_of_one_turn_goes_to_the_store_in_one_commit)
{
    engine_case *c = engine_case_new();
    engine_case_open(c, NULL);
    engine_case_deploy(c, case_timer);
    for (int i = 0; i < 50; i++) {
        char id[16];
        snprintf(id, sizeof(id), "i%d", i);
        engine_case_start(c, id, NULL);
    }
    engine_case_idle(c);
    long before = atomic_load(&c->faulty.saves);
    atomic_fetch_add(&c->clock.us, SECONDS(3600));
    engine_case_idle(c);
    ck_assert_int_eq(atomic_load(&c->faulty.saves) - before, 1);
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_INSTANCE_COMPLETED), 50);
    engine_case_free(c);
}

STF_TEST(a_page_full_of_due_records_is_followed_by_the_next)
{
    engine_case *c = engine_case_new();
    c->options.batch_max = 4;
    engine_case_open(c, NULL);
    engine_case_deploy(c, case_timer);
    for (int i = 0; i < 30; i++) {
        engine_case_start(c, NULL, NULL);
    }
    engine_case_advance(c, SECONDS(3600));
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_INSTANCE_COMPLETED), 30);
    engine_case_free(c);
}

STF_TEST(run_waits_for_timers_when_it_is_asked_to)
{
    engine_case *c = engine_case_new();
    engine_case_open(c, NULL);
    engine_case_deploy(c, case_timer);
    engine_case_start(c, "i1", NULL);
    stf_ctx ctx = STF_CTX_INIT;
    ctx.flags = STF_CTX_HAS_DEADLINE;
    ctx.clock = &c->clock.port;
    ctx.deadline = c->clock.port.mono(&c->clock);
    ctx.deadline.us -= 1;
    STF_CHECK_STATUS(stf_engine_run(c->engine, &ctx, STF_RUN_NO_TIMERS, &c->error),
                     STF_DEADLINE_EXCEEDED, &c->error);
    atomic_fetch_add(&c->clock.us, SECONDS(3600));
    STF_CHECK_OK(stf_engine_run(c->engine, NULL, STF_RUN_NO_TIMERS, &c->error), &c->error);
    ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
    engine_case_free(c);
}

STF_TEST(a_run_until_nothing_that_there_is_is_refused)
{
    engine_case *c = engine_case_new();
    engine_case_open(c, NULL);
    for (int until = STF_RUN_NO_TIMERS + 1; until < 100; until += 40) {
        STF_CHECK_STATUS(stf_engine_run(c->engine, NULL, (stf_run_until)until, &c->error),
                         STF_INVALID_ARGUMENT, &c->error);
    }
    engine_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(a_process_runs_from_start_over_handler_timer_and_task_to_its_end),
    STF_CASE(a_record_at_rest_has_no_owner_and_leaves_memory),
    STF_CASE(a_timer_fires_at_its_recorded_deadline_and_not_before),
    STF_CASE(next_deadline_is_the_earliest_timer_or_the_next_poll),
    STF_CASE(boundary_timers_nudge_beside_a_task_and_then_end_it),
    STF_CASE(r29_a_loop_without_a_wait_yields_and_then_gets_an_incident),
    STF_CASE(work_of_one_turn_goes_to_the_store_in_one_commit),
    STF_CASE(a_page_full_of_due_records_is_followed_by_the_next),
    STF_CASE(run_waits_for_timers_when_it_is_asked_to),
    STF_CASE(a_run_until_nothing_that_there_is_is_refused),
};

STF_TEST_MAIN("turn", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* Boundary events on user and service tasks: timers and messages, interrupting and not; errors. */
#include "core_case.h"

#define TIMER(id, host, cancel, value)                                                             \
    "<boundaryEvent id='" id "' attachedToRef='" host "' cancelActivity='" cancel                  \
    "'><timerEventDefinition><timeDuration>" value                                                 \
    "</timeDuration></timerEventDefinition></boundaryEvent>"                                       \
    "<sequenceFlow id='out_" id "' sourceRef='" id "' targetRef='after_" id "'/>"                  \
    "<userTask id='after_" id "'/>"
#define HEAD                                                                                       \
    "<startEvent id='s'/><sequenceFlow id='f1' sourceRef='s' targetRef='t'/>"                      \
    "<sequenceFlow id='f2' sourceRef='t' targetRef='e'/><endEvent id='e'/>"

STF_TEST(an_interrupting_timer_ends_the_activity)
{
    core_case *c = core_case_load(HEAD "<userTask id='t'/>" TIMER("b", "t", "true", "PT1H"));
    core_case_start(c, NULL);
    core_case_advance(c, SECONDS(3600));
    core_case_expect_waiting(c, "after_b");
    core_case_expect_completed(c, "b", 1);
    core_case_expect_completed(c, "t", 0);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_NODE_CANCELLED, "t"), 1);
    core_case_task(c, "after_b", NULL);
    core_case_expect_one_end_each(c);
    core_case_free(c);
}

STF_TEST(a_non_interrupting_timer_gives_a_second_token)
{
    core_case *c = core_case_load(HEAD "<userTask id='t'/>" TIMER("b", "t", "false", "PT1H"));
    core_case_start(c, NULL);
    core_case_advance(c, SECONDS(7200));
    core_case_expect_waiting(c, "t after_b");
    core_case_expect_completed(c, "b", 1);
    core_case_task(c, "t", NULL);
    core_case_task(c, "after_b", NULL);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_expect_one_end_each(c);
    core_case_free(c);
}

STF_TEST(the_end_of_the_activity_disarms_its_timers)
{
    core_case *c = core_case_load(HEAD "<userTask id='t'/>" TIMER("b", "t", "true", "PT1H"));
    core_case_start(c, NULL);
    core_case_task(c, "t", NULL);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_expect_completed(c, "b", 0);
    ck_assert_uint_eq(c->doc->timer_count, 0);
    core_case_free(c);
}

/* Items 15 and 18: the first in durable order wins; what it ended is gone. */
STF_TEST(trap_15_of_two_interrupting_timers_due_at_once_the_earlier_deadline_wins)
{
    core_case *c = core_case_load(HEAD "<userTask id='t'/>" TIMER("late", "t", "true", "PT2H")
                                      TIMER("soon", "t", "true", "PT1H"));
    core_case_start(c, NULL);
    c->now.us += SECONDS(36000); /* both overdue in one turn */
    core_case_wake(c);
    core_case_expect_waiting(c, "after_soon");
    core_case_expect_completed(c, "late", 0);
    ck_assert_uint_eq(c->doc->timer_count, 0);
    core_case_free(c);
}

STF_TEST(trap_15_equal_deadlines_fire_in_the_order_of_arming)
{
    core_case *c = core_case_load(HEAD "<userTask id='t'/>" TIMER("one", "t", "true", "PT1H")
                                      TIMER("two", "t", "true", "PT1H"));
    core_case_start(c, NULL);
    core_case_advance(c, SECONDS(3600));
    core_case_expect_waiting(c, "after_one");
    core_case_free(c);
}

STF_TEST(a_non_interrupting_timer_due_before_an_interrupting_one_keeps_its_token)
{
    core_case *c = core_case_load(HEAD "<userTask id='t'/>" TIMER("first", "t", "false", "PT1H")
                                      TIMER("then", "t", "true", "PT2H"));
    core_case_start(c, NULL);
    c->now.us += SECONDS(36000);
    core_case_wake(c);
    core_case_expect_waiting(c, "after_first after_then");
    core_case_free(c);
}

/* Item 19: armed per activation, also the second time round. */
STF_TEST(trap_19_in_a_loop_the_timer_is_armed_anew_for_each_activation)
{
    core_case *c = core_case_load(
        "<startEvent id='s'/><sequenceFlow id='f1' sourceRef='s' targetRef='x'/>"
        "<exclusiveGateway id='x'/><sequenceFlow id='f2' sourceRef='x' targetRef='t'/>"
        "<userTask id='t'/><sequenceFlow id='f3' sourceRef='t' targetRef='x'/>"
        "<boundaryEvent id='b' attachedToRef='t'><timerEventDefinition>"
        "<timeDuration>PT1H</timeDuration></timerEventDefinition></boundaryEvent>"
        "<sequenceFlow id='f4' sourceRef='b' targetRef='x'/>");
    core_case_start(c, NULL);
    core_case_advance(c, SECONDS(3600));
    core_case_expect_waiting(c, "t");
    ck_assert_uint_eq(c->doc->timer_count, 1);
    core_case_advance(c, SECONDS(1800));
    core_case_task(c, "t", NULL);
    ck_assert_int_eq(core_case_summary(c).due.us, c->now.us + SECONDS(3600));
    core_case_advance(c, SECONDS(3600));
    core_case_expect_completed(c, "b", 2);
    ck_assert_uint_eq(c->doc->timer_count, 1);
    ck_assert_uint_eq(c->doc->activation_count, 1);
    core_case_free(c);
}

STF_TEST(two_activations_of_one_task_have_clocks_of_their_own)
{
    core_case *c = core_case_load(
        "<startEvent id='s'/><sequenceFlow id='f1' sourceRef='s' targetRef='t'/>"
        "<sequenceFlow id='f2' sourceRef='s' targetRef='w'/>"
        "<intermediateCatchEvent id='w'><timerEventDefinition><timeDuration>PT30M</timeDuration>"
        "</timerEventDefinition></intermediateCatchEvent>"
        "<sequenceFlow id='f3' sourceRef='w' targetRef='t'/>"
        "<userTask id='t'/>" TIMER("b", "t", "true", "PT1H"));
    core_case_start(c, NULL);
    core_case_advance(c, SECONDS(3600));
    core_case_expect_waiting(c, "t after_b");
    core_case_advance(c, SECONDS(1800));
    core_case_expect_waiting(c, "after_b after_b");
    core_case_free(c);
}

STF_TEST(an_interrupted_service_task_cancels_its_running_handler)
{
    core_case *c = core_case_load(
        HEAD "<serviceTask id='t' stepfast:handler='h'/>" TIMER("b", "t", "true", "PT1H"));
    core_case_start(c, NULL);
    core_case_start_work(c, "t");
    stf__work_item item = core_case_find_work(c, "t");
    c->now.us += SECONDS(3600);
    core_case_wake(c);
    ck_assert_uint_eq(c->effects.cancelled_count, 1);
    ck_assert_uint_eq(c->effects.cancelled[0], item.activation);
    /* The handler's answer comes too late: told, and nothing else. */
    stf__event late = {.kind = STF__EVENT_WORK,
                       .outcome = STF__WORK_COMPLETED,
                       .activation = item.activation,
                       .attempt = item.attempt};
    STF_CHECK_OK(core_case_step(c, &late), &c->error);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_RESULT_DROPPED, NULL), 1);
    core_case_expect_waiting(c, "after_b");
    core_case_free(c);
}

STF_TEST(unstarted_work_that_is_interrupted_has_no_handler_to_cancel)
{
    core_case *c = core_case_load(
        HEAD "<serviceTask id='t' stepfast:handler='h'/>" TIMER("b", "t", "true", "PT1H"));
    core_case_start(c, NULL);
    c->now.us += SECONDS(3600);
    core_case_wake(c);
    ck_assert_uint_eq(c->effects.cancelled_count, 0);
    core_case_free(c);
}

STF_TEST(a_retry_does_not_arm_the_clock_again)
{
    core_case *c = core_case_load(
        HEAD "<serviceTask id='t' stepfast:handler='h'/>" TIMER("b", "t", "true", "PT1H"));
    core_case_start(c, NULL);
    core_case_advance(c, SECONDS(1800));
    core_case_answer(c, "t", STF__WORK_FAILED, "no luck");
    core_case_retry(c);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_TIMER_ARMED, "b"), 1);
    ck_assert_int_eq(core_case_summary(c).due.us, CORE_CASE_BEGIN_US + SECONDS(3600));
    core_case_free(c);
}

STF_TEST(a_retry_of_a_start_that_failed_does_not_arm_the_clock_again)
{
    core_case *c = core_case_load(
        HEAD "<serviceTask id='t' stepfast:handler='${topic}'/>" TIMER("b", "t", "true", "PT1H"));
    core_case_start(c, NULL);
    core_case_expect_incident(c, "t", "expression", "topic of \"t\"");
    core_case_advance(c, SECONDS(1800));
    core_case_set(c, "{\"topic\": \"h\"}");
    core_case_retry(c);
    core_case_expect_waiting(c, "t");
    ck_assert_uint_eq(core_case_count(c, STF_FACT_TIMER_ARMED, "b"), 1);
    ck_assert_int_eq(core_case_summary(c).due.us, CORE_CASE_BEGIN_US + SECONDS(3600));
    core_case_advance(c, SECONDS(1800));
    core_case_expect_waiting(c, "after_b");
    core_case_free(c);
}

STF_TEST(a_timer_that_interrupts_takes_the_incident_of_its_activity_along)
{
    core_case *c = core_case_load(
        HEAD "<serviceTask id='t' stepfast:handler='h'/>" TIMER("b", "t", "true", "PT1H"));
    core_case_start(c, NULL);
    core_case_answer(c, "t", STF__WORK_FAILED, "no luck");
    core_case_expect_status(c, STF_RECORD_INCIDENT);
    core_case_advance(c, SECONDS(3600));
    core_case_expect_status(c, STF_RECORD_ACTIVE);
    core_case_expect_waiting(c, "after_b");
    ck_assert_uint_eq(core_case_count(c, STF_FACT_INCIDENT_DROPPED, "t"), 1);
    core_case_free(c);
}

STF_TEST(trap_39_a_bad_boundary_time_stops_the_activity_before_it_starts)
{
    core_case *c = core_case_load(HEAD "<userTask id='t'/>" TIMER("ok", "t", "false", "PT1H")
                                      TIMER("bad", "t", "true", "${limit}"));
    core_case_start(c, "{\"limit\": \"when it suits\"}");
    core_case_expect_incident(c, "t", "timer", "timer of \"bad\"");
    core_case_expect_waiting(c, "");
    ck_assert_uint_eq(c->doc->timer_count, 0);
    core_case_set(c, "{\"limit\": \"PT2H\"}");
    core_case_retry(c);
    core_case_expect_waiting(c, "t");
    ck_assert_uint_eq(c->doc->timer_count, 2);
    core_case_free(c);
}

#define MESSAGES "<message id='M' name='m'/><error id='E' errorCode='one'/>"
#define MESSAGE(id, host, cancel)                                                                  \
    "<boundaryEvent id='" id "' attachedToRef='" host "' cancelActivity='" cancel                  \
    "'><messageEventDefinition messageRef='M'/></boundaryEvent>"                                   \
    "<sequenceFlow id='out_" id "' sourceRef='" id "' targetRef='after_" id "'/>"                  \
    "<userTask id='after_" id "'/>"

static stf_status send(core_case *c, const char *name)
{
    stf__event message = {.kind = STF__EVENT_MESSAGE, .name = stf_str_of(name)};
    return core_case_step(c, &message);
}

STF_TEST(an_interrupting_message_ends_the_activity)
{
    core_case *c = core_case_load_in(MESSAGES, HEAD "<userTask id='t'/>" MESSAGE("b", "t", "true"));
    core_case_start(c, NULL);
    STF_CHECK_OK(send(c, "m"), &c->error);
    core_case_expect_waiting(c, "after_b");
    core_case_expect_completed(c, "b", 1);
    core_case_expect_completed(c, "t", 0);
    ck_assert_uint_eq(c->doc->subscription_count, 0);
    ck_assert_int_eq(send(c, "m"), STF_NOT_FOUND);
    core_case_free(c);
}

STF_TEST(a_non_interrupting_message_gives_a_token_each_time_that_it_comes)
{
    core_case *c =
        core_case_load_in(MESSAGES, HEAD "<userTask id='t'/>" MESSAGE("b", "t", "false"));
    core_case_start(c, NULL);
    STF_CHECK_OK(send(c, "m"), &c->error);
    STF_CHECK_OK(send(c, "m"), &c->error);
    core_case_expect_waiting(c, "t after_b after_b");
    core_case_expect_completed(c, "b", 2);
    core_case_task(c, "t", NULL);
    ck_assert_uint_eq(c->doc->subscription_count, 0);
    ck_assert_int_eq(send(c, "m"), STF_NOT_FOUND);
    core_case_free(c);
}

/* Items 15 and 18: one order for timers and messages, too. */
STF_TEST(trap_18_a_message_that_comes_after_the_timer_has_interrupted_finds_nobody)
{
    core_case *c = core_case_load_in(MESSAGES, HEAD "<userTask id='t'/>" MESSAGE("m", "t", "true")
                                                   TIMER("late", "t", "true", "PT1H"));
    core_case_start(c, NULL);
    core_case_advance(c, SECONDS(3600));
    core_case_expect_waiting(c, "after_late");
    ck_assert_int_eq(send(c, "m"), STF_NOT_FOUND);
    core_case_expect_completed(c, "m", 0);
    core_case_free(c);
}

STF_TEST(trap_18_a_timer_that_is_due_after_the_message_has_interrupted_is_gone)
{
    core_case *c = core_case_load_in(MESSAGES, HEAD "<userTask id='t'/>" MESSAGE("m", "t", "true")
                                                   TIMER("late", "t", "true", "PT1H"));
    core_case_start(c, NULL);
    c->now.us += SECONDS(7200);
    STF_CHECK_OK(send(c, "m"), &c->error);
    core_case_wake(c);
    core_case_expect_waiting(c, "after_m");
    core_case_expect_completed(c, "late", 0);
    core_case_free(c);
}

STF_TEST(trap_19_in_a_loop_the_message_is_awaited_anew_by_each_activation)
{
    core_case *c = core_case_load_in(
        MESSAGES, "<startEvent id='s'/><sequenceFlow id='f1' sourceRef='s' targetRef='t'/>"
                  "<userTask id='t'/><boundaryEvent id='b' attachedToRef='t'>"
                  "<messageEventDefinition messageRef='M'/></boundaryEvent>"
                  "<sequenceFlow id='f2' sourceRef='b' targetRef='t'/>");
    core_case_start(c, NULL);
    for (size_t round = 1; round <= 3; round++) {
        STF_CHECK_OK(send(c, "m"), &c->error);
        core_case_expect_completed(c, "b", round);
        core_case_expect_waiting(c, "t");
        ck_assert_uint_eq(c->doc->subscription_count, 1);
    }
    core_case_free(c);
}

STF_TEST(an_error_event_arms_nothing_and_is_no_obstacle)
{
    core_case *c = core_case_load_in(
        MESSAGES, HEAD "<serviceTask id='t' stepfast:handler='h'/><boundaryEvent id='b' "
                       "attachedToRef='t'><errorEventDefinition errorRef='E'/></boundaryEvent>");
    core_case_start(c, NULL);
    ck_assert_uint_eq(c->doc->timer_count + c->doc->subscription_count, 0);
    core_case_work(c, "t", NULL);
    core_case_expect_completed(c, "b", 0);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_free(c);
}

STF_TEST(a_technical_failure_is_no_error_that_an_event_catches)
{
    core_case *c = core_case_load_in(
        MESSAGES, HEAD "<serviceTask id='t' stepfast:handler='h'/><boundaryEvent id='b' "
                       "attachedToRef='t'><errorEventDefinition/></boundaryEvent>");
    core_case_start(c, NULL);
    core_case_answer(c, "t", STF__WORK_FAILED, "disk full");
    core_case_expect_incident(c, "t", "failed", "disk full");
    core_case_expect_completed(c, "b", 0);
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(an_interrupting_message_ends_the_activity),
    STF_CASE(a_non_interrupting_message_gives_a_token_each_time_that_it_comes),
    STF_CASE(trap_18_a_message_that_comes_after_the_timer_has_interrupted_finds_nobody),
    STF_CASE(trap_18_a_timer_that_is_due_after_the_message_has_interrupted_is_gone),
    STF_CASE(trap_19_in_a_loop_the_message_is_awaited_anew_by_each_activation),
    STF_CASE(an_error_event_arms_nothing_and_is_no_obstacle),
    STF_CASE(a_technical_failure_is_no_error_that_an_event_catches),
    STF_CASE(an_interrupting_timer_ends_the_activity),
    STF_CASE(a_non_interrupting_timer_gives_a_second_token),
    STF_CASE(the_end_of_the_activity_disarms_its_timers),
    STF_CASE(trap_15_of_two_interrupting_timers_due_at_once_the_earlier_deadline_wins),
    STF_CASE(trap_15_equal_deadlines_fire_in_the_order_of_arming),
    STF_CASE(a_non_interrupting_timer_due_before_an_interrupting_one_keeps_its_token),
    STF_CASE(trap_19_in_a_loop_the_timer_is_armed_anew_for_each_activation),
    STF_CASE(two_activations_of_one_task_have_clocks_of_their_own),
    STF_CASE(an_interrupted_service_task_cancels_its_running_handler),
    STF_CASE(unstarted_work_that_is_interrupted_has_no_handler_to_cancel),
    STF_CASE(a_retry_does_not_arm_the_clock_again),
    STF_CASE(a_retry_of_a_start_that_failed_does_not_arm_the_clock_again),
    STF_CASE(a_timer_that_interrupts_takes_the_incident_of_its_activity_along),
    STF_CASE(trap_39_a_bad_boundary_time_stops_the_activity_before_it_starts),
};

STF_TEST_MAIN("core/element/boundary", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* Event-based gateways: the first event decides, in one step and for good. */
#include "core_case.h"

#define MESSAGES                                                                                   \
    "<message id='m1' name='one'/><message id='m2' name='two'/><message id='m3' name='three'/>"
#define MESSAGE(id, ref)                                                                           \
    "<intermediateCatchEvent id='" id "'><messageEventDefinition messageRef='" ref "'/>"           \
    "</intermediateCatchEvent>"
#define TIMER(id, time)                                                                            \
    "<intermediateCatchEvent id='" id "'><timerEventDefinition>" time                              \
    "</timerEventDefinition></intermediateCatchEvent>"
#define ARM(id)                                                                                    \
    "<sequenceFlow id='to_" id "' sourceRef='g' targetRef='" id "'/>"                              \
    "<sequenceFlow id='from_" id "' sourceRef='" id "' targetRef='after_" id "'/>"                 \
    "<userTask id='after_" id "'/>"
#define HEAD                                                                                       \
    "<startEvent id='s'/><sequenceFlow id='f' sourceRef='s' targetRef='g'/>"                       \
    "<eventBasedGateway id='g'/>"
#define THREE                                                                                      \
    HEAD MESSAGE("one", "m1") ARM("one") MESSAGE("two", "m2") ARM("two")                           \
        TIMER("late", "<timeDuration>PT1H</timeDuration>") ARM("late")

static core_case *start(const char *body, const char *json)
{
    core_case *c = core_case_load_in(MESSAGES, body);
    core_case_start(c, json);
    return c;
}

static void expect_decided(core_case *c, const char *arm, const char *after)
{
    core_case_expect_waiting(c, after);
    core_case_expect_completed(c, "g", 1);
    core_case_expect_completed(c, arm, 1);
    ck_assert_uint_eq(c->doc->timer_count, 0);
    ck_assert_uint_eq(c->doc->subscription_count, 0);
    ck_assert_uint_eq(c->doc->activation_count, 1);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_GATEWAY_DECIDED, "g"), 1);
}

STF_TEST(it_waits_for_all_its_events_and_is_itself_what_waits)
{
    core_case *c = start(THREE, NULL);
    core_case_expect_waiting(c, "g");
    ck_assert_uint_eq(c->doc->timer_count, 1);
    ck_assert_uint_eq(c->doc->subscription_count, 2);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_MESSAGE_AWAITED, NULL), 2);
    ck_assert_uint_eq(c->effects.subscribed_count, 2);
    core_case_expect_completed(c, "g", 0);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_NODE_ENTERED, "one"), 0);
    core_case_free(c);
}

/* Item 26: the loser's wait goes in the same step; the winner is not armed again. */
STF_TEST(trap_26_a_message_decides_and_everything_else_that_was_waited_for_is_gone)
{
    core_case *c = start(THREE, NULL);
    core_case_message(c, "two", "", "{\"v\": 7}");
    expect_decided(c, "two", "after_two");
    core_case_expect_variable(c, "v", "7");
    ck_assert_uint_eq(core_case_count(c, STF_FACT_MESSAGE_AWAITED, "two"), 1);
    core_case_expect_nobody(c, "one", "");
    core_case_expect_nobody(c, "two", "");
    core_case_advance(c, SECONDS(7200));
    expect_decided(c, "two", "after_two");
    core_case_task(c, "after_two", NULL);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_expect_one_end_each(c);
    core_case_free(c);
}

STF_TEST(trap_26_a_timer_decides)
{
    core_case *c = start(THREE, NULL);
    core_case_advance(c, SECONDS(3600));
    expect_decided(c, "late", "after_late");
    core_case_expect_nobody(c, "one", "");
    core_case_free(c);
}

STF_TEST(trap_26_of_two_timers_that_are_due_in_one_turn_only_the_first_decides)
{
    core_case *c = start(HEAD TIMER("slow", "<timeDuration>PT2S</timeDuration>") ARM("slow")
                             TIMER("fast", "<timeDuration>PT1S</timeDuration>") ARM("fast"),
                         NULL);
    c->now.us += SECONDS(100);
    core_case_wake(c);
    expect_decided(c, "fast", "after_fast");
    core_case_free(c);
}

STF_TEST(each_activation_decides_for_itself)
{
    core_case *c = start("<sequenceFlow id='f2' sourceRef='s' targetRef='g'/>" THREE, NULL);
    core_case_expect_waiting(c, "g g");
    core_case_message(c, "one", "", NULL);
    core_case_expect_waiting(c, "after_one g");
    core_case_message(c, "two", "", NULL);
    core_case_expect_waiting(c, "after_one after_two");
    core_case_free(c);
}

STF_TEST(a_receive_task_may_be_what_decides)
{
    core_case *c = start(HEAD "<receiveTask id='r' messageRef='m3'/>" ARM("r")
                             TIMER("late", "<timeDuration>PT1H</timeDuration>") ARM("late"),
                         NULL);
    core_case_message(c, "three", "", NULL);
    expect_decided(c, "r", "after_r");
    ck_assert_uint_eq(core_case_count(c, STF_FACT_TASK_CREATED, NULL), 1); /* after_r */
    core_case_free(c);
}

STF_TEST(a_repeating_time_decides_by_its_first_firing)
{
    core_case *c = start(HEAD TIMER("tick", "<timeCycle>R/PT10S</timeCycle>") ARM("tick"), NULL);
    core_case_advance(c, SECONDS(100));
    expect_decided(c, "tick", "after_tick");
    core_case_free(c);
}

STF_TEST(a_bad_value_stops_the_gateway_with_nothing_armed)
{
    core_case *c = start(HEAD MESSAGE("one", "m1") ARM("one")
                             TIMER("late", "<timeDuration>${wait}</timeDuration>") ARM("late"),
                         "{\"wait\": \"soon\"}");
    core_case_expect_incident(c, "g", "timer", "timer of \"late\"");
    core_case_expect_nobody(c, "one", "");
    ck_assert_uint_eq(core_case_count(c, STF_FACT_MESSAGE_AWAITED, NULL), 0);
    core_case_set(c, "{\"wait\": \"PT1S\"}");
    core_case_retry(c);
    core_case_expect_waiting(c, "g");
    core_case_advance(c, SECONDS(1));
    expect_decided(c, "late", "after_late");
    core_case_free(c);
}

STF_TEST(what_the_event_leads_to_may_fail_after_the_decision)
{
    core_case *c = start(HEAD "<receiveTask id='r' messageRef='m1'/><userTask id='t'/>"
                              "<sequenceFlow id='to' sourceRef='g' targetRef='r'/>"
                              "<sequenceFlow id='from' sourceRef='r' targetRef='t'>"
                              "<conditionExpression>${v}</conditionExpression></sequenceFlow>",
                         NULL);
    core_case_message(c, "one", "", "{\"v\": 5}");
    core_case_expect_incident(c, "r", "expression", "condition of flow \"from\"");
    core_case_expect_completed(c, "g", 1);
    core_case_expect_nobody(c, "one", "");
    core_case_set(c, "{\"v\": true}");
    core_case_retry(c);
    core_case_expect_waiting(c, "t");
    core_case_expect_completed(c, "r", 1);
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(it_waits_for_all_its_events_and_is_itself_what_waits),
    STF_CASE(trap_26_a_message_decides_and_everything_else_that_was_waited_for_is_gone),
    STF_CASE(trap_26_a_timer_decides),
    STF_CASE(trap_26_of_two_timers_that_are_due_in_one_turn_only_the_first_decides),
    STF_CASE(each_activation_decides_for_itself),
    STF_CASE(a_receive_task_may_be_what_decides),
    STF_CASE(a_repeating_time_decides_by_its_first_firing),
    STF_CASE(a_bad_value_stops_the_gateway_with_nothing_armed),
    STF_CASE(what_the_event_leads_to_may_fail_after_the_decision),
};

STF_TEST_MAIN("core/element/event_gateway", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* Intermediate catch events: times and messages. */
#include "core_case.h"

#define CATCH(definition)                                                                          \
    "<startEvent id='s'/><sequenceFlow id='f1' sourceRef='s' targetRef='w'/>"                      \
    "<intermediateCatchEvent id='w'><timerEventDefinition>" definition                             \
    "</timerEventDefinition></intermediateCatchEvent>"                                             \
    "<sequenceFlow id='f2' sourceRef='w' targetRef='e'/><endEvent id='e'/>"

STF_TEST(a_duration_ends_at_its_instant_and_not_before)
{
    core_case *c = core_case_load(CATCH("<timeDuration>PT5M</timeDuration>"));
    core_case_start(c, NULL);
    core_case_expect_waiting(c, "w");
    ck_assert_int_eq(core_case_summary(c).due.us, CORE_CASE_BEGIN_US + SECONDS(300));
    core_case_advance(c, SECONDS(300) - 1);
    core_case_wake(c); /* too early: nothing */
    core_case_expect_waiting(c, "w");
    core_case_advance(c, 1);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_expect_completed(c, "w", 1);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_TIMER_FIRED, "w"), 1);
    core_case_free(c);
}

STF_TEST(a_date_in_the_past_fires_at_the_first_wake)
{
    core_case *c = core_case_load(CATCH("<timeDate>2020-02-29T10:00:00+02:00</timeDate>"));
    core_case_start(c, NULL);
    core_case_expect_waiting(c, "w");
    core_case_wake(c);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_free(c);
}

/* Items 36 and 37: months are months, far dates stay far. */
STF_TEST(trap_36_37_months_and_far_dates_are_exact)
{
    core_case *c = core_case_load(CATCH("<timeDuration>P1M</timeDuration>"));
    core_case_start(c, NULL);
    ck_assert_int_eq(core_case_summary(c).due.us, CORE_CASE_BEGIN_US + SECONDS(31 * 86400));
    core_case_free(c);
    c = core_case_load(CATCH("<timeDuration>P400W</timeDuration>"));
    core_case_start(c, NULL);
    core_case_wake(c);
    core_case_expect_waiting(c, "w");
    ck_assert_int_eq(core_case_summary(c).due.us, CORE_CASE_BEGIN_US + SECONDS(400 * 7 * 86400LL));
    core_case_free(c);
}

/* Item 39: rubbish at run time is an incident, and a retry reads the value again. */
STF_TEST(trap_39_a_bad_value_at_run_time_is_an_incident)
{
    core_case *c = core_case_load(CATCH("<timeDuration>${wait}</timeDuration>"));
    core_case_start(c, "{\"wait\": \"soon\"}");
    core_case_expect_incident(c, "w", "timer", "timer of \"w\"");
    core_case_expect_waiting(c, "");
    core_case_set(c, "{\"wait\": 5}");
    core_case_retry(c);
    core_case_expect_incident(c, "w", "timer", "not a text");
    core_case_set(c, "{\"wait\": null}");
    core_case_retry(c);
    core_case_expect_incident(c, "w", "timer", "null");
    core_case_set(c, "{\"wait\": \"P99999999999Y\"}");
    core_case_retry(c);
    core_case_expect_incident(c, "w", "timer", "timer of \"w\"");
    core_case_set(c, "{\"wait\": \"PT1S\"}");
    core_case_retry(c);
    core_case_expect_waiting(c, "w");
    core_case_advance(c, SECONDS(1));
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_expect_one_end_each(c);
    core_case_free(c);
}

/* A loop of zero waits fires once a turn, so every round is saved. */
STF_TEST(a_timer_armed_in_a_turn_waits_for_the_next_one)
{
    core_case *c = core_case_load(
        "<startEvent id='s'/><sequenceFlow id='f1' sourceRef='s' targetRef='x'/>"
        "<exclusiveGateway id='x'/><sequenceFlow id='f2' sourceRef='x' targetRef='w'/>"
        "<intermediateCatchEvent id='w'><timerEventDefinition><timeDuration>PT0S</timeDuration>"
        "</timerEventDefinition></intermediateCatchEvent>"
        "<sequenceFlow id='f3' sourceRef='w' targetRef='x'/>");
    core_case_start(c, NULL);
    for (size_t round = 1; round < 20; round++) {
        core_case_wake(c);
        core_case_expect_completed(c, "w", round);
        core_case_expect_waiting(c, "w");
        core_case_expect_status(c, STF_RECORD_ACTIVE);
    }
    core_case_free(c);
}

#define MESSAGE                                                                                    \
    "<startEvent id='s'/><sequenceFlow id='f1' sourceRef='s' targetRef='w'/>"                      \
    "<intermediateCatchEvent id='w'><messageEventDefinition messageRef='m'/>"                      \
    "</intermediateCatchEvent>"                                                                    \
    "<sequenceFlow id='f2' sourceRef='w' targetRef='e'/><endEvent id='e'/>"

STF_TEST(a_message_ends_the_wait_for_it)
{
    core_case *c = core_case_load_in("<message id='m' name='paid'/>", MESSAGE);
    core_case_start(c, NULL);
    core_case_expect_waiting(c, "w");
    stf__doc_summary summary = core_case_summary(c);
    ck_assert_uint_eq(summary.wait_count, 1);
    ck_assert_uint_eq(summary.waits[0].kind, STF_WAIT_MESSAGE);
    ck_assert(stf_wall_is_none(summary.due));
    core_case_expect_nobody(c, "unpaid", "");
    core_case_expect_nobody(c, "paid", "other");
    core_case_wake(c);
    core_case_expect_waiting(c, "w");
    core_case_message(c, "paid", "", "{\"amount\": 12.5}");
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_expect_completed(c, "w", 1);
    core_case_expect_variable(c, "amount", "12.5");
    core_case_expect_one_end_each(c);
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(a_message_ends_the_wait_for_it),
    STF_CASE(a_duration_ends_at_its_instant_and_not_before),
    STF_CASE(a_date_in_the_past_fires_at_the_first_wake),
    STF_CASE(trap_36_37_months_and_far_dates_are_exact),
    STF_CASE(trap_39_a_bad_value_at_run_time_is_an_incident),
    STF_CASE(a_timer_armed_in_a_turn_waits_for_the_next_one),
};

STF_TEST_MAIN("core/element/catch", cases)

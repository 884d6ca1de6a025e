/* SPDX-License-Identifier: Apache-2.0 */
/* Deadlines: absolute, in the document, from literals and expressions. */
#include "core_case.h"

#define CATCH(definition)                                                                          \
    "<startEvent id='s'/><sequenceFlow id='f1' sourceRef='s' targetRef='w'/>"                      \
    "<intermediateCatchEvent id='w'><timerEventDefinition>" definition                             \
    "</timerEventDefinition></intermediateCatchEvent>"

static int64_t due_of(const char *body, const char *json)
{
    core_case *c = core_case_load(body);
    core_case_start(c, json);
    int64_t due = core_case_summary(c).due.us - CORE_CASE_BEGIN_US;
    ck_assert_uint_eq(core_case_count(c, STF_FACT_TIMER_ARMED, "w"), 1);
    core_case_free(c);
    return due;
}

STF_TEST(deadlines_come_from_literals_and_expressions)
{
    ck_assert_int_eq(due_of(CATCH("<timeDuration>PT90S</timeDuration>"), NULL), SECONDS(90));
    ck_assert_int_eq(due_of(CATCH("<timeDate>2026-01-01T01:00:00+01:00</timeDate>"), NULL), 0);
    ck_assert_int_eq(due_of(CATCH("<timeDuration>${d}</timeDuration>"), "{\"d\": \"P1D\"}"),
                     SECONDS(86400));
    ck_assert_int_eq(
        due_of(CATCH("<timeDate>= at</timeDate>"), "{\"at\": \"2026-01-01T00:00:01.5Z\"}"),
        1500000);
}

/* Item 35: the stored document, nothing else, says what is due. */
STF_TEST(trap_35_a_restored_document_fires_at_the_recorded_deadline)
{
    core_case *c = core_case_load(CATCH("<timeDuration>${d}</timeDuration>"));
    core_case_start(c, "{\"d\": \"PT10S\"}");
    core_case_set(c, "{\"d\": \"PT1S\"}"); /* later changes do not move it */
    c->now.us += SECONDS(9);
    core_case_wake(c);
    core_case_expect_waiting(c, "w");
    c->now.us += SECONDS(1);
    core_case_wake(c);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_free(c);
}

/* Item 28: one wake, one firing, however often it is repeated. */
STF_TEST(trap_28_an_overdue_timer_fires_once)
{
    core_case *c = core_case_load(
        CATCH("<timeDuration>PT1S</timeDuration>") "<sequenceFlow id='f2' sourceRef='w' "
                                                   "targetRef='u'/><userTask id='u'/>");
    core_case_start(c, NULL);
    c->now.us += SECONDS(86400);
    core_case_wake(c);
    core_case_wake(c);
    core_case_wake(c);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_TIMER_FIRED, "w"), 1);
    core_case_expect_waiting(c, "u");
    core_case_free(c);
}

STF_TEST(timers_of_a_yielding_turn_fire_in_the_next_one)
{
    core_case *c = core_case_load(CATCH(
        "<timeDuration>PT1S</timeDuration>") "<sequenceFlow id='f2' sourceRef='w' "
                                             "targetRef='a'/><task id='a'/>"
                                             "<sequenceFlow id='f3' sourceRef='a' "
                                             "targetRef='b'/><task id='b'/>"
                                             "<sequenceFlow id='f4' sourceRef='s' targetRef='w2'/>"
                                             "<intermediateCatchEvent "
                                             "id='w2'><timerEventDefinition><timeDuration>PT2S</"
                                             "timeDuration>"
                                             "</timerEventDefinition></intermediateCatchEvent>");
    core_case_start(c, NULL);
    c->now.us += SECONDS(10);
    c->step_budget = 1;
    core_case_wake(c);
    ck_assert(c->effects.has_yielded);
    core_case_expect_waiting(c, "w2");
    while (c->effects.has_yielded) {
        core_case_wake(c);
    }
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_expect_completed(c, "b", 1);
    core_case_expect_one_end_each(c);
    core_case_free(c);
}

STF_TEST(a_repeating_timer_is_not_supported_and_stops_with_an_incident)
{
    core_case *c = core_case_load(CATCH("<timeDuration>PT1S</timeDuration>"));
    stf__activation activation = {.number = 1, .phase = STF__PHASE_HELD};
    stf__node node = {.id = stf_str_of("w"), .timer_kind = STF__TIMER_CYCLE};
    stf__step step = {.doc = c->doc, .process = c->process, .effects = &c->effects};
    bool is_ok = true;
    stf_wall due = {5};
    STF_CHECK_OK(stf__step_get_deadline(&step, &activation, &node, &is_ok, &due), &c->error);
    ck_assert(!is_ok);
    ck_assert_int_eq(due.us, 5);
    ck_assert_uint_eq(c->doc->incidents[0].kind, STF__INCIDENT_TIMER);
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(deadlines_come_from_literals_and_expressions),
    STF_CASE(trap_35_a_restored_document_fires_at_the_recorded_deadline),
    STF_CASE(trap_28_an_overdue_timer_fires_once),
    STF_CASE(timers_of_a_yielding_turn_fire_in_the_next_one),
    STF_CASE(a_repeating_timer_is_not_supported_and_stops_with_an_incident),
};

STF_TEST_MAIN("core/timer", cases)

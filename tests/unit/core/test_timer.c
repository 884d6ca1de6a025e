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

/* A repetition too long to be stored, one that cannot be read, one that goes too far. */
STF_TEST(a_bad_repetition_is_an_incident)
{
    static const char *const texts[] = {"R3", "R3/PT0S", "3/PT1S", "R/P99999999999Y"};
    for (size_t i = 0; i < STF_COUNT_OF(texts); i++) {
        char json[64];
        snprintf(json, sizeof(json), "{\"c\": \"%s\"}", texts[i]);
        core_case *c = core_case_load(CATCH("<timeCycle>${c}</timeCycle>"));
        core_case_start(c, json);
        core_case_expect_incident(c, "w", "timer", "timer of \"w\"");
        core_case_free(c);
    }
}

STF_TEST(a_repetition_that_is_too_long_to_be_stored_is_an_incident)
{
    char json[400] = "{\"c\": \"R1/PT1";
    memset(json + strlen(json), '0', 250);
    memcpy(json + strlen(json), "S\"}", 4);
    core_case *c = core_case_load(CATCH("<timeCycle>${c}</timeCycle>"));
    core_case_start(c, json);
    core_case_expect_incident(c, "w", "timer", "bytes");
    core_case_free(c);
}

STF_TEST(a_repetition_keeps_its_text_its_anchor_and_its_place)
{
    core_case *c = core_case_load(CATCH("<timeCycle>R3/PT10S</timeCycle>"));
    core_case_start(c, NULL);
    const stf__timer *timer = &c->doc->timers[0];
    STF_CHECK_STR(timer->cycle, "R3/PT10S");
    ck_assert_int_eq(timer->anchor.us, CORE_CASE_BEGIN_US);
    ck_assert_uint_eq(timer->index, 0);
    ck_assert_int_eq(timer->due.us, CORE_CASE_BEGIN_US + SECONDS(10));
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(deadlines_come_from_literals_and_expressions),
    STF_CASE(trap_35_a_restored_document_fires_at_the_recorded_deadline),
    STF_CASE(trap_28_an_overdue_timer_fires_once),
    STF_CASE(timers_of_a_yielding_turn_fire_in_the_next_one),
    STF_CASE(a_bad_repetition_is_an_incident),
    STF_CASE(a_repetition_that_is_too_long_to_be_stored_is_an_incident),
    STF_CASE(a_repetition_keeps_its_text_its_anchor_and_its_place),
};

STF_TEST_MAIN("core/timer", cases)

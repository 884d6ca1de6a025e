/* SPDX-License-Identifier: Apache-2.0 */
/* Times of timer events: good ones, and each kind of bad one. */
#include "base/mem.h"
#include "bpmn/build.h"
#include "unit/bpmn/support.h"

#define TIMER(content)                                                                             \
    "<startEvent id='s'/><intermediateCatchEvent id='c'><timerEventDefinition>\n" content          \
    "</timerEventDefinition></intermediateCatchEvent>"

static const rule_row rows[] = {
    {TIMER("<timeDuration>PT5X</timeDuration>"), STF_SEVERITY_ERROR, 4, "c", "timer.invalid",
     "\"PT5X\" is not an ISO 8601 duration"},
    {TIMER("<timeDuration>2030-01-31T12:00:00Z</timeDuration>"), STF_SEVERITY_ERROR, 4, "c",
     "timer.invalid", "which is a date and no duration"},
    {TIMER("<timeDate>PT10M</timeDate>"), STF_SEVERITY_ERROR, 4, "c", "timer.invalid",
     "timeDate holds \"PT10M\", which is a duration and no date"},
    {TIMER("<timeDate>tomorrow</timeDate>"), STF_SEVERITY_ERROR, 4, "c", "timer.invalid",
     "\"tomorrow\" is not an ISO 8601 date and time"},
    {TIMER("<timeCycle>0 0/5 * * * ?</timeCycle>"), STF_SEVERITY_ERROR, 4, "c", "timer.invalid",
     "is a cron expression and no ISO 8601 repetition: not supported yet"},
    {TIMER("<timeCycle>@daily</timeCycle>"), STF_SEVERITY_ERROR, 4, "c", "timer.invalid",
     "cron expression"},
    {TIMER("<timeCycle>R3/PT5X</timeCycle>"), STF_SEVERITY_ERROR, 4, "c", "timer.invalid",
     "is not an ISO 8601 repetition"},
    {TIMER("<timeCycle>Rx/PT5M</timeCycle>"), STF_SEVERITY_ERROR, 4, "c", "timer.invalid",
     "is not an ISO 8601 repetition"},
    {TIMER("<timeCycle>R3</timeCycle>"), STF_SEVERITY_ERROR, 4, "c", "timer.invalid",
     "is not an ISO 8601 repetition"},
    {TIMER("<timeCycle>PT5M</timeCycle>"), STF_SEVERITY_ERROR, 4, "c", "timer.invalid",
     "is not an ISO 8601 repetition"},
    {TIMER("<timeDate/>"), STF_SEVERITY_ERROR, 4, "c", "timer.empty",
     "timeDate is empty: a timer without a time"},
    {TIMER("<timeDuration> </timeDuration>"), STF_SEVERITY_ERROR, 4, "c", "timer.empty",
     "timeDuration is empty"},
    {TIMER(""), STF_SEVERITY_ERROR, 3, "c", "timer.missing", "no timeDate, timeDuration"},
    {TIMER("<timeDate>2030-01-31T12:00:00Z</timeDate>\n<timeDuration>PT1M</timeDuration>"),
     STF_SEVERITY_ERROR, 5, "c", "timer.several", "one time only"},
    {TIMER("<timeDuration>=1 +</timeDuration>"), STF_SEVERITY_ERROR, 4, "c", "expression.syntax",
     "the time \"=1 +\" of \"c\" at line 4 does not compile"},
    {TIMER("<timeDate>2036-11-14T11:12:22</timeDate>"), STF_SEVERITY_WARNING, 4, "c",
     "timer.no-zone", "has no zone and is read as UTC"},
    {TIMER("<timeCycle>R0/PT5M</timeCycle>"), STF_SEVERITY_ERROR, 4, "c", "timer.invalid",
     "is not an ISO 8601 repetition"},
    {TIMER("<timeCycle>R3/2030-01-31T12:00:00Z/2030-02-01T12:00:00Z</timeCycle>"),
     STF_SEVERITY_ERROR, 4, "c", "timer.invalid", "is not an ISO 8601 repetition"},
    {TIMER("<timeCycle>R3/2030-01-31T12:00:00/PT5X</timeCycle>"), STF_SEVERITY_ERROR, 4, "c",
     "timer.invalid", "is not an ISO 8601 repetition"},
    {TIMER("<timeCycle>R3/2030-01-31T12:00:00/P1D</timeCycle>"), STF_SEVERITY_WARNING, 4, "c",
     "timer.no-zone", "has no zone and is read as UTC"},
};

STF_TEST(times_that_cannot_be_read_are_told_with_their_line)
{
    fixture_check_rows(rows, STF_COUNT_OF(rows));
}

static const struct {
    const char *body;
    stf__timer_kind kind;
    const char *text; /* NULL: an expression */
} good[] = {
    {TIMER("<timeDuration> PT5M </timeDuration>"), STF__TIMER_DURATION, "PT5M"},
    {TIMER("<timeDuration>P1Y2M3DT4H5M6S</timeDuration>"), STF__TIMER_DURATION, "P1Y2M3DT4H5M6S"},
    {TIMER("<timeDate>2030-01-31T12:00:00+02:00</timeDate>"), STF__TIMER_DATE,
     "2030-01-31T12:00:00+02:00"},
    {TIMER("<timeDate>2036-11-14T11:12:22</timeDate>"), STF__TIMER_DATE, "2036-11-14T11:12:22Z"},
    {TIMER("<timeCycle>R/PT10M</timeCycle>"), STF__TIMER_CYCLE, "R/PT10M"},
    {TIMER("<timeCycle>R3/2030-01-31T12:00:00Z/P1D</timeCycle>"), STF__TIMER_CYCLE,
     "R3/2030-01-31T12:00:00Z/P1D"},
    {TIMER("<timeCycle>R3/2030-01-31T12:00:00/P1D</timeCycle>"), STF__TIMER_CYCLE,
     "R3/2030-01-31T12:00:00Z/P1D"},
    {TIMER("<timeCycle>R/P1D/2030-01-31T12:00:00</timeCycle>"), STF__TIMER_CYCLE,
     "R/P1D/2030-01-31T12:00:00Z"},
    {TIMER("<timeCycle>R/P1D/2030-01-31T12:00:00Z</timeCycle>"), STF__TIMER_CYCLE,
     "R/P1D/2030-01-31T12:00:00Z"},
    {TIMER("<timeCycle>=cycle</timeCycle>"), STF__TIMER_CYCLE, NULL},
    {TIMER("<timeDuration>=delay</timeDuration>"), STF__TIMER_DURATION, NULL},
    {TIMER("<timeDate>${due}</timeDate>"), STF__TIMER_DATE, NULL},
    {TIMER("<timeDuration>PT${minutes}M</timeDuration>"), STF__TIMER_DURATION, NULL},
};

STF_TEST(good_times_come_into_the_model_as_text_or_expression)
{
    for (size_t i = 0; i < STF_COUNT_OF(good); i++) {
        fixture file;
        fixture_load_body(&file, good[i].body);
        const stf__node *node = fixture_node(&file, "c");
        ck_assert((fixture_process(&file, "p")->flags & STF_PROCESS_RUNNABLE) != 0);
        ck_assert_uint_eq(node->timer_kind, (uint32_t)good[i].kind);
        STF_CHECK_STR(node->timer_text, good[i].text != NULL ? good[i].text : "");
        ck_assert((node->timer_expr == NULL) == (good[i].text != NULL));
        fixture_done(&file);
    }
}

STF_TEST(an_unfinished_drawing_is_warned_of_and_not_runnable)
{
    fixture file;
    fixture_load_drawing(&file, TIMER("<timeDate/>"));
    fixture_expect(&file, STF_SEVERITY_WARNING, 4, "c", "timer.empty");
    ck_assert_uint_eq(fixture_process(&file, "p")->flags, 0);
    STF_CHECK_STR(fixture_process(&file, "p")->first_unsupported,
                  "timeDate is empty: a timer without a time");
    fixture_done(&file);
    /* It cannot run anyway: the empty time is no reason to refuse it. */
    fixture_load_body(&file, TIMER("<timeDate/>") "\n<transaction id='sub'/>");
    fixture_expect(&file, STF_SEVERITY_WARNING, 4, "c", "timer.empty");
    fixture_done(&file);
}

STF_TEST(a_length_is_exact_and_not_negative)
{
    int64_t us = 7;
    ck_assert(stf__timer_parse_length(STF_STR("P1DT1S"), &us));
    ck_assert_int_eq(us, INT64_C(86401000000));
    ck_assert(stf__timer_parse_length(STF_STR("PT0S"), &us));
    ck_assert_int_eq(us, 0);
    static const char *const bad[] = {"", "P1M", "P1Y", "-PT1S", "1", "R1/PT1S"};
    for (size_t i = 0; i < STF_COUNT_OF(bad); i++) {
        ck_assert(!stf__timer_parse_length(stf_str_of(bad[i]), &us));
    }
    ck_assert_int_eq(us, 0);
}

static const stf_test_case cases[] = {
    STF_CASE(a_length_is_exact_and_not_negative),
    STF_CASE(times_that_cannot_be_read_are_told_with_their_line),
    STF_CASE(good_times_come_into_the_model_as_text_or_expression),
    STF_CASE(an_unfinished_drawing_is_warned_of_and_not_runnable),
};

STF_TEST_MAIN("bpmn/timer", cases)

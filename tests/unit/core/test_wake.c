/* SPDX-License-Identifier: Apache-2.0 */
/* What time does: repetitions on their grid, order, overdue work, outboxes and queues. */
#include "core_case.h"

#define HOST                                                                                       \
    "<startEvent id='s'/><sequenceFlow id='f1' sourceRef='s' targetRef='t'/>"                      \
    "<userTask id='t'/>"
#define CYCLE(id, cancel, text)                                                                    \
    "<boundaryEvent id='" id "' attachedToRef='t' cancelActivity='" cancel                         \
    "'><timerEventDefinition><timeCycle>" text                                                     \
    "</timeCycle></timerEventDefinition></boundaryEvent>"                                          \
    "<sequenceFlow id='f_" id "' sourceRef='" id "' targetRef='n_" id "'/>"                        \
    "<task id='n_" id "'/>"
#define START_US (CORE_CASE_BEGIN_US + SECONDS(3600)) /* 2026-01-01T01:00:00Z */

static core_case *start(const char *body)
{
    core_case *c = core_case_load(body);
    core_case_start(c, NULL);
    return c;
}

static void expect_due(core_case *c, int64_t us)
{
    ck_assert_int_eq(core_case_summary(c).due.us, us);
}

static void expect_none_due(core_case *c)
{
    ck_assert(stf_wall_is_none(core_case_summary(c).due));
}

STF_TEST(a_repeating_boundary_fires_its_number_of_times_while_the_activity_lasts)
{
    core_case *c = start(HOST CYCLE("b", "false", "R3/PT10S"));
    expect_due(c, CORE_CASE_BEGIN_US + SECONDS(10));
    core_case_advance(c, SECONDS(10));
    core_case_expect_completed(c, "n_b", 1);
    core_case_advance(c, SECONDS(100));
    core_case_expect_completed(c, "n_b", 3);
    expect_none_due(c);
    core_case_expect_waiting(c, "t");
    core_case_task(c, "t", NULL);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_expect_one_end_each(c);
    core_case_free(c);
}

/* Item 31: the start is the first time. */
STF_TEST(trap_31_r3_with_a_start_fires_at_the_start_and_one_and_two_periods_later)
{
    core_case *c = start(HOST CYCLE("b", "false", "R3/2026-01-01T01:00:00Z/P1D"));
    for (int64_t day = 0; day < 3; day++) {
        expect_due(c, START_US + SECONDS(86400) * day);
        core_case_advance(c, START_US + SECONDS(86400) * day - c->now.us);
        core_case_expect_completed(c, "n_b", (size_t)day + 1);
    }
    expect_none_due(c);
    core_case_free(c);
}

/* Items 29 and 30: late firings move nothing. */
STF_TEST(trap_29_30_the_nth_time_is_start_and_n_periods_however_late_the_last_one_fired)
{
    core_case *c = start(HOST CYCLE("b", "false", "R/2026-01-01T01:00:00Z/PT1H"));
    for (int64_t n = 0; n < 20; n++) {
        expect_due(c, START_US + SECONDS(3600) * n);
        c->now.us = START_US + SECONDS(3600) * n + SECONDS(60) * n;
        core_case_wake(c);
        core_case_expect_completed(c, "n_b", (size_t)n + 1);
    }
    core_case_free(c);
    c = start(HOST CYCLE("b", "false", "R/PT10S"));
    for (int64_t n = 1; n < 20; n++) {
        expect_due(c, CORE_CASE_BEGIN_US + SECONDS(10) * n);
        c->now.us = CORE_CASE_BEGIN_US + SECONDS(10) * n + SECONDS(7);
        core_case_wake(c);
    }
    core_case_free(c);
}

/* Item 27. */
STF_TEST(trap_27_missed_times_fire_once_and_the_grid_goes_on)
{
    core_case *c = start(HOST CYCLE("b", "false", "R/PT1H"));
    c->now.us += SECONDS(10 * 3600) + SECONDS(5);
    core_case_wake(c);
    core_case_wake(c);
    core_case_expect_completed(c, "n_b", 1);
    expect_due(c, CORE_CASE_BEGIN_US + SECONDS(11 * 3600));
    core_case_free(c);
    c = start(HOST CYCLE("b", "false", "R3/PT1H")); /* the missed ones count */
    c->now.us += SECONDS(2 * 3600) + SECONDS(5);
    core_case_wake(c);
    expect_due(c, CORE_CASE_BEGIN_US + SECONDS(3 * 3600));
    core_case_advance(c, SECONDS(36000));
    core_case_expect_completed(c, "n_b", 2);
    expect_none_due(c);
    core_case_free(c);
}

/* Item 28: fired and armed again is one step. */
STF_TEST(trap_28_a_time_fires_once_however_often_it_is_woken)
{
    core_case *c = start(HOST CYCLE("b", "false", "R/PT10S"));
    c->now.us += SECONDS(10);
    for (unsigned i = 0; i < 5; i++) {
        core_case_wake(c);
        core_case_expect_completed(c, "n_b", 1);
        ck_assert_uint_eq(c->doc->timer_count, 1);
    }
    ck_assert_uint_eq(core_case_count(c, STF_FACT_TIMER_ARMED, "b"), 2);
    core_case_free(c);
}

/* Item 38. */
STF_TEST(trap_38_without_a_number_it_repeats_without_end)
{
    core_case *c = start(HOST CYCLE("b", "false", "R/PT1S"));
    core_case_advance(c, SECONDS(50));
    core_case_expect_completed(c, "n_b", 50);
    core_case_free(c);
}

STF_TEST(trap_38_an_interrupting_cycle_ends_with_its_first_firing)
{
    core_case *c = start(HOST CYCLE("b", "true", "R/PT1S"));
    core_case_advance(c, SECONDS(50));
    core_case_expect_completed(c, "n_b", 1);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_TIMER_ARMED, "b"), 1);
    core_case_free(c);
}

STF_TEST(trap_38_a_cycle_of_an_inline_catch_ends_with_its_first_firing)
{
    core_case *c = start("<startEvent id='s'/><sequenceFlow id='f1' sourceRef='s' targetRef='w'/>"
                         "<intermediateCatchEvent id='w'><timerEventDefinition>"
                         "<timeCycle>R5/PT10S</timeCycle></timerEventDefinition>"
                         "</intermediateCatchEvent>");
    core_case_expect_waiting(c, "w");
    core_case_advance(c, SECONDS(10));
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_TIMER_FIRED, "w"), 1);
    core_case_free(c);
}

/* Item 33: days and months by the calendar, in the offset of the start, clamped at its end. */
STF_TEST(trap_33_37_months_are_counted_from_the_start_and_do_not_drift_down)
{
    core_case *c = start(HOST CYCLE("b", "false", "R4/2026-01-31T12:00:00Z/P1M"));
    static const char *const times[] = {"2026-01-31T12:00:00Z", "2026-02-28T12:00:00Z",
                                        "2026-03-31T12:00:00Z", "2026-04-30T12:00:00Z"};
    for (size_t i = 0; i < STF_COUNT_OF(times); i++) {
        stf_wall due;
        STF_CHECK_OK(stf_wall_parse(stf_str_of(times[i]), &due, NULL), NULL);
        expect_due(c, due.us);
        core_case_advance(c, due.us - c->now.us);
    }
    core_case_expect_completed(c, "n_b", 4);
    expect_none_due(c);
    core_case_free(c);
}

/* Item 36: a far time is far, and does not fire at once. */
STF_TEST(trap_36_the_last_time_that_can_be_written_ends_the_repetition)
{
    core_case *c = start(HOST CYCLE("b", "false", "R/P100000Y"));
    core_case_wake(c);
    core_case_expect_completed(c, "n_b", 0);
    c->now = core_case_summary(c).due;
    core_case_wake(c);
    core_case_wake(c);
    core_case_expect_completed(c, "n_b", 1);
    core_case_expect_waiting(c, "t");
    core_case_free(c);
}

STF_TEST(an_end_that_has_passed_arms_no_boundary_and_stops_a_catch)
{
    core_case *c = start(HOST CYCLE("b", "false", "R/PT1H/2025-01-01T00:00:00Z"));
    core_case_expect_waiting(c, "t");
    expect_none_due(c);
    core_case_free(c);
    c = start("<startEvent id='s'/><sequenceFlow id='f1' sourceRef='s' targetRef='w'/>"
              "<intermediateCatchEvent id='w'><timerEventDefinition>"
              "<timeCycle>R/PT1H/2025-01-01T00:00:00Z</timeCycle></timerEventDefinition>"
              "</intermediateCatchEvent>");
    core_case_expect_incident(c, "w", "timer", "its repetition is over");
    core_case_free(c);
}

STF_TEST(the_end_of_the_activity_ends_its_repetition_in_the_same_step)
{
    core_case *c = start(HOST CYCLE("tick", "false", "R/PT10S") CYCLE("stop", "true", "R/PT10S"));
    core_case_advance(c, SECONDS(10)); /* both are due: tick was armed first */
    core_case_expect_completed(c, "tick", 1);
    core_case_expect_completed(c, "stop", 1);
    ck_assert_uint_eq(c->doc->timer_count, 0);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_free(c);
}

STF_TEST(what_is_due_fires_by_deadline_and_each_comes_to_rest_before_the_next)
{
    core_case *c =
        start(HOST CYCLE("late", "false", "R1/PT20S") CYCLE("soon", "false", "R1/PT10S"));
    c->now.us += SECONDS(60);
    core_case_wake(c);
    const char *last = "";
    for (size_t i = 0; i < c->fact_count; i++) {
        if (c->facts[i].kind != STF_FACT_TIMER_FIRED &&
            (c->facts[i].kind != STF_FACT_NODE_COMPLETED || c->facts[i].element[0] != 'n')) {
            continue;
        }
        if (strcmp(c->facts[i].element, "soon") == 0) {
            STF_CHECK_STR(stf_str_of(last), "");
        } else if (strcmp(c->facts[i].element, "n_soon") == 0) {
            STF_CHECK_STR(stf_str_of(last), "soon");
        } else if (strcmp(c->facts[i].element, "late") == 0) {
            STF_CHECK_STR(stf_str_of(last), "n_soon");
        }
        last = c->facts[i].element;
    }
    STF_CHECK_STR(stf_str_of(last), "n_late");
    core_case_free(c);
}

/* R15: it stays as it is, and what it has sent still leaves. */
STF_TEST(r15_a_poisoned_instance_fires_nothing)
{
    core_case *c = start(HOST CYCLE("b", "false", "R/PT10S"));
    stf__event poison = {.kind = STF__EVENT_POISON, .message = stf_str_of("again and again")};
    STF_CHECK_OK(core_case_step(c, &poison), &c->error);
    c->now.us += SECONDS(100);
    core_case_wake(c);
    core_case_expect_completed(c, "b", 0);
    core_case_retry(c);
    core_case_wake(c);
    core_case_expect_completed(c, "b", 1);
    core_case_free(c);
}

STF_TEST(an_instance_that_has_not_begun_or_has_ended_is_not_woken)
{
    core_case *c = core_case_load("<startEvent id='s'/>");
    core_case_wake(c);
    ck_assert(!stf__doc_has_ended(c->doc));
    core_case_start(c, NULL);
    size_t facts = c->fact_count;
    core_case_wake(c);
    ck_assert_uint_eq(c->fact_count, facts);
    core_case_free(c);
}

/* ---- Outbox and queues */

static void add_message(core_case *c, const char *name, int64_t until_us)
{
    stf__send_item item = {
        .kind = STF__SEND_MESSAGE, .name = stf_str_of(name), .until = {until_us}, .since = c->now};
    STF_CHECK_OK(stf__doc_add_send(c->doc, &item, c->now, &c->error), &c->error);
}

STF_TEST(r5_an_outbox_that_nobody_delivers_is_due_less_and_less_often)
{
    static const int64_t waits[] = {4, 8, 16, 32, 64, 128, 256, 300, 300};
    core_case *c = start(HOST);
    add_message(c, "m", c->now.us + SECONDS(1000000));
    ck_assert_int_eq(c->doc->outbox_due.us - c->now.us, SECONDS(2));
    core_case_wake(c); /* not passed yet */
    ck_assert_int_eq(c->doc->outbox_due.us - c->now.us, SECONDS(2));
    for (size_t i = 0; i < STF_COUNT_OF(waits); i++) {
        c->now = c->doc->outbox_due;
        core_case_wake(c);
        ck_assert_int_eq(c->doc->outbox_due.us - c->now.us, SECONDS(waits[i]));
    }
    core_case_free(c);
}

STF_TEST(a_queue_drops_messages_whose_time_has_passed)
{
    stf__doc_identity identity = {
        .id = stf_str_of("q"), .kind = STF__DOC_QUEUE, .created = {CORE_CASE_BEGIN_US}};
    core_case *c = core_case_load(HOST);
    stf__doc_free(c->doc);
    c->doc = NULL;
    STF_CHECK_OK(stf__doc_new(NULL, &identity, &c->doc, &c->error), &c->error);
    c->process = NULL;
    add_message(c, "m", c->now.us + SECONDS(10));
    add_message(c, "m", c->now.us + SECONDS(30));
    add_message(c, "m", c->now.us + SECONDS(10));
    core_case_wake(c);
    ck_assert_uint_eq(c->doc->outbox_count, 3);
    c->now.us += SECONDS(10);
    core_case_wake(c);
    ck_assert_uint_eq(c->doc->outbox_count, 1);
    ck_assert_uint_eq(c->doc->outbox[0].number, 2);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_MESSAGE_DROPPED, NULL), 2);
    /* One that is on its way may have arrived. */
    STF_CHECK_OK(
        stf__doc_aim(c->doc, 2, stf_str_of("i-1"), stf_str_of("q"), c->now, &c->effects, &c->error),
        &c->error);
    c->now.us += SECONDS(100);
    core_case_wake(c);
    ck_assert_uint_eq(c->doc->outbox_count, 1);
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(a_repeating_boundary_fires_its_number_of_times_while_the_activity_lasts),
    STF_CASE(trap_31_r3_with_a_start_fires_at_the_start_and_one_and_two_periods_later),
    STF_CASE(trap_29_30_the_nth_time_is_start_and_n_periods_however_late_the_last_one_fired),
    STF_CASE(trap_27_missed_times_fire_once_and_the_grid_goes_on),
    STF_CASE(trap_28_a_time_fires_once_however_often_it_is_woken),
    STF_CASE(trap_38_without_a_number_it_repeats_without_end),
    STF_CASE(trap_38_an_interrupting_cycle_ends_with_its_first_firing),
    STF_CASE(trap_38_a_cycle_of_an_inline_catch_ends_with_its_first_firing),
    STF_CASE(trap_33_37_months_are_counted_from_the_start_and_do_not_drift_down),
    STF_CASE(trap_36_the_last_time_that_can_be_written_ends_the_repetition),
    STF_CASE(an_end_that_has_passed_arms_no_boundary_and_stops_a_catch),
    STF_CASE(the_end_of_the_activity_ends_its_repetition_in_the_same_step),
    STF_CASE(what_is_due_fires_by_deadline_and_each_comes_to_rest_before_the_next),
    STF_CASE(r15_a_poisoned_instance_fires_nothing),
    STF_CASE(an_instance_that_has_not_begun_or_has_ended_is_not_woken),
    STF_CASE(r5_an_outbox_that_nobody_delivers_is_due_less_and_less_often),
    STF_CASE(a_queue_drops_messages_whose_time_has_passed),
};

STF_TEST_MAIN("core/wake", cases)

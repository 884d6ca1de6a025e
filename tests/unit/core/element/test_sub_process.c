/* SPDX-License-Identifier: Apache-2.0 */
/* Embedded sub-processes as activities: entered, guarded by boundary events, left. */
#include "core_case.h"

#define FLOW(id, from, to) "<sequenceFlow id='" id "' sourceRef='" from "' targetRef='" to "'/>"
#define TIMER(id, host, cancel, value)                                                             \
    "<boundaryEvent id='" id "' attachedToRef='" host "' cancelActivity='" cancel                  \
    "'><timerEventDefinition><timeDuration>" value                                                 \
    "</timeDuration></timerEventDefinition></boundaryEvent>" FLOW(                                 \
        "out_" id, id, "after_" id) "<userTask id='after_" id "'/>"
#define HEAD                                                                                       \
    "<startEvent id='s'/>" FLOW("f1", "s", "sub") FLOW("f2", "sub", "after") "<userTask "          \
                                                                             "id='after'/>"

STF_TEST(a_sub_process_is_entered_and_completed_as_one_activity)
{
    core_case *c = core_case_load(HEAD "<subProcess id='sub'><startEvent id='i'/>" FLOW(
        "g1", "i", "a") "<task id='a'/>" FLOW("g2", "a", "ie") "<endEvent id='ie'/></subProcess>");
    core_case_start(c, NULL);
    core_case_expect_waiting(c, "after");
    ck_assert_uint_eq(core_case_count(c, STF_FACT_NODE_ENTERED, "sub"), 1);
    core_case_expect_completed(c, "sub", 1);
    core_case_expect_completed(c, "ie", 1);
    core_case_task(c, "after", NULL);
    core_case_expect_one_end_each(c);
    core_case_free(c);
}

STF_TEST(it_is_not_itself_something_that_waits_for_the_outside)
{
    core_case *c = core_case_load(HEAD "<subProcess id='sub'><userTask id='a'/></subProcess>");
    core_case_start(c, NULL);
    core_case_expect_waiting(c, "a");
    stf__event task = {.kind = STF__EVENT_TASK, .element = stf_str_of("sub")};
    ck_assert_int_eq(core_case_step(c, &task), STF_NOT_FOUND);
    core_case_free(c);
}

STF_TEST(an_interrupting_timer_ends_it_with_all_that_is_in_it)
{
    core_case *c = core_case_load(
        HEAD "<subProcess id='sub'><userTask id='a'/><subProcess id='in'><userTask id='b'/>" TIMER(
            "t", "b", "true", "PT5H") "</subProcess></subProcess>" TIMER("late", "sub", "true",
                                                                         "PT4H"));
    core_case_start(c, NULL);
    core_case_expect_waiting(c, "a b");
    core_case_advance(c, SECONDS(4 * 3600));
    core_case_expect_waiting(c, "after_late");
    ck_assert_uint_eq(c->doc->timer_count, 0);
    core_case_advance(c, SECONDS(4 * 3600));
    core_case_expect_completed(c, "t", 0);
    core_case_expect_completed(c, "sub", 0);
    core_case_task(c, "after_late", NULL);
    core_case_expect_one_end_each(c);
    core_case_free(c);
}

STF_TEST(a_non_interrupting_timer_adds_a_token_around_it_and_leaves_it_alone)
{
    core_case *c = core_case_load(HEAD "<subProcess id='sub'><userTask id='a'/></subProcess>" TIMER(
        "tick", "sub", "false", "PT1H"));
    core_case_start(c, NULL);
    core_case_advance(c, SECONDS(3600));
    core_case_expect_waiting(c, "a after_tick");
    core_case_task(c, "a", NULL); /* nothing is left in it, whatever is left around it */
    core_case_expect_waiting(c, "after after_tick");
    core_case_free(c);
}

STF_TEST(its_end_disarms_what_guards_it)
{
    core_case *c = core_case_load(HEAD "<subProcess id='sub'><userTask id='a'/></subProcess>" TIMER(
        "late", "sub", "true", "PT1H"));
    core_case_start(c, NULL);
    core_case_task(c, "a", NULL);
    ck_assert_uint_eq(c->doc->timer_count, 0);
    core_case_advance(c, SECONDS(7200));
    core_case_expect_completed(c, "late", 0);
    core_case_expect_waiting(c, "after");
    core_case_free(c);
}

/* Items 15 and 18: both due at once; what the first ended does not fire. */
STF_TEST(trap_15_a_timer_inside_that_is_due_after_the_scope_was_interrupted_is_gone)
{
    core_case *c = core_case_load(HEAD "<subProcess id='sub'><userTask id='a'/>" TIMER(
        "inner", "a", "true", "PT2H") "</subProcess>" TIMER("outer", "sub", "true", "PT1H"));
    core_case_start(c, NULL);
    c->now.us += SECONDS(36000);
    core_case_wake(c);
    core_case_expect_waiting(c, "after_outer");
    core_case_expect_completed(c, "inner", 0);
    core_case_free(c);
}

STF_TEST(trap_15_a_timer_inside_that_is_due_first_fires_and_then_the_scope_is_interrupted)
{
    core_case *c = core_case_load(HEAD "<subProcess id='sub'><userTask id='a'/>" TIMER(
        "inner", "a", "true", "PT1H") "</subProcess>" TIMER("outer", "sub", "true", "PT2H"));
    core_case_start(c, NULL);
    c->now.us += SECONDS(36000);
    core_case_wake(c);
    core_case_expect_completed(c, "inner", 1);
    core_case_expect_waiting(c, "after_outer");
    core_case_free(c);
}

STF_TEST(trap_39_a_bad_boundary_time_stops_it_before_anything_in_it_begins)
{
    core_case *c = core_case_load(HEAD "<subProcess id='sub'><userTask id='a'/></subProcess>" TIMER(
        "bad", "sub", "true", "${limit}"));
    core_case_start(c, "{\"limit\": \"soon\"}");
    core_case_expect_incident(c, "sub", "timer", "timer of \"bad\"");
    core_case_expect_waiting(c, "");
    ck_assert_uint_eq(c->doc->scope_count, 1);
    core_case_set(c, "{\"limit\": \"PT1H\"}");
    core_case_retry(c);
    core_case_expect_waiting(c, "a");
    core_case_free(c);
}

STF_TEST(an_instance_ends_with_its_last_sub_process)
{
    core_case *c = core_case_load("<subProcess id='one'><userTask id='a'/></subProcess>"
                                  "<subProcess id='two'><userTask id='b'/></subProcess>");
    core_case_start(c, NULL);
    core_case_task(c, "b", NULL);
    core_case_expect_status(c, STF_RECORD_ACTIVE);
    core_case_task(c, "a", NULL);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_expect_one_end_each(c);
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(a_sub_process_is_entered_and_completed_as_one_activity),
    STF_CASE(it_is_not_itself_something_that_waits_for_the_outside),
    STF_CASE(an_interrupting_timer_ends_it_with_all_that_is_in_it),
    STF_CASE(a_non_interrupting_timer_adds_a_token_around_it_and_leaves_it_alone),
    STF_CASE(its_end_disarms_what_guards_it),
    STF_CASE(trap_15_a_timer_inside_that_is_due_after_the_scope_was_interrupted_is_gone),
    STF_CASE(trap_15_a_timer_inside_that_is_due_first_fires_and_then_the_scope_is_interrupted),
    STF_CASE(trap_39_a_bad_boundary_time_stops_it_before_anything_in_it_begins),
    STF_CASE(an_instance_ends_with_its_last_sub_process),
};

STF_TEST_MAIN("core/element/sub_process", cases)

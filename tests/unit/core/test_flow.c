/* SPDX-License-Identifier: Apache-2.0 */
/* Outgoing flows of activities: the inclusive split, the default, incidents. */
#include "core_case.h"

#define FLOW(id, target, condition)                                                                \
    "<sequenceFlow id='" id "' sourceRef='t' targetRef='" target                                   \
    "'><conditionExpression>" condition                                                            \
    "</conditionExpression></sequenceFlow><userTask id='" target "'/>"
#define PLAIN(id, target)                                                                          \
    "<sequenceFlow id='" id "' sourceRef='t' targetRef='" target "'/><userTask id='" target "'/>"
#define HEAD(attributes)                                                                           \
    "<startEvent id='s'/><sequenceFlow id='f0' sourceRef='s' targetRef='t'/>"                      \
    "<task id='t'" attributes "/>"

/* Item 57. */
STF_TEST(trap_57_conditional_flows_out_of_an_activity_are_an_inclusive_split)
{
    core_case *c = core_case_load(HEAD("") FLOW("f1", "a", "${n &gt; 1}") FLOW(
        "f2", "b", "${n &gt; 2}") PLAIN("f3", "always") FLOW("f4", "d", "${n &gt; 9}"));
    core_case_start(c, "{\"n\": 5}");
    core_case_expect_waiting(c, "a b always");
    core_case_expect_completed(c, "t", 1);
    core_case_free(c);
}

STF_TEST(the_default_is_taken_only_when_no_condition_holds)
{
    static const char body[] = HEAD(" default='f2'") FLOW("f1", "a", "${n == 1}")
        PLAIN("f2", "other") FLOW("f3", "c", "${n == 3}");
    core_case *c = core_case_load(body);
    core_case_start(c, "{\"n\": 3}");
    core_case_expect_waiting(c, "c");
    core_case_free(c);
    c = core_case_load(body);
    core_case_start(c, "{\"n\": 7}");
    core_case_expect_waiting(c, "other");
    core_case_free(c);
}

STF_TEST(an_unconditional_flow_beside_it_does_not_hold_the_default_back)
{
    static const char body[] = HEAD(" default='f2'") PLAIN("f1", "always") PLAIN("f2", "other")
        FLOW("f3", "c", "${n == 3}");
    core_case *c = core_case_load(body);
    core_case_start(c, "{\"n\": 7}");
    core_case_expect_waiting(c, "always other");
    core_case_free(c);
    c = core_case_load(body);
    core_case_start(c, "{\"n\": 3}");
    core_case_expect_waiting(c, "always c");
    core_case_free(c);
}

STF_TEST(nothing_taken_is_an_incident_and_the_activity_is_not_told_as_completed)
{
    core_case *c = core_case_load(HEAD("") FLOW("f1", "a", "${n == 1}"));
    core_case_start(c, "{\"n\": 2}");
    core_case_expect_incident(c, "t", "no_flow", "\"t\"");
    core_case_expect_completed(c, "t", 0);
    core_case_set(c, "{\"n\": 1}");
    core_case_retry(c);
    core_case_expect_waiting(c, "a");
    core_case_expect_completed(c, "t", 1);
    core_case_free(c);
}

STF_TEST(one_condition_that_fails_stops_the_whole_split)
{
    core_case *c =
        core_case_load(HEAD("") FLOW("f1", "a", "${n == 1}") FLOW("f2", "b", "${missing}"));
    core_case_start(c, "{\"n\": 1}");
    core_case_expect_incident(c, "t", "expression", "flow \"f2\"");
    core_case_expect_waiting(c, "");
    core_case_set(c, "{\"missing\": true}");
    core_case_retry(c);
    core_case_expect_waiting(c, "a b");
    core_case_free(c);
}

STF_TEST(a_condition_over_its_step_budget_is_an_incident)
{
    core_case *c = core_case_load(HEAD("") FLOW("f1", "a", "${a + b + c + d == 10}"));
    stf_value *variables = core_case_json("{\"a\": 1, \"b\": 2, \"c\": 3, \"d\": 4}");
    stf__event event = {.kind = STF__EVENT_START, .variables = variables};
    stf__core_inputs inputs = {.now = c->now, .expr_step_budget = 2};
    STF_CHECK_OK(stf__core_step(c->doc, c->process, &event, &inputs, &c->effects, &c->error),
                 &c->error);
    core_case_expect_incident(c, "t", "expression", "flow \"f1\"");
    stf_value_unref(variables);
    core_case_free(c);
}

/* A split that would give the instance too many tokens stops, and can go on later. */
STF_TEST(the_number_of_tokens_is_bounded)
{
    core_case *c = core_case_load(
        "<startEvent id='s'/><sequenceFlow id='f0' sourceRef='s' targetRef='x'/>"
        "<exclusiveGateway id='x'/><sequenceFlow id='f1' sourceRef='x' targetRef='t'/>"
        "<task id='t'/><sequenceFlow id='f2' sourceRef='t' targetRef='x'/>"
        "<sequenceFlow id='f3' sourceRef='t' targetRef='u'/><userTask id='u'/>");
    c->step_budget = 40000;
    stf__event event = {.kind = STF__EVENT_START};
    STF_CHECK_OK(core_case_step(c, &event), &c->error);
    ck_assert_uint_le(stf__doc_count_live(c->doc), STF_LIMIT_TOKENS);
    ck_assert_uint_eq(c->doc->incident_count, 1);
    ck_assert_uint_eq(c->doc->incidents[0].kind, STF__INCIDENT_LIMIT);
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(trap_57_conditional_flows_out_of_an_activity_are_an_inclusive_split),
    STF_CASE(the_default_is_taken_only_when_no_condition_holds),
    STF_CASE(an_unconditional_flow_beside_it_does_not_hold_the_default_back),
    STF_CASE(nothing_taken_is_an_incident_and_the_activity_is_not_told_as_completed),
    STF_CASE(one_condition_that_fails_stops_the_whole_split),
    STF_CASE(a_condition_over_its_step_budget_is_an_incident),
    STF_CASE(the_number_of_tokens_is_bounded),
};

STF_TEST_MAIN("core/flow", cases)

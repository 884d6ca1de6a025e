/* SPDX-License-Identifier: Apache-2.0 */
/* Exclusive gateways: order of evaluation, default flow, incidents and their retry. */
#include "core_case.h"

/* The default flow stands first in the file and has a condition of its own, which is ignored. */
static const char with_default[] =
    "<startEvent id='s'/><sequenceFlow id='f0' sourceRef='s' targetRef='x'/>"
    "<exclusiveGateway id='x' default='f1'/>"
    "<sequenceFlow id='f1' sourceRef='x' targetRef='usual'>"
    "<conditionExpression>${true}</conditionExpression></sequenceFlow>"
    "<sequenceFlow id='f2' sourceRef='x' targetRef='big'>"
    "<conditionExpression>${n &gt; 10}</conditionExpression></sequenceFlow>"
    "<sequenceFlow id='f3' sourceRef='x' targetRef='huge'>"
    "<conditionExpression>${n &gt; 100}</conditionExpression></sequenceFlow>"
    "<userTask id='usual'/><userTask id='big'/><userTask id='huge'/>";

STF_TEST(the_first_flow_in_file_order_that_holds_is_taken_and_only_that)
{
    core_case *c = core_case_load(with_default);
    core_case_start(c, "{\"n\": 500}");
    core_case_expect_waiting(c, "big");
    ck_assert_uint_eq(core_case_count(c, STF_FACT_GATEWAY_DECIDED, "x"), 1);
    core_case_free(c);
}

/* Items 5 and 6. */
STF_TEST(trap_05_06_the_default_is_asked_last_wherever_it_stands_and_its_condition_never)
{
    core_case *c = core_case_load(with_default);
    core_case_start(c, "{\"n\": 50}");
    core_case_expect_waiting(c, "big");
    core_case_free(c);
    c = core_case_load(with_default);
    core_case_start(c, "{\"n\": 5}");
    core_case_expect_waiting(c, "usual");
    core_case_expect_completed(c, "x", 1);
    core_case_free(c);
}

static const char without_default[] =
    "<startEvent id='s'/><sequenceFlow id='f0' sourceRef='s' targetRef='x'/>\n"
    "<exclusiveGateway id='x'/>\n"
    "<sequenceFlow id='f1' sourceRef='x' targetRef='a'>\n"
    "<conditionExpression>${n == 1}</conditionExpression></sequenceFlow>"
    "<sequenceFlow id='f2' sourceRef='x' targetRef='b'>"
    "<conditionExpression>${n == 2}</conditionExpression></sequenceFlow>"
    "<userTask id='a'/><userTask id='b'/>";

STF_TEST(nothing_holds_is_an_incident_that_keeps_the_token)
{
    core_case *c = core_case_load(without_default);
    core_case_start(c, "{\"n\": 3}");
    core_case_expect_incident(c, "x", "no_flow", "\"x\" (line 4)");
    core_case_expect_waiting(c, "");
    core_case_expect_completed(c, "x", 0);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_NODE_FAILED, "x"), 1);
    core_case_free(c);
}

/* Item 3: the whole choice is made anew, atomically. */
STF_TEST(trap_03_a_retry_evaluates_the_whole_gateway_again)
{
    core_case *c = core_case_load(without_default);
    core_case_start(c, "{\"n\": 3}");
    core_case_retry(c); /* still nothing: a new incident */
    core_case_expect_incident(c, "x", "no_flow", "no default flow");
    core_case_set(c, "{\"n\": 2}");
    core_case_retry(c);
    core_case_expect_status(c, STF_RECORD_ACTIVE);
    core_case_expect_waiting(c, "b");
    core_case_expect_completed(c, "x", 1);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_NODE_ENTERED, "x"), 1);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_INCIDENT_RESOLVED, "x"), 2);
    core_case_free(c);
}

STF_TEST(a_condition_that_fails_is_an_incident_naming_expression_flow_and_line)
{
    core_case *c = core_case_load(without_default);
    core_case_start(c, "{}");
    core_case_expect_incident(c, "x", "expression",
                              "condition of flow \"f1\" (line 5), ${n == 1}: ");
    ck_assert_uint_eq(c->doc->incidents[0].line, 5);
    core_case_free(c);
}

/* Item 4, for the exclusive gateway: one outgoing flow is asked all the same. */
STF_TEST(trap_04_the_condition_of_a_single_outgoing_flow_is_evaluated)
{
    core_case *c = core_case_load(
        "<startEvent id='s'/><sequenceFlow id='f0' sourceRef='s' targetRef='x'/>"
        "<exclusiveGateway id='x'/><sequenceFlow id='f1' sourceRef='x' targetRef='t'>"
        "<conditionExpression>${go}</conditionExpression></sequenceFlow><userTask id='t'/>");
    core_case_start(c, "{\"go\": false}");
    core_case_expect_incident(c, "x", "no_flow", "no condition");
    core_case_free(c);
}

STF_TEST(tokens_merge_without_waiting_for_each_other)
{
    core_case *c = core_case_load(
        "<startEvent id='s'/><sequenceFlow id='f1' sourceRef='s' targetRef='x'/>"
        "<sequenceFlow id='f2' sourceRef='s' targetRef='x'/><exclusiveGateway id='x'/>"
        "<sequenceFlow id='f3' sourceRef='x' targetRef='t'/><userTask id='t'/>");
    core_case_start(c, NULL);
    core_case_expect_waiting(c, "t t");
    core_case_expect_completed(c, "x", 2);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_GATEWAY_DECIDED, "x"), 0);
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(the_first_flow_in_file_order_that_holds_is_taken_and_only_that),
    STF_CASE(trap_05_06_the_default_is_asked_last_wherever_it_stands_and_its_condition_never),
    STF_CASE(nothing_holds_is_an_incident_that_keeps_the_token),
    STF_CASE(trap_03_a_retry_evaluates_the_whole_gateway_again),
    STF_CASE(a_condition_that_fails_is_an_incident_naming_expression_flow_and_line),
    STF_CASE(trap_04_the_condition_of_a_single_outgoing_flow_is_evaluated),
    STF_CASE(tokens_merge_without_waiting_for_each_other),
};

STF_TEST_MAIN("core/element/exclusive_gateway", cases)

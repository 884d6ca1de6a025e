/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions inside a step: failures are incidents that say where and why. */
#include "core_case.h"

#define ONE_CONDITION(text)                                                                        \
    "<startEvent id='s'/><sequenceFlow id='f0' sourceRef='s' targetRef='t'/><task id='t'/>\n"      \
    "<sequenceFlow id='go' sourceRef='t' targetRef='e'>\n<conditionExpression>" text               \
    "</conditionExpression></sequenceFlow><endEvent id='e'/>"

STF_TEST(an_incident_names_the_expression_the_flow_and_the_line)
{
    core_case *c = core_case_load(ONE_CONDITION("${missing.part}"));
    core_case_start(c, NULL);
    core_case_expect_incident(c, "t", "expression",
                              "condition of flow \"go\" (line 4), ${missing.part}: ");
    ck_assert_uint_eq(c->doc->incidents[0].line, 4);
    core_case_free(c);
}

STF_TEST(a_condition_that_is_no_boolean_is_an_incident)
{
    core_case *c = core_case_load(ONE_CONDITION("= n + 1"));
    core_case_start(c, "{\"n\": 1}");
    core_case_expect_incident(c, "t", "expression", "flow \"go\"");
    core_case_free(c);
}

STF_TEST(a_null_condition_is_false)
{
    core_case *c = core_case_load(ONE_CONDITION("= nothing_of_that_name"));
    core_case_start(c, NULL);
    core_case_expect_incident(c, "t", "no_flow", "\"t\"");
    core_case_free(c);
}

STF_TEST(variables_of_the_instance_are_seen)
{
    core_case *c = core_case_load(ONE_CONDITION("= order.total &gt; 99.95 and not(order.paid)"));
    core_case_start(c, "{\"order\": {\"total\": 99.96, \"paid\": false}}");
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(an_incident_names_the_expression_the_flow_and_the_line),
    STF_CASE(a_condition_that_is_no_boolean_is_an_incident),
    STF_CASE(a_null_condition_is_false),
    STF_CASE(variables_of_the_instance_are_seen),
};

STF_TEST_MAIN("core/expression", cases)

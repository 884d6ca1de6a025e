/* SPDX-License-Identifier: Apache-2.0 */
/* None start events. */
#include "core_case.h"

STF_TEST(every_flow_out_of_a_start_event_gets_a_token_whatever_its_condition_says)
{
    core_case *c = core_case_load(
        "<startEvent id='s'/><sequenceFlow id='f1' sourceRef='s' targetRef='a'>"
        "<conditionExpression>${false}</conditionExpression></sequenceFlow>"
        "<sequenceFlow id='f2' sourceRef='s' targetRef='b'/><userTask id='a'/><userTask id='b'/>");
    core_case_start(c, NULL);
    core_case_expect_waiting(c, "a b");
    core_case_expect_completed(c, "s", 1);
    core_case_free(c);
}

STF_TEST(a_start_event_without_a_flow_ends_its_token)
{
    core_case *c = core_case_load("<startEvent id='s'/>");
    core_case_start(c, NULL);
    core_case_expect_completed(c, "s", 1);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(every_flow_out_of_a_start_event_gets_a_token_whatever_its_condition_says),
    STF_CASE(a_start_event_without_a_flow_ends_its_token),
};

STF_TEST_MAIN("core/element/start", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* None tasks, manual tasks and none throw events pass tokens on. */
#include "core_case.h"

STF_TEST(tokens_pass_and_each_node_is_told_once)
{
    core_case *c = core_case_load(
        "<startEvent id='s'/><sequenceFlow id='f1' sourceRef='s' targetRef='a'/><task id='a'/>"
        "<sequenceFlow id='f2' sourceRef='a' targetRef='b'/><manualTask id='b'/>"
        "<sequenceFlow id='f3' sourceRef='b' targetRef='c'/><intermediateThrowEvent id='c'/>"
        "<sequenceFlow id='f4' sourceRef='c' targetRef='e'/><endEvent id='e'/>");
    core_case_start(c, NULL);
    core_case_expect_completed(c, "a", 1);
    core_case_expect_completed(c, "b", 1);
    core_case_expect_completed(c, "c", 1);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_expect_one_end_each(c);
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(tokens_pass_and_each_node_is_told_once),
};

STF_TEST_MAIN("core/element/pass", cases)

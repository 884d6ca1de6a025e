/* SPDX-License-Identifier: Apache-2.0 */
/* User tasks. */
#include "core_case.h"

static const char task[] = "<startEvent id='s'/><userTask id='t' name='Check'/>"
                           "<sequenceFlow id='f1' sourceRef='s' targetRef='t'/>"
                           "<sequenceFlow id='f2' sourceRef='t' targetRef='e'/><endEvent id='e'/>";

STF_TEST(a_user_task_waits_and_is_shown_as_a_task_wait)
{
    core_case *c = core_case_load(task);
    core_case_start(c, NULL);
    stf__doc_summary summary = core_case_summary(c);
    ck_assert_uint_eq(summary.wait_count, 1);
    ck_assert_uint_eq(summary.waits[0].kind, STF_WAIT_TASK);
    STF_CHECK_STR(summary.waits[0].key, "t");
    ck_assert_int_eq(summary.waits[0].since.us, CORE_CASE_BEGIN_US);
    core_case_free(c);
}

STF_TEST(completion_writes_variables_before_the_token_goes_on)
{
    core_case *c = core_case_load(
        "<startEvent id='s'/><userTask id='t'/><userTask id='yes'/><userTask id='no'/>"
        "<sequenceFlow id='f1' sourceRef='s' targetRef='t'/>"
        "<sequenceFlow id='f2' sourceRef='t' targetRef='yes'>"
        "<conditionExpression>${ok}</conditionExpression></sequenceFlow>"
        "<sequenceFlow id='f3' sourceRef='t' targetRef='no'>"
        "<conditionExpression>${!ok}</conditionExpression></sequenceFlow>");
    core_case_start(c, "{\"ok\": false}");
    core_case_task(c, "t", "{\"ok\": true}");
    core_case_expect_waiting(c, "yes");
    ck_assert_uint_eq(core_case_count(c, STF_FACT_TASK_CREATED, "t"), 1);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_TASK_COMPLETED, "t"), 1);
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(a_user_task_waits_and_is_shown_as_a_task_wait),
    STF_CASE(completion_writes_variables_before_the_token_goes_on),
};

STF_TEST_MAIN("core/element/user_task", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* Status, due and waits of the record, and R8. */
#include "core_case.h"

STF_TEST(r8_an_active_document_that_nothing_would_find_is_an_internal_error)
{
    core_case *c = core_case_load("<startEvent id='s'/>");
    stf__doc_summary summary = {.status = 99};
    ck_assert_int_eq(stf__doc_summarise(c->doc, &c->arena, &summary, &c->error), STF_INTERNAL);
    ck_assert_uint_eq(summary.status, 99);
    core_case_free(c);
}

STF_TEST(due_is_the_earliest_of_all_deadlines)
{
    core_case *c = core_case_load(
        "<startEvent id='s'/><sequenceFlow id='f1' sourceRef='s' targetRef='a'/>"
        "<sequenceFlow id='f2' sourceRef='s' targetRef='b'/>"
        "<intermediateCatchEvent id='a'><timerEventDefinition><timeDuration>PT2H</timeDuration>"
        "</timerEventDefinition></intermediateCatchEvent>"
        "<intermediateCatchEvent id='b'><timerEventDefinition><timeDuration>PT1H</timeDuration>"
        "</timerEventDefinition></intermediateCatchEvent>");
    core_case_start(c, NULL);
    ck_assert_int_eq(core_case_summary(c).due.us, CORE_CASE_BEGIN_US + SECONDS(3600));
    ck_assert_uint_eq(core_case_summary(c).wait_count, 0);
    core_case_advance(c, SECONDS(3600));
    ck_assert_int_eq(core_case_summary(c).due.us, CORE_CASE_BEGIN_US + SECONDS(7200));
    core_case_free(c);
}

STF_TEST(a_token_at_a_join_is_no_deadlock_while_something_else_lives)
{
    core_case *c = core_case_load(
        "<startEvent id='s'/><sequenceFlow id='f1' sourceRef='s' targetRef='a'/>"
        "<sequenceFlow id='f2' sourceRef='s' targetRef='j'/><userTask id='a'/>"
        "<sequenceFlow id='f3' sourceRef='a' targetRef='j'/><parallelGateway id='j'/>");
    core_case_start(c, NULL);
    stf__doc_summary summary = core_case_summary(c);
    ck_assert_uint_eq(summary.wait_count, 1);
    ck_assert_uint_eq(summary.waits[0].kind, STF_WAIT_TASK);
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(r8_an_active_document_that_nothing_would_find_is_an_internal_error),
    STF_CASE(due_is_the_earliest_of_all_deadlines),
    STF_CASE(a_token_at_a_join_is_no_deadlock_while_something_else_lives),
};

STF_TEST_MAIN("core/summary", cases)

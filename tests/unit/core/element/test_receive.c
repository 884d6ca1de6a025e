/* SPDX-License-Identifier: Apache-2.0 */
/* Receive tasks, with a message and without one. */
#include "core_case.h"

#define MESSAGES "<message id='m' name='paid'/>"
#define TASK(attributes)                                                                           \
    "<startEvent id='s'/><sequenceFlow id='f1' sourceRef='s' targetRef='r'/>"                      \
    "<receiveTask id='r'" attributes "/><sequenceFlow id='f2' sourceRef='r' targetRef='e'/>"       \
    "<endEvent id='e'/>"

STF_TEST(with_a_message_it_waits_for_that)
{
    core_case *c = core_case_load_in(MESSAGES, TASK(" messageRef='m'"));
    core_case_start(c, NULL);
    core_case_expect_waiting(c, "r");
    stf__event task = {.kind = STF__EVENT_TASK, .element = stf_str_of("r")};
    ck_assert_int_eq(core_case_step(c, &task), STF_NOT_FOUND); /* no task for people */
    core_case_expect_nobody(c, "unpaid", "");
    core_case_message(c, "paid", "", "{\"amount\": 5}");
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_expect_completed(c, "r", 1);
    core_case_expect_variable(c, "amount", "5");
    ck_assert_uint_eq(core_case_count(c, STF_FACT_TASK_CREATED, NULL), 0);
    core_case_expect_one_end_each(c);
    core_case_free(c);
}

STF_TEST(without_a_message_somebody_says_that_it_came)
{
    core_case *c = core_case_load(TASK(""));
    core_case_start(c, NULL);
    core_case_expect_waiting(c, "r");
    ck_assert_uint_eq(core_case_count(c, STF_FACT_TASK_CREATED, "r"), 1);
    core_case_task(c, "r", "{\"amount\": 5}");
    ck_assert_uint_eq(core_case_count(c, STF_FACT_TASK_COMPLETED, "r"), 1);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_expect_variable(c, "amount", "5");
    core_case_free(c);
}

STF_TEST(a_boundary_event_ends_its_wait)
{
    core_case *c = core_case_load_in(
        MESSAGES,
        TASK(" messageRef='m'") "<boundaryEvent id='b' attachedToRef='r'><timerEventDefinition>"
                                "<timeDuration>PT1H</timeDuration></timerEventDefinition>"
                                "</boundaryEvent><sequenceFlow id='f3' sourceRef='b' "
                                "targetRef='u'/><userTask id='u'/>");
    core_case_start(c, NULL);
    core_case_advance(c, SECONDS(3600));
    core_case_expect_waiting(c, "u");
    core_case_expect_nobody(c, "paid", "");
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(with_a_message_it_waits_for_that),
    STF_CASE(without_a_message_somebody_says_that_it_came),
    STF_CASE(a_boundary_event_ends_its_wait),
};

STF_TEST_MAIN("core/element/receive", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* Send tasks: with a message they go on at once, with a topic they are work. */
#include "core_case.h"

#define FLOW(from, to) "<sequenceFlow id='" from to "' sourceRef='" from "' targetRef='" to "'/>"
#define MESSAGE "<message id='m' name='paid' stepfast:correlationKey='${order}'/>"
#define BODY(task) "<startEvent id='s'/>" FLOW("s", "t") task FLOW("t", "e") "<endEvent id='e'/>"

STF_TEST(a_send_task_with_a_message_does_not_wait_for_its_receiver)
{
    core_case *c = core_case_load_in(MESSAGE, BODY("<sendTask id='t' messageRef='m'/>"));
    core_case_start(c, "{\"order\": 7}");
    core_case_expect_completed(c, "t", 1);
    ck_assert(stf__doc_has_ended(c->doc));
    stf__send_item item = core_case_find_send(c, STF__SEND_MESSAGE);
    STF_CHECK_STR(item.key, "7");
    ck_assert_uint_eq(item.activation, 0);
    ck_assert(stf_wall_is_none(item.until)); /* not kept */
    core_case_free(c);
}

STF_TEST(a_send_task_with_a_topic_is_work)
{
    core_case *c = core_case_load_in(
        MESSAGE, BODY("<sendTask id='t' messageRef='m' stepfast:handler='mail'/>"));
    core_case_start(c, "{\"order\": 7}");
    STF_CHECK_STR(core_case_find_work(c, "t").topic, "mail");
    ck_assert_uint_eq(c->doc->outbox_count, 0);
    core_case_answer(c, "t", STF__WORK_FAILED, "no");
    core_case_retry(c);
    core_case_work(c, "t", NULL);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_free(c);
}

STF_TEST(a_key_that_cannot_be_had_is_an_incident_and_nothing_is_sent_until_its_retry)
{
    core_case *c = core_case_load_in(MESSAGE, BODY("<sendTask id='t' messageRef='m'/>"));
    core_case_start(c, NULL);
    core_case_expect_incident(c, "t", "expression", "correlation key");
    ck_assert_uint_eq(c->doc->outbox_count, 0);
    core_case_set(c, "{\"order\": \"A-1\"}");
    core_case_retry(c);
    STF_CHECK_STR(core_case_find_send(c, STF__SEND_MESSAGE).key, "A-1");
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(a_send_task_with_a_message_does_not_wait_for_its_receiver),
    STF_CASE(a_send_task_with_a_topic_is_work),
    STF_CASE(a_key_that_cannot_be_had_is_an_incident_and_nothing_is_sent_until_its_retry),
};

STF_TEST_MAIN("core/element/send", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* Message throw events: they send and go on, or call a handler when they have a topic. */
#include "core_case.h"

#define FLOW(from, to) "<sequenceFlow id='" from to "' sourceRef='" from "' targetRef='" to "'/>"
#define MESSAGE "<message id='m' name='paid' stepfast:keep='PT1H'/>"
#define BODY(attributes)                                                                           \
    "<startEvent id='s'/>" FLOW("s", "t") FLOW(                                                    \
        "s",                                                                                       \
        "u") "<userTask id='u'/>"                                                                  \
             "<intermediateThrowEvent id='t'><messageEventDefinition messageRef='m' " attributes   \
             "/>"                                                                                  \
             "</intermediateThrowEvent>" FLOW("t", "e") "<endEvent id='e'/>"

STF_TEST(the_message_is_in_the_outbox_and_the_rest_of_the_instance_goes_on)
{
    core_case *c = core_case_load_in(MESSAGE, BODY(""));
    core_case_start(c, NULL);
    core_case_expect_completed(c, "t", 1);
    core_case_expect_waiting(c, "u");
    stf__send_item item = core_case_find_send(c, STF__SEND_MESSAGE);
    STF_CHECK_STR(item.name, "paid");
    STF_CHECK_STR(item.key, "");
    ck_assert_int_eq(item.until.us, c->now.us + SECONDS(3600));
    core_case_ack(c, &item, STF__ACK_REFUSED);
    core_case_task(c, "u", NULL);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_expect_one_end_each(c);
    core_case_free(c);
}

STF_TEST(with_a_topic_it_is_work)
{
    core_case *c = core_case_load_in(MESSAGE, BODY("stepfast:handler='mail'"));
    core_case_start(c, NULL);
    core_case_expect_waiting(c, "t u");
    core_case_answer(c, "t", STF__WORK_FAILED, "no");
    core_case_retry(c);
    core_case_work(c, "t", NULL);
    core_case_expect_completed(c, "t", 1);
    ck_assert_uint_eq(c->doc->outbox_count, 0);
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(the_message_is_in_the_outbox_and_the_rest_of_the_instance_goes_on),
    STF_CASE(with_a_topic_it_is_work),
};

STF_TEST_MAIN("core/element/throw_message", cases)

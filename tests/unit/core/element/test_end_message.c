/* SPDX-License-Identifier: Apache-2.0 */
/* Message end events: they send and go on, or call a handler when they have a topic. */
#include "message_event_case.h"

#define EVENT(attributes) "<endEvent id='t'>" MESSAGE_EVENT(attributes) "</endEvent>"

STF_TEST(the_message_is_in_the_outbox_and_the_rest_of_the_instance_goes_on)
{
    message_event_case_sends_and_goes_on(MESSAGE_EVENT_BODY(EVENT("")));
}

STF_TEST(with_a_topic_it_is_work)
{
    message_event_case_is_work(MESSAGE_EVENT_BODY(EVENT("stepfast:handler='mail'")));
}

static const stf_test_case cases[] = {
    STF_CASE(the_message_is_in_the_outbox_and_the_rest_of_the_instance_goes_on),
    STF_CASE(with_a_topic_it_is_work),
};

STF_TEST_MAIN("core/element/end_message", cases)

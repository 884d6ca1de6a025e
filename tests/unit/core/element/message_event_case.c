/* SPDX-License-Identifier: Apache-2.0 */
/* See message_event_case.h. */
#include "message_event_case.h"

static const char messages[] = "<message id='m' name='paid' stepfast:keep='PT1H'/>";

void message_event_case_sends_and_goes_on(const char *body)
{
    core_case *c = core_case_load_in(messages, body);
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

void message_event_case_is_work(const char *body)
{
    core_case *c = core_case_load_in(messages, body);
    core_case_start(c, NULL);
    core_case_expect_waiting(c, "t u");
    core_case_answer(c, "t", STF__WORK_FAILED, "no");
    core_case_retry(c);
    core_case_work(c, "t", NULL);
    core_case_expect_completed(c, "t", 1);
    ck_assert_uint_eq(c->doc->outbox_count, 0);
    core_case_free(c);
}

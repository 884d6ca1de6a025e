/* SPDX-License-Identifier: Apache-2.0 */
/* Opening, closing and naming incidents; texts from outside. */
#include "core_case.h"

static const char two_gateways[] =
    "<startEvent id='s'/><sequenceFlow id='f1' sourceRef='s' targetRef='x'/>"
    "<sequenceFlow id='f2' sourceRef='s' targetRef='y'/>"
    "<exclusiveGateway id='x'/><exclusiveGateway id='y'/><endEvent id='e'/>"
    "<sequenceFlow id='f3' sourceRef='x' targetRef='e'>"
    "<conditionExpression>${x}</conditionExpression></sequenceFlow>"
    "<sequenceFlow id='f4' sourceRef='y' targetRef='e'>"
    "<conditionExpression>${y}</conditionExpression></sequenceFlow>";

STF_TEST(several_open_incidents_are_retried_by_number)
{
    core_case *c = core_case_load(two_gateways);
    core_case_start(c, "{\"x\": false, \"y\": false}");
    ck_assert_uint_eq(c->doc->incident_count, 2);
    stf__event retry = {.kind = STF__EVENT_RETRY};
    ck_assert_int_eq(core_case_step(c, &retry), STF_INVALID_STATE);
    retry.incident = 99;
    ck_assert_int_eq(core_case_step(c, &retry), STF_NOT_FOUND);
    core_case_set(c, "{\"y\": true}");
    retry.incident = c->doc->incidents[1].number;
    STF_CHECK_OK(core_case_step(c, &retry), &c->error);
    core_case_expect_completed(c, "y", 1);
    core_case_expect_incident(c, "x", "no_flow", "\"x\"");
    core_case_set(c, "{\"x\": true}");
    core_case_retry(c);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_expect_one_end_each(c);
    core_case_free(c);
}

static stf_str clean(core_case *c, stf_str text, size_t bytes_max)
{
    stf__step step = {.doc = c->doc, .effects = &c->effects};
    stf_str out;
    STF_CHECK_OK(stf__step_clean_text(&step, text, bytes_max, &out), (stf_error *)NULL);
    return out;
}

STF_TEST(texts_from_outside_become_valid_and_bounded)
{
    core_case *c = core_case_load("<startEvent id='s'/>");
    STF_CHECK_STR(clean(c, stf_str_of("fine \xc3\xa9"), 100), "fine \xc3\xa9");
    STF_CHECK_STR(clean(c, stf_str_of("fine \xc3\xa9"), 6), "fine ");
    STF_CHECK_STR(clean(c, stf_str_of("fine \xc3\xa9"), 7), "fine \xc3\xa9");
    STF_CHECK_STR(clean(c, stf_str_of("bad \xe9\xff"), 100), "bad ??");
    STF_CHECK_STR(clean(c, (stf_str){"a\0b", 3}, 100), "a?b");
    STF_CHECK_STR(clean(c, (stf_str){NULL, 0}, 100), "");
    core_case_free(c);
}

STF_TEST(a_very_long_message_is_cut_and_stored)
{
    core_case *c =
        core_case_load("<startEvent id='s'/><sequenceFlow id='f1' sourceRef='s' targetRef='w'/>"
                       "<serviceTask id='w' stepfast:handler='h'/>");
    static char text[3 * STF__MESSAGE_BYTES_MAX];
    memset(text, 'm', sizeof(text) - 1);
    core_case_start(c, NULL);
    core_case_answer(c, "w", STF__WORK_FAILED, text);
    ck_assert_uint_eq(strlen(c->doc->incidents[0].message), STF__MESSAGE_BYTES_MAX);
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(several_open_incidents_are_retried_by_number),
    STF_CASE(texts_from_outside_become_valid_and_bounded),
    STF_CASE(a_very_long_message_is_cut_and_stored),
};

STF_TEST_MAIN("core/incident", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* The view as JSON, whole. */
#include "core_case.h"

static const char everything[] =
    "<startEvent id='s'/>"
    "<sequenceFlow id='f1' sourceRef='s' targetRef='u'/>"
    "<sequenceFlow id='f2' sourceRef='s' targetRef='w'/>"
    "<sequenceFlow id='f3' sourceRef='s' targetRef='c'/>"
    "<sequenceFlow id='f4' sourceRef='s' targetRef='j'/>"
    "<sequenceFlow id='f5' sourceRef='s' targetRef='x'/>"
    "<userTask id='u'/><serviceTask id='w' stepfast:handler='h'/>"
    "<intermediateCatchEvent id='c'><timerEventDefinition><timeDuration>PT1H</timeDuration>"
    "</timerEventDefinition></intermediateCatchEvent>"
    "<boundaryEvent id='b' attachedToRef='u'><timerEventDefinition><timeDuration>PT2H"
    "</timeDuration></timerEventDefinition></boundaryEvent>"
    "<sequenceFlow id='f6' sourceRef='u' targetRef='j'/><parallelGateway id='j'/>"
    "<exclusiveGateway id='x'/><sequenceFlow id='f7' sourceRef='x' targetRef='j2'>"
    "<conditionExpression>${n == 2}</conditionExpression></sequenceFlow><task id='j2'/>";

STF_TEST(the_view_shows_all_there_is)
{
    core_case *c = core_case_load(everything);
    core_case_start(c, "{\"n\": 1}");
    core_case_start_work(c, "w");
    stf_value *view = NULL;
    STF_CHECK_OK(stf__doc_view(c->doc, c->process, &view, &c->error), &c->error);
    stf_value *expected = core_case_json(
        "{\"process\": \"p\", \"version\": 3, \"variables\": {\"n\": 1}, \"end\": null,"
        "\"waiting\": [\"u\", \"w\", \"c\"],"
        "\"tasks\": [{\"activation\": 2, \"element\": \"u\", \"since\": \"2026-01-01T00:00:00Z\"}],"
        "\"timers\": [{\"element\": \"b\", \"activation\": 2, \"due\": \"2026-01-01T02:00:00Z\"},"
        "{\"element\": \"c\", \"activation\": 4, \"due\": \"2026-01-01T01:00:00Z\"}],"
        "\"jobs\": [{\"activation\": 3, \"element\": \"w\", \"topic\": \"h\", \"attempt\": 1,"
        "\"started\": true}],"
        "\"joins\": [{\"element\": \"j\", \"flow\": \"f4\", \"count\": 1}],"
        "\"incidents\": [{\"incident\": 1, \"element\": \"x\", \"activation\": 5,"
        "\"kind\": \"no_flow\", \"line\": 3, \"opened\": \"2026-01-01T00:00:00Z\","
        "\"message\": \"no condition of the flows out of \\\"x\\\" (line 3) holds and there is no "
        "default flow\"}]}");
    stf_buf text;
    stf_buf_init(&text, NULL);
    STF_CHECK_OK(stf_value_write_json(view, true, &text, &c->error), &c->error);
    ck_assert_msg(stf_value_equal(view, expected), "%s", stf_buf_c_str(&text));
    stf_buf_done(&text);
    stf_value_unref(expected);
    stf_value_unref(view);
    core_case_free(c);
}

STF_TEST(the_view_shows_how_an_instance_ended_and_the_code_of_an_error)
{
    core_case *c =
        core_case_load("<startEvent id='s'/><sequenceFlow id='f1' sourceRef='s' targetRef='w'/>"
                       "<serviceTask id='w' stepfast:handler='h'/>");
    core_case_start(c, NULL);
    core_case_answer(c, "w", STF__WORK_BPMN_ERROR, "E1");
    stf_value *view = NULL;
    STF_CHECK_OK(stf__doc_view(c->doc, c->process, &view, &c->error), &c->error);
    const stf_value *incident =
        stf_value_peek_item(stf_value_peek(view, stf_str_of("incidents")), 0);
    STF_CHECK_STR(stf_value_peek_string(stf_value_peek(incident, stf_str_of("code"))), "E1");
    stf_value_unref(view);
    core_case_retry(c);
    core_case_work(c, "w", NULL);
    STF_CHECK_OK(stf__doc_view(c->doc, c->process, &view, &c->error), &c->error);
    const stf_value *end = stf_value_peek(view, stf_str_of("end"));
    STF_CHECK_STR(stf_value_peek_string(stf_value_peek(end, stf_str_of("how"))), "completed");
    stf_value_unref(view);
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(the_view_shows_all_there_is),
    STF_CASE(the_view_shows_how_an_instance_ended_and_the_code_of_an_error),
};

STF_TEST_MAIN("core/view", cases)

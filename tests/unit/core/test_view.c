/* SPDX-License-Identifier: Apache-2.0 */
/* The view as JSON, whole. */
#include "core_case.h"
#include "doc_case.h"

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
        "\"retry\": null,"
        "\"message\": \"no condition of the flows out of \\\"x\\\" (line 3) holds and there is no "
        "default flow\"}], \"messages\": [], \"calls\": [], \"scopes\": [], \"outbox\": [],"
        "\"caller\": null}");
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

/* Compares one key of the view. */
static void expect_part(const stf__doc *doc, const char *key, const char *json)
{
    stf_value *view = NULL;
    stf_buf text;
    stf_buf_init(&text, NULL);
    STF_CHECK_OK(stf__doc_view(doc, NULL, &view, NULL), (stf_error *)NULL);
    const stf_value *part = stf_value_peek(view, stf_str_of(key));
    stf_value *expected = core_case_json(json);
    STF_CHECK_OK(stf_value_write_json(part, false, &text, NULL), (stf_error *)NULL);
    ck_assert_msg(stf_value_equal(part, expected), "%s: %s", key, stf_buf_c_str(&text));
    stf_buf_done(&text);
    stf_value_unref(expected);
    stf_value_unref(view);
}

STF_TEST(the_view_shows_scopes_messages_calls_and_what_is_on_its_way)
{
    static const struct {
        const char *key;
        const char *json;
    } rows[] = {
        {"waiting", "[\"task\", \"gate\", \"wait\", \"pause\", \"run\"]"},
        {"messages",
         "[{\"element\": \"stop\", \"activation\": 2, \"name\": \"stop\", \"key\": \"\","
         "\"since\": \"2026-01-01T00:00:00.000001Z\"},"
         "{\"element\": \"news\", \"activation\": 3, \"name\": \"news\", \"key\": \"k\","
         "\"since\": \"2026-01-01T00:00:00.000002Z\"},"
         "{\"element\": \"wait\", \"activation\": 6, \"name\": \"paid\", \"key\": \"o-1\","
         "\"since\": \"2026-01-01T00:00:00.000003Z\"}]"},
        {"calls", "[{\"element\": \"call\", \"activation\": 5, \"instance\": \"child-1\"}]"},
        {"caller", "{\"instance\": \"parent\", \"activation\": 8}"},
        {"incidents",
         "[{\"incident\": 1, \"element\": \"again\", \"activation\": 7, \"kind\": \"failed\","
         "\"message\": \"why\", \"line\": 7, \"opened\": \"2026-01-01T00:00:00Z\","
         "\"retry\": \"2026-01-01T00:00:00.003000Z\"}]"},
    };
    stf__doc *doc = doc_case_rich();
    for (size_t i = 0; i < STF_COUNT_OF(rows); i++) {
        expect_part(doc, rows[i].key, rows[i].json);
    }
    stf__doc_remove_scope(doc, 1); /* what is left is short enough to be written here */
    expect_part(doc, "scopes",
                "[{\"element\": \"inner\", \"activation\": 4,"
                "\"variables\": {\"deep\": [1, {\"a\": null}]}}]");
    while (doc->outbox_count > 2) {
        stf__doc_remove_send(doc, doc->outbox[1].number);
    }
    expect_part(doc, "outbox",
                "[{\"kind\": \"message\", \"element\": \"from\", \"target\": \"\","
                "\"name\": \"paid\", \"key\": \"o-2\", \"since\": \"2026-01-01T00:00:00Z\"},"
                "{\"kind\": \"cancel\", \"element\": \"from\", \"target\": \"child-0\","
                "\"name\": \"\", \"key\": \"\", \"since\": \"2026-01-01T00:00:00Z\"}]");
    stf__doc_free(doc);
}

STF_TEST(the_view_shows_how_an_instance_ended_with_code_and_reason)
{
    static const struct {
        uint32_t how;
        const char *code;
        const char *message;
        const char *json;
    } rows[] = {
        {STF__END_COMPLETED, "", NULL, "\"how\": \"completed\""},
        {STF__END_TERMINATED, "", NULL, "\"how\": \"terminated\""},
        {STF__END_FAILED, "E-1", "no",
         "\"how\": \"failed\", \"code\": \"E-1\", \"message\": \"no\""},
        {STF__END_FAILED, "", NULL, "\"how\": \"failed\", \"code\": \"\""},
        {STF__END_CANCELLED, "", "by hand", "\"how\": \"cancelled\", \"message\": \"by hand\""},
    };
    for (size_t i = 0; i < STF_COUNT_OF(rows); i++) {
        char json[200];
        stf__doc *doc = doc_case_new(STF__DOC_INSTANCE);
        doc->end_how = rows[i].how;
        doc->end_at = (stf_wall){DOC_CASE_NOW_US};
        doc->end_element = stf_str_of("e");
        doc->end_code = stf_str_of(rows[i].code);
        if (rows[i].message != NULL) {
            doc->end_message = stf__mem_copy_str(doc->alloc, stf_str_of(rows[i].message));
        }
        snprintf(json, sizeof(json), "{\"element\": \"e\", \"at\": \"2026-01-01T00:00:00Z\", %s}",
                 rows[i].json);
        expect_part(doc, "end", json);
        doc_case_check(doc);
        stf__doc_free(doc);
    }
}

static const stf_test_case cases[] = {
    STF_CASE(the_view_shows_all_there_is),
    STF_CASE(the_view_shows_scopes_messages_calls_and_what_is_on_its_way),
    STF_CASE(the_view_shows_how_an_instance_ended_with_code_and_reason),
    STF_CASE(the_view_shows_how_an_instance_ended_and_the_code_of_an_error),
};

STF_TEST_MAIN("core/view", cases)

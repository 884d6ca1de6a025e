/* SPDX-License-Identifier: Apache-2.0 */
/* Ids, unknown and foreign elements, captured text and limits. */
#include "bpmn/parse.h"

#include "base/mem.h"
#include "unit/bpmn/support.h"

static const rule_row rows[] = {
    {"<startEvent id='s'/>\n<task id='s'/>", STF_SEVERITY_ERROR, 4, "s", "id.twice",
     "the id \"s\" is used twice; the other one is in line 3"},
    {"<startEvent id='s'/>\n<userTask id='a b'/>", STF_SEVERITY_WARNING, 4, "a b", "id.not-a-name",
     "may not contain a space"},
    {"<startEvent id='s'/><userTask id='a '/>", STF_SEVERITY_WARNING, 3, "a ", "id.not-a-name",
     "may not begin or end in a space"},
    {"<startEvent id='2nd'/>", STF_SEVERITY_WARNING, 3, "2nd", "id.not-a-name",
     "may not begin with a digit"},
    {"<startEvent id='a:b'/>", STF_SEVERITY_WARNING, 3, "a:b", "id.not-a-name",
     "may not contain a colon"},
    {"<startEvent id='-a'/>", STF_SEVERITY_WARNING, 3, "-a", "id.not-a-name", "may begin with"},
    {"<startEvent id='a/b'/>", STF_SEVERITY_WARNING, 3, "a/b", "id.not-a-name", "may consist of"},
    {"<startEvent id='s'/>\n<quantumTask id='q'/>", STF_SEVERITY_ERROR, 4, "q", "element.unknown",
     "\"quantumTask\" is no element of BPMN 2.0"},
    {"<startEvent id='s'/>\n<task xmlns=''/>", STF_SEVERITY_WARNING, 4, "", "element.no-namespace",
     "has no namespace and is ignored"},
    {"<startEvent id='s'/><laneSet id='l'/>\n<laneSet id='l'/>", STF_SEVERITY_WARNING, 4, "l",
     "id.twice", "used twice"},
    {"<startEvent id='s'/><laneSet id='l'/>\n<userTask id='l'/>", STF_SEVERITY_ERROR, 4, "l",
     "id.twice", "used twice"},
};

STF_TEST(ids_and_elements_that_are_not_legal_are_told_with_their_line)
{
    fixture_check_rows(rows, STF_COUNT_OF(rows));
}

STF_TEST(ids_of_any_script_are_fine_and_compared_by_bytes)
{
    fixture file;
    fixture_load_body(&file, "<startEvent id='\xc3\xbc'/><task id='u\xcc\x88'/>"
                             "<sequenceFlow id='f' sourceRef='\xc3\xbc' targetRef='u\xcc\x88'/>");
    fixture_expect_silence(&file);
    ck_assert_uint_eq(fixture_process(&file, "p")->node_count, 2);
    fixture_done(&file);
}

STF_TEST(a_reference_to_an_unknown_element_is_no_second_mistake)
{
    fixture file;
    fixture_load_body(&file, "<startEvent id='s'/><quantumTask id='q'/>"
                             "<sequenceFlow id='f' sourceRef='s' targetRef='q'/>");
    ck_assert_uint_eq(stf_diagnostics_count(file.list), 1);
    fixture_done(&file);
}

STF_TEST(foreign_elements_attributes_and_diagrams_are_ignored)
{
    fixture file;
    fixture_load(&file, BPMN_HEAD
                 "<process id='p' isExecutable='true' v:x='1'><extensionElements><v:a><v:b/>text"
                 "<task/></v:a></extensionElements><v:outside id='s'/><startEvent id='s'>"
                 "<documentation>any <v:thing/></documentation></startEvent></process>"
                 "<d:BPMNDiagram xmlns:d='http://www.omg.org/spec/BPMN/20100524/DI' id='s'>"
                 "<d:BPMNPlane/></d:BPMNDiagram></definitions>");
    fixture_expect_silence(&file);
    ck_assert_uint_eq(fixture_process(&file, "p")->node_count, 1);
    fixture_done(&file);
}

STF_TEST(what_has_no_part_in_a_run_is_tolerated_in_silence)
{
    fixture file;
    fixture_load(
        &file, BPMN_HEAD
        "<import importType='x'/><itemDefinition id='i'/><message id='m'/><signal id='sg'/>"
        "<escalation id='es'/><dataStore id='ds'/><interface id='if'><operation id='op'>"
        "<inMessageRef>m</inMessageRef></operation></interface><globalUserTask id='g'/>"
        "<collaboration id='c'><participant id='pa' processRef='p'/><participant id='pb'/>"
        "<messageFlow id='mf' sourceRef='pa' targetRef='pb'/></collaboration>"
        "<choreography id='ch'><choreographyTask id='ct'/><sequenceFlow/></choreography>"
        "<process id='p' isExecutable='true'><laneSet id='ls'><lane id='l'>"
        "<flowNodeRef>s</flowNodeRef></lane></laneSet><startEvent id='s'/>"
        "<dataStoreReference id='dr'/><dataObjectReference id='or'/>"
        "<userTask id='t'><incoming>f</incoming><ioSpecification id='io'><dataInput id='di'/>"
        "<inputSet id='is'/></ioSpecification><potentialOwner id='po'>"
        "<resourceAssignmentExpression><formalExpression>x</formalExpression>"
        "</resourceAssignmentExpression></potentialOwner></userTask>"
        "<sequenceFlow id='f' sourceRef='s' targetRef='t'/><textAnnotation id='ta'><text>note"
        "</text></textAnnotation><association id='as' sourceRef='t' targetRef='ta'/>"
        "<group id='gr'/></process><relationship type='x'><source>a</source></relationship>"
        "</definitions>");
    fixture_expect_silence(&file);
    fixture_done(&file);
}

STF_TEST(any_prefix_does)
{
    fixture file;
    fixture_load(&file,
                 "<q:definitions xmlns:q='http://www.omg.org/spec/BPMN/20100524/MODEL'><q:process "
                 "id='p' isExecutable='true'><q:startEvent id='s'/></q:process></q:definitions>");
    fixture_expect_silence(&file);
    fixture_done(&file);
}

STF_TEST(another_root_is_refused_at_once_with_its_namespace)
{
    static const struct {
        const char *xml;
        const char *says;
    } roots[] = {
        {"<definitions xmlns='http://www.omg.org/spec/BPMN/20100501/MODEL'><quantumTask/>"
         "</definitions>",
         "20100501"},
        {"<html/>", "\"html\""},
        {"<process " BPMN_NS "/>", "\"process\""},
    };
    for (size_t i = 0; i < STF_COUNT_OF(roots); i++) {
        fixture file;
        fixture_load(&file, roots[i].xml);
        const char *message = fixture_expect(&file, STF_SEVERITY_ERROR, 1, "", "file.not-bpmn");
        ck_assert_msg(strstr(message, roots[i].says) != NULL, "%s", message);
        ck_assert_uint_eq(stf_diagnostics_count(file.list), 1);
        fixture_done(&file);
    }
}

/* Comments, CDATA and references in one text; the white space around it goes. */
STF_TEST(text_is_put_together_from_its_pieces_and_trimmed)
{
    fixture file;
    fixture_load_body(&file,
                      "<startEvent id='s'/><exclusiveGateway id='g' default='d'/><task id='t'/>"
                      "<sequenceFlow id='a' sourceRef='s' targetRef='g'/>"
                      "<sequenceFlow id='d' sourceRef='g' targetRef='t'/>"
                      "<sequenceFlow id='f' sourceRef='g' targetRef='t'><conditionExpression>\n"
                      " <![CDATA[${amount > 100]]> <![CDATA[&& region ==]]><!-- half --> "
                      "'E&#85;'<![CDATA[}]]>\n</conditionExpression></sequenceFlow>");
    fixture_expect_silence(&file);
    STF_CHECK_STR(stf_expr_peek_text(fixture_flow(&file, "f")->condition),
                  "${amount > 100 && region == 'EU'}");
    fixture_done(&file);
}

static void check_limit(const char *head, const char *piece, size_t times, const char *tail,
                        const char *rule)
{
    stf_buf buf;
    stf_buf_init(&buf, NULL);
    stf_status status = stf_buf_append_str(&buf, stf_str_of(head));
    for (size_t i = 0; i < times && status == STF_OK; i++) {
        status = stf_buf_append_str(&buf, stf_str_of(piece));
    }
    ck_assert_int_eq(status, STF_OK);
    ck_assert_int_eq(stf_buf_append_str(&buf, stf_str_of(tail)), STF_OK);
    fixture file;
    fixture_load_bytes(&file, buf.data, buf.size);
    ck_assert_int_eq(file.status, STF_LIMIT_EXCEEDED);
    ck_assert_uint_eq(fixture_count(&file, rule), 1);
    fixture_done(&file);
    stf_buf_done(&buf);
}

STF_TEST(ids_texts_and_the_number_of_elements_have_limits)
{
    check_limit(BPMN_HEAD "<process id='", "x", STF_LIMIT_ID_BYTES + 1, "'/></definitions>",
                "limit.id");
    check_limit(BPMN_HEAD "<process id='p'><sequenceFlow><conditionExpression>", "12345678",
                STF_LIMIT_XML_TOKEN_BYTES / 8 + 1,
                "</conditionExpression></sequenceFlow></process></definitions>", "limit.text");
    check_limit(BPMN_HEAD "<process id='p'>", "<sequenceFlow/>", STF_LIMIT_MODEL_ELEMENTS,
                "</process></definitions>", "limit.elements");
    check_limit(BPMN_HEAD "<process id='p'><callActivity id='c'><extensionElements>",
                "<stepfast:in/>", STF_LIMIT_MODEL_ELEMENTS,
                "</extensionElements></callActivity></process></definitions>", "limit.elements");
    check_limit(BPMN_HEAD "<process id='p'><callActivity id='c'><extensionElements>"
                          "<zeebe:ioMapping>",
                "<zeebe:input/>", STF_LIMIT_MODEL_ELEMENTS,
                "</zeebe:ioMapping></extensionElements></callActivity></process></definitions>",
                "limit.elements");
    check_limit(BPMN_HEAD "<process id='p'><task id='t'><extensionElements>"
                          "<camunda:failedJobRetryTimeCycle>",
                "12345678", STF_LIMIT_XML_TOKEN_BYTES / 8 + 1,
                "</camunda:failedJobRetryTimeCycle></extensionElements></task></process>"
                "</definitions>",
                "limit.text");
    check_limit(BPMN_HEAD "<process id='p'>", "<nonsense/>", STF_LIMIT_MODEL_ELEMENTS,
                "</process></definitions>", "limit.elements");
}

static const stf_test_case cases[] = {
    STF_CASE(ids_and_elements_that_are_not_legal_are_told_with_their_line),
    STF_CASE(ids_of_any_script_are_fine_and_compared_by_bytes),
    STF_CASE(a_reference_to_an_unknown_element_is_no_second_mistake),
    STF_CASE(foreign_elements_attributes_and_diagrams_are_ignored),
    STF_CASE(what_has_no_part_in_a_run_is_tolerated_in_silence),
    STF_CASE(any_prefix_does),
    STF_CASE(another_root_is_refused_at_once_with_its_namespace),
    STF_CASE(text_is_put_together_from_its_pieces_and_trimmed),
    STF_CASE(ids_texts_and_the_number_of_elements_have_limits),
};

STF_TEST_MAIN("bpmn/parse", cases)

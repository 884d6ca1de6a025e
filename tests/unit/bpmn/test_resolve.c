/* SPDX-License-Identifier: Apache-2.0 */
/* References between elements, and ids of flows that have none. */
#include "base/mem.h"
#include "unit/bpmn/support.h"

#define SUB                                                                                        \
    "<subProcess id='sub'><startEvent id='is'/><userTask id='in'/>"                                \
    "<sequenceFlow id='if' sourceRef='is' targetRef='in'/></subProcess>"

static const rule_row rows[] = {
    {"<startEvent id='s'/>\n<sequenceFlow id='f' sourceRef='tsak' targetRef='s2'/>"
     "<endEvent id='s2'/>",
     STF_SEVERITY_ERROR, 4, "f", "flow.source-unknown",
     "sourceRef \"tsak\" names nothing in this file"},
    {"<startEvent id='s'/>\n<sequenceFlow id='f' sourceRef='s' targetRef='nowhere'/>",
     STF_SEVERITY_ERROR, 4, "f", "flow.target-unknown",
     "targetRef \"nowhere\" names nothing in this file"},
    {"<startEvent id='s'/>\n<sequenceFlow id='f' targetRef='e'/><endEvent id='e'/>",
     STF_SEVERITY_ERROR, 4, "f", "flow.source-unknown", "the flow has no sourceRef"},
    {"<startEvent id='s'/><dataObject id='d'/>\n<sequenceFlow id='f' sourceRef='s' targetRef='d'/>",
     STF_SEVERITY_ERROR, 4, "f", "flow.target-unknown", "names dataObject, where"},
    {"<startEvent id='s'/>" SUB "\n<sequenceFlow id='f' sourceRef='in' targetRef='e'/>"
     "<endEvent id='e'/>",
     STF_SEVERITY_ERROR, 4, "f", "flow.across-scopes",
     "the flow leaves the sub-process \"sub\": source and target must be in the same scope"},
    {"<startEvent id='s'/>" SUB "\n<sequenceFlow id='f' sourceRef='s' targetRef='in'/>",
     STF_SEVERITY_ERROR, 4, "f", "flow.across-scopes", "the flow enters the sub-process \"sub\""},
    {"<startEvent id='s'/><userTask id='t'/>\n<sequenceFlow id='f' sourceRef='t' targetRef='s'/>",
     STF_SEVERITY_ERROR, 4, "f", "flow.into-start", "a start event may not have an incoming flow"},
    {"<startEvent id='s'/><endEvent id='e'/><userTask id='t'/>\n"
     "<sequenceFlow id='f' sourceRef='e' targetRef='t'/>",
     STF_SEVERITY_ERROR, 4, "f", "flow.out-of-end", "an end event may not have an outgoing flow"},
    {"<startEvent id='s'/><userTask id='t'/><boundaryEvent id='b' attachedToRef='t'>"
     "<timerEventDefinition><timeDuration>PT1M</timeDuration></timerEventDefinition>"
     "</boundaryEvent>\n<sequenceFlow id='f' sourceRef='t' targetRef='b'/>",
     STF_SEVERITY_ERROR, 4, "f", "flow.into-boundary", "a boundary event may not"},
    {"<startEvent id='s'/><subProcess id='sub' triggeredByEvent='true'/>\n"
     "<sequenceFlow id='f' sourceRef='s' targetRef='sub'/>",
     STF_SEVERITY_ERROR, 4, "f", "flow.event-sub-process", "an event sub-process may have no"},
    {"<startEvent id='s'/>\n<exclusiveGateway id='g' default='f9'/>", STF_SEVERITY_ERROR, 4, "g",
     "node.default-unknown", "default \"f9\" names no outgoing flow of the gateway"},
    {"<startEvent id='s'/>\n<userTask id='t' default='f'/><endEvent id='e'/>"
     "<sequenceFlow id='f' sourceRef='s' targetRef='e'/>",
     STF_SEVERITY_ERROR, 4, "t", "node.default-unknown", "no outgoing flow of the activity"},
    {"<startEvent id='s'/>\n<parallelGateway id='g' default='f9'/>", STF_SEVERITY_WARNING, 4, "g",
     "node.default-ignored", "parallelGateway has no default flow"},
    {"<startEvent id='s'/>\n<boundaryEvent id='b' attachedToRef='missing'>"
     "<signalEventDefinition/></boundaryEvent>",
     STF_SEVERITY_ERROR, 4, "b", "boundary.attached-unknown",
     "attachedToRef \"missing\" names no activity of the scope"},
    {"<startEvent id='s'/>\n<boundaryEvent id='b'><signalEventDefinition/></boundaryEvent>",
     STF_SEVERITY_ERROR, 4, "b", "boundary.attached-unknown", "attachedToRef \"\" names"},
    {"<startEvent id='s'/>\n<boundaryEvent id='b' attachedToRef='s'><signalEventDefinition/>"
     "</boundaryEvent>",
     STF_SEVERITY_ERROR, 4, "b", "boundary.attached-unknown", "\"s\" names no activity"},
    {"<startEvent id='s'/>" SUB "\n<boundaryEvent id='b' attachedToRef='in'>"
     "<signalEventDefinition/></boundaryEvent>",
     STF_SEVERITY_ERROR, 4, "b", "boundary.attached-unknown", "of the scope"},
};

STF_TEST(references_that_do_not_hold_are_told_where_they_stand)
{
    fixture_check_rows(rows, STF_COUNT_OF(rows));
}

STF_TEST(everything_wrong_in_a_file_is_told_in_one_pass)
{
    fixture file;
    fixture_load_body(&file, "<startEvent id='s'/>\n"
                             "<sequenceFlow id='f1' sourceRef='s' targetRef='nowhere'/>\n"
                             "<exclusiveGateway id='g' default='f9'/>\n"
                             "<userTask id='g'/>\n"
                             "<boundaryEvent id='b' attachedToRef='missing'><timerEventDefinition>"
                             "<timeDuration>PT5X</timeDuration></timerEventDefinition>"
                             "</boundaryEvent>\n"
                             "<sequenceFlow id='f2' sourceRef='g' targetRef='s'/>\n");
    ck_assert_int_eq(file.status, STF_PARSE);
    fixture_expect(&file, STF_SEVERITY_ERROR, 4, "f1", "flow.target-unknown");
    fixture_expect(&file, STF_SEVERITY_ERROR, 5, "g", "node.default-unknown");
    fixture_expect(&file, STF_SEVERITY_ERROR, 6, "g", "id.twice");
    fixture_expect(&file, STF_SEVERITY_ERROR, 7, "b", "boundary.attached-unknown");
    fixture_expect(&file, STF_SEVERITY_ERROR, 7, "b", "timer.invalid");
    fixture_expect(&file, STF_SEVERITY_ERROR, 8, "f2", "flow.into-start");
    ck_assert_uint_eq(stf_diagnostics_count(file.list), 6);
    ck_assert_str_eq(stf_error_get_detail(&file.error, "line"), "4");
    fixture_done(&file);
}

STF_TEST(flows_between_processes_are_refused)
{
    fixture file;
    fixture_load(&file, BPMN_HEAD "<process id='a'><task id='t'/></process>\n"
                                  "<process id='b'><task id='u'/>\n"
                                  "<sequenceFlow id='f' sourceRef='t' targetRef='u'/></process>"
                                  "</definitions>");
    fixture_expect(&file, STF_SEVERITY_ERROR, 4, "f", "flow.across-processes");
    fixture_done(&file);
}

STF_TEST(references_are_found_with_white_space_and_prefixes)
{
    fixture file;
    fixture_load_body(&file, "<startEvent id='s'/><exclusiveGateway id='a:b' default='p:d'/>"
                             "<endEvent id='e '/>"
                             "<sequenceFlow id='f' sourceRef=' s ' targetRef='a:b'/>"
                             "<sequenceFlow id='d' sourceRef='a:b' targetRef='e '/>");
    ck_assert_uint_eq(fixture_process(&file, "p")->flow_count, 2);
    ck_assert_uint_eq(fixture_node(&file, "a:b")->default_flow, fixture_flow(&file, "d")->index);
    fixture_done(&file);
}

STF_TEST(a_flow_without_an_id_gets_one_from_its_ends_and_its_order)
{
    static const char body[] = "<startEvent id='s'/><userTask id='t'/><endEvent id='e'/>%s"
                               "<sequenceFlow sourceRef='s' targetRef='t'/>"
                               "<sequenceFlow sourceRef='t' targetRef='e'/>"
                               "<sequenceFlow sourceRef='s' targetRef='t'/>";
    for (int i = 0; i < 2; i++) {
        char text[500];
        (void)snprintf(text, sizeof(text), body,
                       i == 0 ? "" : "<sequenceFlow id='x' sourceRef='t' targetRef='e'/>");
        fixture file;
        fixture_load_body(&file, text);
        fixture_expect_silence(&file);
        uint32_t first = fixture_flow(&file, "s->t#1")->index;
        ck_assert_uint_eq(fixture_flow(&file, "t->e#1")->index, first + 1);
        ck_assert_uint_eq(fixture_flow(&file, "s->t#2")->index, first + 2);
        fixture_done(&file);
    }
}

STF_TEST(an_id_that_cannot_be_made_is_told)
{
    char body[2000];
    (void)snprintf(body, sizeof(body),
                   "<startEvent id='s'/><userTask id='%s%0200d'/>\n<userTask id='%s%0200d'/>"
                   "<sequenceFlow sourceRef='%s%0200d' targetRef='%s%0200d'/>",
                   "a", 1, "b", 1, "a", 1, "b", 1);
    fixture file;
    fixture_load_body(&file, body);
    ck_assert_uint_eq(fixture_count(&file, "flow.no-id"), 1);
    ck_assert_int_eq(file.status, STF_PARSE);
    fixture_done(&file);
}

static const stf_test_case cases[] = {
    STF_CASE(references_that_do_not_hold_are_told_where_they_stand),
    STF_CASE(everything_wrong_in_a_file_is_told_in_one_pass),
    STF_CASE(flows_between_processes_are_refused),
    STF_CASE(references_are_found_with_white_space_and_prefixes),
    STF_CASE(a_flow_without_an_id_gets_one_from_its_ends_and_its_order),
    STF_CASE(an_id_that_cannot_be_made_is_told),
};

STF_TEST_MAIN("bpmn/resolve", cases)

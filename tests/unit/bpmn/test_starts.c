/* SPDX-License-Identifier: Apache-2.0 */
/* Where runs of processes and sub-processes begin. */
#include "base/mem.h"
#include "unit/bpmn/support.h"

#define FLOW(id, from, to) "<sequenceFlow id='" id "' sourceRef='" from "' targetRef='" to "'/>"

static const rule_row rows[] = {
    {"<userTask id='a'/><userTask id='b'/>" FLOW("f", "a", "b") FLOW("g", "b", "a"),
     STF_SEVERITY_ERROR, 2, "p", "process.no-start", "nothing can start"},
    {"", STF_SEVERITY_ERROR, 2, "p", "process.no-start", "nothing can start"},
    {"<userTask id='a'/><endEvent id='e'/>" FLOW("f", "a", "e"), STF_SEVERITY_WARNING, 2, "p",
     "process.implicit-start", "a run begins at the nodes without an incoming flow (a)"},
    {"<startEvent id='s'/>\n<userTask id='t'/>", STF_SEVERITY_WARNING, 4, "t", "node.unreachable",
     "no flow leads to this userTask"},
    /* the same inside a sub-process */
    {"<startEvent id='s'/>" FLOW("i", "s", "sub") "\n<subProcess id='sub'><userTask id='a'/>"
                                                  "<userTask id='b'/>" FLOW("f", "a", "b")
                                                      FLOW("g", "b", "a") "</subProcess>",
     STF_SEVERITY_ERROR, 4, "sub", "process.no-start", "nothing can start"},
    {"<startEvent id='s'/>" FLOW("i", "s", "sub") "\n<subProcess id='sub'><userTask id='a'/>"
                                                  "<userTask id='b'/></subProcess>",
     STF_SEVERITY_WARNING, 4, "sub", "process.implicit-start", "(a, b)"},
    {"<startEvent id='s'/>" FLOW("i", "s", "sub") "<subProcess id='sub'><startEvent id='a'/>\n"
                                                  "<userTask id='b'/></subProcess>",
     STF_SEVERITY_WARNING, 4, "b", "node.unreachable", "no flow leads to this userTask"},
    {"<startEvent id='s'/>" FLOW("i", "s", "sub") "\n<subProcess id='sub'/>", STF_SEVERITY_WARNING,
     4, "sub", "sub-process.empty", "it ends at once"},
    {"<startEvent id='s'/>" FLOW("i", "s", "sub") "\n<subProcess id='sub'><startEvent id='a'/>"
                                                  "<startEvent id='b'/></subProcess>",
     STF_SEVERITY_ERROR, 4, "sub", "sub-process.several-starts", "this one has 2"},
};

STF_TEST(scopes_that_cannot_begin_are_told)
{
    fixture_check_rows(rows, STF_COUNT_OF(rows));
}

static void check_starts(const fixture *file, const stf__starts *starts, bool are_implicit,
                         const char *expected)
{
    char list[200] = "";
    for (uint32_t i = 0; i < starts->count; i++) {
        size_t used = strlen(list);
        (void)snprintf(list + used, sizeof(list) - used, "%.*s ",
                       STF_STR_ARG(fixture_process(file, "p")->nodes[starts->nodes[i]].id));
    }
    ck_assert_str_eq(list, expected);
    ck_assert(starts->are_implicit == are_implicit);
}

STF_TEST(explicit_starts_are_the_none_starts_of_the_scope)
{
    fixture file;
    fixture_load_body(&file, "<startEvent id='a'/><startEvent id='m'><messageEventDefinition/>"
                             "</startEvent><subProcess id='sub'><startEvent id='in'/></subProcess>"
                             "<startEvent id='b'/>" FLOW("f", "a", "sub"));
    check_starts(&file, &fixture_process(&file, "p")->starts, false, "a b ");
    check_starts(&file, &fixture_node(&file, "sub")->starts, false, "in ");
    fixture_done(&file);
}

STF_TEST(without_a_start_event_a_run_begins_at_every_node_without_incoming_flow)
{
    fixture file;
    fixture_load_body(
        &file,
        "<userTask id='a'/><parallelGateway id='g'/><userTask id='b'/>"
        "<task id='undo' isForCompensation='true'/>"
        "<subProcess id='es' triggeredByEvent='true'/>"
        "<subProcess id='sub'><userTask id='in'/><userTask id='in2'/>"
        "<userTask id='in3'/>" FLOW(
            "h", "in", "in3") "</subProcess>"
                              "<intermediateCatchEvent id='l'><linkEventDefinition/>"
                              "</intermediateCatchEvent><boundaryEvent id='bd' attachedToRef='a'>"
                              "<signalEventDefinition/></boundaryEvent>" FLOW("f", "a", "b"));
    check_starts(&file, &fixture_process(&file, "p")->starts, true, "a g sub ");
    check_starts(&file, &fixture_node(&file, "sub")->starts, true, "in in2 ");
    fixture_done(&file);
}

STF_TEST(nested_scopes_have_their_own_starts_in_file_order)
{
    fixture file;
    fixture_load_body(&file,
                      "<subProcess id='x'><userTask id='x1'/><subProcess id='y'><userTask id='y1'/>"
                      "<userTask id='y2'/></subProcess><userTask id='x2'/></subProcess>"
                      "<startEvent id='s'/>" FLOW("f", "s", "x"));
    check_starts(&file, &fixture_process(&file, "p")->starts, false, "s ");
    check_starts(&file, &fixture_node(&file, "x")->starts, true, "x1 y x2 ");
    check_starts(&file, &fixture_node(&file, "y")->starts, true, "y1 y2 ");
    fixture_done(&file);
}

STF_TEST(the_scopes_that_are_not_executed_yet_are_left_alone)
{
    fixture file;
    fixture_load_body(&file, "<startEvent id='s'/><adHocSubProcess id='a'><userTask id='t'/>"
                             "</adHocSubProcess><transaction id='tx'/>" FLOW("f", "s", "a")
                                 FLOW("g", "a", "tx"));
    ck_assert_uint_eq(stf_diagnostics_count(file.list), 2); /* not supported yet, twice */
    fixture_done(&file);
}

STF_TEST(a_broken_flow_makes_no_second_complaint)
{
    fixture file;
    fixture_load_body(&file, "<startEvent id='s'/><userTask id='t'/>" FLOW("f", "s", "tt"));
    ck_assert_uint_eq(stf_diagnostics_count(file.list), 1);
    fixture_done(&file);
}

static const stf_test_case cases[] = {
    STF_CASE(scopes_that_cannot_begin_are_told),
    STF_CASE(explicit_starts_are_the_none_starts_of_the_scope),
    STF_CASE(without_a_start_event_a_run_begins_at_every_node_without_incoming_flow),
    STF_CASE(nested_scopes_have_their_own_starts_in_file_order),
    STF_CASE(the_scopes_that_are_not_executed_yet_are_left_alone),
    STF_CASE(a_broken_flow_makes_no_second_complaint),
};

STF_TEST_MAIN("bpmn/starts", cases)

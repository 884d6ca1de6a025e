/* SPDX-License-Identifier: Apache-2.0 */
/* Rules over a whole process: where it begins, what is never reached, what cannot end. */
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
    {"<startEvent id='s'/><exclusiveGateway id='x' default='a'/><userTask id='u'/>\n"
     "<parallelGateway id='j'/>" FLOW("i", "s", "x") FLOW("a", "x", "u") FLOW("b", "u", "j")
         FLOW("c", "x", "j"),
     STF_SEVERITY_WARNING, 4, "j", "gateway.join-never-fills",
     "the branches of the exclusive gateway \"x\" meet in a parallel join"},
    {"<startEvent id='s'/>\n<exclusiveGateway id='m'/><task id='t'/><exclusiveGateway id='x' "
     "default='b'/><endEvent id='e'/>" FLOW("i", "s", "m") FLOW("a", "m", "t") FLOW("c", "t", "x")
         FLOW("b", "x", "m") FLOW("d", "x", "e"),
     STF_SEVERITY_WARNING, 4, "m", "flow.loop", "m, t, x form a loop without a wait"},
};

STF_TEST(rules_over_the_whole_process_are_told)
{
    fixture_check_rows(rows, STF_COUNT_OF(rows));
}

STF_TEST(a_process_that_is_not_marked_executable_is_warned_of)
{
    fixture file;
    fixture_load_drawing(&file, "<startEvent id='s'/>");
    const char *message =
        fixture_expect(&file, STF_SEVERITY_WARNING, 2, "p", "process.not-executable");
    ck_assert_ptr_nonnull(strstr(message, "isExecutable is missing"));
    ck_assert_uint_eq(fixture_process(&file, "p")->flags, STF_PROCESS_RUNNABLE);
    fixture_done(&file);
    fixture_load_drawing(&file, ""); /* a closed pool */
    fixture_expect_silence(&file);
    fixture_done(&file);
}

STF_TEST(explicit_starts_are_the_none_starts_at_the_top)
{
    fixture file;
    fixture_load_body(&file, "<startEvent id='a'/><startEvent id='m'><messageEventDefinition/>"
                             "</startEvent><subProcess id='sub'><startEvent id='in'/></subProcess>"
                             "<startEvent id='b'/>" FLOW("f", "a", "sub"));
    const stf__process *process = fixture_process(&file, "p");
    ck_assert(!process->starts.are_implicit);
    ck_assert_uint_eq(process->starts.count, 2);
    ck_assert_uint_eq(process->starts.nodes[0], fixture_node(&file, "a")->index);
    ck_assert_uint_eq(process->starts.nodes[1], fixture_node(&file, "b")->index);
    fixture_done(&file);
}

STF_TEST(without_a_start_event_a_run_begins_at_every_node_without_incoming_flow)
{
    fixture file;
    fixture_load_body(&file, "<userTask id='a'/><parallelGateway id='g'/><userTask id='b'/>"
                             "<task id='undo' isForCompensation='true'/>"
                             "<subProcess id='es' triggeredByEvent='true'/>"
                             "<subProcess id='sub'><userTask id='in'/></subProcess>"
                             "<intermediateCatchEvent id='l'><linkEventDefinition/>"
                             "</intermediateCatchEvent><boundaryEvent id='bd' attachedToRef='a'>"
                             "<signalEventDefinition/></boundaryEvent>" FLOW("f", "a", "b"));
    const stf__process *process = fixture_process(&file, "p");
    static const char *const expected[] = {"a", "g", "sub"};
    ck_assert(process->starts.are_implicit);
    ck_assert_uint_eq(process->starts.count, STF_COUNT_OF(expected));
    for (size_t i = 0; i < STF_COUNT_OF(expected); i++) {
        STF_CHECK_STR(process->nodes[process->starts.nodes[i]].id, expected[i]);
    }
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
    STF_CASE(rules_over_the_whole_process_are_told),
    STF_CASE(a_process_that_is_not_marked_executable_is_warned_of),
    STF_CASE(explicit_starts_are_the_none_starts_at_the_top),
    STF_CASE(without_a_start_event_a_run_begins_at_every_node_without_incoming_flow),
    STF_CASE(a_broken_flow_makes_no_second_complaint),
};

STF_TEST_MAIN("bpmn/check", cases)

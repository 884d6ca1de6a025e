/* SPDX-License-Identifier: Apache-2.0 */
/* What the finished model looks like: order, indices, separate processes. */
#include "base/mem.h"
#include "unit/bpmn/support.h"

#define TIMER "<timerEventDefinition><timeDuration>PT1M</timeDuration></timerEventDefinition>"

STF_TEST(flows_of_a_node_are_in_file_order)
{
    fixture file;
    fixture_load_body(&file, "<exclusiveGateway id='g' default='b'/><startEvent id='s'/>"
                             "<task id='t'/>"
                             "<sequenceFlow id='c' sourceRef='g' targetRef='t'/>"
                             "<sequenceFlow id='in' sourceRef='s' targetRef='g'/>"
                             "<sequenceFlow id='b' sourceRef='g' targetRef='t'/>"
                             "<sequenceFlow id='a' sourceRef='g' targetRef='t'/>");
    const stf__process *process = fixture_process(&file, "p");
    const stf__node *gateway = fixture_node(&file, "g");
    const stf__node *task = fixture_node(&file, "t");
    static const char *const order[] = {"c", "b", "a"};
    ck_assert_uint_eq(gateway->outgoing_count, 3);
    ck_assert_uint_eq(gateway->incoming_count, 1);
    ck_assert_uint_eq(task->incoming_count, 3);
    for (size_t i = 0; i < 3; i++) {
        STF_CHECK_STR(process->flows[gateway->outgoing[i]].id, order[i]);
        STF_CHECK_STR(process->flows[task->incoming[i]].id, order[i]);
    }
    STF_CHECK_STR(process->flows[gateway->incoming[0]].id, "in");
    STF_CHECK_STR(process->flows[gateway->default_flow].id, "b");
    ck_assert_uint_eq(task->default_flow, STF__NONE);
    for (uint32_t i = 0; i < process->node_count; i++) {
        ck_assert_uint_eq(process->nodes[i].index, i);
    }
    for (uint32_t i = 0; i < process->flow_count; i++) {
        ck_assert_uint_eq(process->flows[i].index, i);
    }
    fixture_done(&file);
}

STF_TEST(activities_know_their_boundary_events)
{
    fixture file;
    fixture_load_body(&file, "<startEvent id='s'/>"
                             "<boundaryEvent id='b1' attachedToRef='t'>" TIMER "</boundaryEvent>"
                             "<userTask id='t'/><serviceTask id='w'/>"
                             "<boundaryEvent id='c' attachedToRef='w'>" TIMER "</boundaryEvent>"
                             "<boundaryEvent id='b2' attachedToRef='t'>" TIMER "</boundaryEvent>");
    const stf__process *process = fixture_process(&file, "p");
    const stf__node *task = fixture_node(&file, "t");
    ck_assert_uint_eq(task->boundary_count, 2);
    STF_CHECK_STR(process->nodes[task->boundaries[0]].id, "b1");
    STF_CHECK_STR(process->nodes[task->boundaries[1]].id, "b2");
    ck_assert_uint_eq(fixture_node(&file, "w")->boundary_count, 1);
    ck_assert_uint_eq(fixture_node(&file, "c")->attached_to, fixture_node(&file, "w")->index);
    ck_assert_uint_eq(task->attached_to, STF__NONE);
    fixture_done(&file);
}

STF_TEST(several_processes_are_separate)
{
    fixture file;
    fixture_load(&file, BPMN_HEAD
                 "<process id='a' isExecutable='true'><startEvent id='s'/><endEvent id='e'/>"
                 "<sequenceFlow id='f' sourceRef='s' targetRef='e'/></process>"
                 "<process id='b' isExecutable='true'><startEvent id='s2'/><transaction id='x'/>"
                 "</process></definitions>");
    const stf__process *a = fixture_process(&file, "a");
    const stf__process *b = fixture_process(&file, "b");
    ck_assert_ptr_null(stf__process_find_node(a, STF_STR("s2")));
    ck_assert_ptr_nonnull(stf__process_find_node(b, STF_STR("s2")));
    ck_assert_uint_eq(a->flags, STF_PROCESS_EXECUTABLE | STF_PROCESS_RUNNABLE);
    ck_assert_uint_eq(b->flags, STF_PROCESS_EXECUTABLE);
    STF_CHECK_STR(a->first_unsupported, "");
    fixture_done(&file);
}

STF_TEST(a_file_without_a_process_is_an_empty_model)
{
    fixture file;
    fixture_load(&file, "<definitions " BPMN_NS "/>");
    fixture_expect_silence(&file);
    ck_assert_uint_eq(stf_model_process_count(file.model), 0);
    fixture_done(&file);
}

static const stf_test_case cases[] = {
    STF_CASE(flows_of_a_node_are_in_file_order),
    STF_CASE(activities_know_their_boundary_events),
    STF_CASE(several_processes_are_separate),
    STF_CASE(a_file_without_a_process_is_an_empty_model),
};

STF_TEST_MAIN("bpmn/build", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* See message_case.h. */
#include "unit/engine/message_case.h"

#define MESSAGES                                                                                   \
    "<message id='m1' name='paid' stepfast:correlationKey='${key}' stepfast:keep='PT1H'/>"         \
    "<message id='m2' name='lost' stepfast:correlationKey='${key}'/>"

const char case_messages[] = MESSAGES
    "<process id='w' isExecutable='true'><startEvent id='w_s'/>"
    "<receiveTask id='wait' messageRef='m1'/><userTask id='after'/><endEvent id='w_e'/>"
    "<sequenceFlow id='w_f1' sourceRef='w_s' targetRef='wait'/>"
    "<sequenceFlow id='w_f2' sourceRef='wait' targetRef='after'/>"
    "<sequenceFlow id='w_f3' sourceRef='after' targetRef='w_e'/></process>"
    "<process id='l' isExecutable='true'><startEvent id='l_s'/><userTask id='l_go'/>"
    "<receiveTask id='l_wait' messageRef='m1'/><userTask id='l_after'/><endEvent id='l_e'/>"
    "<sequenceFlow id='l_f0' sourceRef='l_s' targetRef='l_go'/>"
    "<sequenceFlow id='l_f1' sourceRef='l_go' targetRef='l_wait'/>"
    "<sequenceFlow id='l_f2' sourceRef='l_wait' targetRef='l_after'/>"
    "<sequenceFlow id='l_f3' sourceRef='l_after' targetRef='l_e'/></process>"
    "<process id='s' isExecutable='true'><startEvent id='s_s'/>"
    "<intermediateThrowEvent id='s_throw'><extensionElements>"
    "<stepfast:in source='amount' target='amount'/></extensionElements>"
    "<messageEventDefinition messageRef='m1'/></intermediateThrowEvent><endEvent id='s_e'/>"
    "<sequenceFlow id='s_f1' sourceRef='s_s' targetRef='s_throw'/>"
    "<sequenceFlow id='s_f2' sourceRef='s_throw' targetRef='s_e'/></process>"
    "<process id='n' isExecutable='true'><startEvent id='n_s'/>"
    "<endEvent id='n_e'><messageEventDefinition messageRef='m2'/></endEvent>"
    "<sequenceFlow id='n_f1' sourceRef='n_s' targetRef='n_e'/></process>";

const char case_calls[] =
    "<error id='e7' name='seven' errorCode='E7'/>"
    "<process id='top' isExecutable='true'><startEvent id='top_s'/>"
    "<callActivity id='call' calledElement='mid'><extensionElements>"
    "<stepfast:in source='fails' target='fails'/><stepfast:out source='x' target='y'/>"
    "</extensionElements></callActivity>"
    "<boundaryEvent id='top_b' attachedToRef='call'><errorEventDefinition errorRef='e7'/>"
    "</boundaryEvent><userTask id='caught'/><userTask id='after'/><endEvent id='top_e'/>"
    "<sequenceFlow id='top_f1' sourceRef='top_s' targetRef='call'/>"
    "<sequenceFlow id='top_f2' sourceRef='call' targetRef='after'/>"
    "<sequenceFlow id='top_f3' sourceRef='after' targetRef='top_e'/>"
    "<sequenceFlow id='top_f4' sourceRef='top_b' targetRef='caught'/>"
    "<sequenceFlow id='top_f5' sourceRef='caught' targetRef='top_e'/></process>"
    "<process id='mid' isExecutable='true'><startEvent id='mid_s'/>"
    "<callActivity id='mid_call' calledElement='low'><extensionElements>"
    "<stepfast:in source='fails' target='fails'/><stepfast:out source='x' target='x'/>"
    "</extensionElements></callActivity><endEvent id='mid_e'/>"
    "<sequenceFlow id='mid_f1' sourceRef='mid_s' targetRef='mid_call'/>"
    "<sequenceFlow id='mid_f2' sourceRef='mid_call' targetRef='mid_e'/></process>"
    "<process id='low' isExecutable='true'><startEvent id='low_s'/><userTask id='work'/>"
    "<exclusiveGateway id='low_g' default='low_f3'/><endEvent id='low_e'/>"
    "<endEvent id='low_bad'><errorEventDefinition errorRef='e7'/></endEvent>"
    "<sequenceFlow id='low_f1' sourceRef='low_s' targetRef='work'/>"
    "<sequenceFlow id='low_f2' sourceRef='work' targetRef='low_g'/>"
    "<sequenceFlow id='low_f3' sourceRef='low_g' targetRef='low_e'/>"
    "<sequenceFlow id='low_f4' sourceRef='low_g' targetRef='low_bad'><conditionExpression>${fails}"
    "</conditionExpression></sequenceFlow></process>";

static bool crash_at(const crash_plan *plan, long n)
{
    engine_case *c = engine_case_new();
    engine_case_open(c, NULL);
    engine_case_deploy_file(c, plan->roots);
    plan->before(c);
    long saves = atomic_load(&c->faulty.saves);
    atomic_store(&c->faulty.only_saves, true);
    atomic_store(&c->faulty.status, STF_UNAVAILABLE);
    atomic_store(&c->faulty.applies, false);
    atomic_store(&c->faulty.fail_count, 0);
    atomic_store(&c->faulty.fail_at, saves + n + 1); /* n of them are written */
    plan->play(c);
    bool is_reached = atomic_load(&c->faulty.saves) > saves + n;
    engine_case_crash(c);
    engine_case_open(c, NULL);
    if (plan->again != NULL) {
        plan->again(c);
    }
    engine_case_advance(c, SECONDS(30));
    plan->check(c, n);
    engine_case_free(c);
    return is_reached;
}

void message_case_crash_at_each_save(const crash_plan *plan)
{
    long n = 0;
    while (crash_at(plan, n)) {
        n++;
        ck_assert_int_lt(n, 100);
    }
    ck_assert_int_gt(n, 1); /* it was not over at once */
}

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

/* ---- Patience ---------------------------------------------------------------------------------
 */

enum {
    LOOKS_AFTER_FAULT = 16, /* the call of the store that fails looks, too */
    LOOKS = 1000
};

static struct {
    engine_case *c;
    stf_clock clock;
    int looks;
    int looks_after_fault;
} patience;

static stf_mono look(void *user)
{
    const faulty_repository *faulty = &patience.c->faulty;
    long fail_at = atomic_load(&faulty->fail_at);
    (void)user;
    patience.looks++;
    if (fail_at != 0 && atomic_load(&faulty->saves) >= fail_at) {
        patience.looks_after_fault++;
    }
    bool is_over = patience.looks > LOOKS || patience.looks_after_fault > LOOKS_AFTER_FAULT;
    return (stf_mono){is_over ? 1 : 0};
}

static stf_wall no_wall(void *user)
{
    (void)user;
    return (stf_wall){0};
}

stf_ctx message_case_patience(engine_case *c)
{
    stf_ctx ctx = STF_CTX_INIT;
    patience.c = c;
    patience.looks = 0;
    patience.looks_after_fault = 0;
    patience.clock = (stf_clock){
        .struct_size = sizeof(stf_clock), .abi = STF_CLOCK_ABI, .wall = no_wall, .mono = look};
    ctx.flags = STF_CTX_HAS_DEADLINE;
    ctx.clock = &patience.clock;
    ctx.deadline = (stf_mono){1};
    return ctx;
}

/* ---- Crashes ----------------------------------------------------------------------------------
 */

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

/* ---- Two engines -------------------------------------------------------------------------------
 */

void message_case_wait(engine_case *c, const char *id)
{
    engine_case_start_of(c, "w", id, "{\"key\": \"k\"}");
    atomic_fetch_add(&c->clock.us, 1000);
}

const char *message_case_only_id(engine_case *c, const char *process)
{
    static char id[256];
    stf_value *list = NULL;
    stf_instance_query query = {.process = stf_str_of(process)};
    STF_CHECK_OK(stf_engine_list_instances(c->engine, NULL, &query, &list, &c->error), &c->error);
    ck_assert_uint_eq(stf_value_count(list), 1);
    stf_str text =
        stf_value_peek_string(stf_value_peek(stf_value_peek_item(list, 0), stf_str_of("id")));
    snprintf(id, sizeof(id), "%.*s", (int)text.size, text.data);
    stf_value_unref(list);
    return id;
}

static void pass(engine_case *c, engine_case *other, int64_t us)
{
    atomic_fetch_add(&c->clock.us, us);
    atomic_store(&other->clock.us, atomic_load(&c->clock.us));
}

static void step(engine_case *c, int turns)
{
    for (int i = 0; i < turns; i++) {
        STF_CHECK_OK(stf_engine_step(c->engine, NULL, NULL, &c->error), &c->error);
    }
}

static void meet(engine_case *c, engine_case *other, const message_case_meeting *plan)
{
    step(c, plan->first_turns);
    faulty_repository_fail_saves(&c->faulty, 1, 0, plan->status, plan->applies);
    step(c, 3);
    pass(c, other, SECONDS(6));
    step(other, plan->second_turns);
    faulty_repository_heal(&c->faulty);
    for (int i = 0; i < 40; i++) {
        step(c, 1);
        step(other, 1);
        pass(c, other, SECONDS(1));
    }
    for (int i = 0; i < 3; i++) {
        engine_case_advance(c, SECONDS(20));
        engine_case_advance(other, SECONDS(20));
    }
}

static void check_meeting(engine_case *c, const message_case_meeting *plan)
{
    if (strcmp(plan->process, "top") == 0) {
        ck_assert_uint_eq(engine_case_count(c, "mid", NULL), 1);
        ck_assert_uint_eq(engine_case_count(c, "low", NULL), 1);
        ck_assert(engine_case_waits_at(c, message_case_only_id(c, "low"), "work"));
        return;
    }
    int count = engine_case_waits_at(c, "i1", "after") + engine_case_waits_at(c, "i2", "after");
    ck_assert_msg(count == 1, "%d got it: %d turns, then %d, %s %d", count, plan->first_turns,
                  plan->second_turns, stf_status_name(plan->status), plan->applies);
    ck_assert_str_eq(engine_case_status(c, "x"), "completed");
}

void message_case_meet(engine_case *c, engine_case *other, const message_case_meeting *plan)
{
    bool is_call = strcmp(plan->process, "top") == 0;
    engine_case_deploy_file(c, is_call ? case_calls : case_messages);
    if (!is_call) {
        message_case_wait(c, "i1");
        message_case_wait(c, "i2");
    }
    faulty_repository_fail_saves(&c->faulty, 2, 0, STF_UNAVAILABLE, false);
    engine_case_start_of(c, plan->process, "x", plan->json);
    engine_case_crash(c);
    engine_case_open(c, NULL);
    pass(c, other, SECONDS(3));
    meet(c, other, plan);
    check_meeting(c, plan);
}

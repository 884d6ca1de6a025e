/* SPDX-License-Identifier: Apache-2.0 */
/* See rule_case.h. A rival acts from within a call of the decorator, at the one moment that
 * matters.
 */
#include "unit/engine/rule_case.h"

#include "engine/private.h"

static stf_ctx moment(void)
{
    stf_ctx ctx = STF_CTX_INIT;
    ctx.flags = STF_CTX_HAS_DEADLINE;
    ctx.deadline.us = stf_clock_system()->mono(NULL).us + 20000;
    return ctx;
}

static void pass(engine_case *c, engine_case *other, int64_t us)
{
    atomic_fetch_add(&c->clock.us, us);
    atomic_fetch_add(&other->clock.us, us);
}

static void step(engine_case *c)
{
    STF_CHECK_OK(stf_engine_step(c->engine, NULL, NULL, &c->error), &c->error);
}

/* ---- R3 ----------------------------------------------------------------------------------------
 */

static const char two_tasks[] =
    "<startEvent id='s'/><userTask id='a'/><userTask id='b'/><endEvent id='e'/>"
    "<sequenceFlow id='f1' sourceRef='s' targetRef='a'/>"
    "<sequenceFlow id='f2' sourceRef='a' targetRef='b'/>"
    "<sequenceFlow id='f3' sourceRef='b' targetRef='e'/>";

void rule_case_step_between_commit_and_repeat(engine_case *c, engine_case *other, bool applies)
{
    engine_case_deploy(c, two_tasks);
    engine_case_start(c, "i1", NULL);
    faulty_repository_fail_saves(&c->faulty, 1, 1, STF_OUTCOME_UNKNOWN, applies);
    stf_ctx ctx = moment(); /* the clock stands still: the repeat comes after it */
    STF_CHECK_STATUS(stf_engine_complete_task(c->engine, &ctx, stf_str_of("i1"), 0, stf_str_of("a"),
                                              NULL, &c->error),
                     STF_OUTCOME_UNKNOWN, &c->error);
    engine_case_task(other, "i1", applies ? "b" : "a", NULL);
    for (int i = 0; i < 5; i++) {
        pass(c, other, SECONDS(1));
        step(c);
    }
    /* Found in the ring, or known as never written: in no case once more. */
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_TASK_COMPLETED), applies ? 1 : 0);
    ck_assert_uint_eq(engine_case_facts_of(other, STF_FACT_TASK_COMPLETED), 1);
    ck_assert_int_eq(engine_case_record(c, "i1").version, applies ? 3 : 2);
    if (!applies) {
        ck_assert(engine_case_waits_at(c, "i1", "b"));
        engine_case_task(c, "i1", "b", NULL); /* the record is free again here */
    }
    ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
}

/* ---- R4 ----------------------------------------------------------------------------------------
 */

static const char work_then_task[] =
    "<startEvent id='s'/><serviceTask id='work'/><userTask id='approve'/><endEvent id='e'/>"
    "<sequenceFlow id='f1' sourceRef='s' targetRef='work'/>"
    "<sequenceFlow id='f2' sourceRef='work' targetRef='approve'/>"
    "<sequenceFlow id='f3' sourceRef='approve' targetRef='e'/>";

static void see_job(engine_case *c, stf_work *work)
{
    (void)work;
    engine_case *witness = c->user;
    stf_value *view = engine_case_view(witness, "i1");
    const stf_value *jobs = stf_value_peek(view, stf_str_of("jobs"));
    ck_assert_uint_eq(stf_value_count(jobs), 1);
    ck_assert(
        stf_value_is_true(stf_value_peek(stf_value_peek_item(jobs, 0), stf_str_of("started"))));
    stf_value_unref(view);
    ck_assert_str_ne(engine_case_record(witness, "i1").owner, "");
}

static void see_fact(engine_case *c, uint32_t kind)
{
    engine_case *witness = c->user;
    if (kind == STF_FACT_INSTANCE_CREATED) {
        ck_assert(engine_case_record(witness, "i1").is_found);
    } else if (kind == STF_FACT_WORK_COMPLETED) {
        ck_assert(engine_case_waits_at(witness, "i1", "approve"));
    } else if (kind == STF_FACT_TASK_COMPLETED || kind == STF_FACT_INSTANCE_COMPLETED) {
        ck_assert_str_eq(engine_case_status(witness, "i1"), "completed");
    }
}

void rule_case_effects_follow_their_saves(engine_case *c, engine_case *witness)
{
    engine_case_deploy(c, work_then_task);
    c->user = witness;
    c->on_call = see_job;
    c->on_fact = see_fact;
    engine_case_start(c, "i1", NULL);
    ck_assert(engine_case_record(witness, "i1").is_found);
    engine_case_idle(c);
    engine_case_task(c, "i1", "approve", NULL);
    ck_assert_str_eq(engine_case_status(witness, "i1"), "completed");
    static const uint32_t seen[] = {STF_FACT_INSTANCE_CREATED, STF_FACT_WORK_COMPLETED,
                                    STF_FACT_TASK_COMPLETED, STF_FACT_INSTANCE_COMPLETED};
    for (size_t i = 0; i < sizeof(seen) / sizeof(seen[0]); i++) {
        ck_assert_uint_eq(engine_case_facts_of(c, seen[i]), 1);
    }
    ck_assert_uint_eq(engine_case_calls_of(c, "work"), 1);
    c->on_call = NULL;
    c->on_fact = NULL;
}

/* ---- Meddling ----------------------------------------------------------------------------------
 */

typedef struct meddler {
    engine_case *other;
    const char *call; /* of the store; before the first one */
    void (*act)(engine_case *other);
    bool is_done;
} meddler;

static void meddle(void *user, const char *name)
{
    meddler *self = user;
    if (!self->is_done && strcmp(name, self->call) == 0) {
        self->is_done = true;
        self->act(self->other);
    }
}

static void let_meddle(engine_case *c, meddler *self)
{
    c->faulty.user = self;
    c->faulty.on_call = self != NULL ? meddle : NULL;
}

/* ---- R9 ----------------------------------------------------------------------------------------
 */

static void make_again(engine_case *other)
{
    stf_delete request = {.struct_size = sizeof(request),
                          .abi = STF_DELETE_ABI,
                          .id = stf_str_of("i1"),
                          .expected_version = engine_case_record(other, "i1").version};
    STF_CHECK_OK(stf_repository_delete(other->store, NULL, &request, &other->error), &other->error);
    engine_case_start(other, "i1", "{\"x\": 2}");
}

void rule_case_made_again_under_the_save(engine_case *c, engine_case *other)
{
    meddler self = {.other = other, .call = "save", .act = make_again};
    engine_case_deploy(c, case_task);
    engine_case_start(c, "i1", "{\"x\": 1}");
    int64_t version = engine_case_record(c, "i1").version;
    let_meddle(c, &self);
    engine_case_task(c, "i1", "approve", NULL);
    let_meddle(c, NULL);
    ck_assert(self.is_done);
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_SAVE_CONFLICTED), 1);
    ck_assert_int_eq(engine_case_record(c, "i1").version, version + 1);
    ck_assert_str_eq(engine_case_variable(c, "i1", "x"),
                     "2"); /* the new one's, not the old one's */
}

/* ---- R16 ---------------------------------------------------------------------------------------
 */

static const char timer_beside_task[] =
    "<startEvent id='s'/><parallelGateway id='g'/><userTask id='approve'/>"
    "<intermediateCatchEvent id='t'><timerEventDefinition><timeDuration>PT1H</timeDuration>"
    "</timerEventDefinition></intermediateCatchEvent><endEvent id='e'/><endEvent id='e2'/>"
    "<sequenceFlow id='f1' sourceRef='s' targetRef='g'/>"
    "<sequenceFlow id='f2' sourceRef='g' targetRef='t'/>"
    "<sequenceFlow id='f3' sourceRef='g' targetRef='approve'/>"
    "<sequenceFlow id='f4' sourceRef='t' targetRef='e'/>"
    "<sequenceFlow id='f5' sourceRef='approve' targetRef='e2'/>";

static void complete_second(engine_case *other)
{
    engine_case_task(other, "i2", "approve", NULL);
}

void rule_case_lost_row_in_a_batch(engine_case *c, engine_case *other)
{
    meddler self = {.other = other, .call = "save_many", .act = complete_second};
    engine_case_deploy(c, timer_beside_task);
    engine_case_start(c, "i1", NULL);
    engine_case_start(c, "i2", NULL);
    engine_case_start(c, "i3", NULL);
    atomic_fetch_add(&c->clock.us, SECONDS(3600));
    let_meddle(c, &self);
    step(c);
    ck_assert(self.is_done);
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_TIMER_FIRED), 2);
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_SAVE_CONFLICTED), 1);
    ck_assert_int_eq(engine_case_record(c, "i1").version, 2);
    ck_assert_int_eq(engine_case_record(c, "i3").version, 2);
    engine_case_idle(c);
    let_meddle(c, NULL);
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_TIMER_FIRED), 3);
    ck_assert_str_eq(engine_case_status(c, "i2"), "completed");
}

/* ---- R14 ---------------------------------------------------------------------------------------
 */

typedef struct rival {
    engine_case *other;
    const char *call;
} rival;

static void let_rival_step(void *user, const char *name)
{
    rival *self = user;
    if (strcmp(name, self->call) == 0) {
        step(self->other);
    }
}

void rule_case_play_herd(engine_case *c, engine_case *other, rule_case_herd *herd)
{
    rival self = {other, herd->call};
    engine_case_deploy(c, case_timer);
    for (int i = 0; i < RULE_CASE_HERD; i++) {
        engine_case_start(c, NULL, NULL);
    }
    pass(c, other, SECONDS(3600));
    c->faulty.user = &self;
    c->faulty.on_call = let_rival_step;
    for (int i = 0; i < RULE_CASE_HERD && engine_case_count(c, "p", "active") != 0; i++) {
        step(c);
        herd->has_left = herd->has_left || c->engine->wake.dues.id.size != 0;
    }
    c->faulty.on_call = NULL;
    herd->fired[0] = engine_case_facts_of(c, STF_FACT_TIMER_FIRED);
    herd->fired[1] = engine_case_facts_of(other, STF_FACT_TIMER_FIRED);
    herd->loaded = engine_case_facts_of(c, STF_FACT_INSTANCE_HYDRATED);
    herd->lost = engine_case_facts_of(c, STF_FACT_SAVE_CONFLICTED);
    ck_assert_uint_eq(herd->fired[0] + herd->fired[1], RULE_CASE_HERD);
    ck_assert_uint_eq(engine_case_count(c, "p", "completed"), RULE_CASE_HERD);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What a step that kills its engine comes to (R15): each engine that takes the record over claims
 * it first, claims without a step add up, and above five the instance is stopped instead of
 * stepped. */
#include "unit/engine/engine_case.h"

static const char *const all_topics[] = {"*", NULL};

static void expect_incident(engine_case *c, const char *kind)
{
    stf_value *view = engine_case_view(c, "i1");
    const stf_value *incidents = stf_value_peek(view, stf_str_of("incidents"));
    ck_assert_uint_eq(stf_value_count(incidents), 1);
    STF_CHECK_STR(stf_value_peek_string(
                      stf_value_peek(stf_value_peek_item(incidents, 0), stf_str_of("kind"))),
                  kind);
    stf_value_unref(view);
}

static void retry(engine_case *c)
{
    STF_CHECK_OK(stf_engine_retry_incident(c->engine, NULL, stf_str_of("i1"), 0, &c->error),
                 &c->error);
    engine_case_idle(c);
}

/* An engine that claims the record and dies before its step is saved; then its lease lapses. */
static void die_of_it(engine_case *c, const char *const *topics)
{
    engine_case_make(c, topics);
    faulty_repository_fail_saves(&c->faulty, 2, 0, STF_UNAVAILABLE, false);
    STF_CHECK_OK(stf_engine_start(c->engine, NULL, &c->error), &c->error);
    engine_case_crash(c);
    atomic_fetch_add(&c->clock.us, SECONDS(31));
}

/* A timer that is overdue by more than a lease. */
static engine_case *leave_overdue(const char *body)
{
    engine_case *c = engine_case_new();
    engine_case_open(c, NULL);
    engine_case_deploy(c, body);
    engine_case_start(c, "i1", NULL);
    engine_case_close(c);
    atomic_fetch_add(&c->clock.us, SECONDS(3600 + 31));
    return c;
}

STF_TEST(r15_an_instance_whose_step_kills_five_engines_is_stopped_by_the_sixth)
{
    for (int deaths = 0; deaths <= 5; deaths++) {
        engine_case *c = leave_overdue(case_timer);
        for (int i = 0; i < deaths; i++) {
            die_of_it(c, NULL);
            ck_assert_int_eq(engine_case_record(c, "i1").incarnation, i + 1);
        }
        engine_case_open(c, NULL);
        engine_case_idle(c);
        bool is_stopped = deaths == 5;
        ck_assert_str_eq(engine_case_status(c, "i1"), is_stopped ? "incident" : "completed");
        ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_TIMER_FIRED), is_stopped ? 0 : 1);
        if (is_stopped) {
            expect_incident(c, "poison");
            engine_case_advance(c, SECONDS(3600));
            ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_TIMER_FIRED), 0);
            retry(c); /* somebody has mended what killed them */
            ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_TIMER_FIRED), 1);
            ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
        }
        engine_case_free(c);
    }
}

STF_TEST(r15_a_step_that_is_saved_ends_the_count)
{
    engine_case *c = leave_overdue(
        "<startEvent id='s'/>"
        "<intermediateCatchEvent id='t1'><timerEventDefinition><timeDuration>PT1H</timeDuration>"
        "</timerEventDefinition></intermediateCatchEvent>"
        "<intermediateCatchEvent id='t2'><timerEventDefinition><timeDuration>PT1H</timeDuration>"
        "</timerEventDefinition></intermediateCatchEvent><endEvent id='e'/>"
        "<sequenceFlow id='f1' sourceRef='s' targetRef='t1'/>"
        "<sequenceFlow id='f2' sourceRef='t1' targetRef='t2'/>"
        "<sequenceFlow id='f3' sourceRef='t2' targetRef='e'/>");
    for (int timers = 1; timers <= 2; timers++) {
        for (int i = 0; i < 4; i++) {
            die_of_it(c, NULL);
        }
        engine_case_open(c, NULL);
        engine_case_idle(c);
        ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_TIMER_FIRED), (size_t)timers);
        engine_case_close(c);
        atomic_fetch_add(&c->clock.us, SECONDS(3600 + 31));
    }
    ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
    engine_case_free(c);
}

/* ---- Neighbours --------------------------------------------------------------------------------
 */

#define NEIGHBOURS 12

typedef struct killer {
    engine_case *c;
    int64_t incarnation;
} killer;

/* The step of "i1" kills: whatever would be saved after it was claimed is not. */
static void kill_after_claim(void *user, const char *name)
{
    killer *self = user;
    if (strncmp(name, "save", 4) == 0 &&
        engine_case_record(self->c, "i1").incarnation > self->incarnation) {
        atomic_store(&self->c->faulty.status, STF_UNAVAILABLE);
        atomic_store(&self->c->faulty.fail_at, 1);
    }
}

STF_TEST(r15_what_is_taken_over_together_with_a_killer_is_not_stopped_with_it)
{
    engine_case *c = engine_case_new();
    killer self = {.c = c};
    engine_case_open(c, NULL);
    engine_case_deploy(c, case_timer);
    engine_case_start(c, "i1", NULL);
    for (int i = 0; i < NEIGHBOURS; i++) {
        engine_case_start(c, NULL, NULL);
    }
    engine_case_close(c);
    atomic_fetch_add(&c->clock.us, SECONDS(3600 + 31));
    for (int deaths = 0; deaths < 5; deaths++) {
        engine_case_make(c, NULL);
        c->faulty.user = &self;
        c->faulty.on_call = kill_after_claim;
        STF_CHECK_OK(stf_engine_start(c->engine, NULL, &c->error), &c->error);
        for (int i = 0; i < 2 * NEIGHBOURS && atomic_load(&c->faulty.fail_at) == 0; i++) {
            STF_CHECK_OK(stf_engine_step(c->engine, NULL, NULL, &c->error), &c->error);
        }
        engine_case_crash(c);
        self.incarnation++;
        ck_assert_int_eq(engine_case_record(c, "i1").incarnation, self.incarnation);
        atomic_fetch_add(&c->clock.us, SECONDS(31));
    }
    engine_case_open(c, NULL);
    engine_case_idle(c);
    expect_incident(c, "poison");
    ck_assert_uint_eq(engine_case_count(c, "p", "completed"), NEIGHBOURS);
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_TIMER_FIRED), NEIGHBOURS);
    engine_case_free(c);
}

/* What is due on time is stepped without a claim: nothing has died of it yet. */
STF_TEST(r15_what_is_due_on_time_costs_no_claim)
{
    engine_case *c = engine_case_new();
    engine_case_open(c, NULL);
    engine_case_deploy(c, case_timer);
    engine_case_start(c, "i1", NULL);
    engine_case_advance(c, SECONDS(3600));
    case_record record = engine_case_record(c, "i1");
    ck_assert_int_eq(record.version, 2);
    ck_assert_int_eq(record.incarnation, 0);
    engine_case_free(c);
}

/* The handler begins for that time, or the instance is stopped. */
static bool begins(engine_case *c, size_t count)
{
    while (engine_case_calls_of(c, "work") < count) {
        if (strcmp(engine_case_status(c, "i1"), "incident") == 0) {
            return false;
        }
        STF_CHECK_OK(stf_engine_step(c->engine, NULL, NULL, &c->error), &c->error);
    }
    return true;
}

/* Its handler is what kills: work that may run again is begun by the step of recovery itself. */
STF_TEST(r15_an_idempotent_handler_that_kills_its_engines_is_begun_six_times_and_no_more)
{
    engine_case *c = engine_case_new();
    c->options.workers = 1;
    c->answer = CASE_BLOCK;
    engine_case_open(c, all_topics);
    engine_case_deploy(c, "<startEvent id='s'/><serviceTask id='work' stepfast:idempotent='true'/>"
                          "<endEvent id='e'/><sequenceFlow id='a' sourceRef='s' targetRef='work'/>"
                          "<sequenceFlow id='b' sourceRef='work' targetRef='e'/>");
    engine_case_start(c, "i1", NULL);
    for (size_t deaths = 1; deaths <= 6; deaths++) {
        ck_assert(begins(c, deaths));
        engine_case_crash(c);
        atomic_fetch_add(&c->clock.us, SECONDS(31));
        engine_case_open(c, all_topics);
    }
    ck_assert(!begins(c, 7)); /* it did at the start, and by five others */
    expect_incident(c, "poison");
    engine_case_advance(c, SECONDS(100));
    ck_assert_uint_eq(engine_case_calls_of(c, "work"), 6);
    c->answer = CASE_COMPLETE;
    retry(c);
    ck_assert_uint_eq(engine_case_calls_of(c, "work"), 7);
    ck_assert_str_eq(c->calls[6].key, c->calls[0].key); /* R6 */
    ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
    engine_case_free(c);
}

/* ---- An instance that is always due */

static const char spins[] =
    "<startEvent id='s'/><userTask id='approve'/><exclusiveGateway id='g'/>"
    "<intermediateCatchEvent id='t'><timerEventDefinition><timeDuration>PT0S</timeDuration>"
    "</timerEventDefinition></intermediateCatchEvent>"
    "<sequenceFlow id='f1' sourceRef='s' targetRef='approve'/>"
    "<sequenceFlow id='f2' sourceRef='s' targetRef='t'/>"
    "<sequenceFlow id='f3' sourceRef='t' targetRef='g'/>"
    "<sequenceFlow id='f4' sourceRef='g' targetRef='t'/>";

typedef struct patience {
    stf_cancel *cancel;
    size_t left;
} patience;

/* Whoever waits for a turn longer than that many firings gives up. */
static void lose_patience(engine_case *c, uint32_t kind)
{
    patience *self = c->user;
    if (kind == STF_FACT_TIMER_FIRED && self->left > 0 && --self->left == 0) {
        stf_cancel_request(self->cancel);
    }
}

STF_TEST(what_came_has_its_turn_in_an_instance_that_is_always_due)
{
    engine_case *c = engine_case_new();
    patience waits = {.left = 100};
    stf_ctx ctx = STF_CTX_INIT;
    STF_CHECK_OK(stf_cancel_new(NULL, &waits.cancel, &c->error), &c->error);
    ctx.cancel = waits.cancel;
    engine_case_open(c, NULL);
    engine_case_deploy(c, spins);
    engine_case_start(c, "i1", NULL);
    c->user = &waits;
    c->on_fact = lose_patience;
    STF_CHECK_OK(stf_engine_complete_task(c->engine, &ctx, stf_str_of("i1"), 0,
                                          stf_str_of("approve"), NULL, &c->error),
                 &c->error);
    STF_CHECK_OK(stf_engine_cancel_instance(c->engine, &ctx, stf_str_of("i1"),
                                            stf_str_of("it spins"), &c->error),
                 &c->error);
    engine_case_idle(c);
    ck_assert_str_eq(engine_case_status(c, "i1"), "terminated");
    engine_case_free(c);
    stf_cancel_unref(waits.cancel);
}

static const stf_test_case cases[] = {
    STF_CASE(r15_an_instance_whose_step_kills_five_engines_is_stopped_by_the_sixth),
    STF_CASE(r15_a_step_that_is_saved_ends_the_count),
    STF_CASE(r15_what_is_taken_over_together_with_a_killer_is_not_stopped_with_it),
    STF_CASE(r15_what_is_due_on_time_costs_no_claim),
    STF_CASE(r15_an_idempotent_handler_that_kills_its_engines_is_begun_six_times_and_no_more),
    STF_CASE(what_came_has_its_turn_in_an_instance_that_is_always_due),
};

STF_TEST_MAIN("step", cases)

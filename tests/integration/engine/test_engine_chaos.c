/* SPDX-License-Identifier: Apache-2.0 */
/* Two engines on one store, driven at random from a seed: lost and applied saves, a store that is
 * away, crashes, jumps of the clock. Whatever happens, no attempt of work runs twice, nothing
 * completes twice, and in the end every instance that was started completes. A failing seed is
 * printed; STF_SEED=n plays it alone, STF_SEEDS=n plays so many. */
#include "unit/engine/engine_case.h"

#include <stdlib.h>

enum {
    INSTANCES = 5,
    MOVES = 120,
    SEEDS = 150
};

static const char *const all_topics[] = {"*", NULL};

static const char body[] =
    "<startEvent id='s'/><parallelGateway id='g'/><serviceTask id='a'/><userTask id='approve'/>"
    "<boundaryEvent id='nudge' attachedToRef='approve' cancelActivity='false'>"
    "<timerEventDefinition><timeDuration>PT3S</timeDuration></timerEventDefinition>"
    "</boundaryEvent><serviceTask id='remind'/><endEvent id='reminded'/>"
    "<intermediateCatchEvent id='t'><timerEventDefinition><timeDuration>PT5S</timeDuration>"
    "</timerEventDefinition></intermediateCatchEvent><parallelGateway id='j'/>"
    "<serviceTask id='b'/><endEvent id='e'/>"
    "<sequenceFlow id='f1' sourceRef='s' targetRef='g'/>"
    "<sequenceFlow id='f2' sourceRef='g' targetRef='a'/>"
    "<sequenceFlow id='f3' sourceRef='g' targetRef='approve'/>"
    "<sequenceFlow id='f4' sourceRef='a' targetRef='t'/>"
    "<sequenceFlow id='f5' sourceRef='t' targetRef='j'/>"
    "<sequenceFlow id='f6' sourceRef='approve' targetRef='j'/>"
    "<sequenceFlow id='f7' sourceRef='j' targetRef='b'/>"
    "<sequenceFlow id='f8' sourceRef='b' targetRef='e'/>"
    "<sequenceFlow id='f9' sourceRef='nudge' targetRef='remind'/>"
    "<sequenceFlow id='f10' sourceRef='remind' targetRef='reminded'/>";

typedef struct chaos {
    engine_case *engines[2];
    uint64_t state;
    uint64_t seed;
} chaos;

static uint32_t draw(chaos *x, uint32_t below)
{
    x->state = x->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(x->state >> 33) % below;
}

static void name_of(int number, char *ret_name)
{
    snprintf(ret_name, 16, "i%d", number);
}

static void move_clock(chaos *x, int64_t us)
{
    atomic_fetch_add(&x->engines[0]->clock.us, us);
    atomic_fetch_add(&x->engines[1]->clock.us, us);
}

static stf_ctx short_limit(void)
{
    stf_ctx ctx = STF_CTX_INIT;
    ctx.flags = STF_CTX_HAS_DEADLINE;
    ctx.deadline.us = stf_clock_system()->mono(NULL).us + 2000;
    return ctx;
}

static void step(engine_case *c)
{
    bool did;
    ck_assert_int_eq(stf_engine_step(c->engine, NULL, &did, NULL), STF_OK);
}

/* ctx NULL: without a limit, once the store is well. */
static void start_one(chaos *x, engine_case *c, int number, const stf_ctx *ctx)
{
    char id[16];
    stf_start start = STF_START_INIT;
    name_of(number, id);
    start.process = stf_str_of("p");
    start.id = stf_str_of(id);
    stf_status status = stf_engine_start_instance(c->engine, ctx, &start, NULL, NULL);
    bool is_there = engine_case_record(c, id).is_found;
    ck_assert_msg(status != STF_OK || is_there, "seed %llu: %s was acknowledged and is not there",
                  (unsigned long long)x->seed, id);
    ck_assert_msg(is_there || status != STF_ALREADY_EXISTS, "seed %llu",
                  (unsigned long long)x->seed);
}

static void complete_one(engine_case *c, int number, const stf_ctx *ctx)
{
    char id[16];
    name_of(number, id);
    (void)!stf_engine_complete_task(c->engine, ctx, stf_str_of(id), 0, stf_str_of("approve"), NULL,
                                    NULL);
}

static void retry_one(engine_case *c, int number, const stf_ctx *ctx)
{
    char id[16];
    name_of(number, id);
    if (strcmp(engine_case_status(c, id), "incident") == 0) {
        stf_value *view = engine_case_view(c, id);
        const stf_value *incidents = stf_value_peek(view, stf_str_of("incidents"));
        int64_t incident = 0;
        (void)stf_value_get_int(
            stf_value_peek(stf_value_peek_item(incidents, 0), stf_str_of("incident")), &incident);
        stf_value_unref(view);
        (void)!stf_engine_retry_incident(c->engine, ctx, stf_str_of(id), (uint64_t)incident, NULL);
    }
}

static void crash(chaos *x, engine_case *c)
{
    engine_case_crash(c);
    atomic_store(&c->seed, (uint64_t)x->state);
    engine_case_open(c, all_topics);
}

static void disturb(chaos *x, engine_case *c)
{
    static const struct {
        stf_status status;
        bool applies;
    } faults[] = {{STF_OUTCOME_UNKNOWN, true},
                  {STF_OUTCOME_UNKNOWN, false},
                  {STF_UNAVAILABLE, false},
                  {STF_OUTCOME_UNKNOWN, true}};
    uint32_t which = draw(x, 4);
    faulty_repository_fail_saves(&c->faulty, 1 + (long)draw(x, 3), 1 + (long)draw(x, 3),
                                 faults[which].status, faults[which].applies);
}

static void make_move(chaos *x)
{
    engine_case *c = x->engines[draw(x, 2)];
    int number = (int)draw(x, INSTANCES);
    stf_ctx ctx = short_limit();
    switch (draw(x, 12)) {
    case 0:
        start_one(x, c, number, &ctx);
        break;
    case 1:
        complete_one(c, number, &ctx);
        break;
    case 2:
        move_clock(x, SECONDS(draw(x, 4)));
        break;
    case 3:
        disturb(x, c);
        break;
    case 4:
        if (draw(x, 4) == 0) {
            crash(x, c);
        }
        break;
    case 5:
        if (draw(x, 6) == 0) {
            move_clock(x, SECONDS(31));
        }
        break;
    case 6:
        retry_one(c, number, &ctx);
        break;
    default:
        step(c);
        break;
    }
}

/* The store is well again: everything comes to its end. */
static void lead_to_the_end(chaos *x)
{
    for (int i = 0; i < 2; i++) {
        faulty_repository_heal(&x->engines[i]->faulty);
    }
    for (int round = 0; round < 60; round++) {
        move_clock(x, SECONDS(4));
        for (int i = 0; i < 4; i++) {
            step(x->engines[0]);
            step(x->engines[1]);
        }
        for (int number = 0; number < INSTANCES; number++) {
            char id[16];
            name_of(number, id);
            if (round == 0 && !engine_case_record(x->engines[0], id).is_found) {
                start_one(x, x->engines[0], number, NULL);
            }
            if (round > 15) {
                retry_one(x->engines[round % 2], number, NULL);
                complete_one(x->engines[round % 2], number, NULL);
            }
        }
    }
}

/* No attempt of any activation has run twice, here or there. */
static void check_calls(const chaos *x)
{
    for (int i = 0; i < 2; i++) {
        const engine_case *c = x->engines[i];
        for (size_t n = 0; n < c->call_count; n++) {
            size_t same = 0;
            for (int k = 0; k < 2; k++) {
                for (size_t m = 0; m < x->engines[k]->call_count; m++) {
                    const case_call *other = &x->engines[k]->calls[m];
                    same += strcmp(other->instance, c->calls[n].instance) == 0 &&
                                    other->activation == c->calls[n].activation &&
                                    other->attempt == c->calls[n].attempt
                                ? 1
                                : 0;
                }
            }
            ck_assert_msg(same == 1, "seed %llu: %s %s activation %llu attempt %u ran %zu times",
                          (unsigned long long)x->seed, c->calls[n].instance, c->calls[n].element,
                          (unsigned long long)c->calls[n].activation, c->calls[n].attempt, same);
        }
    }
}

static void play(uint64_t seed)
{
    chaos x = {.seed = seed, .state = seed * 7919 + 1};
    x.engines[0] = engine_case_new();
    engine_case_open(x.engines[0], all_topics);
    engine_case_deploy(x.engines[0], body);
    x.engines[1] = engine_case_join(x.engines[0], "two", all_topics);
    for (int i = 0; i < MOVES; i++) {
        make_move(&x);
    }
    lead_to_the_end(&x);
    for (int number = 0; number < INSTANCES; number++) {
        char id[16];
        name_of(number, id);
        ck_assert_msg(strcmp(engine_case_status(x.engines[0], id), "completed") == 0,
                      "seed %llu: %s is %s", (unsigned long long)seed, id,
                      engine_case_status(x.engines[0], id));
    }
    check_calls(&x);
    size_t completed = engine_case_facts_of(x.engines[0], STF_FACT_INSTANCE_COMPLETED) +
                       engine_case_facts_of(x.engines[1], STF_FACT_INSTANCE_COMPLETED);
    ck_assert_msg(completed <= INSTANCES, "seed %llu: %zu completions", (unsigned long long)seed,
                  completed);
    engine_case_free(x.engines[1]);
    engine_case_free(x.engines[0]);
}

STF_TEST(two_engines_survive_whatever_the_store_and_the_clock_do)
{
    const char *one = getenv("STF_SEED");
    const char *many = getenv("STF_SEEDS");
    uint64_t last = many != NULL ? strtoull(many, NULL, 10) : SEEDS;
    if (one != NULL) {
        play(strtoull(one, NULL, 10));
        return;
    }
    for (uint64_t seed = 1; seed <= last; seed++) {
        play(seed);
    }
}

static const stf_test_case cases[] = {
    STF_CASE(two_engines_survive_whatever_the_store_and_the_clock_do),
};

STF_TEST_MAIN("engine_chaos", cases)

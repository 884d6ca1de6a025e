/* SPDX-License-Identifier: Apache-2.0 */
/* One run of a plan: a store that lives through it, one engine after the other, and a clock that
 * moves only when the simulation says so. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/sim.h"

enum {
    ROUNDS_MAX = 20,
    SETTLE_STEPS = 40
};

static const int64_t settle_us = 250000;

void sim_life_fail(sim_life *life, const char *format, ...)
{
    va_list arguments;
    if (life->failure[0] != '\0') {
        return; /* the first one is the cause */
    }
    va_start(arguments, format);
    vsnprintf(life->failure, sizeof(life->failure), format, arguments);
    va_end(arguments);
}

/* ---- Ports ----------------------------------------------------------------------------------- */

static stf_wall clock_wall(void *user)
{
    return (stf_wall){SIM_BEGIN_US + ((sim_life *)user)->now_us};
}

/* Starts above 0, as a boot-time clock does. */
static stf_mono clock_mono(void *user)
{
    return (stf_mono){SIM_SECONDS(1000) + ((sim_life *)user)->now_us};
}

static void fill_random(void *user, void *bytes, size_t size)
{
    sim_life *life = user;
    uint8_t *to = bytes;
    for (size_t i = 0; i < size; i++) {
        to[i] = (uint8_t)sim_next(&life->random);
    }
}

/* Limits a call by what the store's fault requests and, lest a defect hangs the run, by real time.
 */
static stf_ctx limit(const sim_life *life)
{
    stf_ctx ctx = STF_CTX_INIT;
    ctx.flags = STF_CTX_HAS_DEADLINE;
    ctx.deadline = stf_clock_system()->mono(NULL);
    ctx.deadline.us += SIM_SECONDS(30);
    ctx.cancel = life->cancel;
    return ctx;
}

static void renew_cancel(sim_life *life)
{
    life->cancel = stf_cancel_unref(life->cancel);
    if (stf_cancel_new(NULL, &life->cancel, NULL) != STF_OK) {
        abort();
    }
    life->store.cancel = life->cancel;
    life->store.is_hit = false;
}

/* ---- Engines --------------------------------------------------------------------------------- */

static void make_engine(sim_life *life)
{
    stf_engine_options options = STF_ENGINE_OPTIONS_INIT;
    life->outer = sim_store_open(&life->store);
    options.flags = STF_ENGINE_JOURNAL;
    options.id = "sim";
    options.group = "g";
    options.repository = life->outer;
    options.definitions = life->definitions;
    options.clock = &life->clock;
    options.random = &life->random_port;
    options.lease_us = SIM_LEASE_US;
    options.step_budget = life->plan->step_budget;
    if (stf_engine_new(&options, &life->engine, NULL) != STF_OK) {
        abort();
    }
    sim_handlers_add(life);
}

void sim_life_open(sim_life *life)
{
    stf_error error = STF_ERROR_INIT;
    stf_ctx ctx = limit(life);
    make_engine(life);
    stf_status status = stf_engine_start(life->engine, &ctx, &error);
    if (status != STF_OK && !life->store.is_dead && !life->store.is_hit) {
        sim_life_fail(life, "the engine does not start: %s: %s", stf_status_name(status),
                      error.message);
    }
}

void sim_life_close(sim_life *life)
{
    stf_ctx ctx = limit(life);
    life->engine = stf_engine_close(life->engine, &ctx);
    life->outer = stf_repository_close(life->outer);
}

/* The store has answered a save with "outcome unknown" and goes on: so must the engine, by itself,
 * in the time that its pauses take. */
static void settle(sim_life *life)
{
    stf_error error = STF_ERROR_INIT;
    life->faults++;
    renew_cancel(life);
    for (int i = 0; i < SETTLE_STEPS && !life->store.is_dead; i++) {
        life->now_us += settle_us;
        stf_status status = stf_engine_step(life->engine, NULL, NULL, &error);
        if (status != STF_OK && !life->store.is_dead) {
            sim_life_fail(life, "a step fails: %s: %s", stf_status_name(status), error.message);
        }
    }
}

void sim_life_rest(sim_life *life)
{
    stf_error error = STF_ERROR_INIT;
    for (int round = 0; round < ROUNDS_MAX; round++) {
        if (life->store.is_dead) {
            return;
        }
        if (life->store.is_hit) {
            settle(life);
        }
        stf_ctx ctx = limit(life);
        stf_status status = stf_engine_run(life->engine, &ctx, STF_RUN_IDLE, &error);
        if (status == STF_OK && !life->store.is_hit) {
            return;
        }
        if (!life->store.is_dead && !life->store.is_hit) {
            sim_life_fail(life, "does not come to rest: %s: %s", stf_status_name(status),
                          error.message);
            return;
        }
    }
    sim_life_fail(life, "does not come to rest");
}

/* What was started and has no result in the store is what a crash leaves open. */
static void note_in_flight(sim_life *life)
{
    for (unsigned i = 0; i < SIM_INSTANCES_MAX; i++) {
        const sim_work_set *started = &life->store.books[i].started;
        for (size_t k = 0; k < started->count; k++) {
            const sim_work_id *id = &started->items[k];
            sim_effect *effect = sim_effect_get(life, id);
            if (effect != NULL) {
                effect->in_flight++;
            }
            if (!life->plan->is_idempotent &&
                !sim_work_set_has(&life->lost, id->instance, id->activation, id->attempt) &&
                !sim_work_set_add(&life->lost, id)) {
                life->is_too_big = true;
            }
        }
    }
}

void sim_life_recover(sim_life *life)
{
    life->faults++;
    life->crashes++;
    note_in_flight(life);
    sim_life_close(life); /* its store answers nothing, so this drops it */
    life->store.is_dead = false;
    life->store.fault = life->second;
    life->store.fault.at += life->second.at != 0 ? life->store.saves : 0;
    life->second.at = 0;
    renew_cancel(life);
    life->now_us += SIM_LEASE_US + 1000;
    sim_life_open(life);
}

/* ---- Distances in time ----------------------------------------------------------------------- */

static bool is_near(int64_t a, int64_t b)
{
    return a - b < SIM_GAP_US && b - a < SIM_GAP_US;
}

void sim_life_check_gaps(sim_life *life, int64_t fired_us)
{
    int64_t now = SIM_BEGIN_US + life->now_us;
    int64_t all[SIM_INSTANCES_MAX * SIM_TIMERS_MAX];
    unsigned of[SIM_INSTANCES_MAX * SIM_TIMERS_MAX];
    size_t count = 0;
    for (unsigned i = 0; i < SIM_INSTANCES_MAX; i++) {
        for (size_t k = 0; k < life->store.books[i].due_count; k++) {
            of[count] = i;
            all[count++] = life->store.books[i].dues[k];
        }
    }
    for (size_t i = 0; i < count; i++) {
        bool is_tight = is_near(all[i], now) && all[i] != fired_us;
        for (size_t k = 0; k < i; k++) {
            bool is_same_but_apart = of[i] != of[k] && all[i] == all[k];
            is_tight = is_tight || (is_near(all[i], all[k]) && !is_same_but_apart);
        }
        life->is_tight = life->is_tight || is_tight;
    }
}

/* ---- Birth and death ------------------------------------------------------------------------- */

static void begin(sim_life *life, sim_plan *plan, sim_fault fault, sim_fault second,
                  const sim_work_set *unknown)
{
    memset(life, 0, sizeof(*life));
    life->plan = plan;
    life->second = second;
    life->unknown = unknown;
    life->retries_left = 4;
    life->random.state = sim_mix(plan->seed, 77);
    life->clock = (stf_clock){.struct_size = sizeof(stf_clock),
                              .abi = STF_CLOCK_ABI,
                              .user = life,
                              .wall = clock_wall,
                              .mono = clock_mono};
    life->random_port = (stf_random){.struct_size = sizeof(stf_random),
                                     .abi = STF_RANDOM_ABI,
                                     .user = life,
                                     .fill = fill_random};
    stf_memory_options options = {
        .struct_size = sizeof(options), .abi = STF_MEMORY_ABI, .clock = &life->clock};
    if (stf_memory_new(&options, &life->memory, NULL) != STF_OK ||
        stf_memory_open_repository(life->memory, &life->inner, NULL) != STF_OK ||
        stf_memory_open_definitions(plan->definitions, &life->definitions, NULL) != STF_OK) {
        abort();
    }
    life->store.inner = life->inner;
    life->store.fault = fault;
    for (size_t i = 0; i < SIM_INSTANCES_MAX; i++) {
        stf_buf_init(&life->store.books[i].head, NULL);
        stf_buf_init(&life->store.books[i].bulk, NULL);
    }
    renew_cancel(life);
}

static void deploy(sim_life *life)
{
    stf_error error = STF_ERROR_INIT;
    if (life->plan->is_deployed) {
        return;
    }
    stf_status status = stf_engine_deploy(life->engine, NULL, stf_buf_bytes(&life->plan->text),
                                          NULL, NULL, NULL, &error);
    if (status != STF_OK) {
        sim_life_fail(life, "the process is refused: %s: %s", stf_status_name(status),
                      error.message);
    }
    life->plan->is_deployed = true;
}

void sim_life_play(sim_life *life, sim_plan *plan, sim_fault fault, sim_fault second,
                   const sim_work_set *unknown)
{
    begin(life, plan, fault, second, unknown);
    sim_life_open(life);
    deploy(life);
    sim_script_play(life);
    sim_life_close(life);
    sim_effects_check(life);
    if (life->store.failure[0] != '\0') {
        life->failure[0] = '\0';
        sim_life_fail(life, "%s", life->store.failure);
    }
}

void sim_life_done(sim_life *life)
{
    for (size_t i = 0; i < life->trace.count; i++) {
        free(life->trace.steps[i]);
    }
    stf_repository_close(life->inner);
    stf_definition_store_close(life->definitions);
    stf_memory_unref(life->memory);
    stf_cancel_unref(life->cancel);
    sim_store_done(&life->store);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* One run of a plan: a store that lives through it, engines that come and go, clocks that move
 * when the simulation says so, and the order in which engines step, drawn from the fate's seed. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/group.h"

enum {
    ROUNDS_MAX = 3000,
    QUIET_ROUNDS = 3
};

static const int64_t calm_rest_us = 3000000;

void group_fail(group_life *life, const char *format, ...)
{
    va_list arguments;
    if (life->failure[0] != '\0') {
        return; /* the first one is the cause */
    }
    int used = snprintf(life->failure, sizeof(life->failure), "save %u: ", life->saves);
    va_start(arguments, format);
    vsnprintf(life->failure + used, sizeof(life->failure) - (size_t)used, format, arguments);
    va_end(arguments);
}

int64_t group_now(const group_life *life)
{
    return SIM_BEGIN_US + life->now_us;
}

/* ---- Ports ----------------------------------------------------------------------------------- */

static stf_wall store_wall(void *user)
{
    return (stf_wall){group_now(user)};
}

static stf_mono store_mono(void *user)
{
    return (stf_mono){SIM_SECONDS(1000) + ((group_life *)user)->now_us};
}

static stf_wall engine_wall(void *user)
{
    group_engine *engine = user;
    return (stf_wall){group_now(engine->life) + engine->wall_skew_us};
}

/* Starts above 0 and never goes back, as a boot-time clock does. */
static stf_mono engine_mono(void *user)
{
    group_engine *engine = user;
    if (engine->life->is_in_call) {
        engine->life->now_us += 20000; /* a caller waits for what the engine puts off */
    }
    return (stf_mono){SIM_SECONDS(1000) + engine->life->now_us + engine->mono_ahead_us};
}

static void fill_random(void *user, void *bytes, size_t size)
{
    group_engine *engine = user;
    uint8_t *to = bytes;
    for (size_t i = 0; i < size; i++) {
        to[i] = (uint8_t)sim_next(&engine->life->bytes);
    }
}

static stf_ctx limit(const group_engine *engine)
{
    stf_ctx ctx = STF_CTX_INIT;
    ctx.flags = STF_CTX_HAS_DEADLINE; /* real time: a defect must not hang the run */
    ctx.deadline = stf_clock_system()->mono(NULL);
    ctx.deadline.us += SIM_SECONDS(10);
    ctx.cancel = engine->cancel;
    return ctx;
}

static void renew_cancel(group_engine *engine)
{
    engine->cancel = stf_cancel_unref(engine->cancel);
    if (stf_cancel_new(NULL, &engine->cancel, NULL) != STF_OK) {
        abort();
    }
    engine->is_hit = false;
}

/* ---- Engines --------------------------------------------------------------------------------- */

static void make_engine(group_engine *engine)
{
    static const char *const ids[GROUP_ENGINES] = {"one", "two"};
    const group_plan *plan = engine->life->plan;
    stf_engine_options options = STF_ENGINE_OPTIONS_INIT;
    engine->outer = group_store_open(engine);
    options.flags = STF_ENGINE_JOURNAL;
    options.id = ids[engine->index];
    options.group = "g";
    options.repository = engine->outer;
    options.definitions = engine->life->definitions;
    options.clock = &engine->clock;
    options.random = &engine->random_port;
    options.lease_us = GROUP_LEASE_US;
    options.step_budget = plan->step_budget;
    options.retry = plan->retry;
    engine->owner[0] = '\0';
    if (stf_engine_new(&options, &engine->engine, NULL) != STF_OK) {
        abort();
    }
    group_handlers_add(engine);
}

static void close_engine(group_engine *engine)
{
    stf_ctx ctx = limit(engine);
    engine->life->is_in_call = true;
    engine->engine = stf_engine_close(engine->engine, &ctx);
    engine->life->is_in_call = false;
    engine->outer = stf_repository_close(engine->outer);
}

/* A dead one is dropped: its store answers nothing, so closing it writes nothing. */
static void bury(group_engine *engine)
{
    if (engine->is_dead && engine->engine != NULL) {
        close_engine(engine);
        engine->is_dead = false;
    }
    if (engine->is_hit) {
        renew_cancel(engine);
    }
}

static void open_engine(group_engine *engine)
{
    stf_error error = STF_ERROR_INIT;
    renew_cancel(engine);
    make_engine(engine);
    stf_ctx ctx = limit(engine);
    stf_status status = stf_engine_start(engine->engine, &ctx, &error);
    if (status != STF_OK && !engine->is_dead && !engine->is_hit) {
        group_fail(engine->life, "an engine does not start: %s: %s", stf_status_name(status),
                   error.message);
    }
    if (status != STF_OK) {
        engine->is_dead = true;
        engine->rest = 0;
    }
    bury(engine);
}

group_engine *group_pick(group_life *life)
{
    uint32_t first = sim_draw(&life->chance, life->plan->engines);
    for (unsigned tries = 0; tries < 20; tries++) {
        group_engine *engine = &life->engines[(first + tries) % life->plan->engines];
        bury(engine);
        if (engine->engine == NULL && tries >= life->plan->engines) {
            open_engine(engine);
        }
        if (engine->engine != NULL) {
            return engine;
        }
    }
    group_fail(life, "no engine starts");
    return &life->engines[0];
}

static void step(group_engine *engine)
{
    stf_error error = STF_ERROR_INIT;
    stf_status status = stf_engine_step(engine->engine, NULL, NULL, &error);
    if (status != STF_OK && !engine->is_dead) {
        group_fail(engine->life, "a step fails: %s: %s", stf_status_name(status), error.message);
    }
    bury(engine);
}

/* ---- Time and order -------------------------------------------------------------------------- */

static void jump(group_engine *engine)
{
    group_life *life = engine->life;
    if (!life->fate.has_jumps || life->is_calm || !sim_chance(&life->chance, 4)) {
        return;
    }
    life->counts.jumps++;
    switch (sim_draw(&life->chance, 3)) {
    case 0:
        engine->wall_skew_us = (int64_t)sim_draw(&life->chance, 10) * 1000000 - GROUP_SKEW_US;
        break;
    case 1: /* as after a suspended machine */
        engine->mono_ahead_us += SIM_SECONDS(sim_draw(&life->chance, 60));
        break;
    default: /* stopped gracefully, and started again */
        close_engine(engine);
        engine->rest = sim_draw(&life->chance, 5);
        bury(engine);
        break;
    }
}

static void round_of(group_engine *engine)
{
    group_life *life = engine->life;
    bury(engine);
    if (engine->engine == NULL) {
        if (engine->rest != 0) {
            engine->rest--;
            return;
        }
        open_engine(engine);
    }
    if (engine->engine != NULL) {
        jump(engine);
    }
    bool pauses = life->fate.has_jumps && !life->is_calm && sim_chance(&life->chance, 10);
    if (engine->engine != NULL && !pauses) {
        step(engine);
    }
}

void group_stall(group_life *life, const group_engine *stalled)
{
    group_engine *other = &life->engines[1 - stalled->index];
    bool is_long = sim_chance(&life->chance, 70);
    unsigned rounds = 2 + sim_draw(&life->chance, 8);
    if (life->is_nested) {
        return;
    }
    life->is_nested = true;
    life->counts.stalls++;
    life->now_us += is_long ? GROUP_STALL_US : SIM_SECONDS(1);
    for (unsigned i = 0; i < rounds && life->plan->engines > 1; i++) {
        if (other->engine != NULL && !other->is_dead) {
            step(other);
        }
        life->now_us += SIM_SECONDS(1) / 2;
    }
    life->is_nested = false;
}

static bool are_all_there(const group_life *life)
{
    for (unsigned i = 0; i < life->plan->engines; i++) {
        if (life->engines[i].engine == NULL || life->engines[i].is_dead) {
            return false;
        }
    }
    return true;
}

static bool is_disturbed(const group_life *life)
{
    return life->fate.at != 0 || life->fate.percent != 0 || life->fate.has_jumps;
}

void group_rest(group_life *life)
{
    unsigned quiet = 0;
    int64_t restless_us = 0;
    for (unsigned round = 0; life->failure[0] == '\0' && quiet < QUIET_ROUNDS; round++) {
        uint32_t saves = life->saves;
        /* Undisturbed, nothing is left to what is due later for those who missed it. */
        bool is_slow = !is_disturbed(life) && restless_us > calm_rest_us;
        if (is_slow || round == ROUNDS_MAX) {
            const char *unrest = group_find_unrest(life);
            group_fail(life, "does not come to rest: %s",
                       unrest != NULL ? unrest : "an engine is missing");
            return;
        }
        uint32_t first = sim_draw(&life->chance, life->plan->engines);
        for (unsigned i = 0; i < life->plan->engines; i++) {
            round_of(&life->engines[(first + i) % life->plan->engines]);
        }
        bool is_quiet =
            life->saves == saves && are_all_there(life) && group_find_unrest(life) == NULL;
        quiet = is_quiet ? quiet + 1 : 0;
        if (is_quiet) {
            life->now_us += SIM_SECONDS(1) + 100000; /* so that each looks at the store */
        } else if (life->saves == saves) {
            int64_t pause_us = 200000;
            pause_us += is_disturbed(life) ? 1000 * (int64_t)sim_draw(&life->chance, 2000) : 0;
            restless_us += pause_us;
            life->now_us += pause_us;
        }
    }
    group_check_rest(life);
}

/* ---- Birth and death ------------------------------------------------------------------------- */

static void begin(group_life *life, group_plan *plan, group_fate fate)
{
    memset(life, 0, sizeof(*life));
    life->plan = plan;
    life->fate = fate;
    life->chance.state = sim_mix(plan->seed, fate.seed);
    life->bytes.state = sim_mix(plan->seed, fate.seed + 1000);
    life->clock = (stf_clock){.struct_size = sizeof(stf_clock),
                              .abi = STF_CLOCK_ABI,
                              .user = life,
                              .wall = store_wall,
                              .mono = store_mono};
    stf_memory_options options = {
        .struct_size = sizeof(options), .abi = STF_MEMORY_ABI, .clock = &life->clock};
    if (stf_memory_new(&options, &life->memory, NULL) != STF_OK ||
        stf_memory_open_repository(life->memory, &life->inner, NULL) != STF_OK ||
        stf_memory_open_definitions(plan->definitions, &life->definitions, NULL) != STF_OK) {
        abort();
    }
    stf_buf_init(&life->trace, NULL);
    for (unsigned i = 0; i < plan->engines; i++) {
        group_engine *engine = &life->engines[i];
        *engine = (group_engine){.life = life, .index = i};
        engine->clock = (stf_clock){.struct_size = sizeof(stf_clock),
                                    .abi = STF_CLOCK_ABI,
                                    .user = engine,
                                    .wall = engine_wall,
                                    .mono = engine_mono};
        engine->random_port = (stf_random){.struct_size = sizeof(stf_random),
                                           .abi = STF_RANDOM_ABI,
                                           .user = engine,
                                           .fill = fill_random};
        open_engine(engine);
    }
}

static void deploy(group_life *life)
{
    stf_error error = STF_ERROR_INIT;
    if (life->plan->is_deployed) {
        return;
    }
    stf_status status = stf_engine_deploy(
        group_pick(life)->engine, NULL, stf_buf_bytes(&life->plan->text), NULL, NULL, NULL, &error);
    if (status != STF_OK) {
        group_fail(life, "the process is refused: %s: %s", stf_status_name(status), error.message);
    }
    life->plan->is_deployed = true;
}

void group_life_play(group_life *life, group_plan *plan, group_fate fate)
{
    begin(life, plan, fate);
    deploy(life);
    group_script_play(life);
    for (unsigned i = 0; i < plan->engines; i++) {
        if (life->engines[i].engine != NULL) {
            close_engine(&life->engines[i]);
        }
    }
}

void group_life_done(group_life *life)
{
    for (size_t i = 0; i < life->book_count; i++) {
        stf_buf_done(&life->books[i]->head);
        stf_buf_done(&life->books[i]->bulk);
        stf__doc_free(life->books[i]->doc);
        free(life->books[i]);
    }
    for (unsigned i = 0; i < life->plan->engines; i++) {
        stf_cancel_unref(life->engines[i].cancel);
    }
    stf_buf_done(&life->trace);
    stf_repository_close(life->inner);
    stf_definition_store_close(life->definitions);
    stf_memory_unref(life->memory);
}

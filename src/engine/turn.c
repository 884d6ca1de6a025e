/* SPDX-License-Identifier: Apache-2.0 */
/* One turn of the engine: takes what came and what has finished, asks the store who needs it, steps
 * every runnable instance once (one step in flight per instance) and saves all of them in one
 * commit. Never waits for company: whatever is runnable now goes now. */
#include "engine/send.h"

static void wake_delayed(stf_engine *engine)
{
    if (stf__list_is_empty(&engine->delayed)) {
        return; /* without a look at the clock */
    }
    stf_mono now = stf__engine_mono(engine);
    STF__LIST_EACH(link, following, &engine->delayed)
    {
        stf__instance *instance = STF__LIST_ENTRY(link, stf__instance, link);
        if (instance->retry_at.us <= now.us) {
            instance->retry_at = (stf_mono){0};
            stf__instance_place(engine, instance);
        }
    }
}

/* A settled copy is stepped, a missing one is loaded; a start needs none. */
static uint32_t first_stage(const stf__instance *instance)
{
    if (instance->doc != NULL) {
        return STF__STAGE_STEP;
    }
    if (instance->wants == 0 && stf__list_is_empty(&instance->runs) &&
        !stf__list_is_empty(&instance->commands)) {
        const stf__command *command =
            STF__LIST_ENTRY(instance->commands.next, const stf__command, link);
        if (command->event.kind == STF__EVENT_START && !command->must_load) {
            return STF__STAGE_STEP;
        }
    }
    return STF__STAGE_LOAD;
}

static void collect_flights(stf_engine *engine)
{
    engine->flight_count = 0;
    while (engine->flight_count < engine->batch_max && !stf__list_is_empty(&engine->ready)) {
        stf__link *link = engine->ready.next;
        stf__instance *instance = STF__LIST_ENTRY(link, stf__instance, link);
        stf__flight *flight = instance->flight;
        bool is_alone = instance->is_suspect;
        if (is_alone && engine->flight_count != 0) {
            break; /* it is the first one of the next turn */
        }
        if (flight == NULL) {
            flight = stf__flight_take(engine);
            if (flight == NULL) {
                break; /* no memory: what is collected goes on, the rest in the next turn */
            }
            flight->instance = instance;
            flight->stage = first_stage(instance);
            flight->command = stf__inbox_first(engine, instance);
            instance->flight = flight;
        }
        stf__list_remove(link);
        instance->place = STF__PLACE_TURN;
        engine->flights[engine->flight_count++] = flight;
        instance->is_suspect = false;
        if (is_alone) {
            break;
        }
    }
}

static void step_flights(stf_engine *engine, const stf_ctx *ctx)
{
    stf_wall now = stf__engine_now(engine);
    for (size_t i = 0; i < engine->flight_count; i++) {
        if (engine->flights[i]->stage == STF__STAGE_STEP) {
            stf__step_flight(engine, ctx, engine->flights[i], now);
        }
    }
}

static bool is_kept(const stf__flight *flight)
{
    return flight->stage == STF__STAGE_UNSETTLED || flight->stage == STF__STAGE_RESOLVE;
}

/* Unsettled flights stay with their instances; everything else is over for this turn. The copy of
 * one that was saved is what the store has: what it sends goes out. */
static void finish_flights(stf_engine *engine, const stf_ctx *ctx)
{
    for (size_t i = 0; i < engine->flight_count; i++) {
        stf__flight *flight = engine->flights[i];
        stf__instance *instance = flight->instance;
        if (!is_kept(flight)) {
            bool is_current = flight->is_current;
            instance->flight = NULL;
            stf__flight_give(engine, flight);
            if (is_current) {
                stf__send_deliver(engine, ctx, instance);
            }
        }
        instance->place = STF__PLACE_IDLE;
        stf__instance_place(engine, instance);
    }
    engine->flight_count = 0;
}

static void note_next_deadline(stf_engine *engine)
{
    int64_t next = stf__wake_next_us(engine);
    int64_t lease = stf__lease_next_us(engine);
    next = lease < next ? lease : next;
    STF__LIST_EACH(link, following, &engine->delayed)
    {
        const stf__instance *instance = STF__LIST_ENTRY(link, const stf__instance, link);
        next = instance->retry_at.us < next ? instance->retry_at.us : next;
    }
    if (!stf__list_is_empty(&engine->ready) || !stf__list_is_empty(&engine->inline_queue)) {
        next = 0;
    }
    (void)pthread_mutex_lock(&engine->lock);
    if (!stf__list_is_empty(&engine->inbox) || !stf__list_is_empty(&engine->finished)) {
        next = 0;
    }
    if (next > 0) {
        stf__signal_clear_locked(engine);
    }
    atomic_store(&engine->next_deadline_us, next > 0 ? next : 0);
    (void)pthread_mutex_unlock(&engine->lock);
}

/* Called by the driver. */
stf_status stf__turn_run(stf_engine *engine, const stf_ctx *ctx, bool *ret_did, stf_error *error)
{
    stf_status status = stf_ctx_check(ctx, error);
    if (status != STF_OK) {
        return status;
    }
    size_t did = stf__inbox_take(engine);
    did += stf__workers_run_inline(engine);
    wake_delayed(engine);
    did += stf__wake_look(engine, ctx);
    did += stf__lease_renew(engine, ctx);
    collect_flights(engine);
    did += engine->flight_count;
    stf__load_flights(engine, ctx);
    step_flights(engine, ctx);
    if (stf__lease_claim(engine, ctx) != 0) {
        step_flights(engine, ctx);
    }
    stf__commit_flights(engine, ctx);
    finish_flights(engine, ctx);
    note_next_deadline(engine);
    *ret_did = did != 0;
    return STF_OK;
}

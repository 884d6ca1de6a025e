/* SPDX-License-Identifier: Apache-2.0 */
/* Start and close. Start order: migrate, group, tenant, a first look for what needs recovery, then
 * serving; a failing migration stops the start before anything else is touched. */
#include "engine/send.h"

#include <stepfast/sys/repository_batch.h>
#include <stepfast/sys/repository_clock.h>
#include <stepfast/sys/repository_journal.h>
#include <stepfast/sys/repository_liveness.h>
#include <stepfast/sys/repository_migrator.h>

#define OWNER_TRIES 16

static stf_status migrate(stf_engine *engine, const stf_ctx *ctx, stf_error *error)
{
    stf_status status = STF_OK;
    if (!stf_repository_has(engine->repository, STF_REPOSITORY_MIGRATOR)) {
        return STF_OK; /* a store without a schema starts as it is */
    }
    if ((engine->flags & STF_ENGINE_NO_MIGRATE) != 0) {
        status = stf_repository_check_schema(engine->repository, ctx, error);
    } else {
        status = stf_repository_migrate(engine->repository, ctx, error);
    }
    if (status != STF_OK) {
        stf_error_context(error, "preparing the store's schema");
    }
    return status;
}

static stf_status join_group(stf_engine *engine, const stf_ctx *ctx, stf_error *error)
{
    stf_str group = stf_str_of(engine->group);
    bool exists = false;
    if (!engine->has_existing_group) {
        return stf_repository_register_group(engine->repository, ctx, group, error);
    }
    stf_status status = stf_repository_group_exists(engine->repository, ctx, group, &exists, error);
    if (status == STF_OK && !exists) {
        status = stf_error_set(error, STF_NOT_FOUND, "ENGINE",
                               "the group \"%s\" is not registered in this store", engine->group);
    }
    return status;
}

static stf_status resolve_tenant(stf_engine *engine, const stf_ctx *ctx, stf_error *error)
{
    stf_buf_clear(&engine->tenant);
    return stf_repository_resolve_tenant(engine->repository, ctx, stf_str_of(engine->group),
                                         stf_str_of(engine->tenant_asked), &engine->tenant, error);
}

/* R7: the engine's id and a nonce of this start, so that no two processes share an owner string.
 * Where the store can prove death, the string is also held: a nonce in use is drawn again. */
static stf_status draw_owner(stf_engine *engine, const stf_ctx *ctx, stf_error *error)
{
    stf_status status = STF_ALREADY_EXISTS;
    bool has_liveness = stf_repository_has(engine->repository, STF_REPOSITORY_LIVENESS);
    for (int i = 0; status == STF_ALREADY_EXISTS && i < OWNER_TRIES; i++) {
        uint8_t nonce[STF__OWNER_NONCE_BYTES];
        char text[2 * STF__OWNER_NONCE_BYTES + 1];
        stf__random_fill(&engine->random, nonce, sizeof(nonce));
        stf__hex(nonce, sizeof(nonce), text);
        stf_buf_clear(&engine->owner);
        if (stf_buf_printf(&engine->owner, "%s/%s", engine->id, text) != STF_OK) {
            return stf_error_set(error, STF_NO_MEMORY, "ENGINE", "no memory for an owner");
        }
        status = STF_OK;
        if (has_liveness) {
            status = stf_repository_hold_owner(engine->repository, ctx, stf_buf_str(&engine->owner),
                                               error);
            engine->holds_owner = status == STF_OK;
        }
    }
    return status;
}

static stf_status check_capabilities(stf_engine *engine, stf_error *error)
{
    engine->has_store_clock = stf_repository_has(engine->repository, STF_REPOSITORY_CLOCK);
    if ((engine->flags & STF_ENGINE_JOURNAL) != 0 &&
        !stf_repository_has(engine->repository, STF_REPOSITORY_JOURNAL)) {
        return stf_error_set(error, STF_UNSUPPORTED, "ENGINE",
                             "the store keeps no journal; start without STF_ENGINE_JOURNAL");
    }
    return STF_OK;
}

static void set_phase(stf_engine *engine, stf__engine_phase phase)
{
    (void)pthread_mutex_lock(&engine->lock);
    atomic_store(&engine->phase, (uint32_t)phase);
    (void)pthread_mutex_unlock(&engine->lock);
}

static void undo_start(stf_engine *engine)
{
    if (engine->holds_owner) {
        stf_repository_release_owner(engine->repository, stf_buf_str(&engine->owner));
        engine->holds_owner = false;
    }
    set_phase(engine, STF__PHASE_NEW);
}

/* The first look for what needs recovery; what it finds is worked on as the engine is driven. */
static stf_status first_turn(stf_engine *engine, const stf_ctx *ctx, stf_error *error)
{
    bool did;
    engine->wake.is_asked = true;
    stf__engine_refresh_clock(engine, ctx);
    stf_status status = STF_INVALID_STATE;
    if (stf__drive_try_lead(engine)) {
        status = stf__turn_run(engine, ctx, &did, error);
        stf__drive_leave(engine);
    }
    return status;
}

stf_status stf_engine_start(stf_engine *engine, const stf_ctx *ctx, stf_error *error)
{
    if (engine == NULL) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE", "the engine is missing");
    }
    uint32_t phase = STF__PHASE_NEW;
    if (!atomic_compare_exchange_strong(&engine->phase, &phase, STF__PHASE_STARTING)) {
        return stf_error_set(error, STF_INVALID_STATE, "ENGINE", "the engine was started before");
    }
    stf_status status = check_capabilities(engine, error);
    if (status == STF_OK) {
        status = migrate(engine, ctx, error);
    }
    if (status == STF_OK) {
        status = join_group(engine, ctx, error);
    }
    if (status == STF_OK) {
        status = resolve_tenant(engine, ctx, error);
    }
    if (status == STF_OK) {
        status = draw_owner(engine, ctx, error);
    }
    if (status == STF_OK) {
        status = stf__workers_start(engine, error);
    }
    if (status == STF_OK) {
        status = first_turn(engine, ctx, error);
        if (status != STF_OK) {
            stf__workers_stop(engine);
        }
    }
    if (status != STF_OK) {
        undo_start(engine);
        return status;
    }
    set_phase(engine, STF__PHASE_SERVING);
    return STF_OK;
}

/* ---- Close ------------------------------------------------------------------------------------
 */

static void lead(stf_engine *engine)
{
    (void)pthread_mutex_lock(&engine->lock);
    while (engine->has_driver) {
        stf__engine_wait(engine, &engine->idle, STF__CANCEL_SLICE_US);
    }
    engine->has_driver = true;
    (void)pthread_mutex_unlock(&engine->lock);
}

static bool has_unfinished(const stf_engine *engine)
{
    return engine->run_count != 0 || !stf__list_is_empty(&engine->ready) ||
           !stf__list_is_empty(&engine->delayed);
}

/* Results are taken and saved until the caller's ctx ends. */
static void drain(stf_engine *engine, const stf_ctx *ctx)
{
    bool did = true;
    while (stf__turn_run(engine, ctx, &did, NULL) == STF_OK && has_unfinished(engine)) {
        if (!did) {
            int64_t until = atomic_load(&engine->next_deadline_us);
            (void)pthread_mutex_lock(&engine->lock);
            if (stf__list_is_empty(&engine->finished)) {
                stf__engine_wait(engine, &engine->idle, stf__engine_sleep_us(engine, until, ctx));
            }
            (void)pthread_mutex_unlock(&engine->lock);
        }
    }
}

/* Only work that may run again lets the lease go: the rest stays under it and is recovered as
 * unknown, which is what it is. */
static bool may_release(const stf__instance *instance)
{
    if (!instance->is_ours || instance->doc == NULL || instance->flight != NULL) {
        return false;
    }
    STF__LIST_EACH(link, following, &instance->runs)
    {
        const stf_work *run = STF__LIST_ENTRY(link, const stf_work, link);
        if (!run->is_idempotent && run->state != STF__RUN_PLANNED) {
            return false;
        }
    }
    return true;
}

/* Best effort, without the caller's limit but bounded: a lease that stays lapses by itself. */
static void release_held(stf_engine *engine)
{
    stf_ctx ctx = STF_CTX_INIT;
    ctx.flags = STF_CTX_HAS_DEADLINE;
    ctx.clock = stf_clock_system();
    ctx.deadline = (stf_mono){ctx.clock->mono(ctx.clock->user).us + 2000000};
    STF__LIST_EACH(link, following, &engine->held)
    {
        stf__instance *instance = STF__LIST_ENTRY(link, stf__instance, held_link);
        if (may_release(instance)) {
            stf__lease_release(engine, &ctx, instance);
        }
    }
    stf__send_leave(engine, &ctx);
}

stf_engine *stf_engine_close(stf_engine *engine, const stf_ctx *ctx)
{
    if (engine == NULL) {
        return NULL;
    }
    bool was_serving = atomic_load(&engine->phase) == STF__PHASE_SERVING;
    set_phase(engine, STF__PHASE_CLOSING);
    lead(engine);
    if (was_serving) {
        drain(engine, ctx);
        release_held(engine);
        stf__workers_cancel_all(engine);
        stf__workers_stop(engine);
    }
    if (engine->holds_owner) {
        stf_repository_release_owner(engine->repository, stf_buf_str(&engine->owner));
    }
    stf__inbox_refuse(engine);
    stf__engine_free(engine);
    return NULL;
}

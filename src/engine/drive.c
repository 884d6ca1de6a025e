/* SPDX-License-Identifier: Apache-2.0 */
/* Who drives: one thread at a time. A public call posts its command and then either drives turns
 * itself until the command is answered or sleeps while another thread drives; a driver that leaves
 * wakes one waiter, which takes over. A call whose ctx ends takes its command back when no save has
 * taken it (nothing was written), else it leaves with OUTCOME_UNKNOWN. */
#include "engine/private.h"

/* Somebody has to go on: a waiting call, or the host that sleeps on the fd. Lock is held. */
static void pass_baton_locked(stf_engine *engine)
{
    (void)pthread_cond_signal(&engine->idle);
    if (!stf__list_is_empty(&engine->waiters)) {
        stf__command *next = STF__LIST_ENTRY(engine->waiters.next, stf__command, waiter_link);
        (void)pthread_cond_signal(&next->cond);
    } else if (atomic_load(&engine->next_deadline_us) == 0) {
        stf__signal_locked(engine);
    }
}

bool stf__drive_try_lead(stf_engine *engine)
{
    (void)pthread_mutex_lock(&engine->lock);
    bool leads = !engine->has_driver;
    engine->has_driver = true;
    (void)pthread_mutex_unlock(&engine->lock);
    return leads;
}

bool stf__drive_lead(stf_engine *engine, const stf_ctx *ctx)
{
    (void)pthread_mutex_lock(&engine->lock);
    if (engine->has_driver) {
        int64_t left = stf_ctx_left_us(ctx);
        stf__engine_wait(engine, &engine->idle,
                         left < STF__CANCEL_SLICE_US ? left : STF__CANCEL_SLICE_US);
    }
    bool leads = !engine->has_driver;
    engine->has_driver = true;
    (void)pthread_mutex_unlock(&engine->lock);
    return leads;
}

void stf__drive_leave(stf_engine *engine)
{
    (void)pthread_mutex_lock(&engine->lock);
    engine->has_driver = false;
    pass_baton_locked(engine);
    (void)pthread_mutex_unlock(&engine->lock);
}

/* Leads for one turn; lock is held before and after. */
static stf_status lead_once(stf_engine *engine, const stf_ctx *ctx, bool *ret_did)
{
    engine->has_driver = true;
    (void)pthread_mutex_unlock(&engine->lock);
    stf_status status = stf__turn_run(engine, ctx, ret_did, NULL);
    (void)pthread_mutex_lock(&engine->lock);
    engine->has_driver = false;
    return status;
}

/* The caller's ctx has ended with `status`. True: the call returns *ret_status. */
static bool take_back(stf__command *command, stf_status status, stf_status *ret_status,
                      stf_error *error)
{
    uint32_t state = STF__COMMAND_OPEN;
    if (atomic_compare_exchange_strong(&command->state, &state, STF__COMMAND_WITHDRAWN)) {
        *ret_status = status;
        return true;
    }
    state = STF__COMMAND_SAVING;
    if (atomic_compare_exchange_strong(&command->state, &state, STF__COMMAND_ABANDONED)) {
        *ret_status = stf_error_set(error, STF_OUTCOME_UNKNOWN, "ENGINE",
                                    "the call ended while its save was under way (%s); the engine "
                                    "goes on to find out",
                                    stf_status_name(status));
        return true;
    }
    return false;
}

static stf_status drive_locked(stf_engine *engine, const stf_ctx *ctx, stf__command *command,
                               stf_error *error)
{
    while (atomic_load(&command->state) != STF__COMMAND_DONE) {
        bool did = false;
        stf_status status = stf_ctx_check(ctx, error);
        if (status != STF_OK && take_back(command, status, &status, error)) {
            return status;
        }
        if (!engine->has_driver && lead_once(engine, ctx, &did) == STF_OK && did) {
            continue;
        }
        if (atomic_load(&command->state) != STF__COMMAND_DONE) {
            int64_t until = engine->has_driver ? INT64_MAX : atomic_load(&engine->next_deadline_us);
            stf__engine_wait(engine, &command->cond, stf__engine_sleep_us(engine, until, ctx));
        }
    }
    if (error != NULL && command->status != STF_OK) {
        *error = command->error;
    }
    return command->status;
}

/* Takes the caller's reference of the command. */
stf_status stf__drive(stf_engine *engine, const stf_ctx *ctx, stf__command *command,
                      stf_error *error)
{
    stf_status status = stf_ctx_check(ctx, error);
    if (status == STF_OK) {
        status = stf__inbox_post(engine, command, error);
    }
    (void)pthread_mutex_lock(&engine->lock);
    if (status == STF_OK) {
        stf__list_append(&engine->waiters, &command->waiter_link);
        status = drive_locked(engine, ctx, command, error);
        stf__list_remove(&command->waiter_link);
        if (!engine->has_driver) {
            pass_baton_locked(engine);
        }
    }
    stf__command_unref_locked(engine, command);
    (void)pthread_mutex_unlock(&engine->lock);
    return status;
}

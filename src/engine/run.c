/* SPDX-License-Identifier: Apache-2.0 */
/* Driving by the host: one turn at a time over an fd and a deadline, or a loop until something
 * holds. A loop that sleeps does not lead, so calls of other threads drive themselves meanwhile. */
#include "engine/private.h"

#include <poll.h>
#include <stepfast/sys/repository_wake.h>

int stf_engine_fd(stf_engine *engine)
{
    return engine->event_fd;
}

stf_mono stf_engine_next_deadline(stf_engine *engine)
{
    return (stf_mono){atomic_load(&engine->next_deadline_us)};
}

static stf_status check_serving(stf_engine *engine, stf_error *error)
{
    if (engine == NULL) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE", "the engine is missing");
    }
    if (atomic_load(&engine->phase) != STF__PHASE_SERVING) {
        return stf_error_set(error, STF_INVALID_STATE, "ENGINE", "the engine is not serving");
    }
    return STF_OK;
}

stf_status stf_engine_step(stf_engine *engine, const stf_ctx *ctx, bool *ret_did_something,
                           stf_error *error)
{
    bool did = false;
    stf_status status = check_serving(engine, error);
    if (status == STF_OK && stf__drive_try_lead(engine)) {
        status = stf__turn_run(engine, ctx, &did, error);
        stf__drive_leave(engine);
    }
    if (status == STF_OK && ret_did_something != NULL) {
        *ret_did_something = did;
    }
    return status;
}

/* Nothing runnable here and no handler running. The driver asks. */
static bool is_idle(stf_engine *engine)
{
    (void)pthread_mutex_lock(&engine->lock);
    bool has_posts = !stf__list_is_empty(&engine->inbox) || !stf__list_is_empty(&engine->finished);
    (void)pthread_mutex_unlock(&engine->lock);
    return !has_posts && engine->run_count == 0 && stf__list_is_empty(&engine->ready) &&
           stf__list_is_empty(&engine->delayed);
}

/* A timer that is overdue although nothing is runnable belongs to a record that cannot be read
 * here; waiting for it would never end. */
static stf_status has_timers(stf_engine *engine, const stf_ctx *ctx, bool *ret_has,
                             stf_error *error)
{
    stf_wall due = stf_wall_none();
    stf_status status = stf_repository_next_due(engine->repository, ctx, stf_str_of(engine->group),
                                                stf_buf_str(&engine->owner), &due, error);
    *ret_has = !stf_wall_is_none(due) && due.us > stf__engine_now(engine).us;
    return status;
}

/* Idle holds only after a fresh look at the store changed nothing either. Work that this engine has
 * a handler for but may not start, because the record's owner lives, is seen by each look. */
static stf_status is_reached(stf_engine *engine, const stf_ctx *ctx, stf_run_until until,
                             bool *ret_reached, stf_error *error)
{
    bool did = false;
    bool has = false;
    stf_status status = STF_OK;
    *ret_reached = false;
    if (until == STF_RUN_FOREVER || !is_idle(engine)) {
        return STF_OK;
    }
    uint64_t progress = engine->progress;
    engine->wake.is_asked = true;
    do { /* all pages of it */
        status = stf__turn_run(engine, ctx, &did, error);
    } while (status == STF_OK && engine->progress == progress && is_idle(engine) &&
             stf__wake_next_us(engine) <= stf__engine_mono(engine).us);
    if (status != STF_OK || engine->progress != progress || !is_idle(engine)) {
        return status;
    }
    if (until == STF_RUN_NO_TIMERS) {
        status = has_timers(engine, ctx, &has, error);
        if (status == STF_UNAVAILABLE) {
            return STF_OK; /* ask again later */
        }
    }
    *ret_reached = status == STF_OK && !has;
    return status;
}

/* One turn and, after one without anything to do, the question whether that is the end. */
static stf_status run_turn(stf_engine *engine, const stf_ctx *ctx, stf_run_until until,
                           bool *ret_did, bool *ret_reached, stf_error *error)
{
    *ret_did = false;
    *ret_reached = false;
    if (!stf__drive_lead(engine, ctx)) {
        *ret_did = true; /* another thread drives: ask again */
        return STF_OK;
    }
    stf_status status = stf__turn_run(engine, ctx, ret_did, error);
    if (status == STF_OK && !*ret_did) {
        status = is_reached(engine, ctx, until, ret_reached, error);
    }
    stf__drive_leave(engine);
    return status;
}

static void sleep_until_work(stf_engine *engine, const stf_ctx *ctx)
{
    struct pollfd fds[2] = {{.fd = engine->event_fd, .events = POLLIN}, {.fd = -1}};
    int64_t us = stf__engine_sleep_us(engine, atomic_load(&engine->next_deadline_us), ctx);
    if (ctx != NULL && ctx->cancel != NULL) {
        fds[1].fd = stf_cancel_fd(ctx->cancel);
        fds[1].events = POLLIN;
    }
    struct timespec limit = {.tv_sec = (time_t)(us / 1000000), .tv_nsec = (us % 1000000) * 1000};
    (void)ppoll(fds, 2, &limit, NULL);
}

stf_status stf_engine_run(stf_engine *engine, const stf_ctx *ctx, stf_run_until until,
                          stf_error *error)
{
    bool did = false;
    bool reached = false;
    stf_status status = check_serving(engine, error);
    if (status == STF_OK && until != STF_RUN_FOREVER && until != STF_RUN_IDLE &&
        until != STF_RUN_NO_TIMERS) {
        status = stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE",
                               "%d says nothing about how long to run", (int)until);
    }
    while (status == STF_OK && !reached) {
        status = stf_ctx_check(ctx, error);
        if (status == STF_OK) {
            status = run_turn(engine, ctx, until, &did, &reached, error);
        }
        if (status == STF_OK && !did && !reached) {
            sleep_until_work(engine, ctx);
        }
    }
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The threads that run handlers. Without any, launched work waits in a queue of the driver, which
 * runs it at the start of its next turn. Each thread has one cancel token, replaced once used. */
#include "engine/private.h"

/* Under lock: what a thread has done goes back to the driver. */
static void give_back_locked(stf_engine *engine, stf_work *run)
{
    stf__list_append(&engine->finished, &run->queue_link);
    stf__signal_locked(engine);
    (void)pthread_cond_signal(&engine->idle);
    if (!engine->has_driver && !stf__list_is_empty(&engine->waiters)) {
        stf__command *waiter = STF__LIST_ENTRY(engine->waiters.next, stf__command, waiter_link);
        (void)pthread_cond_signal(&waiter->cond);
    }
}

/* A token that was requested is used up. Without memory for a new one the old one stays: the next
 * handler is told to stop early, which is never wrong. */
static void renew_token_locked(const stf_allocator *alloc, stf_cancel **token)
{
    stf_cancel *fresh;
    if (stf_cancel_is_requested(*token) && stf_cancel_new(alloc, &fresh, NULL) == STF_OK) {
        (void)stf_cancel_unref(*token);
        *token = fresh;
    }
}

static void run_one_locked(stf__worker *worker, stf_work *run)
{
    stf_engine *engine = worker->engine;
    run->cancel = worker->cancel;
    (void)pthread_mutex_unlock(&engine->lock);
    stf__run_execute(run, worker->cancel);
    (void)pthread_mutex_lock(&engine->lock);
    run->cancel = NULL;
    if (!engine->is_stopping_workers) {
        renew_token_locked(engine->alloc, &worker->cancel);
    }
    give_back_locked(engine, run);
}

static void *work_loop(void *user)
{
    stf__worker *worker = user;
    stf_engine *engine = worker->engine;
    (void)pthread_mutex_lock(&engine->lock);
    while (!engine->is_stopping_workers) {
        if (stf__list_is_empty(&engine->work_queue)) {
            (void)pthread_cond_wait(&engine->work_ready, &engine->lock);
            continue;
        }
        stf__link *link = engine->work_queue.next;
        stf__list_remove(link);
        run_one_locked(worker, STF__LIST_ENTRY(link, stf_work, queue_link));
    }
    (void)pthread_mutex_unlock(&engine->lock);
    return NULL;
}

stf_status stf__workers_start(stf_engine *engine, stf_error *error)
{
    if (engine->worker_count == 0) {
        return STF_OK;
    }
    engine->workers =
        stf__mem_zalloc_array(engine->alloc, engine->worker_count, sizeof(*engine->workers));
    if (engine->workers == NULL) {
        return stf_error_set(error, STF_NO_MEMORY, "ENGINE", "no memory for workers");
    }
    for (uint32_t i = 0; i < engine->worker_count; i++) {
        stf__worker *worker = &engine->workers[i];
        worker->engine = engine;
        stf_status status = stf_cancel_new(engine->alloc, &worker->cancel, error);
        if (status == STF_OK && pthread_create(&worker->thread, NULL, work_loop, worker) != 0) {
            status = stf_error_set(error, STF_UNAVAILABLE, "ENGINE",
                                   "worker thread %u could not be started", i);
        }
        if (status != STF_OK) {
            stf__workers_stop(engine);
            return status;
        }
        worker->is_started = true;
    }
    return STF_OK;
}

void stf__workers_cancel_all(stf_engine *engine)
{
    (void)pthread_mutex_lock(&engine->lock);
    for (uint32_t i = 0; engine->workers != NULL && i < engine->worker_count; i++) {
        if (engine->workers[i].cancel != NULL) {
            stf_cancel_request(engine->workers[i].cancel);
        }
    }
    (void)pthread_mutex_unlock(&engine->lock);
    stf_cancel_request(engine->inline_cancel);
}

/* Waits for the handlers that run: their memory is the host's. */
void stf__workers_stop(stf_engine *engine)
{
    (void)pthread_mutex_lock(&engine->lock);
    engine->is_stopping_workers = true;
    (void)pthread_cond_broadcast(&engine->work_ready);
    (void)pthread_mutex_unlock(&engine->lock);
    for (uint32_t i = 0; engine->workers != NULL && i < engine->worker_count; i++) {
        if (engine->workers[i].is_started) {
            (void)pthread_join(engine->workers[i].thread, NULL);
            engine->workers[i].is_started = false;
        }
        engine->workers[i].cancel = stf_cancel_unref(engine->workers[i].cancel);
    }
}

void stf__workers_hand(stf_engine *engine, stf_work *run)
{
    if (engine->worker_count == 0) {
        stf__list_append(&engine->inline_queue, &run->queue_link);
        return;
    }
    (void)pthread_mutex_lock(&engine->lock);
    stf__list_append(&engine->work_queue, &run->queue_link);
    (void)pthread_cond_signal(&engine->work_ready);
    (void)pthread_mutex_unlock(&engine->lock);
}

void stf__workers_cancel(stf_engine *engine, stf_work *run, bool is_wanted)
{
    (void)pthread_mutex_lock(&engine->lock);
    if (!is_wanted) {
        atomic_store(&run->is_unwanted, true);
    }
    if (run->cancel != NULL) {
        stf_cancel_request(run->cancel);
    }
    (void)pthread_mutex_unlock(&engine->lock);
}

size_t stf__workers_run_inline(stf_engine *engine)
{
    size_t count = 0;
    while (!stf__list_is_empty(&engine->inline_queue)) {
        stf__link *link = engine->inline_queue.next;
        stf_work *run = STF__LIST_ENTRY(link, stf_work, queue_link);
        stf__list_remove(link);
        stf__run_execute(run, engine->inline_cancel);
        stf__run_take(engine, run);
        count++;
    }
    return count;
}

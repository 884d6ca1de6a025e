/* SPDX-License-Identifier: Apache-2.0 */
/* Calls and their limits: a command that no save has taken is taken back, one that is being saved
 * is waited for or unknown, and a full inbox says so. */
#include "engine/private.h"
#include "unit/engine/message_case.h"

static stf_ctx limit(int64_t us)
{
    stf_ctx ctx = STF_CTX_INIT;
    ctx.flags = STF_CTX_HAS_DEADLINE;
    ctx.deadline.us = stf_clock_system()->mono(NULL).us + us;
    return ctx;
}

STF_TEST(a_call_that_is_over_before_it_begins_posts_nothing)
{
    engine_case *c = engine_case_new();
    stf_ctx ctx = limit(-1);
    stf_ctx cancelled = STF_CTX_INIT;
    engine_case_open(c, NULL);
    engine_case_deploy(c, case_task);
    engine_case_start(c, "i1", NULL);
    STF_CHECK_STATUS(stf_engine_complete_task(c->engine, &ctx, stf_str_of("i1"), 0,
                                              stf_str_of("approve"), NULL, &c->error),
                     STF_DEADLINE_EXCEEDED, &c->error);
    STF_CHECK_OK(stf_cancel_new(NULL, &cancelled.cancel, &c->error), &c->error);
    stf_cancel_request(cancelled.cancel);
    STF_CHECK_STATUS(stf_engine_complete_task(c->engine, &cancelled, stf_str_of("i1"), 0,
                                              stf_str_of("approve"), NULL, &c->error),
                     STF_CANCELLED, &c->error);
    stf_cancel_unref(cancelled.cancel);
    engine_case_idle(c);
    ck_assert_str_eq(engine_case_status(c, "i1"), "active");
    engine_case_free(c);
}

STF_TEST(a_command_that_waits_for_the_store_is_taken_back_at_its_deadline)
{
    engine_case *c = engine_case_new();
    stf_ctx ctx = limit(20000);
    engine_case_open(c, NULL);
    engine_case_deploy(c, case_task);
    engine_case_start(c, "i1", NULL);
    faulty_repository_cut(&c->faulty, 1);
    STF_CHECK_STATUS(stf_engine_complete_task(c->engine, &ctx, stf_str_of("i1"), 0,
                                              stf_str_of("approve"), NULL, &c->error),
                     STF_DEADLINE_EXCEEDED, &c->error);
    faulty_repository_heal(&c->faulty);
    atomic_fetch_add(&c->clock.us, SECONDS(10));
    engine_case_idle(c);
    ck_assert_str_eq(engine_case_status(c, "i1"), "active");
    engine_case_task(c, "i1", "approve", NULL);
    engine_case_free(c);
}

/* ---- Another thread drives, and is stuck in the store ------------------------------------------
 */

typedef struct stuck_store {
    engine_case *c;
    const char *name; /* of the call that blocks */
    bool is_in;
    bool may_go;
} stuck_store;

static void hold_up(void *user, const char *name)
{
    stuck_store *stuck = user;
    engine_case *c = stuck->c;
    if (strcmp(name, stuck->name) != 0) {
        return;
    }
    (void)pthread_mutex_lock(&c->lock);
    stuck->is_in = true;
    (void)pthread_cond_broadcast(&c->changed);
    while (!stuck->may_go) {
        (void)pthread_cond_wait(&c->changed, &c->lock);
    }
    (void)pthread_mutex_unlock(&c->lock);
}

static void *complete_in_thread(void *user)
{
    engine_case *c = user;
    stf_status status = stf_engine_complete_task(c->engine, NULL, stf_str_of("i1"), 0,
                                                 stf_str_of("approve"), NULL, NULL);
    ck_assert_int_eq(status, STF_OK);
    return NULL;
}

static void wait_until_in(stuck_store *stuck)
{
    (void)pthread_mutex_lock(&stuck->c->lock);
    while (!stuck->is_in) {
        (void)pthread_cond_wait(&stuck->c->changed, &stuck->c->lock);
    }
    (void)pthread_mutex_unlock(&stuck->c->lock);
}

static void let_go(stuck_store *stuck)
{
    (void)pthread_mutex_lock(&stuck->c->lock);
    stuck->may_go = true;
    (void)pthread_cond_broadcast(&stuck->c->changed);
    (void)pthread_mutex_unlock(&stuck->c->lock);
}

static engine_case *open_two_instances(uint32_t inbox_max)
{
    engine_case *c = engine_case_new();
    c->options.inbox_max = inbox_max;
    engine_case_open(c, NULL);
    engine_case_deploy(c, case_task);
    engine_case_start(c, "i1", NULL);
    engine_case_start(c, "i2", NULL);
    return c;
}

STF_TEST(a_call_behind_a_stuck_driver_keeps_its_deadline_and_a_full_inbox_says_so)
{
    engine_case *c = open_two_instances(1);
    stuck_store stuck = {.c = c, .name = "load_many"};
    pthread_t thread;
    c->faulty.user = &stuck;
    c->faulty.on_call = hold_up;
    ck_assert_int_eq(pthread_create(&thread, NULL, complete_in_thread, c), 0);
    wait_until_in(&stuck);
    stf_ctx ctx = limit(20000);
    STF_CHECK_STATUS(stf_engine_complete_task(c->engine, &ctx, stf_str_of("i2"), 0,
                                              stf_str_of("approve"), NULL, &c->error),
                     STF_DEADLINE_EXCEEDED, &c->error);
    /* It was taken back but still lies in the inbox: that is full. */
    STF_CHECK_STATUS(stf_engine_complete_task(c->engine, NULL, stf_str_of("i2"), 0,
                                              stf_str_of("approve"), NULL, &c->error),
                     STF_UNAVAILABLE, &c->error);
    let_go(&stuck);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    engine_case_idle(c);
    ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
    ck_assert_str_eq(engine_case_status(c, "i2"), "active"); /* nothing was written */
    c->faulty.on_call = NULL;
    engine_case_free(c);
}

typedef struct limited_call {
    engine_case *c;
    stf_ctx ctx;
    stf_status status;
} limited_call;

static void *complete_with_limit(void *user)
{
    limited_call *call = user;
    call->status = stf_engine_complete_task(call->c->engine, &call->ctx, stf_str_of("i1"), 0,
                                            stf_str_of("approve"), NULL, NULL);
    return NULL;
}

static void *run_until_cancelled(void *user)
{
    limited_call *call = user;
    call->status = stf_engine_run(call->c->engine, &call->ctx, STF_RUN_FOREVER, NULL);
    return NULL;
}

/* This thread drives; the call behind it has its save taken, and the reply is lost. */
STF_TEST(a_call_whose_save_is_under_way_leaves_with_outcome_unknown)
{
    engine_case *c = open_two_instances(0);
    limited_call call = {.c = c, .ctx = limit(300000)};
    pthread_t thread;
    bool is_posted = false;
    bool did = false;
    ck_assert(stf__drive_try_lead(c->engine));
    ck_assert_int_eq(pthread_create(&thread, NULL, complete_with_limit, &call), 0);
    while (!is_posted) {
        (void)pthread_mutex_lock(&c->engine->lock);
        is_posted = c->engine->inbox_count != 0;
        (void)pthread_mutex_unlock(&c->engine->lock);
    }
    faulty_repository_fail_saves(&c->faulty, 1, 1, STF_OUTCOME_UNKNOWN, true);
    STF_CHECK_OK(stf__turn_run(c->engine, NULL, &did, &c->error), &c->error);
    stf__drive_leave(c->engine);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_int_eq(call.status, STF_OUTCOME_UNKNOWN);
    ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
    atomic_fetch_add(&c->clock.us, SECONDS(5));
    engine_case_idle(c); /* the engine found out */
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_TASK_COMPLETED), 1);
    engine_case_free(c);
}

/* The host's loop sleeps without leading, so a call drives itself; its token ends the loop. */
STF_TEST(a_loop_ends_when_its_token_is_requested)
{
    engine_case *c = open_two_instances(0);
    limited_call run = {.c = c, .ctx = STF_CTX_INIT};
    pthread_t loop;
    STF_CHECK_OK(stf_cancel_new(NULL, &run.ctx.cancel, &c->error), &c->error);
    ck_assert_int_eq(pthread_create(&loop, NULL, run_until_cancelled, &run), 0);
    engine_case_task(c, "i1", "approve", NULL);
    stf_cancel_request(run.ctx.cancel);
    ck_assert_int_eq(pthread_join(loop, NULL), 0);
    ck_assert_int_eq(run.status, STF_CANCELLED);
    stf_cancel_unref(run.ctx.cancel);
    engine_case_free(c);
}

/* ---- Many threads -------------------------------------------------------------------------------
 */

#define THREADS 4
#define MESSAGES_EACH 25

typedef struct publisher {
    engine_case *c;
    pthread_t thread;
    char receivers[MESSAGES_EACH][32];
} publisher;

static void *publish_in_thread(void *user)
{
    publisher *p = user;
    for (int i = 0; i < MESSAGES_EACH; i++) {
        stf_message message = STF_MESSAGE_INIT;
        stf_buf id;
        stf_buf_init(&id, NULL);
        message.name = stf_str_of("paid");
        message.key = stf_str_of("k");
        stf_status status = stf_engine_publish(p->c->engine, NULL, &message, &id, NULL);
        ck_assert_int_eq(status, STF_OK);
        snprintf(p->receivers[i], sizeof(p->receivers[i]), "%.*s", (int)id.size,
                 (const char *)id.data);
        stf_buf_done(&id);
    }
    return NULL;
}

STF_TEST(messages_of_many_threads_reach_different_receivers)
{
    engine_case *c = engine_case_new();
    static publisher publishers[THREADS];
    size_t got = 0;
    engine_case_open(c, NULL);
    engine_case_deploy_file(c, case_messages);
    for (int i = 0; i < THREADS * MESSAGES_EACH; i++) {
        char id[8];
        snprintf(id, sizeof(id), "i%d", i);
        message_case_wait(c, id);
    }
    for (size_t i = 0; i < THREADS; i++) {
        publishers[i].c = c;
        ck_assert_int_eq(
            pthread_create(&publishers[i].thread, NULL, publish_in_thread, &publishers[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_join(publishers[i].thread, NULL), 0);
    }
    for (size_t i = 0; i < (size_t)THREADS * MESSAGES_EACH; i++) {
        const char *id = publishers[i / MESSAGES_EACH].receivers[i % MESSAGES_EACH];
        ck_assert_msg(engine_case_waits_at(c, id, "after"), "\"%s\"", id);
        for (size_t j = 0; j < i; j++) {
            ck_assert_str_ne(id, publishers[j / MESSAGES_EACH].receivers[j % MESSAGES_EACH]);
        }
        got++;
    }
    ck_assert_uint_eq(got, (size_t)THREADS * MESSAGES_EACH);
    engine_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(a_call_that_is_over_before_it_begins_posts_nothing),
    STF_CASE(a_command_that_waits_for_the_store_is_taken_back_at_its_deadline),
    STF_CASE(a_call_behind_a_stuck_driver_keeps_its_deadline_and_a_full_inbox_says_so),
    STF_CASE(a_call_whose_save_is_under_way_leaves_with_outcome_unknown),
    STF_CASE(a_loop_ends_when_its_token_is_requested),
    STF_CASE(messages_of_many_threads_reach_different_receivers),
};

STF_TEST_MAIN("drive", cases)

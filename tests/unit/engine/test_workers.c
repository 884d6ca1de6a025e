/* SPDX-License-Identifier: Apache-2.0 */
/* Real threads: four workers, many callers, one host loop. Run under ThreadSanitizer too. */
#include "unit/engine/engine_case.h"

#include <poll.h>

#define CALLERS 4
#define EACH 40

static const char *const all_topics[] = {"*", NULL};

typedef struct caller {
    engine_case *c;
    int number;
} caller;

static void *call_many(void *user)
{
    caller *self = user;
    engine_case *c = self->c;
    for (int i = 0; i < EACH; i++) {
        char id[32];
        stf_error error = STF_ERROR_INIT;
        stf_start start = STF_START_INIT;
        snprintf(id, sizeof(id), "c%d-%d", self->number, i);
        start.process = stf_str_of("p");
        start.id = stf_str_of(id);
        stf_status status = stf_engine_start_instance(c->engine, NULL, &start, NULL, &error);
        ck_assert_msg(status == STF_OK, "%s", error.message);
        status = stf_engine_complete_task(c->engine, NULL, stf_str_of(id), 0, stf_str_of("approve"),
                                          NULL, &error);
        ck_assert_msg(status == STF_OK, "%s", error.message);
    }
    return NULL;
}

static void *run_loop(void *user)
{
    caller *self = user;
    stf_ctx ctx = STF_CTX_INIT;
    engine_case *c = self->c;
    ctx.flags = STF_CTX_HAS_DEADLINE;
    ctx.deadline.us = stf_clock_system()->mono(NULL).us + SECONDS(60);
    (void)pthread_mutex_lock(&c->lock);
    bool is_over = c->is_released;
    (void)pthread_mutex_unlock(&c->lock);
    while (!is_over) {
        ck_assert_int_eq(stf_engine_run(c->engine, &ctx, STF_RUN_IDLE, NULL), STF_OK);
        (void)pthread_mutex_lock(&c->lock);
        is_over = c->is_released;
        (void)pthread_mutex_unlock(&c->lock);
    }
    return NULL;
}

static const char work_and_task[] =
    "<startEvent id='s'/><parallelGateway id='g'/><serviceTask id='work'/>"
    "<userTask id='approve'/><endEvent id='e'/><endEvent id='e2'/>"
    "<sequenceFlow id='f1' sourceRef='s' targetRef='g'/>"
    "<sequenceFlow id='f2' sourceRef='g' targetRef='work'/>"
    "<sequenceFlow id='f3' sourceRef='g' targetRef='approve'/>"
    "<sequenceFlow id='f4' sourceRef='work' targetRef='e'/>"
    "<sequenceFlow id='f5' sourceRef='approve' targetRef='e2'/>";

static void play(bool has_loop)
{
    engine_case *c = engine_case_new();
    caller host = {.c = c};
    caller callers[CALLERS];
    pthread_t threads[CALLERS];
    pthread_t loop;
    c->options.workers = 4;
    engine_case_open(c, all_topics);
    engine_case_deploy(c, work_and_task);
    if (has_loop) {
        ck_assert_int_eq(pthread_create(&loop, NULL, run_loop, &host), 0);
    }
    for (int i = 0; i < CALLERS; i++) {
        callers[i] = (caller){.c = c, .number = i};
        ck_assert_int_eq(pthread_create(&threads[i], NULL, call_many, &callers[i]), 0);
    }
    for (int i = 0; i < CALLERS; i++) {
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    }
    if (has_loop) {
        (void)pthread_mutex_lock(&c->lock);
        c->is_released = true;
        (void)pthread_mutex_unlock(&c->lock);
        ck_assert_int_eq(pthread_join(loop, NULL), 0);
    }
    engine_case_idle(c);
    ck_assert_uint_eq(engine_case_calls_of(c, "work"), CALLERS * EACH);
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_INSTANCE_COMPLETED), CALLERS * EACH);
    ck_assert_uint_le(c->running_max, 4);
    engine_case_free(c);
}

STF_TEST(many_callers_drive_the_engine_themselves)
{
    play(false);
}

STF_TEST(many_callers_share_the_engine_with_a_host_that_runs_it)
{
    play(true);
}

STF_TEST(handlers_run_beside_each_other_up_to_the_number_of_workers)
{
    engine_case *c = engine_case_new();
    c->options.workers = 3;
    c->answer = CASE_BLOCK;
    engine_case_open(c, all_topics);
    engine_case_deploy(c, case_work);
    for (int i = 0; i < 8; i++) {
        engine_case_start(c, NULL, NULL);
    }
    (void)pthread_mutex_lock(&c->lock);
    while (c->running < 3) {
        (void)pthread_cond_wait(&c->changed, &c->lock);
    }
    ck_assert_uint_eq(c->call_count, 3);
    c->is_released = true;
    (void)pthread_cond_broadcast(&c->changed);
    (void)pthread_mutex_unlock(&c->lock);
    engine_case_idle(c);
    ck_assert_uint_eq(engine_case_calls_of(c, "work"), 8);
    ck_assert_uint_eq(c->running_max, 3);
    engine_case_free(c);
}

STF_TEST(the_fd_is_readable_when_a_worker_has_a_result)
{
    engine_case *c = engine_case_new();
    c->options.workers = 1;
    engine_case_open(c, all_topics);
    engine_case_deploy(c, case_work);
    engine_case_start(c, "i1", NULL);
    struct pollfd fd = {.fd = stf_engine_fd(c->engine), .events = POLLIN};
    ck_assert_int_eq(poll(&fd, 1, 60000), 1);
    bool did = false;
    STF_CHECK_OK(stf_engine_step(c->engine, NULL, &did, &c->error), &c->error);
    ck_assert(did);
    ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
    engine_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(many_callers_drive_the_engine_themselves),
    STF_CASE(many_callers_share_the_engine_with_a_host_that_runs_it),
    STF_CASE(handlers_run_beside_each_other_up_to_the_number_of_workers),
    STF_CASE(the_fd_is_readable_when_a_worker_has_a_result),
};

STF_TEST_MAIN("workers", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* One engine, many callers: four threads post starts, task completions, messages and questions to
 * it while a fifth runs its loop and two workers run its handlers, on memory and on SQLite. Each
 * instance ends once, each handler runs once, and ThreadSanitizer has nothing to say. */
#include <sched.h>
#include <unistd.h>

#include "sqlite_case.h"

#define POSTERS 4u
#define INSTANCES 30u /* of each poster */
#define LOOKS 2000000u

static const char *const all_topics[] = {"*", NULL};

/* A service task, a person, and a message that another poster publishes. */
static const char process[] =
    "<message id='m' name='paid' stepfast:correlationKey='${key}'/>"
    "<process id='p' isExecutable='true'><startEvent id='s'/><serviceTask id='work'/>"
    "<userTask id='approve'/><receiveTask id='wait' messageRef='m'/><endEvent id='e'/>"
    "<sequenceFlow id='f1' sourceRef='s' targetRef='work'/>"
    "<sequenceFlow id='f2' sourceRef='work' targetRef='approve'/>"
    "<sequenceFlow id='f3' sourceRef='approve' targetRef='wait'/>"
    "<sequenceFlow id='f4' sourceRef='wait' targetRef='e'/></process>";

typedef struct poster {
    engine_case *c;
    unsigned number;
    pthread_t thread;
} poster;

static void name_of(unsigned number, unsigned instance, char name[32])
{
    (void)snprintf(name, 32, "i-%u-%03u", number, instance);
}

static stf_value *parse_key(const char *key)
{
    char json[64];
    stf_value *value = NULL;
    (void)snprintf(json, sizeof(json), "{\"key\": \"%s\"}", key);
    ck_assert_int_eq(stf_value_parse_json(NULL, stf_str_of(json), &value, NULL), STF_OK);
    return value;
}

static void post_start(engine_case *c, const char *name)
{
    stf_error error = STF_ERROR_INIT;
    stf_start start = STF_START_INIT;
    stf_value *variables = parse_key(name);
    start.process = stf_str_of("p");
    start.id = stf_str_of(name);
    start.variables = variables;
    STF_CHECK_OK(stf_engine_start_instance(c->engine, NULL, &start, NULL, &error), &error);
    stf_value_unref(variables);
}

/* The task appears when the handler's result is saved: until then it is not found. Time passes with
 * each look, for whatever waits for it. */
static void post_task(engine_case *c, const char *name)
{
    stf_status status = STF_NOT_FOUND;
    stf_error error = STF_ERROR_INIT;
    for (unsigned looks = 0; status == STF_NOT_FOUND && looks < LOOKS; looks++) {
        stf_error_init(&error);
        status = stf_engine_complete_task(c->engine, NULL, stf_str_of(name), 0,
                                          stf_str_of("approve"), NULL, &error);
        atomic_fetch_add(&c->clock.us, 1000);
        (void)sched_yield();
    }
    STF_CHECK_STATUS(status, STF_OK, &error);
}

static void post_message(engine_case *c, const char *key)
{
    stf_error error = STF_ERROR_INIT;
    stf_message message = STF_MESSAGE_INIT;
    message.name = stf_str_of("paid");
    message.key = stf_str_of(key);
    message.keep_us = SECONDS(3600);
    STF_CHECK_OK(stf_engine_publish(c->engine, NULL, &message, NULL, &error), &error);
}

static void ask(engine_case *c, const char *name)
{
    stf_error error = STF_ERROR_INIT;
    stf_value *value = NULL;
    STF_CHECK_OK(stf_engine_get_instance(c->engine, NULL, stf_str_of(name), &value, &error),
                 &error);
    value = stf_value_unref(value);
    STF_CHECK_OK(stf_engine_list_tasks(c->engine, NULL, stf_str_of(""), 100, &value, &error),
                 &error);
    value = stf_value_unref(value);
    STF_CHECK_OK(stf_engine_list_instances(c->engine, NULL, NULL, &value, &error), &error);
    stf_value_unref(value);
}

/* What is not there is not there, whoever asks at the same time. */
static void ask_for_nothing(engine_case *c)
{
    stf_error error = STF_ERROR_INIT;
    stf_value *value = NULL;
    STF_CHECK_STATUS(stf_engine_get_instance(c->engine, NULL, stf_str_of("nobody"), &value, &error),
                     STF_NOT_FOUND, &error);
    STF_CHECK_STATUS(stf_engine_complete_task(c->engine, NULL, stf_str_of("nobody"), 0,
                                              stf_str_of("approve"), NULL, &error),
                     STF_NOT_FOUND, &error);
}

static void *post(void *user)
{
    const poster *self = user;
    for (unsigned i = 0; i < INSTANCES; i++) {
        char mine[32];
        char theirs[32];
        name_of(self->number, i, mine);
        name_of((self->number + 1) % POSTERS, i, theirs);
        post_start(self->c, mine);
        ask(self->c, mine);
        post_message(self->c, theirs); /* who may not even have been started */
        post_task(self->c, mine);
        ask_for_nothing(self->c);
    }
    return NULL;
}

typedef struct loop {
    engine_case *c;
    stf_ctx ctx;
    stf_status status;
} loop;

static void *run_loop(void *user)
{
    loop *self = user;
    self->status = stf_engine_run(self->c->engine, &self->ctx, STF_RUN_FOREVER, NULL);
    return NULL;
}

static void post_all(engine_case *c)
{
    poster posters[POSTERS];
    loop host = {.c = c, .ctx = STF_CTX_INIT};
    pthread_t thread;
    STF_CHECK_OK(stf_cancel_new(NULL, &host.ctx.cancel, &c->error), &c->error);
    ck_assert_int_eq(pthread_create(&thread, NULL, run_loop, &host), 0);
    for (unsigned i = 0; i < POSTERS; i++) {
        posters[i] = (poster){.c = c, .number = i};
        ck_assert_int_eq(pthread_create(&posters[i].thread, NULL, post, &posters[i]), 0);
    }
    for (unsigned i = 0; i < POSTERS; i++) {
        ck_assert_int_eq(pthread_join(posters[i].thread, NULL), 0);
    }
    stf_cancel_request(host.ctx.cancel);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_int_eq(host.status, STF_CANCELLED);
    stf_cancel_unref(host.ctx.cancel);
}

/* Messages that were kept are taken by now or soon. */
static void expect_all_completed(engine_case *c)
{
    engine_case_advance(c, SECONDS(10));
    for (unsigned number = 0; number < POSTERS; number++) {
        for (unsigned i = 0; i < INSTANCES; i++) {
            char name[32];
            name_of(number, i, name);
            ck_assert_msg(strcmp(engine_case_status(c, name), "completed") == 0, "%s: %s", name,
                          engine_case_status(c, name));
        }
    }
    ck_assert_uint_eq(engine_case_calls_of(c, "work"), POSTERS * INSTANCES);
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_INSTANCE_COMPLETED), POSTERS * INSTANCES);
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_TASK_COMPLETED), POSTERS * INSTANCES);
}

static void play(engine_case *c)
{
    c->options.workers = 2;
    engine_case_open(c, all_topics);
    engine_case_deploy_file(c, process);
    post_all(c);
    expect_all_completed(c);
    engine_case_free(c);
}

STF_TEST(four_posters_one_engine_on_memory)
{
    play(engine_case_new());
}

STF_TEST(four_posters_one_engine_on_sqlite)
{
    sqlite_case_make_folder();
    engine_case *c = engine_case_new();
    sqlite_case_use(c);
    play(c);
    sqlite_case_remove_folder();
}

static const stf_test_case cases[] = {
    STF_CASE(four_posters_one_engine_on_memory),
    STF_CASE(four_posters_one_engine_on_sqlite),
};

STF_TEST_MAIN("engine_threads", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* The public calls: what they refuse, and what is left when memory runs out at any allocation. */
#include "unit/engine/engine_case.h"

static const char *const all_topics[] = {"*", NULL};

static stf_status start_with(engine_case *c, stf_start start)
{
    return stf_engine_start_instance(c->engine, NULL, &start, NULL, &c->error);
}

STF_TEST(a_start_is_refused_as_the_header_says)
{
    engine_case *c = engine_case_new();
    char long_id[300];
    stf_value *number = NULL;
    memset(long_id, 'x', sizeof(long_id));
    engine_case_open(c, NULL);
    engine_case_deploy(c, "<startEvent id='s'/><startEvent id='s2'/><endEvent id='e'/>"
                          "<sequenceFlow id='f1' sourceRef='s' targetRef='e'/>"
                          "<sequenceFlow id='f2' sourceRef='s2' targetRef='e'/>");
    stf_start start = STF_START_INIT;
    ck_assert_int_eq(start_with(c, start), STF_INVALID_ARGUMENT);
    start.process = stf_str_of("nobody");
    ck_assert_int_eq(start_with(c, start), STF_NOT_FOUND);
    start.process = stf_str_of("p");
    ck_assert_int_eq(start_with(c, start), STF_INVALID_ARGUMENT); /* two starts, none named */
    start.start_event = stf_str_of("s3");
    ck_assert_int_eq(start_with(c, start), STF_NOT_FOUND);
    start.start_event = stf_str_of("s2");
    start.version = 2;
    ck_assert_int_eq(start_with(c, start), STF_NOT_FOUND);
    start.version = -1;
    ck_assert_int_eq(start_with(c, start), STF_INVALID_ARGUMENT);
    start.version = 1;
    start.id = (stf_str){long_id, sizeof(long_id)};
    ck_assert_int_eq(start_with(c, start), STF_LIMIT_EXCEEDED);
    start.id = stf_str_of("\xff");
    ck_assert_int_eq(start_with(c, start), STF_INVALID_ARGUMENT);
    start.id = stf_str_of("i1");
    ck_assert_int_eq(stf_value_new_int(NULL, 1, &number, NULL), STF_OK);
    start.variables = number;
    ck_assert_int_eq(start_with(c, start), STF_INVALID_ARGUMENT);
    start.variables = NULL;
    ck_assert(!engine_case_record(c, "i1").is_found);
    ck_assert_int_eq(start_with(c, start), STF_OK);
    stf_value_unref(number);
    stf_start raw = {.process = stf_str_of("p")};
    ck_assert_int_eq(start_with(c, raw), STF_INVALID_ARGUMENT);
    engine_case_free(c);
}

STF_TEST(an_id_that_the_engine_draws_is_time_ordered_and_returned)
{
    engine_case *c = engine_case_new();
    stf_start start = STF_START_INIT;
    char last[64] = "";
    stf_buf id;
    engine_case_open(c, NULL);
    engine_case_deploy(c, case_task);
    start.process = stf_str_of("p");
    stf_buf_init(&id, NULL);
    for (int i = 0; i < 200; i++) {
        atomic_fetch_add(&c->clock.us, 997);
        stf_buf_clear(&id);
        STF_CHECK_OK(stf_engine_start_instance(c->engine, NULL, &start, &id, &c->error), &c->error);
        const char *text = stf_buf_c_str(&id);
        ck_assert_uint_eq(strlen(text), 36);
        ck_assert_int_eq(text[14], '7'); /* the version */
        ck_assert_int_lt(strcmp(last, text), 0);
        snprintf(last, sizeof(last), "%s", text);
        ck_assert_str_eq(engine_case_status(c, text), "active");
    }
    stf_buf_done(&id);
    engine_case_free(c);
}

STF_TEST(a_task_or_incident_is_refused_as_the_header_says)
{
    engine_case *c = engine_case_new();
    stf_str none = {NULL, 0};
    engine_case_open(c, NULL);
    engine_case_deploy(c, case_task);
    engine_case_start(c, "i1", NULL);
    stf_str id = stf_str_of("i1");
    ck_assert_int_eq(stf_engine_complete_task(c->engine, NULL, none, 1, none, NULL, NULL),
                     STF_INVALID_ARGUMENT);
    ck_assert_int_eq(stf_engine_complete_task(c->engine, NULL, id, 0, none, NULL, NULL),
                     STF_INVALID_ARGUMENT);
    ck_assert_int_eq(stf_engine_complete_task(c->engine, NULL, id, 99, none, NULL, NULL),
                     STF_NOT_FOUND);
    ck_assert_int_eq(stf_engine_complete_task(c->engine, NULL, id, 0, stf_str_of("x"), NULL, NULL),
                     STF_NOT_FOUND);
    ck_assert_int_eq(stf_engine_retry_incident(c->engine, NULL, id, 0, NULL), STF_NOT_FOUND);
    ck_assert_int_eq(stf_engine_retry_incident(c->engine, NULL, none, 0, NULL),
                     STF_INVALID_ARGUMENT);
    ck_assert_int_eq(stf_engine_complete_task(NULL, NULL, id, 1, none, NULL, NULL),
                     STF_INVALID_ARGUMENT);
    ck_assert_int_eq(engine_case_record(c, "i1").version, 1);
    engine_case_free(c);
}

/* ---- Memory that runs out -----------------------------------------------------------------------
 */

typedef struct counting_alloc {
    stf_allocator port;
    long live;
    long count;
    long fail_at; /* 0: never */
} counting_alloc;

static bool is_failing(counting_alloc *counter)
{
    counter->count++;
    return counter->fail_at != 0 && counter->count == counter->fail_at;
}

static void *count_alloc(void *user, size_t size)
{
    counting_alloc *counter = user;
    void *memory = is_failing(counter) ? NULL : malloc(size);
    counter->live += memory != NULL ? 1 : 0;
    return memory;
}

static void *count_realloc(void *user, void *memory, size_t size)
{
    counting_alloc *counter = user;
    if (is_failing(counter)) {
        return NULL;
    }
    counter->live += memory == NULL ? 1 : 0;
    return realloc(memory, size);
}

static void count_free(void *user, void *memory)
{
    counting_alloc *counter = user;
    counter->live -= memory != NULL ? 1 : 0;
    free(memory);
}

static stf_status deploy(engine_case *c)
{
    char file[2048];
    snprintf(file, sizeof(file),
             "<definitions xmlns='http://www.omg.org/spec/BPMN/20100524/MODEL'"
             " targetNamespace='t'><process id='p' isExecutable='true'>%s</process></definitions>",
             case_order);
    return stf_engine_deploy(c->engine, NULL,
                             (stf_bytes){(const uint8_t *)(const void *)file, strlen(file)}, NULL,
                             NULL, NULL, NULL);
}

/* A whole life with one failing allocation somewhere: every step is tried again until it works, as
 * a caller would. True: the failure came. */
static bool play_with_failing_allocation(long n)
{
    engine_case *c = engine_case_new();
    counting_alloc counter = {.fail_at = n};
    counter.port = (stf_allocator){.struct_size = sizeof(stf_allocator),
                                   .abi = STF_ALLOCATOR_ABI,
                                   .user = &counter,
                                   .alloc = count_alloc,
                                   .realloc = count_realloc,
                                   .free = count_free};
    c->options.alloc = &counter.port;
    c->options.batch_max = 4;
    /* Making it may fail as a whole; the next try has memory. */
    stf_engine_options options = c->options;
    options.repository = c->store;
    options.definitions = c->definitions;
    options.clock = &c->clock.port;
    options.random = &c->random;
    stf_status status = stf_engine_new(&options, &c->engine, NULL);
    if (status != STF_OK) {
        ck_assert_int_eq(status, STF_NO_MEMORY);
        ck_assert_ptr_null(c->engine);
        ck_assert_int_eq(counter.live, 0);
        STF_CHECK_OK(stf_engine_new(&options, &c->engine, &c->error), &c->error);
    }
    for (status = stf_engine_start(c->engine, NULL, NULL); status != STF_OK;
         status = stf_engine_start(c->engine, NULL, NULL)) {
        ck_assert_int_eq(status, STF_NO_MEMORY);
    }
    for (status = deploy(c); status != STF_OK; status = deploy(c)) {
        ck_assert_int_eq(status, STF_NO_MEMORY);
    }
    stf_start start = STF_START_INIT;
    start.process = stf_str_of("p");
    start.id = stf_str_of("i1");
    for (status = start_with(c, start); status != STF_OK; status = start_with(c, start)) {
        ck_assert_int_eq(status, STF_NO_MEMORY);
    }
    stf_value *view = NULL;
    for (status = stf_engine_get_instance(c->engine, NULL, start.id, &view, NULL); status != STF_OK;
         status = stf_engine_get_instance(c->engine, NULL, start.id, &view, NULL)) {
        ck_assert_int_eq(status, STF_NO_MEMORY);
        ck_assert_ptr_null(view);
    }
    stf_value_unref(view);
    stf_value *list = NULL;
    while (stf_engine_list_tasks(c->engine, NULL, (stf_str){NULL, 0}, 0, &list, NULL) != STF_OK) {
        ck_assert_ptr_null(list);
    }
    stf_value_unref(list);
    c->engine = stf_engine_close(c->engine, NULL);
    ck_assert_msg(counter.live == 0, "allocation %ld leaks %ld", n, counter.live);
    bool came = counter.count >= n;
    engine_case_free(c);
    return came;
}

STF_TEST(a_failing_allocation_anywhere_is_told_and_leaks_nothing)
{
    long n = 1;
    while (play_with_failing_allocation(n)) {
        n++;
    }
    ck_assert_int_gt(n, 100);
}

/* Results, timers and recovery have no caller to tell: they are tried again. */
static bool run_with_failing_allocation(long n)
{
    engine_case *c = engine_case_new();
    counting_alloc counter = {.fail_at = 0};
    counter.port = (stf_allocator){.struct_size = sizeof(stf_allocator),
                                   .abi = STF_ALLOCATOR_ABI,
                                   .user = &counter,
                                   .alloc = count_alloc,
                                   .realloc = count_realloc,
                                   .free = count_free};
    c->options.alloc = &counter.port;
    engine_case_open(c, all_topics);
    engine_case_deploy(c, case_order);
    engine_case_start(c, "i1", NULL);
    counter.count = 0;
    counter.fail_at = n;
    for (int i = 0; i < 60; i++) {
        atomic_fetch_add(&c->clock.us, SECONDS(1));
        bool did;
        ck_assert_int_eq(stf_engine_step(c->engine, NULL, &did, NULL), STF_OK);
    }
    stf_status status = STF_NO_MEMORY;
    for (int i = 0; i < 5 && status == STF_NO_MEMORY; i++) {
        status = stf_engine_complete_task(c->engine, NULL, stf_str_of("i1"), 0,
                                          stf_str_of("approve"), NULL, &c->error);
    }
    ck_assert_msg(status == STF_OK, "allocation %ld: %s", n, c->error.message);
    ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
    ck_assert_uint_eq(engine_case_calls_of(c, "work"), 1);
    bool came = counter.count >= n;
    engine_case_close(c);
    ck_assert_msg(counter.live == 0, "allocation %ld leaks %ld", n, counter.live);
    engine_case_free(c);
    return came;
}

STF_TEST(a_failing_allocation_in_a_turn_delays_it_and_loses_nothing)
{
    long n = 1;
    while (run_with_failing_allocation(n)) {
        n++;
    }
    ck_assert_int_gt(n, 15);
}

/* ---- Jobs, variables, cancel -------------------------------------------------------------------
 */

STF_TEST(a_job_that_nobody_started_is_answered_by_activation_element_or_topic)
{
    engine_case *c = engine_case_new();
    stf_answer answer = STF_ANSWER_INIT;
    stf_value *variables = NULL;
    engine_case_open(c, NULL);
    engine_case_deploy(c, case_work);
    ck_assert_int_eq(stf_value_parse_json(NULL, stf_str_of("{\"x\": 1}"), &variables, NULL),
                     STF_OK);
    answer.variables = variables;
    for (int i = 0; i < 3; i++) {
        char id[8];
        stf_value *jobs = NULL;
        int64_t activation = 0;
        snprintf(id, sizeof(id), "i%d", i);
        engine_case_start(c, id, NULL);
        STF_CHECK_OK(stf_engine_list_jobs(c->engine, NULL, stf_str_of("work"), 0, &jobs, &c->error),
                     &c->error);
        ck_assert_uint_eq(stf_value_count(jobs), 1);
        (void)stf_value_get_int(
            stf_value_peek(stf_value_peek_item(jobs, 0), stf_str_of("activation")), &activation);
        stf_value_unref(jobs);
        STF_CHECK_OK(stf_engine_answer_job(c->engine, NULL, stf_str_of(id),
                                           i == 0 ? (uint64_t)activation : 0,
                                           stf_str_of(i == 1 ? "work" : ""),
                                           stf_str_of(i == 2 ? "work" : ""), &answer, &c->error),
                     &c->error);
        ck_assert_str_eq(engine_case_status(c, id), "completed");
        ck_assert_str_eq(engine_case_variable(c, id, "x"), "1");
    }
    stf_str none = {NULL, 0};
    STF_CHECK_STATUS(stf_engine_answer_job(c->engine, NULL, stf_str_of("i0"), 0, stf_str_of("work"),
                                           none, &answer, &c->error),
                     STF_INVALID_STATE, &c->error);
    STF_CHECK_STATUS(
        stf_engine_answer_job(c->engine, NULL, stf_str_of("i0"), 0, none, none, &answer, &c->error),
        STF_INVALID_ARGUMENT, &c->error);
    STF_CHECK_STATUS(stf_engine_answer_job(c->engine, NULL, stf_str_of("no"), 0, stf_str_of("work"),
                                           none, &answer, &c->error),
                     STF_NOT_FOUND, &c->error);
    stf_value_unref(variables);
    engine_case_free(c);
}

STF_TEST(a_failed_job_is_retried_as_the_engines_policy_says_across_a_restart)
{
    engine_case *c = engine_case_new();
    stf_answer answer = STF_ANSWER_INIT;
    stf_value *jobs = NULL;
    c->options.retry = (stf_retry_policy){.retries = 1, .first_us = SECONDS(10)};
    engine_case_open(c, NULL);
    engine_case_deploy(c, case_work);
    engine_case_start(c, "i1", NULL);
    answer.kind = STF_ANSWER_FAILED;
    answer.message = stf_str_of("not now");
    for (int attempt = 1; attempt <= 2; attempt++) {
        STF_CHECK_OK(stf_engine_list_jobs(c->engine, NULL, stf_str_of(""), 0, &jobs, &c->error),
                     &c->error);
        ck_assert_uint_eq(stf_value_count(jobs), 1);
        stf_value_unref(jobs);
        STF_CHECK_OK(stf_engine_answer_job(c->engine, NULL, stf_str_of("i1"), 0, stf_str_of("work"),
                                           stf_str_of(""), &answer, &c->error),
                     &c->error);
        engine_case_crash(c);
        engine_case_open(c, NULL);
        engine_case_advance(c, SECONDS(11));
    }
    ck_assert_str_eq(engine_case_status(c, "i1"), "incident");
    STF_CHECK_OK(stf_engine_list_jobs(c->engine, NULL, stf_str_of(""), 0, &jobs, &c->error),
                 &c->error);
    ck_assert_uint_eq(stf_value_count(jobs), 0);
    stf_value_unref(jobs);
    engine_case_free(c);
}

STF_TEST(variables_are_written_from_outside)
{
    engine_case *c = engine_case_new();
    stf_value *variables = NULL;
    stf_str none = {NULL, 0};
    engine_case_open(c, NULL);
    engine_case_deploy(c, case_task);
    engine_case_start(c, "i1", "{\"a\": 1, \"b\": 2}");
    ck_assert_int_eq(
        stf_value_parse_json(NULL, stf_str_of("{\"b\": 3, \"c\": 4}"), &variables, NULL), STF_OK);
    STF_CHECK_OK(
        stf_engine_set_variables(c->engine, NULL, stf_str_of("i1"), none, variables, &c->error),
        &c->error);
    ck_assert_str_eq(engine_case_variable(c, "i1", "a"), "1");
    ck_assert_str_eq(engine_case_variable(c, "i1", "b"), "3");
    ck_assert_str_eq(engine_case_variable(c, "i1", "c"), "4");
    STF_CHECK_STATUS(
        stf_engine_set_variables(c->engine, NULL, stf_str_of("i1"), none, NULL, &c->error),
        STF_INVALID_ARGUMENT, &c->error);
    STF_CHECK_STATUS(stf_engine_set_variables(c->engine, NULL, stf_str_of("i1"),
                                              stf_str_of("approve"), variables, &c->error),
                     STF_NOT_FOUND, &c->error);
    engine_case_task(c, "i1", "approve", NULL);
    STF_CHECK_STATUS(
        stf_engine_set_variables(c->engine, NULL, stf_str_of("i1"), none, variables, &c->error),
        STF_INVALID_STATE, &c->error);
    stf_value_unref(variables);
    engine_case_free(c);
}

STF_TEST(a_cancelled_instance_is_over_and_says_why)
{
    engine_case *c = engine_case_new();
    engine_case_open(c, NULL);
    engine_case_deploy(c, case_task);
    engine_case_start(c, "i1", NULL);
    STF_CHECK_OK(stf_engine_cancel_instance(c->engine, NULL, stf_str_of("i1"),
                                            stf_str_of("ordered twice"), &c->error),
                 &c->error);
    ck_assert_str_eq(engine_case_status(c, "i1"), "terminated");
    stf_value *view = engine_case_view(c, "i1");
    const stf_value *end = stf_value_peek(view, stf_str_of("end"));
    STF_CHECK_STR(stf_value_peek_string(stf_value_peek(end, stf_str_of("how"))), "cancelled");
    stf_value_unref(view);
    STF_CHECK_STATUS(
        stf_engine_cancel_instance(c->engine, NULL, stf_str_of("i1"), stf_str_of(""), &c->error),
        STF_INVALID_STATE, &c->error);
    STF_CHECK_STATUS(
        stf_engine_cancel_instance(c->engine, NULL, stf_str_of("no"), stf_str_of(""), &c->error),
        STF_NOT_FOUND, &c->error);
    STF_CHECK_STATUS(stf_engine_cancel_instance(c->engine, NULL, stf_str_of("i1"),
                                                stf_str_of("\xff"), &c->error),
                     STF_INVALID_ARGUMENT, &c->error);
    ck_assert(!engine_case_record(c, "no").is_found);
    engine_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(a_start_is_refused_as_the_header_says),
    STF_CASE(an_id_that_the_engine_draws_is_time_ordered_and_returned),
    STF_CASE(a_task_or_incident_is_refused_as_the_header_says),
    STF_CASE(a_failing_allocation_anywhere_is_told_and_leaks_nothing),
    STF_CASE(a_failing_allocation_in_a_turn_delays_it_and_loses_nothing),
    STF_CASE(a_job_that_nobody_started_is_answered_by_activation_element_or_topic),
    STF_CASE(a_failed_job_is_retried_as_the_engines_policy_says_across_a_restart),
    STF_CASE(variables_are_written_from_outside),
    STF_CASE(a_cancelled_instance_is_over_and_says_why),
};

STF_TEST_MAIN("call", cases)

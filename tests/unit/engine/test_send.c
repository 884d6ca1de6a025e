/* SPDX-License-Identifier: Apache-2.0 */
/* Outboxes: what one instance sends another arrives exactly once, whichever save a crash follows,
 * whoever delivers it, and however many do (R5, R18). */
#include "engine/send.h"
#include "unit/base/faulty.h"
#include "unit/engine/message_case.h"

static engine_case *open_case(const char *roots)
{
    engine_case *c = engine_case_new();
    engine_case_open(c, NULL);
    engine_case_deploy_file(c, roots);
    return c;
}

/* As far as the store lets it. */
static void try_start(engine_case *c, const char *process, const char *id, const char *json)
{
    stf_ctx ctx = message_case_patience(c);
    stf_start start = STF_START_INIT;
    stf_value *variables = NULL;
    ck_assert_int_eq(stf_value_parse_json(NULL, stf_str_of(json), &variables, NULL), STF_OK);
    start.process = stf_str_of(process);
    start.id = stf_str_of(id);
    start.variables = variables;
    stf_status status = stf_engine_start_instance(c->engine, &ctx, &start, NULL, NULL);
    ck_assert(status != STF_INTERNAL);
    stf_value_unref(variables);
}

static void run_a_little(engine_case *c)
{
    for (int i = 0; i < 20; i++) {
        bool did = false;
        stf_status status = stf_engine_step(c->engine, NULL, &did, NULL);
        ck_assert(status != STF_INTERNAL);
    }
}

static void pass_time(engine_case *c, int64_t seconds)
{
    atomic_fetch_add(&c->clock.us, SECONDS(seconds));
    STF_CHECK_OK(stf_engine_step(c->engine, NULL, NULL, &c->error), &c->error);
}

/* ---- Messages ----------------------------------------------------------------------------------
 */

STF_TEST(a_thrown_message_reaches_the_oldest_of_several_and_only_it)
{
    engine_case *c = open_case(case_messages);
    message_case_wait(c, "i2");
    message_case_wait(c, "i1");
    engine_case_start_of(c, "s", "s1", "{\"key\": \"k\", \"amount\": 5}");
    engine_case_idle(c);
    ck_assert(engine_case_waits_at(c, "i2", "after"));
    ck_assert(!engine_case_waits_at(c, "i1", "after"));
    ck_assert_str_eq(engine_case_variable(c, "i2", "amount"), "5");
    ck_assert_str_eq(engine_case_status(c, "s1"), "completed");
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_MESSAGE_SENT), 1);
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_MESSAGE_RECEIVED), 1);
    engine_case_free(c);
}

STF_TEST(a_thrown_message_that_is_kept_waits_in_order_for_who_comes)
{
    engine_case *c = open_case(case_messages);
    engine_case_start_of(c, "s", "s1", "{\"key\": \"k\", \"amount\": 1}");
    engine_case_idle(c);
    engine_case_start_of(c, "s", "s2", "{\"key\": \"k\", \"amount\": 2}");
    engine_case_idle(c);
    ck_assert_str_eq(engine_case_status(c, "s1"), "completed");
    message_case_wait(c, "i1");
    message_case_wait(c, "i2");
    engine_case_idle(c);
    ck_assert_str_eq(engine_case_variable(c, "i1", "amount"), "1");
    ck_assert_str_eq(engine_case_variable(c, "i2", "amount"), "2");
    engine_case_free(c);
}

STF_TEST(a_message_that_is_not_kept_and_nobody_waits_for_is_dropped_and_told)
{
    engine_case *c = open_case(case_messages);
    engine_case_start_of(c, "n", "n1", "{\"key\": \"k\"}");
    engine_case_idle(c);
    ck_assert_str_eq(engine_case_status(c, "n1"), "completed");
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_MESSAGE_DROPPED), 1);
    engine_case_free(c);
}

#define CROWD 40

/* Their timers fire in one turn, and each throws the same message: each finds a receiver of its own
 * at once, the oldest for the first. */
STF_TEST(messages_of_one_turn_reach_different_instances_at_once)
{
    engine_case *c = engine_case_new();
    char id[8];
    engine_case_open(c, NULL);
    engine_case_deploy_file(c, case_messages);
    engine_case_deploy_file(
        c, "<message id='m' name='paid' stepfast:correlationKey='${key}'/>"
           "<process id='t' isExecutable='true'><startEvent id='s'/><intermediateCatchEvent id='c'>"
           "<timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition>"
           "</intermediateCatchEvent><endEvent id='e'><messageEventDefinition messageRef='m'/>"
           "</endEvent><sequenceFlow id='f1' sourceRef='s' targetRef='c'/>"
           "<sequenceFlow id='f2' sourceRef='c' targetRef='e'/></process>");
    for (int i = 0; i < CROWD; i++) {
        snprintf(id, sizeof(id), "t%02d", i);
        engine_case_start_of(c, "t", id, "{\"key\": \"k\"}"); /* all are due at the same time */
    }
    for (int i = 0; i < CROWD; i++) {
        snprintf(id, sizeof(id), "i%02d", i);
        message_case_wait(c, id);
    }
    message_case_wait(c, "last");
    long saves = atomic_load(&c->faulty.saves);
    engine_case_advance(c, SECONDS(3600));
    for (int i = 0; i < CROWD; i++) {
        snprintf(id, sizeof(id), "i%02d", i);
        ck_assert_msg(engine_case_waits_at(c, id, "after"), "%s", id);
        snprintf(id, sizeof(id), "t%02d", i);
        ck_assert_str_eq(engine_case_status(c, id), "completed");
    }
    ck_assert(!engine_case_waits_at(c, "last", "after"));
    /* The timers, the receivers, the answers. None was aimed twice. */
    ck_assert_int_le(atomic_load(&c->faulty.saves) - saves, 3);
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_MESSAGE_SENT), CROWD);
    engine_case_free(c);
}

static void two_wait(engine_case *c)
{
    message_case_wait(c, "i1");
    message_case_wait(c, "i2");
}

static void throw_one(engine_case *c)
{
    try_start(c, "s", "s1", "{\"key\": \"k\", \"amount\": 3}");
    run_a_little(c);
}

static void throw_again(engine_case *c)
{
    if (!engine_case_record(c, "s1").is_found) {
        throw_one(c);
    }
}

static void one_got_it(engine_case *c, long n)
{
    ck_assert_msg(engine_case_waits_at(c, "i1", "after"), "crash after save %ld", n);
    ck_assert_msg(!engine_case_waits_at(c, "i2", "after"), "crash after save %ld", n);
    ck_assert_str_eq(engine_case_variable(c, "i1", "amount"), "3");
    ck_assert_str_eq(engine_case_status(c, "s1"), "completed");
}

STF_TEST(r5_a_message_arrives_once_whatever_save_the_crash_follows)
{
    crash_plan plan = {.roots = case_messages,
                       .before = two_wait,
                       .play = throw_one,
                       .again = throw_again,
                       .check = one_got_it};
    message_case_crash_at_each_save(&plan);
}

static void nothing_before(engine_case *c)
{
    (void)c;
}

/* The sender's message goes to its queue; then two begin to wait. */
static void throw_then_wait(engine_case *c)
{
    throw_one(c);
    try_start(c, "w", "i1", "{\"key\": \"k\"}");
    run_a_little(c);
    try_start(c, "w", "i2", "{\"key\": \"k\"}");
    run_a_little(c);
}

static void start_what_is_missing(engine_case *c)
{
    static const char *const ids[] = {"i1", "i2"};
    throw_again(c);
    for (size_t i = 0; i < 2; i++) {
        if (!engine_case_record(c, ids[i]).is_found) {
            message_case_wait(c, ids[i]);
        }
    }
}

static void exactly_one_got_it(engine_case *c, long n)
{
    int count = engine_case_waits_at(c, "i1", "after") + engine_case_waits_at(c, "i2", "after");
    ck_assert_msg(count == 1, "crash after save %ld: %d got it", n, count);
    ck_assert_str_eq(engine_case_status(c, "s1"), "completed");
}

STF_TEST(r5_a_kept_message_arrives_once_whatever_save_the_crash_follows)
{
    crash_plan plan = {.roots = case_messages,
                       .before = nothing_before,
                       .play = throw_then_wait,
                       .again = start_what_is_missing,
                       .check = exactly_one_got_it};
    message_case_crash_at_each_save(&plan);
}

/* ---- Calls -------------------------------------------------------------------------------------
 */

STF_TEST(a_call_over_three_levels_hands_variables_in_and_out)
{
    engine_case *c = open_case(case_calls);
    engine_case_start_of(c, "top", "t", "{\"fails\": false}");
    engine_case_idle(c);
    ck_assert(engine_case_waits_at(c, message_case_only_id(c, "low"), "work"));
    engine_case_task(c, message_case_only_id(c, "low"), "work", "{\"x\": 9}");
    engine_case_idle(c);
    ck_assert(engine_case_waits_at(c, "t", "after"));
    ck_assert_str_eq(engine_case_variable(c, "t", "y"), "9");
    ck_assert_uint_eq(engine_case_count(c, "mid", "completed"), 1);
    ck_assert_uint_eq(engine_case_count(c, "low", "completed"), 1);
    engine_case_free(c);
}

STF_TEST(an_error_goes_up_through_two_calls_to_whoever_catches_it)
{
    engine_case *c = open_case(case_calls);
    engine_case_start_of(c, "top", "t", "{\"fails\": true}");
    engine_case_idle(c);
    engine_case_task(c, message_case_only_id(c, "low"), "work", NULL);
    engine_case_idle(c);
    ck_assert(engine_case_waits_at(c, "t", "caught"));
    ck_assert_uint_eq(engine_case_count(c, "mid", "terminated"), 1);
    ck_assert_uint_eq(engine_case_count(c, "low", "terminated"), 1);
    engine_case_free(c);
}

STF_TEST(a_cancel_goes_down_through_three_levels)
{
    engine_case *c = open_case(case_calls);
    engine_case_start_of(c, "top", "t", "{\"fails\": false}");
    engine_case_idle(c);
    STF_CHECK_OK(stf_engine_cancel_instance(c->engine, NULL, stf_str_of("t"),
                                            stf_str_of("not wanted"), &c->error),
                 &c->error);
    engine_case_idle(c);
    ck_assert_str_eq(engine_case_status(c, "t"), "terminated");
    ck_assert_uint_eq(engine_case_count(c, "mid", "terminated"), 1);
    ck_assert_uint_eq(engine_case_count(c, "low", "terminated"), 1);
    STF_CHECK_STATUS(
        stf_engine_cancel_instance(c->engine, NULL, stf_str_of("t"), stf_str_of(""), &c->error),
        STF_INVALID_STATE, &c->error);
    engine_case_free(c);
}

STF_TEST(a_process_that_is_not_deployed_is_an_incident_and_its_retry_calls_it)
{
    engine_case *c = engine_case_new();
    engine_case_open(c, NULL);
    engine_case_deploy_file(c, "<process id='top' isExecutable='true'><startEvent id='s'/>"
                               "<callActivity id='call' calledElement='later'/><endEvent id='e'/>"
                               "<sequenceFlow id='f1' sourceRef='s' targetRef='call'/>"
                               "<sequenceFlow id='f2' sourceRef='call' targetRef='e'/></process>");
    engine_case_start_of(c, "top", "t", NULL);
    engine_case_idle(c);
    ck_assert_str_eq(engine_case_status(c, "t"), "incident");
    engine_case_deploy_file(c, "<process id='later' isExecutable='true'><startEvent id='s'/>"
                               "<endEvent id='e'/><sequenceFlow id='f1' sourceRef='s' "
                               "targetRef='e'/></process>");
    STF_CHECK_OK(stf_engine_retry_incident(c->engine, NULL, stf_str_of("t"), 0, &c->error),
                 &c->error);
    engine_case_idle(c);
    ck_assert_str_eq(engine_case_status(c, "t"), "completed");
    ck_assert_uint_eq(engine_case_count(c, "later", "completed"), 1);
    engine_case_free(c);
}

/* Calls, does the task at the bottom, and goes on. */
static void call_and_work(engine_case *c)
{
    stf_ctx ctx = message_case_patience(c);
    try_start(c, "top", "t", "{\"fails\": false}");
    run_a_little(c);
    if (atomic_load(&c->faulty.fail_at) > atomic_load(&c->faulty.saves) + 1) {
        stf_status status =
            stf_engine_complete_task(c->engine, &ctx, stf_str_of(message_case_only_id(c, "low")), 0,
                                     stf_str_of("work"), NULL, NULL);
        ck_assert(status != STF_INTERNAL);
        run_a_little(c);
    }
}

static void call_and_work_again(engine_case *c)
{
    if (!engine_case_record(c, "t").is_found) {
        try_start(c, "top", "t", "{\"fails\": false}");
    }
    engine_case_advance(c, SECONDS(30));
    if (engine_case_count(c, "low", "active") == 1 &&
        engine_case_waits_at(c, message_case_only_id(c, "low"), "work")) {
        engine_case_task(c, message_case_only_id(c, "low"), "work", NULL);
    }
}

static void called_once(engine_case *c, long n)
{
    ck_assert_msg(engine_case_waits_at(c, "t", "after"), "crash after save %ld", n);
    ck_assert_uint_eq(engine_case_count(c, "mid", NULL), 1);
    ck_assert_uint_eq(engine_case_count(c, "mid", "completed"), 1);
    ck_assert_uint_eq(engine_case_count(c, "low", NULL), 1);
    ck_assert_uint_eq(engine_case_count(c, "low", "completed"), 1);
}

STF_TEST(r18_a_call_makes_one_child_whatever_save_the_crash_follows)
{
    crash_plan plan = {.roots = case_calls,
                       .before = nothing_before,
                       .play = call_and_work,
                       .again = call_and_work_again,
                       .check = called_once};
    message_case_crash_at_each_save(&plan);
}

static void call(engine_case *c)
{
    engine_case_start_of(c, "top", "t", "{\"fails\": false}");
    engine_case_idle(c);
}

static void cancel(engine_case *c)
{
    stf_ctx ctx = message_case_patience(c);
    stf_status status =
        stf_engine_cancel_instance(c->engine, &ctx, stf_str_of("t"), stf_str_of(""), NULL);
    ck_assert(status != STF_INTERNAL);
    run_a_little(c);
}

static void cancel_again(engine_case *c)
{
    stf_status status =
        stf_engine_cancel_instance(c->engine, NULL, stf_str_of("t"), stf_str_of(""), NULL);
    ck_assert(status == STF_OK || status == STF_INVALID_STATE);
}

static void all_cancelled(engine_case *c, long n)
{
    ck_assert_msg(strcmp(engine_case_status(c, "t"), "terminated") == 0, "crash after save %ld", n);
    ck_assert_uint_eq(engine_case_count(c, "mid", "terminated"), 1);
    ck_assert_uint_eq(engine_case_count(c, "low", "terminated"), 1);
}

STF_TEST(r18_a_cancel_reaches_the_bottom_whatever_save_the_crash_follows)
{
    crash_plan plan = {.roots = case_calls,
                       .before = call,
                       .play = cancel,
                       .again = cancel_again,
                       .check = all_cancelled};
    message_case_crash_at_each_save(&plan);
}

/* The creation is kept back in the sender's outbox; an engine that delivers the cancel first leaves
 * a record that the creation then loses to. */
STF_TEST(r18_a_cancel_that_overtakes_the_creation_wins)
{
    engine_case *c = open_case(case_calls);
    stf__definition *definition = NULL;
    stf__command *commands[2];
    stf_str tenant = stf_buf_str(&c->engine->tenant);
    STF_CHECK_OK(
        stf__definition_get(c->engine, NULL, tenant, stf_str_of("low"), 0, &definition, &c->error),
        &c->error);
    for (size_t i = 0; i < 2; i++) {
        stf__command_spec spec = {.id = stf_str_of("child"),
                                  .event = {.kind = i == 0 ? STF__EVENT_CANCEL : STF__EVENT_START},
                                  .definition = i == 0 ? NULL : definition};
        spec.event.sender = (stf__sender){
            .is_given = true, .nonce = {7}, .sequence = 2 - i, .activation = 1, .id = {"t", 1}};
        ck_assert_int_eq(stf__command_new(c->engine, &spec, &commands[i], &c->error), STF_OK);
        commands[i]->refs++;
        commands[i]->sequence = atomic_fetch_add(&c->engine->sequence, 1) + 1;
        stf__inbox_hand(c->engine, commands[i]);
        engine_case_idle(c);
        ck_assert_str_eq(engine_case_status(c, "child"), "terminated");
    }
    ck_assert_int_eq(commands[0]->status, STF_OK);
    ck_assert_int_eq(commands[1]->status, STF_ALREADY_EXISTS); /* which is delivered */
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_NODE_ENTERED), 0);
    /* It is an instance that can be looked at. */
    stf_value *view = engine_case_view(c, "child");
    ck_assert(stf_str_equal(stf_value_peek_string(stf_value_peek(view, stf_str_of("status"))),
                            stf_str_of("terminated")));
    stf_value_unref(view);
    for (size_t i = 0; i < 2; i++) {
        (void)pthread_mutex_lock(&c->engine->lock);
        stf__command_unref_locked(c->engine, commands[i]);
        (void)pthread_mutex_unlock(&c->engine->lock);
    }
    (void)stf__definition_unref(c->engine, definition);
    engine_case_free(c);
}

/* Whatever is sent to a record of another group is refused, names both, and writes nothing. */
STF_TEST(what_is_sent_to_another_group_is_refused_there)
{
    static const stf__event_kind kinds[] = {STF__EVENT_MESSAGE, STF__EVENT_START, STF__EVENT_CHILD,
                                            STF__EVENT_CANCEL, STF__EVENT_PUBLISH};
    engine_case *c = engine_case_new();
    c->options.group = "elsewhere";
    engine_case_open(c, NULL);
    engine_case_deploy_file(c, case_messages);
    message_case_wait(c, "i1");
    case_record before = engine_case_record(c, "i1");
    engine_case_close(c);
    c->options.group = "g";
    engine_case_open(c, NULL);
    engine_case_deploy_file(c, case_messages);
    for (size_t i = 0; i < STF_COUNT_OF(kinds); i++) {
        stf__definition *definition = NULL;
        stf__command *command = NULL;
        STF_CHECK_OK(stf__definition_get(c->engine, NULL, stf_buf_str(&c->engine->tenant),
                                         stf_str_of("w"), 0, &definition, &c->error),
                     &c->error);
        stf__command_spec spec = {.id = stf_str_of("i1"),
                                  .event = {.kind = kinds[i], .name = {"paid", 4}, .key = {"k", 1}},
                                  .definition = kinds[i] == STF__EVENT_START ? definition : NULL};
        spec.event.sender =
            (stf__sender){.is_given = true, .nonce = {7}, .sequence = i + 1, .id = {"t", 1}};
        ck_assert_int_eq(stf__command_new(c->engine, &spec, &command, &c->error), STF_OK);
        command->refs++;
        command->sequence = atomic_fetch_add(&c->engine->sequence, 1) + 1;
        stf__inbox_hand(c->engine, command);
        engine_case_idle(c);
        ck_assert_int_eq(command->status, STF_INVALID_STATE);
        ck_assert_uint_eq(command->hurdle, STF__HURDLE_OTHER_GROUP);
        ck_assert_ptr_nonnull(strstr(command->error.message, "elsewhere"));
        (void)pthread_mutex_lock(&c->engine->lock);
        stf__command_unref_locked(c->engine, command);
        (void)pthread_mutex_unlock(&c->engine->lock);
        (void)stf__definition_unref(c->engine, definition);
    }
    ck_assert_int_eq(engine_case_record(c, "i1").version, before.version);
    STF_CHECK_STATUS(engine_case_publish(c, "paid", "k", NULL, 0, NULL), STF_NOT_FOUND, &c->error);
    engine_case_free(c);
}

/* One step after the other: never is the child over while the parent has not heard of it. */
STF_TEST(r18_a_child_is_terminal_only_after_its_parent_has_taken_the_result)
{
    engine_case *c = open_case(case_calls);
    bool was_waiting_for_it = false;
    engine_case_start_of(c, "top", "t", "{\"fails\": false}");
    engine_case_idle(c);
    engine_case_task(c, message_case_only_id(c, "low"), "work", NULL);
    for (int i = 0; i < 50 && engine_case_count(c, "low", "completed") == 0; i++) {
        was_waiting_for_it = was_waiting_for_it || engine_case_count(c, "mid", "completed") == 0;
        STF_CHECK_OK(stf_engine_step(c->engine, NULL, NULL, &c->error), &c->error);
        if (engine_case_count(c, "low", "completed") != 0) {
            stf_value *view = engine_case_view(c, message_case_only_id(c, "mid"));
            ck_assert_uint_eq(stf_value_count(stf_value_peek(view, stf_str_of("calls"))), 0);
            stf_value_unref(view);
        }
    }
    ck_assert(was_waiting_for_it);
    ck_assert_uint_eq(engine_case_count(c, "low", "completed"), 1);
    engine_case_free(c);
}

/* ---- Lost answers ------------------------------------------------------------------------------
 */

static bool play_with_lost_answer(long n, bool applies)
{
    engine_case *c = open_case(case_calls);
    stf_ctx ctx = message_case_patience(c);
    long saves = atomic_load(&c->faulty.saves);
    faulty_repository_fail_saves(&c->faulty, n, 1, STF_OUTCOME_UNKNOWN, applies);
    try_start(c, "top", "t", "{\"fails\": false}");
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 60; i++) {
            atomic_fetch_add(&c->clock.us, SECONDS(1));
            STF_CHECK_OK(stf_engine_step(c->engine, NULL, NULL, &c->error), &c->error);
        }
        if (!engine_case_record(c, "t").is_found) {
            ck_assert(n == 1 && !applies); /* its caller has left before it was written */
            try_start(c, "top", "t", "{\"fails\": false}");
        } else if (round == 0) {
            ctx = message_case_patience(c);
            stf_status status = stf_engine_complete_task(c->engine, &ctx,
                                                         stf_str_of(message_case_only_id(c, "low")),
                                                         0, stf_str_of("work"), NULL, NULL);
            ck_assert(status == STF_OK || status == STF_OUTCOME_UNKNOWN);
        }
    }
    bool is_reached = atomic_load(&c->faulty.saves) - saves >= n;
    if (n > 1 || applies) {
        for (int i = 0; i < 20; i++) {
            atomic_fetch_add(&c->clock.us, SECONDS(3));
            STF_CHECK_OK(stf_engine_step(c->engine, NULL, NULL, &c->error), &c->error);
        }
        if (engine_case_count(c, "low", "active") == 1) {
            engine_case_task(c, message_case_only_id(c, "low"), "work",
                             NULL); /* withdrawn before it was sent */
        }
        engine_case_advance(c, SECONDS(30));
        called_once(c, n);
    }
    engine_case_free(c);
    return is_reached;
}

STF_TEST(r3_a_lost_answer_of_any_save_of_a_call_makes_no_second_child)
{
    for (int applies = 0; applies < 2; applies++) {
        long n = 1;
        while (play_with_lost_answer(n, applies != 0)) {
            n++;
            ck_assert_int_lt(n, 100);
        }
        ck_assert_int_gt(n, 5);
    }
}

/* ---- Two engines -------------------------------------------------------------------------------
 */

static const message_case_meeting stalls[] = {{.status = STF_UNAVAILABLE},
                                              {.status = STF_OUTCOME_UNKNOWN},
                                              {.status = STF_OUTCOME_UNKNOWN, .applies = true}};

static void play_meetings(const char *process, const char *json, int turns_max)
{
    for (size_t i = 0; i < STF_COUNT_OF(stalls); i++) {
        for (int first = 0; first < turns_max; first++) {
            for (int second = 0; second < turns_max; second++) {
                message_case_meeting plan = stalls[i];
                engine_case *c = engine_case_new();
                engine_case_open(c, NULL);
                engine_case *other = engine_case_join(c, "two", NULL);
                plan.process = process;
                plan.json = json;
                plan.first_turns = first;
                plan.second_turns = second;
                message_case_meet(c, other, &plan);
                engine_case_free(other);
                engine_case_free(c);
            }
        }
    }
}

STF_TEST(r5_two_engines_that_deliver_one_message_deliver_it_once)
{
    play_meetings("s", "{\"key\": \"k\"}", 6);
}

STF_TEST(r18_two_engines_that_deliver_one_call_make_one_child)
{
    play_meetings("top", "{\"fails\": false}", 6);
}

/* Without waiting for the outbox to be due by itself: no time passes. */
STF_TEST(r5_an_engine_that_stops_leaves_what_it_could_not_deliver_due_at_once)
{
    engine_case *c = open_case(case_messages);
    engine_case *other = engine_case_join(c, "two", NULL);
    stf_ctx over = STF_CTX_INIT;
    over.flags = STF_CTX_HAS_DEADLINE; /* long ago */
    message_case_wait(c, "i1");
    faulty_repository_fail_saves(&c->faulty, 2, 1, STF_UNAVAILABLE, false);
    engine_case_start_of(c, "s", "s1", "{\"key\": \"k\", \"amount\": 3}");
    STF_CHECK_OK(stf_engine_step(c->engine, NULL, NULL, &c->error), &c->error);
    ck_assert(!engine_case_waits_at(c, "i1", "after"));
    faulty_repository_heal(&c->faulty);
    c->engine = stf_engine_close(c->engine, &over);
    c->repository = stf_repository_close(c->repository);
    atomic_store(&other->clock.us, atomic_load(&c->clock.us));
    engine_case_idle(other);
    ck_assert(engine_case_waits_at(other, "i1", "after"));
    ck_assert_str_eq(engine_case_status(other, "s1"), "completed");
    engine_case_free(other);
    engine_case_free(c);
}

#define MANY 500

/* "one" waits for the message that it is told; "all" throws one to each at once. */
static void deploy_many(engine_case *c)
{
    stf_buf roots;
    stf_status status;
    stf_buf_init(&roots, NULL);
    status =
        stf_buf_printf(&roots, "<message id='m' name='${name}'/>"
                               "<process id='one' isExecutable='true'><startEvent id='o_s'/>"
                               "<receiveTask id='o_w' messageRef='m'/>"
                               "<sequenceFlow id='o_f' sourceRef='o_s' targetRef='o_w'/></process>"
                               "<process id='all' isExecutable='true'><startEvent id='s'/>");
    for (int i = 0; status == STF_OK && i < MANY; i++) {
        status = stf_buf_printf(&roots,
                                "<intermediateThrowEvent id='t%d'><messageEventDefinition "
                                "messageRef='m%d'/></intermediateThrowEvent>"
                                "<sequenceFlow id='f%d' sourceRef='s' targetRef='t%d'/>",
                                i, i, i, i);
    }
    if (status == STF_OK) {
        status = stf_buf_append_str(&roots, stf_str_of("</process>"));
    }
    for (int i = 0; status == STF_OK && i < MANY; i++) {
        status = stf_buf_printf(&roots, "<message id='m%d' name='go%d'/>", i, i);
    }
    ck_assert_int_eq(status, STF_OK);
    engine_case_deploy_file(c, stf_buf_c_str(&roots));
    stf_buf_done(&roots);
}

STF_TEST(many_messages_of_one_step_reach_as_many_instances)
{
    engine_case *c = engine_case_new();
    engine_case_open(c, NULL);
    deploy_many(c);
    for (int i = 0; i < MANY; i++) {
        char id[16];
        char json[32];
        snprintf(id, sizeof(id), "i%03d", i);
        snprintf(json, sizeof(json), "{\"name\": \"go%d\"}", i);
        engine_case_start_of(c, "one", id, json);
    }
    engine_case_start_of(c, "all", "a", NULL);
    engine_case_idle(c);
    ck_assert_str_eq(engine_case_status(c, "a"), "completed");
    ck_assert_uint_eq(engine_case_count(c, "one", "completed"), MANY);
    engine_case_free(c);
}

/* ---- Memory that runs out ----------------------------------------------------------------------
 */

/* Everything is sent: a message, one that is kept, and a call over three levels. */
static bool send_with_failing_allocation(long n)
{
    engine_case *c = engine_case_new();
    faulty memory;
    faulty_init(&memory, 0);
    c->options.alloc = &memory.port;
    engine_case_open(c, NULL);
    engine_case_deploy_file(c, case_messages);
    engine_case_deploy_file(c, case_calls);
    message_case_wait(c, "i1");
    memory.calls = 0;
    memory.fail_at = n;
    try_start(c, "s", "s1", "{\"key\": \"k\", \"amount\": 3}");
    try_start(c, "s", "s2", "{\"key\": \"k\", \"amount\": 3}");
    try_start(c, "top", "t", "{\"fails\": false}");
    for (int i = 0; i < 40; i++) {
        pass_time(c, 1);
    }
    bool came = memory.calls >= n;
    memory.fail_at = 0;
    for (size_t i = 0; i < 3; i++) { /* a caller tries again what had no memory */
        static const char *const ids[] = {"s1", "s2", "t"};
        if (!engine_case_record(c, ids[i]).is_found) {
            try_start(c, i == 2 ? "top" : "s", ids[i], "{\"key\": \"k\", \"fails\": false}");
        }
    }
    engine_case_advance(c, SECONDS(20));
    message_case_wait(c, "i2");
    engine_case_advance(c, SECONDS(20));
    engine_case_task(c, message_case_only_id(c, "low"), "work", NULL);
    engine_case_advance(c, SECONDS(20));
    called_once(c, n);
    ck_assert_msg(engine_case_waits_at(c, "i1", "after"), "allocation %ld", n);
    ck_assert_msg(engine_case_waits_at(c, "i2", "after"), "allocation %ld", n);
    engine_case_close(c);
    ck_assert_msg(memory.live == 0, "allocation %ld leaks %ld", n, memory.live);
    engine_case_free(c);
    return came;
}

STF_TEST(a_failing_allocation_delays_a_delivery_and_loses_nothing)
{
    long n = 1;
    while (send_with_failing_allocation(n)) {
        n++;
    }
    ck_assert_int_gt(n, 200);
}

static const stf_test_case cases[] = {
    STF_CASE(a_thrown_message_reaches_the_oldest_of_several_and_only_it),
    STF_CASE(a_thrown_message_that_is_kept_waits_in_order_for_who_comes),
    STF_CASE(a_message_that_is_not_kept_and_nobody_waits_for_is_dropped_and_told),
    STF_CASE(messages_of_one_turn_reach_different_instances_at_once),
    STF_CASE(r5_a_message_arrives_once_whatever_save_the_crash_follows),
    STF_CASE(r5_a_kept_message_arrives_once_whatever_save_the_crash_follows),
    STF_CASE(a_call_over_three_levels_hands_variables_in_and_out),
    STF_CASE(an_error_goes_up_through_two_calls_to_whoever_catches_it),
    STF_CASE(a_cancel_goes_down_through_three_levels),
    STF_CASE(a_process_that_is_not_deployed_is_an_incident_and_its_retry_calls_it),
    STF_CASE(r18_a_call_makes_one_child_whatever_save_the_crash_follows),
    STF_CASE(r18_a_cancel_reaches_the_bottom_whatever_save_the_crash_follows),
    STF_CASE(r18_a_cancel_that_overtakes_the_creation_wins),
    STF_CASE(what_is_sent_to_another_group_is_refused_there),
    STF_CASE(r18_a_child_is_terminal_only_after_its_parent_has_taken_the_result),
    STF_CASE(r3_a_lost_answer_of_any_save_of_a_call_makes_no_second_child),
    STF_CASE(r5_two_engines_that_deliver_one_message_deliver_it_once),
    STF_CASE(r18_two_engines_that_deliver_one_call_make_one_child),
    STF_CASE(r5_an_engine_that_stops_leaves_what_it_could_not_deliver_due_at_once),
    STF_CASE(many_messages_of_one_step_reach_as_many_instances),
    STF_CASE(a_failing_allocation_delays_a_delivery_and_loses_nothing),
};

STF_TEST_MAIN("send", cases)

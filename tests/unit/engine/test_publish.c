/* SPDX-License-Identifier: Apache-2.0 */
/* Publishing from outside: exactly one receiver, the oldest; kept in order while nobody waits; and
 * nothing lost between publishing and waiting, whichever comes first and whatever crashes (R5). */
#include "engine/send.h"
#include "unit/engine/message_case.h"

static engine_case *open_case(void)
{
    engine_case *c = engine_case_new();
    engine_case_open(c, NULL);
    engine_case_deploy_file(c, case_messages);
    return c;
}

#define HOUR SECONDS(3600)

/* ---- One receiver ------------------------------------------------------------------------------
 */

STF_TEST(a_message_reaches_exactly_one_of_several_the_oldest_first)
{
    static const char *const ids[] = {"i3", "i1", "i2"}; /* in order of waiting */
    engine_case *c = open_case();
    char receiver[256];
    for (size_t i = 0; i < 3; i++) {
        message_case_wait(c, ids[i]);
    }
    for (size_t i = 0; i < 3; i++) {
        STF_CHECK_OK(engine_case_publish(c, "paid", "k", "{\"n\": 7}", 0, receiver), &c->error);
        ck_assert_str_eq(receiver, ids[i]);
        for (size_t j = 0; j < 3; j++) {
            ck_assert_int_eq(engine_case_waits_at(c, ids[j], "after"), j <= i);
        }
        ck_assert_str_eq(engine_case_variable(c, ids[i], "n"), "7");
    }
    STF_CHECK_STATUS(engine_case_publish(c, "paid", "k", NULL, 0, receiver), STF_NOT_FOUND,
                     &c->error);
    ck_assert_str_eq(receiver, "");
    engine_case_free(c);
}

STF_TEST(name_and_key_both_have_to_match)
{
    static const char *const others[][2] = {
        {"paid", "other"}, {"paid", ""}, {"pai", "dk"}, {"paidk", ""}, {"k", "paid"}};
    engine_case *c = open_case();
    message_case_wait(c, "i1");
    for (size_t i = 0; i < STF_COUNT_OF(others); i++) {
        STF_CHECK_STATUS(engine_case_publish(c, others[i][0], others[i][1], NULL, 0, NULL),
                         STF_NOT_FOUND, &c->error);
    }
    ck_assert(!engine_case_waits_at(c, "i1", "after"));
    engine_case_free(c);
}

typedef struct thief {
    engine_case *other;
    bool is_armed;
} thief;

/* Another engine gives its message to the instance that this one has just found. */
static void steal(void *user, const char *name)
{
    thief *t = user;
    if (t->is_armed && strcmp(name, "load_many") == 0) {
        t->is_armed = false;
        STF_CHECK_OK(engine_case_publish(t->other, "paid", "k", NULL, 0, NULL), &t->other->error);
    }
}

STF_TEST(r5_who_went_on_between_the_look_and_the_step_is_replaced_by_the_next)
{
    engine_case *c = open_case();
    thief t = {.other = engine_case_join(c, "two", NULL), .is_armed = true};
    char receiver[256];
    message_case_wait(c, "i1");
    message_case_wait(c, "i2");
    c->faulty.on_call = steal;
    c->faulty.user = &t;
    STF_CHECK_OK(engine_case_publish(c, "paid", "k", NULL, 0, receiver), &c->error);
    ck_assert(!t.is_armed);
    ck_assert_str_eq(receiver, "i2");
    ck_assert(engine_case_waits_at(c, "i1", "after"));
    ck_assert(engine_case_waits_at(c, "i2", "after"));
    engine_case_free(t.other);
    engine_case_free(c);
}

STF_TEST(wrong_messages_are_refused_before_anything_is_asked)
{
    engine_case *c = open_case();
    char *text = calloc(1, 301);
    stf_value *number = NULL;
    stf_message message = STF_MESSAGE_INIT;
    ck_assert_int_eq(stf_value_new_int(NULL, 1, &number, NULL), STF_OK);
    memset(text, 'a', 300);
    long calls = atomic_load(&c->faulty.calls);
    STF_CHECK_STATUS(stf_engine_publish(c->engine, NULL, NULL, NULL, &c->error),
                     STF_INVALID_ARGUMENT, &c->error);
    STF_CHECK_STATUS(engine_case_publish(c, "", "k", NULL, 0, NULL), STF_INVALID_ARGUMENT,
                     &c->error);
    STF_CHECK_STATUS(engine_case_publish(c, "paid", "k", NULL, -1, NULL), STF_INVALID_ARGUMENT,
                     &c->error);
    STF_CHECK_STATUS(engine_case_publish(c, "paid", "k", NULL, INT64_MAX, NULL), STF_LIMIT_EXCEEDED,
                     &c->error);
    STF_CHECK_STATUS(engine_case_publish(c, text, "k", NULL, 0, NULL), STF_LIMIT_EXCEEDED,
                     &c->error);
    STF_CHECK_STATUS(engine_case_publish(c, "paid", "\xff", NULL, 0, NULL), STF_INVALID_ARGUMENT,
                     &c->error);
    message.name = stf_str_of("paid");
    message.variables = number;
    STF_CHECK_STATUS(stf_engine_publish(c->engine, NULL, &message, NULL, &c->error),
                     STF_INVALID_ARGUMENT, &c->error);
    text[240] = '\0'; /* fits into an id, but not with all else that names its queue */
    STF_CHECK_STATUS(engine_case_publish(c, text, "k", NULL, HOUR, NULL), STF_LIMIT_EXCEEDED,
                     &c->error);
    ck_assert_int_eq(atomic_load(&c->faulty.calls), calls);
    STF_CHECK_STATUS(engine_case_publish(c, text, "k", NULL, 0, NULL), STF_NOT_FOUND, &c->error);
    stf_value_unref(number);
    free(text);
    engine_case_free(c);
}

/* ---- Kept --------------------------------------------------------------------------------------
 */

STF_TEST(what_is_kept_is_given_in_order_of_publication)
{
    engine_case *c = open_case();
    char receiver[256];
    char json[32];
    for (int i = 1; i <= 3; i++) {
        snprintf(json, sizeof(json), "{\"n\": %d}", i);
        STF_CHECK_OK(engine_case_publish(c, "paid", "k", json, HOUR, receiver), &c->error);
        ck_assert_str_eq(receiver, "");
    }
    for (int i = 1; i <= 3; i++) {
        char id[8];
        snprintf(id, sizeof(id), "i%d", i);
        snprintf(json, sizeof(json), "%d", i);
        message_case_wait(c, id);
        engine_case_idle(c);
        ck_assert(engine_case_waits_at(c, id, "after"));
        ck_assert_str_eq(engine_case_variable(c, id, "n"), json);
    }
    message_case_wait(c, "i4");
    engine_case_idle(c);
    ck_assert(!engine_case_waits_at(c, "i4", "after"));
    engine_case_free(c);
}

/* Nobody is driven here between the start of the waiter and the second publication. */
STF_TEST(what_is_published_while_others_are_kept_comes_behind_them)
{
    engine_case *c = open_case();
    char receiver[256];
    STF_CHECK_OK(engine_case_publish(c, "paid", "k", "{\"n\": 1}", HOUR, NULL), &c->error);
    engine_case_close(c);
    engine_case_open(c, NULL);
    message_case_wait(c, "i1"); /* its look into the queue has yet to run */
    STF_CHECK_OK(engine_case_publish(c, "paid", "k", "{\"n\": 2}", HOUR, receiver), &c->error);
    engine_case_idle(c);
    ck_assert_str_eq(engine_case_variable(c, "i1", "n"), "1");
    message_case_wait(c, "i2");
    engine_case_idle(c);
    ck_assert_str_eq(engine_case_variable(c, "i2", "n"), "2");
    engine_case_free(c);
}

STF_TEST(what_is_kept_too_long_is_dropped_and_told)
{
    engine_case *c = open_case();
    STF_CHECK_OK(engine_case_publish(c, "paid", "k", "{\"n\": 1}", SECONDS(60), NULL), &c->error);
    STF_CHECK_OK(engine_case_publish(c, "paid", "k", "{\"n\": 2}", HOUR, NULL), &c->error);
    engine_case_advance(c, SECONDS(3000));
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_MESSAGE_DROPPED), 1);
    message_case_wait(c, "i1");
    engine_case_idle(c);
    ck_assert_str_eq(engine_case_variable(c, "i1", "n"), "2");
    engine_case_free(c);
}

/* The expiry counts even where its wake came late. */
STF_TEST(who_waits_after_the_expiry_does_not_get_it)
{
    engine_case *c = open_case();
    STF_CHECK_OK(engine_case_publish(c, "paid", "k", NULL, SECONDS(60), NULL), &c->error);
    atomic_fetch_add(&c->clock.us, SECONDS(61));
    message_case_wait(c, "i1");
    engine_case_idle(c);
    ck_assert(!engine_case_waits_at(c, "i1", "after"));
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_MESSAGE_DROPPED), 1);
    engine_case_free(c);
}

STF_TEST(a_queue_that_was_emptied_is_filled_again)
{
    engine_case *c = open_case();
    for (int i = 0; i < 3; i++) {
        char id[8];
        snprintf(id, sizeof(id), "i%d", i);
        STF_CHECK_OK(engine_case_publish(c, "paid", "k", NULL, HOUR, NULL), &c->error);
        message_case_wait(c, id);
        engine_case_idle(c);
        ck_assert(engine_case_waits_at(c, id, "after"));
        STF_CHECK_STATUS(engine_case_publish(c, "paid", "k", NULL, 0, NULL), STF_NOT_FOUND,
                         &c->error);
    }
    engine_case_free(c);
}

STF_TEST(a_full_queue_refuses_and_keeps_what_it_has)
{
    engine_case *c = open_case();
    for (unsigned i = 0; i < STF_LIMIT_QUEUE; i++) {
        STF_CHECK_OK(engine_case_publish(c, "paid", "k", NULL, HOUR, NULL), &c->error);
    }
    STF_CHECK_STATUS(engine_case_publish(c, "paid", "k", NULL, HOUR, NULL), STF_LIMIT_EXCEEDED,
                     &c->error);
    STF_CHECK_OK(engine_case_publish(c, "paid", "other", NULL, HOUR, NULL), &c->error);
    message_case_wait(c, "i1");
    engine_case_idle(c);
    ck_assert(engine_case_waits_at(c, "i1", "after"));
    STF_CHECK_OK(engine_case_publish(c, "paid", "k", NULL, HOUR, NULL), &c->error);
    engine_case_free(c);
}

/* ---- R5: both orders, and a crash in between
 * -----------------------------------------------------
 */

static void no_preparation(engine_case *c)
{
    (void)c;
}

static stf_status try_publish(engine_case *c)
{
    stf_ctx ctx = message_case_patience(c);
    stf_message message = STF_MESSAGE_INIT;
    message.name = stf_str_of("paid");
    message.key = stf_str_of("k");
    message.keep_us = HOUR;
    return stf_engine_publish(c->engine, &ctx, &message, NULL, NULL);
}

static stf_status try_start(engine_case *c)
{
    stf_ctx ctx = message_case_patience(c);
    stf_start start = STF_START_INIT;
    stf_value *variables = NULL;
    ck_assert_int_eq(stf_value_parse_json(NULL, stf_str_of("{\"key\": \"k\"}"), &variables, NULL),
                     STF_OK);
    start.process = stf_str_of("w");
    start.id = stf_str_of("i1");
    start.variables = variables;
    stf_status status = stf_engine_start_instance(c->engine, &ctx, &start, NULL, NULL);
    stf_value_unref(variables);
    return status;
}

static bool is_published;
static bool is_started;

static void run_a_little(engine_case *c)
{
    for (int i = 0; i < 20; i++) {
        bool did = false;
        stf_status status = stf_engine_step(c->engine, NULL, &did, NULL);
        (void)status;
    }
}

static void publish_then_wait(engine_case *c)
{
    is_published = try_publish(c) == STF_OK;
    is_started = is_published && try_start(c) == STF_OK;
    run_a_little(c);
}

static void wait_then_publish(engine_case *c)
{
    is_started = try_start(c) == STF_OK;
    is_published = is_started && try_publish(c) == STF_OK;
    run_a_little(c);
}

/* Whoever got no answer tries again, as a publisher with an id of its own may. */
static void what_is_missing(engine_case *c)
{
    if (!is_started && !engine_case_record(c, "i1").is_found) {
        STF_CHECK_OK(try_start(c), &c->error);
    }
    if (!is_published) {
        STF_CHECK_OK(try_publish(c), &c->error);
    }
}

static void met(engine_case *c, long n)
{
    ck_assert_msg(engine_case_waits_at(c, "i1", "after"), "crash after save %ld", n);
    ck_assert_uint_eq(engine_case_count(c, "w", NULL), 1);
}

STF_TEST(r5_publish_then_wait_meets_whatever_save_the_crash_follows)
{
    crash_plan plan = {.roots = case_messages,
                       .before = no_preparation,
                       .play = publish_then_wait,
                       .again = what_is_missing,
                       .check = met};
    message_case_crash_at_each_save(&plan);
}

STF_TEST(r5_wait_then_publish_meets_whatever_save_the_crash_follows)
{
    crash_plan plan = {.roots = case_messages,
                       .before = no_preparation,
                       .play = wait_then_publish,
                       .again = what_is_missing,
                       .check = met};
    message_case_crash_at_each_save(&plan);
}

typedef struct interleaving {
    engine_case *other;
    const char *at; /* the call before which the other engine acts */
    int skip;
    bool is_done;
} interleaving;

static void act(void *user, const char *name)
{
    interleaving *plan = user;
    if (!plan->is_done && strcmp(name, plan->at) == 0 && plan->skip-- == 0) {
        plan->is_done = true;
        message_case_wait(plan->other, "i1");
        engine_case_idle(plan->other);
    }
}

/* Another engine's instance begins to wait before each call of the store that publishing makes. */
STF_TEST(r5_a_wait_that_comes_between_any_two_calls_of_publishing_is_met)
{
    static const char *const calls[] = {"load", "waiting_page", "load_many", "save"};
    int met_count = 0;
    for (size_t i = 0; i < STF_COUNT_OF(calls); i++) {
        for (int skip = 0; skip < 4; skip++) {
            engine_case *c = open_case();
            interleaving plan = {
                .other = engine_case_join(c, "two", NULL), .at = calls[i], .skip = skip};
            c->faulty.on_call = act;
            c->faulty.user = &plan;
            STF_CHECK_OK(engine_case_publish(c, "paid", "k", NULL, HOUR, NULL), &c->error);
            engine_case_idle(c);
            c->faulty.on_call = NULL;
            if (plan.is_done) {
                met_count++;
                engine_case_idle(plan.other);
                /* At once, not when the queue is due the next time. */
                ck_assert_msg(engine_case_waits_at(c, "i1", "after"), "before %s, %d", calls[i],
                              skip);
            }
            engine_case_free(plan.other);
            engine_case_free(c);
        }
    }
    ck_assert_int_ge(met_count, 4);
}

typedef struct rival {
    engine_case *other;
    long at_save; /* of the engine under test, counted from now */
} rival;

static void publish_too(void *user, const char *name)
{
    rival *r = user;
    if (strncmp(name, "save", 4) == 0 && --r->at_save == 0) {
        STF_CHECK_OK(engine_case_publish(r->other, "paid", "k", "{\"n\": 2}", HOUR, NULL),
                     &r->other->error);
    }
}

static rival set_rival(engine_case *c, engine_case *other, long at_save)
{
    c->faulty.on_call = publish_too;
    return (rival){.other = other, .at_save = at_save};
}

/* Each finds no queue and makes it; who comes second adds to what the first has made. */
STF_TEST(r5_two_engines_that_make_one_queue_both_keep_their_message)
{
    engine_case *c = open_case();
    engine_case *other = engine_case_join(c, "two", NULL);
    rival r = set_rival(c, other, 1);
    c->faulty.user = &r;
    STF_CHECK_OK(engine_case_publish(c, "paid", "k", "{\"n\": 1}", HOUR, NULL), &c->error);
    ck_assert_int_le(r.at_save, 0);
    message_case_wait(c, "i1");
    message_case_wait(c, "i2");
    engine_case_idle(c);
    ck_assert_str_eq(engine_case_variable(c, "i1", "n"), "2");
    ck_assert_str_eq(engine_case_variable(c, "i2", "n"), "1");
    engine_case_free(other);
    engine_case_free(c);
}

/* The queue is aimed at who waits now, and another engine puts a message into it meanwhile: the
 * look is not over with the lost save. */
STF_TEST(r5_a_look_that_loses_its_save_looks_again)
{
    engine_case *c = open_case();
    engine_case *other = engine_case_join(c, "two", NULL);
    STF_CHECK_OK(engine_case_publish(c, "paid", "k", "{\"n\": 1}", HOUR, NULL), &c->error);
    engine_case_idle(c);
    rival r = set_rival(c, other, 2); /* the first one is the waiter's */
    c->faulty.user = &r;
    message_case_wait(c, "i1");
    engine_case_idle(c);
    ck_assert_int_le(r.at_save, 0);
    ck_assert_str_eq(engine_case_variable(c, "i1", "n"), "1");
    engine_case_free(other);
    engine_case_free(c);
}

/* A copy of the queue that stays in memory, because a delivery is on its way, is no look. */
STF_TEST(r5_a_waiter_looks_into_the_queue_as_it_is_now)
{
    engine_case *c = open_case();
    engine_case *other = engine_case_join(c, "two", NULL);
    stf__queue_id queue;
    stf__instance *instance = NULL;
    stf__command *pin = NULL;
    stf__command_spec spec = {.id = stf_str_of("nobody"), .event = {.kind = STF__EVENT_MESSAGE}};
    message_case_wait(c, "i1");
    ck_assert_int_eq(stf__queue_id_make(&queue, c->engine, stf_buf_str(&c->engine->tenant),
                                        stf_str_of("paid"), stf_str_of("k"), &c->error),
                     STF_OK);
    spec.event.sender.is_given = true;
    ck_assert_int_eq(stf__command_new(c->engine, &spec, &pin, &c->error), STF_OK);
    ck_assert_int_eq(stf__instance_get_or_add(c->engine, queue.id, &instance), STF_OK);
    pin->sender = instance;
    stf__list_append(&instance->sends, &pin->send_link);
    STF_CHECK_OK(engine_case_publish(c, "paid", "k", NULL, HOUR, NULL), &c->error);
    STF_CHECK_OK(engine_case_publish(c, "paid", "k", NULL, HOUR, NULL), &c->error);
    message_case_wait(c, "i2");
    engine_case_idle(c);
    ck_assert(engine_case_waits_at(c, "i2", "after"));
    ck_assert_ptr_eq(stf__instance_find(c->engine, queue.id), instance);
    ck_assert_ptr_nonnull(instance->doc); /* the copy of an empty queue */
    STF_CHECK_OK(engine_case_publish(other, "paid", "k", NULL, HOUR, NULL), &other->error);
    message_case_wait(c, "i3");
    engine_case_idle(c);
    ck_assert(engine_case_waits_at(c, "i3", "after"));
    engine_case_free(other);
    engine_case_free(c);
}

/* ---- The engine's own records ------------------------------------------------------------------
 */

STF_TEST(queues_are_no_instances)
{
    engine_case *c = open_case();
    stf_value *list = NULL;
    stf_instance_query query = {.limit = 2};
    stf_start start = STF_START_INIT;
    stf__queue_id queue;
    for (int i = 0; i < 5; i++) {
        char key[8];
        snprintf(key, sizeof(key), "q%d", i);
        STF_CHECK_OK(engine_case_publish(c, "paid", key, NULL, HOUR, NULL), &c->error);
    }
    message_case_wait(c, "a");
    message_case_wait(c, "stf;");
    message_case_wait(c, "z");
    STF_CHECK_OK(stf_engine_list_instances(c->engine, NULL, &query, &list, &c->error), &c->error);
    ck_assert_uint_eq(stf_value_count(list), 2);
    stf_value_unref(list);
    query.after_id = stf_str_of("a");
    STF_CHECK_OK(stf_engine_list_instances(c->engine, NULL, &query, &list, &c->error), &c->error);
    ck_assert_uint_eq(stf_value_count(list), 2);
    stf_value_unref(list);
    ck_assert_int_eq(stf__queue_id_make(&queue, c->engine, stf_buf_str(&c->engine->tenant),
                                        stf_str_of("paid"), stf_str_of("q0"), &c->error),
                     STF_OK);
    stf_value *view = NULL;
    STF_CHECK_STATUS(stf_engine_get_instance(c->engine, NULL, queue.id, &view, &c->error),
                     STF_NOT_FOUND, &c->error);
    STF_CHECK_STATUS(
        stf_engine_cancel_instance(c->engine, NULL, queue.id, stf_str_of(""), &c->error),
        STF_NOT_FOUND, &c->error);
    start.process = stf_str_of("w");
    start.id = stf_str_of("stf:mine");
    STF_CHECK_STATUS(stf_engine_start_instance(c->engine, NULL, &start, NULL, &c->error),
                     STF_INVALID_ARGUMENT, &c->error);
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_INSTANCE_HYDRATED), 0);
    engine_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(a_message_reaches_exactly_one_of_several_the_oldest_first),
    STF_CASE(name_and_key_both_have_to_match),
    STF_CASE(r5_who_went_on_between_the_look_and_the_step_is_replaced_by_the_next),
    STF_CASE(wrong_messages_are_refused_before_anything_is_asked),
    STF_CASE(what_is_kept_is_given_in_order_of_publication),
    STF_CASE(what_is_published_while_others_are_kept_comes_behind_them),
    STF_CASE(what_is_kept_too_long_is_dropped_and_told),
    STF_CASE(who_waits_after_the_expiry_does_not_get_it),
    STF_CASE(a_queue_that_was_emptied_is_filled_again),
    STF_CASE(a_full_queue_refuses_and_keeps_what_it_has),
    STF_CASE(r5_publish_then_wait_meets_whatever_save_the_crash_follows),
    STF_CASE(r5_wait_then_publish_meets_whatever_save_the_crash_follows),
    STF_CASE(r5_a_wait_that_comes_between_any_two_calls_of_publishing_is_met),
    STF_CASE(r5_two_engines_that_make_one_queue_both_keep_their_message),
    STF_CASE(r5_a_look_that_loses_its_save_looks_again),
    STF_CASE(r5_a_waiter_looks_into_the_queue_as_it_is_now),
    STF_CASE(queues_are_no_instances),
};

STF_TEST_MAIN("publish", cases)

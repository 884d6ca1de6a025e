/* SPDX-License-Identifier: Apache-2.0 */
/* The order of a start, what stops it, and what a graceful stop leaves behind. */
#include "engine/send.h"
#include "unit/engine/message_case.h"

#include <stepfast/sys/repository_liveness.h>
#include <stepfast/sys/repository_migrator.h>

static const char *const all_topics[] = {"*", NULL};

/* ---- A store that records what is asked of it, with the capabilities that memory lacks --------
 */

typedef struct fake_store {
    stf_repository *inner;
    char log[2048];
    stf_status migrate;
    int taken_owners; /* so many owner strings are held by somebody else */
    char held[300];
    char released[300];
    bool has_no_migrator;
} fake_store;

static void note(fake_store *fake, const char *name)
{
    strncat(fake->log, name, sizeof(fake->log) - strlen(fake->log) - 1);
    strncat(fake->log, " ", sizeof(fake->log) - strlen(fake->log) - 1);
}

static stf_status fake_migrate(void *impl, const stf_ctx *ctx, stf_error *error)
{
    fake_store *fake = impl;
    (void)ctx;
    note(fake, "migrate");
    return fake->migrate == STF_OK
               ? STF_OK
               : stf_error_set(error, fake->migrate, "FAKE", "the migration failed");
}

static stf_status fake_check_schema(void *impl, const stf_ctx *ctx, stf_error *error)
{
    (void)ctx;
    (void)error;
    note(impl, "check_schema");
    return STF_OK;
}

static stf_status fake_hold(void *impl, const stf_ctx *ctx, stf_str owner, stf_error *error)
{
    fake_store *fake = impl;
    (void)ctx;
    note(fake, "hold_owner");
    if (fake->taken_owners > 0) {
        fake->taken_owners--;
        return stf_error_set(error, STF_ALREADY_EXISTS, "FAKE", "held");
    }
    snprintf(fake->held, sizeof(fake->held), "%.*s", (int)owner.size, owner.data);
    return STF_OK;
}

static void fake_release(void *impl, stf_str owner)
{
    fake_store *fake = impl;
    snprintf(fake->released, sizeof(fake->released), "%.*s", (int)owner.size, owner.data);
}

static stf_status fake_is_dead(void *impl, const stf_ctx *ctx, stf_str owner, bool *ret_dead,
                               stf_error *error)
{
    (void)ctx;
    (void)owner;
    (void)error;
    note(impl, "owner_is_dead");
    *ret_dead = true;
    return STF_OK;
}

static stf_status fake_list_owners(void *impl, const stf_ctx *ctx, stf_str group,
                                   stf_id_visitor visit, void *user, stf_error *error)
{
    fake_store *fake = impl;
    (void)ctx;
    (void)group;
    note(fake, "list_owners");
    return visit(user, stf_str_of("somebody/0000"), error);
}

static stf_status fake_register(void *impl, const stf_ctx *ctx, stf_str group, stf_error *error)
{
    fake_store *fake = impl;
    note(fake, "register_group");
    return stf_repository_register_group(fake->inner, ctx, group, error);
}

static stf_status fake_exists(void *impl, const stf_ctx *ctx, stf_str group, bool *ret_exists,
                              stf_error *error)
{
    fake_store *fake = impl;
    note(fake, "group_exists");
    return stf_repository_group_exists(fake->inner, ctx, group, ret_exists, error);
}

static stf_status fake_tenant(void *impl, const stf_ctx *ctx, stf_str group, stf_str tenant,
                              stf_buf *ret_tenant, stf_error *error)
{
    fake_store *fake = impl;
    note(fake, "resolve_tenant");
    return stf_repository_resolve_tenant(fake->inner, ctx, group, tenant, ret_tenant, error);
}

static stf_status fake_save(void *impl, const stf_ctx *ctx, const stf_save *save,
                            stf_save_result *ret_result, stf_error *error)
{
    fake_store *fake = impl;
    note(fake, "save");
    return stf_repository_save(fake->inner, ctx, save, ret_result, error);
}

static stf_status fake_load(void *impl, const stf_ctx *ctx, stf_str id, stf_record_visitor visit,
                            void *user, bool *ret_found, stf_error *error)
{
    fake_store *fake = impl;
    note(fake, "load");
    return stf_repository_load(fake->inner, ctx, id, visit, user, ret_found, error);
}

static stf_status fake_remove(void *impl, const stf_ctx *ctx, const stf_delete *request,
                              stf_error *error)
{
    fake_store *fake = impl;
    return stf_repository_delete(fake->inner, ctx, request, error);
}

static stf_status fake_list(void *impl, const stf_ctx *ctx, const stf_in_flight_query *query,
                            stf_id_visitor visit, void *user, stf_error *error)
{
    fake_store *fake = impl;
    note(fake, "list_in_flight");
    return stf_repository_list_in_flight(fake->inner, ctx, query, visit, user, error);
}

static stf_status fake_describe(void *impl, const stf_ctx *ctx, stf_repository_facts *ret_facts,
                                stf_error *error)
{
    fake_store *fake = impl;
    return stf_repository_describe(fake->inner, ctx, ret_facts, error);
}

static void fake_close(void *impl)
{
    (void)impl;
}

static const void *fake_extension(void *impl, const char *id)
{
    static const stf_migrator_vtable migrator = {sizeof(migrator), STF_MIGRATOR_ABI, 0,
                                                 fake_migrate, fake_check_schema};
    static const stf_liveness_vtable liveness = {sizeof(liveness), STF_LIVENESS_ABI, 0,
                                                 fake_hold,        fake_release,     fake_is_dead,
                                                 fake_list_owners};
    const fake_store *fake = impl;
    if (strcmp(id, STF_REPOSITORY_MIGRATOR) == 0) {
        return fake->has_no_migrator ? NULL : &migrator;
    }
    return strcmp(id, STF_REPOSITORY_LIVENESS) == 0 ? &liveness : NULL;
}

static stf_repository *fake_open(fake_store *fake, stf_repository *inner)
{
    static const stf_repository_vtable vtable = {.struct_size = sizeof(vtable),
                                                 .abi = STF_REPOSITORY_ABI,
                                                 .save = fake_save,
                                                 .load = fake_load,
                                                 .remove = fake_remove,
                                                 .list_in_flight = fake_list,
                                                 .register_group = fake_register,
                                                 .group_exists = fake_exists,
                                                 .resolve_tenant = fake_tenant,
                                                 .describe = fake_describe,
                                                 .extension = fake_extension,
                                                 .close = fake_close};
    stf_repository *repository = NULL;
    fake->inner = inner;
    ck_assert_int_eq(stf_repository_new(NULL, &vtable, fake, &repository, NULL), STF_OK);
    return repository;
}

/* An engine over the fake; started by the test. */
static stf_engine *make(engine_case *c, stf_repository *repository)
{
    stf_engine *engine = NULL;
    stf_engine_options options = c->options;
    options.repository = repository;
    options.definitions = c->definitions;
    options.clock = &c->clock.port;
    options.random = &c->random;
    STF_CHECK_OK(stf_engine_new(&options, &engine, &c->error), &c->error);
    return engine;
}

STF_TEST(start_migrates_then_joins_then_recovers)
{
    engine_case *c = engine_case_new();
    fake_store fake = {0};
    stf_repository *repository = fake_open(&fake, c->store);
    stf_engine *engine = make(c, repository);
    ck_assert_str_eq(fake.log, ""); /* no I/O before the start */
    STF_CHECK_OK(stf_engine_start(engine, NULL, &c->error), &c->error);
    static const char wanted[] =
        "migrate register_group resolve_tenant hold_owner list_owners owner_is_dead ";
    ck_assert_msg(strncmp(fake.log, wanted, strlen(wanted)) == 0, "%s", fake.log);
    STF_CHECK_STATUS(stf_engine_start(engine, NULL, &c->error), STF_INVALID_STATE, &c->error);
    ck_assert(strncmp(fake.held, "one/", 4) == 0 && strlen(fake.held) == 4 + 16);
    stf_engine_close(engine, NULL);
    ck_assert_str_eq(fake.released, fake.held);
    stf_repository_close(repository);
    engine_case_free(c);
}

STF_TEST(a_failing_migration_stops_the_start_before_anything_else)
{
    engine_case *c = engine_case_new();
    fake_store fake = {.migrate = STF_SCHEMA_MISMATCH};
    stf_repository *repository = fake_open(&fake, c->store);
    stf_engine *engine = make(c, repository);
    bool exists = true;
    STF_CHECK_STATUS(stf_engine_start(engine, NULL, &c->error), STF_SCHEMA_MISMATCH, &c->error);
    ck_assert_str_eq(fake.log, "migrate ");
    STF_CHECK_OK(stf_repository_group_exists(c->store, NULL, stf_str_of("g"), &exists, NULL),
                 &c->error);
    ck_assert(!exists);
    STF_CHECK_STATUS(stf_engine_step(engine, NULL, NULL, &c->error), STF_INVALID_STATE, &c->error);
    /* The next try may succeed. */
    fake.migrate = STF_OK;
    STF_CHECK_OK(stf_engine_start(engine, NULL, &c->error), &c->error);
    stf_engine_close(engine, NULL);
    stf_repository_close(repository);
    engine_case_free(c);
}

STF_TEST(with_no_migrate_the_schema_is_only_checked)
{
    engine_case *c = engine_case_new();
    fake_store fake = {0};
    stf_repository *repository = fake_open(&fake, c->store);
    c->options.flags = STF_ENGINE_NO_MIGRATE;
    stf_engine *engine = make(c, repository);
    STF_CHECK_OK(stf_engine_start(engine, NULL, &c->error), &c->error);
    ck_assert(strncmp(fake.log, "check_schema register_group ", 28) == 0);
    stf_engine_close(engine, NULL);
    stf_repository_close(repository);
    engine_case_free(c);
}

STF_TEST(r7_an_owner_string_that_is_in_use_is_drawn_again)
{
    engine_case *c = engine_case_new();
    fake_store fake = {.taken_owners = 2, .has_no_migrator = true};
    stf_repository *repository = fake_open(&fake, c->store);
    stf_engine *engine = make(c, repository);
    STF_CHECK_OK(stf_engine_start(engine, NULL, &c->error), &c->error);
    ck_assert_msg(strstr(fake.log, "hold_owner hold_owner hold_owner list_owners") != NULL, "%s",
                  fake.log);
    stf_engine_close(engine, NULL);
    fake.taken_owners = 1000;
    fake.log[0] = '\0';
    engine = make(c, repository);
    STF_CHECK_STATUS(stf_engine_start(engine, NULL, &c->error), STF_ALREADY_EXISTS, &c->error);
    stf_engine_close(engine, NULL);
    stf_repository_close(repository);
    engine_case_free(c);
}

STF_TEST(an_absent_existing_group_stops_the_start_and_creates_nothing)
{
    engine_case *c = engine_case_new();
    bool exists = true;
    c->options.group = NULL;
    c->options.existing_group = " nobody ";
    engine_case_make(c, NULL);
    STF_CHECK_STATUS(stf_engine_start(c->engine, NULL, &c->error), STF_NOT_FOUND, &c->error);
    ck_assert_ptr_nonnull(strstr(c->error.message, "\"nobody\""));
    STF_CHECK_OK(stf_repository_group_exists(c->store, NULL, stf_str_of("nobody"), &exists, NULL),
                 &c->error);
    ck_assert(!exists);
    STF_CHECK_OK(stf_repository_register_group(c->store, NULL, stf_str_of("nobody"), NULL),
                 &c->error);
    STF_CHECK_OK(stf_engine_start(c->engine, NULL, &c->error), &c->error);
    engine_case_free(c);
}

STF_TEST(an_absent_existing_group_ends_the_start_right_after_the_question)
{
    engine_case *c = engine_case_new();
    fake_store fake = {0};
    stf_repository *repository = fake_open(&fake, c->store);
    c->options.group = NULL;
    c->options.existing_group = "nobody";
    stf_engine *engine = make(c, repository);
    STF_CHECK_STATUS(stf_engine_start(engine, NULL, &c->error), STF_NOT_FOUND, &c->error);
    ck_assert_str_eq(fake.log, "migrate group_exists ");
    stf_engine_close(engine, NULL);
    stf_repository_close(repository);
    engine_case_free(c);
}

STF_TEST(a_journal_needs_a_store_that_keeps_one)
{
    engine_case *c = engine_case_new();
    fake_store fake = {0};
    stf_repository *repository = fake_open(&fake, c->store);
    c->options.flags = STF_ENGINE_JOURNAL;
    stf_engine *engine = make(c, repository);
    STF_CHECK_STATUS(stf_engine_start(engine, NULL, &c->error), STF_UNSUPPORTED, &c->error);
    stf_engine_close(engine, NULL);
    stf_repository_close(repository);
    engine_case_free(c);
}

STF_TEST(nothing_is_served_before_the_start)
{
    engine_case *c = engine_case_new();
    engine_case_make(c, NULL);
    stf_start start = STF_START_INIT;
    start.process = stf_str_of("p");
    STF_CHECK_STATUS(stf_engine_start_instance(c->engine, NULL, &start, NULL, &c->error),
                     STF_INVALID_STATE, &c->error);
    STF_CHECK_STATUS(stf_engine_run(c->engine, NULL, STF_RUN_IDLE, &c->error), STF_INVALID_STATE,
                     &c->error);
    STF_CHECK_STATUS(
        stf_engine_deploy(c->engine, NULL, (stf_bytes){NULL, 0}, NULL, NULL, NULL, &c->error),
        STF_INVALID_STATE, &c->error);
    engine_case_free(c);
}

STF_TEST(a_file_without_a_process_is_refused_as_a_file)
{
    static const char file[] =
        "<definitions xmlns='http://www.omg.org/spec/BPMN/20100524/MODEL'></definitions>";
    engine_case *c = engine_case_new();
    engine_case_open(c, NULL);
    STF_CHECK_STATUS(stf_engine_deploy(c->engine, NULL,
                                       (stf_bytes){(const uint8_t *)file, sizeof(file) - 1}, NULL,
                                       NULL, NULL, &c->error),
                     STF_PARSE, &c->error);
    STF_CHECK_STR(stf_str_of(c->error.message), "the file contains no process");
    engine_case_free(c);
}

STF_TEST(close_takes_the_results_of_running_handlers)
{
    engine_case *c = engine_case_new();
    engine_case_open(c, all_topics);
    engine_case_deploy(c, case_work);
    engine_case_start(c, "i1", NULL);
    engine_case_close(c); /* the handler was handed over and has not run yet */
    ck_assert_uint_eq(engine_case_calls_of(c, "work"), 1);
    ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
    engine_case_free(c);
}

STF_TEST(close_starts_no_new_work)
{
    engine_case *c = engine_case_new();
    engine_case_open(c, all_topics);
    engine_case_deploy(c, "<startEvent id='s'/><serviceTask id='work'/><serviceTask id='next'/>"
                          "<endEvent id='e'/><sequenceFlow id='a' sourceRef='s' targetRef='work'/>"
                          "<sequenceFlow id='b' sourceRef='work' targetRef='next'/>"
                          "<sequenceFlow id='d' sourceRef='next' targetRef='e'/>");
    engine_case_start(c, "i1", NULL);
    engine_case_close(c);
    ck_assert_uint_eq(engine_case_calls_of(c, "work"), 1);
    ck_assert_uint_eq(engine_case_calls_of(c, "next"), 0);
    case_record record = engine_case_record(c, "i1");
    ck_assert_str_eq(record.owner, ""); /* released: a wait for the job is left */
    ck_assert_uint_eq(record.status, STF_RECORD_ACTIVE);
    engine_case_open(c, all_topics);
    engine_case_idle(c);
    ck_assert_uint_eq(engine_case_calls_of(c, "next"), 1);
    ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
    engine_case_free(c);
}

/* A handler that is stuck when the time of the stop is over: what may run again is let go at once,
 * what may not stays under its lease and becomes unknown. */
static void stop_with_stuck_handler(engine_case *c, bool is_idempotent)
{
    stf_ctx ctx = STF_CTX_INIT;
    c->options.workers = 1;
    c->answer = CASE_BLOCK;
    engine_case_open(c, all_topics);
    engine_case_deploy(c, is_idempotent ? "<startEvent id='s'/>"
                                          "<serviceTask id='work' stepfast:idempotent='true'/>"
                                          "<endEvent id='e'/>"
                                          "<sequenceFlow id='a' sourceRef='s' targetRef='work'/>"
                                          "<sequenceFlow id='b' sourceRef='work' targetRef='e'/>"
                                        : case_work);
    engine_case_start(c, "i1", NULL);
    (void)pthread_mutex_lock(&c->lock);
    while (c->call_count == 0) {
        (void)pthread_cond_wait(&c->changed, &c->lock);
    }
    (void)pthread_mutex_unlock(&c->lock);
    ctx.flags = STF_CTX_HAS_DEADLINE;
    ctx.deadline = stf_clock_system()->mono(NULL);
    c->engine = stf_engine_close(c->engine, &ctx);
    c->repository = stf_repository_close(c->repository);
    c->answer = CASE_COMPLETE;
    c->options.workers = 0;
}

STF_TEST(a_stop_leaves_unfinished_work_that_may_not_run_twice_under_its_lease)
{
    engine_case *c = engine_case_new();
    stop_with_stuck_handler(c, false);
    case_record record = engine_case_record(c, "i1");
    ck_assert_str_ne(record.owner, "");
    ck_assert_uint_eq(record.status, STF_RECORD_ACTIVE);
    engine_case_open(c, all_topics);
    engine_case_idle(c);
    ck_assert_str_eq(engine_case_status(c, "i1"), "active"); /* the lease is still out */
    engine_case_advance(c, SECONDS(31));
    ck_assert_str_eq(engine_case_status(c, "i1"), "incident");
    ck_assert_uint_eq(engine_case_calls_of(c, "work"), 1);
    engine_case_free(c);
}

STF_TEST(r8_a_stop_lets_unfinished_work_go_that_may_run_twice_and_is_due_at_once)
{
    engine_case *c = engine_case_new();
    stop_with_stuck_handler(c, true);
    case_record record = engine_case_record(c, "i1");
    ck_assert_str_eq(record.owner, "");
    ck_assert_int_eq(record.due.us, CASE_BEGIN_US); /* now: R8 */
    engine_case_open(c, all_topics);
    engine_case_idle(c);
    ck_assert_uint_eq(engine_case_calls_of(c, "work"), 2);
    ck_assert_str_eq(c->calls[0].key, c->calls[1].key);
    ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
    engine_case_free(c);
}

static void stop_without_time(engine_case *c)
{
    stf_ctx over = STF_CTX_INIT;
    over.flags = STF_CTX_HAS_DEADLINE; /* long ago */
    c->engine = stf_engine_close(c->engine, &over);
    c->repository = stf_repository_close(c->repository);
}

STF_TEST(r5_a_stop_leaves_an_outbox_due_and_who_delivers_it_saves_nothing_for_that)
{
    engine_case *c = engine_case_new();
    engine_case_open(c, NULL);
    engine_case_deploy_file(c, case_messages);
    engine_case *other = engine_case_join(c, "two", NULL);
    message_case_wait(c, "i1");
    faulty_repository_fail_saves(&c->faulty, 2, 1, STF_UNAVAILABLE, false);
    engine_case_start_of(c, "s", "s1", "{\"key\": \"k\", \"amount\": 3}");
    STF_CHECK_OK(stf_engine_step(c->engine, NULL, NULL, &c->error), &c->error);
    faulty_repository_heal(&c->faulty);
    stop_without_time(c);
    case_record left = engine_case_record(other, "s1");
    atomic_store(&other->clock.us, atomic_load(&c->clock.us));
    ck_assert_str_eq(left.owner, "");
    ck_assert_int_eq(left.due.us, CASE_BEGIN_US + atomic_load(&c->clock.us));
    long saves = atomic_load(&other->faulty.saves);
    engine_case_idle(other);
    ck_assert(engine_case_waits_at(other, "i1", "after"));
    ck_assert_int_eq(atomic_load(&other->faulty.saves) - saves, 2); /* receiver, acknowledgement */
    ck_assert_int_eq(engine_case_record(other, "s1").version, left.version + 1);
    engine_case_free(other);
    engine_case_free(c);
}

STF_TEST(r5_a_stop_leaves_a_queue_due_that_it_had_no_time_to_look_into)
{
    engine_case *c = engine_case_new();
    stf__queue_id queue;
    engine_case_open(c, NULL);
    engine_case_deploy_file(c, case_messages);
    engine_case *other = engine_case_join(c, "two", NULL);
    STF_CHECK_OK(engine_case_publish(c, "paid", "k", NULL, SECONDS(3600), NULL), &c->error);
    engine_case_idle(c);
    ck_assert_int_eq(stf__queue_id_make(&queue, c->engine, stf_buf_str(&c->engine->tenant),
                                        stf_str_of("paid"), stf_str_of("k"), NULL),
                     STF_OK);
    message_case_wait(c, "i1"); /* its look has yet to run */
    ck_assert_int_gt(engine_case_record(c, queue.text).due.us,
                     CASE_BEGIN_US + atomic_load(&c->clock.us));
    stop_without_time(c);
    atomic_store(&other->clock.us, atomic_load(&c->clock.us));
    ck_assert_int_eq(engine_case_record(other, queue.text).due.us,
                     CASE_BEGIN_US + atomic_load(&c->clock.us));
    engine_case_idle(other);
    ck_assert(engine_case_waits_at(other, "i1", "after"));
    engine_case_free(other);
    engine_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(start_migrates_then_joins_then_recovers),
    STF_CASE(a_failing_migration_stops_the_start_before_anything_else),
    STF_CASE(with_no_migrate_the_schema_is_only_checked),
    STF_CASE(r7_an_owner_string_that_is_in_use_is_drawn_again),
    STF_CASE(an_absent_existing_group_stops_the_start_and_creates_nothing),
    STF_CASE(an_absent_existing_group_ends_the_start_right_after_the_question),
    STF_CASE(a_journal_needs_a_store_that_keeps_one),
    STF_CASE(nothing_is_served_before_the_start),
    STF_CASE(a_file_without_a_process_is_refused_as_a_file),
    STF_CASE(close_takes_the_results_of_running_handlers),
    STF_CASE(close_starts_no_new_work),
    STF_CASE(a_stop_leaves_unfinished_work_that_may_not_run_twice_under_its_lease),
    STF_CASE(r8_a_stop_lets_unfinished_work_go_that_may_run_twice_and_is_due_at_once),
    STF_CASE(r5_a_stop_leaves_an_outbox_due_and_who_delivers_it_saves_nothing_for_that),
    STF_CASE(r5_a_stop_leaves_a_queue_due_that_it_had_no_time_to_look_into),
};

STF_TEST_MAIN("start", cases)

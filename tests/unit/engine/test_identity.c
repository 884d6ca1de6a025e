/* SPDX-License-Identifier: Apache-2.0 */
/* Who an engine is: its id and group decide what it recovers, what it joins and what it may touch.
 * A restart under the same id finds its own work, another id does not see it; a record of another
 * group is refused on every path, with both names, and stays as it is. How the names are trimmed
 * and refused is in test_options.c, the order of a start in test_start.c. */
#include <stepfast/sys/repository_wake.h>

#include "conformance/passthrough.h"
#include "unit/engine/engine_case.h"

static const char *const all_topics[] = {"*", NULL};

/* ---- The same id again --------------------------------------------------------------------- */

/* An instance whose handler was handed over when its engine died. */
static engine_case *crash_at_work(const char *id, const char *group, case_record *ret_record)
{
    engine_case *c = engine_case_new();
    c->options.id = id;
    c->options.group = group;
    engine_case_open(c, all_topics);
    engine_case_deploy(c, case_work);
    engine_case_start(c, "i1", NULL);
    engine_case_crash(c);
    *ret_record = engine_case_record(c, "i1");
    ck_assert_str_ne(ret_record->owner, "");
    return c;
}

static void open_as(engine_case *c, const char *id, const char *group)
{
    c->options.id = id;
    c->options.group = group;
    c->call_count = 0;
    c->fact_count = 0;
    engine_case_open(c, all_topics);
    engine_case_advance(c, SECONDS(40)); /* past the lease of the dead */
}

static void expect_recovered(engine_case *c, const case_record *before)
{
    case_record after = engine_case_record(c, "i1");
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_INSTANCE_RECOVERED), 1);
    ck_assert_str_eq(engine_case_status(c, "i1"), "incident"); /* what became of the work? */
    ck_assert_int_gt(after.incarnation, before->incarnation);
    ck_assert_str_ne(after.owner, before->owner);
}

static void expect_untouched(engine_case *c, const case_record *before)
{
    case_record after = engine_case_record(c, "i1");
    ck_assert_int_eq(after.version, before->version);
    ck_assert_str_eq(after.owner, before->owner);
    ck_assert_int_eq(after.incarnation, before->incarnation);
    ck_assert_uint_eq(engine_case_calls_of(c, "work"), 0);
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_INSTANCE_RECOVERED), 0);
}

STF_TEST(a_solo_engine_that_starts_again_recovers_its_own_work_and_another_id_sees_nothing)
{
    case_record before;
    engine_case *c = crash_at_work("one", NULL, &before);
    stf_value *list = NULL;
    open_as(c, "two", NULL);
    expect_untouched(c, &before);
    STF_CHECK_OK(stf_engine_list_instances(c->engine, NULL, NULL, &list, &c->error), &c->error);
    ck_assert_uint_eq(stf_value_count(list), 0);
    stf_value_unref(list);
    engine_case_close(c);
    open_as(c, " one\n", NULL); /* trimmed: the same */
    expect_recovered(c, &before);
    engine_case_free(c);
}

STF_TEST(an_engine_of_the_same_group_recovers_what_another_left)
{
    case_record before;
    engine_case *c = crash_at_work("one", "team", &before);
    open_as(c, "two", "team");
    expect_recovered(c, &before);
    engine_case_free(c);
}

STF_TEST(the_group_of_a_solo_engine_is_its_id_and_another_may_join_it_by_name)
{
    case_record before;
    bool exists = false;
    engine_case *c = crash_at_work("one", NULL, &before);
    STF_CHECK_OK(stf_repository_group_exists(c->store, NULL, stf_str_of("one"), &exists, NULL),
                 &c->error);
    ck_assert(exists);
    c->options.existing_group = " one ";
    open_as(c, "two", NULL);
    expect_recovered(c, &before);
    engine_case_free(c);
}

/* R7: the owner is the id and the start, so two that run under one id are two. */
static void wait_for_call(engine_case *c)
{
    (void)pthread_mutex_lock(&c->lock);
    while (c->call_count == 0) {
        (void)pthread_cond_wait(&c->changed, &c->lock);
    }
    (void)pthread_mutex_unlock(&c->lock);
}

static void release_handlers(engine_case *c)
{
    (void)pthread_mutex_lock(&c->lock);
    c->is_released = true;
    (void)pthread_cond_broadcast(&c->changed);
    (void)pthread_mutex_unlock(&c->lock);
}

/* It may step the record (R1), but what its namesake holds is not its own. */
STF_TEST(r7_an_engine_does_not_take_the_lease_of_its_namesake_for_its_own)
{
    engine_case *c = engine_case_new();
    c->options.workers = 1;
    c->answer = CASE_BLOCK;
    engine_case_open(c, all_topics);
    engine_case_deploy(c, "<startEvent id='s'/><parallelGateway id='g'/><serviceTask id='work'/>"
                          "<userTask id='approve'/><serviceTask id='after'/>"
                          "<sequenceFlow id='f1' sourceRef='s' targetRef='g'/>"
                          "<sequenceFlow id='f2' sourceRef='g' targetRef='work'/>"
                          "<sequenceFlow id='f3' sourceRef='g' targetRef='approve'/>"
                          "<sequenceFlow id='f4' sourceRef='approve' targetRef='after'/>");
    engine_case_start(c, "i1", NULL);
    wait_for_call(c);
    engine_case *twin = engine_case_join(c, "one", all_topics);
    case_record before = engine_case_record(c, "i1");
    engine_case_task(twin, "i1", "approve", NULL);
    engine_case_idle(twin);
    ck_assert_uint_eq(twin->call_count, 0);
    ck_assert_str_eq(engine_case_record(c, "i1").owner, before.owner);
    ck_assert_int_eq(engine_case_record(c, "i1").expiry.us, before.expiry.us);
    release_handlers(c);
    engine_case_idle(c);
    ck_assert_uint_eq(c->call_count, 2);
    ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
    engine_case_free(twin);
    engine_case_free(c);
}

STF_TEST(r7_two_engines_of_one_id_at_once_do_not_take_each_others_work)
{
    engine_case *c = engine_case_new();
    c->options.workers = 1;
    c->answer = CASE_BLOCK;
    engine_case_open(c, all_topics);
    engine_case_deploy(c, case_work);
    engine_case_start(c, "i1", NULL);
    engine_case *twin = engine_case_join(c, "one", all_topics);
    engine_case_idle(twin);
    case_record before = engine_case_record(c, "i1");
    engine_case_advance(twin, SECONDS(20)); /* within the lease */
    expect_untouched(twin, &before);
    release_handlers(c);
    engine_case_idle(c);
    ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
    engine_case_free(twin);
    engine_case_free(c);
}

/* ---- Another group: by name ------------------------------------------------------------------
 */

typedef struct foreign_path {
    const char *name;
    stf_status (*go)(stf_engine *engine, stf_error *error);
} foreign_path;

static const stf_str foreign = {"i1", 2};

static stf_status by_start(stf_engine *engine, stf_error *error)
{
    stf_start start = STF_START_INIT;
    start.process = stf_str_of("p");
    start.id = foreign;
    return stf_engine_start_instance(engine, NULL, &start, NULL, error);
}

static stf_status by_task(stf_engine *engine, stf_error *error)
{
    return stf_engine_complete_task(engine, NULL, foreign, 0, stf_str_of("approve"), NULL, error);
}

static stf_status by_retry(stf_engine *engine, stf_error *error)
{
    return stf_engine_retry_incident(engine, NULL, foreign, 0, error);
}

static stf_status by_resolve(stf_engine *engine, stf_error *error)
{
    stf_answer answer = STF_ANSWER_INIT;
    return stf_engine_resolve_incident(engine, NULL, foreign, 0, &answer, error);
}

static stf_status by_drop(stf_engine *engine, stf_error *error)
{
    return stf_engine_drop_incident(engine, NULL, foreign, 0, error);
}

static stf_status by_job(stf_engine *engine, stf_error *error)
{
    stf_answer answer = STF_ANSWER_INIT;
    return stf_engine_answer_job(engine, NULL, foreign, 0, stf_str_of("work"), stf_str_of(""),
                                 &answer, error);
}

static stf_status by_cancel(stf_engine *engine, stf_error *error)
{
    return stf_engine_cancel_instance(engine, NULL, foreign, stf_str_of("because"), error);
}

static stf_status by_variables(stf_engine *engine, stf_error *error)
{
    stf_value *variables = NULL;
    ck_assert_int_eq(stf_value_parse_json(NULL, stf_str_of("{\"a\": 1}"), &variables, NULL),
                     STF_OK);
    stf_status status =
        stf_engine_set_variables(engine, NULL, foreign, stf_str_of(""), variables, error);
    stf_value_unref(variables);
    return status;
}

static stf_status by_look(stf_engine *engine, stf_error *error)
{
    stf_value *view = NULL;
    stf_status status = stf_engine_get_instance(engine, NULL, foreign, &view, error);
    ck_assert_ptr_null(view);
    return status;
}

static stf_status by_history(stf_engine *engine, stf_error *error)
{
    stf_value *list = NULL;
    stf_status status = stf_engine_get_history(engine, NULL, foreign, NULL, &list, error);
    ck_assert_ptr_null(list);
    return status;
}

static const foreign_path paths[] = {
    {"start", by_start},   {"task", by_task},
    {"retry", by_retry},   {"resolve", by_resolve},
    {"drop", by_drop},     {"job", by_job},
    {"cancel", by_cancel}, {"set variables", by_variables},
    {"look", by_look},     {"history", by_history},
};

/* An instance of the group "g" and an engine of the group "h". */
static engine_case *join_as_h(engine_case *c)
{
    c->options.group = "h";
    engine_case *other = engine_case_join(c, "two", all_topics);
    c->options.group = "g";
    return other;
}

STF_TEST(every_call_that_names_a_record_of_another_group_is_refused_naming_both)
{
    engine_case *c = engine_case_new();
    engine_case_open(c, NULL);
    engine_case_deploy(c, case_task);
    engine_case_start(c, "i1", NULL);
    engine_case_close(c);
    case_record before = engine_case_record(c, "i1");
    engine_case *other = join_as_h(c);
    engine_case_deploy(other, case_task);
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        stf_error error = STF_ERROR_INIT;
        stf_status status = paths[i].go(other->engine, &error);
        ck_assert_msg(status == STF_INVALID_STATE, "%s: %s: %s", paths[i].name,
                      stf_status_name(status), error.message);
        ck_assert_msg(strstr(error.message, "\"g\"") != NULL &&
                          strstr(error.message, "\"h\"") != NULL,
                      "%s: %s", paths[i].name, error.message);
        case_record after = engine_case_record(c, "i1");
        ck_assert_msg(after.version == before.version, "%s wrote", paths[i].name);
    }
    /* The engine serves its own as if nothing had been. */
    engine_case_start(other, "i2", NULL);
    engine_case_task(other, "i2", "approve", NULL);
    ck_assert_str_eq(engine_case_status(other, "i2"), "completed");
    engine_case_free(other);
    engine_case_free(c);
}

/* ---- Another group: through the pages of a store that mixes them --------------------------- */

static stf_status due_of_g(void *impl, const stf_ctx *ctx, const stf_due_query *query,
                           stf_wake_visitor visit, void *user, stf_error *error)
{
    stf_due_query other = *query;
    other.group = stf_str_of("g");
    return stf_repository_due_page(((passthrough *)impl)->inner, ctx, &other, visit, user, error);
}

static stf_status orphans_of_g(void *impl, const stf_ctx *ctx, const stf_orphan_query *query,
                               stf_wake_visitor visit, void *user, stf_error *error)
{
    stf_orphan_query other = *query;
    other.group = stf_str_of("g");
    return stf_repository_orphan_page(((passthrough *)impl)->inner, ctx, &other, visit, user,
                                      error);
}

static stf_status waiting_of_g(void *impl, const stf_ctx *ctx, const stf_waiting_query *query,
                               stf_wake_visitor visit, void *user, stf_error *error)
{
    stf_waiting_query other = *query;
    other.group = stf_str_of("g");
    return stf_repository_waiting_page(((passthrough *)impl)->inner, ctx, &other, visit, user,
                                       error);
}

static void mix_due(stf_repository_vtable *vtable, passthrough *self)
{
    (void)vtable;
    self->wake.due_page = due_of_g;
}

static void mix_orphans(stf_repository_vtable *vtable, passthrough *self)
{
    (void)vtable;
    self->wake.orphan_page = orphans_of_g;
}

static void mix_waiting(stf_repository_vtable *vtable, passthrough *self)
{
    (void)vtable;
    self->wake.waiting_page = waiting_of_g;
}

typedef struct mixed_page {
    const char *name;
    passthrough_breaker mix;
    const char *body; /* of the process of "g" */
    bool crashes;     /* while its handler runs */
} mixed_page;

static const mixed_page mixed_pages[] = {
    {"recovery", mix_orphans, case_work, true},
    {"due", mix_due, case_timer, false},
    {"jobs", mix_waiting, case_work, false}, /* without a handler in "g": a wait for the job */
};

static void check_mixed_page(const mixed_page *row)
{
    engine_case *c = engine_case_new();
    stf_repository *inner = NULL;
    stf_repository *mixed = NULL;
    stf_definition_store *definitions = NULL;
    engine_case_open(c, row->crashes ? all_topics : NULL);
    engine_case_deploy(c, row->body);
    engine_case_start(c, "i1", NULL);
    if (row->crashes) {
        engine_case_crash(c);
    } else {
        engine_case_close(c);
    }
    case_record before = engine_case_record(c, "i1");

    /* "h" knows the process, too: the group alone is in the way. */
    engine_case *deployer = join_as_h(c);
    engine_case_deploy(deployer, row->body);
    engine_case_free(deployer);
    engine_case *other = engine_case_new();
    STF_CHECK_OK(stf_memory_open_repository(c->memory, &inner, &c->error), &c->error);
    STF_CHECK_OK(passthrough_new(row->mix, inner, &mixed, &c->error), &c->error);
    STF_CHECK_OK(stf_memory_open_definitions(c->memory, &definitions, &c->error), &c->error);
    engine_case_use(other, mixed, definitions);
    other->options.id = "two";
    other->options.group = "h";
    atomic_store(&other->clock.us, SECONDS(2 * 3600));
    atomic_store(&c->clock.us, SECONDS(2 * 3600)); /* the memory store's clock */
    engine_case_open(other, all_topics);
    engine_case_idle(other);

    case_record after = engine_case_record(c, "i1");
    ck_assert_msg(after.version == before.version, "%s: written", row->name);
    ck_assert_msg(engine_case_facts_of(other, STF_FACT_RECORD_SKIPPED) != 0, "%s: no fact",
                  row->name);
    ck_assert_msg(engine_case_calls_of(other, "work") == 0, "%s: its work was run", row->name);
    engine_case_deploy(other, case_task);
    engine_case_start(other, "i2", NULL);
    engine_case_task(other, "i2", "approve", NULL);
    ck_assert_str_eq(engine_case_status(other, "i2"), "completed");
    engine_case_free(other);
    engine_case_free(c);
}

STF_TEST(a_record_of_another_group_in_a_page_is_skipped_with_a_fact_and_not_written)
{
    for (size_t i = 0; i < sizeof(mixed_pages) / sizeof(mixed_pages[0]); i++) {
        check_mixed_page(&mixed_pages[i]);
    }
}

static const stf_test_case cases[] = {
    STF_CASE(a_solo_engine_that_starts_again_recovers_its_own_work_and_another_id_sees_nothing),
    STF_CASE(an_engine_of_the_same_group_recovers_what_another_left),
    STF_CASE(the_group_of_a_solo_engine_is_its_id_and_another_may_join_it_by_name),
    STF_CASE(r7_an_engine_does_not_take_the_lease_of_its_namesake_for_its_own),
    STF_CASE(r7_two_engines_of_one_id_at_once_do_not_take_each_others_work),
    STF_CASE(every_call_that_names_a_record_of_another_group_is_refused_naming_both),
    STF_CASE(a_record_of_another_group_in_a_page_is_skipped_with_a_fact_and_not_written),
};

STF_TEST_MAIN("identity", cases)

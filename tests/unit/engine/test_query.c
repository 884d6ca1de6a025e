/* SPDX-License-Identifier: Apache-2.0 */
/* Views, lists and histories; answers that save nothing come from a copy that was loaded after the
 * question (R22); a record of another group is refused on every path. */
#include <stepfast/limits.h>

#include "unit/engine/engine_case.h"

static const char *const all_topics[] = {"*", NULL};

static stf_str text_of(const stf_value *view, const char *key)
{
    return stf_value_peek_string(stf_value_peek(view, stf_str_of(key)));
}

STF_TEST(a_view_says_what_the_instance_is_now)
{
    static const char *const keys[] = {
        "id",    "process", "version", "status",    "tenant", "due",     "variables", "waiting",
        "tasks", "timers",  "jobs",    "incidents", "joins",  "created", "updated",   "end"};
    engine_case *c = engine_case_new();
    engine_case_open(c, all_topics);
    engine_case_deploy(c, case_timer);
    engine_case_start(c, "i1", "{\"a\": 1}");
    stf_value *view = engine_case_view(c, "i1");
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        ck_assert_msg(stf_value_peek(view, stf_str_of(keys[i])) != NULL, "%s", keys[i]);
    }
    STF_CHECK_STR(text_of(view, "id"), "i1");
    STF_CHECK_STR(text_of(view, "process"), "p");
    STF_CHECK_STR(text_of(view, "status"), "active");
    STF_CHECK_STR(text_of(view, "tenant"), "default");
    STF_CHECK_STR(text_of(view, "due"), "2026-01-01T01:00:00Z");
    STF_CHECK_STR(text_of(view, "created"), "2026-01-01T00:00:00Z");
    ck_assert_int_eq(stf_value_get_kind(stf_value_peek(view, stf_str_of("end"))), STF_VALUE_NULL);
    stf_value_unref(view);
    engine_case_free(c);
}

STF_TEST(instances_are_listed_by_process_status_and_page)
{
    engine_case *c = engine_case_new();
    stf_value *list = NULL;
    stf_instance_query query = {.limit = 2};
    engine_case_open(c, all_topics);
    engine_case_deploy(c, case_task);
    engine_case_start(c, "a", NULL);
    engine_case_start(c, "b", NULL);
    engine_case_start(c, "d", NULL);
    engine_case_task(c, "b", "approve", NULL);
    STF_CHECK_OK(stf_engine_list_instances(c->engine, NULL, &query, &list, &c->error), &c->error);
    ck_assert_uint_eq(stf_value_count(list), 2);
    STF_CHECK_STR(text_of(stf_value_peek_item(list, 1), "id"), "b");
    stf_value_unref(list);
    query = (stf_instance_query){.after_id = stf_str_of("b")};
    STF_CHECK_OK(stf_engine_list_instances(c->engine, NULL, &query, &list, &c->error), &c->error);
    ck_assert_uint_eq(stf_value_count(list), 1);
    stf_value_unref(list);
    query = (stf_instance_query){.status_mask = 1u << STF_RECORD_COMPLETED};
    STF_CHECK_OK(stf_engine_list_instances(c->engine, NULL, &query, &list, &c->error), &c->error);
    ck_assert_uint_eq(stf_value_count(list), 1);
    stf_value_unref(list);
    query = (stf_instance_query){.process = stf_str_of("q")};
    STF_CHECK_OK(stf_engine_list_instances(c->engine, NULL, &query, &list, &c->error), &c->error);
    ck_assert_uint_eq(stf_value_count(list), 0);
    stf_value_unref(list);
    engine_case_free(c);
}

STF_TEST(a_list_that_would_not_fit_into_one_value_is_cut_and_goes_on_behind_its_last_id)
{
    engine_case *c = engine_case_new();
    static const char *const ids[] = {"a", "b", "d", "e"};
    static char text[3000000];
    char last[8] = "";
    size_t seen = 0;
    engine_case_open(c, all_topics);
    engine_case_deploy(c, case_task);
    memset(text, 'x', sizeof(text));
    stf_value *big = NULL;
    STF_CHECK_OK(stf_value_new_string(NULL, (stf_str){text, sizeof(text)}, &big, &c->error),
                 &c->error);
    for (size_t i = 0; i < 4; i++) {
        stf_start start = STF_START_INIT;
        stf_value *variables = NULL;
        STF_CHECK_OK(stf_value_with(NULL, NULL, stf_str_of("big"), big, &variables, &c->error),
                     &c->error);
        start.process = stf_str_of("p");
        start.id = stf_str_of(ids[i]);
        start.variables = variables;
        STF_CHECK_OK(stf_engine_start_instance(c->engine, NULL, &start, NULL, &c->error),
                     &c->error);
        stf_value_unref(variables);
    }
    stf_value_unref(big);
    for (size_t count = 1; count > 0;) {
        stf_instance_query query = {.after_id = stf_str_of(last)};
        stf_value *list = NULL;
        STF_CHECK_OK(stf_engine_list_instances(c->engine, NULL, &query, &list, &c->error),
                     &c->error);
        count = stf_value_count(list);
        for (size_t i = 0; i < count; i++) {
            const stf_value *view = stf_value_peek_item(list, i);
            STF_CHECK_STR(text_of(view, "id"), ids[seen]);
            ck_assert_ptr_null(stf_value_peek(view, stf_str_of("unreadable")));
            (void)snprintf(last, sizeof(last), "%s", ids[seen++]);
        }
        stf_value_unref(list);
    }
    ck_assert_uint_eq(seen, 4);
    engine_case_free(c);
}

STF_TEST(the_history_has_every_fact_in_order_with_the_version_of_its_save)
{
    engine_case *c = engine_case_new();
    stf_value *list = NULL;
    c->options.flags = STF_ENGINE_JOURNAL;
    engine_case_open(c, all_topics);
    engine_case_deploy(c, case_work);
    engine_case_start(c, "i1", NULL);
    engine_case_idle(c);
    STF_CHECK_OK(stf_engine_get_history(c->engine, NULL, stf_str_of("i1"), NULL, &list, &c->error),
                 &c->error);
    ck_assert_uint_gt(stf_value_count(list), 5);
    STF_CHECK_STR(text_of(stf_value_peek_item(list, 0), "fact"), "INSTANCE_CREATED");
    STF_CHECK_STR(text_of(stf_value_peek_item(list, stf_value_count(list) - 1), "fact"),
                  "INSTANCE_COMPLETED");
    int64_t version = 0;
    for (size_t i = 0; i < stf_value_count(list); i++) {
        int64_t next = 0;
        const stf_value *row = stf_value_peek_item(list, i);
        ck_assert(stf_value_get_int(stf_value_peek(row, stf_str_of("version")), &next));
        ck_assert_int_ge(next, version);
        version = next;
    }
    ck_assert_int_eq(version, engine_case_record(c, "i1").version);
    stf_value_unref(list);
    STF_CHECK_STATUS(
        stf_engine_get_history(c->engine, NULL, stf_str_of("no"), NULL, &list, &c->error),
        STF_NOT_FOUND, &c->error);
    engine_case_free(c);
}

/* The rows behind a place, by pages of `limit`; each must be behind the one before. */
static size_t count_history(engine_case *c, stf_history_query query, size_t *ret_longest)
{
    size_t rows = 0;
    *ret_longest = 0;
    for (size_t count = 1; count > 0; rows += count) {
        stf_value *list = NULL;
        STF_CHECK_OK(
            stf_engine_get_history(c->engine, NULL, stf_str_of("i1"), &query, &list, &c->error),
            &c->error);
        count = stf_value_count(list);
        *ret_longest = count > *ret_longest ? count : *ret_longest;
        for (size_t i = 0; i < count; i++) {
            const stf_value *row = stf_value_peek_item(list, i);
            int64_t version = 0;
            int64_t position = 0;
            ck_assert(stf_value_get_int(stf_value_peek(row, stf_str_of("version")), &version));
            ck_assert(stf_value_get_int(stf_value_peek(row, stf_str_of("position")), &position));
            ck_assert(version > query.after_version ||
                      (version == query.after_version && position > (int64_t)query.after_position));
            ck_assert_int_eq(
                position, version == query.after_version ? (int64_t)query.after_position + 1 : 1);
            query.after_version = version;
            query.after_position = (uint64_t)position;
        }
        stf_value_unref(list);
    }
    return rows;
}

STF_TEST(a_history_is_read_by_pages_without_a_gap)
{
    engine_case *c = engine_case_new();
    size_t longest = 0;
    c->options.flags = STF_ENGINE_JOURNAL;
    engine_case_open(c, NULL);
    engine_case_deploy(c,
                       "<startEvent id='s'/><task id='a'/><exclusiveGateway id='g' default='f3'/>"
                       "<endEvent id='e'/>"
                       "<sequenceFlow id='f1' sourceRef='s' targetRef='a'/>"
                       "<sequenceFlow id='f2' sourceRef='a' targetRef='g'/>"
                       "<sequenceFlow id='f3' sourceRef='g' targetRef='a'/>"
                       "<sequenceFlow id='f4' sourceRef='g' targetRef='e'>"
                       "<conditionExpression>=false</conditionExpression></sequenceFlow>");
    engine_case_start(c, "i1", NULL);
    engine_case_idle(c);
    size_t all = count_history(c, (stf_history_query){.limit = STF_LIMIT_PAGE}, &longest);
    ck_assert_uint_gt(all, STF_LIMIT_PAGE);
    ck_assert_uint_gt(longest, 1000);
    ck_assert_uint_eq(count_history(c, (stf_history_query){.limit = 0}, &longest), all);
    ck_assert_uint_eq(longest, 1000); /* a page has an end where the caller names none */
    ck_assert_uint_eq(count_history(c, (stf_history_query){.limit = 777}, &longest), all);
    ck_assert_uint_eq(longest, 777);
    stf_value *list = NULL;
    stf_history_query wrong = {.after_version = -1};
    STF_CHECK_STATUS(
        stf_engine_get_history(c->engine, NULL, stf_str_of("i1"), &wrong, &list, &c->error),
        STF_INVALID_ARGUMENT, &c->error);
    engine_case_free(c);
}

STF_TEST(questions_are_answered_before_the_start_too)
{
    engine_case *c = engine_case_new();
    engine_case_open(c, NULL);
    engine_case_deploy(c, case_task);
    engine_case_start(c, "i1", NULL);
    engine_case_close(c);
    engine_case_make(c, NULL);
    stf_value *view = engine_case_view(c, "i1");
    STF_CHECK_STR(text_of(view, "status"), "active");
    stf_value_unref(view);
    engine_case_free(c);
}

/* ---- R22 ---------------------------------------------------------------------------------------
 */

static void wait_for_calls(engine_case *c, size_t count)
{
    (void)pthread_mutex_lock(&c->lock);
    while (c->call_count < count) {
        (void)pthread_cond_wait(&c->changed, &c->lock);
    }
    (void)pthread_mutex_unlock(&c->lock);
}

static const char task_after_timer[] =
    "<startEvent id='s'/><parallelGateway id='g'/><serviceTask id='work'/>"
    "<userTask id='first'/><userTask id='second'/><endEvent id='e'/><endEvent id='e2'/>"
    "<sequenceFlow id='f1' sourceRef='s' targetRef='g'/>"
    "<sequenceFlow id='f2' sourceRef='g' targetRef='work'/>"
    "<sequenceFlow id='f3' sourceRef='g' targetRef='first'/>"
    "<sequenceFlow id='f4' sourceRef='work' targetRef='e'/>"
    "<sequenceFlow id='f5' sourceRef='first' targetRef='second'/>"
    "<sequenceFlow id='f6' sourceRef='second' targetRef='e2'/>";

STF_TEST(r22_a_refusal_comes_from_a_copy_that_was_loaded_after_the_request)
{
    engine_case *c = engine_case_new();
    c->options.workers = 1;
    c->answer = CASE_BLOCK;
    engine_case_open(c, all_topics);
    engine_case_deploy(c, task_after_timer);
    engine_case_start(c, "i1", NULL);
    wait_for_calls(c, 1); /* this engine holds the instance and a copy of it */
    engine_case *other = engine_case_join(c, "two", NULL);
    engine_case_task(other, "i1", "first", NULL);
    /* In the held copy nobody waits at "second". In the store somebody does. */
    STF_CHECK_OK(stf_engine_complete_task(c->engine, NULL, stf_str_of("i1"), 0,
                                          stf_str_of("second"), NULL, &c->error),
                 &c->error);
    /* And what is really absent is refused. */
    STF_CHECK_STATUS(stf_engine_complete_task(c->engine, NULL, stf_str_of("i1"), 0,
                                              stf_str_of("second"), NULL, &c->error),
                     STF_NOT_FOUND, &c->error);
    STF_CHECK_STATUS(stf_engine_complete_task(c->engine, NULL, stf_str_of("none"), 0,
                                              stf_str_of("second"), NULL, &c->error),
                     STF_NOT_FOUND, &c->error);
    (void)pthread_mutex_lock(&c->lock);
    c->is_released = true;
    (void)pthread_mutex_unlock(&c->lock);
    engine_case_free(other);
    engine_case_free(c);
}

/* ---- Groups ------------------------------------------------------------------------------------
 */

STF_TEST(a_record_of_another_group_is_refused_on_every_path_naming_both)
{
    engine_case *c = engine_case_new();
    engine_case *other;
    stf_value *view = NULL;
    stf_start start = STF_START_INIT;
    engine_case_open(c, NULL);
    engine_case_deploy(c, case_task);
    engine_case_start(c, "i1", NULL);
    engine_case_close(c);
    c->options.group = "h";
    other = engine_case_join(c, "two", NULL);
    c->options.group = "g";
    engine_case_deploy(other, case_task);
    start.process = stf_str_of("p");
    start.id = stf_str_of("i1");
    const stf_status refusals[] = {
        stf_engine_complete_task(other->engine, NULL, stf_str_of("i1"), 0, stf_str_of("approve"),
                                 NULL, &other->error),
        stf_engine_retry_incident(other->engine, NULL, stf_str_of("i1"), 0, NULL),
        stf_engine_get_instance(other->engine, NULL, stf_str_of("i1"), &view, NULL),
        stf_engine_get_history(other->engine, NULL, stf_str_of("i1"), NULL, &view, NULL),
        stf_engine_start_instance(other->engine, NULL, &start, NULL, NULL),
    };
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        ck_assert_msg(refusals[i] == STF_INVALID_STATE, "path %zu: %s", i,
                      stf_status_name(refusals[i]));
    }
    ck_assert_ptr_nonnull(strstr(other->error.message, "\"g\""));
    ck_assert_ptr_nonnull(strstr(other->error.message, "\"h\""));
    ck_assert_int_eq(engine_case_record(c, "i1").version, 1);
    STF_CHECK_OK(stf_engine_list_instances(other->engine, NULL, NULL, &view, &c->error), &c->error);
    ck_assert_uint_eq(stf_value_count(view), 0);
    stf_value_unref(view);
    engine_case_free(other);
    engine_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(a_view_says_what_the_instance_is_now),
    STF_CASE(instances_are_listed_by_process_status_and_page),
    STF_CASE(a_list_that_would_not_fit_into_one_value_is_cut_and_goes_on_behind_its_last_id),
    STF_CASE(the_history_has_every_fact_in_order_with_the_version_of_its_save),
    STF_CASE(a_history_is_read_by_pages_without_a_gap),
    STF_CASE(questions_are_answered_before_the_start_too),
    STF_CASE(r22_a_refusal_comes_from_a_copy_that_was_loaded_after_the_request),
    STF_CASE(a_record_of_another_group_is_refused_on_every_path_naming_both),
};

STF_TEST_MAIN("query", cases)

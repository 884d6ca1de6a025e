/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of tasks and jobs: oldest first, over several pages, and only what waits. */
#include "unit/engine/engine_case.h"

static stf_str text_of(const stf_value *view, const char *key)
{
    return stf_value_peek_string(stf_value_peek(view, stf_str_of(key)));
}

static int64_t number_of(const stf_value *view, const char *key)
{
    int64_t number = -1;
    ck_assert(stf_value_get_int(stf_value_peek(view, stf_str_of(key)), &number));
    return number;
}

static const char two_tasks[] =
    "<startEvent id='s'/><parallelGateway id='g'/><userTask id='one' name='First'/>"
    "<userTask id='two'/><endEvent id='e'/><endEvent id='e2'/>"
    "<sequenceFlow id='f1' sourceRef='s' targetRef='g'/>"
    "<sequenceFlow id='f2' sourceRef='g' targetRef='one'/>"
    "<sequenceFlow id='f3' sourceRef='g' targetRef='two'/>"
    "<sequenceFlow id='f4' sourceRef='one' targetRef='e'/>"
    "<sequenceFlow id='f5' sourceRef='two' targetRef='e2'/>";

STF_TEST(tasks_are_listed_oldest_first_and_by_element)
{
    engine_case *c = engine_case_new();
    stf_value *list = NULL;
    engine_case_open(c, NULL);
    engine_case_deploy(c, two_tasks);
    engine_case_start(c, "z", NULL);
    atomic_fetch_add(&c->clock.us, SECONDS(1));
    engine_case_start(c, "a", NULL);
    STF_CHECK_OK(stf_engine_list_tasks(c->engine, NULL, (stf_str){NULL, 0}, 0, &list, &c->error),
                 &c->error);
    ck_assert_uint_eq(stf_value_count(list), 4);
    STF_CHECK_STR(text_of(stf_value_peek_item(list, 0), "instance"), "z");
    STF_CHECK_STR(text_of(stf_value_peek_item(list, 2), "instance"), "a");
    stf_value_unref(list);
    STF_CHECK_OK(stf_engine_list_tasks(c->engine, NULL, stf_str_of("one"), 1, &list, &c->error),
                 &c->error);
    ck_assert_uint_eq(stf_value_count(list), 1);
    const stf_value *task = stf_value_peek_item(list, 0);
    STF_CHECK_STR(text_of(task, "name"), "First");
    STF_CHECK_STR(text_of(task, "process"), "p");
    STF_CHECK_STR(text_of(task, "since"), "2026-01-01T00:00:00Z");
    int64_t activation = 0;
    ck_assert(stf_value_get_int(stf_value_peek(task, stf_str_of("activation")), &activation));
    char name[64];
    snprintf(name, sizeof(name), "z:%lld", (long long)activation);
    STF_CHECK_STR(text_of(task, "task"), name);
    stf_value_unref(list);
    STF_CHECK_OK(stf_engine_complete_task(c->engine, NULL, stf_str_of("z"), (uint64_t)activation,
                                          (stf_str){NULL, 0}, NULL, &c->error),
                 &c->error);
    STF_CHECK_OK(stf_engine_list_tasks(c->engine, NULL, stf_str_of("one"), 0, &list, &c->error),
                 &c->error);
    ck_assert_uint_eq(stf_value_count(list), 1);
    STF_CHECK_STR(text_of(stf_value_peek_item(list, 0), "instance"), "a");
    stf_value_unref(list);
    engine_case_free(c);
}

STF_TEST(many_tasks_are_listed_over_several_pages)
{
    engine_case *c = engine_case_new();
    stf_value *list = NULL;
    engine_case_open(c, NULL);
    engine_case_deploy(c, case_task);
    for (int i = 0; i < 1203; i++) {
        atomic_fetch_add(&c->clock.us, 1000);
        engine_case_start(c, NULL, NULL);
    }
    STF_CHECK_OK(stf_engine_list_tasks(c->engine, NULL, (stf_str){NULL, 0}, 5000, &list, &c->error),
                 &c->error);
    ck_assert_uint_eq(stf_value_count(list), 1203);
    for (size_t i = 1; i < 1203; i++) {
        ck_assert_int_le(stf_str_compare(text_of(stf_value_peek_item(list, i - 1), "since"),
                                         text_of(stf_value_peek_item(list, i), "since")),
                         0);
    }
    stf_value_unref(list);
    engine_case_free(c);
}

/* ---- Jobs --------------------------------------------------------------------------------------
 */

static const char two_jobs[] =
    "<startEvent id='s'/><parallelGateway id='g'/>"
    "<serviceTask id='one' stepfast:topic='mail'/><serviceTask id='two' stepfast:topic='bill'/>"
    "<endEvent id='e'/><endEvent id='e2'/>"
    "<sequenceFlow id='f1' sourceRef='s' targetRef='g'/>"
    "<sequenceFlow id='f2' sourceRef='g' targetRef='one'/>"
    "<sequenceFlow id='f3' sourceRef='g' targetRef='two'/>"
    "<sequenceFlow id='f4' sourceRef='one' targetRef='e'/>"
    "<sequenceFlow id='f5' sourceRef='two' targetRef='e2'/>";

static stf_value *list_jobs(engine_case *c, const char *topic, size_t limit)
{
    stf_value *list = NULL;
    STF_CHECK_OK(stf_engine_list_jobs(c->engine, NULL, stf_str_of(topic), limit, &list, &c->error),
                 &c->error);
    return list;
}

STF_TEST(jobs_are_listed_oldest_first_and_by_topic)
{
    engine_case *c = engine_case_new();
    char name[64];
    engine_case_open(c, NULL);
    engine_case_deploy(c, two_jobs);
    engine_case_start(c, "z", NULL);
    atomic_fetch_add(&c->clock.us, SECONDS(1));
    engine_case_start(c, "a", NULL);
    stf_value *list = list_jobs(c, "", 0);
    ck_assert_uint_eq(stf_value_count(list), 4);
    STF_CHECK_STR(text_of(stf_value_peek_item(list, 0), "instance"), "z");
    STF_CHECK_STR(text_of(stf_value_peek_item(list, 3), "instance"), "a");
    stf_value_unref(list);
    list = list_jobs(c, "bill", 1);
    ck_assert_uint_eq(stf_value_count(list), 1);
    const stf_value *job = stf_value_peek_item(list, 0);
    STF_CHECK_STR(text_of(job, "element"), "two");
    STF_CHECK_STR(text_of(job, "topic"), "bill");
    STF_CHECK_STR(text_of(job, "process"), "p");
    STF_CHECK_STR(text_of(job, "since"), "2026-01-01T00:00:00Z");
    ck_assert_int_eq(number_of(job, "attempt"), 1);
    snprintf(name, sizeof(name), "z:%lld", (long long)number_of(job, "activation"));
    STF_CHECK_STR(text_of(job, "job"), name);
    stf_value_unref(list);
    engine_case_free(c);
}

STF_TEST(work_that_a_handler_has_started_is_no_job)
{
    static const char *const mail[] = {"mail", NULL};
    engine_case *c = engine_case_new();
    c->answer = CASE_UNKNOWN; /* it stops with an incident */
    engine_case_open(c, mail);
    engine_case_deploy(c, two_jobs);
    engine_case_start(c, "i1", NULL);
    engine_case_idle(c);
    stf_value *list = list_jobs(c, "", 0);
    ck_assert_uint_eq(stf_value_count(list), 1);
    STF_CHECK_STR(text_of(stf_value_peek_item(list, 0), "topic"), "bill");
    stf_value_unref(list);
    engine_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(tasks_are_listed_oldest_first_and_by_element),
    STF_CASE(many_tasks_are_listed_over_several_pages),
    STF_CASE(jobs_are_listed_oldest_first_and_by_topic),
    STF_CASE(work_that_a_handler_has_started_is_no_job),
};

STF_TEST_MAIN("worklist", cases)

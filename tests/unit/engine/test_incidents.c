/* SPDX-License-Identifier: Apache-2.0 */
/* What people do about incidents, and the list of those that are open. */
#include "base/mem.h"
#include "unit/engine/engine_case.h"

static const char *const all_topics[] = {"*", NULL};

static stf_str text_of(const stf_value *view, const char *key)
{
    return stf_value_peek_string(stf_value_peek(view, stf_str_of(key)));
}

static stf_value *list_incidents(engine_case *c, const char *after_id, size_t limit)
{
    stf_value *list = NULL;
    STF_CHECK_OK(
        stf_engine_list_incidents(c->engine, NULL, stf_str_of(after_id), limit, &list, &c->error),
        &c->error);
    return list;
}

/* Work whose outcome is unknown, in every one of them. */
static engine_case *open_with_unknown(const char *const *ids)
{
    engine_case *c = engine_case_new();
    c->answer = CASE_UNKNOWN;
    engine_case_open(c, all_topics);
    engine_case_deploy(c, case_work);
    for (size_t i = 0; ids[i] != NULL; i++) {
        engine_case_start(c, ids[i], NULL);
    }
    engine_case_idle(c);
    return c;
}

STF_TEST(incidents_are_listed_by_instance_with_what_is_known_of_them)
{
    static const char *const ids[] = {"c", "a", "b", NULL};
    static const char *const keys[] = {"incident",   "instance", "number",  "element",
                                       "activation", "kind",     "message", "line",
                                       "opened",     "retry",    "process"};
    engine_case *c = open_with_unknown(ids);
    stf_value *list = list_incidents(c, "", 0);
    ck_assert_uint_eq(stf_value_count(list), 3);
    const stf_value *first = stf_value_peek_item(list, 0);
    ck_assert_uint_eq(stf_value_count(first), STF_COUNT_OF(keys));
    for (size_t i = 0; i < STF_COUNT_OF(keys); i++) {
        ck_assert_msg(stf_value_peek(first, stf_str_of(keys[i])) != NULL, "%s", keys[i]);
    }
    STF_CHECK_STR(text_of(first, "incident"), "a:1");
    STF_CHECK_STR(text_of(first, "instance"), "a");
    STF_CHECK_STR(text_of(first, "element"), "work");
    STF_CHECK_STR(text_of(first, "kind"), "unknown");
    STF_CHECK_STR(text_of(first, "message"), "the line went dead");
    STF_CHECK_STR(text_of(first, "process"), "p");
    stf_value_unref(list);
    list = list_incidents(c, "a", 1);
    ck_assert_uint_eq(stf_value_count(list), 1);
    STF_CHECK_STR(text_of(stf_value_peek_item(list, 0), "instance"), "b");
    stf_value_unref(list);
    list = list_incidents(c, "c", 0);
    ck_assert_uint_eq(stf_value_count(list), 0);
    stf_value_unref(list);
    engine_case_free(c);
}

static void damage(engine_case *c, const char *id)
{
    static const uint8_t garbage[] = {'S', 'T', 'F', 'D', 0, 1, 0xff};
    case_record before = engine_case_record(c, id);
    stf_record record = STF_RECORD_INIT;
    stf_save save = STF_SAVE_INIT;
    stf_save_result result;
    record.id = stf_str_of(id);
    record.group = stf_str_of("g");
    record.head = (stf_bytes){garbage, sizeof(garbage)};
    record.status = STF_RECORD_INCIDENT;
    record.lease.incarnation = before.incarnation;
    save.record = &record;
    save.expected_version = before.version;
    STF_CHECK_OK(stf_repository_save(c->store, NULL, &save, &result, &c->error), &c->error);
}

STF_TEST(a_record_that_cannot_be_read_is_listed_and_hides_no_other)
{
    static const char *const ids[] = {"a", "b", NULL};
    engine_case *c = open_with_unknown(ids);
    damage(c, "a");
    stf_value *list = list_incidents(c, "", 0);
    ck_assert_uint_eq(stf_value_count(list), 2);
    STF_CHECK_STR(text_of(stf_value_peek_item(list, 0), "incident"), "a:0");
    STF_CHECK_STR(text_of(stf_value_peek_item(list, 0), "kind"), "unreadable");
    STF_CHECK_STR(text_of(stf_value_peek_item(list, 1), "incident"), "b:1");
    stf_value_unref(list);
    engine_case_free(c);
}

STF_TEST(unknown_work_is_resolved_by_what_somebody_found_out)
{
    static const char *const ids[] = {"i1", "i2", NULL};
    engine_case *c = open_with_unknown(ids);
    stf_answer answer = STF_ANSWER_INIT;
    stf_value *variables = NULL;
    ck_assert_int_eq(stf_value_parse_json(NULL, stf_str_of("{\"paid\": 3}"), &variables, NULL),
                     STF_OK);
    answer.variables = variables;
    STF_CHECK_OK(
        stf_engine_resolve_incident(c->engine, NULL, stf_str_of("i1"), 1, &answer, &c->error),
        &c->error);
    engine_case_idle(c);
    ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
    ck_assert_str_eq(engine_case_variable(c, "i1", "paid"), "3");
    answer.kind = STF_ANSWER_FAILED;
    answer.variables = NULL;
    answer.message = stf_str_of("it never arrived");
    STF_CHECK_OK(
        stf_engine_resolve_incident(c->engine, NULL, stf_str_of("i2"), 0, &answer, &c->error),
        &c->error);
    stf_value *list = list_incidents(c, "", 0);
    ck_assert_uint_eq(stf_value_count(list), 1);
    STF_CHECK_STR(text_of(stf_value_peek_item(list, 0), "kind"), "failed");
    stf_value_unref(list);
    c->answer = CASE_COMPLETE;
    STF_CHECK_OK(stf_engine_retry_incident(c->engine, NULL, stf_str_of("i2"), 0, &c->error),
                 &c->error);
    engine_case_idle(c);
    ck_assert_str_eq(engine_case_status(c, "i2"), "completed");
    ck_assert_uint_eq(engine_case_calls_of(c, "work"), 3);
    ck_assert_str_ne(c->calls[2].key, c->calls[1].key); /* R6: it is certain that it failed */
    stf_value_unref(variables);
    engine_case_free(c);
}

STF_TEST(a_dropped_incident_takes_its_token_away)
{
    static const char *const ids[] = {"i1", NULL};
    engine_case *c = open_with_unknown(ids);
    STF_CHECK_OK(stf_engine_drop_incident(c->engine, NULL, stf_str_of("i1"), 0, &c->error),
                 &c->error);
    engine_case_idle(c);
    ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
    ck_assert_uint_eq(engine_case_calls_of(c, "work"), 1);
    engine_case_free(c);
}

STF_TEST(what_is_not_there_or_not_so_is_refused)
{
    static const char *const ids[] = {"i1", NULL};
    engine_case *c = open_with_unknown(ids);
    stf_answer answer = STF_ANSWER_INIT;
    stf_answer bad = STF_ANSWER_INIT;
    stf_value *list = NULL;
    STF_CHECK_STATUS(stf_engine_drop_incident(c->engine, NULL, stf_str_of("i1"), 99, &c->error),
                     STF_NOT_FOUND, &c->error);
    STF_CHECK_STATUS(stf_engine_drop_incident(c->engine, NULL, stf_str_of("no"), 0, &c->error),
                     STF_NOT_FOUND, &c->error);
    STF_CHECK_STATUS(
        stf_engine_resolve_incident(c->engine, NULL, stf_str_of("i1"), 99, &answer, &c->error),
        STF_NOT_FOUND, &c->error);
    STF_CHECK_STATUS(
        stf_engine_resolve_incident(c->engine, NULL, stf_str_of("i1"), 0, NULL, &c->error),
        STF_INVALID_ARGUMENT, &c->error);
    bad.kind = 4;
    STF_CHECK_STATUS(
        stf_engine_resolve_incident(c->engine, NULL, stf_str_of("i1"), 0, &bad, &c->error),
        STF_INVALID_ARGUMENT, &c->error);
    bad.kind = STF_ANSWER_BPMN_ERROR; /* without a code */
    STF_CHECK_STATUS(
        stf_engine_resolve_incident(c->engine, NULL, stf_str_of("i1"), 0, &bad, &c->error),
        STF_INVALID_ARGUMENT, &c->error);
    STF_CHECK_STATUS(stf_engine_list_incidents(NULL, NULL, stf_str_of(""), 0, &list, &c->error),
                     STF_INVALID_ARGUMENT, &c->error);
    ck_assert_str_eq(engine_case_status(c, "i1"), "incident");
    engine_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(incidents_are_listed_by_instance_with_what_is_known_of_them),
    STF_CASE(a_record_that_cannot_be_read_is_listed_and_hides_no_other),
    STF_CASE(unknown_work_is_resolved_by_what_somebody_found_out),
    STF_CASE(a_dropped_incident_takes_its_token_away),
    STF_CASE(what_is_not_there_or_not_so_is_refused),
};

STF_TEST_MAIN("incidents", cases)

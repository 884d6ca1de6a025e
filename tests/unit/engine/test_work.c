/* SPDX-License-Identifier: Apache-2.0 */
/* How a handler settles its work, what it sees, and what becomes of each outcome. */
#include "unit/engine/engine_case.h"

static const char *const all_topics[] = {"*", NULL};

typedef struct outcome_row {
    case_answer answer;
    const char *status;
    const char *kind;    /* of the incident */
    const char *message; /* part of it */
} outcome_row;

STF_TEST(each_outcome_becomes_what_the_table_says)
{
    static const outcome_row rows[] = {
        {CASE_COMPLETE, "completed", NULL, NULL},
        {CASE_FAIL, "incident", "failed", "no such address"},
        {CASE_UNKNOWN, "incident", "unknown", "the line went dead"},
        {CASE_SETTLE_NOTHING, "incident", "unknown", "without settling"},
        {CASE_SETTLE_TWICE, "incident", "unknown", "more than once"},
        {CASE_RETURN_ERROR, "incident", "unknown", "the printer is on fire"},
        {CASE_BPMN_ERROR, "incident", NULL, "E1"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        engine_case *c = engine_case_new();
        stf_buf json;
        engine_case_open(c, all_topics);
        engine_case_deploy(c, case_work);
        c->answer = rows[i].answer;
        engine_case_start(c, "i1", NULL);
        engine_case_idle(c);
        ck_assert_str_eq(engine_case_status(c, "i1"), rows[i].status);
        stf_value *view = engine_case_view(c, "i1");
        stf_buf_init(&json, NULL);
        ck_assert_int_eq(stf_value_write_json(view, false, &json, NULL), STF_OK);
        const char *text = stf_buf_c_str(&json);
        if (rows[i].kind != NULL) {
            const stf_value *incident =
                stf_value_peek_item(stf_value_peek(view, stf_str_of("incidents")), 0);
            STF_CHECK_STR(stf_value_peek_string(stf_value_peek(incident, stf_str_of("kind"))),
                          rows[i].kind);
        }
        ck_assert_msg(rows[i].message == NULL || strstr(text, rows[i].message) != NULL,
                      "row %zu: %s", i, text);
        stf_buf_done(&json);
        stf_value_unref(view);
        engine_case_free(c);
    }
}

STF_TEST(r6_a_retry_after_unknown_keeps_the_key_and_one_after_failure_has_a_new_one)
{
    static const case_answer answers[] = {CASE_UNKNOWN, CASE_FAIL};
    for (size_t i = 0; i < 2; i++) {
        engine_case *c = engine_case_new();
        engine_case_open(c, all_topics);
        engine_case_deploy(c, case_work);
        c->answer = answers[i];
        engine_case_start(c, "i1", NULL);
        engine_case_idle(c);
        c->answer = CASE_COMPLETE;
        STF_CHECK_OK(stf_engine_retry_incident(c->engine, NULL, stf_str_of("i1"), 0, &c->error),
                     &c->error);
        engine_case_idle(c);
        ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
        ck_assert_uint_eq(c->call_count, 2);
        ck_assert_uint_eq(c->calls[1].attempt, 2);
        ck_assert_int_eq(strcmp(c->calls[0].key, c->calls[1].key) == 0, i == 0);
        engine_case_free(c);
    }
}

static void check_work(engine_case *c, stf_work *work)
{
    int64_t amount = 0;
    STF_CHECK_STR(stf_work_instance(work), "i1");
    STF_CHECK_STR(stf_work_process(work), "p");
    STF_CHECK_STR(stf_work_element(work), "work");
    STF_CHECK_STR(stf_work_topic(work), "work");
    ck_assert_uint_gt(stf_work_key(work).size, 0);
    ck_assert_uint_ge(stf_work_activation(work), 1);
    ck_assert_uint_eq(stf_work_attempt(work), 1);
    ck_assert_int_eq(stf_work_deadline(work).us, CASE_BEGIN_US + SECONDS(30));
    ck_assert(
        stf_value_get_int(stf_value_peek(stf_work_variables(work), stf_str_of("amount")), &amount));
    ck_assert_int_eq(amount, 7);
    stf_value *number = NULL;
    ck_assert_int_eq(stf_value_new_int(NULL, 1, &number, NULL), STF_OK);
    ck_assert_int_eq(stf_work_complete(work, number, &c->error), STF_INVALID_ARGUMENT);
    ck_assert_int_eq(stf_work_bpmn_error(work, (stf_str){NULL, 0}, (stf_str){NULL, 0}, NULL, NULL),
                     STF_INVALID_ARGUMENT);
    stf_value_unref(number);
}

STF_TEST(a_handler_sees_its_work_and_a_refused_settlement_settles_nothing)
{
    engine_case *c = engine_case_new();
    engine_case_open(c, all_topics);
    engine_case_deploy(c, case_work);
    c->on_call = check_work;
    c->answer_json = "{\"done\": true}";
    engine_case_start(c, "i1", "{\"amount\": 7}");
    engine_case_idle(c);
    ck_assert_uint_eq(c->call_count, 1);
    stf_value *view = engine_case_view(c, "i1");
    const stf_value *variables = stf_value_peek(view, stf_str_of("variables"));
    ck_assert(stf_value_is_true(stf_value_peek(variables, stf_str_of("done"))));
    stf_value_unref(view);
    engine_case_free(c);
}

/* Seven MiB under one name: a third one is more than a payload may hold. */
static stf_value *make_large(stf_str name)
{
    size_t size = 7u * 1024u * 1024u;
    char *text = malloc(size);
    stf_value *value = NULL;
    stf_value *context = NULL;
    ck_assert_ptr_nonnull(text);
    memset(text, 'x', size);
    ck_assert_int_eq(stf_value_new_string(NULL, (stf_str){text, size}, &value, NULL), STF_OK);
    ck_assert_int_eq(stf_value_new_context(NULL, &name, &value, 1, &context, NULL), STF_OK);
    stf_value_unref(value);
    free(text);
    return context;
}

static stf_status run_too_much(void *user, const stf_ctx *ctx, stf_work *work, stf_error *error)
{
    stf_value *large = make_large(stf_work_element(work));
    (void)ctx;
    (void)user;
    stf_status status = stf_work_complete(work, large, error);
    stf_value_unref(large);
    return status;
}

STF_TEST(a_result_that_cannot_be_stored_is_an_unknown_outcome_that_says_so)
{
    engine_case *c = engine_case_new();
    stf_handler handler = {
        .struct_size = sizeof(handler), .abi = STF_HANDLER_ABI, .user = c, .run = run_too_much};
    engine_case_make(c, NULL);
    STF_CHECK_OK(stf_engine_add_handler(c->engine, stf_str_of("*"), &handler, &c->error),
                 &c->error);
    STF_CHECK_OK(stf_engine_start(c->engine, NULL, &c->error), &c->error);
    engine_case_deploy(c, "<startEvent id='s'/><serviceTask id='a'/><serviceTask id='b'/>"
                          "<endEvent id='e'/><sequenceFlow id='f1' sourceRef='s' targetRef='a'/>"
                          "<sequenceFlow id='f2' sourceRef='a' targetRef='b'/>"
                          "<sequenceFlow id='f3' sourceRef='b' targetRef='e'/>");
    stf_start start = STF_START_INIT;
    stf_value *large = make_large(stf_str_of("first"));
    start.process = stf_str_of("p");
    start.id = stf_str_of("i1");
    start.variables = large;
    STF_CHECK_OK(stf_engine_start_instance(c->engine, NULL, &start, NULL, &c->error), &c->error);
    stf_value_unref(large);
    engine_case_idle(c);
    ck_assert_str_eq(engine_case_status(c, "i1"), "incident");
    stf_value *view = engine_case_view(c, "i1");
    const stf_value *incident =
        stf_value_peek_item(stf_value_peek(view, stf_str_of("incidents")), 0);
    stf_str message = stf_value_peek_string(stf_value_peek(incident, stf_str_of("message")));
    ck_assert_msg(message.size > 30 && strstr(message.data, "could not be stored") != NULL, "%.*s",
                  (int)message.size, message.data);
    stf_value_unref(view);
    engine_case_free(c);
}

/* ---- R6 ----------------------------------------------------------------------------------------
 */

static void go_round_twice(engine_case *c, stf_work *work)
{
    (void)work;
    c->answer_json = c->call_count < 3 ? "{\"again\": true}" : "{\"again\": false}";
}

STF_TEST(r6_each_turn_of_a_loop_is_a_new_activation_with_a_key_of_its_own)
{
    engine_case *c = engine_case_new();
    c->on_call = go_round_twice;
    engine_case_open(c, all_topics);
    engine_case_deploy(c, "<startEvent id='s'/><serviceTask id='work'/>"
                          "<exclusiveGateway id='x' default='f4'/><endEvent id='e'/>"
                          "<sequenceFlow id='f1' sourceRef='s' targetRef='work'/>"
                          "<sequenceFlow id='f2' sourceRef='work' targetRef='x'/>"
                          "<sequenceFlow id='f3' sourceRef='x' targetRef='work'>"
                          "<conditionExpression>=again</conditionExpression></sequenceFlow>"
                          "<sequenceFlow id='f4' sourceRef='x' targetRef='e'/>");
    engine_case_start(c, "i1", NULL);
    engine_case_idle(c);
    ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
    ck_assert_uint_eq(c->call_count, 3);
    for (size_t i = 0; i < 3; i++) {
        ck_assert_uint_eq(c->calls[i].attempt, 1);
        if (i != 0) {
            ck_assert_uint_gt(c->calls[i].activation, c->calls[i - 1].activation);
            ck_assert_str_ne(c->calls[i].key, c->calls[i - 1].key);
        }
    }
    ck_assert_str_ne(c->calls[0].key, c->calls[2].key);
    engine_case_free(c);
}

STF_TEST(r6_an_instance_that_is_made_again_under_its_id_has_other_keys)
{
    engine_case *c = engine_case_new();
    engine_case_open(c, all_topics);
    engine_case_deploy(c, case_work);
    for (int i = 0; i < 2; i++) {
        stf_delete request = {.struct_size = sizeof(request),
                              .abi = STF_DELETE_ABI,
                              .flags = STF_DELETE_ANY,
                              .id = stf_str_of("i1")};
        STF_CHECK_OK(stf_repository_delete(c->store, NULL, &request, &c->error), &c->error);
        engine_case_start(c, "i1", NULL);
        engine_case_idle(c);
    }
    ck_assert_uint_eq(c->call_count, 2);
    ck_assert_uint_eq(c->calls[0].activation, c->calls[1].activation);
    ck_assert_str_ne(c->calls[0].key, c->calls[1].key);
    engine_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(each_outcome_becomes_what_the_table_says),
    STF_CASE(r6_a_retry_after_unknown_keeps_the_key_and_one_after_failure_has_a_new_one),
    STF_CASE(a_handler_sees_its_work_and_a_refused_settlement_settles_nothing),
    STF_CASE(a_result_that_cannot_be_stored_is_an_unknown_outcome_that_says_so),
    STF_CASE(r6_each_turn_of_a_loop_is_a_new_activation_with_a_key_of_its_own),
    STF_CASE(r6_an_instance_that_is_made_again_under_its_id_has_other_keys),
};

STF_TEST_MAIN("work", cases)

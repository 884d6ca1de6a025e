/* SPDX-License-Identifier: Apache-2.0 */
/* The identity and the sizes of an engine, by table. */
#include "engine/private.h"
#include "unit/engine/engine_case.h"

typedef struct identity_row {
    const char *id;
    const char *group;
    const char *existing_group;
    stf_status status;
    const char *ret_id;
    const char *ret_group;
} identity_row;

static char long_text[300];

STF_TEST(identity_is_trimmed_and_refused_as_the_table_says)
{
    static const identity_row rows[] = {
        {"a", NULL, NULL, STF_OK, "a", "a"}, /* solo: the group is the id */
        {" a\t", NULL, NULL, STF_OK, "a", "a"},
        {"a", " g \n", NULL, STF_OK, "a", "g"},
        {"a", NULL, "\tg ", STF_OK, "a", "g"},
        {"a b", NULL, NULL, STF_OK, "a b", "a b"}, /* blanks inside stay */
        {NULL, NULL, NULL, STF_EMPTY_NOT_ALLOWED, NULL, NULL},
        {"", "g", NULL, STF_EMPTY_NOT_ALLOWED, NULL, NULL},
        {" \t\r\n", "g", NULL, STF_EMPTY_NOT_ALLOWED, NULL, NULL},
        {"a", "", NULL, STF_INVALID_ARGUMENT, NULL, NULL},
        {"a", "  ", NULL, STF_INVALID_ARGUMENT, NULL, NULL},
        {"a", NULL, "", STF_INVALID_ARGUMENT, NULL, NULL},
        {"a", NULL, " ", STF_INVALID_ARGUMENT, NULL, NULL},
        {"a", "g", "g", STF_INVALID_ARGUMENT, NULL, NULL},
        {"a", "", "g", STF_INVALID_ARGUMENT, NULL, NULL},
        {"\xff", NULL, NULL, STF_INVALID_ARGUMENT, NULL, NULL},
        {"a", "\xc0\x80", NULL, STF_INVALID_ARGUMENT, NULL, NULL},
        {long_text, NULL, NULL, STF_LIMIT_EXCEEDED, NULL, NULL},
        {"a", long_text, NULL, STF_LIMIT_EXCEEDED, NULL, NULL},
    };
    memset(long_text, 'x', sizeof(long_text) - 1);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        stf_engine_options options = STF_ENGINE_OPTIONS_INIT;
        stf_engine *engine = NULL;
        stf_error error = STF_ERROR_INIT;
        options.id = rows[i].id;
        options.group = rows[i].group;
        options.existing_group = rows[i].existing_group;
        stf_status status = stf_engine_new(&options, &engine, &error);
        ck_assert_msg(status == rows[i].status, "row %zu: %s", i, stf_status_name(status));
        if (status == STF_OK) {
            ck_assert_str_eq(engine->id, rows[i].ret_id);
            ck_assert_str_eq(engine->group, rows[i].ret_group);
        } else {
            ck_assert_ptr_null(engine);
            ck_assert_str_eq(error.origin, "ENGINE");
        }
        stf_engine_close(engine, NULL);
    }
}

STF_TEST(sizes_out_of_range_are_refused)
{
    engine_case *c = engine_case_new();
    stf_engine *engine = NULL;
    static const struct {
        int64_t lease_us;
        int64_t poll_us;
        uint32_t workers;
        uint32_t batch_max;
        uint32_t flags;
        stf_status status;
    } rows[] = {
        {1000000, 1, 1, 1, 0, STF_OK},
        {999999, 0, 0, 0, 0, STF_INVALID_ARGUMENT},
        {-1, 0, 0, 0, 0, STF_INVALID_ARGUMENT},
        {0, -1, 0, 0, 0, STF_INVALID_ARGUMENT},
        {INT64_MAX, 0, 0, 0, 0, STF_LIMIT_EXCEEDED}, /* added to a time it would overflow */
        {0, INT64_MAX, 0, 0, 0, STF_LIMIT_EXCEEDED},
        {0, 0, 1025, 0, 0, STF_LIMIT_EXCEEDED},
        {0, 0, 0, STF_LIMIT_BATCH + 1, 0, STF_LIMIT_EXCEEDED},
        {0, 0, 0, 0, 1u << 20, STF_INVALID_ARGUMENT},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        stf_engine_options options = STF_ENGINE_OPTIONS_INIT;
        options.id = "a";
        options.lease_us = rows[i].lease_us;
        options.poll_us = rows[i].poll_us;
        options.workers = rows[i].workers;
        options.batch_max = rows[i].batch_max;
        options.flags = rows[i].flags;
        STF_CHECK_STATUS(stf_engine_new(&options, &engine, &c->error), rows[i].status, &c->error);
        if (rows[i].status == STF_OK) {
            engine = stf_engine_close(engine, NULL);
        }
    }
    engine_case_free(c);
}

STF_TEST(retry_policies_out_of_range_are_refused)
{
    engine_case *c = engine_case_new();
    stf_engine *engine = NULL;
    static const struct {
        stf_retry_policy retry;
        stf_status status;
    } rows[] = {
        {{.retries = 1000, .factor_percent = 10000, .jitter_percent = 100, .first_us = 1}, STF_OK},
        {{.retries = 1001}, STF_LIMIT_EXCEEDED},
        {{.factor_percent = 10001}, STF_LIMIT_EXCEEDED},
        {{.first_us = INT64_MAX}, STF_LIMIT_EXCEEDED},
        {{.cap_us = INT64_MAX}, STF_LIMIT_EXCEEDED},
        {{.jitter_percent = 101}, STF_INVALID_ARGUMENT},
        {{.first_us = -1}, STF_INVALID_ARGUMENT},
        {{.cap_us = -1}, STF_INVALID_ARGUMENT},
        {{.reserved = 1}, STF_INVALID_ARGUMENT},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        stf_engine_options options = STF_ENGINE_OPTIONS_INIT;
        options.id = "a";
        options.retry = rows[i].retry;
        STF_CHECK_STATUS(stf_engine_new(&options, &engine, &c->error), rows[i].status, &c->error);
        if (rows[i].status == STF_OK) {
            engine = stf_engine_close(engine, NULL);
        }
    }
    engine_case_free(c);
}

STF_TEST(options_that_were_not_initialised_or_half_a_store_are_refused)
{
    engine_case *c = engine_case_new();
    stf_engine *engine = NULL;
    stf_engine_options options = {.id = "a"};
    STF_CHECK_STATUS(stf_engine_new(&options, &engine, &c->error), STF_INVALID_ARGUMENT, &c->error);
    options = (stf_engine_options)STF_ENGINE_OPTIONS_INIT;
    options.abi = 7;
    options.id = "a";
    STF_CHECK_STATUS(stf_engine_new(&options, &engine, &c->error), STF_INVALID_ARGUMENT, &c->error);
    options.abi = STF_ENGINE_ABI;
    options.repository = c->store;
    STF_CHECK_STATUS(stf_engine_new(&options, &engine, &c->error), STF_INVALID_ARGUMENT, &c->error);
    STF_CHECK_STATUS(stf_engine_new(NULL, &engine, &c->error), STF_INVALID_ARGUMENT, &c->error);
    STF_CHECK_STATUS(stf_engine_new(&options, NULL, &c->error), STF_INVALID_ARGUMENT, &c->error);
    ck_assert_ptr_null(engine);
    ck_assert_ptr_null(stf_engine_close(NULL, NULL));
    engine_case_free(c);
}

STF_TEST(options_of_an_older_caller_are_read_as_far_as_they_go)
{
    stf_engine *engine = NULL;
    stf_error error = STF_ERROR_INIT;
    stf_engine_options options = STF_ENGINE_OPTIONS_INIT;
    options.struct_size = offsetof(stf_engine_options, workers);
    options.id = "a";
    options.workers = 5000; /* beyond what this caller knew */
    STF_CHECK_OK(stf_engine_new(&options, &engine, &error), &error);
    ck_assert_uint_eq(engine->worker_count, 0);
    stf_engine_close(engine, NULL);
}

STF_TEST(an_engine_without_stores_has_a_memory_store_of_its_own)
{
    stf_engine *engine = NULL;
    stf_error error = STF_ERROR_INIT;
    stf_engine_options options = STF_ENGINE_OPTIONS_INIT;
    stf_value *list = NULL;
    options.id = "a";
    STF_CHECK_OK(stf_engine_new(&options, &engine, &error), &error);
    STF_CHECK_OK(stf_engine_start(engine, NULL, &error), &error);
    STF_CHECK_OK(stf_engine_list_instances(engine, NULL, NULL, &list, &error), &error);
    ck_assert_uint_eq(stf_value_count(list), 0);
    stf_value_unref(list);
    stf_engine_close(engine, NULL);
}

static const stf_test_case cases[] = {
    STF_CASE(identity_is_trimmed_and_refused_as_the_table_says),
    STF_CASE(sizes_out_of_range_are_refused),
    STF_CASE(retry_policies_out_of_range_are_refused),
    STF_CASE(options_that_were_not_initialised_or_half_a_store_are_refused),
    STF_CASE(options_of_an_older_caller_are_read_as_far_as_they_go),
    STF_CASE(an_engine_without_stores_has_a_memory_store_of_its_own),
};

STF_TEST_MAIN("options", cases)

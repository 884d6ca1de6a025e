/* SPDX-License-Identifier: Apache-2.0 */
/* What evaluation costs, and that nothing escapes the budget. */
#include "rows.h"

static stf_status run(const char *text, stf_value *variables, uint32_t budget, stf_error *error)
{
    stf_value *value = NULL;
    stf_status status = rows_run(NULL, STF_EXPR_DETECT, text, variables, budget, &value, error);
    ck_assert((status == STF_OK) == (value != NULL));
    stf_value_unref(value);
    return status;
}

STF_TEST(each_node_costs_a_step)
{
    stf_error error = STF_ERROR_INIT;
    stf_value *none = rows_json("{}");
    /* The chain and its three operands. */
    STF_CHECK_OK(run("1 + 2 + 3", none, 4, &error), &error);
    STF_CHECK_STATUS(run("1 + 2 + 3", none, 3, &error), STF_LIMIT_EXCEEDED, &error);
    ck_assert_ptr_nonnull(strstr(error.message, "more than 3 steps"));
    ck_assert_ptr_nonnull(stf_error_get_detail(&error, "column"));
    stf_value_unref(none);
}

/* A list of a thousand ones, a text of a hundred thousand letters. */
static stf_value *big_variables(void)
{
    stf_error error = STF_ERROR_INIT;
    stf_buf buf;
    stf_buf_init(&buf, NULL);
    STF_CHECK_OK(stf_buf_append_str(&buf, stf_str_of("{\"list\": [1")), NULL);
    for (size_t i = 1; i < 1000; i++) {
        STF_CHECK_OK(stf_buf_append_str(&buf, stf_str_of(", 1")), NULL);
    }
    STF_CHECK_OK(stf_buf_append_str(&buf, stf_str_of("], \"text\": \"")), NULL);
    for (size_t i = 0; i < 10000; i++) {
        STF_CHECK_OK(stf_buf_append_str(&buf, stf_str_of("aaaaaaaaaa")), NULL);
    }
    STF_CHECK_OK(stf_buf_append_str(&buf, stf_str_of("\"}")), NULL);
    stf_value *value = NULL;
    STF_CHECK_OK(stf_value_parse_json(NULL, stf_buf_str(&buf), &value, &error), &error);
    stf_buf_done(&buf);
    return value;
}

STF_TEST(whatever_grows_with_its_input_costs_by_its_size)
{
    static const char *const texts[] = {
        "list[item = 1]",
        "list.a",
        "sum(list)",
        "mean(list)",
        "min(list)",
        "max(list)",
        "append(list, 1)",
        "concatenate(list, list)",
        "list contains(list, 2)",
        "2 in list",
        "list = concatenate(list, [])",
        "{a: list} = {a: concatenate(list)}",
        "text + \"b\"",
        "text = text + \"\"",
        "text < text + \"\"",
        "contains(text, \"b\")",
        "starts with(text, \"b\")",
        "ends with(text, \"b\")",
        "string length(text)",
        "substring(text, 5)",
        "upper case(text)",
        "lower case(text)",
        "string(list)",
        "x ${text}",
        "x ${list}",
    };
    stf_error error = STF_ERROR_INIT;
    stf_value *variables = big_variables();
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        stf_status status = run(texts[i], variables, 30, &error);
        ck_assert_msg(status == STF_LIMIT_EXCEEDED, "%s: %s", texts[i], stf_status_name(status));
        STF_CHECK_OK(run(texts[i], variables, 0, &error), &error);
    }
    stf_value_unref(variables);
}

STF_TEST(changing_case_costs_more_than_copying)
{
    stf_error error = STF_ERROR_INIT;
    stf_value *variables = big_variables();
    STF_CHECK_OK(run("substring(text, 1)", variables, 5000, &error), &error);
    STF_CHECK_STATUS(run("upper case(text)", variables, 5000, &error), STF_LIMIT_EXCEEDED, &error);
    stf_value_unref(variables);
}

STF_TEST(doubling_cannot_outgrow_the_budget)
{
    stf_error error = STF_ERROR_INIT;
    stf_value *variables = big_variables();
    stf_buf buf;
    stf_buf_init(&buf, NULL);
    STF_CHECK_OK(stf_buf_append_str(&buf, stf_str_of("{a0: list")), NULL);
    for (unsigned i = 1; i < 60; i++) {
        STF_CHECK_OK(stf_buf_printf(&buf, ", a%u: concatenate(a%u, a%u)", i, i - 1, i - 1), NULL);
    }
    STF_CHECK_OK(stf_buf_append_str(&buf, stf_str_of("}")), NULL);
    STF_CHECK_STATUS(run(stf_buf_c_str(&buf), variables, 0, &error), STF_LIMIT_EXCEEDED, &error);
    stf_buf_clear(&buf);
    STF_CHECK_OK(stf_buf_append_str(&buf, stf_str_of("{a0: text")), NULL);
    for (unsigned i = 1; i < 60; i++) {
        STF_CHECK_OK(stf_buf_printf(&buf, ", a%u: a%u + a%u", i, i - 1, i - 1), NULL);
    }
    STF_CHECK_OK(stf_buf_append_str(&buf, stf_str_of("}")), NULL);
    STF_CHECK_STATUS(run(stf_buf_c_str(&buf), variables, 0, &error), STF_LIMIT_EXCEEDED, &error);
    stf_buf_done(&buf);
    stf_value_unref(variables);
}

STF_TEST(nested_filters_end_at_the_default_budget)
{
    stf_error error = STF_ERROR_INIT;
    stf_value *variables = big_variables();
    STF_CHECK_STATUS(run("list[count(list[count(list[item = 1]) > 0]) > 0]", variables, 0, &error),
                     STF_LIMIT_EXCEEDED, &error);
    ck_assert_ptr_nonnull(strstr(error.message, "more than 100000 steps"));
    stf_value_unref(variables);
}

static const stf_test_case cases[] = {
    STF_CASE(each_node_costs_a_step),
    STF_CASE(whatever_grows_with_its_input_costs_by_its_size),
    STF_CASE(changing_case_costs_more_than_copying),
    STF_CASE(doubling_cannot_outgrow_the_budget),
    STF_CASE(nested_filters_end_at_the_default_budget),
};

STF_TEST_MAIN("expr_results", cases)

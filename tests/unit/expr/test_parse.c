/* SPDX-License-Identifier: Apache-2.0 */
/* Depth, chains and the wording of messages, for both parsers. */
#include "expr/parse.h"

#include "rows.h"

/* prefix, times a middle, suffix: the status of its compilation. */
static stf_status compile_repeated(stf_expr_language language, const char *prefix,
                                   const char *middle, size_t times, const char *suffix)
{
    stf_error error = STF_ERROR_INIT;
    stf_buf buf;
    stf_buf_init(&buf, NULL);
    STF_CHECK_OK(stf_buf_append_str(&buf, stf_str_of(prefix)), NULL);
    for (size_t i = 0; i < times; i++) {
        STF_CHECK_OK(stf_buf_append_str(&buf, stf_str_of(middle)), NULL);
    }
    STF_CHECK_OK(stf_buf_append_str(&buf, stf_str_of(suffix)), NULL);
    stf_expr *expr = NULL;
    stf_status status = stf_expr_compile(NULL, stf_buf_str(&buf), language, &expr, &error);
    ck_assert((status == STF_OK) == (expr != NULL));
    ck_assert_msg(status != STF_LIMIT_EXCEEDED || strstr(error.message, "deep") != NULL, "%s",
                  error.message);
    stf_value *value = NULL;
    stf_expr_scope scope = {.struct_size = sizeof(scope), .abi = STF_EXPR_SCOPE_ABI};
    if (status == STF_OK) {
        STF_CHECK_OK(stf_expr_eval(expr, NULL, &scope, &value, &error), &error);
    }
    stf_value_unref(value);
    stf_expr_unref(expr);
    stf_buf_done(&buf);
    return status;
}

STF_TEST(a_long_chain_of_operators_is_not_deep)
{
    ck_assert_int_eq(compile_repeated(STF_EXPR_FEEL, "1", "+1", 5000, ""), STF_OK);
    ck_assert_int_eq(compile_repeated(STF_EXPR_FEEL, "1", " * 1", 5000, ""), STF_OK);
    ck_assert_int_eq(compile_repeated(STF_EXPR_FEEL, "true", " and true", 5000, ""), STF_OK);
    ck_assert_int_eq(compile_repeated(STF_EXPR_FEEL, "x", " or x", 5000, ""), STF_OK);
    ck_assert_int_eq(compile_repeated(STF_EXPR_FEEL, "[1", ",1", 5000, "]"), STF_OK);
    ck_assert_int_eq(compile_repeated(STF_EXPR_JUEL, "${1", "+1", 5000, "}"), STF_OK);
    ck_assert_int_eq(compile_repeated(STF_EXPR_JUEL, "${1", " == 1", 2, "}"), STF_OK);
    ck_assert_int_eq(compile_repeated(STF_EXPR_JUEL, "a", "${1}b", 5000, ""), STF_OK);
}

STF_TEST(every_way_to_nest_ends_at_the_limit)
{
    static const struct {
        stf_expr_language language;
        const char *prefix, *middle, *suffix;
    } rows[] = {
        {STF_EXPR_FEEL, "", "(", ""},         {STF_EXPR_FEEL, "", "[", ""},
        {STF_EXPR_FEEL, "", "{a:", ""},       {STF_EXPR_FEEL, "", "-", "1"},
        {STF_EXPR_FEEL, "", "not(", ""},      {STF_EXPR_FEEL, "", "abs(", ""},
        {STF_EXPR_FEEL, "", "if ", ""},       {STF_EXPR_FEEL, "", "if true then 1 else ", "1"},
        {STF_EXPR_FEEL, "x", "[x", ""},       {STF_EXPR_FEEL, "x", ".x", ""},
        {STF_EXPR_FEEL, "x", "[1]", ""},      {STF_EXPR_FEEL, "x", " in (x", ""},
        {STF_EXPR_FEEL, "x", " in ]x", ""},   {STF_EXPR_FEEL, "", "1 between (", ""},
        {STF_EXPR_JUEL, "${", "(", ""},       {STF_EXPR_JUEL, "${", "!", "true}"},
        {STF_EXPR_JUEL, "${", "-", "1}"},     {STF_EXPR_JUEL, "${", "empty ", "x}"},
        {STF_EXPR_JUEL, "${x", "[x", ""},     {STF_EXPR_JUEL, "${x", ".x", "}"},
        {STF_EXPR_JUEL, "${x", "[0]", "}"},   {STF_EXPR_JUEL, "${", "true ? 1 : ", "1}"},
        {STF_EXPR_JUEL, "${", "true ? ", ""},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        stf_status status = compile_repeated(rows[i].language, rows[i].prefix, rows[i].middle, 3000,
                                             rows[i].suffix);
        /* "x in ]x in ]" is already wrong at its second word. */
        bool is_wrong = strcmp(rows[i].middle, " in ]x") == 0;
        ck_assert_msg(status == (is_wrong ? STF_EXPRESSION : STF_LIMIT_EXCEEDED), "%s: %s",
                      rows[i].middle, stf_status_name(status));
    }
}

STF_TEST(a_depth_within_the_limit_compiles_and_evaluates)
{
    ck_assert_int_eq(compile_repeated(STF_EXPR_FEEL, "1", ".x", STF_LIMIT_EXPR_DEPTH - 1, ""),
                     STF_OK);
    ck_assert_int_eq(compile_repeated(STF_EXPR_FEEL, "1", ".x", STF_LIMIT_EXPR_DEPTH, ""),
                     STF_LIMIT_EXCEEDED);
    ck_assert_int_eq(
        compile_repeated(STF_EXPR_FEEL, "", "if true then 1 else ", STF_LIMIT_EXPR_DEPTH - 1, "1"),
        STF_OK);
}

static const error_row messages[] = {
    {"1 +", NULL, 4, "expected a value, but the expression ends here"},
    {"1 + )", NULL, 5, "expected a value, found \")\""},
    {"(1", NULL, 3, "expected an operator or \")\", but the expression ends here"},
    {"1 \"a\"", NULL, 3, "expected an operator or the end, found the text \"a\""},
};

STF_TEST(messages_name_what_was_expected_and_found)
{
    ROWS_CHECK_ERRORS(STF_EXPR_FEEL, messages);
}

static const stf_test_case cases[] = {
    STF_CASE(a_long_chain_of_operators_is_not_deep),
    STF_CASE(every_way_to_nest_ends_at_the_limit),
    STF_CASE(a_depth_within_the_limit_compiles_and_evaluates),
    STF_CASE(messages_name_what_was_expected_and_found),
};

STF_TEST_MAIN("expr_parse", cases)

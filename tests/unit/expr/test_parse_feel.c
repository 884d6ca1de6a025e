/* SPDX-License-Identifier: Apache-2.0 */
/* What FEEL texts mean, and what is said of those that mean nothing. */
#include "rows.h"

static const row rows[] = {
    {"1.50", NULL, "1.5"},
    {".5", NULL, "0.5"},
    {"1e3", NULL, "1000"},
    {"\"a\"", NULL, "\"a\""},
    {"true", NULL, "true"},
    {"null", NULL, "null"},
    {"= x + 1", "{\"x\": 1}", "2"},
    {"=x", "{\"x\": 1}", "1"},
    {"  x\n", "{\"x\": 1}", "1"},
    {"x // a comment", "{\"x\": 1}", "1"},
    {"x /* one */ + /* two */ 1", "{\"x\": 1}", "2"},
    {"Vacation Approval = \"Approved\"", "{\"Vacation Approval\": \"Approved\"}", "true"},
    {"Vacation \n Approval", "{\"Vacation Approval\": 1}", "1"},
    {"order.total price * 2", "{\"order\": {\"total price\": 4}}", "8"},
    {"a.if.in", "{\"a\": {\"if\": {\"in\": 1}}}", "1"},
    {"string", "{\"string\": 1}", "1"},
    {"count + 1", "{\"count\": 1}", "2"},
    {"{if: 1, a b: 2, \"c d\": 3}", NULL, "{\"if\": 1, \"a b\": 2, \"c d\": 3}"},
    {"{}", NULL, "{}"},
    {"[]", NULL, "[]"},
    {"[[1], [2, 3]]", NULL, "[[1], [2, 3]]"},
    {"if x > 1 then \"many\" else \"one\"", "{\"x\": 2}", "\"many\""},
    {"if a then 1 else if b then 2 else 3", "{\"a\": false, \"b\": true}", "2"},
    {"(if true then 1 else 2) + 1", NULL, "2"},
    {"string length (\"abc\")", NULL, "3"},
    {"string\tlength(\"abc\")", NULL, "3"},
    {"x in ((1 + 1) * 2, 7)", "{\"x\": 4}", "true"},
    {"x between 1 and 3 and y", "{\"x\": 2, \"y\": true}", "true"},
    {"not(x in (1, 2))", "{\"x\": 3}", "true"},
};

STF_TEST(texts_of_the_language_are_read_as_written)
{
    ROWS_CHECK(STF_EXPR_FEEL, rows);
    ROWS_CHECK(STF_EXPR_DETECT, rows);
}

static const error_row c_style[] = {
    {"status == \"x\"", NULL, 8, "use = instead of =="},
    {"a && b", NULL, 3, "use and instead of &&"},
    {"a || b", NULL, 3, "use or instead of ||"},
    {"!approved", NULL, 1, "use not(...) instead of !"},
    {"a ? 1 : 2", NULL, 3, "use if ... then ... else ..."},
    {"7 % 2", NULL, 3, "use modulo(a, b) instead of %"},
    {"status = 'x'", NULL, 10, "use \"...\" instead of '...'"},
    {"not approved", NULL, 5, "such as not(approved)"},
};

STF_TEST(operators_of_other_languages_are_answered_by_those_of_feel)
{
    ROWS_CHECK_ERRORS(STF_EXPR_FEEL, c_style);
    ROWS_CHECK_ERRORS(STF_EXPR_DETECT, c_style);
}

static const error_row later[] = {
    {"some x in xs satisfies x > 1", NULL, 1, "not supported yet"},
    {"every x in xs satisfies x > 1", NULL, 1, "not supported yet"},
    {"for x in xs return x", NULL, 1, "not supported yet"},
    {"function(x) x", NULL, 1, "not supported yet"},
    {"x instance of number", NULL, 3, "not supported yet"},
    {"@\"2020-01-01\"", NULL, 1, "not supported yet"},
    {"date(\"2020-01-01\")", NULL, 1, "no function \"date\""},
    {"contains(string: \"a\", match: \"b\")", NULL, 16, "naming the arguments"},
    {"bean.method()", NULL, 6, "calls of methods such as .method()"},
    {"bpmn:getDataObject(\"x\") = 1", NULL, 5, "XPath is not supported"},
};

STF_TEST(what_this_version_lacks_is_named)
{
    ROWS_CHECK_ERRORS(STF_EXPR_FEEL, later);
}

static const error_row wrong[] = {
    {"=", NULL, 2, "expected a value"},
    {"1 < 2 < 3", NULL, 7, "only two values can be compared"},
    {"[1..5]", NULL, 1, "a range is only possible after in"},
    {"x = (1..5)", NULL, 5, "a range is only possible after in"},
    {"x in [[1..5]]", NULL, 7, "a range is only possible after in"},
    {"x in [1..5", NULL, 11, "at the end of the range"},
    {"x in ]1, 2]", NULL, 8, "the end of the range"},
    {"1..5", NULL, 2, "a range is only possible after in"},
    {"x in ()", NULL, 7, "expected a value"},
    {"x in (1", NULL, 8, "\",\" or \")\""},
    {"x between 1", NULL, 12, "the upper end of between"},
    {"if x then 1", NULL, 12, "or else"},
    {"if x else 1", NULL, 6, "or then"},
    {"[1, 2", NULL, 6, "\",\" or \"]\""},
    {"[1, ]", NULL, 5, "expected a value"},
    {"x[1", NULL, 4, "or \"]\""},
    {"{a 1}", NULL, 4, "\":\" after the name"},
    {"{a: 1, a: 2}", NULL, 8, "two entries \"a\""},
    {"{1: 2}", NULL, 2, "the name of an entry"},
    {"{a: 1", NULL, 6, "\",\" or \"}\""},
    {"a.", NULL, 3, "a name after \".\""},
    {"a.1", NULL, 2, "expected an operator"},
    {"contains(\"a\" \"b\")", NULL, 14, "\",\" or \")\""},
    {"x = 12 3", NULL, 8, "expected an operator or the end, found \"3\""},
    {"then", NULL, 1, "expected a value, found \"then\""},
};

STF_TEST(mistakes_are_told_by_column_and_expectation)
{
    ROWS_CHECK_ERRORS(STF_EXPR_FEEL, wrong);
}

STF_TEST(columns_count_characters_not_bytes)
{
    static const error_row wide = {"\"\xC3\xA9\xF0\x9F\x90\x8E\" + )", NULL, 8, "column 8:"};
    rows_check_error(STF_EXPR_FEEL, &wide);
}

STF_TEST(numbers_with_more_digits_than_are_exact_are_refused)
{
    stf_error error = STF_ERROR_INIT;
    stf_expr *expr = NULL;
    stf_str text = stf_str_of("1 + 12345678901234567890123456789012345");
    STF_CHECK_STATUS(stf_expr_compile(NULL, text, STF_EXPR_FEEL, &expr, &error), STF_LIMIT_EXCEEDED,
                     &error);
    ck_assert_str_eq(stf_error_get_detail(&error, "column"), "5");
    ck_assert_ptr_nonnull(strstr(error.message, "34 digits"));
}

static const stf_test_case cases[] = {
    STF_CASE(texts_of_the_language_are_read_as_written),
    STF_CASE(operators_of_other_languages_are_answered_by_those_of_feel),
    STF_CASE(what_this_version_lacks_is_named),
    STF_CASE(mistakes_are_told_by_column_and_expectation),
    STF_CASE(columns_count_characters_not_bytes),
    STF_CASE(numbers_with_more_digits_than_are_exact_are_refused),
};

STF_TEST_MAIN("expr_parse_feel", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* What ${...} texts mean, and what is said of those that mean nothing. */
#include "rows.h"

static const row values[] = {
    {"${1.50}", NULL, "1.5"},
    {"#{x}", "{\"x\": [1]}", "[1]"},
    {"${true}", NULL, "true"},
    {"${null}", NULL, "null"},
    {"${'a'}", NULL, "\"a\""},
    {"${\"a\"}", NULL, "\"a\""},
    {" ${ x } ", "{\"x\": 1}", "1"},
    {"${$x_1}", "{\"$x_1\": 1}", "1"},
    {"${(1 + 2) * 3}", NULL, "9"},
    {"${10 - 4 - 3}", NULL, "3"},
    {"${1 + 2 > 2 && 3 == 3}", NULL, "true"},
    {"${a.empty.and}", "{\"a\": {\"empty\": {\"and\": 1}}}", "1"},
    {"${between}", "{\"between\": 1}", "1"},
    {"${'}'}", NULL, "\"}\""},
};

static const row texts[] = {
    {"abc ${x} def", "{\"x\": 1}", "\"abc 1 def\""},
    {"${x}${x}", "{\"x\": 1}", "\"11\""},
    {"${x} ", "{\"x\": 1}", "1"},
    {"a${x}b#{y}c", "{\"x\": true, \"y\": \"z\"}", "\"atruebzc\""},
    {"a${x}", "{\"x\": null}", "\"a\""},
    {"a${x}", "{\"x\": [1, {\"b\": 2}]}", "\"a[1,{\\\"b\\\":2}]\""},
    {"a\\${x}b", NULL, "\"a${x}b\""},
    {"\\#{x} ${x}", "{\"x\": 1.0}", "\"#{x} 1\""},
    {"50$ ${x}", "{\"x\": 1}", "\"50$ 1\""},
    {"\xC3\xA9 ${x}", "{\"x\": \"\xC3\xA8\"}", "\"\xC3\xA9 \xC3\xA8\""},
};

STF_TEST(one_expression_alone_keeps_the_kind_of_its_value)
{
    ROWS_CHECK(STF_EXPR_JUEL, values);
    ROWS_CHECK(STF_EXPR_DETECT, values);
}

STF_TEST(an_expression_among_text_becomes_text)
{
    ROWS_CHECK(STF_EXPR_JUEL, texts);
    ROWS_CHECK(STF_EXPR_DETECT, texts);
}

STF_TEST(a_text_without_expression_is_itself_when_the_language_is_given)
{
    static const row plain = {"plain + text", NULL, "\"plain + text\""};
    rows_check_one(STF_EXPR_JUEL, &plain);
}

static const error_row errors[] = {
    {"${bean.method()}", NULL, 8, "calls such as method(...) are not supported"},
    {"${execution.getVariable('x') == 1}", NULL, 13, "calls such as getVariable(...)"},
    {"${now()}", NULL, 3, "calls such as now(...) are not supported"},
    {"${x = 1}", NULL, 5, "use == instead of ="},
    {"${2 ** 3}", NULL, 5, "no **"},
    {"${x instanceof y}", NULL, 5, "instanceof is not supported"},
    {"${}", NULL, 3, "expected a value, found \"}\""},
    {"${", NULL, 3, "expected a value, but the expression ends here"},
    {"${x", NULL, 4, "an operator or \"}\""},
    {"${x y}", NULL, 5, "expected an operator or \"}\", found \"y\""},
    {"a ${x} b ${y + } c", "{\"x\": 1}", 16, "expected a value"},
    {"${(x}", NULL, 5, "or \")\""},
    {"${x[1}", NULL, 6, "or \"]\""},
    {"${x.}", NULL, 5, "a name after"},
    {"${x ? 1}", NULL, 8, "or \":\""},
    {"${fn:f(x)}", NULL, 5, "expected an operator"},
    {"${x & y}", NULL, 5, "\"&\" has no meaning"},
};

STF_TEST(calls_and_mistakes_are_told_by_column)
{
    ROWS_CHECK_ERRORS(STF_EXPR_JUEL, errors);
    ROWS_CHECK_ERRORS(STF_EXPR_DETECT, errors);
}

static const stf_test_case cases[] = {
    STF_CASE(one_expression_alone_keeps_the_kind_of_its_value),
    STF_CASE(an_expression_among_text_becomes_text),
    STF_CASE(a_text_without_expression_is_itself_when_the_language_is_given),
    STF_CASE(calls_and_mistakes_are_told_by_column),
};

STF_TEST_MAIN("expr_parse_juel", cases)

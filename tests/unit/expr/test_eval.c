/* SPDX-License-Identifier: Apache-2.0 */
/* Paths, filters, tests and properties over variables, in both languages. */
#include "rows.h"

#define ORDER                                                                                      \
    "{\"order\": {\"customer\": {\"name\": \"Ada\"}, \"lines\": [{\"sku\": \"a\", \"price\": 5},"  \
    " {\"sku\": \"b\", \"price\": 15}, {\"sku\": \"c\"}]}, \"x\": 2, \"limit\": 10}"

static const row paths[] = {
    {"order.customer.name", ORDER, "\"Ada\""},
    {"order.customer.age", ORDER, "null"},
    {"order.nobody.name", ORDER, "null"},
    {"x.y", ORDER, "null"},
    {"nobody", ORDER, "null"},
    {"order.lines.sku", ORDER, "[\"a\", \"b\", \"c\"]"},
    {"order.lines.price", ORDER, "[5, 15, null]"},
    {"order.lines[2].sku", ORDER, "\"b\""},
};

static const row filters[] = {
    {"[1, 2, 3][1]", NULL, "1"},
    {"[1, 2, 3][-1]", NULL, "3"},
    {"[1, 2, 3][-3]", NULL, "1"},
    {"[1, 2, 3][0]", NULL, "null"},
    {"[1, 2, 3][4]", NULL, "null"},
    {"[1, 2, 3][-4]", NULL, "null"},
    {"[1, 2, 3][1.5]", NULL, "null"},
    {"[][1]", NULL, "null"},
    {"[10, 20][x]", ORDER, "20"},
    {"[1, 2, 3][item >= 2]", NULL, "[2, 3]"},
    {"[1, 2, 3][item > 5]", NULL, "[]"},
    {"[][item > 5]", NULL, "[]"},
    {"[1, null, \"a\"][item > 0]", NULL, "[1]"},
    {"[1, 2][true]", NULL, "[1, 2]"},
    {"[1, 2][null]", NULL, "[]"},
    {"order.lines[price > limit].sku", ORDER, "[\"b\"]"},
    {"order.lines[price > limit][1].sku", ORDER, "\"b\""},
    {"order.lines[item.price < limit].sku", ORDER, "[\"a\"]"},
    {"[{item: 1}, {item: 2}][item = 2]", NULL, "[{\"item\": 2}]"},
    {"[[1, 2], [3]][count(item) = 2]", NULL, "[[1, 2]]"},
    {"[[1, 2], [3, 4]][item[item > 3][1] = 4]", NULL, "[[3, 4]]"},
    {"5[1]", NULL, "5"},
    {"5[2]", NULL, "null"},
    {"5[item > 3]", NULL, "[5]"},
    {"5[-1]", NULL, "5"},
    {"5[-2]", NULL, "null"},
    {"null[1]", NULL, "null"},
    {"[1, 2][if item = 1 then false else 1]", NULL, "[]"},
};

static const row tests[] = {
    {"5 in (> 5, 3)", NULL, "false"},
    {"3 in (> 5, 3)", NULL, "true"},
    {"6 in (> 5, 3)", NULL, "true"},
    {"5 in > 4", NULL, "true"},
    {"5 in != 5", NULL, "false"},
    {"5 in [1..5]", NULL, "true"},
    {"5 in [1..5)", NULL, "false"},
    {"5 in [1..5[", NULL, "false"},
    {"1 in (1..5]", NULL, "false"},
    {"1 in ]1..5]", NULL, "false"},
    {"1 in [1..5]", NULL, "true"},
    {"6 in [1..5]", NULL, "false"},
    {"\"b\" in [\"a\"..\"c\"]", NULL, "true"},
    {"x in [x..limit]", ORDER, "true"},
    {"3 in (7, [1..4))", NULL, "true"},
    {"3 in ((1..3), (3..5))", NULL, "false"},
    {"3 in ([1, 2], [3])", NULL, "true"},
    {"2 in [1, 2]", NULL, "true"},
    {"5 in [1, 2]", NULL, "false"},
    {"[1] in [[1], [2]]", NULL, "true"},
    {"[1] in ([1])", NULL, "true"},
    {"null in (1, null)", NULL, "true"},
    {"null in [1..5]", NULL, "null"},
    {"missing in (1, 2)", NULL, "false"},
    {"1 in (\"a\", < \"b\")", NULL, "null"},
    {"1 in (\"a\", 1)", NULL, "true"},
    {"1 in (2 in (2), 1)", NULL, "true"},
    {"1 in (> (if 5 in (5) then 3 else 9))", NULL, "false"},
    {"5 in [1..([4, 6][2])]", NULL, "true"},
    {"5 between 1 and 5", NULL, "true"},
    {"5 between 6 and 9", NULL, "false"},
    {"0 between 6 and null", NULL, "false"},
    {"7 between 6 and null", NULL, "null"},
};

static const row others[] = {
    {"{a: 1, b: a + 1, c: {d: b + 1}}", NULL, "{\"a\": 1, \"b\": 2, \"c\": {\"d\": 3}}"},
    {"{b: a, a: 1}", "{\"a\": 9}", "{\"a\": 1, \"b\": 9}"},
    {"{x: x + 1}.x", ORDER, "3"},
    {"[{a: 1}][{b: a}.b = 1]", NULL, "[{\"a\": 1}]"},
    {"if null then 1 else 2", NULL, "2"},
    {"if 1 then 1 else 2", NULL, "2"},
    {"if true then missing else 2", NULL, "null"},
};

static const row juel[] = {
    {"${order.customer.name}", ORDER, "\"Ada\""},
    {"${order.customer.age}", ORDER, "null"},
    {"${order.nobody.name}", ORDER, "null"},
    {"${order.lines[1].sku}", ORDER, "\"b\""},
    {"${order.lines['0'].sku}", ORDER, "\"a\""},
    {"${order['customer']['name']}", ORDER, "\"Ada\""},
    {"${order.lines[3]}", ORDER, "null"},
    {"${order.lines[-1]}", ORDER, "null"},
    {"${order[null]}", ORDER, "null"},
    {"${m[1]}", "{\"m\": {\"1\": true}}", "true"},
    {"${n[0]}", "{\"n\": null}", "null"},
    {"${empty x}", "{\"x\": null}", "true"},
    {"${empty x}", "{\"x\": \"\"}", "true"},
    {"${empty x}", "{\"x\": []}", "true"},
    {"${empty x}", "{\"x\": {}}", "true"},
    {"${empty x}", "{\"x\": 0}", "false"},
    {"${empty x}", "{\"x\": [1]}", "false"},
    {"${empty missing}", NULL, "true"},
    {"${empty missing.a[0].b}", NULL, "true"},
    {"${!empty missing || true}", NULL, "true"},
    {"${empty x.y}", "{\"x\": 1}", "true"},
    {"${not empty x && x > 1}", "{\"x\": 2}", "true"},
};

static const error_row juel_errors[] = {
    {"${missing}", NULL, 3, "there is no variable \"missing\""},
    {"${x == 1 && missing > 2}", "{\"x\": 1}", 13, "there is no variable \"missing\""},
    {"${empty x && missing}", "{\"x\": null}", 14, "there is no variable \"missing\""},
    {"${x.y}", "{\"x\": 1}", 5, "a number has no property \"y\""},
    {"${x.y}", "{\"x\": [1]}", 5, "a list has no property \"y\""},
    {"${x['y']}", "{\"x\": \"a\"}", 4, "a text has no property \"y\""},
    {"${x['y']}", "{\"x\": [1]}", 5, "the text \"y\" is none"},
    {"${x[0.5]}", "{\"x\": [1]}", 5, "whole number"},
};

STF_TEST(paths_go_through_contexts_and_lists_of_contexts)
{
    ROWS_CHECK(STF_EXPR_FEEL, paths);
}

STF_TEST(filters_select_by_place_or_by_condition)
{
    ROWS_CHECK(STF_EXPR_FEEL, filters);
}

STF_TEST(in_and_between_test_with_three_values)
{
    ROWS_CHECK(STF_EXPR_FEEL, tests);
}

STF_TEST(contexts_see_their_earlier_entries_and_if_only_follows_true)
{
    ROWS_CHECK(STF_EXPR_FEEL, others);
}

STF_TEST(juel_reads_properties_from_zero_and_forgives_only_under_empty)
{
    ROWS_CHECK(STF_EXPR_JUEL, juel);
    ROWS_CHECK_ERRORS(STF_EXPR_JUEL, juel_errors);
}

static const stf_test_case cases[] = {
    STF_CASE(paths_go_through_contexts_and_lists_of_contexts),
    STF_CASE(filters_select_by_place_or_by_condition),
    STF_CASE(in_and_between_test_with_three_values),
    STF_CASE(contexts_see_their_earlier_entries_and_if_only_follows_true),
    STF_CASE(juel_reads_properties_from_zero_and_forgives_only_under_empty),
};

STF_TEST_MAIN("expr_eval", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* Built-ins on lists and over many values. */
#include "rows.h"

static const row numbers[] = {
    {"count([1, null, 3])", NULL, "3"},
    {"count([])", NULL, "0"},
    {"count(5)", NULL, "1"},
    {"count(null)", NULL, "null"},
    {"sum([0.1, 0.2])", NULL, "0.3"},
    {"sum(1, 2, 3)", NULL, "6"},
    {"sum(1)", NULL, "1"},
    {"sum([])", NULL, "null"},
    {"sum([1, \"a\"])", NULL, "null"},
    {"sum([1, null])", NULL, "null"},
    {"sum([9e6144, 9e6144])", NULL, "null"},
    {"mean([1, 2, 4, 5])", NULL, "3"},
    {"mean(1, 2)", NULL, "1.5"},
    {"mean([])", NULL, "null"},
    {"min([3, 1, 2])", NULL, "1"},
    {"min(3, 1, 2)", NULL, "1"},
    {"min([])", NULL, "null"},
    {"min([\"b\", \"a\"])", NULL, "\"a\""},
    {"min([1, \"a\"])", NULL, "null"},
    {"min([true])", NULL, "null"},
    {"min([1, null])", NULL, "null"},
    {"max([3, 1, 2])", NULL, "3"},
    {"max(\"a\", \"b\")", NULL, "\"b\""},
    {"max(null)", NULL, "null"},
};

static const row lists[] = {
    {"append([1], 2, [3])", NULL, "[1, 2, [3]]"},
    {"append([], null)", NULL, "[null]"},
    {"append(1, 2)", NULL, "[1, 2]"},
    {"append(null, 2)", NULL, "null"},
    {"concatenate([1, 2], [3], [])", NULL, "[1, 2, 3]"},
    {"concatenate([1], 2)", NULL, "[1, 2]"},
    {"concatenate([1], null)", NULL, "null"},
    {"list contains([1, 2], 2)", NULL, "true"},
    {"list contains([1, 2], \"2\")", NULL, "false"},
    {"list contains([1, null], null)", NULL, "true"},
    {"list contains([[1], {a: 2}], {a: 2})", NULL, "true"},
    {"list contains(null, 1)", NULL, "null"},
    {"list contains(1, 1)", NULL, "true"},
};

STF_TEST(functions_over_numbers_take_a_list_or_values)
{
    ROWS_CHECK(STF_EXPR_FEEL, numbers);
}

STF_TEST(lists_are_built_and_searched_by_value)
{
    ROWS_CHECK(STF_EXPR_FEEL, lists);
}

static const stf_test_case cases[] = {
    STF_CASE(functions_over_numbers_take_a_list_or_values),
    STF_CASE(lists_are_built_and_searched_by_value),
};

STF_TEST_MAIN("expr_builtins_list", cases)

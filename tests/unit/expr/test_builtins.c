/* SPDX-License-Identifier: Apache-2.0 */
/* The table of built-ins, arguments, and the functions on values and numbers. */
#include "expr/builtins.h"

#include "rows.h"

static const row rows[] = {
    {"is defined(x)", "{\"x\": 1}", "true"},
    {"is defined(x)", "{\"x\": false}", "true"},
    {"is defined(x)", "{\"x\": null}", "false"},
    {"is defined(x)", NULL, "false"},
    {"is defined(x.y)", "{\"x\": {}}", "false"},
    {"get value({a: 1}, \"a\")", NULL, "1"},
    {"get value({\"a b\": 1}, \"a b\")", NULL, "1"},
    {"get value({a: 1}, \"b\")", NULL, "null"},
    {"get value(null, \"b\")", NULL, "null"},
    {"get value({a: 1}, 1)", NULL, "null"},
    {"abs(-1.5)", NULL, "1.5"},
    {"abs(2)", NULL, "2"},
    {"abs(\"a\")", NULL, "null"},
    {"floor(-1.5)", NULL, "-2"},
    {"floor(1.56, 1)", NULL, "1.5"},
    {"floor(null)", NULL, "null"},
    {"ceiling(1.2)", NULL, "2"},
    {"ceiling(-1.56, 1)", NULL, "-1.5"},
    {"ceiling(1.2, 0.5)", NULL, "null"},
    {"round half up(2.5, 0)", NULL, "3"},
    {"round half up(1.125, 2)", NULL, "1.13"},
    {"round half up(\"a\", 2)", NULL, "null"},
    {"round half up(1, null)", NULL, "null"},
    {"modulo(-12, 5)", NULL, "3"},
    {"modulo(12, 0)", NULL, "null"},
    {"modulo(null, 5)", NULL, "null"},
};

STF_TEST(built_ins_on_values_and_numbers_follow_the_standard)
{
    ROWS_CHECK(STF_EXPR_FEEL, rows);
}

static const error_row errors[] = {
    {"contains(\"a\")", NULL, 1, "contains needs exactly 2 values, 1 given"},
    {"1 + abs(1, 2)", NULL, 5, "abs needs exactly 1 value, 2 given"},
    {"floor()", NULL, 1, "floor needs at least 1 value, 0 given"},
    {"substring(\"a\", 1, 2, 3)", NULL, 1, "substring needs at most 3 values, 4 given"},
    {"string  length()", NULL, 1, "string length needs exactly 1 value"},
};

STF_TEST(the_number_of_arguments_is_checked_when_compiling)
{
    ROWS_CHECK_ERRORS(STF_EXPR_FEEL, errors);
}

STF_TEST(unknown_functions_are_not_found)
{
    ck_assert_ptr_nonnull(stf__builtin_find(stf_str_of("list contains")));
    ck_assert_ptr_null(stf__builtin_find(stf_str_of("list  contains")));
    ck_assert_ptr_null(stf__builtin_find(stf_str_of("")));
}

static const stf_test_case cases[] = {
    STF_CASE(built_ins_on_values_and_numbers_follow_the_standard),
    STF_CASE(the_number_of_arguments_is_checked_when_compiling),
    STF_CASE(unknown_functions_are_not_found),
};

STF_TEST_MAIN("expr_builtins", cases)

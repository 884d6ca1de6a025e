/* SPDX-License-Identifier: Apache-2.0 */
/* FEEL's truth tables and what its operators do with every kind of value. */
#include <stdio.h>

#include "rows.h"

/* DMN 1.4 table 50: every pair of true, false and what is neither. */
STF_TEST(and_and_or_have_the_truth_tables_of_the_standard)
{
    static const char *const operands[] = {"true", "false", "null", "1", "\"x\"", "missing"};
    static const char *const and_table[3][3] = {
        {"true", "false", "null"}, {"false", "false", "false"}, {"null", "false", "null"}};
    static const char *const or_table[3][3] = {
        {"true", "true", "true"}, {"true", "false", "null"}, {"true", "null", "null"}};
    for (size_t a = 0; a < 6; a++) {
        for (size_t b = 0; b < 6; b++) {
            char text[64];
            size_t i = a < 2 ? a : 2;
            size_t j = b < 2 ? b : 2;
            (void)snprintf(text, sizeof(text), "%s and %s", operands[a], operands[b]);
            rows_check_one(STF_EXPR_FEEL, &(row){text, NULL, and_table[i][j]});
            (void)snprintf(text, sizeof(text), "%s or %s", operands[a], operands[b]);
            rows_check_one(STF_EXPR_FEEL, &(row){text, NULL, or_table[i][j]});
        }
    }
}

static const row logic[] = {
    {"not(true)", NULL, "false"},
    {"not(false)", NULL, "true"},
    {"not(null)", NULL, "null"},
    {"not(1)", NULL, "null"},
    {"true and null and false", NULL, "false"},
    {"false or null or true", NULL, "true"},
    {"true or false and false", NULL, "true"},
    {"(true or false) and false", NULL, "false"},
};

static const row equality[] = {
    {"1 = 1.0", NULL, "true"},          {"1 = 2", NULL, "false"},
    {"1 != 2", NULL, "true"},           {"1 = \"1\"", NULL, "null"},
    {"1 != \"1\"", NULL, "null"},       {"true = true", NULL, "true"},
    {"null = null", NULL, "true"},      {"null != null", NULL, "false"},
    {"1 = null", NULL, "false"},        {"1 != null", NULL, "true"},
    {"missing = null", NULL, "true"},   {"\"a\" = \"a\"", NULL, "true"},
    {"\"a\" = \"b\"", NULL, "false"},   {"[1, 2] = [1, 2]", NULL, "true"},
    {"[1, 2] = [2, 1]", NULL, "false"}, {"[1, 2] = [1]", NULL, "false"},
    {"[1] = [1, 2]", NULL, "false"},    {"{a: 1} = {a: 1, b: 2}", NULL, "false"},
    {"[1] = [\"1\"]", NULL, "false"},   {"{a: 1, b: [2]} = {b: [2], a: 1}", NULL, "true"},
    {"{a: 1} = {b: 1}", NULL, "false"}, {"[] = {}", NULL, "null"},
};

static const row order[] = {
    {"1 < 2", NULL, "true"},
    {"2 < 1", NULL, "false"},
    {"1 < 1", NULL, "false"},
    {"1 <= 1", NULL, "true"},
    {"2 > 1", NULL, "true"},
    {"1 > 2", NULL, "false"},
    {"1 >= 1", NULL, "true"},
    {"1 >= 2", NULL, "false"},
    {"-1 < 1", NULL, "true"},
    {"\"a\" < \"b\"", NULL, "true"},
    {"\"b\" <= \"a\"", NULL, "false"},
    {"\"a\" < \"aa\"", NULL, "true"},
    {"\"Z\" < \"\xC3\xA9\"", NULL, "true"},
    {"1 < \"2\"", NULL, "null"},
    {"null < 1", NULL, "null"},
    {"true < false", NULL, "null"},
    {"[1] < [2]", NULL, "null"},
};

static const row arithmetic[] = {
    {"0.1 + 0.2 = 0.3", NULL, "true"},
    {"1 + 2 * 3", NULL, "7"},
    {"(1 + 2) * 3", NULL, "9"},
    {"10 - 4 - 3", NULL, "3"},
    {"24 / 4 / 3", NULL, "2"},
    {"2 ** 3 ** 2", NULL, "64"},
    {"-2 ** 2", NULL, "4"},
    {"2 ** -1", NULL, "0.5"},
    {"- -3", NULL, "3"},
    {"1 - -3", NULL, "4"},
    {"-x", "{\"x\": 5}", "-5"},
    {"-\"a\"", NULL, "null"},
    {"1 / 0", NULL, "null"},
    {"1 + null", NULL, "null"},
    {"1 + missing", NULL, "null"},
    {"1 + \"2\"", NULL, "null"},
    {"\"a\" + \"b\" + \"c\"", NULL, "\"abc\""},
    {"\"a\" + 1", NULL, "null"},
    {"\"a\" - \"b\"", NULL, "null"},
    {"true + true", NULL, "null"},
    {"9e6144 * 10", NULL, "null"},
    {"1e400 / 1e399", NULL, "10"},
    {"x * 1.19", "{\"x\": 19.99}", "23.7881"},
};

STF_TEST(logic_reads_and_before_or)
{
    ROWS_CHECK(STF_EXPR_FEEL, logic);
}

STF_TEST(equality_is_deep_and_null_between_kinds)
{
    ROWS_CHECK(STF_EXPR_FEEL, equality);
}

STF_TEST(only_two_numbers_or_two_texts_have_an_order)
{
    ROWS_CHECK(STF_EXPR_FEEL, order);
}

STF_TEST(arithmetic_without_a_result_is_null)
{
    ROWS_CHECK(STF_EXPR_FEEL, arithmetic);
}

static const stf_test_case cases[] = {
    STF_CASE(and_and_or_have_the_truth_tables_of_the_standard),
    STF_CASE(logic_reads_and_before_or),
    STF_CASE(equality_is_deep_and_null_between_kinds),
    STF_CASE(only_two_numbers_or_two_texts_have_an_order),
    STF_CASE(arithmetic_without_a_result_is_null),
};

STF_TEST_MAIN("expr_operators", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* JUEL's conversions and its errors. */
#include "rows.h"

static const row equality[] = {
    {"${status == 'x'}", "{\"status\": \"x\"}", "true"},
    {"${status != 'x'}", "{\"status\": \"y\"}", "true"},
    {"${x == 5}", "{\"x\": \"5\"}", "true"},
    {"${x == 5}", "{\"x\": \"5.0\"}", "true"},
    {"${x == 5}", "{\"x\": \"five\"}", "false"},
    {"${x == 0}", "{\"x\": \"\"}", "false"},
    {"${x == 'true'}", "{\"x\": true}", "true"},
    {"${x == 'TRUE'}", "{\"x\": true}", "true"},
    {"${x == 'yes'}", "{\"x\": true}", "false"},
    {"${x == 1}", "{\"x\": true}", "false"},
    {"${x == null}", "{\"x\": null}", "true"},
    {"${x == null}", "{\"x\": 0}", "false"},
    {"${x != null}", "{\"x\": 0}", "true"},
    {"${x == y}", "{\"x\": [1, {\"a\": 2}], \"y\": [1, {\"a\": 2}]}", "true"},
    {"${x == y}", "{\"x\": [1], \"y\": {\"a\": 1}}", "false"},
    {"${1 == 1 == true}", NULL, "true"},
};

static const row order[] = {
    {"${x > 100}", "{\"x\": 101}", "true"},
    {"${x >= 100}", "{\"x\": \"100\"}", "true"},
    {"${x < 9}", "{\"x\": \"10\"}", "false"},
    {"${'10' < '9'}", NULL, "true"},
    {"${1 < null}", NULL, "false"},
    {"${null <= null}", NULL, "true"},
    {"${null >= 1}", NULL, "false"},
    {"${1 lt 2 and 2 le 2 and 3 gt 2 and 3 ge 3}", NULL, "true"},
    {"${1 eq 1 and 1 ne 2}", NULL, "true"},
};

static const row arithmetic[] = {
    {"${1 + 2 * 3}", NULL, "7"},       {"${'1' + 2}", NULL, "3"},     {"${'1' + '2'}", NULL, "3"},
    {"${null + 2}", NULL, "2"},        {"${'' + 2}", NULL, "2"},      {"${5 / 2}", NULL, "2.5"},
    {"${5 div 2}", NULL, "2.5"},       {"${-7 % 3}", NULL, "-1"},     {"${7 mod 3}", NULL, "1"},
    {"${-x}", "{\"x\": \"4\"}", "-4"}, {"${0.1 + 0.2}", NULL, "0.3"},
};

static const row logic[] = {
    {"${!approved}", "{\"approved\": false}", "true"},
    {"${not approved}", "{\"approved\": \"true\"}", "false"},
    {"${!approved}", "{\"approved\": null}", "true"},
    {"${a && b}", "{\"a\": true, \"b\": false}", "false"},
    {"${a || b}", "{\"a\": true, \"b\": false}", "true"},
    {"${false && missing}", NULL, "false"},
    {"${true || missing}", NULL, "true"},
    {"${true || true && false}", NULL, "true"},
    {"${!true || true}", NULL, "true"},
    {"${a ? 'yes' : 'no'}", "{\"a\": true}", "\"yes\""},
    {"${a > 1 ? b > 1 ? 1 : 2 : 3}", "{\"a\": 2, \"b\": 0}", "2"},
    {"${null ? 1 : 2}", NULL, "2"},
};

static const error_row errors[] = {
    {"${1 + 'a'}", NULL, 5, "the text \"a\" is none"},
    {"${1 + true}", NULL, 5, "a number is needed here, not a boolean"},
    {"${x < 1}", "{\"x\": [1]}", 5, "not a list"},
    {"${x < 1}", "{\"x\": \"a\"}", 5, "a number is needed here"},
    {"${-x}", "{\"x\": {}}", 3, "not a context"},
    {"${1 / 0}", NULL, 5, "division by zero"},
    {"${1 % 0}", NULL, 5, "division by zero"},
    {"${9e6144 * 10}", NULL, 10, "the result of * is too large"},
    {"${1 && true}", NULL, 3, "true or false is needed here, not a number"},
    {"${!x}", "{\"x\": [1]}", 4, "not a list"},
    {"${x ? 1 : 2}", "{\"x\": 1}", 3, "true or false is needed"},
};

STF_TEST(equality_converts_numeric_and_boolean_texts)
{
    ROWS_CHECK(STF_EXPR_JUEL, equality);
}

STF_TEST(order_is_by_number_when_a_side_is_one)
{
    ROWS_CHECK(STF_EXPR_JUEL, order);
}

STF_TEST(arithmetic_converts_numeric_texts)
{
    ROWS_CHECK(STF_EXPR_JUEL, arithmetic);
}

STF_TEST(logic_stops_at_the_first_decision)
{
    ROWS_CHECK(STF_EXPR_JUEL, logic);
}

STF_TEST(what_has_no_meaning_is_an_error_at_the_operator)
{
    ROWS_CHECK_ERRORS(STF_EXPR_JUEL, errors);
}

static const stf_test_case cases[] = {
    STF_CASE(equality_converts_numeric_and_boolean_texts),
    STF_CASE(order_is_by_number_when_a_side_is_one),
    STF_CASE(arithmetic_converts_numeric_texts),
    STF_CASE(logic_stops_at_the_first_decision),
    STF_CASE(what_has_no_meaning_is_an_error_at_the_operator),
};

STF_TEST_MAIN("expr_operators_juel", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* Built-ins on texts. */
#include "rows.h"

static const row search[] = {
    {"contains(\"foobar\", \"ob\")", NULL, "true"},
    {"contains(\"foobar\", \"of\")", NULL, "false"},
    {"contains(\"foobar\", \"\")", NULL, "true"},
    {"contains(\"\", \"a\")", NULL, "false"},
    {"contains(null, \"a\")", NULL, "null"},
    {"contains(\"a\", 1)", NULL, "null"},
    {"starts with(\"foobar\", \"fo\")", NULL, "true"},
    {"starts with(\"foobar\", \"bar\")", NULL, "false"},
    {"starts with(\"fo\", \"foo\")", NULL, "false"},
    {"starts with(\"\", \"\")", NULL, "true"},
    {"starts with(1, \"\")", NULL, "null"},
    {"ends with(\"foobar\", \"bar\")", NULL, "true"},
    {"ends with(\"foobar\", \"foo\")", NULL, "false"},
    {"ends with(\"foobar\", null)", NULL, "null"},
};

static const row pieces[] = {
    {"string length(\"foo\")", NULL, "3"},
    {"string length(\"\\uD83D\\uDC0Eab\")", NULL, "3"},
    {"string length(\"\")", NULL, "0"},
    {"string length(12)", NULL, "null"},
    {"substring(\"foobar\", 3)", NULL, "\"obar\""},
    {"substring(\"foobar\", 3, 3)", NULL, "\"oba\""},
    {"substring(\"foobar\", -2, 1)", NULL, "\"a\""},
    {"substring(\"foobar\", 6, 10)", NULL, "\"r\""},
    {"substring(\"\\uD83D\\uDC0Eab\", 2)", NULL, "\"ab\""},
    {"substring(\"foobar\", 0)", NULL, "null"},
    {"substring(\"foobar\", 7)", NULL, "null"},
    {"substring(\"foobar\", -7)", NULL, "null"},
    {"substring(\"foobar\", 1, 0)", NULL, "null"},
    {"substring(\"foobar\", 1.5)", NULL, "null"},
    {"substring(123, 1)", NULL, "null"},
    {"upper case(\"aBc4\xC3\xA9\xC3\x9F\")", NULL, "\"ABC4\xC3\x89\xC3\x9F\""},
    {"lower case(\"aBC4\xC3\x89\xD0\x94\")", NULL, "\"abc4\xC3\xA9\xD0\xB4\""},
    {"upper case(1)", NULL, "null"},
    {"lower case(null)", NULL, "null"},
};

static const row conversions[] = {
    {"string(\"a\")", NULL, "\"a\""},
    {"string(1.50)", NULL, "\"1.5\""},
    {"string(true)", NULL, "\"true\""},
    {"string(null)", NULL, "null"},
    {"string([1, \"a\", {b: null}])", NULL, "\"[1,\\\"a\\\",{\\\"b\\\":null}]\""},
    {"number(\"1.50\")", NULL, "1.5"},
    {"number(\"-1e3\")", NULL, "-1000"},
    {"number(\"1,5\")", NULL, "null"},
    {"number(\"\")", NULL, "null"},
    {"number(12)", NULL, "null"},
};

STF_TEST(searches_in_texts_follow_the_standard)
{
    ROWS_CHECK(STF_EXPR_FEEL, search);
}

STF_TEST(lengths_and_pieces_count_characters)
{
    ROWS_CHECK(STF_EXPR_FEEL, pieces);
}

STF_TEST(conversions_give_null_for_what_they_cannot_convert)
{
    ROWS_CHECK(STF_EXPR_FEEL, conversions);
}

static const stf_test_case cases[] = {
    STF_CASE(searches_in_texts_follow_the_standard),
    STF_CASE(lengths_and_pieces_count_characters),
    STF_CASE(conversions_give_null_for_what_they_cannot_convert),
};

STF_TEST_MAIN("expr_builtins_text", cases)

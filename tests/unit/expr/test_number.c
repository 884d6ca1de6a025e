/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal arithmetic: exact, canonical, and false where there is no number. */
#include "expr/number.h"

#include "support/stf_test.h"

typedef bool (*binary)(stf_decimal a, stf_decimal b, stf_decimal *ret_number);

typedef struct sum {
    binary call;
    const char *a;
    const char *b;
    const char *expected; /* NULL: no number */
} sum;

#define NINES "9999999999999999999999999999999999"

static const sum sums[] = {
    {stf__number_add, "0.1", "0.2", "0.3"},
    {stf__number_add, "1.10", "2.20", "3.3"},
    {stf__number_add, NINES, "1", "1e34"},
    {stf__number_add, NINES, "0.5", "1e34"}, /* half to even */
    {stf__number_add, NINES, "0.4", NINES},
    {stf__number_add, "9e6144", "9e6144", NULL},
    {stf__number_subtract, "0.3", "0.1", "0.2"},
    {stf__number_subtract, "5", "5", "0"},
    {stf__number_subtract, "0", "0", "0"},
    {stf__number_multiply, "1.1", "1.1", "1.21"},
    {stf__number_multiply, "-1", "0", "0"},
    {stf__number_multiply, "1e4000", "1e4000", NULL},
    {stf__number_multiply, "1e-4000", "1e-4000", "0"},
    {stf__number_divide, "1", "3", "0.3333333333333333333333333333333333"},
    {stf__number_divide, "2", "3", "0.6666666666666666666666666666666667"},
    {stf__number_divide, "10", "4", "2.5"},
    {stf__number_divide, "1", "0", NULL},
    {stf__number_divide, "0", "0", NULL},
    {stf__number_power, "2", "10", "1024"},
    {stf__number_power, "2", "-2", "0.25"},
    {stf__number_power, "10", "33", "1e33"},
    {stf__number_power, "1.01", "3", "1.030301"},
    {stf__number_power, "2", "112", "5192296858534827628530496329220096"},
    {stf__number_power, "-2", "3", "-8"},
    {stf__number_power, "0", "0", "1"},
    {stf__number_power, "0", "-1", NULL},
    {stf__number_power, "4", "0.5", "2"},
    {stf__number_power, "-4", "0.5", NULL},
    {stf__number_power, "10", "7000", NULL},
    {stf__number_power, "10", "9223372036854775807", NULL},
    {stf__number_power, "1", "9223372036854775807", "1"},
    {stf__number_power, "10", "-9223372036854775808", "0"},
    {stf__number_remainder, "7", "3", "1"},
    {stf__number_remainder, "-7", "3", "-1"},
    {stf__number_remainder, "7", "-3", "1"},
    {stf__number_remainder, "5.5", "2", "1.5"},
    {stf__number_remainder, "1", "0", NULL},
    {stf__number_modulo, "12", "5", "2"},
    {stf__number_modulo, "-12", "5", "3"},
    {stf__number_modulo, "12", "-5", "-3"},
    {stf__number_modulo, "-12", "-5", "-2"},
    {stf__number_modulo, "10.1", "4.5", "1.1"},
    {stf__number_modulo, "-10", "5", "0"},
    {stf__number_modulo, "1e30", "7", "1"},
    {stf__number_modulo, "1", "0", NULL},
};

static stf_decimal decimal_of(const char *text)
{
    stf_error error = STF_ERROR_INIT;
    stf_decimal number;
    STF_CHECK_OK(stf_decimal_parse(stf_str_of(text), &number, &error), &error);
    return number;
}

/* Equal bytes, not only equal numbers: results must be canonical. */
static bool is_same(stf_decimal a, stf_decimal b)
{
    return a.low == b.low && a.high == b.high;
}

STF_TEST(arithmetic_is_exact_to_34_digits_and_its_results_are_canonical)
{
    for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++) {
        const sum *test = &sums[i];
        stf_decimal before = {42, 42};
        stf_decimal result = before;
        bool is_number = test->call(decimal_of(test->a), decimal_of(test->b), &result);
        ck_assert_msg(is_number == (test->expected != NULL), "%s, %s: a number? %d", test->a,
                      test->b, is_number);
        stf_decimal expected = test->expected != NULL ? decimal_of(test->expected) : before;
        char text[STF_DECIMAL_TEXT_BYTES];
        stf_decimal_format(result, text);
        ck_assert_msg(is_same(result, expected), "%s, %s: %s instead of %s", test->a, test->b, text,
                      test->expected != NULL ? test->expected : "untouched");
    }
}

STF_TEST(negation_and_absolute_value_know_one_zero)
{
    ck_assert(is_same(stf__number_negate(decimal_of("0")), decimal_of("0")));
    ck_assert(is_same(stf__number_negate(decimal_of("1.5")), decimal_of("-1.5")));
    ck_assert(is_same(stf__number_negate(decimal_of("-" NINES)), decimal_of(NINES)));
    ck_assert(is_same(stf__number_abs(decimal_of("-1.5")), decimal_of("1.5")));
    ck_assert(is_same(stf__number_abs(decimal_of("0")), decimal_of("0")));
}

STF_TEST(rounding_follows_its_mode_at_any_scale)
{
    static const struct {
        const char *number;
        int64_t scale;
        stf__rounding rounding;
        const char *expected;
    } rows[] = {
        {"1.5", 0, STF__ROUND_DOWN, "1"},         {"-1.5", 0, STF__ROUND_DOWN, "-2"},
        {"1.2", 0, STF__ROUND_UP, "2"},           {"-1.2", 0, STF__ROUND_UP, "-1"},
        {"-0.4", 0, STF__ROUND_UP, "0"},          {"2.5", 0, STF__ROUND_HALF_UP, "3"},
        {"-2.5", 0, STF__ROUND_HALF_UP, "-3"},    {"2.4999", 0, STF__ROUND_HALF_UP, "2"},
        {"1.125", 2, STF__ROUND_HALF_UP, "1.13"}, {"1234", -2, STF__ROUND_DOWN, "1200"},
        {"1250", -2, STF__ROUND_HALF_UP, "1300"}, {"7", -2, STF__ROUND_DOWN, "0"},
        {"1e300", 2, STF__ROUND_DOWN, "1e300"},   {NINES, 10, STF__ROUND_UP, NINES},
        {"1.5", 7000, STF__ROUND_UP, NULL},       {"1.5", -7000, STF__ROUND_UP, NULL},
        {"1.5", INT64_MIN, STF__ROUND_UP, NULL},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        stf_decimal result = {0, 0};
        bool is_number =
            stf__number_round(decimal_of(rows[i].number), rows[i].scale, rows[i].rounding, &result);
        ck_assert_msg(is_number == (rows[i].expected != NULL), "%s", rows[i].number);
        ck_assert_msg(!is_number || is_same(result, decimal_of(rows[i].expected)),
                      "%s to %lld digits", rows[i].number, (long long)rows[i].scale);
    }
}

static const stf_test_case cases[] = {
    STF_CASE(arithmetic_is_exact_to_34_digits_and_its_results_are_canonical),
    STF_CASE(negation_and_absolute_value_know_one_zero),
    STF_CASE(rounding_follows_its_mode_at_any_scale),
};

STF_TEST_MAIN("expr_number", cases)

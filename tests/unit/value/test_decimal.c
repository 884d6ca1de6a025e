/* SPDX-License-Identifier: Apache-2.0 */
/* The decimal encoding, compared with Intel's library, which has the same layout. */
#define DECIMAL_CALL_BY_REFERENCE 0
#define DECIMAL_GLOBAL_ROUNDING 0
#define DECIMAL_GLOBAL_EXCEPTION_FLAGS 0
#include "value/decimal.h"

#include <bid_conf.h>
#include <bid_functions.h>

#include "base/mem.h"
#include "unit/value/gen.h"

static BID_UINT128 to_bid(stf_decimal number)
{
    return (BID_UINT128){.w = {number.low, number.high}};
}

static stf_decimal from_bid(BID_UINT128 number)
{
    return (stf_decimal){number.w[0], number.w[1]};
}

static BID_UINT128 bid_of(const char *text)
{
    _IDEC_flags flags = 0;
    char room[100];
    snprintf(room, sizeof(room), "%s", text);
    return bid128_from_string(room, BID_ROUNDING_TO_NEAREST, &flags);
}

static bool is_same(stf_decimal a, stf_decimal b)
{
    return a.low == b.low && a.high == b.high;
}

static stf_decimal number_of(const char *text)
{
    stf_error error = STF_ERROR_INIT;
    stf_decimal number = {0, 0};
    STF_CHECK_OK(stf_decimal_parse(stf_str_of(text), &number, &error), &error);
    return number;
}

STF_TEST(intel_reads_the_same_number_from_the_same_text)
{
    gen random = gen_start();
    for (int i = 0; i < 20000; i++) {
        char text[80];
        stf_decimal ours;
        gen_number_text(&random, text);
        if (stf_decimal_parse(stf_str_of(text), &ours, NULL) != STF_OK) {
            continue;
        }
        BID_UINT128 theirs = bid_of(text);
        _IDEC_flags flags = 0;
        ck_assert_msg(bid128_quiet_equal(to_bid(ours), theirs, &flags), "%s", text);
        ck_assert_msg(is_same(stf__decimal_canonical(from_bid(theirs)), ours), "%s", text);
    }
}

STF_TEST(every_encoding_of_a_number_becomes_the_same_canonical_one)
{
    gen random = gen_start();
    for (int i = 0; i < 5000; i++) {
        stf_decimal number = gen_number(&random);
        REQUIRE(is_same(stf__decimal_canonical(number), number));
        stf__decimal_parts parts = stf__decimal_split(number);
        while (parts.coefficient < stf__decimal_power_of_ten(33) &&
               parts.exponent > STF__DECIMAL_EXPONENT_MIN) {
            parts.coefficient *= 10;
            parts.exponent--;
            REQUIRE(is_same(stf__decimal_join(parts), number));
        }
        while (parts.coefficient % 10 == 0 && parts.exponent < STF__DECIMAL_EXPONENT_MAX) {
            parts.coefficient /= 10;
            parts.exponent++;
            REQUIRE(is_same(stf__decimal_join(parts), number));
        }
    }
}

STF_TEST(zero_has_one_form_whatever_its_sign_and_exponent)
{
    static const char *const zeros[] = {"0", "-0", "0.000", "0e99999", "-0e-99999", "000"};
    stf_decimal zero = stf_decimal_from_int(0);
    ck_assert_uint_eq(zero.low, 0);
    ck_assert_uint_eq(zero.high, UINT64_C(0x3040000000000000));
    for (size_t i = 0; i < STF_COUNT_OF(zeros); i++) {
        ck_assert_msg(is_same(number_of(zeros[i]), zero), "%s", zeros[i]);
    }
    ck_assert(is_same(stf__decimal_canonical(from_bid(bid_of("-0e77"))), zero));
    /* A coefficient of more than 34 digits counts as 0. */
    ck_assert(is_same(
        stf__decimal_canonical((stf_decimal){UINT64_MAX, UINT64_C(0x3041ffffffffffff)}), zero));
    ck_assert(
        is_same(stf__decimal_canonical((stf_decimal){1, UINT64_C(0x6000000000000001)}), zero));
}

STF_TEST(whole_numbers_of_34_digits_have_exponent_0_and_larger_ones_the_shortest_coefficient)
{
    static const struct {
        const char *text;
        int32_t exponent;
    } forms[] = {
        {"1e33", 0},
        {"9999999999999999999999999999999999", 0},
        {"1e34", 34},
        {"12e40", 40},
        {"1200000000000000000000000000000000e2", 34},
        {"1e6111", 6111},
        {"1e6144", 6111},
        {"9999999999999999999999999999999999e6111", 6111},
        {"1.50", -1},
        {"1e-6176", -6176},
        {"10e-6176", -6175},
        {"100.00", 0},
    };
    for (size_t i = 0; i < STF_COUNT_OF(forms); i++) {
        stf_decimal number = number_of(forms[i].text);
        ck_assert_int_eq(stf__decimal_split(number).exponent, forms[i].exponent);
        _IDEC_flags flags = 0;
        ck_assert(bid128_quiet_equal(to_bid(number), bid_of(forms[i].text), &flags));
    }
}

STF_TEST(infinities_and_nans_are_not_finite)
{
    ck_assert(!stf__decimal_is_finite(from_bid(bid_of("inf"))));
    ck_assert(!stf__decimal_is_finite(from_bid(bid_of("-inf"))));
    ck_assert(!stf__decimal_is_finite(from_bid(bid_of("nan"))));
    ck_assert(!stf__decimal_is_finite(from_bid(bid_of("snan"))));
    ck_assert(stf__decimal_is_finite(number_of("9999999999999999999999999999999999e6111")));
    ck_assert(stf__decimal_is_finite(number_of("-1e-6176")));
}

STF_TEST(int64_goes_there_and_back)
{
    static const int64_t numbers[] = {
        0, 1, -1, 10, -100, INT64_MAX, INT64_MIN, INT64_MIN + 1, 123456789};
    for (size_t i = 0; i < STF_COUNT_OF(numbers); i++) {
        int64_t back = 7;
        char text[24];
        snprintf(text, sizeof(text), "%" PRId64, numbers[i]);
        ck_assert(is_same(stf_decimal_from_int(numbers[i]), number_of(text)));
        ck_assert(stf_decimal_to_int(stf_decimal_from_int(numbers[i]), &back));
        ck_assert_int_eq(back, numbers[i]);
    }
}

STF_TEST(what_is_not_an_int64_is_no_int)
{
    static const char *const others[] = {
        "0.5",   "9223372036854775808", "-9223372036854775809", "1e40",
        "1e-20", "18446744073709551616"};
    int64_t number = 7;
    for (size_t i = 0; i < STF_COUNT_OF(others); i++) {
        ck_assert_msg(!stf_decimal_to_int(number_of(others[i]), &number), "%s", others[i]);
    }
    ck_assert(!stf_decimal_to_int(from_bid(bid_of("inf")), &number));
    ck_assert_int_eq(number, 7);
    ck_assert(stf_decimal_to_int(from_bid(bid_of("12.0e1")), &number)); /* not canonical */
    ck_assert_int_eq(number, 120);
}

STF_TEST(order_is_that_of_the_numbers)
{
    static const char *const ascending[] = {
        "-9e6144", "-1e35", "-12",      "-1.5", "-1.49",
        "-1",      "-0.1",  "-1e-6176", "0",    "1e-6176",
        "2e-6176", "0.1",   "0.11",     "1",    "1.000000000000000000000000000000001",
        "9",       "10",    "1e33",     "1e34", "9999999999999999999999999999999999e1",
        "1e6144",
    };
    for (size_t i = 0; i < STF_COUNT_OF(ascending); i++) {
        for (size_t j = 0; j < STF_COUNT_OF(ascending); j++) {
            int order = stf_decimal_compare(number_of(ascending[i]), number_of(ascending[j]));
            ck_assert_int_eq(order, (i > j) - (i < j));
        }
    }
    /* Forms that are not canonical have their order as well. */
    ck_assert_int_eq(stf_decimal_compare(from_bid(bid_of("-0e7")), number_of("0")), 0);
    ck_assert_int_eq(stf_decimal_compare(from_bid(bid_of("1.000")), number_of("1")), 0);
    ck_assert_int_eq(stf_decimal_compare(from_bid(bid_of("-0e7")), number_of("-1e-6176")), 1);
}

STF_TEST(order_agrees_with_intel)
{
    gen random = gen_start();
    for (int i = 0; i < 20000; i++) {
        stf_decimal a = gen_number(&random);
        stf_decimal b = gen_below(&random, 10) == 0 ? a : gen_number(&random);
        _IDEC_flags flags = 0;
        int theirs = bid128_quiet_greater(to_bid(a), to_bid(b), &flags) -
                     bid128_quiet_less(to_bid(a), to_bid(b), &flags);
        ck_assert_int_eq(stf_decimal_compare(a, b), theirs);
    }
}

STF_TEST(digits_are_counted_at_every_power_of_ten)
{
    ck_assert_int_eq(stf__decimal_count_digits(0), 1);
    for (int32_t power = 1; power < 38; power++) {
        stf__u128 number = stf__decimal_power_of_ten(power);
        ck_assert_int_eq(stf__decimal_count_digits(number - 1), power);
        ck_assert_int_eq(stf__decimal_count_digits(number), power + 1);
        ck_assert(number == stf__decimal_power_of_ten(power - 1) * 10);
    }
}

static const stf_test_case cases[] = {
    STF_CASE(intel_reads_the_same_number_from_the_same_text),
    STF_CASE(every_encoding_of_a_number_becomes_the_same_canonical_one),
    STF_CASE(zero_has_one_form_whatever_its_sign_and_exponent),
    STF_CASE(whole_numbers_of_34_digits_have_exponent_0_and_larger_ones_the_shortest_coefficient),
    STF_CASE(infinities_and_nans_are_not_finite),
    STF_CASE(int64_goes_there_and_back),
    STF_CASE(what_is_not_an_int64_is_no_int),
    STF_CASE(order_is_that_of_the_numbers),
    STF_CASE(order_agrees_with_intel),
    STF_CASE(digits_are_counted_at_every_power_of_ten),
};

STF_TEST_MAIN("value/decimal", cases)

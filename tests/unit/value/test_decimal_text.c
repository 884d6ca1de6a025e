/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as text: exact both ways, never rounded. */
#include "base/mem.h"
#include "unit/value/gen.h"

static void check_text(const char *text, const char *expected)
{
    stf_error error = STF_ERROR_INIT;
    stf_decimal number;
    char back[STF_DECIMAL_TEXT_BYTES];
    STF_CHECK_OK(stf_decimal_parse(stf_str_of(text), &number, &error), &error);
    stf_decimal_format(number, back);
    ck_assert_msg(strcmp(back, expected) == 0, "%s: %s instead of %s", text, back, expected);
}

STF_TEST(numbers_are_written_plainly_up_to_40_characters)
{
    check_text("0", "0");
    check_text("-0.0", "0");
    check_text("007", "7");
    check_text("-12.50", "-12.5");
    check_text(".5", "0.5");
    check_text("1E3", "1000");
    check_text("1.5e+1", "15");
    check_text("1e-5", "0.00001");
    check_text("120e-4", "0.012");
    check_text("1234567890123456789012345678901234", "1234567890123456789012345678901234");
    check_text("0.1234567890123456789012345678901234", "0.1234567890123456789012345678901234");
    check_text("1e39", "1000000000000000000000000000000000000000");
    check_text("1e40", "1e+40");
    check_text("-1e38", "-100000000000000000000000000000000000000");
    check_text("-1e39", "-1e+39");
    check_text("1e-38", "0.00000000000000000000000000000000000001");
    check_text("1e-39", "1e-39");
    check_text("-1e-38", "-1e-38");
}

STF_TEST(the_rest_is_written_with_an_exponent)
{
    check_text("15e299", "1.5e+300");
    check_text("1e400", "1e+400");
    check_text("-1234567890123456789012345678901234e-6176",
               "-1.234567890123456789012345678901234e-6143");
    check_text("9999999999999999999999999999999999e6111",
               "9.999999999999999999999999999999999e+6144");
    check_text("1e-6176", "1e-6176");
}

STF_TEST(zeros_are_not_significant_however_many_there_are)
{
    char text[3000];
    memset(text, '0', sizeof(text));
    memcpy(text + 1000, "1234567890123456789012345678901234", 34);
    memcpy(text + 2000, "e-966", 6);
    check_text(text, "1234567890123456789012345678901234");
    memset(text, '0', sizeof(text));
    text[1] = '.';
    memcpy(text + 2500, "1e2499", 7);
    check_text(text, "1");
}

STF_TEST(more_than_34_significant_digits_exceed_the_limit)
{
    static const char *const large[] = {
        "12345678901234567890123456789012345",
        "1.2345678901234567890123456789012345",
        "0.00012345678901234567890123456789012345",
        "10000000000000000000000000000000001e-3",
        "1.00000000000000000000000000000000000000000000000000000000000000000000000001",
    };
    for (size_t i = 0; i < STF_COUNT_OF(large); i++) {
        stf_error error = STF_ERROR_INIT;
        stf_decimal number = {7, 7};
        STF_CHECK_STATUS(stf_decimal_parse(stf_str_of(large[i]), &number, &error),
                         STF_LIMIT_EXCEEDED, &error);
        ck_assert_uint_eq(number.low, 7);
        ck_assert_ptr_nonnull(strstr(error.message, "34"));
    }
}

STF_TEST(an_exponent_out_of_range_exceeds_the_limit)
{
    static const char *const far[] = {"1e6145",
                                      "1e-6177",
                                      "1e99999999999999999999",
                                      "-1e-99999999999999999999",
                                      "12e6144",
                                      "1234567890123456789012345678901234e6112",
                                      "1.5e-6176"};
    for (size_t i = 0; i < STF_COUNT_OF(far); i++) {
        stf_error error = STF_ERROR_INIT;
        stf_decimal number = {7, 7};
        STF_CHECK_STATUS(stf_decimal_parse(stf_str_of(far[i]), &number, &error), STF_LIMIT_EXCEEDED,
                         &error);
        ck_assert_uint_eq(number.low, 7);
    }
}

STF_TEST(what_is_not_a_number_is_refused_with_its_text)
{
    static const char *const bad[] = {"",    "-",     "+1",   "1.",  ".",     "e5",  "1e",
                                      "1e+", "1e-",   "1.e5", "1,5", "1 ",    " 1",  "0x1",
                                      "--1", "1.2.3", "inf",  "nan", "1e5.5", "1_0", "1e+-1"};
    for (size_t i = 0; i < STF_COUNT_OF(bad); i++) {
        stf_error error = STF_ERROR_INIT;
        stf_decimal number = {7, 7};
        STF_CHECK_STATUS(stf_decimal_parse(stf_str_of(bad[i]), &number, &error), STF_PARSE, &error);
        ck_assert_uint_eq(number.low, 7);
        ck_assert_ptr_nonnull(strstr(error.message, bad[i]));
    }
    stf_decimal number;
    ck_assert_int_eq(stf_decimal_parse((stf_str){NULL, 0}, &number, NULL), STF_PARSE);
    ck_assert_int_eq(stf_decimal_parse((stf_str){"1\0", 2}, &number, NULL), STF_PARSE);
}

STF_TEST(every_number_comes_back_from_its_text)
{
    gen random = gen_start();
    for (int i = 0; i < 30000; i++) {
        char text[STF_DECIMAL_TEXT_BYTES];
        stf_decimal number = gen_number(&random);
        stf_decimal back;
        stf_decimal_format(number, text);
        ck_assert_uint_le(strlen(text), 42);
        ck_assert_int_eq(stf_decimal_parse(stf_str_of(text), &back, NULL), STF_OK);
        ck_assert_msg(back.low == number.low && back.high == number.high, "%s", text);
    }
}

static const stf_test_case cases[] = {
    STF_CASE(numbers_are_written_plainly_up_to_40_characters),
    STF_CASE(the_rest_is_written_with_an_exponent),
    STF_CASE(zeros_are_not_significant_however_many_there_are),
    STF_CASE(more_than_34_significant_digits_exceed_the_limit),
    STF_CASE(an_exponent_out_of_range_exceeds_the_limit),
    STF_CASE(what_is_not_a_number_is_refused_with_its_text),
    STF_CASE(every_number_comes_back_from_its_text),
};

STF_TEST_MAIN("value/decimal_text", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* Wall times as text and back. */
#include "support/stf_test.h"

#include <stepfast/clock.h>

static void check_text(int64_t us, const char *expected)
{
    char text[STF_WALL_TEXT_BYTES];
    stf_error error = STF_ERROR_INIT;
    stf_wall back;
    stf_wall_format((stf_wall){us}, text);
    ck_assert_str_eq(text, expected);
    STF_CHECK_OK(stf_wall_parse(stf_str_of(text), &back, &error), &error);
    ck_assert_int_eq(back.us, us);
}

STF_TEST(known_times_have_their_text_and_come_back)
{
    check_text(0, "1970-01-01T00:00:00Z");
    check_text(-1, "1969-12-31T23:59:59.999999Z");
    check_text(1, "1970-01-01T00:00:00.000001Z");
    check_text(INT64_C(1767225600000000), "2026-01-01T00:00:00Z");
    check_text(INT64_C(1709210096500000), "2024-02-29T12:34:56.500000Z");
    check_text(INT64_C(-62135596800000000), "0001-01-01T00:00:00Z");
    check_text(INT64_C(253402300799999999), "9999-12-31T23:59:59.999999Z");
}

STF_TEST(years_outside_four_digits_are_clamped)
{
    char text[STF_WALL_TEXT_BYTES];
    stf_wall_format((stf_wall){INT64_MIN}, text);
    ck_assert_str_eq(text, "0001-01-01T00:00:00Z");
    stf_wall_format((stf_wall){INT64_MAX}, text);
    ck_assert_str_eq(text, "9999-12-31T23:59:59.999999Z");
}

STF_TEST(random_times_come_back)
{
    uint64_t state = 88172645463325252u;
    for (int i = 0; i < 20000; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        int64_t us = (int64_t)(state % UINT64_C(315537897600000000)) - INT64_C(62135596800000000);
        char text[STF_WALL_TEXT_BYTES];
        stf_wall back;
        stf_wall_format((stf_wall){us}, text);
        if (stf_wall_parse(stf_str_of(text), &back, NULL) != STF_OK || back.us != us) {
            ck_abort_msg("%s", text);
        }
    }
}

STF_TEST(a_failed_parse_leaves_the_output_alone)
{
    stf_error error = STF_ERROR_INIT;
    stf_wall time = {7};
    STF_CHECK_STATUS(stf_wall_parse(stf_str_of("2026-01-01"), &time, &error), STF_PARSE, &error);
    ck_assert_int_eq(time.us, 7);
}

static const stf_test_case cases[] = {
    STF_CASE(known_times_have_their_text_and_come_back),
    STF_CASE(years_outside_four_digits_are_clamped),
    STF_CASE(random_times_come_back),
    STF_CASE(a_failed_parse_leaves_the_output_alone),
};

STF_TEST_MAIN("base/wall", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* Day numbers and dates, counted day by day. */
#include "base/calendar.h"
#include "support/stf_test.h"

STF_TEST(division_rounds_down)
{
    ck_assert_int_eq(stf__floor_div(7, 3), 2);
    ck_assert_int_eq(stf__floor_div(-7, 3), -3);
    ck_assert_int_eq(stf__floor_div(-6, 3), -2);
    ck_assert_int_eq(stf__floor_div(0, 3), 0);
    ck_assert_int_eq(stf__floor_div(INT64_MIN, 2), INT64_MIN / 2);
}

STF_TEST(february_has_29_days_in_leap_years)
{
    ck_assert_int_eq(stf__calendar_days_in_month(2024, 2), 29);
    ck_assert_int_eq(stf__calendar_days_in_month(2023, 2), 28);
    ck_assert_int_eq(stf__calendar_days_in_month(1900, 2), 28);
    ck_assert_int_eq(stf__calendar_days_in_month(2000, 2), 29);
    ck_assert_int_eq(stf__calendar_days_in_month(0, 2), 29);
    ck_assert_int_eq(stf__calendar_days_in_month(-100, 2), 28);
    ck_assert_int_eq(stf__calendar_days_in_month(2023, 4), 30);
    ck_assert_int_eq(stf__calendar_days_in_month(2023, 12), 31);
}

STF_TEST(known_dates_have_their_numbers)
{
    ck_assert_int_eq(stf__calendar_to_days((stf__civil){1970, 1, 1}), 0);
    ck_assert_int_eq(stf__calendar_to_days((stf__civil){2000, 3, 1}), 11017);
    ck_assert_int_eq(stf__calendar_to_days((stf__civil){1, 1, 1}), -719162);
    ck_assert_int_eq(stf__calendar_to_days((stf__civil){9999, 12, 31}), 2932896);
}

STF_TEST(every_day_of_1600_years_follows_the_one_before)
{
    stf__civil date = {-400, 1, 1};
    int64_t days = stf__calendar_to_days(date);
    for (; date.year < 1200; days++) {
        stf__civil back = stf__calendar_from_days(days);
        if (stf__calendar_to_days(date) != days || back.year != date.year ||
            back.month != date.month || back.day != date.day) {
            ck_abort_msg("%lld-%d-%d", (long long)date.year, date.month, date.day);
        }
        if (++date.day > stf__calendar_days_in_month(date.year, date.month)) {
            date.day = 1;
            if (++date.month > 12) {
                date.month = 1;
                date.year++;
            }
        }
    }
}

STF_TEST(years_far_away_go_there_and_back)
{
    for (int64_t year = -300000; year <= 300000; year += 12347) {
        stf__civil back = stf__calendar_from_days(stf__calendar_to_days((stf__civil){year, 2, 28}));
        ck_assert_int_eq(back.year, year);
        ck_assert_int_eq(back.month, 2);
        ck_assert_int_eq(back.day, 28);
    }
}

static const stf_test_case cases[] = {
    STF_CASE(division_rounds_down),
    STF_CASE(february_has_29_days_in_leap_years),
    STF_CASE(known_dates_have_their_numbers),
    STF_CASE(every_day_of_1600_years_follows_the_one_before),
    STF_CASE(years_far_away_go_there_and_back),
};

STF_TEST_MAIN("base/calendar", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* Civil dates as day numbers. A year counts from March here, so that the leap day is its last day
 * and each month's start is one linear formula: (153 * months + 2) / 5 days after March 1st. */
#include "base/calendar.h"

enum {
    DAYS_PER_ERA = 146097,       /* 400 years */
    EPOCH_FROM_MARCH_0 = 719468, /* days from 0000-03-01 to 1970-01-01 */
};

int64_t stf__floor_div(int64_t number, int64_t divisor)
{
    int64_t quotient = number / divisor;
    return number % divisor < 0 ? quotient - 1 : quotient;
}

int32_t stf__calendar_days_in_month(int64_t year, int32_t month)
{
    static const int8_t days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return days[month - 1] + (month == 2 && is_leap ? 1 : 0);
}

int64_t stf__calendar_to_days(stf__civil date)
{
    int64_t year = date.month > 2 ? date.year : date.year - 1;
    int64_t month = date.month > 2 ? date.month - 3 : date.month + 9;
    int64_t era = stf__floor_div(year, 400);
    int64_t in_era = year - era * 400;
    int64_t days = in_era * 365 + in_era / 4 - in_era / 100;
    return era * DAYS_PER_ERA + days + (153 * month + 2) / 5 + date.day - 1 - EPOCH_FROM_MARCH_0;
}

stf__civil stf__calendar_from_days(int64_t days)
{
    int64_t from_march_0 = days + EPOCH_FROM_MARCH_0;
    int64_t era = stf__floor_div(from_march_0, DAYS_PER_ERA);
    int64_t left = from_march_0 - era * DAYS_PER_ERA;
    /* The last day of four centuries, of a century and of four years belongs to the unit before. */
    int64_t centuries = left / 36524 < 3 ? left / 36524 : 3;
    left -= centuries * 36524;
    int64_t quads = left / 1461;
    left -= quads * 1461;
    int64_t years = left / 365 < 3 ? left / 365 : 3;
    left -= years * 365;
    int64_t month = (5 * left + 2) / 153;
    int64_t day = left - (153 * month + 2) / 5 + 1;
    int64_t year = era * 400 + centuries * 100 + quads * 4 + years;
    return (stf__civil){.year = month < 10 ? year : year + 1,
                        .month = (int32_t)(month < 10 ? month + 3 : month - 9),
                        .day = (int32_t)day};
}

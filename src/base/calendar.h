/* SPDX-License-Identifier: Apache-2.0 */
/* The proleptic Gregorian calendar as numbers: what the texts of times and the arithmetic of
 * durations share. Valid for years within a million of 1970. */
#ifndef STF_BASE_CALENDAR_H
#define STF_BASE_CALENDAR_H

#include <stdint.h>

#define STF__US_PER_SECOND INT64_C(1000000)
#define STF__US_PER_DAY (INT64_C(86400) * STF__US_PER_SECOND)

typedef struct stf__civil {
    int64_t year;
    int32_t month; /* 1..12 */
    int32_t day;   /* 1..31 */
} stf__civil;

int32_t stf__calendar_days_in_month(int64_t year, int32_t month);

/* Days since 1970-01-01, and back. */
int64_t stf__calendar_to_days(stf__civil date);
stf__civil stf__calendar_from_days(int64_t days);

/* Rounds towards minus infinity; the divisor is positive. */
int64_t stf__floor_div(int64_t number, int64_t divisor);

#endif

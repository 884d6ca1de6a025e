/* SPDX-License-Identifier: Apache-2.0 */
/* ISO 8601 durations and the calendar arithmetic of timers: months and years by the
 * calendar, clamped at the month's end; days, hours and less as exact lengths in UTC offsets. */
#ifndef STF_BASE_ISO8601_H
#define STF_BASE_ISO8601_H

#include <stepfast/clock.h>

typedef struct stf__duration {
    int64_t months; /* years * 12 + months; sign as us */
    int64_t us;     /* weeks, days, hours, minutes, seconds */
} stf__duration;

/* A date-time with the offset that the text had, in seconds east of UTC. */
typedef struct stf__date_time {
    stf_wall at;
    int32_t offset_s;
} stf__date_time;

/* "P1Y2M3DT4H5M6.789S", "P4W", "-PT5M", "PT0S". M before T is months. OK, PARSE, LIMIT_EXCEEDED
 * (out of the range of int64 microseconds). The message quotes the text. */
STF_MUST_CHECK stf_status stf__duration_parse(stf_str text, stf__duration *ret_duration,
                                              stf_error *error);

/* start + times * duration: months first, in the local calendar of offset_s (n-th due = start + n x
 * period, never step by step), then the exact part. OK or LIMIT_EXCEEDED. */
STF_MUST_CHECK stf_status stf__duration_add(stf__date_time start, stf__duration duration,
                                            int64_t times, stf_wall *ret_time, stf_error *error);

/* As stf_wall_parse, keeping the offset. Also accepts a date alone with "Z"? No: a text without a
 * time and a zone is PARSE. */
STF_MUST_CHECK stf_status stf__date_time_parse(stf_str text, stf__date_time *ret_time,
                                               stf_error *error);

#endif

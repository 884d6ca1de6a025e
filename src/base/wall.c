/* SPDX-License-Identifier: Apache-2.0 */
/* Wall times as ISO 8601 text, always in UTC on the way out. */
#include <stepfast/clock.h>

#include "base/calendar.h"
#include "base/iso8601.h"

#include <stdio.h>

stf_status stf_wall_parse(stf_str text, stf_wall *ret_time, stf_error *error)
{
    stf__date_time parsed;
    stf_status status = stf__date_time_parse(text, &parsed, error);
    if (status == STF_OK) {
        *ret_time = parsed.at;
    }
    return status;
}

void stf_wall_format(stf_wall time, char ret_text[STF_WALL_TEXT_BYTES])
{
    static const int64_t first_us = INT64_C(-62135596800000000); /* 0001-01-01T00:00:00Z */
    static const int64_t last_us = INT64_C(253402300799999999);  /* 9999-12-31T23:59:59.999999Z */
    int64_t us = time.us < first_us ? first_us : time.us > last_us ? last_us : time.us;
    int64_t days = stf__floor_div(us, STF__US_PER_DAY);
    int64_t in_day = us - days * STF__US_PER_DAY;
    int second = (int)(in_day / STF__US_PER_SECOND);
    int fraction = (int)(in_day % STF__US_PER_SECOND);
    stf__civil date = stf__calendar_from_days(days);
    int size =
        snprintf(ret_text, STF_WALL_TEXT_BYTES, "%04d-%02d-%02dT%02d:%02d:%02d", (int)date.year,
                 (int)date.month, (int)date.day, second / 3600, second / 60 % 60, second % 60);
    if (fraction != 0) {
        (void)snprintf(ret_text + size, STF_WALL_TEXT_BYTES - (size_t)size, ".%06dZ", fraction);
    } else {
        (void)snprintf(ret_text + size, STF_WALL_TEXT_BYTES - (size_t)size, "Z");
    }
}

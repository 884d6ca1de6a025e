/* SPDX-License-Identifier: Apache-2.0 */
/* Date-times with offsets, durations, and the calendar arithmetic of timers. */
#include "base/iso8601.h"
#include "base/mem.h"
#include "support/stf_test.h"

#define DAY_US INT64_C(86400000000)
#define HOUR_US INT64_C(3600000000)

static stf__date_time at(const char *text)
{
    stf_error error = STF_ERROR_INIT;
    stf__date_time time = {0};
    STF_CHECK_OK(stf__date_time_parse(stf_str_of(text), &time, &error), &error);
    return time;
}

STF_TEST(every_form_of_a_zone_is_the_same_instant)
{
    static const char *const same[] = {
        "2026-01-31T12:00:00Z",           "2026-01-31T12:00Z",         "2026-01-31T13:00:00+01:00",
        "2026-01-31T13:00:00+0100",       "2026-01-31T13:00:00+01",    "2026-01-31T06:30:00-05:30",
        "2026-01-31T12:00:00.000Z",       "2026-01-31T12:00:00,0Z",    "2026-02-01T02:00:00+14:00",
        "2026-01-31T12:00:00.000000999Z", "2026-01-31T12:00:00-00:00", "2026-01-31T12:00:00+00:00",
    };
    for (size_t i = 0; i < STF_COUNT_OF(same); i++) {
        ck_assert_msg(at(same[i]).at.us == INT64_C(1769860800000000), "%s", same[i]);
    }
    ck_assert_int_eq(at("2026-01-31T06:30:00-05:30").offset_s, -19800);
    ck_assert_int_eq(at("2026-01-31T13:00:00+01").offset_s, 3600);
    ck_assert_int_eq(at("2026-01-31T24:00:00Z").at.us, at("2026-02-01T00:00:00Z").at.us);
    ck_assert_int_eq(at("2026-01-31T12:00:00.1234567Z").at.us % 1000000, 123456);
}

STF_TEST(what_is_not_a_date_time_with_a_zone_is_refused_with_its_text)
{
    static const char *const bad[] = {
        "",
        "now",
        "2026-01-31",
        "2026-01-31T12:00:00",
        "2026-01-31 12:00:00Z",
        "2026-01-31T12:00:00z",
        "2026-02-29T12:00:00Z",
        "2026-00-10T12:00:00Z",
        "2026-13-10T12:00:00Z",
        "2026-01-00T12:00:00Z",
        "2026-01-32T12:00:00Z",
        "0000-01-01T00:00:00Z",
        "2026-1-31T12:00:00Z",
        "12026-01-31T12:00:00Z",
        "-2026-01-31T12:00:00Z",
        "2026-01-31T25:00:00Z",
        "2026-01-31T24:00:01Z",
        "2026-01-31T24:01:00Z",
        "2026-01-31T24:00:00.1Z",
        "2026-01-31T12:60:00Z",
        "2026-01-31T12:00:60Z",
        "2026-01-31T12:00:00.Z",
        "2026-01-31T12:00:0Z",
        "2026-01-31T12Z",
        "2026-01-31T12:00:00+",
        "2026-01-31T12:00:00+1",
        "2026-01-31T12:00:00+01:",
        "2026-01-31T12:00:00+01:0",
        "2026-01-31T12:00:00+01:60",
        "2026-01-31T12:00:00+14:01",
        "2026-01-31T12:00:00+99:00",
        "2026-01-31T12:00:00Z ",
        " 2026-01-31T12:00:00Z",
        "2026-01-31T12:00:00+01:00[Europe/Berlin]",
    };
    for (size_t i = 0; i < STF_COUNT_OF(bad); i++) {
        stf_error error = STF_ERROR_INIT;
        stf__date_time time = {{7}, 7};
        ck_assert_msg(stf__date_time_parse(stf_str_of(bad[i]), &time, &error) == STF_PARSE, "%s",
                      bad[i]);
        ck_assert_int_eq(time.at.us, 7);
        ck_assert_ptr_nonnull(strstr(error.message, bad[i]));
    }
    stf__date_time time;
    ck_assert_int_eq(stf__date_time_parse((stf_str){NULL, 0}, &time, NULL), STF_PARSE);
}

STF_TEST(durations_mean_what_they_say)
{
    static const struct {
        const char *text;
        int64_t months;
        int64_t us;
    } good[] = {
        {"P1Y2M3DT4H5M6.789S", 14, 3 * DAY_US + 4 * HOUR_US + 306789000},
        {"P4W", 0, 28 * DAY_US},
        {"-PT5M", 0, -300000000},
        {"-P1M", -1, 0},
        {"PT0S", 0, 0},
        {"P0D", 0, 0},
        {"P1M", 1, 0},
        {"PT1M", 0, 60000000},
        {"PT36H", 0, 36 * HOUR_US},
        {"PT0.5H", 0, HOUR_US / 2},
        {"PT1,5S", 0, 1500000},
        {"P0.5D", 0, DAY_US / 2},
        {"P1W2D", 0, 9 * DAY_US},
        {"PT0.0000019S", 0, 1},
        {"PT0.9999999999999S", 0, 999999},
        {"PT007S", 0, 7000000},
        {"PT9223372036854.775807S", 0, INT64_MAX},
        {"P768614336404564650Y", INT64_C(768614336404564650) * 12, 0},
    };
    for (size_t i = 0; i < STF_COUNT_OF(good); i++) {
        stf_error error = STF_ERROR_INIT;
        stf__duration duration;
        STF_CHECK_OK(stf__duration_parse(stf_str_of(good[i].text), &duration, &error), &error);
        ck_assert_msg(duration.months == good[i].months && duration.us == good[i].us,
                      "%s: %lld months, %lld us", good[i].text, (long long)duration.months,
                      (long long)duration.us);
    }
}

STF_TEST(what_is_not_a_duration_is_refused_with_its_text)
{
    static const char *const bad[] = {
        "",         "P",     "PT",    "P1DT",   "1D",    "P1",    "PD",      "P1S",
        "PT1D",     "P1M1Y", "P1D1D", "PT1S1M", "p1d",   "P1d",   "P-1D",    "--P1D",
        "+P1D",     "P1D ",  " P1D",  "P1.D",   "P.5D",  "P1.5Y", "P1.5M",   "PT1.5H5M",
        "PT1.5.5S", "P1DT1", "PT1X",  "P1D2",   "PTT1S", "P1TD",  "R3/PT1S", "-",
    };
    for (size_t i = 0; i < STF_COUNT_OF(bad); i++) {
        stf_error error = STF_ERROR_INIT;
        stf__duration duration = {7, 7};
        ck_assert_msg(stf__duration_parse(stf_str_of(bad[i]), &duration, &error) == STF_PARSE, "%s",
                      bad[i]);
        ck_assert_int_eq(duration.us, 7);
        ck_assert_ptr_nonnull(strstr(error.message, bad[i]));
    }
}

STF_TEST(a_duration_beyond_int64_microseconds_exceeds_the_limit)
{
    static const char *const large[] = {
        "PT9223372036854.775808S",
        "P106751992D",
        "P106751991DT24H",
        "P768614336404564651Y",
        "P99999999999999999999999999999999999M",
        "-PT99999999999999999999S",
        "P999999999999999999Y99999999999999999999M",
    };
    for (size_t i = 0; i < STF_COUNT_OF(large); i++) {
        stf_error error = STF_ERROR_INIT;
        stf__duration duration;
        ck_assert_msg(stf__duration_parse(stf_str_of(large[i]), &duration, &error) ==
                          STF_LIMIT_EXCEEDED,
                      "%s", large[i]);
    }
    stf__duration duration;
    ck_assert_int_eq(stf__duration_parse(stf_str_of("PT99999999999999999999SX"), &duration, NULL),
                     STF_PARSE);
}

STF_TEST(months_go_by_the_calendar_of_the_offset_and_stop_at_the_end_of_the_month)
{
    static const struct {
        const char *start;
        const char *duration;
        int64_t times;
        const char *result;
    } sums[] = {
        {"2026-01-31T12:00:00Z", "P1M", 1, "2026-02-28T12:00:00Z"},
        {"2024-01-31T12:00:00Z", "P1M", 1, "2024-02-29T12:00:00Z"},
        {"2026-01-31T12:00:00Z", "P1M", 2, "2026-03-31T12:00:00Z"}, /* never step by step */
        {"2024-02-29T00:00:00Z", "P1Y", 1, "2025-02-28T00:00:00Z"},
        {"2024-02-29T00:00:00Z", "P1Y", 4, "2028-02-29T00:00:00Z"},
        {"2026-03-31T12:00:00Z", "-P1M", 1, "2026-02-28T12:00:00Z"},
        {"2026-03-31T12:00:00Z", "P1M", -1, "2026-02-28T12:00:00Z"},
        {"2026-01-15T00:00:00Z", "-P1Y1M", 1, "2024-12-15T00:00:00Z"},
        {"2026-12-31T23:59:59.999999Z", "PT0.000001S", 1, "2027-01-01T00:00:00Z"},
        {"2026-01-31T12:00:00Z", "P1DT12H", 2, "2026-02-03T12:00:00Z"},
        {"2026-01-31T00:30:00+01:00", "P1M", 1, "2026-02-28T00:30:00+01:00"},
        {"2026-02-28T23:30:00-05:00", "P1M", 1, "2026-03-28T23:30:00-05:00"},
        {"2026-03-01T00:30:00+14:00", "P1M", 1, "2026-04-01T00:30:00+14:00"},
        {"2026-01-31T12:00:00Z", "P1M1D", 1, "2026-03-01T12:00:00Z"}, /* months first */
        {"1969-12-31T23:00:00Z", "P1M", 1, "1970-01-31T23:00:00Z"},
        {"2026-01-31T12:00:00Z", "P1M", 0, "2026-01-31T12:00:00Z"},
    };
    for (size_t i = 0; i < STF_COUNT_OF(sums); i++) {
        stf_error error = STF_ERROR_INIT;
        stf__duration duration;
        stf_wall result;
        char text[STF_WALL_TEXT_BYTES];
        STF_CHECK_OK(stf__duration_parse(stf_str_of(sums[i].duration), &duration, &error), &error);
        STF_CHECK_OK(stf__duration_add(at(sums[i].start), duration, sums[i].times, &result, &error),
                     &error);
        stf_wall_format(result, text);
        ck_assert_msg(result.us == at(sums[i].result).at.us, "%s + %lld x %s is %s", sums[i].start,
                      (long long)sums[i].times, sums[i].duration, text);
    }
}

STF_TEST(a_sum_out_of_range_exceeds_the_limit_and_leaves_the_output_alone)
{
    static const struct {
        stf__duration duration;
        int64_t times;
        int64_t start_us;
    } sums[] = {
        {{1, 0}, INT64_MAX, 0},
        {{-1, 0}, INT64_MAX, 0},
        {{INT64_MAX, 0}, 2, 0},
        {{INT64_MAX, 0}, 1, INT64_MAX},
        {{0, INT64_MAX}, 2, 0},
        {{0, 1}, 1, INT64_MAX},
        {{0, -1}, 1, INT64_MIN + 1}, /* would be "no time" */
        {{0, -1}, 1, INT64_MIN},
        {{12 * 292000, 0}, 1, INT64_C(400) * 366 * DAY_US},
        {{-12 * 292000, 0}, 1, INT64_C(-500) * 366 * DAY_US},
        {{INT64_MAX - 30000, 0}, 1, 0},
        {{-INT64_MAX + 30000, 0}, 1, 0},
        {{1, 0}, 1, INT64_MAX},
        {{-1, 0}, 1, INT64_MIN},
    };
    for (size_t i = 0; i < STF_COUNT_OF(sums); i++) {
        stf_error error = STF_ERROR_INIT;
        stf_wall result = {7};
        for (int32_t offset_s = -3600; offset_s <= 3600; offset_s += 3600) {
            stf__date_time start = {{sums[i].start_us}, offset_s};
            ck_assert_msg(stf__duration_add(start, sums[i].duration, sums[i].times, &result,
                                            &error) == STF_LIMIT_EXCEEDED,
                          "case %zu: %lld", i, (long long)result.us);
            ck_assert_int_eq(result.us, 7);
        }
    }
}

static const stf_test_case cases[] = {
    STF_CASE(every_form_of_a_zone_is_the_same_instant),
    STF_CASE(what_is_not_a_date_time_with_a_zone_is_refused_with_its_text),
    STF_CASE(durations_mean_what_they_say),
    STF_CASE(what_is_not_a_duration_is_refused_with_its_text),
    STF_CASE(a_duration_beyond_int64_microseconds_exceeds_the_limit),
    STF_CASE(months_go_by_the_calendar_of_the_offset_and_stop_at_the_end_of_the_month),
    STF_CASE(a_sum_out_of_range_exceeds_the_limit_and_leaves_the_output_alone),
};

STF_TEST_MAIN("base/iso8601", cases)

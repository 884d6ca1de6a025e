/* SPDX-License-Identifier: Apache-2.0 */
/* Repetitions: how they are read, and that their times stay on one grid. */
#include "base/cycle.h"
#include "base/mem.h"
#include "support/stf_test.h"

#define DAY_US INT64_C(86400000000)
#define HOUR_US INT64_C(3600000000)

static stf_wall wall(const char *text)
{
    stf_error error = STF_ERROR_INIT;
    stf_wall time = {0};
    STF_CHECK_OK(stf_wall_parse(stf_str_of(text), &time, &error), &error);
    return time;
}

static stf__cycle cycle_of(const char *text)
{
    stf_error error = STF_ERROR_INIT;
    stf__cycle cycle = {0};
    STF_CHECK_OK(stf__cycle_parse(stf_str_of(text), &cycle, &error), &error);
    return cycle;
}

static void check_time(const char *text, const char *anchor, uint64_t index, const char *expected)
{
    stf__cycle cycle = cycle_of(text);
    stf_error error = STF_ERROR_INIT;
    stf_wall time = {7};
    char shown[STF_WALL_TEXT_BYTES];
    STF_CHECK_OK(stf__cycle_time(&cycle, wall(anchor), index, &time, &error), &error);
    stf_wall_format(time, shown);
    ck_assert_msg(expected != NULL ? time.us == wall(expected).us : stf_wall_is_none(time),
                  "%s from %s, %llu: %s", text, anchor, (unsigned long long)index, shown);
}

STF_TEST(repetitions_mean_what_they_say)
{
    static const struct {
        const char *text;
        uint64_t count;
        int64_t months;
        int64_t us;
        const char *start;
        const char *end;
    } good[] = {
        {"R3/PT10S", 3, 0, 10000000, NULL, NULL},
        {"R/PT1H", UINT64_MAX, 0, HOUR_US, NULL, NULL},
        {"R/2026-01-01T00:00:00Z/P1D", UINT64_MAX, 0, DAY_US, "2026-01-01T00:00:00Z", NULL},
        {"R5/PT1H/2026-02-01T00:00:00Z", 5, 0, HOUR_US, NULL, "2026-02-01T00:00:00Z"},
        {"R1/P1M", 1, 1, 0, NULL, NULL},
        {"R007/P1Y2DT1S", 7, 12, 2 * DAY_US + 1000000, NULL, NULL},
        {"R18446744073709551614/PT1S", UINT64_MAX - 1, 0, 1000000, NULL, NULL},
    };
    for (size_t i = 0; i < STF_COUNT_OF(good); i++) {
        stf__cycle cycle = cycle_of(good[i].text);
        ck_assert_msg(cycle.count == good[i].count && cycle.period.months == good[i].months &&
                          cycle.period.us == good[i].us &&
                          cycle.has_start == (good[i].start != NULL),
                      "%s", good[i].text);
        if (good[i].start != NULL) {
            ck_assert_int_eq(cycle.start.at.us, wall(good[i].start).us);
        }
        ck_assert_int_eq(cycle.end.us,
                         good[i].end != NULL ? wall(good[i].end).us : STF_WALL_NONE_US);
    }
}

STF_TEST(what_is_not_a_repetition_is_refused_with_its_text)
{
    static const char *const bad[] = {
        "",
        "R",
        "R/",
        "R3",
        "R3/",
        "PT10S",
        "3/PT10S",
        "r3/PT10S",
        "R0/PT10S",
        "R-1/PT10S",
        "R+1/PT10S",
        "R3 /PT10S",
        "R3/PT0S",
        "R3/-PT10S",
        "R3/P0D",
        "R3/PT10S/",
        "R3//PT10S",
        "R3/PT10S/PT10S",
        "R3/2026-01-01T00:00:00Z",
        "R3/2026-01-01T00:00:00Z/",
        "R3/2026-01-01T00:00:00Z/PT0S",
        "R3/2026-01-01T00:00:00Z/2026-01-02T00:00:00Z",
        "R3/2026-01-01T00:00:00Z/PT1S/2026-01-02T00:00:00Z",
        "R3/2026-01-01/P1D",
        "R3/PT10S/2026-02-01",
        "R3/PT10S/2026-02-01T00:00:00Z/",
        "R99999999999999999999/PT0S",
        "R0/P106751992D",
        "R3/P106751992D/tomorrow",
        "0 0/5 * * * ?",
    };
    for (size_t i = 0; i < STF_COUNT_OF(bad); i++) {
        stf_error error = STF_ERROR_INIT;
        stf__cycle cycle = {.count = 77};
        ck_assert_msg(stf__cycle_parse(stf_str_of(bad[i]), &cycle, &error) == STF_PARSE, "%s",
                      bad[i]);
        ck_assert_uint_eq(cycle.count, 77);
        ck_assert_ptr_nonnull(strstr(error.message, bad[i]));
    }
    stf__cycle cycle;
    ck_assert_int_eq(stf__cycle_parse((stf_str){NULL, 0}, &cycle, NULL), STF_PARSE);
}

STF_TEST(numbers_that_do_not_fit_exceed_the_limit)
{
    static const char *const large[] = {
        "R18446744073709551615/PT1S",          "R18446744073709551616/PT1S",
        "R99999999999999999999999/PT1S",       "R3/P106751992D",
        "R3/2026-01-01T00:00:00Z/P106751992D", "R3/P106751992D/2026-01-01T00:00:00Z",
    };
    for (size_t i = 0; i < STF_COUNT_OF(large); i++) {
        stf_error error = STF_ERROR_INIT;
        stf__cycle cycle = {.count = 77};
        ck_assert_msg(stf__cycle_parse(stf_str_of(large[i]), &cycle, &error) == STF_LIMIT_EXCEEDED,
                      "%s", large[i]);
        ck_assert_uint_eq(cycle.count, 77);
        ck_assert_ptr_nonnull(strstr(error.message, large[i]));
    }
}

STF_TEST(a_start_is_the_first_time_and_without_one_it_is_a_period_after_the_anchor)
{
    static const char *const anchor = "2026-03-01T12:00:00Z";
    check_time("R3/PT10S", anchor, 0, "2026-03-01T12:00:10Z");
    check_time("R3/PT10S", anchor, 2, "2026-03-01T12:00:30Z");
    check_time("R3/2026-01-01T00:00:00Z/P1D", anchor, 0, "2026-01-01T00:00:00Z");
    check_time("R3/2026-01-01T00:00:00Z/P1D", anchor, 1, "2026-01-02T00:00:00Z");
    check_time("R3/2026-01-01T00:00:00Z/P1D", anchor, 2, "2026-01-03T00:00:00Z");
}

STF_TEST(months_do_not_drift_and_move_in_the_offset_of_the_start)
{
    static const char *const anchor = "2026-01-31T12:00:00Z";
    check_time("R/P1M", anchor, 0, "2026-02-28T12:00:00Z");
    check_time("R/P1M", anchor, 1, "2026-03-31T12:00:00Z");
    check_time("R/2026-01-31T00:30:00+02:00/P1M", anchor, 1, "2026-02-28T00:30:00+02:00");
    check_time("R/2026-03-01T00:30:00+14:00/P1M", anchor, 1, "2026-04-01T00:30:00+14:00");
}

STF_TEST(a_repetition_is_over_after_its_count_and_after_its_end)
{
    static const char *const anchor = "2026-01-01T00:00:00Z";
    check_time("R3/PT10S", anchor, 3, NULL);
    check_time("R3/PT10S", anchor, UINT64_MAX, NULL);
    check_time("R/PT1H", anchor, UINT64_C(1000000), "2140-01-30T17:00:00Z");
    check_time("R5/PT1H/2026-01-01T02:00:00Z", anchor, 1, "2026-01-01T02:00:00Z");
    check_time("R5/PT1H/2026-01-01T01:59:59.999999Z", anchor, 1, NULL);
    check_time("R/PT1H/2026-01-01T02:00:00Z", anchor, UINT64_MAX - 1, NULL);
    check_time("R/PT1H/2025-01-01T00:00:00Z", anchor, 0, NULL);
}

STF_TEST(a_time_out_of_range_exceeds_the_limit_and_leaves_the_output_alone)
{
    static const uint64_t indices[] = {INT64_C(9300000000000), INT64_MAX - 1, INT64_MAX,
                                       UINT64_MAX - 1};
    stf__cycle cycles[] = {cycle_of("R/PT1S"), cycle_of("R/2026-01-01T00:00:00Z/PT1S"),
                           cycle_of("R/PT0.000001S")};
    for (size_t c = 0; c < STF_COUNT_OF(cycles); c++) {
        for (size_t i = c == 2 ? 1 : 0; i < STF_COUNT_OF(indices); i++) {
            stf_error error = STF_ERROR_INIT;
            stf_wall time = {7};
            stf_wall anchor = {-1000};
            STF_CHECK_STATUS(stf__cycle_time(&cycles[c], anchor, indices[i], &time, &error),
                             STF_LIMIT_EXCEEDED, &error);
            ck_assert_int_eq(time.us, 7);
            ck_assert_int_ne(error.message[0], 0);
        }
    }
}

STF_TEST(an_overdue_repetition_goes_on_at_the_first_time_that_is_later_than_now)
{
    static const struct {
        const char *text;
        const char *anchor;
        uint64_t from;
        const char *now;
        uint64_t expected;
    } rows[] = {
        {"R/PT1H", "2026-01-01T00:00:00Z", 0, "2025-01-01T00:00:00Z", 0},
        {"R/PT1H", "2026-01-01T00:00:00Z", 0, "2026-01-01T00:59:59.999999Z", 0},
        {"R/PT1H", "2026-01-01T00:00:00Z", 0, "2026-01-01T01:00:00Z", 1}, /* not the same time */
        {"R/PT1H", "2026-01-01T00:00:00Z", 0, "2026-01-02T00:30:00Z", 24},
        {"R/PT1H", "2026-01-01T00:00:00Z", 30, "2026-01-02T00:30:00Z", 30},
        {"R/2026-01-01T00:00:00Z/PT1H", "2020-01-01T00:00:00Z", 0, "2026-01-02T00:30:00Z", 25},
        {"R/2026-01-31T00:00:00Z/P1M", "2020-01-01T00:00:00Z", 1, "2026-02-28T00:00:00Z", 2},
        {"R/2026-01-31T00:00:00Z/P1M", "2020-01-01T00:00:00Z", 1, "2126-02-28T00:00:00Z", 1202},
        {"R/PT0.000001S", "0001-01-01T00:00:00Z", 0, "9999-12-31T00:00:00Z",
         UINT64_C(315537811200000000)},
        {"R3/PT1H", "2026-01-01T00:00:00Z", 0, "2026-01-01T02:00:00Z", 2},
        {"R3/PT1H", "2026-01-01T00:00:00Z", 1, "2030-01-01T02:00:00Z", 3}, /* over */
        {"R3/PT1H", "2026-01-01T00:00:00Z", 9, "2030-01-01T02:00:00Z", 9},
        {"R/PT1H/2026-01-01T02:00:00Z", "2026-01-01T00:00:00Z", 0, "2026-01-01T02:00:00Z", 2},
    };
    for (size_t i = 0; i < STF_COUNT_OF(rows); i++) {
        stf__cycle cycle = cycle_of(rows[i].text);
        stf_error error = STF_ERROR_INIT;
        uint64_t index = 77;
        STF_CHECK_OK(stf__cycle_index_after(&cycle, wall(rows[i].anchor), rows[i].from,
                                            wall(rows[i].now), &index, &error),
                     &error);
        ck_assert_msg(index == rows[i].expected, "row %zu: %llu", i, (unsigned long long)index);
    }
}

STF_TEST(the_index_after_agrees_with_counting_up)
{
    static const char *const texts[] = {"R/PT7H", "R/2026-01-30T23:00:00-05:00/P1M2DT3H", "R40/P1M",
                                        "R/PT13H/2026-04-01T00:00:00Z"};
    stf_wall anchor = wall("2026-01-01T00:00:00Z");
    for (size_t t = 0; t < STF_COUNT_OF(texts); t++) {
        stf__cycle cycle = cycle_of(texts[t]);
        for (int64_t days = -40; days < 900; days++) {
            stf_wall now = {anchor.us + days * DAY_US};
            stf_wall time;
            uint64_t expected = 2;
            uint64_t index = 0;
            STF_CHECK_OK(stf__cycle_time(&cycle, anchor, expected, &time, NULL), NULL);
            while (!stf_wall_is_none(time) && time.us <= now.us) {
                expected++;
                STF_CHECK_OK(stf__cycle_time(&cycle, anchor, expected, &time, NULL), NULL);
            }
            STF_CHECK_OK(stf__cycle_index_after(&cycle, anchor, 2, now, &index, NULL), NULL);
            STF_CHECK_OK(stf__cycle_time(&cycle, anchor, index, &time, NULL), NULL);
            /* Where it is over, any index that is over will do. */
            ck_assert_msg(index == expected || (stf_wall_is_none(time) && index > expected),
                          "%s, day %lld: %llu instead of %llu", texts[t], (long long)days,
                          (unsigned long long)index, (unsigned long long)expected);
        }
    }
}

STF_TEST(no_index_after_a_now_at_the_end_of_time)
{
    stf__cycle cycle = cycle_of("R/PT1H");
    stf_error error = STF_ERROR_INIT;
    uint64_t index = 77;
    stf_wall anchor = {0};
    STF_CHECK_STATUS(
        stf__cycle_index_after(&cycle, anchor, 0, (stf_wall){INT64_MAX}, &index, &error),
        STF_LIMIT_EXCEEDED, &error);
    ck_assert_uint_eq(index, 77);
}

static const stf_test_case cases[] = {
    STF_CASE(repetitions_mean_what_they_say),
    STF_CASE(what_is_not_a_repetition_is_refused_with_its_text),
    STF_CASE(numbers_that_do_not_fit_exceed_the_limit),
    STF_CASE(a_start_is_the_first_time_and_without_one_it_is_a_period_after_the_anchor),
    STF_CASE(months_do_not_drift_and_move_in_the_offset_of_the_start),
    STF_CASE(a_repetition_is_over_after_its_count_and_after_its_end),
    STF_CASE(a_time_out_of_range_exceeds_the_limit_and_leaves_the_output_alone),
    STF_CASE(an_overdue_repetition_goes_on_at_the_first_time_that_is_later_than_now),
    STF_CASE(the_index_after_agrees_with_counting_up),
    STF_CASE(no_index_after_a_now_at_the_end_of_time),
};

STF_TEST_MAIN("base/cycle", cases)

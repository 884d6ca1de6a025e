/* SPDX-License-Identifier: Apache-2.0 */
/* Durations as people type them on the command line. */
#include "support/stf_test.h"

#include "duration.h"

typedef struct row {
    const char *text;
    int64_t us; /* 0: refused */
} row;

static const row rows[] = {
    {"500ms", 500000},
    {"30s", 30000000},
    {"5m", 300000000},
    {"2h", 7200000000},
    {"1d", 86400000000},
    {"PT1M30S", 90000000},
    {"P1DT2H", 93600000000},
    {"P1W", 604800000000},
    {"PT0.5S", 0},
    {"0s", 0},
    {"PT0S", 0},
    {"-5s", 0},
    {"5", 0},
    {"s", 0},
    {"", 0},
    {"P", 0},
    {"PT", 0},
    {"P1DT", 0},
    {"P1M", 0},
    {"P1Y", 0},
    {"PT1S1M", 0},
    {"PT1M1M", 0},
    {"P1H", 0},
    {"5 s", 0},
    {"5sec", 0},
    {"3651d", 0},
    {"99999999999999999999d", 0},
    {"PT1S ", 0},
};

STF_TEST(each_form_is_read_and_everything_else_is_refused)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t us = -1;
        bool is_read = cli_duration_parse(rows[i].text, &us);
        ck_assert_msg(is_read == (rows[i].us != 0), "\"%s\" was %s", rows[i].text,
                      is_read ? "read" : "refused");
        ck_assert_msg(us == (is_read ? rows[i].us : -1), "\"%s\" gives %lld", rows[i].text,
                      (long long)us);
    }
}

static const stf_test_case cases[] = {
    STF_CASE(each_form_is_read_and_everything_else_is_refused),
};

STF_TEST_MAIN("cli/duration", cases)

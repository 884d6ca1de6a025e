/* SPDX-License-Identifier: Apache-2.0 */
/* See duration.h. */
#include "duration.h"

#include <stddef.h>
#include <string.h>

static const int64_t second_us = 1000000;
static const int64_t max_us = INT64_C(3650) * 86400 * 1000000;

typedef struct unit {
    const char *name;
    int64_t us;
} unit;

/* A number and what follows it; false when there is no digit or the number is too large. */
static bool take_number(const char **at, int64_t *ret_number)
{
    int64_t number = 0;
    const char *start = *at;
    while (**at >= '0' && **at <= '9' && number <= max_us) {
        number = number * 10 + (**at - '0');
        (*at)++;
    }
    *ret_number = number;
    return *at != start && number <= max_us;
}

static bool add(int64_t *total_us, int64_t number, int64_t unit_us)
{
    if (number > (max_us - *total_us) / unit_us) {
        return false;
    }
    *total_us += number * unit_us;
    return true;
}

static bool parse_short(const char *at, int64_t *total_us)
{
    static const unit units[] = {
        {"ms", 1000}, {"s", 1000000}, {"m", 60000000}, {"h", 3600000000}, {"d", 86400000000}};
    int64_t number = 0;
    if (!take_number(&at, &number)) {
        return false;
    }
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(at, units[i].name) == 0) {
            return add(total_us, number, units[i].us);
        }
    }
    return false;
}

/* After the "P". Each designator at most once, in order. */
static bool parse_iso(const char *at, int64_t *total_us)
{
    static const char designators[] = "WDTHMS";
    const int64_t unit_us[] = {604800 * second_us, 86400 * second_us, 0,
                               3600 * second_us,   60 * second_us,    second_us};
    size_t next = 0;
    const size_t time_mark = 2;
    while (*at != '\0') {
        if (*at == 'T' && next <= time_mark) {
            next = time_mark + 1;
            at++;
            if (*at == '\0') {
                return false;
            }
            continue;
        }
        int64_t number = 0;
        if (!take_number(&at, &number) || *at == '\0') {
            return false;
        }
        const char *found = strchr(designators + next, *at);
        if (found == NULL || *found == 'T' ||
            (next <= time_mark && found > designators + time_mark)) {
            return false;
        }
        size_t index = (size_t)(found - designators);
        if (!add(total_us, number, unit_us[index])) {
            return false;
        }
        next = index + 1;
        at++;
    }
    return next > 0;
}

bool cli_duration_parse(const char *text, int64_t *ret_duration_us)
{
    int64_t total_us = 0;
    bool is_read = text[0] == 'P' ? parse_iso(text + 1, &total_us) : parse_short(text, &total_us);
    if (!is_read || total_us <= 0) {
        return false;
    }
    *ret_duration_us = total_us;
    return true;
}

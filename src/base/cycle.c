/* SPDX-License-Identifier: Apache-2.0 */
/* Reading ISO 8601 repetitions and finding their times. The period is positive, so the times rise
 * strictly with the index: where an overdue repetition goes on is found by bisection, and a time
 * that cannot be represented is later than every one that can. */
#include "base/cycle.h"

#include "base/mem.h"

/* The index whose time counts as not to be represented, whatever the period is. */
#define FARTHEST_INDEX ((uint64_t)INT64_MAX - 1)

/* The text up to the next slash, which is taken too; *ret_has_more: there was one. */
static stf_str take_part(stf_str *text, bool *ret_has_more)
{
    size_t size = 0;
    while (size < text->size && text->data[size] != '/') {
        size++;
    }
    stf_str part = {text->data, size};
    *ret_has_more = size < text->size;
    size += *ret_has_more ? 1 : 0;
    *text = (stf_str){text->data + size, text->size - size};
    return part;
}

/* "R" is without end, "R3" three times. No time at all is no repetition. */
static stf_status parse_count(stf_str part, uint64_t *ret_count)
{
    if (part.size == 0 || part.data[0] != 'R') {
        return STF_PARSE;
    }
    if (part.size == 1) {
        *ret_count = UINT64_MAX;
        return STF_OK;
    }
    uint64_t count = 0;
    bool is_too_large = false;
    for (size_t i = 1; i < part.size; i++) {
        if (part.data[i] < '0' || part.data[i] > '9') {
            return STF_PARSE;
        }
        is_too_large = is_too_large || __builtin_mul_overflow(count, 10, &count) ||
                       __builtin_add_overflow(count, (uint64_t)(part.data[i] - '0'), &count);
    }
    if (is_too_large || count == UINT64_MAX) {
        return STF_LIMIT_EXCEEDED;
    }
    *ret_count = count;
    return count != 0 ? STF_OK : STF_PARSE;
}

static stf_status parse_period(stf_str part, stf__duration *ret_period)
{
    stf_status status = stf__duration_parse(part, ret_period, NULL);
    bool is_positive = status == STF_OK && (ret_period->months > 0 || ret_period->us > 0);
    return status == STF_OK && !is_positive ? STF_PARSE : status;
}

/* start/period, period/end or period. */
static stf_status parse_interval(stf_str text, stf__cycle *cycle)
{
    bool has_more = false;
    stf_str first = take_part(&text, &has_more);
    cycle->has_start = stf__date_time_parse(first, &cycle->start, NULL) == STF_OK;
    if (cycle->has_start) {
        return has_more ? parse_period(text, &cycle->period) : STF_PARSE;
    }
    stf_status status = parse_period(first, &cycle->period);
    if (!has_more) {
        return status;
    }
    stf_status end = stf_wall_parse(text, &cycle->end, NULL);
    return end != STF_OK ? end : status;
}

stf_status stf__cycle_parse(stf_str text, stf__cycle *ret_cycle, stf_error *error)
{
    stf__cycle cycle = {.end = stf_wall_none()};
    stf_str rest = text;
    bool has_more = false;
    stf_str first = text.size != 0 ? take_part(&rest, &has_more) : text;
    stf_status count = parse_count(first, &cycle.count);
    stf_status interval = has_more ? parse_interval(rest, &cycle) : STF_PARSE;
    /* A text that is both too large and not well-formed is not well-formed. */
    if (count == STF_PARSE || interval == STF_PARSE) {
        return stf_error_set(error, STF_PARSE, "ISO8601",
                             "\"%.*s\" is not a repetition, such as R3/PT10S, R/PT1H or "
                             "R5/2026-01-31T12:00:00Z/P1D",
                             STF_STR_ARG(text));
    }
    if (count != STF_OK || interval != STF_OK) {
        return stf_error_set(error, STF_LIMIT_EXCEEDED, "ISO8601",
                             "the repetition \"%.*s\" has too large a number", STF_STR_ARG(text));
    }
    *ret_cycle = cycle;
    return STF_OK;
}

/* The time of an index without regard to the count and the end. */
static stf_status grid_time(const stf__cycle *cycle, stf_wall anchor, uint64_t index,
                            stf_wall *ret_time, stf_error *error)
{
    if (index >= FARTHEST_INDEX) {
        return stf_error_set(error, STF_LIMIT_EXCEEDED, "ISO8601",
                             "a repetition has no more than 2^63 times");
    }
    stf__date_time start = cycle->has_start ? cycle->start : (stf__date_time){anchor, 0};
    int64_t times = (int64_t)index + (cycle->has_start ? 0 : 1);
    return stf__duration_add(start, cycle->period, times, ret_time, error);
}

stf_status stf__cycle_time(const stf__cycle *cycle, stf_wall anchor, uint64_t index,
                           stf_wall *ret_time, stf_error *error)
{
    bool has_end = !stf_wall_is_none(cycle->end);
    stf_wall time = stf_wall_none();
    if (index >= cycle->count) {
        *ret_time = time;
        return STF_OK;
    }
    stf_status status = grid_time(cycle, anchor, index, &time, has_end ? NULL : error);
    if (has_end && (status != STF_OK || time.us > cycle->end.us)) {
        *ret_time = stf_wall_none();
        return STF_OK;
    }
    if (status == STF_OK) {
        *ret_time = time;
    }
    return status;
}

static bool is_later(const stf__cycle *cycle, stf_wall anchor, uint64_t index, stf_wall now)
{
    stf_wall time;
    return grid_time(cycle, anchor, index, &time, NULL) != STF_OK || time.us > now.us;
}

stf_status stf__cycle_index_after(const stf__cycle *cycle, stf_wall anchor, uint64_t from,
                                  stf_wall now, uint64_t *ret_index, stf_error *error)
{
    uint64_t low = from;
    uint64_t high = cycle->count < FARTHEST_INDEX ? cycle->count : FARTHEST_INDEX;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (is_later(cycle, anchor, middle, now)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    stf_wall time;
    stf_status status = stf__cycle_time(cycle, anchor, low, &time, error);
    if (status == STF_OK) {
        *ret_index = low;
    }
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Reading ISO 8601 date-times and durations, and the calendar arithmetic of timers. Everything is
 * int64 microseconds with checked overflow; fractions finer than a microsecond are cut off. */
#include "base/iso8601.h"

#include "base/calendar.h"
#include "base/mem.h"

enum {
    /* int64 microseconds reach about 292,000 years to both sides */
    LARGEST_YEAR = 300000,
    LARGEST_OFFSET_S = 14 * 3600,
    FRACTION_DIGITS = 9,
};

/* A cursor over the text. */
typedef struct scan {
    const char *at;
    const char *end;
} scan;

static bool take(scan *in, char expected)
{
    if (in->at < in->end && *in->at == expected) {
        in->at++;
        return true;
    }
    return false;
}

static bool is_digit(const scan *in)
{
    return in->at < in->end && *in->at >= '0' && *in->at <= '9';
}

/* Exactly count digits. */
static bool take_digits(scan *in, int count, int32_t *ret_number)
{
    int32_t number = 0;
    for (int i = 0; i < count; i++) {
        if (!is_digit(in)) {
            return false;
        }
        number = number * 10 + (*in->at++ - '0');
    }
    *ret_number = number;
    return true;
}

/* One or more digits after a point or comma, as billionths; what is finer is dropped. */
static bool take_fraction(scan *in, int64_t *ret_billionths)
{
    if (!is_digit(in)) {
        return false;
    }
    int64_t fraction = 0;
    int digits = 0;
    for (; is_digit(in); in->at++) {
        if (digits < FRACTION_DIGITS) {
            fraction = fraction * 10 + (*in->at - '0');
            digits++;
        }
    }
    for (; digits < FRACTION_DIGITS; digits++) {
        fraction *= 10;
    }
    *ret_billionths = fraction;
    return true;
}

/* ---- Date-times */

static bool take_date(scan *in, int64_t *ret_days)
{
    int32_t year;
    int32_t month;
    int32_t day;
    if (!take_digits(in, 4, &year) || !take(in, '-') || !take_digits(in, 2, &month) ||
        !take(in, '-') || !take_digits(in, 2, &day)) {
        return false;
    }
    if (year < 1 || month < 1 || month > 12 || day < 1 ||
        day > stf__calendar_days_in_month(year, month)) {
        return false;
    }
    *ret_days = stf__calendar_to_days((stf__civil){year, month, day});
    return true;
}

/* hh:mm[:ss[.f]]; 24:00 is the end of the day. */
static bool take_time(scan *in, int64_t *ret_us)
{
    int32_t hour;
    int32_t minute;
    int32_t second = 0;
    int64_t fraction = 0;
    if (!take_digits(in, 2, &hour) || !take(in, ':') || !take_digits(in, 2, &minute)) {
        return false;
    }
    if (take(in, ':')) {
        if (!take_digits(in, 2, &second)) {
            return false;
        }
        if ((take(in, '.') || take(in, ',')) && !take_fraction(in, &fraction)) {
            return false;
        }
    }
    if (minute > 59 || second > 59 || hour > 24 ||
        (hour == 24 && (minute != 0 || second != 0 || fraction != 0))) {
        return false;
    }
    *ret_us = (hour * 3600 + minute * 60 + second) * STF__US_PER_SECOND + fraction / 1000;
    return true;
}

/* Z, +hh, +hh:mm or +hhmm. */
static bool take_offset(scan *in, int32_t *ret_offset_s)
{
    if (take(in, 'Z')) {
        *ret_offset_s = 0;
        return true;
    }
    int32_t sign = 1;
    if (take(in, '-')) {
        sign = -1;
    } else if (!take(in, '+')) {
        return false;
    }
    int32_t hour;
    int32_t minute = 0;
    if (!take_digits(in, 2, &hour)) {
        return false;
    }
    if (in->at < in->end) {
        (void)take(in, ':');
        if (!take_digits(in, 2, &minute)) {
            return false;
        }
    }
    int32_t offset_s = hour * 3600 + minute * 60;
    if (minute > 59 || offset_s > LARGEST_OFFSET_S) {
        return false;
    }
    *ret_offset_s = sign * offset_s;
    return true;
}

stf_status stf__date_time_parse(stf_str text, stf__date_time *ret_time, stf_error *error)
{
    scan in = {text.data, text.data + text.size};
    int64_t days;
    int64_t us;
    int32_t offset_s;
    if (text.size == 0 || !take_date(&in, &days) || !take(&in, 'T') || !take_time(&in, &us) ||
        !take_offset(&in, &offset_s) || in.at != in.end) {
        return stf_error_set(error, STF_PARSE, "ISO8601",
                             "\"%.*s\" is not a date and time with a zone, such as "
                             "2026-01-31T12:00:00Z or 2026-01-31T12:00:00+01:00",
                             STF_STR_ARG(text));
    }
    /* Four-digit years cannot leave int64. */
    ret_time->at.us = days * STF__US_PER_DAY + us - offset_s * STF__US_PER_SECOND;
    ret_time->offset_s = offset_s;
    return STF_OK;
}

/* ---- Durations */

typedef struct component {
    char letter;
    bool is_time;   /* after the T */
    int64_t months; /* the unit: months, or else exact microseconds */
    int64_t us;
} component;

/* In the order in which they may come. */
static const component components[] = {
    {'Y', false, 12, 0},
    {'M', false, 1, 0},
    {'W', false, 0, 7 * STF__US_PER_DAY},
    {'D', false, 0, STF__US_PER_DAY},
    {'H', true, 0, 3600 * STF__US_PER_SECOND},
    {'M', true, 0, 60 * STF__US_PER_SECOND},
    {'S', true, 0, STF__US_PER_SECOND},
};

/* Digits with an optional fraction. */
static stf_status take_number(scan *in, int64_t *ret_whole, int64_t *ret_fraction,
                              bool *ret_has_fraction)
{
    int64_t whole = 0;
    bool is_too_large = false;
    if (!is_digit(in)) {
        return STF_PARSE;
    }
    for (; is_digit(in); in->at++) {
        is_too_large = is_too_large || __builtin_mul_overflow(whole, 10, &whole) ||
                       __builtin_add_overflow(whole, *in->at - '0', &whole);
    }
    *ret_has_fraction = take(in, '.') || take(in, ',');
    if (*ret_has_fraction && !take_fraction(in, ret_fraction)) {
        return STF_PARSE;
    }
    *ret_whole = whole;
    return is_too_large ? STF_LIMIT_EXCEEDED : STF_OK;
}

/* Billionths of a unit, which is at most a week: this does not overflow. */
static int64_t fraction_of(int64_t unit_us, int64_t billionths)
{
    return unit_us / STF__US_PER_SECOND * billionths / 1000;
}

static stf_status add_component(stf__duration *duration, const component *unit, int64_t whole,
                                int64_t fraction)
{
    int64_t part;
    int64_t *sum = unit->months != 0 ? &duration->months : &duration->us;
    if (__builtin_mul_overflow(whole, unit->months != 0 ? unit->months : unit->us, &part) ||
        __builtin_add_overflow(part, fraction_of(unit->us, fraction), &part) ||
        __builtin_add_overflow(*sum, part, sum)) {
        return STF_LIMIT_EXCEEDED;
    }
    return STF_OK;
}

/* What follows the sign. PARSE wins over LIMIT_EXCEEDED: a text that is both is not well-formed. */
static stf_status scan_duration(scan *in, stf__duration *duration)
{
    stf_status status = STF_OK;
    bool is_time = false;
    bool is_last = false;
    size_t next = 0;
    if (!take(in, 'P') || in->at == in->end) {
        return STF_PARSE;
    }
    while (in->at < in->end) {
        int64_t whole = 0;
        int64_t fraction = 0;
        if (!is_time && take(in, 'T')) {
            is_time = true;
        }
        stf_status number = take_number(in, &whole, &fraction, &is_last);
        if (number == STF_PARSE || in->at == in->end) {
            return STF_PARSE;
        }
        while (next < STF_COUNT_OF(components) &&
               !(components[next].letter == *in->at && components[next].is_time == is_time)) {
            next++;
        }
        in->at++;
        /* A fraction belongs to the last component only; of a month it would have no length. */
        if (next == STF_COUNT_OF(components) ||
            (is_last && (in->at != in->end || components[next].months != 0))) {
            return STF_PARSE;
        }
        stf_status added =
            number == STF_OK ? add_component(duration, &components[next], whole, fraction) : number;
        status = status != STF_OK ? status : added;
        next++;
    }
    return status;
}

stf_status stf__duration_parse(stf_str text, stf__duration *ret_duration, stf_error *error)
{
    scan in = {text.data, text.data + text.size};
    stf__duration duration = {0, 0};
    bool is_negative = text.size != 0 && take(&in, '-');
    stf_status status = text.size != 0 ? scan_duration(&in, &duration) : STF_PARSE;
    if (status == STF_LIMIT_EXCEEDED) {
        return stf_error_set(error, status, "ISO8601", "the duration \"%.*s\" is too long",
                             STF_STR_ARG(text));
    }
    if (status != STF_OK) {
        return stf_error_set(error, status, "ISO8601",
                             "\"%.*s\" is not a duration, such as P1Y2M3DT4H5M6S, P4W or PT0.5S",
                             STF_STR_ARG(text));
    }
    ret_duration->months = is_negative ? -duration.months : duration.months;
    ret_duration->us = is_negative ? -duration.us : duration.us;
    return STF_OK;
}

/* Moves a time by whole months in the local calendar of the offset; false when out of range. */
static bool add_months(stf__date_time start, int64_t months, int64_t *ret_us)
{
    int64_t offset_us = start.offset_s * STF__US_PER_SECOND;
    int64_t local_us;
    if (__builtin_add_overflow(start.at.us, offset_us, &local_us)) {
        return false;
    }
    int64_t days = stf__floor_div(local_us, STF__US_PER_DAY);
    int64_t in_day_us = local_us - days * STF__US_PER_DAY;
    stf__civil date = stf__calendar_from_days(days);
    int64_t index;
    if (__builtin_add_overflow(date.year * 12 + date.month - 1, months, &index)) {
        return false;
    }
    date.year = stf__floor_div(index, 12);
    date.month = (int32_t)(index - date.year * 12) + 1;
    if (date.year > LARGEST_YEAR || date.year < -LARGEST_YEAR) {
        return false;
    }
    int32_t last = stf__calendar_days_in_month(date.year, date.month);
    date.day = date.day < last ? date.day : last;
    return !__builtin_mul_overflow(stf__calendar_to_days(date), STF__US_PER_DAY, &local_us) &&
           !__builtin_add_overflow(local_us, in_day_us, &local_us) &&
           !__builtin_sub_overflow(local_us, offset_us, ret_us);
}

stf_status stf__duration_add(stf__date_time start, stf__duration duration, int64_t times,
                             stf_wall *ret_time, stf_error *error)
{
    int64_t us = start.at.us;
    int64_t months;
    int64_t exact_us;
    /* INT64_MIN is what "no time" looks like, so no sum may be it. */
    if (__builtin_mul_overflow(duration.months, times, &months) ||
        __builtin_mul_overflow(duration.us, times, &exact_us) ||
        (months != 0 && !add_months(start, months, &us)) ||
        __builtin_add_overflow(us, exact_us, &us) || us == STF_WALL_NONE_US) {
        return stf_error_set(error, STF_LIMIT_EXCEEDED, "ISO8601",
                             "the time is too far from today to be represented");
    }
    ret_time->us = us;
    return STF_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal numbers as text, exact in both directions: a text of more than 34 significant digits is
 * refused, never rounded. */
#include "base/mem.h"
#include "value/decimal.h"

#include <string.h>

enum {
    PLAIN_CHARACTERS = 40, /* the longest plain form */
};

/* Beyond any exponent that could be brought back into range by digits. */
static const int64_t EXPONENT_CLAMP = INT64_C(1) << 40;

typedef struct scan {
    const char *at;
    const char *end;
} scan;

/* What the digits said so far: coefficient * 10^exponent, without trailing zeros. */
typedef struct digits {
    stf__u128 coefficient;
    int64_t zeros; /* seen after the last digit that is not 0 */
    int64_t count; /* of all digits */
    int32_t significant;
} digits;

static bool is_digit(const scan *in)
{
    return in->at < in->end && *in->at >= '0' && *in->at <= '9';
}

/* Takes a run of digits, with at most 34 significant ones in all; false when there are more. */
static bool take_digits(scan *in, digits *seen)
{
    for (; is_digit(in); in->at++) {
        seen->count++;
        unsigned digit = (unsigned)(*in->at - '0');
        if (digit == 0) {
            seen->zeros += seen->coefficient != 0;
            continue;
        }
        if (seen->zeros + 1 > STF__DECIMAL_DIGITS - seen->significant) {
            return false;
        }
        int32_t shift = (int32_t)seen->zeros + 1;
        seen->coefficient = seen->coefficient * stf__decimal_power_of_ten(shift) + digit;
        seen->significant += seen->coefficient == digit ? 1 : shift;
        seen->zeros = 0;
    }
    return true;
}

static bool take_exponent(scan *in, int64_t *ret_exponent)
{
    bool is_negative = in->at < in->end && *in->at == '-';
    if (in->at < in->end && (*in->at == '-' || *in->at == '+')) {
        in->at++;
    }
    if (!is_digit(in)) {
        return false;
    }
    int64_t exponent = 0;
    for (; is_digit(in); in->at++) {
        if (exponent < EXPONENT_CLAMP) {
            exponent = exponent * 10 + (*in->at - '0');
        }
    }
    *ret_exponent = is_negative ? -exponent : exponent;
    return true;
}

/* OK, PARSE or LIMIT_EXCEEDED (too many digits; the rest is then not looked at). */
static stf_status scan_number(scan *in, digits *seen, int64_t *ret_exponent)
{
    int64_t exponent = 0;
    int64_t fraction = 0;
    if (!take_digits(in, seen)) {
        return STF_LIMIT_EXCEEDED;
    }
    if (in->at < in->end && *in->at == '.') {
        in->at++;
        int64_t whole = seen->count;
        if (!take_digits(in, seen)) {
            return STF_LIMIT_EXCEEDED;
        }
        fraction = seen->count - whole;
        if (fraction == 0) {
            return STF_PARSE;
        }
    }
    if (seen->count == 0) {
        return STF_PARSE;
    }
    if (in->at < in->end && (*in->at == 'e' || *in->at == 'E')) {
        in->at++;
        if (!take_exponent(in, &exponent)) {
            return STF_PARSE;
        }
    }
    *ret_exponent = exponent - fraction + seen->zeros;
    return in->at == in->end ? STF_OK : STF_PARSE;
}

stf_status stf_decimal_parse(stf_str text, stf_decimal *ret_number, stf_error *error)
{
    scan in = {text.data, text.data + text.size};
    digits seen = {0};
    int64_t exponent = 0;
    bool is_negative = text.size != 0 && *in.at == '-';
    if (is_negative) {
        in.at++;
    }
    stf_status status = text.size != 0 ? scan_number(&in, &seen, &exponent) : STF_PARSE;
    if (status == STF_LIMIT_EXCEEDED) {
        return stf_error_set(error, status, "VALUE",
                             "the number \"%.*s\" has more than 34 significant digits",
                             STF_STR_ARG(text));
    }
    if (status != STF_OK) {
        return stf_error_set(error, status, "VALUE", "\"%.*s\" is not a number", STF_STR_ARG(text));
    }
    if (seen.coefficient == 0) {
        *ret_number = stf_decimal_from_int(0);
        return STF_OK;
    }
    while (exponent > STF__DECIMAL_EXPONENT_MAX && seen.significant < STF__DECIMAL_DIGITS) {
        seen.coefficient *= 10;
        seen.significant++;
        exponent--;
    }
    if (exponent > STF__DECIMAL_EXPONENT_MAX || exponent < STF__DECIMAL_EXPONENT_MIN) {
        return stf_error_set(error, STF_LIMIT_EXCEEDED, "VALUE",
                             "the number \"%.*s\" is out of range", STF_STR_ARG(text));
    }
    *ret_number =
        stf__decimal_join((stf__decimal_parts){seen.coefficient, (int32_t)exponent, is_negative});
    return STF_OK;
}

/* The coefficient's digits. */
static void write_digits(stf__u128 coefficient, int32_t count, char *ret_digits)
{
    for (int32_t i = count - 1; i >= 0; i--) {
        ret_digits[i] = (char)('0' + (int)(coefficient % 10));
        coefficient /= 10;
    }
}

static char *put(char *at, const char *text, int32_t size)
{
    memcpy(at, text, (size_t)size);
    return at + size;
}

static char *put_zeros(char *at, int32_t count)
{
    memset(at, '0', (size_t)count);
    return at + count;
}

/* "1.5e+300"; at most 34 digits, two signs, a point, "e" and four digits: 42 characters. */
static char *put_scientific(char *at, const char *digits_text, int32_t count, int32_t exponent)
{
    *at++ = digits_text[0];
    if (count > 1) {
        *at++ = '.';
        at = put(at, digits_text + 1, count - 1);
    }
    *at++ = 'e';
    *at++ = exponent < 0 ? '-' : '+';
    stf__u128 size = (stf__u128)(exponent < 0 ? -exponent : exponent);
    int32_t size_digits = stf__decimal_count_digits(size);
    write_digits(size, size_digits, at);
    return at + size_digits;
}

void stf_decimal_format(stf_decimal number, char ret_text[STF_DECIMAL_TEXT_BYTES])
{
    stf__decimal_parts parts = stf__decimal_split(stf__decimal_canonical(number));
    char digits_text[STF__DECIMAL_DIGITS + 4] = {0};
    int32_t count = stf__decimal_count_digits(parts.coefficient);
    write_digits(parts.coefficient, count, digits_text);
    int32_t point = count + parts.exponent; /* digits before the decimal point */
    int32_t length = (parts.is_negative ? 1 : 0) + (parts.exponent >= 0 ? point
                                                    : point > 0         ? count + 1
                                                                        : 2 - parts.exponent);
    char *at = ret_text;
    if (parts.is_negative) {
        *at++ = '-';
    }
    if (length > PLAIN_CHARACTERS) {
        at = put_scientific(at, digits_text, count, point - 1);
    } else if (parts.exponent >= 0) {
        at = put_zeros(put(at, digits_text, count), parts.exponent);
    } else if (point > 0) {
        at = put(at, digits_text, point);
        *at++ = '.';
        at = put(at, digits_text + point, count - point);
    } else {
        at = put_zeros(put(at, "0.", 2), -point);
        at = put(at, digits_text, count);
    }
    *at = '\0';
}

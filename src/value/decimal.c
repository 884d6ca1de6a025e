/* SPDX-License-Identifier: Apache-2.0 */
/* The binary integer encoding of decimal128 by hand: bit 127 is the sign, bits 126..113 the
 * exponent with bias 6176, the rest the coefficient. Exponent bits that begin with 11 mean a
 * coefficient over 34 digits (which counts as 0) or, with 1111, an infinity or a NaN. */
#include "value/decimal.h"

#include <string.h>

enum {
    EXPONENT_BIAS = 6176,
    EXPONENT_SHIFT = 49, /* in the high word */
    EXPONENT_MASK = 0x3fff,
};

static const uint64_t SIGN_BIT = UINT64_C(1) << 63;
static const uint64_t COEFFICIENT_MASK = (UINT64_C(1) << EXPONENT_SHIFT) - 1;

bool stf__decimal_is_finite(stf_decimal number)
{
    return ((number.high >> 59) & 0xf) != 0xf;
}

stf__u128 stf__decimal_power_of_ten(int32_t power)
{
    static const uint64_t small[20] = {
        UINT64_C(1),
        UINT64_C(10),
        UINT64_C(100),
        UINT64_C(1000),
        UINT64_C(10000),
        UINT64_C(100000),
        UINT64_C(1000000),
        UINT64_C(10000000),
        UINT64_C(100000000),
        UINT64_C(1000000000),
        UINT64_C(10000000000),
        UINT64_C(100000000000),
        UINT64_C(1000000000000),
        UINT64_C(10000000000000),
        UINT64_C(100000000000000),
        UINT64_C(1000000000000000),
        UINT64_C(10000000000000000),
        UINT64_C(100000000000000000),
        UINT64_C(1000000000000000000),
        UINT64_C(10000000000000000000),
    };
    return power < 20 ? small[power] : (stf__u128)small[19] * small[power - 19];
}

int32_t stf__decimal_count_digits(stf__u128 coefficient)
{
    int32_t digits = 1;
    while (digits < 38 && coefficient >= stf__decimal_power_of_ten(digits)) {
        digits++;
    }
    return digits;
}

stf__decimal_parts stf__decimal_split(stf_decimal number)
{
    stf__decimal_parts parts = {.is_negative = (number.high & SIGN_BIT) != 0};
    if ((number.high >> 61 & 3) == 3) {
        return (stf__decimal_parts){0};
    }
    parts.exponent = (int32_t)(number.high >> EXPONENT_SHIFT & EXPONENT_MASK) - EXPONENT_BIAS;
    parts.coefficient = (stf__u128)(number.high & COEFFICIENT_MASK) << 64 | number.low;
    if (parts.coefficient == 0 ||
        parts.coefficient >= stf__decimal_power_of_ten(STF__DECIMAL_DIGITS)) {
        return (stf__decimal_parts){0};
    }
    return parts;
}

/* Chooses among the encodings of one number; see the header. */
static stf__decimal_parts normalise(stf__decimal_parts parts)
{
    if (parts.coefficient == 0) {
        return (stf__decimal_parts){0};
    }
    if (parts.exponent > 0) {
        int32_t digits = stf__decimal_count_digits(parts.coefficient);
        if (digits + parts.exponent <= STF__DECIMAL_DIGITS) {
            parts.coefficient *= stf__decimal_power_of_ten(parts.exponent);
            parts.exponent = 0;
            return parts;
        }
    }
    int32_t highest = parts.exponent > 0 ? STF__DECIMAL_EXPONENT_MAX : 0;
    while (parts.exponent < highest && parts.coefficient % 10 == 0) {
        parts.coefficient /= 10;
        parts.exponent++;
    }
    return parts;
}

stf_decimal stf__decimal_join(stf__decimal_parts parts)
{
    parts = normalise(parts);
    int32_t biased = parts.exponent + EXPONENT_BIAS;
    uint64_t exponent = (uint64_t)biased;
    return (stf_decimal){
        .low = (uint64_t)parts.coefficient,
        .high = (parts.is_negative ? SIGN_BIT : 0) | exponent << EXPONENT_SHIFT |
                (uint64_t)(parts.coefficient >> 64),
    };
}

stf_decimal stf__decimal_canonical(stf_decimal number)
{
    return stf__decimal_join(stf__decimal_split(number));
}

stf_decimal stf_decimal_from_int(int64_t number)
{
    bool is_negative = number < 0;
    uint64_t size = is_negative ? 0 - (uint64_t)number : (uint64_t)number;
    return stf__decimal_join((stf__decimal_parts){size, 0, is_negative});
}

bool stf_decimal_to_int(stf_decimal number, int64_t *ret_int)
{
    if (!stf__decimal_is_finite(number)) {
        return false;
    }
    stf__decimal_parts parts = normalise(stf__decimal_split(number));
    stf__u128 largest = (stf__u128)INT64_MAX + (parts.is_negative ? 1 : 0);
    if (parts.exponent != 0 || parts.coefficient > largest) {
        return false;
    }
    uint64_t size = (uint64_t)parts.coefficient;
    /* Two's complement through uint64: -INT64_MIN has no int64. */
    uint64_t bits = parts.is_negative ? 0 - size : size;
    memcpy(ret_int, &bits, sizeof(bits));
    return true;
}

/* Order of the absolute values. */
static int compare_sizes(stf__decimal_parts a, stf__decimal_parts b)
{
    if (a.coefficient == 0 || b.coefficient == 0) {
        return (a.coefficient != 0) - (b.coefficient != 0);
    }
    int32_t a_digits = stf__decimal_count_digits(a.coefficient);
    int32_t b_digits = stf__decimal_count_digits(b.coefficient);
    int32_t a_top = a_digits + a.exponent;
    int32_t b_top = b_digits + b.exponent;
    if (a_top != b_top) {
        return a_top < b_top ? -1 : 1;
    }
    /* The same magnitude: with equally many digits the coefficients compare. */
    if (a_digits < b_digits) {
        a.coefficient *= stf__decimal_power_of_ten(b_digits - a_digits);
    } else {
        b.coefficient *= stf__decimal_power_of_ten(a_digits - b_digits);
    }
    return (a.coefficient > b.coefficient) - (a.coefficient < b.coefficient);
}

int stf_decimal_compare(stf_decimal a, stf_decimal b)
{
    stf__decimal_parts a_parts = stf__decimal_split(a);
    stf__decimal_parts b_parts = stf__decimal_split(b);
    if (a_parts.is_negative != b_parts.is_negative) {
        return a_parts.is_negative ? -1 : 1;
    }
    int order = compare_sizes(a_parts, b_parts);
    return a_parts.is_negative ? -order : order;
}

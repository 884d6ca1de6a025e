/* SPDX-License-Identifier: Apache-2.0 */
/* decimal128 taken apart and put together: sign, coefficient (at most 34 digits), exponent. The
 * words of stf_decimal are those of the Intel library's BID_UINT128, so a result of that library
 * becomes one of our numbers by stf__decimal_is_finite and stf__decimal_canonical. */
#ifndef STF_VALUE_DECIMAL_H
#define STF_VALUE_DECIMAL_H

#include <stepfast/value.h>

__extension__ typedef unsigned __int128 stf__u128;

enum {
    STF__DECIMAL_DIGITS = 34,
    STF__DECIMAL_EXPONENT_MIN = -6176,
    STF__DECIMAL_EXPONENT_MAX = 6111,
};

typedef struct stf__decimal_parts {
    stf__u128 coefficient;
    int32_t exponent;
    bool is_negative;
} stf__decimal_parts;

/* False for infinities and NaNs, which are never values. */
bool stf__decimal_is_finite(stf_decimal number);

/* The one encoding of a finite number: +0 with exponent 0 for zero; no trailing zeros behind the
 * point; whole numbers of up to 34 digits with exponent 0; larger ones with the shortest
 * coefficient that the exponent's range allows. What is not finite becomes 0. */
stf_decimal stf__decimal_canonical(stf_decimal number);

stf__decimal_parts stf__decimal_split(stf_decimal number);

/* Canonical. The coefficient has at most 34 digits and the exponent is in range. */
stf_decimal stf__decimal_join(stf__decimal_parts parts);

/* 10 to the power, 0 <= power <= 38. */
stf__u128 stf__decimal_power_of_ten(int32_t power);

/* Decimal digits of the coefficient; 1 for 0. */
int32_t stf__decimal_count_digits(stf__u128 coefficient);

#endif

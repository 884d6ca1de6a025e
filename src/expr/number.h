/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal arithmetic of 34 digits, round half to even. All results are canonical; false where
 * there is no finite result (division by zero, overflow, a root of a negative number). */
#ifndef STF_EXPR_NUMBER_H
#define STF_EXPR_NUMBER_H

#include <stepfast/value.h>

bool stf__number_add(stf_decimal a, stf_decimal b, stf_decimal *ret_number);
bool stf__number_subtract(stf_decimal a, stf_decimal b, stf_decimal *ret_number);
bool stf__number_multiply(stf_decimal a, stf_decimal b, stf_decimal *ret_number);
bool stf__number_divide(stf_decimal a, stf_decimal b, stf_decimal *ret_number);
/* Exact as far as 34 digits go for whole exponents. */
bool stf__number_power(stf_decimal base, stf_decimal exponent, stf_decimal *ret_number);
/* The rest of a division: with the sign of the dividend (JUEL, Java) or of the divisor (FEEL). */
bool stf__number_remainder(stf_decimal a, stf_decimal b, stf_decimal *ret_number);
bool stf__number_modulo(stf_decimal a, stf_decimal b, stf_decimal *ret_number);

stf_decimal stf__number_negate(stf_decimal number);
stf_decimal stf__number_abs(stf_decimal number);

typedef enum stf__rounding {
    STF__ROUND_DOWN, /* towards minus infinity */
    STF__ROUND_UP,
    STF__ROUND_HALF_UP /* away from zero on a tie, as FEEL's "round half up" */
} stf__rounding;

/* To that many digits behind the point; false for a scale outside -6111..6176. */
bool stf__number_round(stf_decimal number, int64_t scale, stf__rounding rounding,
                       stf_decimal *ret_number);

#endif

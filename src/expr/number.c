/* SPDX-License-Identifier: Apache-2.0 */
/* The only file that sees Intel's decimal library. Its header needs to know which build of the
 * library is linked: 000 is call by value with the rounding mode and the status flags as
 * arguments. */
#define DECIMAL_CALL_BY_REFERENCE 0
#define DECIMAL_GLOBAL_ROUNDING 0
#define DECIMAL_GLOBAL_EXCEPTION_FLAGS 0
#include "expr/number.h"

#include <bid_conf.h>
#include <bid_functions.h>

#include "value/decimal.h"

static BID_UINT128 to_bid(stf_decimal number)
{
    return (BID_UINT128){.w = {number.low, number.high}};
}

static bool from_bid(BID_UINT128 bid, stf_decimal *ret_number)
{
    stf_decimal number = {.low = bid.w[0], .high = bid.w[1]};
    if (!stf__decimal_is_finite(number)) {
        return false;
    }
    *ret_number = stf__decimal_canonical(number);
    return true;
}

bool stf__number_add(stf_decimal a, stf_decimal b, stf_decimal *ret_number)
{
    _IDEC_flags flags = 0;
    return from_bid(bid128_add(to_bid(a), to_bid(b), BID_ROUNDING_TO_NEAREST, &flags), ret_number);
}

bool stf__number_subtract(stf_decimal a, stf_decimal b, stf_decimal *ret_number)
{
    _IDEC_flags flags = 0;
    return from_bid(bid128_sub(to_bid(a), to_bid(b), BID_ROUNDING_TO_NEAREST, &flags), ret_number);
}

bool stf__number_multiply(stf_decimal a, stf_decimal b, stf_decimal *ret_number)
{
    _IDEC_flags flags = 0;
    return from_bid(bid128_mul(to_bid(a), to_bid(b), BID_ROUNDING_TO_NEAREST, &flags), ret_number);
}

bool stf__number_divide(stf_decimal a, stf_decimal b, stf_decimal *ret_number)
{
    _IDEC_flags flags = 0;
    return from_bid(bid128_div(to_bid(a), to_bid(b), BID_ROUNDING_TO_NEAREST, &flags), ret_number);
}

/* Square and multiply: at most 64 rounds, and exact while the powers have at most 34 digits. */
static bool whole_power(stf_decimal base, uint64_t exponent, stf_decimal *ret_number)
{
    stf_decimal power = base;
    stf_decimal result = stf_decimal_from_int(1);
    while (exponent != 0) {
        if ((exponent & 1u) != 0 && !stf__number_multiply(result, power, &result)) {
            return false;
        }
        exponent >>= 1;
        if (exponent != 0 && !stf__number_multiply(power, power, &power)) {
            return false;
        }
    }
    *ret_number = result;
    return true;
}

bool stf__number_power(stf_decimal base, stf_decimal exponent, stf_decimal *ret_number)
{
    int64_t whole = 0;
    stf_decimal power;
    if (stf_decimal_to_int(exponent, &whole)) {
        uint64_t size = whole < 0 ? 0 - (uint64_t)whole : (uint64_t)whole;
        bool is_power = whole_power(base, size, &power);
        if (is_power && whole < 0) {
            return stf__number_divide(stf_decimal_from_int(1), power, ret_number);
        }
        if (is_power) {
            *ret_number = power;
            return true;
        }
    }
    _IDEC_flags flags = 0;
    return from_bid(bid128_pow(to_bid(base), to_bid(exponent), BID_ROUNDING_TO_NEAREST, &flags),
                    ret_number);
}

bool stf__number_remainder(stf_decimal a, stf_decimal b, stf_decimal *ret_number)
{
    _IDEC_flags flags = 0;
    return from_bid(bid128_fmod(to_bid(a), to_bid(b), &flags), ret_number);
}

bool stf__number_modulo(stf_decimal a, stf_decimal b, stf_decimal *ret_number)
{
    stf_decimal rest;
    if (!stf__number_remainder(a, b, &rest)) {
        return false;
    }
    stf_decimal zero = stf_decimal_from_int(0);
    int sign = stf_decimal_compare(rest, zero);
    if (sign != 0 && sign != stf_decimal_compare(b, zero)) {
        return stf__number_add(rest, b, ret_number);
    }
    *ret_number = rest;
    return true;
}

stf_decimal stf__number_negate(stf_decimal number)
{
    stf__decimal_parts parts = stf__decimal_split(number);
    parts.is_negative = !parts.is_negative;
    return stf__decimal_join(parts); /* zero stays +0 */
}

stf_decimal stf__number_abs(stf_decimal number)
{
    stf__decimal_parts parts = stf__decimal_split(number);
    parts.is_negative = false;
    return stf__decimal_join(parts);
}

bool stf__number_round(stf_decimal number, int64_t scale, stf__rounding rounding,
                       stf_decimal *ret_number)
{
    static const unsigned modes[] = {
        [STF__ROUND_DOWN] = BID_ROUNDING_DOWN,
        [STF__ROUND_UP] = BID_ROUNDING_UP,
        [STF__ROUND_HALF_UP] = BID_ROUNDING_TIES_AWAY,
    };
    if (scale < -STF__DECIMAL_EXPONENT_MAX || scale > -STF__DECIMAL_EXPONENT_MIN) {
        return false;
    }
    if (stf__decimal_split(number).exponent >= -scale) {
        *ret_number = number; /* it has no digit behind that place */
        return true;
    }
    stf_decimal unit = {.low = 1, .high = (uint64_t)(-scale - STF__DECIMAL_EXPONENT_MIN) << 49};
    _IDEC_flags flags = 0;
    return from_bid(bid128_quantize(to_bid(number), to_bid(unit), modes[rounding], &flags),
                    ret_number);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The table of built-ins, and those that work on single values and numbers. */
#include "expr/builtins.h"

#include "base/mem.h"
#include "expr/number.h"

static const stf__builtin builtins[] = {
#define BUILTIN_ROW(name, count_min, count_max, function)                                          \
    {{name, sizeof(name) - 1}, count_min, count_max, stf__builtin_##function},
#undef STF__BUILTIN
#define STF__BUILTIN BUILTIN_ROW
#include "expr/builtins.def"
#undef STF__BUILTIN
};

const stf__builtin *stf__builtin_find(stf_str name)
{
    for (size_t i = 0; i < STF_COUNT_OF(builtins); i++) {
        if (stf_str_equal(builtins[i].name, name)) {
            return &builtins[i];
        }
    }
    return NULL;
}

stf_status stf__builtin_not(stf__eval *eval, const stf__node *at, stf_value *const *arguments,
                            size_t count, stf_value **ret_value)
{
    (void)eval;
    (void)at;
    (void)count;
    if (stf_value_get_kind(arguments[0]) != STF_VALUE_BOOL) {
        return stf__eval_give_null(ret_value);
    }
    return stf__eval_give_bool(!stf_value_is_true(arguments[0]), ret_value);
}

/* Not null: what a name that nobody set evaluates to is null as well. */
stf_status stf__builtin_is_defined(stf__eval *eval, const stf__node *at,
                                   stf_value *const *arguments, size_t count, stf_value **ret_value)
{
    (void)eval;
    (void)at;
    (void)count;
    return stf__eval_give_bool(stf_value_get_kind(arguments[0]) != STF_VALUE_NULL, ret_value);
}

stf_status stf__builtin_get_value(stf__eval *eval, const stf__node *at, stf_value *const *arguments,
                                  size_t count, stf_value **ret_value)
{
    (void)eval;
    (void)at;
    (void)count;
    if (stf_value_get_kind(arguments[1]) != STF_VALUE_STRING) {
        return stf__eval_give_null(ret_value);
    }
    return stf__eval_give_ref(stf_value_peek(arguments[0], stf_value_peek_string(arguments[1])),
                              ret_value);
}

stf_status stf__builtin_abs(stf__eval *eval, const stf__node *at, stf_value *const *arguments,
                            size_t count, stf_value **ret_value)
{
    (void)at;
    (void)count;
    stf_decimal number = stf_decimal_from_int(0);
    bool is_number = stf_value_get_number(arguments[0], &number);
    return stf__eval_give_number(eval, is_number, stf__number_abs(number), ret_value);
}

/* round(number, scale); the scale is 0 when it is not given. */
static stf_status give_rounded(stf__eval *eval, stf_value *const *arguments, size_t count,
                               stf__rounding rounding, stf_value **ret_value)
{
    stf_decimal number = stf_decimal_from_int(0);
    int64_t scale = 0;
    bool is_number = stf_value_get_number(arguments[0], &number) &&
                     (count < 2 || stf_value_get_int(arguments[1], &scale)) &&
                     stf__number_round(number, scale, rounding, &number);
    return stf__eval_give_number(eval, is_number, number, ret_value);
}

stf_status stf__builtin_floor(stf__eval *eval, const stf__node *at, stf_value *const *arguments,
                              size_t count, stf_value **ret_value)
{
    (void)at;
    return give_rounded(eval, arguments, count, STF__ROUND_DOWN, ret_value);
}

stf_status stf__builtin_ceiling(stf__eval *eval, const stf__node *at, stf_value *const *arguments,
                                size_t count, stf_value **ret_value)
{
    (void)at;
    return give_rounded(eval, arguments, count, STF__ROUND_UP, ret_value);
}

stf_status stf__builtin_round_half_up(stf__eval *eval, const stf__node *at,
                                      stf_value *const *arguments, size_t count,
                                      stf_value **ret_value)
{
    (void)at;
    return give_rounded(eval, arguments, count, STF__ROUND_HALF_UP, ret_value);
}

stf_status stf__builtin_modulo(stf__eval *eval, const stf__node *at, stf_value *const *arguments,
                               size_t count, stf_value **ret_value)
{
    (void)at;
    (void)count;
    stf_decimal a = stf_decimal_from_int(0);
    stf_decimal b = a;
    stf_decimal rest = a;
    bool is_number = stf_value_get_number(arguments[0], &a) &&
                     stf_value_get_number(arguments[1], &b) && stf__number_modulo(a, b, &rest);
    return stf__eval_give_number(eval, is_number, rest, ret_value);
}

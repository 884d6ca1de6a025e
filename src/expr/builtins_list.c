/* SPDX-License-Identifier: Apache-2.0 */
/* Built-ins on lists (DMN 1.4 10.3.4.4). sum, min, max and mean take a list or its items. */
#include "base/mem.h"
#include "expr/builtins.h"
#include "expr/number.h"

/* What a function of many values works on: the items of its only argument, or its arguments. */
typedef struct sequence {
    const stf_value *list; /* or NULL */
    stf_value *const *values;
    size_t count;
} sequence;

static sequence sequence_of(stf_value *const *arguments, size_t count)
{
    if (count == 1 && stf_value_get_kind(arguments[0]) == STF_VALUE_LIST) {
        return (sequence){arguments[0], NULL, stf_value_count(arguments[0])};
    }
    return (sequence){NULL, arguments, count};
}

static const stf_value *peek(const sequence *values, size_t index)
{
    return values->list != NULL ? stf_value_peek_item(values->list, index) : values->values[index];
}

stf_status stf__builtin_count(stf__eval *eval, const stf__node *at, stf_value *const *arguments,
                              size_t count, stf_value **ret_value)
{
    (void)at;
    (void)count;
    if (stf_value_get_kind(arguments[0]) == STF_VALUE_NULL) {
        return stf__eval_give_null(ret_value);
    }
    return stf__eval_give_int(eval, (int64_t)sequence_of(arguments, 1).count, ret_value);
}

/* False when there is nothing to add or something is no number. */
static stf_status add_all(stf__eval *eval, const stf__node *at, const sequence *values,
                          stf_decimal *ret_sum, bool *ret_is_number)
{
    stf_decimal sum = stf_decimal_from_int(0);
    bool is_number = values->count != 0;
    STF__TRY(stf__eval_charge(eval, at, values->count));
    for (size_t i = 0; i < values->count && is_number; i++) {
        stf_decimal number;
        is_number =
            stf_value_get_number(peek(values, i), &number) && stf__number_add(sum, number, &sum);
    }
    *ret_sum = sum;
    *ret_is_number = is_number;
    return STF_OK;
}

stf_status stf__builtin_sum(stf__eval *eval, const stf__node *at, stf_value *const *arguments,
                            size_t count, stf_value **ret_value)
{
    sequence values = sequence_of(arguments, count);
    stf_decimal sum;
    bool is_number = false;
    STF__TRY(add_all(eval, at, &values, &sum, &is_number));
    return stf__eval_give_number(eval, is_number, sum, ret_value);
}

stf_status stf__builtin_mean(stf__eval *eval, const stf__node *at, stf_value *const *arguments,
                             size_t count, stf_value **ret_value)
{
    sequence values = sequence_of(arguments, count);
    stf_decimal sum;
    bool is_number = false;
    STF__TRY(add_all(eval, at, &values, &sum, &is_number));
    is_number =
        is_number && stf__number_divide(sum, stf_decimal_from_int((int64_t)values.count), &sum);
    return stf__eval_give_number(eval, is_number, sum, ret_value);
}

/* The first value that op (LESS, GREATER) prefers to all others; null when two are in no order. */
static stf_status give_extreme(stf__eval *eval, const stf__node *at, const sequence *values,
                               stf__op op, stf_value **ret_value)
{
    const stf_value *best = values->count != 0 ? peek(values, 0) : NULL;
    stf__truth truth = STF__UNKNOWN;
    /* Compared with itself, a value tells whether its kind has an order at all. */
    STF__TRY(stf__operator_compare_feel(eval, at, op, best, best, &truth));
    for (size_t i = 1; i < values->count && truth != STF__UNKNOWN; i++) {
        const stf_value *other = peek(values, i);
        STF__TRY(stf__eval_charge(eval, at, 1));
        STF__TRY(stf__operator_compare_feel(eval, at, op, other, best, &truth));
        best = truth == STF__YES ? other : best;
    }
    return stf__eval_give_ref(truth == STF__UNKNOWN ? NULL : best, ret_value);
}

stf_status stf__builtin_min(stf__eval *eval, const stf__node *at, stf_value *const *arguments,
                            size_t count, stf_value **ret_value)
{
    sequence values = sequence_of(arguments, count);
    return give_extreme(eval, at, &values, STF__OP_LESS, ret_value);
}

stf_status stf__builtin_max(stf__eval *eval, const stf__node *at, stf_value *const *arguments,
                            size_t count, stf_value **ret_value)
{
    sequence values = sequence_of(arguments, count);
    return give_extreme(eval, at, &values, STF__OP_GREATER, ret_value);
}

/* The items of a list, or a single value as the only item. */
static stf_status add_items(stf__eval *eval, const stf__node *at, stf_value *const *argument,
                            stf__items *items)
{
    sequence values = sequence_of(argument, 1);
    for (size_t i = 0; i < values.count; i++) {
        STF__TRY(stf__items_add(eval, at, items, peek(&values, i)));
    }
    return STF_OK;
}

stf_status stf__builtin_append(stf__eval *eval, const stf__node *at, stf_value *const *arguments,
                               size_t count, stf_value **ret_value)
{
    STF_CLEANUP(stf__items_done) stf__items items = {.alloc = eval->alloc};
    if (stf_value_get_kind(arguments[0]) == STF_VALUE_NULL) {
        return stf__eval_give_null(ret_value);
    }
    STF__TRY(add_items(eval, at, arguments, &items));
    for (size_t i = 1; i < count; i++) {
        STF__TRY(stf__items_add(eval, at, &items, arguments[i]));
    }
    return stf__items_give_list(eval, &items, ret_value);
}

stf_status stf__builtin_concatenate(stf__eval *eval, const stf__node *at,
                                    stf_value *const *arguments, size_t count,
                                    stf_value **ret_value)
{
    STF_CLEANUP(stf__items_done) stf__items items = {.alloc = eval->alloc};
    for (size_t i = 0; i < count; i++) {
        if (stf_value_get_kind(arguments[i]) == STF_VALUE_NULL) {
            return stf__eval_give_null(ret_value);
        }
        STF__TRY(add_items(eval, at, &arguments[i], &items));
    }
    return stf__items_give_list(eval, &items, ret_value);
}

stf_status stf__builtin_list_contains(stf__eval *eval, const stf__node *at,
                                      stf_value *const *arguments, size_t count,
                                      stf_value **ret_value)
{
    (void)count;
    bool is_same = false;
    if (stf_value_get_kind(arguments[0]) == STF_VALUE_NULL) {
        return stf__eval_give_null(ret_value);
    }
    sequence values = sequence_of(arguments, 1);
    for (size_t i = 0; i < values.count && !is_same; i++) {
        STF__TRY(stf__operator_same(eval, at, peek(&values, i), arguments[1], &is_same));
    }
    return stf__eval_give_bool(is_same, ret_value);
}

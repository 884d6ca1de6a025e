/* SPDX-License-Identifier: Apache-2.0 */
/* What FEEL's operators do with values (DMN 1.4 tables 42 to 55), and the choice of the language.
 * In FEEL an operation without a meaning is null, never an error. */
#include <string.h>

#include "base/mem.h"
#include "expr/eval.h"
#include "expr/number.h"

const char *stf__kind_name(const stf_value *value)
{
    static const char *const names[] = {
        [STF_VALUE_NULL] = "null",       [STF_VALUE_BOOL] = "a boolean",
        [STF_VALUE_NUMBER] = "a number", [STF_VALUE_STRING] = "a text",
        [STF_VALUE_LIST] = "a list",     [STF_VALUE_CONTEXT] = "a context",
    };
    return names[stf_value_get_kind(value)];
}

const char *stf__op_text(stf__op op)
{
    static const char *const texts[] = {
#define OP_TEXT(name, text) text,
        STF__OP_MAP(OP_TEXT)
#undef OP_TEXT
    };
    return texts[op];
}

stf__truth stf__truth_of(bool is_true)
{
    return is_true ? STF__YES : STF__NO;
}

stf_status stf__truth_give(stf__truth truth, stf_value **ret_value)
{
    if (truth == STF__UNKNOWN) {
        return stf__eval_give_null(ret_value);
    }
    return stf__eval_give_bool(truth == STF__YES, ret_value);
}

/* Recursion: values are at most STF_LIMIT_VALUE_DEPTH deep. */
stf_status stf__operator_same(stf__eval *eval, /* NOLINT(misc-no-recursion) */
                              const stf__node *at, const stf_value *a, const stf_value *b,
                              bool *ret_is_same)
{
    stf_value_kind kind = stf_value_get_kind(a);
    size_t count = stf_value_count(a);
    STF__TRY(stf__eval_charge(eval, at, 1));
    bool is_same = a == b;
    bool is_nested = kind == STF_VALUE_LIST || kind == STF_VALUE_CONTEXT;
    if (is_same || kind != stf_value_get_kind(b) || (is_nested && count != stf_value_count(b))) {
        *ret_is_same = is_same;
        return STF_OK;
    }
    if (!is_nested) {
        STF__TRY(stf__eval_charge_text(eval, at, stf_value_peek_string(a).size));
        *ret_is_same = stf_value_equal(a, b);
        return STF_OK;
    }
    is_same = true;
    for (size_t i = 0; i < count && is_same; i++) {
        /* Keys are sorted, so equal contexts have equal keys at equal places. */
        STF__TRY(stf__eval_charge_text(eval, at, stf_value_peek_key(a, i).size));
        is_same = stf_str_equal(stf_value_peek_key(a, i), stf_value_peek_key(b, i));
        if (is_same) {
            STF__TRY(stf__operator_same(eval, at, stf_value_peek_item(a, i),
                                        stf_value_peek_item(b, i), &is_same));
        }
    }
    *ret_is_same = is_same;
    return STF_OK;
}

bool stf__op_matches(stf__op op, int order)
{
    if (order == 0) {
        return op == STF__OP_LESS_EQUAL || op == STF__OP_GREATER_EQUAL;
    }
    return (order < 0) == (op == STF__OP_LESS || op == STF__OP_LESS_EQUAL);
}

stf_status stf__operator_compare_feel(stf__eval *eval, const stf__node *at, stf__op op,
                                      const stf_value *a, const stf_value *b, stf__truth *ret_truth)
{
    stf_value_kind a_kind = stf_value_get_kind(a);
    stf_value_kind b_kind = stf_value_get_kind(b);
    bool has_null = a_kind == STF_VALUE_NULL || b_kind == STF_VALUE_NULL;
    *ret_truth = STF__UNKNOWN;
    if (op == STF__OP_EQUAL || op == STF__OP_NOT_EQUAL) {
        bool is_same = false;
        if (a_kind != b_kind && !has_null) {
            return STF_OK;
        }
        STF__TRY(stf__operator_same(eval, at, a, b, &is_same));
        *ret_truth = stf__truth_of(is_same == (op == STF__OP_EQUAL));
        return STF_OK;
    }
    if (a_kind != b_kind) {
        return STF_OK;
    }
    if (a_kind == STF_VALUE_NUMBER) {
        stf_decimal x = {0, 0};
        stf_decimal y = {0, 0};
        (void)stf_value_get_number(a, &x);
        (void)stf_value_get_number(b, &y);
        *ret_truth = stf__truth_of(stf__op_matches(op, stf_decimal_compare(x, y)));
    } else if (a_kind == STF_VALUE_STRING) {
        stf_str x = stf_value_peek_string(a);
        stf_str y = stf_value_peek_string(b);
        STF__TRY(stf__eval_charge_text(eval, at, x.size < y.size ? x.size : y.size));
        *ret_truth = stf__truth_of(stf__op_matches(op, stf_str_compare(x, y)));
    }
    return STF_OK;
}

static stf_status concat(stf__eval *eval, const stf__node *at, stf_str a, stf_str b,
                         stf_value **ret_value)
{
    STF__TRY(stf__eval_charge_text(eval, at, a.size + b.size));
    STF_CLEANUP(stf_buf_done) stf_buf buf;
    stf_buf_init(&buf, eval->alloc);
    if (stf_buf_append_str(&buf, a) != STF_OK || stf_buf_append_str(&buf, b) != STF_OK) {
        return stf__eval_no_memory(eval);
    }
    return stf_value_new_string(eval->alloc, stf_buf_str(&buf), ret_value, eval->source.error);
}

typedef bool (*arithmetic_fn)(stf_decimal a, stf_decimal b, stf_decimal *ret_number);

static stf_status apply_feel(stf__eval *eval, const stf__node *at, stf__op op, const stf_value *a,
                             const stf_value *b, stf_value **ret_value)
{
    static const arithmetic_fn arithmetic[STF__OPS] = {
        [STF__OP_ADD] = stf__number_add,           [STF__OP_SUBTRACT] = stf__number_subtract,
        [STF__OP_MULTIPLY] = stf__number_multiply, [STF__OP_DIVIDE] = stf__number_divide,
        [STF__OP_POWER] = stf__number_power,
    };
    if (arithmetic[op] == NULL) {
        stf__truth truth = STF__UNKNOWN;
        STF__TRY(stf__operator_compare_feel(eval, at, op, a, b, &truth));
        return stf__truth_give(truth, ret_value);
    }
    if (op == STF__OP_ADD && stf_value_get_kind(a) == STF_VALUE_STRING &&
        stf_value_get_kind(b) == STF_VALUE_STRING) {
        return concat(eval, at, stf_value_peek_string(a), stf_value_peek_string(b), ret_value);
    }
    stf_decimal x;
    stf_decimal y;
    if (!stf_value_get_number(a, &x) || !stf_value_get_number(b, &y)) {
        return stf__eval_give_null(ret_value);
    }
    stf_decimal result = x;
    bool is_number = arithmetic[op](x, y, &result);
    return stf__eval_give_number(eval, is_number, result, ret_value);
}

stf_status stf__operator_apply(stf__eval *eval, const stf__node *at, size_t offset, stf__op op,
                               const stf_value *a, const stf_value *b, stf_value **ret_value)
{
    return eval->language == STF_EXPR_JUEL ? stf__juel_apply(eval, at, offset, op, a, b, ret_value)
                                           : apply_feel(eval, at, op, a, b, ret_value);
}

stf_status stf__operator_truth(stf__eval *eval, const stf__node *at, const stf_value *value,
                               stf__truth *ret_truth)
{
    if (eval->language == STF_EXPR_JUEL) {
        return stf__juel_truth(eval, at, value, ret_truth);
    }
    *ret_truth = stf_value_get_kind(value) == STF_VALUE_BOOL
                     ? stf__truth_of(stf_value_is_true(value))
                     : STF__UNKNOWN;
    return STF_OK;
}

stf_status stf__operator_negate(stf__eval *eval, const stf__node *at, const stf_value *value,
                                stf_value **ret_value)
{
    stf_decimal number = stf_decimal_from_int(0);
    bool is_number = stf_value_get_number(value, &number);
    if (eval->language == STF_EXPR_JUEL) {
        STF__TRY(stf__juel_number(eval, at->offset, value, &number));
        is_number = true;
    }
    return stf__eval_give_number(eval, is_number, stf__number_negate(number), ret_value);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What JUEL's operators do with values: the coercions of the Expression Language. A text that looks
 * like a number counts as one; what has no meaning is an error, so that a wrong variable is seen.
 */
#include "base/mem.h"
#include "expr/eval.h"
#include "expr/number.h"

/* Numbers, texts that are numbers; null and the empty text are 0. */
static bool coerce_number(const stf_value *value, stf_decimal *ret_number)
{
    stf_str text = stf_value_peek_string(value);
    switch (stf_value_get_kind(value)) {
    case STF_VALUE_NULL:
        *ret_number = stf_decimal_from_int(0);
        return true;
    case STF_VALUE_NUMBER:
        return stf_value_get_number(value, ret_number);
    case STF_VALUE_STRING:
        if (text.size == 0) {
            *ret_number = stf_decimal_from_int(0);
            return true;
        }
        return stf_decimal_parse(text, ret_number, NULL) == STF_OK;
    case STF_VALUE_BOOL:
    case STF_VALUE_LIST:
    case STF_VALUE_CONTEXT:
    default:
        return false;
    }
}

stf_status stf__juel_number(stf__eval *eval, size_t offset, const stf_value *value,
                            stf_decimal *ret_number)
{
    if (coerce_number(value, ret_number)) {
        return STF_OK;
    }
    stf_str text = stf_value_peek_string(value);
    if (stf_value_get_kind(value) == STF_VALUE_STRING) {
        return stf__source_fail(&eval->source, STF_EXPRESSION, offset,
                                "a number is needed here, but the text \"%.*s\" is none",
                                (int)(text.size < 60 ? text.size : 60), text.data);
    }
    return stf__source_fail(&eval->source, STF_EXPRESSION, offset,
                            "a number is needed here, not %s", stf__kind_name(value));
}

/* "true" in any case is true, every other text is false, as in Java. */
static bool is_true_text(stf_str text)
{
    static const char word[] = "true";
    if (text.size != sizeof(word) - 1) {
        return false;
    }
    for (size_t i = 0; i < text.size; i++) {
        if ((text.data[i] | 0x20) != word[i]) {
            return false;
        }
    }
    return true;
}

static bool coerce_truth(const stf_value *value, stf__truth *ret_truth)
{
    stf_value_kind kind = stf_value_get_kind(value);
    *ret_truth = stf__truth_of(kind == STF_VALUE_STRING ? is_true_text(stf_value_peek_string(value))
                                                        : stf_value_is_true(value));
    return kind == STF_VALUE_NULL || kind == STF_VALUE_BOOL || kind == STF_VALUE_STRING;
}

stf_status stf__juel_truth(stf__eval *eval, const stf__node *at, const stf_value *value,
                           stf__truth *ret_truth)
{
    if (coerce_truth(value, ret_truth)) {
        return STF_OK;
    }
    return stf__source_fail(&eval->source, STF_EXPRESSION, at->offset,
                            "true or false is needed here, not %s", stf__kind_name(value));
}

static bool is_empty_text(const stf_value *value)
{
    return stf_value_get_kind(value) == STF_VALUE_STRING && stf_value_peek_string(value).size == 0;
}

static stf_status equal(stf__eval *eval, const stf__node *at, const stf_value *a,
                        const stf_value *b, bool *ret_is_equal)
{
    stf_value_kind a_kind = stf_value_get_kind(a);
    stf_value_kind b_kind = stf_value_get_kind(b);
    *ret_is_equal = false;
    if (a_kind == b_kind) {
        return stf__operator_same(eval, at, a, b, ret_is_equal);
    }
    if (a_kind == STF_VALUE_NULL || b_kind == STF_VALUE_NULL) {
        return STF_OK;
    }
    if (a_kind == STF_VALUE_NUMBER || b_kind == STF_VALUE_NUMBER) {
        stf_decimal x;
        stf_decimal y;
        /* The empty text counts as 0 in arithmetic, but it is not a number that equals 0. */
        *ret_is_equal = !is_empty_text(a) && !is_empty_text(b) && coerce_number(a, &x) &&
                        coerce_number(b, &y) && stf_decimal_compare(x, y) == 0;
    } else if (a_kind == STF_VALUE_BOOL || b_kind == STF_VALUE_BOOL) {
        stf__truth x = STF__UNKNOWN;
        stf__truth y = STF__UNKNOWN;
        *ret_is_equal = coerce_truth(a, &x) && coerce_truth(b, &y) && x == y;
    }
    return STF_OK;
}

/* < > <= >=: by number if one side is a number, by characters for two texts; null is in no
 * order. */
static stf_status compare(stf__eval *eval, const stf__node *at, size_t offset, stf__op op,
                          const stf_value *a, const stf_value *b, stf_value **ret_value)
{
    stf_value_kind a_kind = stf_value_get_kind(a);
    stf_value_kind b_kind = stf_value_get_kind(b);
    stf__truth truth = STF__NO;
    if (a_kind == STF_VALUE_NULL || b_kind == STF_VALUE_NULL) {
        return stf__eval_give_bool(a_kind == b_kind && stf__op_matches(op, 0), ret_value);
    }
    if (a_kind == STF_VALUE_STRING && b_kind == STF_VALUE_STRING) {
        STF__TRY(stf__operator_compare_feel(eval, at, op, a, b, &truth));
        return stf__truth_give(truth, ret_value);
    }
    stf_decimal x;
    stf_decimal y;
    STF__TRY(stf__juel_number(eval, offset, a, &x));
    STF__TRY(stf__juel_number(eval, offset, b, &y));
    return stf__eval_give_bool(stf__op_matches(op, stf_decimal_compare(x, y)), ret_value);
}

typedef bool (*arithmetic_fn)(stf_decimal a, stf_decimal b, stf_decimal *ret_number);

stf_status stf__juel_apply(stf__eval *eval, const stf__node *at, size_t offset, stf__op op,
                           const stf_value *a, const stf_value *b, stf_value **ret_value)
{
    static const arithmetic_fn arithmetic[STF__OPS] = {
        [STF__OP_ADD] = stf__number_add,           [STF__OP_SUBTRACT] = stf__number_subtract,
        [STF__OP_MULTIPLY] = stf__number_multiply, [STF__OP_DIVIDE] = stf__number_divide,
        [STF__OP_MODULO] = stf__number_remainder,
    };
    if (op == STF__OP_EQUAL || op == STF__OP_NOT_EQUAL) {
        bool is_equal = false;
        STF__TRY(equal(eval, at, a, b, &is_equal));
        return stf__eval_give_bool(is_equal == (op == STF__OP_EQUAL), ret_value);
    }
    if (arithmetic[op] == NULL) {
        return compare(eval, at, offset, op, a, b, ret_value);
    }
    stf_decimal x;
    stf_decimal y;
    STF__TRY(stf__juel_number(eval, offset, a, &x));
    STF__TRY(stf__juel_number(eval, offset, b, &y));
    stf_decimal result = x;
    if (arithmetic[op](x, y, &result)) {
        return stf__eval_give_number(eval, true, result, ret_value);
    }
    if (stf_decimal_compare(y, stf_decimal_from_int(0)) == 0) {
        return stf__source_fail(&eval->source, STF_EXPRESSION, offset, "division by zero");
    }
    return stf__source_fail(&eval->source, STF_EXPRESSION, offset, "the result of %s is too large",
                            stf__op_text(op));
}

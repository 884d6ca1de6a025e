/* SPDX-License-Identifier: Apache-2.0 */
/* What evaluators, operators and built-ins give back, and what it costs. */
#include "base/mem.h"
#include "expr/eval.h"

stf_status stf__eval_charge(stf__eval *eval, const stf__node *at, size_t steps)
{
    if (steps > eval->steps_left) {
        eval->steps_left = 0;
        return stf__source_fail(&eval->source, STF_LIMIT_EXCEEDED, at->offset,
                                "the expression takes more than %u steps", eval->budget);
    }
    eval->steps_left -= (uint32_t)steps;
    return STF_OK;
}

stf_status stf__eval_charge_text(stf__eval *eval, const stf__node *at, size_t bytes)
{
    return stf__eval_charge(eval, at, bytes / 64);
}

stf_status stf__eval_no_memory(const stf__eval *eval)
{
    return stf_error_set(eval->source.error, STF_NO_MEMORY, "EXPR",
                         "no memory to evaluate an expression");
}

stf_status stf__eval_give_null(stf_value **ret_value)
{
    *ret_value = stf_value_null();
    return STF_OK;
}

stf_status stf__eval_give_bool(bool is_true, stf_value **ret_value)
{
    *ret_value = stf_value_bool(is_true);
    return STF_OK;
}

stf_status stf__eval_give_ref(const stf_value *value, stf_value **ret_value)
{
    *ret_value = value != NULL ? stf_value_ref(value) : stf_value_null();
    return STF_OK;
}

stf_status stf__eval_give_number(stf__eval *eval, bool is_number, stf_decimal number,
                                 stf_value **ret_value)
{
    if (!is_number) {
        return stf__eval_give_null(ret_value);
    }
    return stf_value_new_number(eval->alloc, number, ret_value, eval->source.error);
}

stf_status stf__eval_give_int(stf__eval *eval, int64_t number, stf_value **ret_value)
{
    return stf_value_new_int(eval->alloc, number, ret_value, eval->source.error);
}

stf_status stf__eval_give_text(stf__eval *eval, const stf__node *at, stf_str text,
                               stf_value **ret_value)
{
    STF__TRY(stf__eval_charge_text(eval, at, text.size));
    return stf_value_new_string(eval->alloc, text, ret_value, eval->source.error);
}

void stf__items_done(stf__items *items)
{
    for (size_t i = 0; i < items->count; i++) {
        stf_value_unref(items->values[i]);
    }
    stf__mem_free(items->alloc, items->values);
}

stf_status stf__items_take(stf__eval *eval, const stf__node *at, stf__items *items,
                           stf_value *value)
{
    stf_status status = stf__eval_charge(eval, at, 1);
    if (status == STF_OK && items->count == items->capacity) {
        size_t capacity = items->capacity != 0 ? items->capacity * 2 : 4;
        size_t each = sizeof(items->values[0]); /* NOLINT(bugprone-sizeof-expression): a pointer */
        stf_value **grown = stf__mem_realloc_array(items->alloc, items->values, capacity, each);
        if (grown == NULL) {
            status = stf__eval_no_memory(eval);
        } else {
            items->values = grown;
            items->capacity = capacity;
        }
    }
    if (status != STF_OK) {
        stf_value_unref(value);
        return status;
    }
    items->values[items->count++] = value;
    return STF_OK;
}

stf_status stf__items_add(stf__eval *eval, const stf__node *at, stf__items *items,
                          const stf_value *value)
{
    return stf__items_take(eval, at, items,
                           value != NULL ? stf_value_ref(value) : stf_value_null());
}

stf_status stf__items_give_list(stf__eval *eval, const stf__items *items, stf_value **ret_value)
{
    return stf_value_new_list(eval->alloc, items->values, items->count, ret_value,
                              eval->source.error);
}

stf_status stf__eval_append_text(stf__eval *eval, const stf__node *at, const stf_value *value,
                                 stf_buf *buf)
{
    size_t before = buf->size;
    stf_status status = STF_OK;
    if (stf_value_get_kind(value) == STF_VALUE_STRING) {
        /* Charged first, so that the copy is paid for. */
        STF__TRY(stf__eval_charge_text(eval, at, stf_value_peek_string(value).size));
        status = stf_buf_append_str(buf, stf_value_peek_string(value));
        return status == STF_OK ? STF_OK : stf__eval_no_memory(eval);
    }
    STF__TRY(stf_value_write_json(value, false, buf, eval->source.error));
    return stf__eval_charge_text(eval, at, buf->size - before);
}

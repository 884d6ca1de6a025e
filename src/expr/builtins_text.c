/* SPDX-License-Identifier: Apache-2.0 */
/* Built-ins on texts (DMN 1.4 10.3.4.3). Positions and lengths count characters. */
#include <string.h>

#include "base/mem.h"
#include "expr/builtins.h"
#include "expr/utf8.h"

/* The first two arguments as texts, paid for; false: the result is null. */
static stf_status two_texts(stf__eval *eval, const stf__node *at, stf_value *const *arguments,
                            stf_str ret_texts[2], bool *ret_are_texts)
{
    *ret_are_texts = stf_value_get_kind(arguments[0]) == STF_VALUE_STRING &&
                     stf_value_get_kind(arguments[1]) == STF_VALUE_STRING;
    ret_texts[0] = stf_value_peek_string(arguments[0]);
    ret_texts[1] = stf_value_peek_string(arguments[1]);
    return stf__eval_charge_text(eval, at, ret_texts[0].size);
}

stf_status stf__builtin_contains(stf__eval *eval, const stf__node *at, stf_value *const *arguments,
                                 size_t count, stf_value **ret_value)
{
    (void)count;
    stf_str texts[2];
    bool are_texts = false;
    STF__TRY(two_texts(eval, at, arguments, texts, &are_texts));
    if (!are_texts) {
        return stf__eval_give_null(ret_value);
    }
    bool is_found = texts[1].size == 0 ||
                    (texts[0].size != 0 &&
                     memmem(texts[0].data, texts[0].size, texts[1].data, texts[1].size) != NULL);
    return stf__eval_give_bool(is_found, ret_value);
}

static stf_status give_is_part(stf__eval *eval, const stf__node *at, stf_value *const *arguments,
                               bool at_end, stf_value **ret_value)
{
    stf_str texts[2];
    bool are_texts = false;
    STF__TRY(two_texts(eval, at, arguments, texts, &are_texts));
    if (!are_texts) {
        return stf__eval_give_null(ret_value);
    }
    bool is_part = texts[1].size <= texts[0].size;
    if (is_part && texts[1].size != 0) {
        size_t offset = at_end ? texts[0].size - texts[1].size : 0;
        is_part = memcmp(texts[0].data + offset, texts[1].data, texts[1].size) == 0;
    }
    return stf__eval_give_bool(is_part, ret_value);
}

stf_status stf__builtin_starts_with(stf__eval *eval, const stf__node *at,
                                    stf_value *const *arguments, size_t count,
                                    stf_value **ret_value)
{
    (void)count;
    return give_is_part(eval, at, arguments, false, ret_value);
}

stf_status stf__builtin_ends_with(stf__eval *eval, const stf__node *at, stf_value *const *arguments,
                                  size_t count, stf_value **ret_value)
{
    (void)count;
    return give_is_part(eval, at, arguments, true, ret_value);
}

stf_status stf__builtin_string_length(stf__eval *eval, const stf__node *at,
                                      stf_value *const *arguments, size_t count,
                                      stf_value **ret_value)
{
    (void)count;
    if (stf_value_get_kind(arguments[0]) != STF_VALUE_STRING) {
        return stf__eval_give_null(ret_value);
    }
    stf_str text = stf_value_peek_string(arguments[0]);
    STF__TRY(stf__eval_charge_text(eval, at, text.size));
    return stf__eval_give_int(eval, (int64_t)stf__utf8_length(text), ret_value);
}

/* substring(text, start, length): from 1, negative from the end; a start outside the text is
 * null. */
stf_status stf__builtin_substring(stf__eval *eval, const stf__node *at, stf_value *const *arguments,
                                  size_t count, stf_value **ret_value)
{
    stf_str text = stf_value_peek_string(arguments[0]);
    int64_t start = 0;
    int64_t length = INT64_MAX;
    STF__TRY(stf__eval_charge_text(eval, at, text.size));
    int64_t size = (int64_t)stf__utf8_length(text);
    bool is_valid = stf_value_get_kind(arguments[0]) == STF_VALUE_STRING &&
                    stf_value_get_int(arguments[1], &start) && start != 0 && start <= size &&
                    start >= -size;
    if (count == 3) {
        is_valid = is_valid && stf_value_get_int(arguments[2], &length) && length >= 1;
    }
    if (!is_valid) {
        return stf__eval_give_null(ret_value);
    }
    size_t first = stf__utf8_offset(text, (size_t)(start > 0 ? start - 1 : size + start));
    stf_str rest = {text.data + first, text.size - first};
    rest.size = stf__utf8_offset(rest, (size_t)length);
    return stf__eval_give_text(eval, at, rest, ret_value);
}

static stf_status give_case(stf__eval *eval, const stf__node *at, const stf_value *value,
                            uint32_t (*map)(uint32_t code), stf_value **ret_value)
{
    if (stf_value_get_kind(value) != STF_VALUE_STRING) {
        return stf__eval_give_null(ret_value);
    }
    stf_str text = stf_value_peek_string(value);
    STF_CLEANUP(stf_buf_done) stf_buf buf;
    stf_buf_init(&buf, eval->alloc);
    /* Each character is decoded and looked up: dearer than a copy. */
    STF__TRY(stf__eval_charge(eval, at, text.size / 8));
    for (size_t i = 0; i < text.size;) {
        uint32_t code = 0;
        char bytes[4];
        i += stf__utf8_decode(text, i, &code);
        if (stf_buf_append(&buf, bytes, stf__utf8_encode(map(code), bytes)) != STF_OK) {
            return stf__eval_no_memory(eval);
        }
    }
    return stf__eval_give_text(eval, at, stf_buf_str(&buf), ret_value);
}

stf_status stf__builtin_upper_case(stf__eval *eval, const stf__node *at,
                                   stf_value *const *arguments, size_t count, stf_value **ret_value)
{
    (void)count;
    return give_case(eval, at, arguments[0], stf__utf8_upper, ret_value);
}

stf_status stf__builtin_lower_case(stf__eval *eval, const stf__node *at,
                                   stf_value *const *arguments, size_t count, stf_value **ret_value)
{
    (void)count;
    return give_case(eval, at, arguments[0], stf__utf8_lower, ret_value);
}

stf_status stf__builtin_string(stf__eval *eval, const stf__node *at, stf_value *const *arguments,
                               size_t count, stf_value **ret_value)
{
    (void)count;
    stf_value_kind kind = stf_value_get_kind(arguments[0]);
    if (kind == STF_VALUE_NULL || kind == STF_VALUE_STRING) {
        return stf__eval_give_ref(arguments[0], ret_value);
    }
    STF_CLEANUP(stf_buf_done) stf_buf buf;
    stf_buf_init(&buf, eval->alloc);
    STF__TRY(stf__eval_append_text(eval, at, arguments[0], &buf));
    return stf__eval_give_text(eval, at, stf_buf_str(&buf), ret_value);
}

stf_status stf__builtin_number(stf__eval *eval, const stf__node *at, stf_value *const *arguments,
                               size_t count, stf_value **ret_value)
{
    (void)at;
    (void)count;
    stf_decimal number = stf_decimal_from_int(0);
    bool is_number =
        stf_value_get_kind(arguments[0]) == STF_VALUE_STRING &&
        stf_decimal_parse(stf_value_peek_string(arguments[0]), &number, NULL) == STF_OK;
    return stf__eval_give_number(eval, is_number, number, ret_value);
}

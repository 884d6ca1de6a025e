/* SPDX-License-Identifier: Apache-2.0 */
/* Scalars, lists, reference counts and the readers. Depth and size of a value are known from its
 * birth, so everything that walks one is bounded: recursion by STF_LIMIT_VALUE_DEPTH, work by
 * STF_LIMIT_VALUE_BYTES, however often a part is shared. */
#include "base/mem.h"
#include "value/decimal.h"
#include "value/private.h"

#include <string.h>

static stf_value null_value = {.kind = STF_VALUE_NULL, .size = 1};
static stf_value bool_values[2] = {
    {.kind = STF_VALUE_BOOL, .size = 1, .is_true = false},
    {.kind = STF_VALUE_BOOL, .size = 1, .is_true = true},
};

stf_value *stf_value_null(void)
{
    return &null_value;
}

stf_value *stf_value_bool(bool is_true)
{
    return &bool_values[is_true ? 1 : 0];
}

stf_value *stf__value_new_block(const stf_allocator *alloc, stf_value_kind kind, size_t more)
{
    alloc = stf__alloc_or_default(alloc);
    if (more > SIZE_MAX - sizeof(stf_value)) {
        return NULL;
    }
    stf_value *value = stf__mem_alloc(alloc, sizeof(*value) + more);
    if (value != NULL) {
        *value = (stf_value){.alloc = alloc, .kind = (uint8_t)kind};
        atomic_init(&value->refs, 1);
    }
    return value;
}

static stf_status no_memory(stf_error *error)
{
    return stf_error_set(error, STF_NO_MEMORY, "VALUE", "no memory for a value");
}

stf_status stf_value_new_int(const stf_allocator *alloc, int64_t number, stf_value **ret_value,
                             stf_error *error)
{
    return stf_value_new_number(alloc, stf_decimal_from_int(number), ret_value, error);
}

stf_status stf_value_new_number(const stf_allocator *alloc, stf_decimal number,
                                stf_value **ret_value, stf_error *error)
{
    if (!stf__decimal_is_finite(number)) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "VALUE",
                             "a value cannot be infinite or not a number");
    }
    stf_value *value = stf__value_new_block(alloc, STF_VALUE_NUMBER, 0);
    if (value == NULL) {
        return no_memory(error);
    }
    value->as.number = stf__decimal_canonical(number);
    value->size = stf__cbor_number_size(value->as.number);
    *ret_value = value;
    return STF_OK;
}

stf_status stf_value_new_string(const stf_allocator *alloc, stf_str text, stf_value **ret_value,
                                stf_error *error)
{
    if (text.size > STF_LIMIT_VALUE_BYTES) {
        return stf_error_set(error, STF_LIMIT_EXCEEDED, "VALUE", "a text is longer than %u bytes",
                             STF_LIMIT_VALUE_BYTES);
    }
    if (!stf_str_is_utf8(text)) {
        return stf_error_set(error, STF_PARSE, "VALUE", "a text is not valid UTF-8");
    }
    stf_value *value = stf__value_new_block(alloc, STF_VALUE_STRING, text.size + 1);
    if (value == NULL) {
        return no_memory(error);
    }
    value->as.text = (char *)(value + 1);
    value->count = (uint32_t)text.size;
    value->size = stf__cbor_head_size(text.size) + value->count;
    if (text.size != 0) {
        memcpy(value->as.text, text.data, text.size);
    }
    value->as.text[text.size] = '\0';
    *ret_value = value;
    return STF_OK;
}

stf_status stf__value_seal(stf_value *value, stf_error *error)
{
    uint64_t size = stf__cbor_head_size(value->count);
    uint32_t depth = 0;
    for (uint32_t i = 0; i < value->count; i++) {
        const stf_value *item;
        if (value->kind == STF_VALUE_CONTEXT) {
            const stf__entry *entry = &value->as.entries[i];
            item = entry->value;
            size += stf__cbor_head_size(entry->key.size) + entry->key.size;
        } else {
            item = value->as.items[i];
        }
        size += item->size;
        depth = item->depth > depth ? item->depth : depth;
    }
    if (depth + 1 > STF_LIMIT_VALUE_DEPTH) {
        return stf_error_set(error, STF_LIMIT_EXCEEDED, "VALUE",
                             "a value is nested more than %u deep", STF_LIMIT_VALUE_DEPTH);
    }
    if (size > STF_LIMIT_VALUE_BYTES) {
        return stf_error_set(error, STF_LIMIT_EXCEEDED, "VALUE", "a value takes over %u bytes",
                             STF_LIMIT_VALUE_BYTES);
    }
    value->size = (uint32_t)size;
    value->depth = (uint8_t)(depth + 1);
    return STF_OK;
}

static stf_status new_list_block(const stf_allocator *alloc, size_t count, stf_value **ret_value,
                                 stf_error *error)
{
    if (count > STF_LIMIT_LIST_ITEMS) {
        return stf_error_set(error, STF_LIMIT_EXCEEDED, "VALUE", "a list has over %u items",
                             STF_LIMIT_LIST_ITEMS);
    }
    stf_value *value = stf__value_new_block(alloc, STF_VALUE_LIST, count * sizeof(stf_value *));
    if (value == NULL) {
        return no_memory(error);
    }
    value->as.items = (stf_value **)(value + 1);
    value->count = (uint32_t)count;
    *ret_value = value;
    return STF_OK;
}

stf_status stf_value_new_list(const stf_allocator *alloc, stf_value *const *items, size_t count,
                              stf_value **ret_value, stf_error *error)
{
    stf_value *value;
    stf_status status = new_list_block(alloc, count, &value, error);
    if (status != STF_OK) {
        return status;
    }
    for (size_t i = 0; i < count; i++) {
        value->as.items[i] = items[i] != NULL ? items[i] : stf_value_null();
    }
    status = stf__value_seal(value, error);
    if (status != STF_OK) {
        stf__mem_free(value->alloc, value);
        return status;
    }
    for (size_t i = 0; i < count; i++) {
        (void)stf_value_ref(value->as.items[i]);
    }
    *ret_value = value;
    return STF_OK;
}

stf_status stf__value_take_list(const stf_allocator *alloc, const stf__entry *entries, size_t count,
                                stf_value **ret_value, stf_error *error)
{
    stf_value *value;
    stf_status status = new_list_block(alloc, count, &value, error);
    if (status != STF_OK) {
        return status;
    }
    for (size_t i = 0; i < count; i++) {
        value->as.items[i] = entries[i].value;
    }
    status = stf__value_seal(value, error);
    if (status != STF_OK) {
        stf__mem_free(value->alloc, value);
        return status;
    }
    *ret_value = value;
    return STF_OK;
}

stf_value *stf_value_ref(const stf_value *value)
{
    /* The count is the one part of an immutable value that changes. */
    union {
        const stf_value *constant;
        stf_value *counted;
    } of = {value};
    if (value != NULL && value->alloc != NULL) {
        atomic_fetch_add_explicit(&of.counted->refs, 1, memory_order_relaxed);
    }
    return of.counted;
}

/* Recursion: at most STF_LIMIT_VALUE_DEPTH deep. */
stf_value *stf_value_unref(stf_value *value) /* NOLINT(misc-no-recursion) */
{
    if (value == NULL || value->alloc == NULL ||
        atomic_fetch_sub_explicit(&value->refs, 1, memory_order_acq_rel) != 1) {
        return NULL;
    }
    for (uint32_t i = 0; value->kind == STF_VALUE_LIST && i < value->count; i++) {
        (void)stf_value_unref(value->as.items[i]);
    }
    for (uint32_t i = 0; value->kind == STF_VALUE_CONTEXT && i < value->count; i++) {
        (void)stf_value_unref(value->as.entries[i].value);
    }
    stf__mem_free(value->alloc, value);
    return NULL;
}

stf_value_kind stf_value_get_kind(const stf_value *value)
{
    return value != NULL ? (stf_value_kind)value->kind : STF_VALUE_NULL;
}

bool stf_value_is_true(const stf_value *value)
{
    return value != NULL && value->is_true;
}

bool stf_value_get_number(const stf_value *value, stf_decimal *ret_number)
{
    if (stf_value_get_kind(value) != STF_VALUE_NUMBER) {
        return false;
    }
    *ret_number = value->as.number;
    return true;
}

bool stf_value_get_int(const stf_value *value, int64_t *ret_int)
{
    return stf_value_get_kind(value) == STF_VALUE_NUMBER &&
           stf_decimal_to_int(value->as.number, ret_int);
}

stf_str stf_value_peek_string(const stf_value *value)
{
    if (stf_value_get_kind(value) != STF_VALUE_STRING) {
        return (stf_str){NULL, 0};
    }
    return (stf_str){value->as.text, value->count};
}

size_t stf_value_count(const stf_value *value)
{
    stf_value_kind kind = stf_value_get_kind(value);
    return kind == STF_VALUE_LIST || kind == STF_VALUE_CONTEXT ? value->count : 0;
}

const stf_value *stf_value_peek_item(const stf_value *value, size_t index)
{
    if (index >= stf_value_count(value)) {
        return NULL;
    }
    return value->kind == STF_VALUE_LIST ? value->as.items[index] : value->as.entries[index].value;
}

static bool are_same_content(const stf_value *a, const stf_value *b) /* NOLINT(misc-no-recursion) */
{
    for (uint32_t i = 0; i < a->count; i++) {
        if (!stf_str_equal(stf_value_peek_key(a, i), stf_value_peek_key(b, i)) ||
            !stf_value_equal(stf_value_peek_item(a, i), stf_value_peek_item(b, i))) {
            return false;
        }
    }
    return true;
}

/* Recursion: at most STF_LIMIT_VALUE_DEPTH deep. */
bool stf_value_equal(const stf_value *a, const stf_value *b) /* NOLINT(misc-no-recursion) */
{
    if (a == b) {
        return true;
    }
    stf_value_kind kind = stf_value_get_kind(a);
    if (kind != stf_value_get_kind(b)) {
        return false;
    }
    if (kind == STF_VALUE_NULL) {
        return true;
    }
    /* Equal values have equal encodings, so equal sizes. */
    if (a->size != b->size || a->count != b->count || a->is_true != b->is_true) {
        return false;
    }
    if (kind == STF_VALUE_NUMBER) {
        return a->as.number.low == b->as.number.low && a->as.number.high == b->as.number.high;
    }
    if (kind == STF_VALUE_STRING) {
        return memcmp(a->as.text, b->as.text, a->count) == 0;
    }
    return are_same_content(a, b);
}

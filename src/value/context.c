/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts: entries sorted by the bytes of their keys, found by halving. A context owns copies of
 * its keys, behind its entries in the same block. */
#include "base/mem.h"
#include "value/private.h"

#include <string.h>

/* Moves the entry at `root` down until no child comes after it. */
static void sift_down(stf__entry *entries, size_t root, size_t count,
                      bool (*less)(const stf__entry *a, const stf__entry *b))
{
    stf__entry moved = entries[root];
    for (size_t child = root * 2 + 1; child < count; child = root * 2 + 1) {
        if (child + 1 < count && less(&entries[child], &entries[child + 1])) {
            child++;
        }
        if (!less(&moved, &entries[child])) {
            break;
        }
        entries[root] = entries[child];
        root = child;
    }
    entries[root] = moved;
}

void stf__entries_sort(stf__entry *entries, size_t count,
                       bool (*less)(const stf__entry *a, const stf__entry *b))
{
    size_t sorted = 1;
    while (sorted < count && less(&entries[sorted - 1], &entries[sorted])) {
        sorted++;
    }
    if (sorted >= count) {
        return; /* the usual case: a copy of what was sorted */
    }
    for (size_t i = count / 2; i > 0; i--) {
        sift_down(entries, i - 1, count, less);
    }
    for (size_t end = count - 1; end > 0; end--) {
        stf__entry largest = entries[0];
        entries[0] = entries[end];
        entries[end] = largest;
        sift_down(entries, 0, end, less);
    }
}

/* By bytes; equal keys by age, which is the order of their copies in the block. */
static bool is_before(const stf__entry *a, const stf__entry *b)
{
    int order = stf_str_compare(a->key, b->key);
    return order != 0 ? order < 0 : a->key.data < b->key.data;
}

/* A context being filled. */
typedef struct filling {
    stf_value *value;
    char *key_at; /* where the next key goes */
    size_t used;
} filling;

static stf_status begin(filling *fill, const stf_allocator *alloc, size_t count, size_t key_bytes,
                        stf_error *error)
{
    if (count > STF_LIMIT_LIST_ITEMS) {
        return stf_error_set(error, STF_LIMIT_EXCEEDED, "VALUE", "a context has over %u entries",
                             STF_LIMIT_LIST_ITEMS);
    }
    if (key_bytes > STF_LIMIT_VALUE_BYTES) {
        return stf_error_set(error, STF_LIMIT_EXCEEDED, "VALUE",
                             "the names of a context take over %u bytes", STF_LIMIT_VALUE_BYTES);
    }
    size_t entry_bytes = count * sizeof(stf__entry);
    fill->value = stf__value_new_block(alloc, STF_VALUE_CONTEXT, entry_bytes + key_bytes + count);
    if (fill->value == NULL) {
        return stf_error_set(error, STF_NO_MEMORY, "VALUE", "no memory for a context");
    }
    fill->value->as.entries = (stf__entry *)(fill->value + 1);
    fill->key_at = (char *)(fill->value->as.entries + count);
    fill->used = 0;
    return STF_OK;
}

static void add(filling *fill, stf_str key, stf_value *value)
{
    if (key.size != 0) {
        memcpy(fill->key_at, key.data, key.size);
    }
    fill->key_at[key.size] = '\0';
    fill->value->as.entries[fill->used++] = (stf__entry){
        .key = {fill->key_at, key.size},
        .value = value != NULL ? value : stf_value_null(),
    };
    fill->key_at += key.size + 1;
}

/* Sorts, moves the earlier of equal keys behind the end and seals. A failure frees the block; the
 * references of the entries are not touched. */
static stf_status settle(filling *fill, stf_error *error)
{
    stf__entry *entries = fill->value->as.entries;
    stf__entries_sort(entries, fill->used, is_before);
    size_t kept = 0;
    for (size_t i = 0; i < fill->used; i++) {
        bool is_again = kept > 0 && stf_str_equal(entries[kept - 1].key, entries[i].key);
        size_t target = is_again ? kept - 1 : kept++;
        stf__entry moved = entries[i];
        entries[i] = entries[target];
        entries[target] = moved;
    }
    fill->value->count = (uint32_t)kept;
    stf_status status = stf__value_seal(fill->value, error);
    if (status != STF_OK) {
        stf__mem_free(fill->value->alloc, fill->value);
    }
    return status;
}

/* The base's entries (base may be NULL), then the new ones. */
static stf_status new_context(const stf_allocator *alloc, const stf_value *base,
                              const stf_str *keys, stf_value *const *values, size_t count,
                              stf_value **ret_value, stf_error *error)
{
    size_t key_bytes = 0;
    size_t base_count = base != NULL ? base->count : 0;
    for (size_t i = 0; i < base_count; i++) {
        key_bytes += base->as.entries[i].key.size;
    }
    for (size_t i = 0; i < count; i++) {
        /* Bounded before it is added, so that the sum cannot wrap. */
        if (keys[i].size > STF_LIMIT_VALUE_BYTES || i >= STF_LIMIT_LIST_ITEMS) {
            key_bytes = STF_LIMIT_VALUE_BYTES + (size_t)1;
            break;
        }
        if (!stf_str_is_utf8(keys[i])) {
            return stf_error_set(error, STF_PARSE, "VALUE",
                                 "the name of a context's entry is not valid UTF-8");
        }
        key_bytes += keys[i].size;
    }
    filling fill;
    stf_status status = begin(&fill, alloc, base_count + count, key_bytes, error);
    if (status != STF_OK) {
        return status;
    }
    for (size_t i = 0; i < base_count; i++) {
        add(&fill, base->as.entries[i].key, base->as.entries[i].value);
    }
    for (size_t i = 0; i < count; i++) {
        add(&fill, keys[i], values[i]);
    }
    status = settle(&fill, error);
    if (status != STF_OK) {
        return status;
    }
    for (size_t i = 0; i < fill.value->count; i++) {
        (void)stf_value_ref(fill.value->as.entries[i].value);
    }
    *ret_value = fill.value;
    return STF_OK;
}

stf_status stf_value_new_context(const stf_allocator *alloc, const stf_str *keys,
                                 stf_value *const *values, size_t count, stf_value **ret_value,
                                 stf_error *error)
{
    return new_context(alloc, NULL, keys, values, count, ret_value, error);
}

stf_status stf_value_with(const stf_allocator *alloc, const stf_value *base, stf_str key,
                          stf_value *value, stf_value **ret_value, stf_error *error)
{
    if (base != NULL && base->kind != STF_VALUE_CONTEXT) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "VALUE",
                             "an entry can only be set in a context");
    }
    return new_context(alloc, base, &key, &value, 1, ret_value, error);
}

stf_status stf__value_take_context(const stf_allocator *alloc, const stf__entry *entries,
                                   size_t count, stf_value **ret_value, stf_error *error)
{
    size_t key_bytes = 0;
    for (size_t i = 0; i < count; i++) {
        key_bytes += entries[i].key.size;
    }
    filling fill;
    stf_status status = begin(&fill, alloc, count, key_bytes, error);
    if (status != STF_OK) {
        return status;
    }
    for (size_t i = 0; i < count; i++) {
        add(&fill, entries[i].key, entries[i].value);
    }
    status = settle(&fill, error);
    if (status != STF_OK) {
        return status;
    }
    /* The references of the entries that lost to a later one of the same key. */
    for (size_t i = fill.value->count; i < count; i++) {
        (void)stf_value_unref(fill.value->as.entries[i].value);
    }
    *ret_value = fill.value;
    return STF_OK;
}

stf_str stf_value_peek_key(const stf_value *value, size_t index)
{
    if (stf_value_get_kind(value) != STF_VALUE_CONTEXT || index >= value->count) {
        return (stf_str){NULL, 0};
    }
    return value->as.entries[index].key;
}

const stf_value *stf_value_peek(const stf_value *value, stf_str key)
{
    if (stf_value_get_kind(value) != STF_VALUE_CONTEXT) {
        return NULL;
    }
    size_t low = 0;
    size_t high = value->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = stf_str_compare(key, value->as.entries[middle].key);
        if (order == 0) {
            return value->as.entries[middle].value;
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return NULL;
}

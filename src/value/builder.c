/* SPDX-License-Identifier: Apache-2.0 */
/* The stack of values that a reader fills; see the header. */
#include "value/builder.h"

#include "base/mem.h"

void stf__builder_init(stf__builder *builder, const stf_allocator *alloc)
{
    builder->alloc = stf__alloc_or_default(alloc);
    builder->stack = NULL;
    builder->count = 0;
    builder->capacity = 0;
    builder->key = (stf_str){NULL, 0};
    builder->depth = 0;
}

void stf__builder_done(stf__builder *builder)
{
    for (size_t i = 0; i < builder->count; i++) {
        (void)stf_value_unref(builder->stack[i].value);
    }
    stf__mem_free(builder->alloc, builder->stack);
    stf__builder_init(builder, builder->alloc);
}

void stf__builder_set_key(stf__builder *builder, stf_str key)
{
    builder->key = key;
}

static stf_status grow(stf__builder *builder, stf_error *error)
{
    size_t capacity = builder->capacity != 0 ? builder->capacity * 2 : 16;
    stf__entry *stack =
        stf__mem_realloc_array(builder->alloc, builder->stack, capacity, sizeof(*stack));
    if (stack == NULL) {
        return stf_error_set(error, STF_NO_MEMORY, "VALUE", "no memory to read a value");
    }
    builder->stack = stack;
    builder->capacity = capacity;
    return STF_OK;
}

stf_status stf__builder_add(stf__builder *builder, stf_value *value, stf_error *error)
{
    stf_status status = STF_OK;
    /* Told as soon as the item is there, not after all of an endless list was kept. */
    if (builder->depth > 0 &&
        builder->count - builder->frames[builder->depth - 1].first >= STF_LIMIT_LIST_ITEMS) {
        status = stf_error_set(error, STF_LIMIT_EXCEEDED, "VALUE", "a value has over %u items",
                               STF_LIMIT_LIST_ITEMS);
    } else if (builder->count == builder->capacity) {
        status = grow(builder, error);
    }
    if (status != STF_OK) {
        (void)stf_value_unref(value);
        return status;
    }
    builder->stack[builder->count++] = (stf__entry){builder->key, value};
    return STF_OK;
}

stf_status stf__builder_open(stf__builder *builder, bool is_context, stf_error *error)
{
    if (builder->depth == STF_LIMIT_VALUE_DEPTH) {
        return stf_error_set(error, STF_LIMIT_EXCEEDED, "VALUE",
                             "a value is nested more than %u deep", STF_LIMIT_VALUE_DEPTH);
    }
    builder->frames[builder->depth++] = (stf__builder_frame){
        .first = builder->count,
        .key = builder->key,
        .is_context = is_context,
    };
    builder->key = (stf_str){NULL, 0};
    return STF_OK;
}

stf_status stf__builder_close(stf__builder *builder, stf_error *error)
{
    const stf__builder_frame *frame = &builder->frames[builder->depth - 1];
    size_t count = builder->count - frame->first;
    /* An empty stack has no memory to point into. */
    const stf__entry *entries = count != 0 ? builder->stack + frame->first : NULL;
    stf_value *value;
    stf_status status = frame->is_context
                            ? stf__value_take_context(builder->alloc, entries, count, &value, error)
                            : stf__value_take_list(builder->alloc, entries, count, &value, error);
    if (status != STF_OK) {
        return status;
    }
    builder->count = frame->first;
    builder->key = frame->key;
    builder->depth--;
    return stf__builder_add(builder, value, error);
}

stf_value *stf__builder_take_result(stf__builder *builder)
{
    return builder->stack[--builder->count].value;
}

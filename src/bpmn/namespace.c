/* SPDX-License-Identifier: Apache-2.0 */
/* Prefixes are resolved here and not in expat, so that a message can name the one that is missing
 * and the element that is still open. */
#include "bpmn/namespace.h"

#include "base/mem.h"

static const struct {
    const char *uri;
    stf__ns ns;
} known_namespaces[] = {
    {"", STF__NS_NONE},
    {STF__NS_BPMN_URI, STF__NS_BPMN},
    {STF__NS_STEPFAST_URI, STF__NS_STEPFAST},
    {"http://camunda.org/schema/zeebe/1.0", STF__NS_ZEEBE},
    {"http://camunda.org/schema/1.0/bpmn", STF__NS_CAMUNDA},
    {"http://flowable.org/bpmn", STF__NS_FLOWABLE},
};

void stf__ns_init(stf__ns_stack *stack, const stf_allocator *alloc)
{
    *stack = (stf__ns_stack){.depth = 0};
    stf_buf_init(&stack->texts, alloc);
}

void stf__ns_done(stf__ns_stack *stack)
{
    stf__mem_free(stack->texts.alloc, stack->bindings);
    stf_buf_done(&stack->texts);
}

stf_status stf__ns_push(stf__ns_stack *stack, stf_str name, uint32_t line)
{
    stf__open_element *open = &stack->open[stack->depth];
    *open = (stf__open_element){.name_at = stack->texts.size,
                                .name_size = name.size,
                                .binding_count = stack->binding_count,
                                .line = line};
    stf_status status = stf_buf_append_str(&stack->texts, name);
    if (status == STF_OK) {
        stack->depth++;
    }
    return status;
}

void stf__ns_pop(stf__ns_stack *stack)
{
    const stf__open_element *open = &stack->open[--stack->depth];
    stack->texts.size = open->name_at;
    stack->binding_count = open->binding_count;
}

static stf__ns known_namespace(stf_str uri)
{
    for (size_t i = 0; i < STF_COUNT_OF(known_namespaces); i++) {
        if (stf_str_equal(stf_str_of(known_namespaces[i].uri), uri)) {
            return known_namespaces[i].ns;
        }
    }
    return STF__NS_OTHER;
}

stf_status stf__ns_bind(stf__ns_stack *stack, stf_str prefix, stf_str uri)
{
    if (stack->binding_count >= STF_LIMIT_XML_ATTRIBUTES) {
        return STF_LIMIT_EXCEEDED;
    }
    if (stack->binding_count == stack->binding_capacity) {
        size_t capacity = stack->binding_capacity != 0 ? stack->binding_capacity * 2 : 16;
        stf__ns_binding *bindings = stf__mem_realloc_array(stack->texts.alloc, stack->bindings,
                                                           capacity, sizeof(*bindings));
        if (bindings == NULL) {
            return STF_NO_MEMORY;
        }
        stack->bindings = bindings;
        stack->binding_capacity = capacity;
    }
    size_t at = stack->texts.size;
    if (stf_buf_append_str(&stack->texts, prefix) != STF_OK ||
        stf_buf_append_str(&stack->texts, uri) != STF_OK) {
        return STF_NO_MEMORY;
    }
    stack->bindings[stack->binding_count++] = (stf__ns_binding){.prefix_at = at,
                                                                .prefix_size = prefix.size,
                                                                .uri_size = uri.size,
                                                                .ns = known_namespace(uri)};
    return STF_OK;
}

static stf_str text_at(const stf__ns_stack *stack, size_t at, size_t size)
{
    return (stf_str){(const char *)stack->texts.data + at, size};
}

bool stf__ns_find(const stf__ns_stack *stack, stf_str prefix, stf__ns *ret_ns, stf_str *ret_uri)
{
    for (size_t i = stack->binding_count; i-- > 0;) {
        const stf__ns_binding *binding = &stack->bindings[i];
        if (stf_str_equal(text_at(stack, binding->prefix_at, binding->prefix_size), prefix)) {
            *ret_ns = binding->ns;
            *ret_uri = text_at(stack, binding->prefix_at + binding->prefix_size, binding->uri_size);
            return true;
        }
    }
    *ret_ns = prefix.size == 0 ? STF__NS_NONE : STF__NS_OTHER;
    *ret_uri = (stf_str){NULL, 0};
    return prefix.size == 0 || stf_str_equal(prefix, STF_STR("xml"));
}

stf_str stf__ns_peek_open(const stf__ns_stack *stack, uint32_t *ret_line)
{
    if (stack->depth == 0) {
        return (stf_str){NULL, 0};
    }
    const stf__open_element *open = &stack->open[stack->depth - 1];
    *ret_line = open->line;
    return text_at(stack, open->name_at, open->name_size);
}

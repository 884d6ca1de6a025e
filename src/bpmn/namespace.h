/* SPDX-License-Identifier: Apache-2.0 */
/* The open elements of an XML file and the namespace prefixes that are declared there. */
#ifndef STF_BPMN_NAMESPACE_H
#define STF_BPMN_NAMESPACE_H

#include <stepfast/limits.h>

#include "bpmn/xml.h"

typedef struct stf__ns_binding {
    size_t prefix_at; /* in texts */
    size_t prefix_size;
    size_t uri_size; /* follows the prefix */
    stf__ns ns;
} stf__ns_binding;

typedef struct stf__open_element {
    size_t name_at; /* the name as written, in texts */
    size_t name_size;
    size_t binding_count; /* before this element's own declarations */
    uint32_t line;
} stf__open_element;

typedef struct stf__ns_stack {
    stf_buf texts; /* names, prefixes and URIs of the open elements, in order */
    stf__ns_binding *bindings;
    size_t binding_count;
    size_t binding_capacity;
    stf__open_element open[STF_LIMIT_XML_DEPTH];
    size_t depth;
} stf__ns_stack;

void stf__ns_init(stf__ns_stack *stack, const stf_allocator *alloc);
void stf__ns_done(stf__ns_stack *stack);

/* The caller keeps depth under STF_LIMIT_XML_DEPTH. OK, NO_MEMORY. */
STF_MUST_CHECK stf_status stf__ns_push(stf__ns_stack *stack, stf_str name, uint32_t line);
void stf__ns_pop(stf__ns_stack *stack);
/* Declares for the innermost element; prefix empty: the default namespace. OK, LIMIT_EXCEEDED
 * (STF_LIMIT_XML_ATTRIBUTES declarations in scope: a look-up is linear), NO_MEMORY. */
STF_MUST_CHECK stf_status stf__ns_bind(stf__ns_stack *stack, stf_str prefix, stf_str uri);
/* The namespace of a prefix; false: not declared. The empty prefix is always known. ret_uri is
 * valid until the next push or bind. */
bool stf__ns_find(const stf__ns_stack *stack, stf_str prefix, stf__ns *ret_ns, stf_str *ret_uri);
/* The innermost open element's name as written; empty when none is open. */
stf_str stf__ns_peek_open(const stf__ns_stack *stack, uint32_t *ret_line);

#endif

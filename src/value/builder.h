/* SPDX-License-Identifier: Apache-2.0 */
/* Builds one value from the events of a reader (JSON, CBOR) without recursion: values pile up on a
 * stack, and closing a container replaces what was piled up since it opened. Grows with the input
 * that was really read, never with a count that the input announces. */
#ifndef STF_VALUE_BUILDER_H
#define STF_VALUE_BUILDER_H

#include "value/private.h"

typedef struct stf__builder_frame {
    size_t first; /* on the stack */
    stf_str key;  /* the container's own, in the one around it */
    bool is_context;
} stf__builder_frame;

typedef struct stf__builder {
    const stf_allocator *alloc;
    stf__entry *stack;
    size_t count;
    size_t capacity;
    stf_str key; /* of the next value */
    uint32_t depth;
    stf__builder_frame frames[STF_LIMIT_VALUE_DEPTH];
} stf__builder;

void stf__builder_init(stf__builder *builder, const stf_allocator *alloc);
void stf__builder_done(stf__builder *builder);

/* The name of the next value in a context; borrowed until that context closes. */
void stf__builder_set_key(stf__builder *builder, stf_str key);

/* Adds a value and takes the reference, on failure as well. OK, NO_MEMORY, LIMIT_EXCEEDED. */
STF_MUST_CHECK stf_status stf__builder_add(stf__builder *builder, stf_value *value,
                                           stf_error *error);
STF_MUST_CHECK stf_status stf__builder_open(stf__builder *builder, bool is_context,
                                            stf_error *error);
STF_MUST_CHECK stf_status stf__builder_close(stf__builder *builder, stf_error *error);

/* The one value, when everything is closed. */
stf_value *stf__builder_take_result(stf__builder *builder);

#endif

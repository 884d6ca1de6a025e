/* SPDX-License-Identifier: Apache-2.0 */
/* The shape of a value, for the files of this room. A value is one block: the struct, then its
 * text, items, or entries with the bytes of their keys. It never changes once it is made. */
#ifndef STF_VALUE_PRIVATE_H
#define STF_VALUE_PRIVATE_H

#include <stdatomic.h>
#include <stepfast/limits.h>
#include <stepfast/value.h>

typedef struct stf__entry {
    stf_str key; /* terminated in a value; not part of lists */
    stf_value *value;
} stf__entry;

struct stf_value {
    const stf_allocator *alloc; /* NULL: immortal */
    atomic_uint refs;
    uint32_t size;  /* bytes of the CBOR encoding, so that shared parts cannot explode */
    uint32_t count; /* bytes, items or entries */
    uint8_t kind;   /* stf_value_kind */
    uint8_t depth;  /* 0 for what holds nothing, so at most STF_LIMIT_VALUE_DEPTH */
    bool is_true;
    union {
        stf_decimal number;
        char *text;
        stf_value **items;
        stf__entry *entries; /* sorted by key bytes */
    } as;
};

/* A new value's block with room behind the struct; NULL when out of memory. One reference, nothing
 * else set but kind and allocator. */
stf_value *stf__value_new_block(const stf_allocator *alloc, stf_value_kind kind, size_t more);

/* Sets size and depth from what the value holds. OK or LIMIT_EXCEEDED. */
STF_MUST_CHECK stf_status stf__value_seal(stf_value *value, stf_error *error);

/* Containers from entries whose references they take on success. Keys must be UTF-8 and are
 * copied. OK, NO_MEMORY, LIMIT_EXCEEDED. */
STF_MUST_CHECK stf_status stf__value_take_list(const stf_allocator *alloc,
                                               const stf__entry *entries, size_t count,
                                               stf_value **ret_value, stf_error *error);
STF_MUST_CHECK stf_status stf__value_take_context(const stf_allocator *alloc,
                                                  const stf__entry *entries, size_t count,
                                                  stf_value **ret_value, stf_error *error);

/* Sorts in place; less answers whether a comes before b. Not stable, constant memory. */
void stf__entries_sort(stf__entry *entries, size_t count,
                       bool (*less)(const stf__entry *a, const stf__entry *b));

/* Bytes of a CBOR head that carries this number. */
uint32_t stf__cbor_head_size(uint64_t number);

/* Bytes of the CBOR form of a number. */
uint32_t stf__cbor_number_size(stf_decimal number);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* An allocator that counts its live blocks and fails one call, for the loops that fail the n-th
 * allocation until an operation passes. One thread. */
#ifndef UNIT_BASE_FAULTY_H
#define UNIT_BASE_FAULTY_H

#include <stdlib.h>
#include <stepfast/alloc.h>

typedef struct faulty {
    stf_allocator port;
    long calls;   /* so far */
    long fail_at; /* the call that fails; 0: none */
    long live;    /* blocks */
} faulty;

static inline void *faulty_realloc(void *user, void *memory, size_t size)
{
    faulty *self = user;
    self->calls++;
    if (self->calls == self->fail_at) {
        return NULL;
    }
    void *block = realloc(memory, size);
    if (memory == NULL && block != NULL) {
        self->live++;
    }
    return block;
}

static inline void *faulty_alloc(void *user, size_t size)
{
    return faulty_realloc(user, NULL, size);
}

static inline void faulty_free(void *user, void *memory)
{
    faulty *self = user;
    if (memory != NULL) {
        self->live--;
        free(memory);
    }
}

static inline void faulty_init(faulty *self, long fail_at)
{
    *self = (faulty){
        .port = {.struct_size = sizeof(stf_allocator),
                 .abi = STF_ALLOCATOR_ABI,
                 .user = self,
                 .alloc = faulty_alloc,
                 .realloc = faulty_realloc,
                 .free = faulty_free},
        .fail_at = fail_at,
    };
}

#endif

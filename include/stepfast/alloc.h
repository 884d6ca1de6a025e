/* SPDX-License-Identifier: Apache-2.0 */
/* The allocator port. One allocator per engine, none per process; only base/alloc.c calls
 * malloc. */
#ifndef STEPFAST_ALLOC_H
#define STEPFAST_ALLOC_H

#include <stddef.h>
#include <stdint.h>
#include <stepfast/api.h>

STF_BEGIN_DECLS

typedef struct stf_allocator {
    size_t struct_size;
    uint32_t abi;
    uint32_t flags;
    void *user;
    /* size > 0. Aligned for any object. NULL when out of memory. Thread: any. */
    void *(*alloc)(void *user, size_t size);
    /* memory may be NULL (allocates); size > 0. On NULL the old block stays valid. */
    void *(*realloc)(void *user, void *memory, size_t size);
    /* NULL is fine. */
    void (*free)(void *user, void *memory);
} stf_allocator;

#define STF_ALLOCATOR_ABI 1u

/* The C library's allocator; never NULL, never freed. Thread: any. */
STF_API const stf_allocator *stf_allocator_default(void);

STF_END_DECLS

#endif

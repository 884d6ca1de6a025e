/* SPDX-License-Identifier: Apache-2.0 */
/* Short forms over an allocator. NULL allocator means the default one. */
#ifndef STF_BASE_MEM_H
#define STF_BASE_MEM_H

#include <stepfast/alloc.h>
#include <stepfast/buf.h>

/* Scope cleanup; both compilers have it. fn gets a pointer to the variable. */
#define STF_CLEANUP(fn) __attribute__((cleanup(fn)))

/* A literal as stf_str, in internal code only. */
#define STF_STR(literal) ((stf_str){(literal), sizeof(literal) - 1})

/* printf("%.*s", STF_STR_ARG(str)) */
#define STF_STR_ARG(str) (int)(str).size, ((str).size != 0 ? (str).data : "")

#define STF_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

const stf_allocator *stf__alloc_or_default(const stf_allocator *alloc);
void *stf__mem_alloc(const stf_allocator *alloc, size_t size);
void *stf__mem_zalloc(const stf_allocator *alloc, size_t size);
/* count * size without overflow; NULL on overflow or no memory. */
void *stf__mem_zalloc_array(const stf_allocator *alloc, size_t count, size_t size);
void *stf__mem_realloc_array(const stf_allocator *alloc, void *memory, size_t count, size_t size);
void stf__mem_free(const stf_allocator *alloc, void *memory);

/* A terminated copy owned by the caller; data NULL when out of memory. */
char *stf__mem_copy_str(const stf_allocator *alloc, stf_str text);

#endif

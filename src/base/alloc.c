/* SPDX-License-Identifier: Apache-2.0 */
/* The C library's allocator behind the port, and the short forms over any allocator. This is the
 * only file that calls malloc, realloc and free. */
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static void *default_alloc(void *user, size_t size)
{
    (void)user;
    return malloc(size);
}

static void *default_realloc(void *user, void *memory, size_t size)
{
    (void)user;
    return realloc(memory, size);
}

static void default_free(void *user, void *memory)
{
    (void)user;
    free(memory);
}

static const stf_allocator default_allocator = {
    .struct_size = sizeof(stf_allocator),
    .abi = STF_ALLOCATOR_ABI,
    .alloc = default_alloc,
    .realloc = default_realloc,
    .free = default_free,
};

const stf_allocator *stf_allocator_default(void)
{
    return &default_allocator;
}

const stf_allocator *stf__alloc_or_default(const stf_allocator *alloc)
{
    return alloc != NULL ? alloc : &default_allocator;
}

void *stf__mem_alloc(const stf_allocator *alloc, size_t size)
{
    alloc = stf__alloc_or_default(alloc);
    /* The port's size is never 0, so that nobody has to define what that means. */
    return alloc->alloc(alloc->user, size != 0 ? size : 1);
}

void *stf__mem_zalloc(const stf_allocator *alloc, size_t size)
{
    void *memory = stf__mem_alloc(alloc, size);
    if (memory != NULL) {
        memset(memory, 0, size);
    }
    return memory;
}

void *stf__mem_zalloc_array(const stf_allocator *alloc, size_t count, size_t size)
{
    size_t total;
    if (__builtin_mul_overflow(count, size, &total)) {
        return NULL;
    }
    return stf__mem_zalloc(alloc, total);
}

void *stf__mem_realloc_array(const stf_allocator *alloc, void *memory, size_t count, size_t size)
{
    size_t total;
    if (__builtin_mul_overflow(count, size, &total)) {
        return NULL;
    }
    alloc = stf__alloc_or_default(alloc);
    return alloc->realloc(alloc->user, memory, total != 0 ? total : 1);
}

void stf__mem_free(const stf_allocator *alloc, void *memory)
{
    if (memory != NULL) {
        alloc = stf__alloc_or_default(alloc);
        alloc->free(alloc->user, memory);
    }
}

char *stf__mem_copy_str(const stf_allocator *alloc, stf_str text)
{
    if (text.size == SIZE_MAX) {
        return NULL;
    }
    char *copy = stf__mem_alloc(alloc, text.size + 1);
    if (copy == NULL) {
        return NULL;
    }
    if (text.size != 0) {
        memcpy(copy, text.data, text.size);
    }
    copy[text.size] = '\0';
    return copy;
}

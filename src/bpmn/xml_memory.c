/* SPDX-License-Identifier: Apache-2.0 */
/* Each block carries its size in front, so that the budget is exact. Blocks of one parser are
 * allocated and freed under that parser's scope only. */
#include "bpmn/xml_memory.h"

#include "base/mem.h"

#include <stdalign.h>

typedef struct block {
    size_t size;
    alignas(max_align_t) unsigned char bytes[];
} block;

/* Set only while a call into expat lasts; no state outlives a call. */
static _Thread_local stf__xml_memory *current;

stf__xml_memory *stf__xml_memory_enter(stf__xml_memory *memory)
{
    stf__xml_memory *previous = current;
    current = memory;
    return previous;
}

void stf__xml_memory_leave(stf__xml_memory *previous)
{
    current = previous;
}

static block *block_of(void *memory)
{
    return (block *)(void *)((unsigned char *)memory - sizeof(block));
}

static void *resize(void *memory, size_t size)
{
    size_t old_size = memory != NULL ? block_of(memory)->size : 0;
    if (size > current->budget || current->used - old_size > current->budget - size) {
        current->is_over_budget = true;
        return NULL;
    }
    const stf_allocator *alloc = current->alloc;
    block *grown =
        alloc->realloc(alloc->user, memory != NULL ? block_of(memory) : NULL, sizeof(block) + size);
    if (grown == NULL) {
        return NULL;
    }
    grown->size = size;
    current->used += size - old_size;
    return grown->bytes;
}

static void *allocate(size_t size)
{
    return resize(NULL, size);
}

static void release(void *memory)
{
    if (memory != NULL) {
        block *old = block_of(memory);
        current->used -= old->size;
        stf__mem_free(current->alloc, old);
    }
}

const XML_Memory_Handling_Suite stf__xml_memory_suite = {
    .malloc_fcn = allocate, .realloc_fcn = resize, .free_fcn = release};

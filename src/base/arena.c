/* SPDX-License-Identifier: Apache-2.0 */
/* A bump allocator over a list of chunks. Under ASan every piece is a chunk of its own, so that the
 * sanitizer sees an overrun of one piece into the next; both twins have the same behaviour. */
#include "base/arena.h"

#include "base/mem.h"

#include <stdalign.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define ARENA_TWIN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_TWIN 1
#endif
#endif
#ifndef ARENA_TWIN
#define ARENA_TWIN 0
#endif

enum {
    FIRST_CHUNK_BYTES = 960, /* with its head within what an allocator keeps at hand */
    LARGEST_CHUNK_BYTES = 64 * 1024,
};

struct stf__arena_chunk {
    stf__arena_chunk *next;
    size_t used;
    size_t capacity;
    alignas(max_align_t) unsigned char bytes[];
};

void stf__arena_init(stf__arena *arena, const stf_allocator *alloc)
{
    *arena = (stf__arena){.alloc = stf__alloc_or_default(alloc)};
}

static void free_chunks(stf__arena *arena, stf__arena_chunk *chunk)
{
    while (chunk != NULL) {
        stf__arena_chunk *next = chunk->next;
        stf__mem_free(arena->alloc, chunk);
        chunk = next;
    }
}

void stf__arena_done(stf__arena *arena)
{
    free_chunks(arena, arena->chunks);
    arena->chunks = NULL;
    arena->used = 0;
}

void stf__arena_reset(stf__arena *arena)
{
    stf__arena_chunk *kept = NULL;
    /* The newest ordinary chunk stays; a piece that needed a chunk of its own size goes. */
    if (!ARENA_TWIN && arena->chunks != NULL && arena->chunks->capacity <= LARGEST_CHUNK_BYTES) {
        kept = arena->chunks;
        arena->chunks = kept->next;
        kept->next = NULL;
        kept->used = 0;
    }
    free_chunks(arena, arena->chunks);
    arena->chunks = kept;
    arena->used = 0;
}

static size_t next_capacity(const stf__arena *arena, size_t size)
{
    size_t capacity = FIRST_CHUNK_BYTES;
    if (arena->chunks != NULL) {
        capacity = arena->chunks->capacity * 2;
    }
    if (capacity > LARGEST_CHUNK_BYTES) {
        capacity = LARGEST_CHUNK_BYTES;
    }
    return ARENA_TWIN || capacity < size ? size : capacity;
}

void *stf__arena_alloc(stf__arena *arena, size_t size)
{
    size_t align = alignof(max_align_t);
    size_t piece = size != 0 ? size : 1;
    if (piece > SIZE_MAX / 2 - sizeof(stf__arena_chunk)) {
        return NULL;
    }
    if (!ARENA_TWIN) {
        piece = (piece + align - 1) / align * align;
    }
    stf__arena_chunk *chunk = arena->chunks;
    if (chunk == NULL || chunk->capacity - chunk->used < piece) {
        size_t capacity = next_capacity(arena, piece);
        chunk = stf__mem_alloc(arena->alloc, sizeof(*chunk) + capacity);
        if (chunk == NULL) {
            return NULL;
        }
        chunk->next = arena->chunks;
        chunk->used = 0;
        chunk->capacity = capacity;
        arena->chunks = chunk;
    }
    void *memory = chunk->bytes + chunk->used;
    chunk->used += piece;
    arena->used += size;
    return memory;
}

void *stf__arena_zalloc(stf__arena *arena, size_t size)
{
    void *memory = stf__arena_alloc(arena, size);
    if (memory != NULL) {
        memset(memory, 0, size);
    }
    return memory;
}

stf_status stf__arena_copy_str(stf__arena *arena, stf_str text, stf_str *ret_copy)
{
    if (text.size == SIZE_MAX) {
        return STF_NO_MEMORY;
    }
    char *copy = stf__arena_alloc(arena, text.size + 1);
    if (copy == NULL) {
        return STF_NO_MEMORY;
    }
    if (text.size != 0) {
        memcpy(copy, text.data, text.size);
    }
    copy[text.size] = '\0';
    *ret_copy = (stf_str){copy, text.size};
    return STF_OK;
}

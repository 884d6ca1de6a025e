/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is freed together: one arena per model, one per step. Under ASan each piece is its
 * own block, so that an overrun inside an arena is seen. Not thread-safe: one owner. */
#ifndef STF_BASE_ARENA_H
#define STF_BASE_ARENA_H

#include <stepfast/buf.h>

typedef struct stf__arena_chunk stf__arena_chunk;

typedef struct stf__arena {
    const stf_allocator *alloc;
    stf__arena_chunk *chunks;
    size_t used; /* bytes handed out since init or reset */
} stf__arena;

void stf__arena_init(stf__arena *arena, const stf_allocator *alloc);
void stf__arena_done(stf__arena *arena);
void stf__arena_reset(stf__arena *arena); /* frees all but what can be used again */

/* Aligned for any object; NULL when out of memory. size 0 gives a valid pointer. */
void *stf__arena_alloc(stf__arena *arena, size_t size);
void *stf__arena_zalloc(stf__arena *arena, size_t size);

/* A copy, terminated for convenience; OK or NO_MEMORY. */
STF_MUST_CHECK stf_status stf__arena_copy_str(stf__arena *arena, stf_str text, stf_str *ret_copy);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A hash map from borrowed text to a pointer. Keys must outlive their entries. */
#ifndef STF_BASE_MAP_H
#define STF_BASE_MAP_H

#include <stepfast/buf.h>

typedef struct stf__map_slot stf__map_slot;

typedef struct stf__map {
    const stf_allocator *alloc;
    stf__map_slot *slots;
    size_t count;
    size_t capacity;
} stf__map;

void stf__map_init(stf__map *map, const stf_allocator *alloc);
void stf__map_done(stf__map *map);                    /* values are the user's */
void *stf__map_get(const stf__map *map, stf_str key); /* NULL: none */
STF_MUST_CHECK stf_status stf__map_put(stf__map *map, stf_str key, void *value); /* replaces */
void *stf__map_remove(stf__map *map, stf_str key); /* the old value, or NULL */
/* Visits in no order; stop by returning false. No change of the map meanwhile. */
void stf__map_each(const stf__map *map, bool (*visit)(void *user, stf_str key, void *value),
                   void *user);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Few entries lie packed, in the order in which they came, and are found by looking at each: most
 * maps stay that small, and their keys are cheaper to compare than to hash. More are open
 * addressing with linear probing, at most three quarters full; removal shifts the following run
 * back, so there are no tombstones. The hash takes eight bytes at a time: ids are long, and are
 * looked up at every step. Keys come from models and ids whose number is bounded by limits.h. */
#include "base/map.h"

#include "base/mem.h"

#include <string.h>

enum {
    PACKED = 8 /* the capacity up to which entries are packed */
};

struct stf__map_slot {
    stf_str key;
    void *value;
    uint64_t hash; /* 0: free; the hash of a packed entry is not known and 1 */
};

void stf__map_init(stf__map *map, const stf_allocator *alloc)
{
    *map = (stf__map){.alloc = stf__alloc_or_default(alloc)};
}

void stf__map_done(stf__map *map)
{
    stf__mem_free(map->alloc, map->slots);
    *map = (stf__map){.alloc = map->alloc};
}

static uint64_t hash_of(stf_str key)
{
    uint64_t hash = key.size * UINT64_C(0xcbf29ce484222325);
    for (size_t at = 0; at < key.size; at += sizeof(uint64_t)) {
        size_t left = key.size - at;
        uint64_t word = 0;
        if (left >= sizeof(word)) {
            memcpy(&word, key.data + at, sizeof(word));
        } else {
            memcpy(&word, key.data + at, left);
        }
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    hash *= UINT64_C(0x9e3779b97f4a7c15);
    return (hash ^ (hash >> 32)) | UINT64_C(1) << 63; /* never 0; places are its low bits */
}

/* The slot that holds the key, or the free one where it belongs. The capacity is a power of two
 * and one slot at least is free. */
static stf__map_slot *find_slot(const stf__map *map, stf_str key, uint64_t hash)
{
    size_t mask = map->capacity - 1;
    size_t at = (size_t)hash & mask;
    while (map->slots[at].hash != 0 &&
           !(map->slots[at].hash == hash && stf_str_equal(map->slots[at].key, key))) {
        at = (at + 1) & mask;
    }
    return &map->slots[at];
}

static bool is_packed(const stf__map *map)
{
    return map->capacity <= PACKED;
}

/* NULL: not there. */
static stf__map_slot *find_packed(const stf__map *map, stf_str key)
{
    for (size_t i = 0; i < map->count; i++) {
        stf_str other = map->slots[i].key; /* most differ in size: no call for those */
        if (other.size == key.size && stf_str_equal(other, key)) {
            return &map->slots[i];
        }
    }
    return NULL;
}

void *stf__map_get(const stf__map *map, stf_str key)
{
    if (map->count == 0) {
        return NULL;
    }
    if (is_packed(map)) {
        const stf__map_slot *packed = find_packed(map, key);
        return packed != NULL ? packed->value : NULL;
    }
    const stf__map_slot *slot = find_slot(map, key, hash_of(key));
    return slot->hash != 0 ? slot->value : NULL;
}

static stf_status grow(stf__map *map)
{
    if (map->capacity > SIZE_MAX / 2) {
        return STF_NO_MEMORY;
    }
    stf__map larger = *map;
    larger.capacity = map->capacity != 0 ? map->capacity * 2 : PACKED;
    larger.slots = stf__mem_zalloc_array(map->alloc, larger.capacity, sizeof(*larger.slots));
    if (larger.slots == NULL) {
        return STF_NO_MEMORY;
    }
    for (size_t i = 0; i < map->capacity; i++) {
        stf__map_slot slot = map->slots[i];
        if (slot.hash != 0) {
            slot.hash = is_packed(map) ? hash_of(slot.key) : slot.hash;
            *find_slot(&larger, slot.key, slot.hash) = slot;
        }
    }
    stf__mem_free(map->alloc, map->slots);
    *map = larger;
    return STF_OK;
}

static stf_status put_packed(stf__map *map, stf_str key, void *value, bool *ret_done)
{
    stf__map_slot *slot = find_packed(map, key);
    stf_status status = STF_OK;
    *ret_done = slot != NULL || map->count < PACKED;
    if (slot == NULL && map->count == map->capacity) {
        status = grow(map);
    }
    if (status == STF_OK && *ret_done) {
        slot = slot != NULL ? slot : &map->slots[map->count++];
        *slot = (stf__map_slot){.key = key, .value = value, .hash = 1};
    }
    return status;
}

stf_status stf__map_put(stf__map *map, stf_str key, void *value)
{
    if (is_packed(map)) {
        bool is_done = false;
        stf_status status = put_packed(map, key, value, &is_done);
        if (status != STF_OK || is_done) {
            return status;
        }
    }
    uint64_t hash = hash_of(key);
    stf__map_slot *slot = find_slot(map, key, hash);
    if (slot->hash == 0 && map->count + 1 > map->capacity / 4 * 3) {
        stf_status status = grow(map);
        if (status != STF_OK) {
            return status;
        }
        slot = find_slot(map, key, hash);
    }
    if (slot->hash == 0) {
        map->count++;
    }
    /* The key is replaced as well: the old one may be about to go with the old value. */
    *slot = (stf__map_slot){.key = key, .value = value, .hash = hash};
    return STF_OK;
}

/* The last entry takes the place. */
static void *remove_packed(stf__map *map, stf_str key)
{
    stf__map_slot *slot = find_packed(map, key);
    if (slot == NULL) {
        return NULL;
    }
    void *value = slot->value;
    map->count--;
    *slot = map->slots[map->count];
    map->slots[map->count] = (stf__map_slot){.hash = 0};
    return value;
}

void *stf__map_remove(stf__map *map, stf_str key)
{
    if (map->count == 0) {
        return NULL;
    }
    if (is_packed(map)) {
        return remove_packed(map, key);
    }
    stf__map_slot *slot = find_slot(map, key, hash_of(key));
    if (slot->hash == 0) {
        return NULL;
    }
    void *value = slot->value;
    size_t mask = map->capacity - 1;
    size_t hole = (size_t)(slot - map->slots);
    for (size_t at = (hole + 1) & mask; map->slots[at].hash != 0; at = (at + 1) & mask) {
        size_t home = (size_t)map->slots[at].hash & mask;
        /* Move back whatever a search from its home would no longer reach over the hole. */
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            map->slots[hole] = map->slots[at];
            hole = at;
        }
    }
    map->slots[hole] = (stf__map_slot){.hash = 0};
    map->count--;
    return value;
}

void stf__map_each(const stf__map *map, bool (*visit)(void *user, stf_str key, void *value),
                   void *user)
{
    for (size_t i = 0; i < map->capacity; i++) {
        if (map->slots[i].hash != 0 && !visit(user, map->slots[i].key, map->slots[i].value)) {
            return;
        }
    }
}

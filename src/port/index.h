/* SPDX-License-Identifier: Apache-2.0 */
/* The wake index: who is due, orphaned or waiting, held in memory for a store that cannot say so
 * itself. It knows every save and delete through this repository; what is older is taken in
 * at the first wake call of a group through list_in_flight and load, and the group is walked again
 * a page at a time for what comes through other handles. Invariants:
 * - No store call and no visitor runs under the mutex.
 * - An entry is what the last save here or the last load said. Whatever might be another state of
 *   the record (a lost comparison, a lost answer, a load that shows another version) marks it
 *   unsure, and the next wake call loads what is unsure before it answers.
 * - A load never overwrites what a save brought after the load had begun: `changed` against the
 *   sequence noted before. */
#ifndef STF_PORT_INDEX_H
#define STF_PORT_INDEX_H

#include "base/map.h"
#include "port/private.h"
#include "port/wake_set.h"

#include <pthread.h>

#define STF__INDEX_PAGE 256u           /* records of one exchange */
#define STF__INDEX_PERIOD_US 1000000LL /* of the asker's clock: between two pages of the walk */

typedef struct stf__index_entry stf__index_entry;

typedef struct stf__index_group {
    stf_str name; /* its bytes follow the struct */
    stf__wake_set set;
    bool is_built;
    stf_wall walked_at; /* by the asker's clock */
    size_t walk_size;   /* where the walk is */
    char walk_after[STF_LIMIT_ID_BYTES];
} stf__index_group;

/* A record that is not terminal; or, without a group, an id of which nothing is known yet. One
 * block: waits and texts follow the struct. */
struct stf__index_entry {
    stf__wake_entry wake; /* a wake set's */
    stf__index_entry *unsure_before;
    stf__index_entry *unsure_after;
    uint64_t unsure_since; /* 0: it is sure */
    uint64_t changed;
    stf__index_group *group;
    stf_str tenant;
    stf_attempt attempt;
    stf__wake_wait waits[];
};

struct stf__index {
    const stf_allocator *alloc;
    pthread_mutex_t mutex;
    stf__map groups;
    stf__map entries;
    stf__index_entry *unsure_first; /* the longest unsure first */
    stf__index_entry *unsure_last;
    uint64_t sequence;
    bool is_lossy; /* no memory to note something: every group is built again */
};

/* index.c */
STF_MUST_CHECK stf_status stf__index_new(const stf_allocator *alloc, stf__index **ret_index,
                                         stf_error *error);
void stf__index_free(stf__index *index); /* NULL is fine */
void stf__index_lock(stf__index *index);
void stf__index_unlock(stf__index *index);
/* All below under the mutex. */
stf__index_group *stf__index_find_group(const stf__index *index, stf_str name);
STF_MUST_CHECK stf_status stf__index_get_group(stf__index *index, stf_str name,
                                               stf__index_group **ret_group);
stf__index_entry *stf__index_find(const stf__index *index, stf_str id);
/* Takes what the record says; a terminal one leaves. Only NO_MEMORY fails, and what was there
 * before stays. */
STF_MUST_CHECK stf_status stf__index_put(stf__index *index, const stf_record *record);
void stf__index_remove(stf__index *index, stf__index_entry *entry);
void stf__index_doubt(stf__index *index, stf_str id); /* marks unsure; never fails */
void stf__index_trust(stf__index *index, stf__index_entry *entry);
stf__index_entry *stf__index_next(stf__tree_node *by_id);
stf__index_entry *stf__index_after_id(const stf__index_group *group, stf_str id);

/* A load on its way to the caller's visitor: the user of stf__index_visit. */
typedef struct stf__index_load {
    stf__index *index;
    stf_record_visitor visit;
    void *user;
} stf__index_load;

/* index_note.c: what the wrappers tell. index NULL: nothing. */
stf_status stf__index_visit(void *user, const stf_record *record, stf_error *error);
void stf__index_note_save(stf__index *index, const stf_save *save, stf_status status,
                          const stf_save_result *result);
void stf__index_note_delete(stf__index *index, stf_str id, stf_status status);
void stf__index_note_absent(stf__index *index, stf_str id);

/* index_walk.c. Makes the group's entries right; now may be none. */
STF_MUST_CHECK stf_status stf__index_prepare(stf_repository *repository, const stf_ctx *ctx,
                                             stf_str group, stf_wall now, stf_error *error);

/* index_pages.c. The slots; impl is the stf_repository. */
extern const stf_wake_vtable stf__index_wake;

#endif

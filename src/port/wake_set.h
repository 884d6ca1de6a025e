/* SPDX-License-Identifier: Apache-2.0 */
/* Who is in flight, due, orphaned or waiting in one group, as ordered trees over entries that their
 * owner embeds: the memory store in its rows, the wake index in what it knows of a store. Nothing
 * here locks; the owner does. Invariants:
 * - An entry is in the trees that its fields name. Who changes a field that orders it (due, waits)
 *   takes it out first and places it after.
 * - A page is one instant's picture: its rows are copied into an arena, so that it can be visited
 *   when the owner has unlocked. */
#ifndef STF_PORT_WAKE_SET_H
#define STF_PORT_WAKE_SET_H

#include "base/arena.h"
#include "base/tree.h"

#include <stepfast/sys/repository.h>
#include <stepfast/sys/repository_wake.h>

typedef struct stf__wake_entry stf__wake_entry;

typedef struct stf__wake_wait {
    stf__tree_node by_since;
    stf__tree_node by_key;
    const stf__wake_entry *entry;
    stf_wait wait;
} stf__wake_wait;

/* A record that was saved. The texts are the owner's. */
struct stf__wake_entry {
    stf_str id;
    const stf_str *tenant;
    stf_str owner;
    stf_wall expiry;
    stf_wall due;
    int64_t version;
    stf__wake_wait *waits; /* an array in the record's order, which orders equals */
    uint32_t wait_count;
    uint32_t status;
    stf__tree_node by_id;
    stf__tree_node by_due;
    stf__tree_node by_owner;
};

typedef struct stf__wake_set {
    stf__tree records;      /* all, by id */
    stf__tree due;          /* not terminal, with a due, by (due, id) */
    stf__tree owned;        /* not terminal, with an owner, by id */
    stf__tree waits;        /* of what is not terminal or suspended, by (kind, since, id) */
    stf__tree waits_by_key; /* the same, by (kind, key, since, id) */
} stf__wake_set;

void stf__wake_set_init(stf__wake_set *set);
/* Into the trees that the fields name now and out of the others. */
void stf__wake_set_place(stf__wake_set *set, stf__wake_entry *entry);
void stf__wake_set_remove(stf__wake_set *set, stf__wake_entry *entry);
void stf__wake_set_remove_waits(stf__wake_set *set, stf__wake_entry *entry);
/* A by_id node; NULL: none. */
stf__tree_node *stf__wake_set_after_id(const stf__wake_set *set, stf_str id);
/* The earliest due of what nobody or the asker owns; none. set NULL: an empty one, as below. */
stf_wall stf__wake_set_next_due(const stf__wake_set *set, stf_str asker);

typedef struct stf__wake_item stf__wake_item;

typedef struct stf__wake_page {
    stf__arena arena;
    stf__wake_item *first;
    stf__wake_item **last;
    const stf_wake_row *last_row;
    size_t count;
    size_t waits_seen; /* taken or not */
} stf__wake_page;

void stf__wake_page_init(stf__wake_page *page, const stf_allocator *alloc);
/* The rows that the query asks for, by the time `now`. OK or NO_MEMORY. */
STF_MUST_CHECK stf_status stf__wake_page_take_in_flight(stf__wake_page *page,
                                                        const stf__wake_set *set,
                                                        const stf_in_flight_query *query,
                                                        stf_wall now);
STF_MUST_CHECK stf_status stf__wake_page_take_due(stf__wake_page *page, const stf__wake_set *set,
                                                  const stf_due_query *query, stf_wall now);
STF_MUST_CHECK stf_status stf__wake_page_take_orphans(stf__wake_page *page,
                                                      const stf__wake_set *set,
                                                      const stf_orphan_query *query, stf_wall now);
STF_MUST_CHECK stf_status stf__wake_page_take_waits(stf__wake_page *page, const stf__wake_set *set,
                                                    const stf_waiting_query *query);
/* Visits the rows and frees the page; only frees it when `built` is not OK, and returns that. */
STF_MUST_CHECK stf_status stf__wake_page_visit(stf__wake_page *page, stf_status built,
                                               stf_wake_visitor visit, void *user,
                                               stf_error *error);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of the port: what a registered store is, and the checks that every wrapper shares.
 * Invariant: a slot is called only with arguments that passed these checks and a live ctx. */
#ifndef STF_PORT_PRIVATE_H
#define STF_PORT_PRIVATE_H

#include <stepfast/limits.h>
#include <stepfast/sys/definition_store.h>
#include <stepfast/sys/repository.h>
#include <stepfast/sys/repository_batch.h>
#include <stepfast/sys/repository_catalog.h>
#include <stepfast/sys/repository_clock.h>
#include <stepfast/sys/repository_cluster.h>
#include <stepfast/sys/repository_journal.h>
#include <stepfast/sys/repository_liveness.h>
#include <stepfast/sys/repository_migrator.h>
#include <stepfast/sys/repository_wake.h>

/* Places in stf_repository.capabilities, in the order of the table in registration.c. */
typedef enum stf__capability {
    STF__CAPABILITY_MIGRATOR = 0,
    STF__CAPABILITY_CLUSTER = 1,
    STF__CAPABILITY_BATCH = 2,
    STF__CAPABILITY_WAKE = 3,
    STF__CAPABILITY_CATALOG = 4,
    STF__CAPABILITY_CLOCK = 5,
    STF__CAPABILITY_JOURNAL = 6,
    STF__CAPABILITY_LIVENESS = 7,
    STF__CAPABILITY_COUNT = 8
} stf__capability;

typedef struct stf__index stf__index;

struct stf_repository {
    const stf_allocator *alloc;
    stf_repository_vtable vtable;
    void *impl;
    const void *capabilities[STF__CAPABILITY_COUNT]; /* asked once, at registration; NULL: none */
    stf__index *index; /* for a store without the wake capability; else NULL */
};

/* A text argument and what is asked of it. */
typedef struct stf__text {
    const char *what; /* for messages: "id", "group" */
    stf_str value;
    bool is_required; /* empty is EMPTY_NOT_ALLOWED */
} stf__text;

/* registration.c. Every slot that follows the head of a vtable is set, or INVALID_ARGUMENT naming
 * the first one that is missing. names has one entry per slot. */
STF_MUST_CHECK stf_status stf__port_check_slots(const char *vtable_name, const void *vtable,
                                                const char *const *names, size_t count,
                                                stf_error *error);

/* check.c. The stages of validation, in the order that the contract refuses in. */
STF_MUST_CHECK stf_status stf__port_check_well_formed(const stf__text *texts, size_t count,
                                                      stf_error *error);
STF_MUST_CHECK stf_status stf__port_check_not_empty(const stf__text *texts, size_t count,
                                                    stf_error *error);
STF_MUST_CHECK stf_status stf__port_check_limits(const stf__text *texts, size_t count,
                                                 stf_error *error);
STF_MUST_CHECK stf_status stf__port_check_utf8(const stf__text *texts, size_t count,
                                               stf_error *error);
/* All four stages. */
STF_MUST_CHECK stf_status stf__port_check_texts(const stf__text *texts, size_t count,
                                                stf_error *error);
/* The four stages with the page's limit among them: over is LIMIT_EXCEEDED, 0 INVALID_ARGUMENT. */
STF_MUST_CHECK stf_status stf__port_check_page(const stf__text *texts, size_t count, size_t limit,
                                               stf_error *error);
STF_MUST_CHECK stf_status stf__port_missing(const char *what, stf_error *error);
STF_MUST_CHECK stf_status stf__port_unsupported(const char *capability, stf_error *error);

/* batch.c. The ids are checked and distinct; the wake index hears nothing of it. */
STF_MUST_CHECK stf_status stf__port_load_many(stf_repository *repository, const stf_ctx *ctx,
                                              const stf_str *ids, size_t count, stf_wall due_before,
                                              stf_record_visitor visit, void *user,
                                              stf_error *error);

/* save_check.c. All of a save's checks that the contract puts before the comparison and that need
 * no look at the record. */
STF_MUST_CHECK stf_status stf__port_check_save(stf_repository *repository, const stf_ctx *ctx,
                                               const stf_save *save, stf_error *error);

#endif

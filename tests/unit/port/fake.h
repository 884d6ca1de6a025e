/* SPDX-License-Identifier: Apache-2.0 */
/* A store that keeps nothing: it counts its calls, notes what it was given and answers as the test
 * says, so that tests see what the wrappers let through. */
#ifndef UNIT_PORT_FAKE_H
#define UNIT_PORT_FAKE_H

#include "port/private.h"

typedef struct fake {
    stf_repository_vtable vtable;
    const void *capabilities[STF__CAPABILITY_COUNT]; /* what extension returns */
    size_t asked[STF__CAPABILITY_COUNT];
    size_t calls; /* of every slot but extension, group_exists and close */
    size_t group_lookups;
    size_t closes;
    stf_status answer; /* of every slot */
    bool group_is_there;
    char ids_seen[64]; /* of saves and loads, each followed by a blank */
    stf_wall due;      /* of every record that a load visits */
    size_t limit_seen;
} fake;

/* Every capability is there; all answers are OK. */
void fake_init(fake *self);
/* The store over it; a failure fails the test. */
stf_repository *fake_open(fake *self);

/* The complete vtables, to be copied and broken. */
extern const stf_migrator_vtable fake_migrator;
extern const stf_cluster_vtable fake_cluster;
extern const stf_batch_vtable fake_batch;
extern const stf_wake_vtable fake_wake;
extern const stf_catalog_vtable fake_catalog;
extern const stf_store_clock_vtable fake_clock;
extern const stf_journal_vtable fake_journal;
extern const stf_liveness_vtable fake_liveness;

/* A record "a" of the group "g" and the creation of it. */
stf_record fake_record(void);
stf_save fake_save(const stf_record *record);

/* Visitors that count into a size_t. */
stf_status fake_visit_record(void *user, const stf_record *record, stf_error *error);
stf_status fake_visit_id(void *user, stf_str id, stf_error *error);
stf_status fake_visit_row(void *user, const stf_wake_row *row, stf_error *error);

/* A text that is one byte too long for a name. */
stf_str fake_long_text(void);

#endif

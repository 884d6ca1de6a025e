/* SPDX-License-Identifier: Apache-2.0 */
/* A store that hands every call to another one. A broken store is this one with a slot or two
 * replaced. */
#ifndef STF_TESTS_PASSTHROUGH_H
#define STF_TESTS_PASSTHROUGH_H

#include <stepfast/conformance.h>
#include <stepfast/sys/repository_batch.h>
#include <stepfast/sys/repository_catalog.h>
#include <stepfast/sys/repository_cluster.h>
#include <stepfast/sys/repository_journal.h>
#include <stepfast/sys/repository_wake.h>

/* What the broken ones remember; one store at a time, one thread unless said. */
typedef struct passthrough_memory {
    stf_bytes alias;
    int64_t incarnation;
    stf_wall due;
    uint32_t lost_fact;
    char lost_id[32];
} passthrough_memory;

typedef struct passthrough {
    stf_repository *inner;
    stf_batch_vtable batch;
    stf_wake_vtable wake;
    stf_catalog_vtable catalog;
    stf_journal_vtable journal;
    stf_cluster_vtable cluster;
    passthrough_memory memory;
    const stf_clock *clock; /* NULL: none */
} passthrough;

/* Replaces slots. */
typedef void (*passthrough_breaker)(stf_repository_vtable *vtable, passthrough *self);

/* Takes inner. break_it may be NULL. */
stf_status passthrough_new(passthrough_breaker break_it, stf_repository *inner,
                           stf_repository **ret_outer, stf_error *error);

stf_status passthrough_new_with(const stf_allocator *alloc, passthrough_breaker break_it,
                                stf_repository *inner, const stf_clock *clock,
                                stf_repository **ret_outer, stf_error *error);
const void *passthrough_extension(void *impl, const char *id); /* the slot as it is */

/* The slot of save as it is. */
stf_status passthrough_save(void *impl, const stf_ctx *ctx, const stf_save *save,
                            stf_save_result *ret_result, stf_error *error);
int64_t passthrough_stored_version(void *impl, stf_str id); /* 0: absent */
/* Whatever is stored is written over. */
stf_status passthrough_save_over_anything(void *impl, const stf_ctx *ctx, const stf_save *save,
                                          stf_save_result *ret_result, stf_error *error);
/* A load whose record is changed on its way to the visitor. */
stf_status passthrough_load_changed(void *impl, const stf_ctx *ctx, stf_str id,
                                    void (*change)(passthrough *self, stf_record *record),
                                    stf_record_visitor visit, void *user, bool *ret_found,
                                    stf_error *error);

/* A deliberately broken store and the case that must catch it. */
typedef struct broken_store {
    const char *what;
    const char *case_id;
    passthrough_breaker break_it;
} broken_store;

extern const broken_store broken_records[];
extern const size_t broken_records_count;
extern const broken_store broken_fencing[];
extern const size_t broken_fencing_count;
extern const broken_store broken_wake[];
extern const size_t broken_wake_count;
extern const broken_store broken_pages[];
extern const size_t broken_pages_count;

#endif

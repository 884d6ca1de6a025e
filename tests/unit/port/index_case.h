/* SPDX-License-Identifier: Apache-2.0 */
/* A memory store with two handles: `mine` hides the wake capability, so that the port's index
 * answers, over a store that fails on request; `other` is another engine's or the command line's.
 */
#ifndef UNIT_PORT_INDEX_CASE_H
#define UNIT_PORT_INDEX_CASE_H

#include <stepfast/memory.h>
#include <stepfast/sys/repository_wake.h>

#include "support/faulty_repository.h"
#include "unit/base/faulty.h"

typedef struct index_case {
    faulty allocator; /* of `mine` only */
    stf_memory *memory;
    stf_repository *below;
    faulty_repository faults;
    stf_repository *mine;
    stf_repository *other;
    stf_error error;
    int64_t now_us; /* of queries and of the store */
    stf_clock clock;
} index_case;

void index_case_open(index_case *self);
/* The counting allocator is for one thread; this one takes the default. */
void index_case_open_for_threads(index_case *self);
void index_case_close(index_case *self); /* fails the test when something leaked */

/* A save in the group "g" and the tenant "t" over the version: due at a time (none: INT64_MIN) and
 * with a message wait for "key". */
typedef struct index_save {
    stf_record record;
    stf_save save;
    stf_wait wait;
    stf_save_result result;
} index_save;

void index_save_init(index_save *self, const char *id, int64_t expected_version, int64_t due_us);
stf_status index_save_run(index_case *self, stf_repository *repository, index_save *save);
/* Saves through the handle; a refusal fails the test. */
void index_put(index_case *self, stf_repository *repository, const char *id,
               int64_t expected_version, int64_t due_us);
void index_delete(index_case *self, stf_repository *repository, const char *id);
/* Time passes, so that the walk takes its next page. */
void index_pass_period(index_case *self);

/* The ids of the page, each followed by a blank. */
void index_expect_due(index_case *self, const char *expected);
void index_expect_waiting(index_case *self, const char *key, const char *expected);
void index_expect_orphans(index_case *self, const char *expected);

/* A visitor that counts into a size_t. */
stf_status index_count_row(void *user, const stf_wake_row *row, stf_error *error);

#endif

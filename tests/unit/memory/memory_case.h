/* SPDX-License-Identifier: Apache-2.0 */
/* A memory store under a hand-moved clock and an allocator that fails where the test says. */
#ifndef UNIT_MEMORY_CASE_H
#define UNIT_MEMORY_CASE_H

#include <stepfast/memory.h>

#include "unit/base/faulty.h"

typedef struct memory_case {
    faulty allocator;
    stf_clock clock;
    int64_t now_us;
    stf_memory *memory;
    stf_repository *repository;
    stf_error error;
    char evicted[256]; /* ids, each followed by a blank */
} memory_case;

/* A store with the group "g". max_terminal 0: the default. */
void memory_case_open(memory_case *self, uint64_t max_terminal);
/* Fails the test when something leaked. */
void memory_case_close(memory_case *self);

/* A save of the group "g" with a head, over the version; the attempt is made of the version. */
typedef struct memory_save {
    stf_record record;
    stf_save save;
} memory_save;

void memory_save_init(memory_save *self, const char *id, int64_t expected_version);
stf_status memory_save_run(memory_case *self, memory_save *save);
/* Saves with a status; fails the test when refused. */
void memory_put(memory_case *self, const char *id, int64_t expected_version, uint32_t status);
/* The stored version; 0: absent. */
int64_t memory_version(memory_case *self, const char *id);

/* Runs `operation` with the n-th allocation failing for n = 1, 2, ... until it is OK. After each
 * failure `unchanged` looks for traces; it may be NULL. */
void memory_fail_each(memory_case *self, stf_status (*operation)(memory_case *self),
                      void (*unchanged)(memory_case *self));

#endif

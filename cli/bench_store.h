/* SPDX-License-Identifier: Apache-2.0 */
/* The store under test: new and empty for each figure, with a clock that can be moved on, memory
 * that is counted, and in front of it the store that counts. */
#ifndef CLI_BENCH_STORE_H
#define CLI_BENCH_STORE_H

#include <stdatomic.h>

#include <stepfast/memory.h>
#include <stepfast/sqlite.h>

#include "bench_raw.h"
#include "store_count.h"

/* Where the files of a SQLite bench lie; an empty path is the memory store. */
typedef struct bench_place {
    const char *name; /* "memory", "sqlite" */
    char path[512];   /* a prefix that nobody else uses */
    uint32_t files;   /* drawn so far */
} bench_place;

typedef struct bench_store {
    char path[544];
    stf_allocator alloc;
    atomic_uint_least64_t live_bytes; /* of the memory store */
    stf_clock clock;
    atomic_int_least64_t ahead_us; /* how far the clock was moved on */
    cli_store_totals totals;
    stf_memory *memory;
    stf_sqlite *sqlite;
    stf_repository *plain;   /* for the figures at the port */
    stf_repository *counted; /* for the engine; its own handle */
    stf_definition_store *definitions;
} bench_store;

/* Counting memory costs time, so only the figures of bytes do. bench_store_close in any case: it
 * removes the files. */
STF_MUST_CHECK stf_status bench_store_open(bench_place *place, bool counts_memory,
                                           bench_store *ret_store, stf_error *error);
/* Closes what is open and keeps the files. */
void bench_store_close_handles(bench_store *store);
void bench_store_close(bench_store *store);

/* Moves the clock of store and engine on. */
void bench_store_advance(bench_store *store, int64_t us);

/* A raw reference of the same kind, in a file of its own; *ret_path is for bench_remove. */
STF_MUST_CHECK stf_status bench_store_open_raw(bench_place *place, char ret_path[544],
                                               bench_raw **ret_raw, stf_error *error);
/* Removes a SQLite file and what lies beside it; an empty path is nothing. */
void bench_remove(const char *path);

#endif

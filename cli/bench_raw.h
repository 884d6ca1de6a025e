/* SPDX-License-Identifier: Apache-2.0 */
/* The raw reference that each figure stands beside: the same bytes written and read with as little
 * as can be. For a memory store a hash table of copied rows under a lock; for SQLite prepared
 * statements on the store's own tables, in a file of its own, with the store's settings. Both
 * compare the version, as a save does. */
#ifndef CLI_BENCH_RAW_H
#define CLI_BENCH_RAW_H

#include <stepfast/buf.h>

#define BENCH_ID_BYTES 36

/* The n-th record: its id, and the version that a write makes (1 inserts). */
typedef struct bench_row {
    char id[BENCH_ID_BYTES + 1];
    int64_t version;
    stf_bytes head;
} bench_row;

typedef struct bench_raw bench_raw;

typedef struct bench_raw_vtable {
    /* All rows in one transaction. INTERNAL: a version was not the expected one. */
    stf_status (*write)(bench_raw *raw, const bench_row *rows, size_t count, stf_error *error);
    /* Reads the head; its size. INTERNAL: there is none. */
    stf_status (*read)(bench_raw *raw, const bench_row *row, size_t *ret_size, stf_error *error);
    void (*close)(bench_raw *raw);
} bench_raw_vtable;

struct bench_raw {
    const bench_raw_vtable *vtable;
};

STF_MUST_CHECK stf_status bench_raw_open_memory(bench_raw **ret_raw, stf_error *error);
/* A new file at path. */
STF_MUST_CHECK stf_status bench_raw_open_sqlite(const char *path, bench_raw **ret_raw,
                                                stf_error *error);
void bench_raw_close(bench_raw *raw); /* NULL is fine */

/* Sets the id: 36 bytes, in the order of the numbers. */
void bench_row_name(bench_row *row, uint64_t number);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* An engine of the bench: over the counting store, one thread, handlers inline unless said. */
#ifndef CLI_BENCH_HOST_H
#define CLI_BENCH_HOST_H

#include <stepfast/engine.h>

#include "bench_run.h"

typedef struct bench_host {
    bench_store *store;
    stf_engine *engine;
    uint64_t handled; /* runs of the handler */
    stf_start start;
} bench_host;

/* Starts an engine with a handler of the topic "work" that completes, and deploys the model.
 * bench_host_close in any case. */
STF_MUST_CHECK stf_status bench_host_open(const bench_run *run, bench_store *store, const char *id,
                                          const char *model, const char *process,
                                          bench_host *ret_host, stf_error *error);
void bench_host_close(bench_host *host);

/* Starts that many instances, one after the other, and adds a sample for each (side may be NULL).
 */
STF_MUST_CHECK stf_status bench_host_start(const bench_run *run, bench_host *host, uint64_t count,
                                           bench_side *side, stf_error *error);

/* The raw counterpart of lives of instances: each is an insert and writes - 1 updates of one row,
 * each write a transaction of its own and of that many bytes. *next numbers the rows. */
STF_MUST_CHECK stf_status bench_raw_lives(const bench_run *run, bench_raw *raw, uint64_t *next,
                                          uint64_t count, uint64_t writes, size_t bytes,
                                          bench_side *side, stf_error *error);

#endif

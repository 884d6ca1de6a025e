/* SPDX-License-Identifier: Apache-2.0 */
/* The figures, by where they are taken. Each function adds its figures to the report, or none of
 * them: when a count is off, a call failed, or the signal came. */
#ifndef CLI_BENCH_RUN_H
#define CLI_BENCH_RUN_H

#include "bench_figure.h"
#include "bench_store.h"

typedef struct bench_run {
    bench_place *place;
    bench_report *report;
    const stf_ctx *ctx;
    uint64_t count; /* operations of a figure; 0: as many as the figure takes by itself */
} bench_run;

/* Saves alone and in batches, creates and loads. */
STF_MUST_CHECK stf_status bench_run_port(const bench_run *run, stf_error *error);

/* Through the engine. */
STF_MUST_CHECK stf_status bench_run_service(const bench_run *run, stf_error *error);
STF_MUST_CHECK stf_status bench_run_services(const bench_run *run, stf_error *error);
STF_MUST_CHECK stf_status bench_run_timer(const bench_run *run, stf_error *error);
STF_MUST_CHECK stf_status bench_run_parked_task(const bench_run *run, stf_error *error);
STF_MUST_CHECK stf_status bench_run_parked_timer(const bench_run *run, stf_error *error);
STF_MUST_CHECK stf_status bench_run_recovery(const bench_run *run, stf_error *error);

#endif

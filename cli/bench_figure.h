/* SPDX-License-Identifier: Apache-2.0 */
/* What the bench prints: figures, each beside its raw reference, and which goals they meet. */
#ifndef CLI_BENCH_FIGURE_H
#define CLI_BENCH_FIGURE_H

#include <stdio.h>

#include "bench_sample.h"
#include "store_count.h"

enum {
    BENCH_FIGURES_MAX = 32
};

typedef struct bench_figure {
    const char *store; /* "memory", "sqlite" */
    const char *name;  /* "port.save" */
    const char *unit;  /* what is done per second: "saves", "instances"; "bytes" has no rate */
    uint64_t count;    /* operations of one side */
    double rate;       /* per second; bytes for that unit */
    double raw_rate;   /* 0: there is none */
    double p50_us;
    double p99_us;
    double raw_p50_us;
    double raw_p99_us;
    double saves_each; /* saves of one operation */
    double commits_each;
    double head_bytes; /* of one save, on average */
    double bulk_bytes;
} bench_figure;

typedef struct bench_report {
    bench_figure figures[BENCH_FIGURES_MAX];
    size_t count;
} bench_report;

/* Takes what both sides measured and what was counted. raw may be NULL. False: no room. */
bool bench_report_add(bench_report *report, const bench_figure *figure, bench_side *ours,
                      bench_side *raw, const cli_store_totals *counted);

const bench_figure *bench_report_find(const bench_report *report, const char *store,
                                      const char *name);

typedef struct bench_goal {
    const char *id; /* as in docs/bench.md */
    const char *store;
    const char *text;
    const char *figure;
    double (*measure)(const bench_report *report, const struct bench_goal *goal);
    double limit;
    bool is_at_most; /* else: at least */
} bench_goal;

size_t bench_goal_count(void);
const bench_goal *bench_goal_at(size_t index);
/* False: the figure was not taken in this run. */
bool bench_goal_judge(const bench_goal *goal, const bench_report *report, double *ret_value,
                      bool *ret_is_met);

void bench_report_print_text(const bench_report *report, FILE *file);
void bench_report_print_json(const bench_report *report, FILE *file);

#endif

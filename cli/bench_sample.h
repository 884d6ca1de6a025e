/* SPDX-License-Identifier: Apache-2.0 */
/* Times of operations: how long each took, the percentiles, and the rates of rounds. */
#ifndef CLI_BENCH_SAMPLE_H
#define CLI_BENCH_SAMPLE_H

#include <stdint.h>
#include <stepfast/buf.h>

enum {
    BENCH_ROUNDS = 5 /* of each side, taken in turn, so that noise hits both */
};

/* Nanoseconds of a clock that never goes back. */
uint64_t bench_now_ns(void);

/* One side of a figure: ours, or the raw reference. */
typedef struct bench_side {
    stf_buf samples; /* uint64_t ns of one operation each */
    double rates[BENCH_ROUNDS];
    uint32_t round_count;
} bench_side;

void bench_side_init(bench_side *side);
void bench_side_done(bench_side *side);

/* A sample of `operations` operations that took ns together; false: no memory. */
bool bench_side_add(bench_side *side, uint64_t ns, uint64_t operations);
/* The end of a round of that many operations; rounds over BENCH_ROUNDS are ignored. */
void bench_side_end_round(bench_side *side, uint64_t ns, uint64_t operations);

/* Operations per second: the median of the rounds; 0 without any. */
double bench_side_rate(const bench_side *side);
/* Microseconds that `percent` % of the samples stay under (nearest rank); 0 without any. Sorts. */
double bench_side_percentile_us(bench_side *side, uint32_t percent);

#endif

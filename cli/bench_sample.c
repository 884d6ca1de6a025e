/* SPDX-License-Identifier: Apache-2.0 */
/* See bench_sample.h. */
#include "bench_sample.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

uint64_t bench_now_ns(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void bench_side_init(bench_side *side)
{
    memset(side, 0, sizeof *side);
    stf_buf_init(&side->samples, NULL);
}

void bench_side_done(bench_side *side)
{
    stf_buf_done(&side->samples);
}

bool bench_side_add(bench_side *side, uint64_t ns, uint64_t operations)
{
    uint64_t each = operations != 0 ? ns / operations : 0;
    return operations == 0 || stf_buf_append(&side->samples, &each, sizeof each) == STF_OK;
}

void bench_side_end_round(bench_side *side, uint64_t ns, uint64_t operations)
{
    if (side->round_count < BENCH_ROUNDS && operations != 0) {
        side->rates[side->round_count++] = (double)operations * 1e9 / (double)(ns != 0 ? ns : 1);
    }
}

static int compare_rates(const void *a, const void *b)
{
    const double *x = a;
    const double *y = b;
    return (*x > *y) - (*x < *y);
}

static int compare_samples(const void *a, const void *b)
{
    const uint64_t *x = a;
    const uint64_t *y = b;
    return (*x > *y) - (*x < *y);
}

double bench_side_rate(const bench_side *side)
{
    double rates[BENCH_ROUNDS];
    uint32_t count = side->round_count;
    if (count == 0) {
        return 0;
    }
    memcpy(rates, side->rates, sizeof rates);
    qsort(rates, count, sizeof rates[0], compare_rates);
    return count % 2 != 0 ? rates[count / 2] : (rates[count / 2 - 1] + rates[count / 2]) / 2;
}

double bench_side_percentile_us(bench_side *side, uint32_t percent)
{
    size_t count = side->samples.size / sizeof(uint64_t);
    if (count == 0) {
        return 0;
    }
    uint64_t *samples = (uint64_t *)(void *)side->samples.data;
    qsort(samples, count, sizeof *samples, compare_samples);
    size_t rank = (count * percent + 99) / 100;
    return (double)samples[rank != 0 ? rank - 1 : 0] / 1000;
}

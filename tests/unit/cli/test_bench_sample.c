/* SPDX-License-Identifier: Apache-2.0 */
/* Medians of rounds and percentiles of samples. */
#include "bench_sample.h"

#include "support/stf_test.h"

STF_TEST(the_rate_is_the_median_of_the_rounds)
{
    bench_side side;
    bench_side_init(&side);
    ck_assert_double_eq(bench_side_rate(&side), 0);
    bench_side_end_round(&side, 1000000000, 10);
    ck_assert_double_eq(bench_side_rate(&side), 10);
    bench_side_end_round(&side, 1000000000, 1000);
    ck_assert_double_eq(bench_side_rate(&side), 505);
    bench_side_end_round(&side, 1000000000, 30);
    ck_assert_double_eq(bench_side_rate(&side), 30);
    bench_side_end_round(&side, 1000000000, 0); /* no operation, no round */
    ck_assert_double_eq(bench_side_rate(&side), 30);
    for (int i = 0; i < 2 * BENCH_ROUNDS; i++) {
        bench_side_end_round(&side, 500000000, 10);
    }
    ck_assert_uint_eq(side.round_count, BENCH_ROUNDS);
    ck_assert_double_eq(bench_side_rate(&side), 20);
    bench_side_done(&side);
}

STF_TEST(percentiles_are_of_the_nearest_rank_whatever_the_order)
{
    bench_side side;
    bench_side_init(&side);
    ck_assert_double_eq(bench_side_percentile_us(&side, 50), 0);
    for (uint64_t i = 0; i < 200; i++) {
        ck_assert(bench_side_add(&side, (i * 77 % 200 + 1) * 1000, 1));
    }
    ck_assert_double_eq(bench_side_percentile_us(&side, 50), 100);
    ck_assert_double_eq(bench_side_percentile_us(&side, 99), 198);
    ck_assert_double_eq(bench_side_percentile_us(&side, 100), 200);
    ck_assert_double_eq(bench_side_percentile_us(&side, 0), 1);
    bench_side_done(&side);
}

STF_TEST(a_sample_of_several_operations_is_the_time_of_one)
{
    bench_side side;
    bench_side_init(&side);
    ck_assert(bench_side_add(&side, 64000, 32));
    ck_assert(bench_side_add(&side, 64000, 0)); /* none was done */
    ck_assert_double_eq(bench_side_percentile_us(&side, 100), 2);
    bench_side_done(&side);
}

STF_TEST(the_clock_never_goes_back)
{
    uint64_t before = bench_now_ns();
    for (int i = 0; i < 1000; i++) {
        uint64_t now = bench_now_ns();
        ck_assert_uint_ge(now, before);
        before = now;
    }
}

static const stf_test_case cases[] = {
    STF_CASE(the_rate_is_the_median_of_the_rounds),
    STF_CASE(percentiles_are_of_the_nearest_rank_whatever_the_order),
    STF_CASE(a_sample_of_several_operations_is_the_time_of_one),
    STF_CASE(the_clock_never_goes_back),
};

STF_TEST_MAIN("bench_sample", cases)

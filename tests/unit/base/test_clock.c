/* SPDX-License-Identifier: Apache-2.0 */
/* The system's ports read the system's clocks and fill all bytes. */
#include "support/stf_test.h"

#include <stepfast/clock.h>
#include <time.h>

static int64_t clock_us(clockid_t id)
{
    struct timespec now;
    ck_assert_int_eq(clock_gettime(id, &now), 0);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

STF_TEST(wall_is_the_time_since_1970)
{
    const stf_clock *clock = stf_clock_system();
    int64_t before_us = clock_us(CLOCK_REALTIME);
    int64_t now_us = clock->wall(clock->user).us;
    ck_assert_int_ge(now_us, before_us);
    ck_assert_int_le(now_us, clock_us(CLOCK_REALTIME));
}

STF_TEST(mono_counts_from_boot_and_never_goes_back)
{
    const stf_clock *clock = stf_clock_system();
    int64_t last_us = clock_us(CLOCK_BOOTTIME);
    for (int i = 0; i < 1000; i++) {
        int64_t now_us = clock->mono(clock->user).us;
        ck_assert_int_ge(now_us, last_us);
        last_us = now_us;
    }
    ck_assert_int_le(last_us, clock_us(CLOCK_BOOTTIME));
}

STF_TEST(random_fills_every_byte_and_no_more)
{
    const stf_random *source = stf_random_system();
    unsigned char bytes[1002];
    unsigned char seen[1002] = {0};
    for (int round = 0; round < 20; round++) {
        memset(bytes, 0, sizeof(bytes));
        source->fill(source->user, bytes + 1, 1000);
        for (size_t i = 0; i < sizeof(bytes); i++) {
            seen[i] |= bytes[i];
        }
    }
    ck_assert_uint_eq(seen[0], 0);
    ck_assert_uint_eq(seen[1001], 0);
    for (size_t i = 1; i <= 1000; i++) {
        ck_assert_uint_ne(seen[i], 0); /* false alarm: once in 2^150 */
    }
    source->fill(source->user, bytes, 0);
}

STF_TEST(no_time_is_none_and_zero_is_a_time)
{
    ck_assert(stf_wall_is_none(stf_wall_none()));
    ck_assert(!stf_wall_is_none((stf_wall){0}));
    ck_assert_int_eq(stf_wall_none().us, STF_WALL_NONE_US);
}

static const stf_test_case cases[] = {
    STF_CASE(wall_is_the_time_since_1970),
    STF_CASE(mono_counts_from_boot_and_never_goes_back),
    STF_CASE(random_fills_every_byte_and_no_more),
    STF_CASE(no_time_is_none_and_zero_is_a_time),
};

STF_TEST_MAIN("base/clock", cases)

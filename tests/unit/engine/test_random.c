/* SPDX-License-Identifier: Apache-2.0 */
/* The engine's random bytes: never the same twice, not even in a child after fork. */
#include "engine/private.h"
#include "support/stf_test.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    DRAW = 16
};

STF_TEST(no_two_draws_of_many_pages_are_the_same)
{
    static uint8_t draws[1024][DRAW];
    stf__random random;
    stf__random_init(&random, stf_random_system());
    ck_assert_ptr_nonnull(random.page);
    for (size_t i = 0; i < 1024; i++) {
        stf__random_fill(&random, draws[i], DRAW);
        for (size_t j = 0; j < i; j++) {
            ck_assert_mem_ne(draws[i], draws[j], DRAW);
        }
    }
    stf__random_done(&random);
}

STF_TEST(a_draw_larger_than_the_page_is_filled_to_its_end)
{
    static uint8_t large[3 * 4096];
    static const uint8_t zeros[64];
    stf__random random;
    stf__random_init(&random, stf_random_system());
    stf__random_fill(&random, large, sizeof(large));
    for (size_t at = 0; at + sizeof(zeros) <= sizeof(large); at += sizeof(zeros)) {
        ck_assert_mem_ne(large + at, zeros, sizeof(zeros));
    }
    stf__random_done(&random);
}

STF_TEST(a_child_after_fork_draws_other_bytes_than_its_parent)
{
    uint8_t ours[DRAW];
    uint8_t theirs[DRAW];
    int ends[2];
    stf__random random;
    stf__random_init(&random, stf_random_system());
    stf__random_fill(&random, ours, DRAW); /* the page is full now */
    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        stf__random_fill(&random, theirs, DRAW);
        _exit(write(ends[1], theirs, DRAW) == DRAW ? 0 : 1);
    }
    stf__random_fill(&random, ours, DRAW);
    ck_assert_int_eq(read(ends[0], theirs, DRAW), DRAW);
    int how = 0;
    ck_assert_int_eq(waitpid(child, &how, 0), child);
    ck_assert_int_eq(how, 0);
    ck_assert_mem_ne(ours, theirs, DRAW);
    (void)close(ends[0]);
    (void)close(ends[1]);
    stf__random_done(&random);
}

static void fill_counting(void *user, void *bytes, size_t size)
{
    size_t *asked = user;
    *asked += size;
    memset(bytes, 7, size);
}

STF_TEST(a_source_of_the_host_is_asked_for_what_is_drawn_and_no_more)
{
    size_t asked = 0;
    uint8_t bytes[DRAW];
    const stf_random source = {.struct_size = sizeof(source),
                               .abi = STF_RANDOM_ABI,
                               .user = &asked,
                               .fill = fill_counting};
    stf__random random;
    stf__random_init(&random, &source);
    stf__random_fill(&random, bytes, DRAW);
    ck_assert_uint_eq(asked, DRAW);
    ck_assert_uint_eq(bytes[DRAW - 1], 7);
    stf__random_done(&random);
}

static const stf_test_case cases[] = {
    STF_CASE(no_two_draws_of_many_pages_are_the_same),
    STF_CASE(a_draw_larger_than_the_page_is_filled_to_its_end),
    STF_CASE(a_child_after_fork_draws_other_bytes_than_its_parent),
    STF_CASE(a_source_of_the_host_is_asked_for_what_is_drawn_and_no_more),
};

STF_TEST_MAIN("random", cases)

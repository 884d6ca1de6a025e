/* SPDX-License-Identifier: Apache-2.0 */
/* The arena hands out aligned, separate pieces and frees all of them together. */
#include "base/arena.h"
#include "support/stf_test.h"
#include "unit/base/faulty.h"

#include <stddef.h>
#include <stdint.h>

STF_TEST(pieces_are_aligned_and_do_not_overlap)
{
    stf__arena arena;
    unsigned char *pieces[500];
    stf__arena_init(&arena, NULL);
    for (size_t i = 0; i < 500; i++) {
        pieces[i] = stf__arena_alloc(&arena, i);
        ck_assert_ptr_nonnull(pieces[i]);
        ck_assert_uint_eq((uintptr_t)pieces[i] % _Alignof(max_align_t), 0);
        memset(pieces[i], (int)(i & 0xff), i);
    }
    for (size_t i = 0; i < 500; i++) {
        for (size_t j = 0; j < i; j++) {
            if (pieces[i][j] != (i & 0xff)) {
                ck_abort_msg("piece %zu was written over", i);
            }
        }
    }
    ck_assert_uint_eq(arena.used, 499 * 500 / 2);
    stf__arena_done(&arena);
    ck_assert_uint_eq(arena.used, 0);
}

STF_TEST(a_piece_larger_than_any_chunk_is_given)
{
    faulty alloc;
    stf__arena arena;
    faulty_init(&alloc, 0);
    stf__arena_init(&arena, &alloc.port);
    unsigned char *large = stf__arena_zalloc(&arena, 1000000);
    ck_assert_uint_eq(large[999999], 0);
    large[999999] = 1;
    unsigned char *small = stf__arena_alloc(&arena, 1);
    *small = 2;
    ck_assert_uint_eq(large[999999], 1);
    stf__arena_done(&arena);
    ck_assert_int_eq(alloc.live, 0);
}

STF_TEST(a_reset_arena_frees_all_but_one_ordinary_chunk_and_serves_again)
{
    faulty alloc;
    stf__arena arena;
    faulty_init(&alloc, 0);
    stf__arena_init(&arena, &alloc.port);
    stf__arena_reset(&arena);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 1000; i++) {
            ck_assert_ptr_nonnull(stf__arena_alloc(&arena, 100));
        }
        stf__arena_reset(&arena);
        ck_assert_uint_eq(arena.used, 0);
        ck_assert_int_le(alloc.live, 1);
    }
    ck_assert_ptr_nonnull(stf__arena_alloc(&arena, 1000000));
    stf__arena_reset(&arena);
    ck_assert_int_eq(alloc.live, 0); /* a chunk of a special size is not kept */
    stf__arena_done(&arena);
    ck_assert_int_eq(alloc.live, 0);
}

STF_TEST(after_a_reset_the_same_memory_serves_again)
{
    faulty alloc;
    stf__arena arena;
    faulty_init(&alloc, 0);
    stf__arena_init(&arena, &alloc.port);
    (void)stf__arena_alloc(&arena, 100);
    (void)stf__arena_alloc(&arena, 100);
    bool has_chunks = alloc.calls == 1; /* not so in the twin for sanitizers */
    for (int round = 0; round < 100; round++) {
        stf__arena_reset(&arena);
        (void)stf__arena_alloc(&arena, 100);
    }
    ck_assert_int_eq(alloc.calls, has_chunks ? 1 : 102);
    stf__arena_done(&arena);
    ck_assert_int_eq(alloc.live, 0);
}

STF_TEST(a_copied_text_is_terminated_and_independent)
{
    stf__arena arena;
    stf_str copy;
    char source[] = "token";
    stf__arena_init(&arena, NULL);
    ck_assert_int_eq(stf__arena_copy_str(&arena, (stf_str){source, 5}, &copy), STF_OK);
    source[0] = 'x';
    STF_CHECK_STR(copy, "token");
    ck_assert_int_eq(copy.data[5], '\0');
    ck_assert_int_eq(stf__arena_copy_str(&arena, (stf_str){NULL, 0}, &copy), STF_OK);
    ck_assert_uint_eq(copy.size, 0);
    ck_assert_int_eq(copy.data[0], '\0');
    stf__arena_done(&arena);
}

STF_TEST(running_out_of_memory_leaves_the_arena_usable)
{
    faulty alloc;
    stf__arena arena;
    stf_str copy = {"kept", 4};
    faulty_init(&alloc, 1);
    stf__arena_init(&arena, &alloc.port);
    ck_assert_ptr_null(stf__arena_zalloc(&arena, 10));
    alloc.fail_at = 2;
    ck_assert_int_eq(stf__arena_copy_str(&arena, stf_str_of("abc"), &copy), STF_NO_MEMORY);
    STF_CHECK_STR(copy, "kept");
    ck_assert_int_eq(stf__arena_copy_str(&arena, (stf_str){"", SIZE_MAX}, &copy), STF_NO_MEMORY);
    ck_assert_ptr_null(stf__arena_alloc(&arena, SIZE_MAX - 8));
    ck_assert_uint_eq(arena.used, 0);
    ck_assert_ptr_nonnull(stf__arena_alloc(&arena, 10));
    stf__arena_done(&arena);
    ck_assert_int_eq(alloc.live, 0);
}

static const stf_test_case cases[] = {
    STF_CASE(pieces_are_aligned_and_do_not_overlap),
    STF_CASE(a_piece_larger_than_any_chunk_is_given),
    STF_CASE(a_reset_arena_frees_all_but_one_ordinary_chunk_and_serves_again),
    STF_CASE(after_a_reset_the_same_memory_serves_again),
    STF_CASE(a_copied_text_is_terminated_and_independent),
    STF_CASE(running_out_of_memory_leaves_the_arena_usable),
};

STF_TEST_MAIN("base/arena", cases)

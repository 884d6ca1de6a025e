/* SPDX-License-Identifier: Apache-2.0 */
/* The default allocator and the short forms over any allocator. */
#include "base/mem.h"
#include "support/stf_test.h"
#include "unit/base/faulty.h"

STF_TEST(no_allocator_means_the_default_one)
{
    faulty other;
    faulty_init(&other, 0);
    ck_assert_ptr_eq(stf__alloc_or_default(NULL), stf_allocator_default());
    ck_assert_ptr_eq(stf__alloc_or_default(&other.port), &other.port);
    char *text = stf__mem_copy_str(NULL, stf_str_of("abc"));
    ck_assert_str_eq(text, "abc");
    stf__mem_free(NULL, text);
    stf__mem_free(NULL, NULL);
}

STF_TEST(the_default_allocator_grows_a_block_and_keeps_its_content)
{
    const stf_allocator *alloc = stf_allocator_default();
    ck_assert_uint_eq(alloc->struct_size, sizeof(*alloc));
    ck_assert_uint_eq(alloc->abi, STF_ALLOCATOR_ABI);
    char *block = alloc->alloc(alloc->user, 2);
    memcpy(block, "a", 2);
    block = alloc->realloc(alloc->user, block, 5000);
    ck_assert_str_eq(block, "a");
    alloc->free(alloc->user, block);
    alloc->free(alloc->user, NULL);
}

STF_TEST(zeroed_memory_is_zero)
{
    unsigned char *block = stf__mem_zalloc_array(NULL, 100, 7);
    for (size_t i = 0; i < 700; i++) {
        ck_assert_uint_eq(block[i], 0);
    }
    stf__mem_free(NULL, block);
}

STF_TEST(a_size_that_overflows_is_out_of_memory_and_calls_nobody)
{
    faulty alloc;
    faulty_init(&alloc, 0);
    ck_assert_ptr_null(stf__mem_zalloc_array(&alloc.port, SIZE_MAX / 2, 3));
    ck_assert_ptr_null(stf__mem_realloc_array(&alloc.port, NULL, SIZE_MAX / 2, 3));
    ck_assert_ptr_null(stf__mem_copy_str(&alloc.port, (stf_str){"", SIZE_MAX}));
    ck_assert_int_eq(alloc.calls, 0);
}

static void *refuse_zero(void *user, size_t size)
{
    (void)user;
    ck_assert_uint_gt(size, 0);
    return malloc(size);
}

STF_TEST(the_port_is_never_asked_for_nothing)
{
    stf_allocator port = *stf_allocator_default();
    port.alloc = refuse_zero;
    void *block = stf__mem_zalloc_array(&port, 0, 8);
    ck_assert_ptr_nonnull(block);
    stf__mem_free(&port, block);
    block = stf__mem_realloc_array(NULL, NULL, 0, 8);
    ck_assert_ptr_nonnull(block);
    stf__mem_free(NULL, block);
}

STF_TEST(a_failing_allocator_gives_null)
{
    for (int form = 0; form < 4; form++) {
        faulty alloc;
        faulty_init(&alloc, 1);
        void *block = form == 0   ? stf__mem_alloc(&alloc.port, 1)
                      : form == 1 ? stf__mem_zalloc(&alloc.port, 1)
                      : form == 2 ? stf__mem_realloc_array(&alloc.port, NULL, 1, 1)
                                  : stf__mem_copy_str(&alloc.port, stf_str_of("x"));
        ck_assert_ptr_null(block);
        ck_assert_int_eq(alloc.live, 0);
    }
}

static const stf_test_case cases[] = {
    STF_CASE(no_allocator_means_the_default_one),
    STF_CASE(the_default_allocator_grows_a_block_and_keeps_its_content),
    STF_CASE(zeroed_memory_is_zero),
    STF_CASE(a_size_that_overflows_is_out_of_memory_and_calls_nobody),
    STF_CASE(the_port_is_never_asked_for_nothing),
    STF_CASE(a_failing_allocator_gives_null),
};

STF_TEST_MAIN("base/alloc", cases)

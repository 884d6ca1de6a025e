/* SPDX-License-Identifier: Apache-2.0 */
/* The growable buffer: content in order, and unchanged by a call that fails. */
#include "support/stf_test.h"
#include "unit/base/faulty.h"

STF_TEST(what_is_appended_comes_out_in_order)
{
    stf_buf buf;
    stf_buf_init(&buf, NULL);
    for (int i = 0; i < 1000; i++) {
        ck_assert_int_eq(stf_buf_printf(&buf, "%03d,", i), STF_OK);
    }
    ck_assert_uint_eq(buf.size, 4000);
    for (int i = 0; i < 1000; i++) {
        char expected[5];
        snprintf(expected, sizeof(expected), "%03d,", i);
        ck_assert_mem_eq(buf.data + (size_t)i * 4, expected, 4);
    }
    ck_assert_uint_eq(stf_buf_bytes(&buf).size, 4000);
    stf_buf_done(&buf);
    ck_assert_uint_eq(buf.size, 0);
    stf_buf_done(&buf);
}

STF_TEST(clearing_keeps_the_memory)
{
    stf_buf buf;
    stf_buf_init(&buf, NULL);
    ck_assert_int_eq(stf_buf_append_str(&buf, stf_str_of("abc")), STF_OK);
    const uint8_t *data = buf.data;
    stf_buf_clear(&buf);
    ck_assert_uint_eq(stf_buf_str(&buf).size, 0);
    ck_assert_int_eq(stf_buf_append(&buf, "xy", 2), STF_OK);
    ck_assert_ptr_eq(buf.data, data);
    STF_CHECK_STR(stf_buf_str(&buf), "xy");
    stf_buf_done(&buf);
}

STF_TEST(appending_nothing_needs_no_memory)
{
    faulty alloc;
    stf_buf buf;
    faulty_init(&alloc, 1);
    stf_buf_init(&buf, &alloc.port);
    ck_assert_int_eq(stf_buf_append(&buf, NULL, 0), STF_OK);
    ck_assert_int_eq(stf_buf_append_str(&buf, (stf_str){NULL, 0}), STF_OK);
    ck_assert_int_eq(alloc.calls, 0);
}

STF_TEST(the_c_string_is_terminated_at_every_size)
{
    stf_buf buf;
    stf_buf_init(&buf, NULL);
    ck_assert_str_eq(stf_buf_c_str(&buf), "");
    for (size_t i = 0; i < 200; i++) {
        ck_assert_int_eq(stf_buf_append(&buf, "x", 1), STF_OK);
        ck_assert_uint_eq(strlen(stf_buf_c_str(&buf)), i + 1);
    }
    stf_buf_done(&buf);
}

STF_TEST(a_failed_call_leaves_the_buffer_as_it_was)
{
    faulty alloc;
    stf_buf buf;
    faulty_init(&alloc, 0);
    stf_buf_init(&buf, &alloc.port);
    ck_assert_int_eq(stf_buf_append_str(&buf, stf_str_of("kept")), STF_OK);
    char large[500];
    memset(large, 'x', sizeof(large));
    for (int form = 0; form < 4; form++) {
        alloc.fail_at = alloc.calls + 1;
        stf_status status = form == 0   ? stf_buf_append(&buf, large, sizeof(large))
                            : form == 1 ? stf_buf_printf(&buf, "%500d", 1)
                            : form == 2 ? stf_buf_reserve(&buf, 500)
                                        : stf_buf_reserve(&buf, SIZE_MAX - 1);
        ck_assert_int_eq(status, STF_NO_MEMORY);
        STF_CHECK_STR(stf_buf_str(&buf), "kept");
    }
    stf_buf_done(&buf);
    alloc.fail_at = alloc.calls + 1;
    ck_assert_ptr_null(stf_buf_c_str(&buf));
    ck_assert_int_eq(alloc.live, 0);
}

static const stf_test_case cases[] = {
    STF_CASE(what_is_appended_comes_out_in_order),
    STF_CASE(clearing_keeps_the_memory),
    STF_CASE(appending_nothing_needs_no_memory),
    STF_CASE(the_c_string_is_terminated_at_every_size),
    STF_CASE(a_failed_call_leaves_the_buffer_as_it_was),
};

STF_TEST_MAIN("base/buf", cases)

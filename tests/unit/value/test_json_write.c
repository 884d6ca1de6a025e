/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON writer: equal values give equal texts, which read back to equal values. */
#include "base/mem.h"
#include "unit/base/faulty.h"
#include "unit/value/gen.h"

STF_TEST(pretty_text_is_indented_by_two_blanks)
{
    stf_buf buf;
    stf_value *value = value_of("{\"b\":[1,{\"c\":null}],\"a\":[],\"d\":{}}");
    stf_buf_init(&buf, NULL);
    ck_assert_int_eq(stf_value_write_json(value, true, &buf, NULL), STF_OK);
    STF_CHECK_STR(stf_buf_str(&buf), "{\n"
                                     "  \"a\": [],\n"
                                     "  \"b\": [\n"
                                     "    1,\n"
                                     "    {\n"
                                     "      \"c\": null\n"
                                     "    }\n"
                                     "  ],\n"
                                     "  \"d\": {}\n"
                                     "}");
    stf_buf_done(&buf);
    (void)stf_value_unref(value);
}

STF_TEST(writing_appends_and_no_value_is_null)
{
    stf_buf buf;
    stf_buf_init(&buf, NULL);
    ck_assert_int_eq(stf_buf_append_str(&buf, stf_str_of("x=")), STF_OK);
    ck_assert_int_eq(stf_value_write_json(NULL, false, &buf, NULL), STF_OK);
    STF_CHECK_STR(stf_buf_str(&buf), "x=null");
    stf_buf_done(&buf);
}

STF_TEST(what_is_written_reads_back_to_an_equal_value)
{
    gen random = gen_start();
    for (int i = 0; i < 1000; i++) {
        stf_buf first;
        stf_buf second;
        stf_error error = STF_ERROR_INIT;
        stf_value *value = gen_value(&random, 5);
        stf_value *back = NULL;
        stf_buf_init(&first, NULL);
        stf_buf_init(&second, NULL);
        ck_assert_int_eq(stf_value_write_json(value, i % 2 == 0, &first, NULL), STF_OK);
        STF_CHECK_OK(stf_value_parse_json(NULL, stf_buf_str(&first), &back, &error), &error);
        ck_assert_msg(stf_value_equal(value, back), "%s", stf_buf_c_str(&first));
        ck_assert_int_eq(stf_value_write_json(back, i % 2 == 0, &second, NULL), STF_OK);
        ck_assert(stf_str_equal(stf_buf_str(&first), stf_buf_str(&second)));
        (void)stf_value_unref(value);
        (void)stf_value_unref(back);
        stf_buf_done(&first);
        stf_buf_done(&second);
    }
}

STF_TEST(without_memory_nothing_is_appended)
{
    stf_value *value = value_of("{\"list\":[1,2,3,\"a long text, longer than 64 bytes in a row, "
                                "so that the buffer must grow more than once\\n\"],\"x\":1.5}");
    bool is_done = false;
    int failures = 0;
    for (long n = 2; !is_done; n++) {
        faulty alloc;
        stf_buf buf;
        stf_error error = STF_ERROR_INIT;
        faulty_init(&alloc, n);
        stf_buf_init(&buf, &alloc.port);
        ck_assert_int_eq(stf_buf_append_str(&buf, stf_str_of("kept")), STF_OK);
        stf_status status = stf_value_write_json(value, false, &buf, &error);
        if (status == STF_OK) {
            is_done = true;
        } else {
            STF_CHECK_STATUS(status, STF_NO_MEMORY, &error);
            STF_CHECK_STR(stf_buf_str(&buf), "kept");
            failures++;
        }
        stf_buf_done(&buf);
        ck_assert_int_eq(alloc.live, 0);
    }
    ck_assert_int_ge(failures, 1);
    (void)stf_value_unref(value);
}

static const stf_test_case cases[] = {
    STF_CASE(pretty_text_is_indented_by_two_blanks),
    STF_CASE(writing_appends_and_no_value_is_null),
    STF_CASE(what_is_written_reads_back_to_an_equal_value),
    STF_CASE(without_memory_nothing_is_appended),
};

STF_TEST_MAIN("value/json_write", cases)

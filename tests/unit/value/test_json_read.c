/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON reader: what RFC 8259 allows, and nothing else. */
#include "base/mem.h"
#include "unit/base/faulty.h"
#include "unit/value/gen.h"

#include <stepfast/limits.h>

STF_TEST(what_the_rfc_allows_is_read)
{
    static const struct {
        const char *text;
        const char *written;
    } good[] = {
        {"null", "null"},
        {" true ", "true"},
        {"\t\r\n false\n", "false"},
        {"0", "0"},
        {"-0", "0"},
        {"-0.0e-5", "0"},
        {"10", "10"},
        {"1.50", "1.5"},
        {"1e2", "100"},
        {"1E+2", "100"},
        {"1e-2", "0.01"},
        {"12345678901234567890123456789.01234", "12345678901234567890123456789.01234"},
        {"0.1", "0.1"},
        {"1e400", "1e+400"},
        {"\"\"", "\"\""},
        {"\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"a\\\"\\\\/\\b\\f\\n\\r\\t\""},
        {"\"\\u0041\\u00e4\\u20AC\\ud83d\\uDCA9\"", "\"A\xc3\xa4\xe2\x82\xac\xf0\x9f\x92\xa9\""},
        {"\"\\u0001\\u001f\\u007f\"", "\"\\u0001\\u001f\x7f\""},
        {"\"\xf0\x9f\x92\xa9\"", "\"\xf0\x9f\x92\xa9\""},
        {"[]", "[]"},
        {"[ ]", "[]"},
        {"{}", "{}"},
        {"{ }", "{}"},
        {"[1,[2,[3]],{}]", "[1,[2,[3]],{}]"},
        {" [ 1 , 2 ] ", "[1,2]"},
        {"{ \"b\" : 1 , \"a\" : { \"c\" : [ ] } }", "{\"a\":{\"c\":[]},\"b\":1}"},
        {"{\"a\":1,\"a\":2}", "{\"a\":2}"},
        {"{\"\\u0061\":1,\"a\":[]}", "{\"a\":[]}"},
        {"{\"\":1}", "{\"\":1}"},
        {"{\"a\\n\":{\"b\\n\":1},\"c\\n\":2}", "{\"a\\n\":{\"b\\n\":1},\"c\\n\":2}"},
    };
    for (size_t i = 0; i < STF_COUNT_OF(good); i++) {
        stf_value *value = value_of(good[i].text);
        check_json(value, good[i].written);
        (void)stf_value_unref(value);
    }
}

STF_TEST(what_the_rfc_does_not_allow_is_refused_with_line_and_column)
{
    static const struct {
        const char *text;
        unsigned line;
        unsigned column;
    } bad[] = {
        {"", 1, 1},
        {"  ", 1, 3},
        {"nul", 1, 1},
        {"True", 1, 1},
        {"nullnull", 1, 5},
        {"1 2", 1, 3},
        {"01", 1, 2},
        {"-", 1, 1},
        {"+1", 1, 1},
        {".5", 1, 1},
        {"1.", 1, 1},
        {"1.e5", 1, 1},
        {"1e", 1, 1},
        {"1e+", 1, 1},
        {"0x10", 1, 2},
        {"NaN", 1, 1},
        {"Infinity", 1, 1},
        {"'a'", 1, 1},
        {"\"", 1, 1},
        {"\"abc", 1, 1},
        {"\"a\nb\"", 1, 3},
        {"\"\t\"", 1, 2},
        {"\"\\x\"", 1, 2},
        {"\"\\", 1, 2},
        {"\"\\u12\"", 1, 2},
        {"\"\\u12g4\"", 1, 2},
        {"\"\\u0000\"", 1, 2},
        {"\"\\ud800\"", 1, 2},
        {"\"\\ud800x\"", 1, 2},
        {"\"\\ud800\\n\"", 1, 2},
        {"\"\\ud800\\u0041\"", 1, 2},
        {"\"\\udc00\"", 1, 2},
        {"[", 1, 2},
        {"[1", 1, 3},
        {"[1,", 1, 4},
        {"[1,]", 1, 4},
        {"[,1]", 1, 2},
        {"[1 2]", 1, 4},
        {"[1}", 1, 3},
        {"]", 1, 1},
        {"{", 1, 2},
        {"{1:2}", 1, 2},
        {"{a:1}", 1, 2},
        {"{\"a\"}", 1, 5},
        {"{\"a\":}", 1, 6},
        {"{\"a\":1,}", 1, 8},
        {"{\"a\":1", 1, 7},
        {"{\"a\":1]", 1, 7},
        {"{\"a\" 1}", 1, 6},
        {"{\"a\":1 \"b\":2}", 1, 8},
        {"[1] // no", 1, 5},
        {"/* no */ 1", 1, 1},
        {"\xef\xbb\xbf"
         "1",
         1, 1},
        {"{\n  \"\xc3\xa4\": [1,\n    x]\n}", 3, 5},
        {"[\"\xc3\xa4\xe2\x82\xac\", x]", 1, 8},
    };
    for (size_t i = 0; i < STF_COUNT_OF(bad); i++) {
        stf_error error = STF_ERROR_INIT;
        stf_value *value = NULL;
        char place[40];
        ck_assert_msg(stf_value_parse_json(NULL, stf_str_of(bad[i].text), &value, &error) ==
                          STF_PARSE,
                      "%s", bad[i].text);
        ck_assert_ptr_null(value);
        snprintf(place, sizeof(place), "line %u, column %u:", bad[i].line, bad[i].column);
        ck_assert_msg(strncmp(error.message, place, strlen(place)) == 0, "%s: \"%s\" for %s", place,
                      error.message, bad[i].text);
    }
}

STF_TEST(text_that_is_not_utf8_is_refused)
{
    static const char *const bad[] = {"\"\xff\"",        "[\"\xc3\"]",      "{\"\xed\xa0\x80\":1}",
                                      "{\"\\n\xff\":1}", "\"\\n\xc0\x80\"", "\xff"};
    for (size_t i = 0; i < STF_COUNT_OF(bad); i++) {
        stf_error error = STF_ERROR_INIT;
        stf_value *value = NULL;
        STF_CHECK_STATUS(stf_value_parse_json(NULL, stf_str_of(bad[i]), &value, &error), STF_PARSE,
                         &error);
        ck_assert_ptr_null(value);
    }
    stf_value *value = NULL;
    ck_assert_int_eq(stf_value_parse_json(NULL, (stf_str){"\"\0\"", 3}, &value, NULL), STF_PARSE);
    ck_assert_int_eq(stf_value_parse_json(NULL, (stf_str){"1\0", 2}, &value, NULL), STF_PARSE);
    ck_assert_int_eq(stf_value_parse_json(NULL, (stf_str){NULL, 0}, &value, NULL), STF_PARSE);
}

STF_TEST(a_number_that_would_be_rounded_exceeds_the_limit_and_is_located)
{
    stf_error error = STF_ERROR_INIT;
    stf_value *value = NULL;
    const char *text = "[1,\n12345678901234567890123456789012345]";
    STF_CHECK_STATUS(stf_value_parse_json(NULL, stf_str_of(text), &value, &error),
                     STF_LIMIT_EXCEEDED, &error);
    ck_assert_ptr_null(value);
    ck_assert_str_eq(error.trail[0], "JSON, line 2, column 1");
    STF_CHECK_STATUS(stf_value_parse_json(NULL, stf_str_of("1e6145"), &value, &error),
                     STF_LIMIT_EXCEEDED, &error);
}

static stf_status parse_nested(uint32_t depth, const char *open, const char *inner,
                               const char *close, stf_value **ret_value)
{
    stf_buf buf;
    stf_buf_init(&buf, NULL);
    for (uint32_t i = 0; i < depth; i++) {
        REQUIRE(stf_buf_append_str(&buf, stf_str_of(open)) == STF_OK);
    }
    ck_assert_int_eq(stf_buf_append_str(&buf, stf_str_of(inner)), STF_OK);
    for (uint32_t i = 0; i < depth; i++) {
        REQUIRE(stf_buf_append_str(&buf, stf_str_of(close)) == STF_OK);
    }
    stf_status status = stf_value_parse_json(NULL, stf_buf_str(&buf), ret_value, NULL);
    stf_buf_done(&buf);
    return status;
}

STF_TEST(depth_is_limited)
{
    stf_value *value = NULL;
    ck_assert_int_eq(parse_nested(STF_LIMIT_VALUE_DEPTH, "[", "1", "]", &value), STF_OK);
    (void)stf_value_unref(value);
    value = NULL;
    ck_assert_int_eq(parse_nested(STF_LIMIT_VALUE_DEPTH, "{\"k\":", "1", "}", &value), STF_OK);
    (void)stf_value_unref(value);
    value = NULL;
    ck_assert_int_eq(parse_nested(STF_LIMIT_VALUE_DEPTH + 1, "[", "1", "]", &value),
                     STF_LIMIT_EXCEEDED);
    ck_assert_int_eq(parse_nested(1000000, "[", "", "", &value), STF_LIMIT_EXCEEDED);
    ck_assert_int_eq(parse_nested(1000000, "{\"a\":", "", "", &value), STF_LIMIT_EXCEEDED);
    ck_assert_ptr_null(value);
}

STF_TEST(items_and_bytes_are_limited)
{
    stf_value *value = NULL;
    char *text = malloc(STF_LIMIT_VALUE_BYTES + 2);
    for (size_t i = 0; i < STF_LIMIT_VALUE_BYTES; i += 2) {
        memcpy(text + i, "1,", 2);
    }
    text[0] = '[';
    text[1] = ' ';
    text[2 * STF_LIMIT_LIST_ITEMS + 1] = ']';
    ck_assert_int_eq(
        stf_value_parse_json(NULL, (stf_str){text, 2 * STF_LIMIT_LIST_ITEMS + 2}, &value, NULL),
        STF_OK);
    ck_assert_uint_eq(stf_value_count(value), STF_LIMIT_LIST_ITEMS);
    (void)stf_value_unref(value);
    value = NULL;
    text[2 * STF_LIMIT_LIST_ITEMS + 1] = ',';
    text[2 * STF_LIMIT_LIST_ITEMS + 3] = ']';
    ck_assert_int_eq(
        stf_value_parse_json(NULL, (stf_str){text, 2 * STF_LIMIT_LIST_ITEMS + 4}, &value, NULL),
        STF_LIMIT_EXCEEDED);
    memset(text, ' ', STF_LIMIT_VALUE_BYTES + 1);
    text[0] = '1';
    ck_assert_int_eq(
        stf_value_parse_json(NULL, (stf_str){text, STF_LIMIT_VALUE_BYTES + 1}, &value, NULL),
        STF_LIMIT_EXCEEDED);
    ck_assert_ptr_null(value);
    free(text);
}

STF_TEST(any_failing_allocation_is_told_and_leaves_nothing_behind)
{
    static const char text[] = "{\"a\\n\":[1,\"text\",\"esc\\\"aped\",{\"b\":null}],"
                               "\"c\":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17],\"a\\n\":[2]}";
    bool is_done = false;
    int failures = 0;
    for (long n = 1; !is_done; n++) {
        faulty alloc;
        stf_error error = STF_ERROR_INIT;
        stf_value *value = NULL;
        faulty_init(&alloc, n);
        stf_status status = stf_value_parse_json(&alloc.port, stf_str_of(text), &value, &error);
        if (status == STF_OK) {
            check_json(value, "{\"a\\n\":[2],"
                              "\"c\":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]}");
            (void)stf_value_unref(value);
            is_done = true;
        } else {
            STF_CHECK_STATUS(status, STF_NO_MEMORY, &error);
            ck_assert_uint_eq(error.status, STF_NO_MEMORY);
            ck_assert_ptr_null(value);
            failures++;
        }
        ck_assert_int_eq(alloc.live, 0);
    }
    ck_assert_int_gt(failures, 25);
}

STF_TEST(broken_documents_never_leak_or_crash)
{
    gen random = gen_start();
    for (int i = 0; i < 1000; i++) {
        faulty alloc;
        stf_buf buf;
        stf_value *value = gen_value(&random, 4);
        stf_buf_init(&buf, NULL);
        faulty_init(&alloc, 0);
        ck_assert_int_eq(stf_value_write_json(value, false, &buf, NULL), STF_OK);
        (void)stf_value_unref(value);
        for (int turn = 0; turn < 4 && buf.size > 0; turn++) {
            uint32_t at = gen_below(&random, (uint32_t)buf.size);
            static const char odd[] = "\"\\{}[],:0-e.\xff\x01nu";
            buf.data[at] = (uint8_t)odd[gen_below(&random, sizeof(odd))];
            stf_str part = {(const char *)buf.data, gen_below(&random, (uint32_t)buf.size + 1)};
            value = NULL;
            stf_status status = stf_value_parse_json(&alloc.port, part, &value, NULL);
            ck_assert((status == STF_OK) == (value != NULL));
            ck_assert(status == STF_OK || status == STF_PARSE || status == STF_LIMIT_EXCEEDED);
            (void)stf_value_unref(value);
            ck_assert_int_eq(alloc.live, 0);
        }
        stf_buf_done(&buf);
    }
}

static const stf_test_case cases[] = {
    STF_CASE(what_the_rfc_allows_is_read),
    STF_CASE(what_the_rfc_does_not_allow_is_refused_with_line_and_column),
    STF_CASE(text_that_is_not_utf8_is_refused),
    STF_CASE(a_number_that_would_be_rounded_exceeds_the_limit_and_is_located),
    STF_CASE(depth_is_limited),
    STF_CASE(items_and_bytes_are_limited),
    STF_CASE(any_failing_allocation_is_told_and_leaves_nothing_behind),
    STF_CASE(broken_documents_never_leak_or_crash),
};

STF_TEST_MAIN("value/json_read", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* The CBOR writer against bytes worked out by hand, several of them examples of RFC 8949. */
#include "base/mem.h"
#include "unit/base/faulty.h"
#include "unit/value/gen.h"
#include "value/cbor.h"
#include "value/private.h"

static void check_hex(const stf_buf *buf, const char *expected, const char *what)
{
    char hex[400] = "";
    for (size_t i = 0; i < buf->size && i < 199; i++) {
        snprintf(hex + 2 * i, 3, "%02x", buf->data[i]);
    }
    ck_assert_msg(strcmp(hex, expected) == 0, "%s: %s instead of %s", what, hex, expected);
}

STF_TEST(values_have_the_bytes_of_the_rfc)
{
    static const struct {
        const char *json;
        const char *hex;
    } pairs[] = {
        {"null", "f6"},
        {"false", "f4"},
        {"true", "f5"},
        {"0", "00"},
        {"1", "01"},
        {"23", "17"},
        {"24", "1818"},
        {"255", "18ff"},
        {"256", "190100"},
        {"65536", "1a00010000"},
        {"1000000000000", "1b000000e8d4a51000"},
        {"18446744073709551615", "1bffffffffffffffff"},
        {"18446744073709551616", "c48200c249010000000000000000"},
        {"-1", "20"},
        {"-24", "37"},
        {"-25", "3818"},
        {"-1000", "3903e7"},
        {"-18446744073709551616", "3bffffffffffffffff"},
        {"-18446744073709551617", "c48200c349010000000000000000"},
        {"273.15", "c48221196ab3"},
        {"0.1", "c4822001"},
        {"-1.5", "c482202e"},
        {"1e34", "c482182201"},
        {"9999999999999999999999999999999999", "c48200c24f01ed09bead87c0378d8e63ffffffff"},
        {"1e-6176", "c48239181f01"},
        {"\"\"", "60"},
        {"\"IETF\"", "6449455446"},
        {"\"\\u00fc\"", "62c3bc"},
        {"[]", "80"},
        {"[1,[2,3]]", "8201820203"},
        {"[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25]",
         "98190102030405060708090a0b0c0d0e0f101112131415161718181819"},
        {"{}", "a0"},
        {"{\"a\":1,\"b\":[2,3]}", "a26161016162820203"},
        /* encoded order: shorter first */
        {"{\"aa\":1,\"b\":2,\"\":3}", "a3600361620262616101"},
    };
    for (size_t i = 0; i < STF_COUNT_OF(pairs); i++) {
        stf_buf buf;
        stf_value *value = value_of(pairs[i].json);
        stf_buf_init(&buf, NULL);
        stf__cbor_writer writer = {.buf = &buf, .status = STF_OK};
        stf__cbor_put_value(&writer, value);
        ck_assert_int_eq(writer.status, STF_OK);
        check_hex(&buf, pairs[i].hex, pairs[i].json);
        stf_buf_done(&buf);
        (void)stf_value_unref(value);
    }
}

STF_TEST(the_single_pieces_have_their_bytes)
{
    stf_buf buf;
    stf_buf_init(&buf, NULL);
    stf__cbor_writer writer = {.buf = &buf, .status = STF_OK};
    stf__cbor_put_map(&writer, 500);
    stf__cbor_put_array(&writer, 3);
    stf__cbor_put_uint(&writer, UINT64_MAX);
    stf__cbor_put_int(&writer, INT64_MIN);
    stf__cbor_put_int(&writer, 5);
    stf__cbor_put_bytes(&writer, (stf_bytes){(const uint8_t *)"\x00\xff", 2});
    stf__cbor_put_bytes(&writer, (stf_bytes){NULL, 0});
    stf__cbor_put_text(&writer, stf_str_of("a"));
    stf__cbor_put_bool(&writer, true);
    stf__cbor_put_bool(&writer, false);
    stf__cbor_put_null(&writer);
    stf__cbor_put_value(&writer, NULL);
    ck_assert_int_eq(writer.status, STF_OK);
    check_hex(&buf,
              "b901f4"
              "83"
              "1bffffffffffffffff"
              "3b7fffffffffffffff"
              "05"
              "4200ff"
              "40"
              "6161"
              "f5f4f6f6",
              "pieces");
    stf_buf_done(&buf);
}

STF_TEST(a_value_knows_the_size_of_its_encoding)
{
    gen random = gen_start();
    for (int i = 0; i < 1000; i++) {
        stf_buf buf;
        stf_value *value = gen_value(&random, 4);
        stf_buf_init(&buf, NULL);
        stf__cbor_writer writer = {.buf = &buf, .status = STF_OK};
        stf__cbor_put_value(&writer, value);
        ck_assert_uint_eq(buf.size, value->size);
        stf_buf_done(&buf);
        (void)stf_value_unref(value);
    }
}

STF_TEST(the_first_failure_sticks_and_nothing_leaks)
{
    stf_buf text;
    bool is_done = false;
    int failures = 0;
    stf_buf_init(&text, NULL);
    for (int i = 0; i < 40; i++) {
        ck_assert_int_eq(
            stf_buf_printf(&text, "%s\"key number %d\":[{\"x\":%d}]", i == 0 ? "{" : ",", i, i),
            STF_OK);
    }
    ck_assert_int_eq(stf_buf_append_str(&text, stf_str_of("}")), STF_OK);
    stf_value *value = value_of(stf_buf_c_str(&text));
    for (long n = 1; !is_done; n++) {
        faulty alloc;
        stf_buf buf;
        faulty_init(&alloc, n);
        stf_buf_init(&buf, &alloc.port);
        stf__cbor_writer writer = {.buf = &buf, .status = STF_OK};
        stf__cbor_put_value(&writer, value);
        is_done = writer.status == STF_OK;
        if (!is_done) {
            ck_assert_int_eq(writer.status, STF_NO_MEMORY);
            size_t size = buf.size;
            stf__cbor_put_uint(&writer, 1);
            stf__cbor_put_value(&writer, value);
            ck_assert_uint_eq(buf.size, size);
            failures++;
        }
        stf_buf_done(&buf);
        ck_assert_int_eq(alloc.live, 0);
    }
    ck_assert_int_ge(failures, 3); /* the order of the keys, and the growing buffer */
    (void)stf_value_unref(value);
    stf_buf_done(&text);
}

static const stf_test_case cases[] = {
    STF_CASE(values_have_the_bytes_of_the_rfc),
    STF_CASE(the_single_pieces_have_their_bytes),
    STF_CASE(a_value_knows_the_size_of_its_encoding),
    STF_CASE(the_first_failure_sticks_and_nothing_leaks),
};

STF_TEST_MAIN("value/cbor_write", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* The CBOR reader: it takes what the writer writes and nothing else. */
#include "base/mem.h"
#include "unit/base/faulty.h"
#include "unit/value/gen.h"
#include "value/cbor.h"

#include <stepfast/limits.h>

static size_t bytes_of(const char *hex, uint8_t *ret_bytes)
{
    size_t size = strlen(hex) / 2;
    for (size_t i = 0; i < size; i++) {
        char pair[3] = {hex[2 * i], hex[2 * i + 1], '\0'};
        ret_bytes[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return size;
}

/* Reads one value that must be all there is; NULL with the status otherwise. */
static stf_value *read_all(const stf_allocator *alloc, stf_bytes bytes, stf_status *ret_status)
{
    stf__cbor_reader reader;
    stf__cbor_reader_init(&reader, bytes);
    stf_value *value = stf__cbor_get_value(&reader, alloc);
    *ret_status = stf__cbor_reader_finish(&reader);
    if (*ret_status != STF_OK) {
        (void)stf_value_unref(value);
        return NULL;
    }
    return value;
}

static void write_cbor(const stf_value *value, stf_buf *buf)
{
    stf_buf_init(buf, NULL);
    stf__cbor_writer writer = {.buf = buf, .status = STF_OK};
    stf__cbor_put_value(&writer, value);
    ck_assert_int_eq(writer.status, STF_OK);
}

STF_TEST(json_to_value_to_cbor_to_value_to_json_gives_the_same_bytes)
{
    gen random = gen_start();
    for (int i = 0; i < 1000; i++) {
        stf_buf json;
        stf_buf cbor;
        stf_buf json_again;
        stf_buf cbor_again;
        stf_status status;
        stf_value *made = gen_value(&random, 5);
        stf_buf_init(&json, NULL);
        stf_buf_init(&json_again, NULL);
        ck_assert_int_eq(stf_value_write_json(made, false, &json, NULL), STF_OK);
        stf_value *value = value_of(stf_buf_c_str(&json));
        write_cbor(value, &cbor);
        stf_value *back = read_all(NULL, stf_buf_bytes(&cbor), &status);
        ck_assert_msg(status == STF_OK, "%s", stf_buf_c_str(&json));
        ck_assert(stf_value_equal(made, back));
        write_cbor(back, &cbor_again);
        ck_assert_int_eq(stf_value_write_json(back, false, &json_again, NULL), STF_OK);
        ck_assert(stf_str_equal(stf_buf_str(&json), stf_buf_str(&json_again)));
        ck_assert(stf_str_equal(stf_buf_str(&cbor), stf_buf_str(&cbor_again)));
        stf_buf_done(&json);
        stf_buf_done(&cbor);
        stf_buf_done(&json_again);
        stf_buf_done(&cbor_again);
        (void)stf_value_unref(made);
        (void)stf_value_unref(value);
        (void)stf_value_unref(back);
    }
}

STF_TEST(every_single_piece_comes_back)
{
    stf_buf buf;
    stf_buf_init(&buf, NULL);
    stf__cbor_writer writer = {.buf = &buf, .status = STF_OK};
    stf__cbor_put_map(&writer, 2);
    stf__cbor_put_array(&writer, 3);
    stf__cbor_put_uint(&writer, UINT64_MAX);
    stf__cbor_put_int(&writer, INT64_MIN);
    stf__cbor_put_int(&writer, INT64_MAX);
    stf__cbor_put_bytes(&writer, (stf_bytes){(const uint8_t *)"\x00\xff", 2});
    stf__cbor_put_text(&writer, stf_str_of("a"));
    stf__cbor_put_bool(&writer, true);
    stf__cbor_put_bool(&writer, false);
    stf__cbor_put_null(&writer);
    stf__cbor_reader reader;
    stf__cbor_reader_init(&reader, stf_buf_bytes(&buf));
    ck_assert_uint_eq(stf__cbor_get_map(&reader), 2);
    ck_assert_uint_eq(stf__cbor_get_array(&reader), 3);
    ck_assert_uint_eq(stf__cbor_get_uint(&reader), UINT64_MAX);
    ck_assert_int_eq(stf__cbor_get_int(&reader), INT64_MIN);
    ck_assert(!stf__cbor_is_null(&reader));
    ck_assert_int_eq(stf__cbor_get_int(&reader), INT64_MAX);
    stf_bytes bytes = stf__cbor_get_bytes(&reader);
    ck_assert_uint_eq(bytes.size, 2);
    ck_assert_mem_eq(bytes.data, "\x00\xff", 2);
    STF_CHECK_STR(stf__cbor_get_text(&reader), "a");
    ck_assert(stf__cbor_get_bool(&reader));
    ck_assert(!stf__cbor_get_bool(&reader));
    ck_assert(stf__cbor_is_null(&reader));
    ck_assert(!stf__cbor_is_null(&reader));
    ck_assert_int_eq(stf__cbor_reader_finish(&reader), STF_OK);
    stf_buf_done(&buf);
}

STF_TEST(what_the_writer_would_not_write_is_corrupt)
{
    static const char *const bad[] = {
        "",                                           /* nothing */
        "0000",                                       /* trailing byte */
        "1800",                                       /* head could be shorter */
        "1817",                                       /* head could be shorter */
        "1900ff",                                     /* head could be shorter */
        "1a0000ffff",                                 /* head could be shorter */
        "1b00000000ffffffff",                         /* head could be shorter */
        "18",                                         /* cut */
        "1901",                                       /* cut */
        "1b00000001000000",                           /* cut */
        "1c",                                         /* reserved */
        "1d",                                         /* reserved */
        "1f",                                         /* reserved */
        "5f4100ff",                                   /* indefinite bytes */
        "7f6161ff",                                   /* indefinite text */
        "9f00ff",                                     /* indefinite array */
        "bf616100ff",                                 /* indefinite map */
        "ff",                                         /* break */
        "40",                                         /* bytes are no value */
        "6261",                                       /* cut text */
        "61ff",                                       /* not UTF-8 */
        "6100",                                       /* NUL */
        "82",                                         /* cut array */
        "8201",                                       /* cut array */
        "9a00010000",                                 /* announces more than there is */
        "9bffffffffffffffff",                         /* announces more than there is */
        "bbffffffffffffffff",                         /* announces more than there is */
        "7bffffffffffffffff",                         /* announces more than there is */
        "a16161",                                     /* cut map */
        "a1",                                         /* cut map */
        "a10000",                                     /* key is no text */
        "a161ff00",                                   /* key is not UTF-8 */
        "a2616101616102",                             /* key twice */
        "a2616201616102",                             /* keys out of order */
        "a262616101616202",                           /* longer key first */
        "f7",                                         /* undefined */
        "e0",                                         /* simple 0 */
        "f814",                                       /* false, long head */
        "f90000",                                     /* a half float */
        "fa00000000",                                 /* a float */
        "fb0000000000000000",                         /* a double */
        "c000",                                       /* tag 0 */
        "c24101",                                     /* a bignum alone */
        "c249010000000000000000",                     /* a bignum alone */
        "d9d9f700",                                   /* the self-described tag */
        "c4",                                         /* cut */
        "c482",                                       /* cut */
        "c48220",                                     /* cut */
        "c401",                                       /* no array */
        "c48101",                                     /* one item */
        "c483200101",                                 /* three items */
        "c4820001",                                   /* 1: an integer */
        "c48200c24101",                               /* a small bignum */
        "c48200c248ffffffffffffffff",                 /* a bignum that is an integer */
        "c48200c24a00010000000000000000",             /* a bignum with a leading zero */
        "c48200c25001ed09bead87c0378d8e640000000000", /* far over 34 digits */
        "c48200c24f01ed09bead87c0378d8e6400000000",   /* 10^34 */
        "c48200c34f01ed09bead87c0378d8e63ffffffff",   /* -10^34 */
        "c48200c449010000000000000000",               /* neither tag 2 nor 3 */
        "c48200c2c249010000000000000000",             /* a tag twice */
        "c48220c0",                                   /* a tag and nothing */
        "c48220c24105",                               /* 0.5 with a bignum */
        "c482200a",                                   /* 1.0 */
        "c4822000",                                   /* 0.0 */
        "c4820101",                                   /* 10 with exponent 1 */
        "c48218220a",                                 /* 1e35 with a longer coefficient */
        "c4821917e001",                               /* exponent 6112 */
        "c48239182001",                               /* exponent -6177 */
        "c4823bffffffffffffffff01",                   /* exponent over int64 */
        "c482f601",                                   /* exponent null */
        "c4820220",                                   /* -1 with exponent 2: an integer */
    };
    for (size_t i = 0; i < STF_COUNT_OF(bad); i++) {
        uint8_t bytes[64];
        faulty alloc;
        stf_status status;
        size_t size = bytes_of(bad[i], bytes);
        faulty_init(&alloc, 0);
        stf_value *value = read_all(&alloc.port, (stf_bytes){bytes, size}, &status);
        ck_assert_msg(value == NULL && status == STF_CORRUPT, "%s: %s", bad[i],
                      stf_status_name(status));
        ck_assert_int_eq(alloc.live, 0);
    }
}

STF_TEST(a_failure_sticks_and_every_later_get_answers_nothing)
{
    static const uint8_t bytes[] = {0x61, 'a', 0x01, 0x41, 0x00, 0x80, 0xa0, 0xf5, 0xf6};
    stf__cbor_reader reader;
    stf__cbor_reader_init(&reader, (stf_bytes){bytes, sizeof(bytes)});
    ck_assert_uint_eq(stf__cbor_get_uint(&reader), 0); /* a text is there */
    ck_assert_int_eq(reader.status, STF_CORRUPT);
    ck_assert_uint_eq(stf__cbor_get_text(&reader).size, 0);
    ck_assert_int_eq(stf__cbor_get_int(&reader), 0);
    ck_assert_uint_eq(stf__cbor_get_bytes(&reader).size, 0);
    ck_assert_uint_eq(stf__cbor_get_array(&reader), 0);
    ck_assert_uint_eq(stf__cbor_get_map(&reader), 0);
    ck_assert(!stf__cbor_get_bool(&reader));
    ck_assert(!stf__cbor_is_null(&reader));
    ck_assert_ptr_null(stf__cbor_get_value(&reader, NULL));
    ck_assert_int_eq(stf__cbor_reader_finish(&reader), STF_CORRUPT);
}

STF_TEST(single_gets_are_as_strict_as_values)
{
    static const struct {
        const char *hex;
        int get;
    } bad[] = {
        {"1bffffffffffffffff", 0},
        {"3bffffffffffffffff", 0},
        {"3b8000000000000000", 0},
        {"1800", 1},
        {"20", 1},
        {"61ff", 2},
        {"62", 2},
        {"4261", 3},
        {"8301", 4},
        {"a201", 5},
        {"a2010203", 5},
        {"f6", 6},
        {"f7", 6},
        {"01", 6},
        {"f814", 6},
    };
    for (size_t i = 0; i < STF_COUNT_OF(bad); i++) {
        uint8_t bytes[16];
        stf__cbor_reader reader;
        stf__cbor_reader_init(&reader, (stf_bytes){bytes, bytes_of(bad[i].hex, bytes)});
        switch (bad[i].get) {
        case 0:
            ck_assert_int_eq(stf__cbor_get_int(&reader), 0);
            break;
        case 1:
            ck_assert_uint_eq(stf__cbor_get_uint(&reader), 0);
            break;
        case 2:
            ck_assert_uint_eq(stf__cbor_get_text(&reader).size, 0);
            break;
        case 3:
            ck_assert_uint_eq(stf__cbor_get_bytes(&reader).size, 0);
            break;
        case 4:
            ck_assert_uint_eq(stf__cbor_get_array(&reader), 0);
            break;
        case 5:
            ck_assert_uint_eq(stf__cbor_get_map(&reader), 0);
            break;
        default:
            ck_assert(!stf__cbor_get_bool(&reader));
            break;
        }
        ck_assert_msg(reader.status == STF_CORRUPT, "%s", bad[i].hex);
    }
}

STF_TEST(depth_and_items_are_limited)
{
    uint8_t bytes[1000];
    stf_status status;
    memset(bytes, 0x81, sizeof(bytes));
    bytes[STF_LIMIT_VALUE_DEPTH] = 0x01;
    stf_value *value = read_all(NULL, (stf_bytes){bytes, STF_LIMIT_VALUE_DEPTH + 1}, &status);
    ck_assert_int_eq(status, STF_OK);
    (void)stf_value_unref(value);
    bytes[STF_LIMIT_VALUE_DEPTH] = 0x81;
    ck_assert_ptr_null(read_all(NULL, (stf_bytes){bytes, sizeof(bytes)}, &status));
    ck_assert_int_eq(status, STF_LIMIT_EXCEEDED);

    size_t size = STF_LIMIT_LIST_ITEMS + 6;
    uint8_t *list = calloc(1, size);
    memcpy(list, "\x9a\x00\x01\x86\xa1", 5); /* 100001 items */
    ck_assert_ptr_null(read_all(NULL, (stf_bytes){list, size}, &status));
    ck_assert_int_eq(status, STF_LIMIT_EXCEEDED);
    free(list);
}

STF_TEST(bytes_are_limited_and_the_parts_of_a_refused_value_are_freed)
{
    enum {
        TEXT_BYTES = 5000000
    };
    for (int kind = 0; kind < 2; kind++) {
        faulty alloc;
        stf_buf buf;
        stf_status status;
        char *text = malloc(TEXT_BYTES);
        memset(text, 'x', TEXT_BYTES);
        stf_buf_init(&buf, NULL);
        stf__cbor_writer writer = {.buf = &buf, .status = STF_OK};
        if (kind == 0) {
            stf__cbor_put_array(&writer, 2);
        } else {
            stf__cbor_put_map(&writer, 2);
        }
        for (int i = 0; i < 2; i++) {
            if (kind == 1) {
                stf__cbor_put_text(&writer, stf_str_of(i == 0 ? "a" : "b"));
            }
            stf__cbor_put_text(&writer, (stf_str){text, TEXT_BYTES});
        }
        ck_assert_int_eq(writer.status, STF_OK);
        faulty_init(&alloc, 0);
        ck_assert_ptr_null(read_all(&alloc.port, stf_buf_bytes(&buf), &status));
        ck_assert_int_eq(status, STF_LIMIT_EXCEEDED);
        ck_assert_int_eq(alloc.live, 0);
        stf_buf_done(&buf);
        free(text);
    }
}

STF_TEST(a_count_that_lies_allocates_nothing_for_it)
{
    uint8_t bytes[1006] = {0x9a, 0x00, 0x00, 0x03, 0xe9}; /* 1001 items; the last is cut */
    faulty alloc;
    stf_status status;
    faulty_init(&alloc, 0);
    bytes[1005] = 0x18;
    ck_assert_ptr_null(read_all(&alloc.port, (stf_bytes){bytes, sizeof(bytes)}, &status));
    ck_assert_int_eq(status, STF_CORRUPT);
    ck_assert_int_eq(alloc.live, 0);
    faulty_init(&alloc, 0);
    ck_assert_ptr_null(read_all(&alloc.port, (stf_bytes){bytes, 5}, &status));
    ck_assert_int_eq(alloc.calls, 0);
}

STF_TEST(any_failing_allocation_is_told_and_leaves_nothing_behind)
{
    stf_buf cbor;
    stf_value *made = value_of("{\"a\":[1,2.5,\"text\",{\"b\":null}],\"c\":{\"d\":[[[]]]},"
                               "\"e\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]}");
    bool is_done = false;
    int failures = 0;
    write_cbor(made, &cbor);
    for (long n = 1; !is_done; n++) {
        faulty alloc;
        stf_status status;
        faulty_init(&alloc, n);
        stf_value *value = read_all(&alloc.port, stf_buf_bytes(&cbor), &status);
        if (status == STF_OK) {
            ck_assert(stf_value_equal(made, value));
            (void)stf_value_unref(value);
            is_done = true;
        } else {
            ck_assert_int_eq(status, STF_NO_MEMORY);
            failures++;
        }
        ck_assert_int_eq(alloc.live, 0);
    }
    ck_assert_int_gt(failures, 25);
    stf_buf_done(&cbor);
    (void)stf_value_unref(made);
}

STF_TEST(damaged_bytes_are_refused_or_are_another_value_that_encodes_to_them)
{
    gen random = gen_start();
    int refused = 0;
    for (int i = 0; i < 3000; i++) {
        stf_buf cbor;
        faulty alloc;
        stf_status status;
        stf_value *made = gen_value(&random, 4);
        write_cbor(made, &cbor);
        (void)stf_value_unref(made);
        for (uint32_t n = 1 + gen_below(&random, 3); n > 0; n--) {
            cbor.data[gen_below(&random, (uint32_t)cbor.size)] ^= (uint8_t)gen_bits(&random);
        }
        stf_bytes part = {cbor.data, 1 + gen_below(&random, (uint32_t)cbor.size)};
        faulty_init(&alloc, 0);
        stf_value *value = read_all(&alloc.port, part, &status);
        if (value != NULL) {
            stf_buf again;
            write_cbor(value, &again);
            ck_assert_uint_eq(again.size, part.size);
            ck_assert_mem_eq(again.data, part.data, part.size);
            stf_buf_done(&again);
            (void)stf_value_unref(value);
        } else {
            ck_assert(status == STF_CORRUPT || status == STF_LIMIT_EXCEEDED);
            refused++;
        }
        ck_assert_int_eq(alloc.live, 0);
        stf_buf_done(&cbor);
    }
    ck_assert_int_gt(refused, 300);
}

static const stf_test_case cases[] = {
    STF_CASE(json_to_value_to_cbor_to_value_to_json_gives_the_same_bytes),
    STF_CASE(every_single_piece_comes_back),
    STF_CASE(what_the_writer_would_not_write_is_corrupt),
    STF_CASE(a_failure_sticks_and_every_later_get_answers_nothing),
    STF_CASE(single_gets_are_as_strict_as_values),
    STF_CASE(depth_and_items_are_limited),
    STF_CASE(bytes_are_limited_and_the_parts_of_a_refused_value_are_freed),
    STF_CASE(a_count_that_lies_allocates_nothing_for_it),
    STF_CASE(any_failing_allocation_is_told_and_leaves_nothing_behind),
    STF_CASE(damaged_bytes_are_refused_or_are_another_value_that_encodes_to_them),
};

STF_TEST_MAIN("value/cbor_read", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* Writing deterministic CBOR. Whole numbers of the range of CBOR's integers are those; any other
 * number is a decimal fraction, tag 4 [exponent, mantissa], with a bignum (tag 2 or 3) as mantissa
 * where an integer is too small. Keys of a context go out in the order of their encoded bytes,
 * which is shorter keys first. */
#include "base/mem.h"
#include "value/cbor.h"
#include "value/decimal.h"
#include "value/private.h"

#include <endian.h>
#include <string.h>

enum {
    MAJOR_UINT = 0,
    MAJOR_NEGATIVE = 1,
    MAJOR_BYTES = 2,
    MAJOR_TEXT = 3,
    MAJOR_ARRAY = 4,
    MAJOR_MAP = 5,
    MAJOR_TAG = 6,
    TAG_BIGNUM = 2,
    TAG_NEGATIVE_BIGNUM = 3,
    TAG_DECIMAL = 4,
    ENTRIES_ON_STACK = 32,
};

enum {
    HEAD_BYTES_MAX = 9
};

static inline bool has_room(const stf__cbor_writer *writer, size_t size)
{
    return writer->status == STF_OK && size <= writer->buf->capacity - writer->buf->size;
}

static __attribute__((noinline)) bool make_room(stf__cbor_writer *writer, size_t size)
{
    if (writer->status == STF_OK) {
        writer->status = stf_buf_reserve(writer->buf, size);
    }
    return writer->status == STF_OK;
}

uint32_t stf__cbor_head_size(uint64_t number)
{
    return number < 24            ? 1
           : number <= UINT8_MAX  ? 2
           : number <= UINT16_MAX ? 3
           : number <= UINT32_MAX ? 5
                                  : 9;
}

/* Any head; there is room for HEAD_BYTES_MAX. */
static void append_head(stf_buf *buf, unsigned major, uint64_t number)
{
    static const uint8_t kinds[10] = {0, 0, 24, 25, 0, 26, 0, 0, 0, 27};
    uint32_t size = stf__cbor_head_size(number);
    uint64_t ordered = htobe64(number);
    uint8_t digits[sizeof(ordered)];
    memcpy(digits, &ordered, sizeof(digits));
    uint8_t *bytes = buf->data + buf->size;
    bytes[0] = (uint8_t)(major << 5 | (size == 1 ? (unsigned)number : kinds[size]));
    memcpy(bytes + 1, digits + sizeof(digits) - (size - 1), size - 1);
    buf->size += size;
}

static __attribute__((noinline)) void put_long_head(stf__cbor_writer *writer, unsigned major,
                                                    uint64_t number)
{
    if (has_room(writer, HEAD_BYTES_MAX) || make_room(writer, HEAD_BYTES_MAX)) {
        append_head(writer->buf, major, number);
    }
}

static void put_byte(stf__cbor_writer *writer, uint8_t byte)
{
    if (has_room(writer, 1) || make_room(writer, 1)) {
        writer->buf->data[writer->buf->size++] = byte;
    }
}

/* Most heads are one byte: kept free of what the others need. */
static inline void put_head(stf__cbor_writer *writer, unsigned major, uint64_t number)
{
    if (number < 24 && has_room(writer, 1)) {
        writer->buf->data[writer->buf->size++] = (uint8_t)(major << 5 | number);
    } else {
        put_long_head(writer, major, number);
    }
}

/* A head that says how many bytes follow, and they: room is looked for once. */
static void put_string(stf__cbor_writer *writer, unsigned major, const void *data, size_t size)
{
    stf_buf *buf = writer->buf;
    if (!has_room(writer, HEAD_BYTES_MAX + size) && !make_room(writer, HEAD_BYTES_MAX + size)) {
        return;
    }
    if (size < 24) {
        buf->data[buf->size++] = (uint8_t)(major << 5 | size);
    } else {
        append_head(buf, major, size);
    }
    if (size != 0) {
        memcpy(buf->data + buf->size, data, size);
        buf->size += size;
    }
}

void stf__cbor_put_uint(stf__cbor_writer *writer, uint64_t number)
{
    put_head(writer, MAJOR_UINT, number);
}

void stf__cbor_put_int(stf__cbor_writer *writer, int64_t number)
{
    if (number >= 0) {
        put_head(writer, MAJOR_UINT, (uint64_t)number);
    } else {
        put_head(writer, MAJOR_NEGATIVE, ~(uint64_t)number); /* -1 - number */
    }
}

void stf__cbor_put_bytes(stf__cbor_writer *writer, stf_bytes bytes)
{
    put_string(writer, MAJOR_BYTES, bytes.data, bytes.size);
}

void stf__cbor_put_text(stf__cbor_writer *writer, stf_str text)
{
    put_string(writer, MAJOR_TEXT, text.data, text.size);
}

void stf__cbor_put_array(stf__cbor_writer *writer, size_t count)
{
    put_head(writer, MAJOR_ARRAY, count);
}

void stf__cbor_put_map(stf__cbor_writer *writer, size_t count)
{
    put_head(writer, MAJOR_MAP, count);
}

void stf__cbor_put_bool(stf__cbor_writer *writer, bool is_true)
{
    put_byte(writer, is_true ? 0xf5 : 0xf4);
}

void stf__cbor_put_null(stf__cbor_writer *writer)
{
    put_byte(writer, 0xf6);
}

/* What the head or the bignum carries: a negative number n is written as -1 - n. */
static stf__u128 carried(stf__decimal_parts parts)
{
    return parts.is_negative ? parts.coefficient - 1 : parts.coefficient;
}

static uint32_t bignum_bytes(stf__u128 number)
{
    uint32_t size = 8;
    for (stf__u128 rest = number >> 64; rest != 0; rest >>= 8) {
        size++;
    }
    return size;
}

static uint64_t carried_exponent(int32_t exponent)
{
    return exponent < 0 ? (uint64_t)(-1 - exponent) : (uint64_t)exponent;
}

uint32_t stf__cbor_number_size(stf_decimal number)
{
    stf__decimal_parts parts = stf__decimal_split(number);
    stf__u128 mantissa = carried(parts);
    uint32_t size = mantissa <= UINT64_MAX ? stf__cbor_head_size((uint64_t)mantissa)
                                           : 2 + bignum_bytes(mantissa);
    if (parts.exponent == 0 && mantissa <= UINT64_MAX) {
        return size;
    }
    return 2 + stf__cbor_head_size(carried_exponent(parts.exponent)) + size;
}

static void put_mantissa(stf__cbor_writer *writer, bool is_negative, stf__u128 mantissa)
{
    if (mantissa <= UINT64_MAX) {
        put_head(writer, is_negative ? MAJOR_NEGATIVE : MAJOR_UINT, (uint64_t)mantissa);
        return;
    }
    uint8_t bytes[16];
    uint32_t size = bignum_bytes(mantissa);
    for (uint32_t i = size; i > 0; i--) {
        bytes[i - 1] = (uint8_t)mantissa;
        mantissa >>= 8;
    }
    put_head(writer, MAJOR_TAG, is_negative ? TAG_NEGATIVE_BIGNUM : TAG_BIGNUM);
    stf__cbor_put_bytes(writer, (stf_bytes){bytes, size});
}

static void put_number(stf__cbor_writer *writer, stf_decimal number)
{
    stf__decimal_parts parts = stf__decimal_split(number);
    stf__u128 mantissa = carried(parts);
    if (parts.exponent != 0 || mantissa > UINT64_MAX) {
        put_head(writer, MAJOR_TAG, TAG_DECIMAL);
        stf__cbor_put_array(writer, 2);
        stf__cbor_put_int(writer, parts.exponent);
    }
    put_mantissa(writer, parts.is_negative, mantissa);
}

static bool is_encoded_before(const stf__entry *a, const stf__entry *b)
{
    return a->key.size != b->key.size ? a->key.size < b->key.size
                                      : stf_str_compare(a->key, b->key) < 0;
}

/* Recursion: at most STF_LIMIT_VALUE_DEPTH deep. */
static void put_context(stf__cbor_writer *writer, /* NOLINT(misc-no-recursion) */
                        const stf_value *value)
{
    stf__entry few[ENTRIES_ON_STACK];
    stf__entry *entries = few;
    if (value->count > ENTRIES_ON_STACK) {
        entries = stf__mem_realloc_array(writer->buf->alloc, NULL, value->count, sizeof(*entries));
        if (entries == NULL) {
            writer->status = STF_NO_MEMORY;
            return;
        }
    }
    if (value->count != 0) {
        memcpy(entries, value->as.entries, value->count * sizeof(*entries));
    }
    stf__entries_sort(entries, value->count, is_encoded_before);
    stf__cbor_put_map(writer, value->count);
    for (uint32_t i = 0; i < value->count && writer->status == STF_OK; i++) {
        stf__cbor_put_text(writer, entries[i].key);
        stf__cbor_put_value(writer, entries[i].value);
    }
    if (entries != few) {
        stf__mem_free(writer->buf->alloc, entries);
    }
}

void stf__cbor_put_value(stf__cbor_writer *writer, /* NOLINT(misc-no-recursion) */
                         const stf_value *value)
{
    if (writer->status != STF_OK) {
        return;
    }
    switch (stf_value_get_kind(value)) {
    case STF_VALUE_NULL:
        stf__cbor_put_null(writer);
        break;
    case STF_VALUE_BOOL:
        stf__cbor_put_bool(writer, value->is_true);
        break;
    case STF_VALUE_NUMBER:
        put_number(writer, value->as.number);
        break;
    case STF_VALUE_STRING:
        stf__cbor_put_text(writer, stf_value_peek_string(value));
        break;
    case STF_VALUE_LIST:
        stf__cbor_put_array(writer, value->count);
        for (uint32_t i = 0; i < value->count; i++) {
            stf__cbor_put_value(writer, value->as.items[i]);
        }
        break;
    case STF_VALUE_CONTEXT:
        put_context(writer, value);
        break;
    }
}

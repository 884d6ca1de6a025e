/* SPDX-License-Identifier: Apache-2.0 */
/* Reading what the writer writes and nothing else: a head that could be shorter, keys out of order
 * or twice, a number in another form, indefinite lengths, text that is not UTF-8 are CORRUPT. So a
 * document that decodes encodes to the same bytes. */
#include "base/mem.h"
#include "value/builder.h"
#include "value/cbor.h"
#include "value/decimal.h"

enum {
    MAJOR_UINT = 0,
    MAJOR_NEGATIVE = 1,
    MAJOR_BYTES = 2,
    MAJOR_TEXT = 3,
    MAJOR_ARRAY = 4,
    MAJOR_MAP = 5,
    MAJOR_TAG = 6,
    MAJOR_SIMPLE = 7,
    TAG_BIGNUM = 2,
    TAG_NEGATIVE_BIGNUM = 3,
    TAG_DECIMAL = 4,
    SIMPLE_FALSE = 20,
    SIMPLE_TRUE = 21,
    SIMPLE_NULL = 22,
};

void stf__cbor_reader_init(stf__cbor_reader *reader, stf_bytes bytes)
{
    static const uint8_t nothing[1] = {0};
    const uint8_t *start = bytes.data != NULL ? bytes.data : nothing;
    *reader = (stf__cbor_reader){.at = start, .end = start + bytes.size, .status = STF_OK};
}

static void fail(stf__cbor_reader *reader, stf_status status)
{
    if (reader->status == STF_OK) {
        reader->status = status;
    }
}

static size_t left(const stf__cbor_reader *reader)
{
    return (size_t)(reader->end - reader->at);
}

/* The major type of what comes next, or -1 at the end and after a failure. */
static int peek_major(const stf__cbor_reader *reader)
{
    return reader->status == STF_OK && left(reader) > 0 ? *reader->at >> 5 : -1;
}

/* Takes a head of this major type; false, and CORRUPT, when there is none or it is not the shortest
 * one. */
static bool take_head(stf__cbor_reader *reader, int major, uint64_t *ret_number)
{
    if (peek_major(reader) != major) {
        fail(reader, STF_CORRUPT);
        return false;
    }
    unsigned info = *reader->at & 0x1fu;
    if (info < 24) {
        reader->at++;
        *ret_number = info;
        return true;
    }
    size_t size = info <= 27 ? (size_t)1 << (info - 24) : 0;
    if (size == 0 || left(reader) < 1 + size) {
        fail(reader, STF_CORRUPT);
        return false;
    }
    uint64_t number = 0;
    for (size_t i = 1; i <= size; i++) {
        number = number << 8 | reader->at[i];
    }
    if (stf__cbor_head_size(number) != 1 + size) {
        fail(reader, STF_CORRUPT);
        return false;
    }
    reader->at += 1 + size;
    *ret_number = number;
    return true;
}

uint64_t stf__cbor_get_uint(stf__cbor_reader *reader)
{
    uint64_t number;
    return take_head(reader, MAJOR_UINT, &number) ? number : 0;
}

int64_t stf__cbor_get_int(stf__cbor_reader *reader)
{
    uint64_t number;
    bool is_negative = peek_major(reader) == MAJOR_NEGATIVE;
    if (!take_head(reader, is_negative ? MAJOR_NEGATIVE : MAJOR_UINT, &number)) {
        return 0;
    }
    if (number > INT64_MAX) {
        fail(reader, STF_CORRUPT);
        return 0;
    }
    return is_negative ? -1 - (int64_t)number : (int64_t)number;
}

static stf_bytes take_block(stf__cbor_reader *reader, int major)
{
    uint64_t size;
    if (!take_head(reader, major, &size)) {
        return (stf_bytes){NULL, 0};
    }
    if (size > left(reader)) {
        fail(reader, STF_CORRUPT);
        return (stf_bytes){NULL, 0};
    }
    stf_bytes block = {reader->at, (size_t)size};
    reader->at += size;
    return block;
}

stf_bytes stf__cbor_get_bytes(stf__cbor_reader *reader)
{
    return take_block(reader, MAJOR_BYTES);
}

stf_str stf__cbor_get_text(stf__cbor_reader *reader)
{
    stf_bytes block = take_block(reader, MAJOR_TEXT);
    stf_str text = {(const char *)block.data, block.size};
    if (!stf_str_is_utf8(text)) {
        fail(reader, STF_CORRUPT);
        return (stf_str){NULL, 0};
    }
    return text;
}

static size_t take_count(stf__cbor_reader *reader, int major, size_t bytes_each)
{
    uint64_t count;
    if (!take_head(reader, major, &count)) {
        return 0;
    }
    if (count > left(reader) / bytes_each) {
        fail(reader, STF_CORRUPT);
        return 0;
    }
    return (size_t)count;
}

size_t stf__cbor_get_array(stf__cbor_reader *reader)
{
    return take_count(reader, MAJOR_ARRAY, 1);
}

size_t stf__cbor_get_map(stf__cbor_reader *reader)
{
    return take_count(reader, MAJOR_MAP, 2);
}

bool stf__cbor_get_bool(stf__cbor_reader *reader)
{
    uint64_t simple;
    if (take_head(reader, MAJOR_SIMPLE, &simple) && simple != SIMPLE_TRUE &&
        simple != SIMPLE_FALSE) {
        fail(reader, STF_CORRUPT);
    }
    return reader->status == STF_OK && simple == SIMPLE_TRUE;
}

bool stf__cbor_is_null(stf__cbor_reader *reader)
{
    if (peek_major(reader) != MAJOR_SIMPLE || *reader->at != (MAJOR_SIMPLE << 5 | SIMPLE_NULL)) {
        return false;
    }
    reader->at++;
    return true;
}

/* ---- Values */

/* An integer, or with is_mantissa also a bignum; whether it had to be one shows in the size of the
 * canonical form. */
static bool take_whole(stf__cbor_reader *reader, bool is_mantissa, stf__decimal_parts *parts)
{
    uint64_t number;
    stf__u128 mantissa;
    int major = peek_major(reader);
    if (major == MAJOR_TAG && is_mantissa) {
        uint64_t tag;
        bool has_tag =
            take_head(reader, MAJOR_TAG, &tag) && (tag == TAG_BIGNUM || tag == TAG_NEGATIVE_BIGNUM);
        stf_bytes bytes = stf__cbor_get_bytes(reader);
        if (!has_tag || bytes.size > 15) {
            return false;
        }
        mantissa = 0;
        for (size_t i = 0; i < bytes.size; i++) {
            mantissa = mantissa << 8 | bytes.data[i];
        }
        parts->is_negative = tag == TAG_NEGATIVE_BIGNUM;
    } else {
        parts->is_negative = major == MAJOR_NEGATIVE;
        if (!take_head(reader, parts->is_negative ? MAJOR_NEGATIVE : MAJOR_UINT, &number)) {
            return false;
        }
        mantissa = number;
    }
    parts->coefficient = mantissa + (parts->is_negative ? 1 : 0);
    return parts->coefficient < stf__decimal_power_of_ten(STF__DECIMAL_DIGITS);
}

/* Answers whether what was read is a number in the form in which it is written. */
static bool take_number(stf__cbor_reader *reader, stf_decimal *ret_number)
{
    const uint8_t *start = reader->at;
    stf__decimal_parts parts = {0};
    if (peek_major(reader) == MAJOR_TAG) {
        uint64_t tag;
        if (!take_head(reader, MAJOR_TAG, &tag) || tag != TAG_DECIMAL ||
            stf__cbor_get_array(reader) != 2) {
            return false;
        }
        int64_t exponent = stf__cbor_get_int(reader);
        if (exponent < STF__DECIMAL_EXPONENT_MIN || exponent > STF__DECIMAL_EXPONENT_MAX) {
            return false;
        }
        parts.exponent = (int32_t)exponent;
    }
    if (!take_whole(reader, *start >> 5 == MAJOR_TAG, &parts)) {
        return false;
    }
    *ret_number = stf__decimal_join(parts);
    /* Each canonical number has one encoding and one size: the same exponent and the same size mean
     * the same form. */
    return stf__decimal_split(*ret_number).exponent == parts.exponent &&
           stf__cbor_number_size(*ret_number) == (size_t)(reader->at - start);
}

static stf_status read_number(stf__cbor_reader *reader, const stf_allocator *alloc,
                              stf_value **ret_value)
{
    stf_decimal number;
    if (!take_number(reader, &number)) {
        return STF_CORRUPT;
    }
    return stf_value_new_number(alloc, number, ret_value, NULL);
}

static stf_status read_text(stf__cbor_reader *reader, const stf_allocator *alloc,
                            stf_value **ret_value)
{
    stf_bytes text = take_block(reader, MAJOR_TEXT);
    if (reader->status != STF_OK) {
        return reader->status;
    }
    stf_status status =
        stf_value_new_string(alloc, (stf_str){(const char *)text.data, text.size}, ret_value, NULL);
    return status == STF_PARSE ? STF_CORRUPT : status;
}

static stf_status read_simple(stf__cbor_reader *reader, stf_value **ret_value)
{
    *ret_value =
        stf__cbor_is_null(reader) ? stf_value_null() : stf_value_bool(stf__cbor_get_bool(reader));
    return reader->status;
}

/* What is open: how many values it still wants, and in a map the key before. */
typedef struct frame {
    size_t wanted;
    stf_str key;
    bool is_map;
    bool has_key;
} frame;

static stf_status open_container(stf__cbor_reader *reader, stf__builder *builder, frame *frames)
{
    bool is_map = peek_major(reader) == MAJOR_MAP;
    size_t count = is_map ? stf__cbor_get_map(reader) : stf__cbor_get_array(reader);
    if (reader->status != STF_OK) {
        return reader->status;
    }
    stf_status status = stf__builder_open(builder, is_map, NULL);
    if (status == STF_OK) {
        frames[builder->depth - 1] = (frame){.wanted = count, .is_map = is_map};
    }
    return status;
}

/* Deterministic order of text keys: shorter first, then by bytes; never the same twice. */
static stf_status take_key(stf__cbor_reader *reader, stf__builder *builder, frame *top)
{
    stf_str key = stf__cbor_get_text(reader);
    if (reader->status != STF_OK) {
        return reader->status;
    }
    if (top->has_key && (key.size < top->key.size ||
                         (key.size == top->key.size && stf_str_compare(key, top->key) <= 0))) {
        return STF_CORRUPT;
    }
    top->key = key;
    top->has_key = true;
    stf__builder_set_key(builder, key);
    return STF_OK;
}

static stf_status read_scalar(stf__cbor_reader *reader, const stf_allocator *alloc,
                              stf_value **ret_value)
{
    switch (peek_major(reader)) {
    case MAJOR_UINT:
    case MAJOR_NEGATIVE:
    case MAJOR_TAG:
        return read_number(reader, alloc, ret_value);
    case MAJOR_TEXT:
        return read_text(reader, alloc, ret_value);
    case MAJOR_SIMPLE:
        return read_simple(reader, ret_value);
    default:
        return STF_CORRUPT;
    }
}

/* One item: a scalar, or the head of a container. */
static stf_status read_item(stf__cbor_reader *reader, stf__builder *builder, frame *frames)
{
    int major = peek_major(reader);
    if (major == MAJOR_ARRAY || major == MAJOR_MAP) {
        return open_container(reader, builder, frames);
    }
    stf_value *value;
    stf_status status = read_scalar(reader, builder->alloc, &value);
    return status == STF_OK ? stf__builder_add(builder, value, NULL) : status;
}

static stf_status read_value(stf__cbor_reader *reader, stf__builder *builder)
{
    frame frames[STF_LIMIT_VALUE_DEPTH];
    stf_status status = read_item(reader, builder, frames);
    while (status == STF_OK && builder->depth > 0) {
        frame *top = &frames[builder->depth - 1];
        if (top->wanted == 0) {
            status = stf__builder_close(builder, NULL);
            continue;
        }
        top->wanted--;
        if (top->is_map) {
            status = take_key(reader, builder, top);
        }
        if (status == STF_OK) {
            status = read_item(reader, builder, frames);
        }
    }
    return status;
}

stf_value *stf__cbor_get_value(stf__cbor_reader *reader, const stf_allocator *alloc)
{
    if (reader->status != STF_OK) {
        return NULL;
    }
    stf__builder builder;
    stf__builder_init(&builder, alloc);
    stf_status status = read_value(reader, &builder);
    stf_value *value = NULL;
    if (status == STF_OK) {
        value = stf__builder_take_result(&builder);
    } else {
        fail(reader, status);
    }
    stf__builder_done(&builder);
    return value;
}

stf_status stf__cbor_reader_finish(stf__cbor_reader *reader)
{
    if (left(reader) != 0) {
        fail(reader, STF_CORRUPT);
    }
    return reader->status;
}

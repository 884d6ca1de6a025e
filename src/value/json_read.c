/* SPDX-License-Identifier: Apache-2.0 */
/* A strict RFC 8259 reader that keeps every digit of a number (docs/adr/0002). No recursion: what
 * may come next is one of two states, and the builder remembers what is open. */
#include "base/arena.h"
#include "base/mem.h"
#include "value/builder.h"

#include <string.h>

typedef struct json_reader {
    const char *start;
    const char *at;
    const char *end;
    const stf_allocator *alloc;
    stf_error *error;
    stf__arena names; /* of entries, as far as they had escapes */
    stf_buf text;     /* the decoded text of the string being read */
    stf__builder builder;
} json_reader;

/* Lines and columns count from 1, columns in characters. Only computed for an error. */
static void find_position(const json_reader *in, const char *where, size_t *ret_line,
                          size_t *ret_column)
{
    size_t line = 1;
    size_t column = 1;
    for (const char *at = in->start; at < where; at++) {
        if (*at == '\n') {
            line++;
            column = 1;
        } else if (((unsigned char)*at & 0xC0u) != 0x80u) {
            column++;
        }
    }
    *ret_line = line;
    *ret_column = column;
}

static stf_status fail_at(json_reader *in, const char *where, const char *what)
{
    size_t line;
    size_t column;
    find_position(in, where, &line, &column);
    return stf_error_set(in->error, STF_PARSE, "JSON", "line %zu, column %zu: %s", line, column,
                         what);
}

/* Says where a failure of another file happened. */
static stf_status add_position(json_reader *in, const char *where, stf_status status)
{
    if (status != STF_OK) {
        size_t line;
        size_t column;
        find_position(in, where, &line, &column);
        stf_error_context(in->error, "JSON, line %zu, column %zu", line, column);
    }
    return status;
}

static void skip_space(json_reader *in)
{
    while (in->at < in->end &&
           (*in->at == ' ' || *in->at == '\n' || *in->at == '\r' || *in->at == '\t')) {
        in->at++;
    }
}

static bool take(json_reader *in, char expected)
{
    if (in->at < in->end && *in->at == expected) {
        in->at++;
        return true;
    }
    return false;
}

static bool is_digit(const json_reader *in)
{
    return in->at < in->end && *in->at >= '0' && *in->at <= '9';
}

/* ---- Strings */

static bool take_hex4(json_reader *in, uint32_t *ret_unit)
{
    uint32_t unit = 0;
    if (in->end - in->at < 4) {
        return false;
    }
    for (int i = 0; i < 4; i++, in->at++) {
        char c = *in->at;
        uint32_t digit;
        if (c >= '0' && c <= '9') {
            digit = (uint32_t)(c - '0');
        } else if (c >= 'a' && c <= 'f') {
            digit = (uint32_t)(c - 'a') + 10;
        } else if (c >= 'A' && c <= 'F') {
            digit = (uint32_t)(c - 'A') + 10;
        } else {
            return false;
        }
        unit = unit * 16 + digit;
    }
    *ret_unit = unit;
    return true;
}

static size_t encode_utf8(uint32_t point, char ret_bytes[4])
{
    if (point < 0x80) {
        ret_bytes[0] = (char)point;
        return 1;
    }
    size_t size = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    static const unsigned char leads[5] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = size - 1; i > 0; i--) {
        ret_bytes[i] = (char)(0x80u | (point & 0x3Fu));
        point >>= 6;
    }
    ret_bytes[0] = (char)(leads[size] | point);
    return size;
}

/* What follows \u, with the second half of a surrogate pair. */
static stf_status take_unicode_escape(json_reader *in, const char *start)
{
    uint32_t point;
    if (!take_hex4(in, &point)) {
        return fail_at(in, start, "\\u must be followed by four hexadecimal digits");
    }
    if (point == 0) {
        return fail_at(in, start, "a text cannot contain the character NUL");
    }
    if (point >= 0xDC00 && point <= 0xDFFF) {
        return fail_at(in, start, "the second half of a surrogate pair stands alone");
    }
    if (point >= 0xD800 && point <= 0xDBFF) {
        uint32_t low;
        if (!take(in, '\\') || !take(in, 'u') || !take_hex4(in, &low) || low < 0xDC00 ||
            low > 0xDFFF) {
            return fail_at(in, start, "the first half of a surrogate pair stands alone");
        }
        point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
    }
    char bytes[4];
    return stf_buf_append(&in->text, bytes, encode_utf8(point, bytes));
}

static stf_status take_escape(json_reader *in)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    const char *start = in->at - 1;
    if (take(in, 'u')) {
        return take_unicode_escape(in, start);
    }
    const char *letter = in->at < in->end ? memchr(letters, *in->at, sizeof(letters) - 1) : NULL;
    if (letter == NULL) {
        return fail_at(in, start, "this is not an escape of JSON");
    }
    in->at++;
    return stf_buf_append(&in->text, &meanings[letter - letters], 1);
}

/* After the opening quote. The text is a part of the input when it has no escapes; otherwise it is
 * in in->text until the next string. Not yet checked to be UTF-8. */
static stf_status take_string(json_reader *in, stf_str *ret_text)
{
    const char *open = in->at - 1;
    const char *part = in->at;
    bool is_copied = false;
    stf_buf_clear(&in->text);
    for (;;) {
        while (in->at < in->end && *in->at != '"' && *in->at != '\\' &&
               (unsigned char)*in->at >= 0x20) {
            in->at++;
        }
        if (in->at == in->end) {
            return fail_at(in, open, "this text has no closing quote");
        }
        size_t size = (size_t)(in->at - part);
        if (*in->at == '"' && !is_copied) {
            in->at++;
            *ret_text = (stf_str){part, size};
            return STF_OK;
        }
        stf_status status = stf_buf_append(&in->text, part, size);
        char stopper = *in->at;
        if (status == STF_OK && stopper == '\\') {
            in->at++;
            is_copied = true;
            status = take_escape(in);
        } else if (status == STF_OK && stopper != '"') {
            return fail_at(in, in->at, "a control character must be written as an escape");
        }
        if (status == STF_NO_MEMORY) {
            return stf_error_set(in->error, status, "JSON", "no memory for a text");
        }
        if (status != STF_OK) {
            return status;
        }
        if (stopper == '"') {
            in->at++;
            *ret_text = stf_buf_str(&in->text);
            return STF_OK;
        }
        part = in->at;
    }
}

/* A name and its colon, from its opening quote. */
static stf_status take_name(json_reader *in)
{
    const char *start = in->at;
    stf_str name;
    if (!take(in, '"')) {
        return fail_at(in, start, "a name in quotes is expected here");
    }
    stf_status status = take_string(in, &name);
    if (status != STF_OK) {
        return status;
    }
    if (!stf_str_is_utf8(name)) {
        return fail_at(in, start, "this text is not valid UTF-8");
    }
    if (name.data == (const char *)in->text.data &&
        stf__arena_copy_str(&in->names, name, &name) != STF_OK) {
        return stf_error_set(in->error, STF_NO_MEMORY, "JSON", "no memory for a name");
    }
    stf__builder_set_key(&in->builder, name);
    skip_space(in);
    return take(in, ':') ? STF_OK : fail_at(in, in->at, "a colon is expected after a name");
}

/* ---- Scalars */

static stf_status read_string(json_reader *in, stf_value **ret_value)
{
    const char *start = in->at - 1;
    stf_str text;
    stf_status status = take_string(in, &text);
    if (status == STF_OK) {
        status = stf_value_new_string(in->alloc, text, ret_value, in->error);
        status = add_position(in, start, status);
    }
    return status;
}

static bool skip_digits(json_reader *in)
{
    if (!is_digit(in)) {
        return false;
    }
    while (is_digit(in)) {
        in->at++;
    }
    return true;
}

/* The grammar is JSON's own: no leading zeros, digits on both sides of the point. */
static bool skip_number(json_reader *in)
{
    (void)take(in, '-');
    if (!take(in, '0') && !skip_digits(in)) {
        return false;
    }
    if (take(in, '.') && !skip_digits(in)) {
        return false;
    }
    if (take(in, 'e') || take(in, 'E')) {
        if (!take(in, '-')) {
            (void)take(in, '+');
        }
        return skip_digits(in);
    }
    return true;
}

static stf_status read_number(json_reader *in, stf_value **ret_value)
{
    const char *start = in->at;
    stf_decimal number;
    if (!skip_number(in)) {
        return fail_at(in, start, "this is not a number of JSON");
    }
    stf_str text = {start, (size_t)(in->at - start)};
    stf_status status = stf_decimal_parse(text, &number, in->error);
    if (status == STF_OK) {
        status = stf_value_new_number(in->alloc, number, ret_value, in->error);
    }
    return add_position(in, start, status);
}

static bool take_word(json_reader *in, stf_str word)
{
    if ((size_t)(in->end - in->at) < word.size || memcmp(in->at, word.data, word.size) != 0) {
        return false;
    }
    in->at += word.size;
    return true;
}

static stf_status read_scalar(json_reader *in, stf_value **ret_value)
{
    if (in->at == in->end) {
        return fail_at(in, in->at, "the text ends where a value is expected");
    }
    if (take(in, '"')) {
        return read_string(in, ret_value);
    }
    if (*in->at == '-' || is_digit(in)) {
        return read_number(in, ret_value);
    }
    if (take_word(in, STF_STR("null"))) {
        *ret_value = stf_value_null();
    } else if (take_word(in, STF_STR("true"))) {
        *ret_value = stf_value_bool(true);
    } else if (take_word(in, STF_STR("false"))) {
        *ret_value = stf_value_bool(false);
    } else {
        return fail_at(in, in->at, "a value is expected here");
    }
    return STF_OK;
}

/* ---- Structure */

/* One value, or the opening of a container that is not empty (then another value must follow). */
static stf_status read_value_or_open(json_reader *in, bool *ret_is_value)
{
    const char *start = in->at;
    bool is_context = take(in, '{');
    if (!is_context && !take(in, '[')) {
        stf_value *value = NULL;
        stf_status status = read_scalar(in, &value);
        *ret_is_value = true;
        return status != STF_OK
                   ? status
                   : add_position(in, start, stf__builder_add(&in->builder, value, in->error));
    }
    stf_status status =
        add_position(in, start, stf__builder_open(&in->builder, is_context, in->error));
    if (status != STF_OK) {
        return status;
    }
    skip_space(in);
    *ret_is_value = take(in, is_context ? '}' : ']');
    if (*ret_is_value) {
        return add_position(in, start, stf__builder_close(&in->builder, in->error));
    }
    return is_context ? take_name(in) : STF_OK;
}

/* After a value: closes what ends here. Answers whether another value must follow. */
static stf_status read_after_value(json_reader *in, bool *ret_is_more)
{
    *ret_is_more = false;
    while (in->builder.depth > 0) {
        bool is_context = in->builder.frames[in->builder.depth - 1].is_context;
        skip_space(in);
        if (take(in, ',')) {
            *ret_is_more = true;
            skip_space(in);
            return is_context ? take_name(in) : STF_OK;
        }
        const char *start = in->at;
        if (!take(in, is_context ? '}' : ']')) {
            return fail_at(in, start,
                           in->at == in->end ? "the text ends inside a list or an object"
                           : is_context      ? "a comma or a closing brace is expected here"
                                             : "a comma or a closing bracket is expected here");
        }
        stf_status status = add_position(in, start, stf__builder_close(&in->builder, in->error));
        if (status != STF_OK) {
            return status;
        }
    }
    return STF_OK;
}

static stf_status read_document(json_reader *in)
{
    bool is_more = true;
    while (is_more) {
        bool is_value;
        skip_space(in);
        stf_status status = read_value_or_open(in, &is_value);
        if (status == STF_OK && is_value) {
            status = read_after_value(in, &is_more);
        }
        if (status != STF_OK) {
            return status;
        }
    }
    skip_space(in);
    return in->at == in->end ? STF_OK
                             : fail_at(in, in->at, "there is something after the end of the value");
}

stf_status stf_value_parse_json(const stf_allocator *alloc, stf_str text, stf_value **ret_value,
                                stf_error *error)
{
    if (text.size > STF_LIMIT_VALUE_BYTES) {
        return stf_error_set(error, STF_LIMIT_EXCEEDED, "JSON", "the text is over %u bytes",
                             STF_LIMIT_VALUE_BYTES);
    }
    static const char nothing[1] = "";
    const char *start = text.data != NULL ? text.data : nothing;
    json_reader in;
    in.start = start;
    in.at = start;
    in.end = start + text.size;
    in.alloc = alloc;
    in.error = error;
    stf__arena_init(&in.names, alloc);
    stf_buf_init(&in.text, alloc);
    stf__builder_init(&in.builder, alloc);
    stf_status status = read_document(&in);
    if (status == STF_OK) {
        *ret_value = stf__builder_take_result(&in.builder);
    }
    stf__builder_done(&in.builder);
    stf_buf_done(&in.text);
    stf__arena_done(&in.names);
    return status;
}

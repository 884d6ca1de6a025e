/* SPDX-License-Identifier: Apache-2.0 */
/* Values as JSON: entries in the order of their keys' bytes, numbers with all their digits, so that
 * equal values give equal texts. */
#include "base/mem.h"
#include "value/private.h"

/* The first failure sticks, so that the pieces need no checks. */
typedef struct json_writer {
    stf_buf *buf;
    stf_status status;
    bool is_pretty;
} json_writer;

static void put(json_writer *out, stf_str text)
{
    if (out->status == STF_OK) {
        out->status = stf_buf_append_str(out->buf, text);
    }
}

static void put_line(json_writer *out, uint32_t indent)
{
    if (out->is_pretty) {
        put(out, STF_STR("\n"));
        for (uint32_t i = 0; i < indent; i++) {
            put(out, STF_STR("  "));
        }
    }
}

static void put_escape(json_writer *out, char c)
{
    static const char hex[] = "0123456789abcdef";
    char escape[6] = {'\\', c, '0', '0', '0', '0'};
    size_t size = 2;
    switch (c) {
    case '"':
    case '\\':
        break;
    case '\b':
        escape[1] = 'b';
        break;
    case '\f':
        escape[1] = 'f';
        break;
    case '\n':
        escape[1] = 'n';
        break;
    case '\r':
        escape[1] = 'r';
        break;
    case '\t':
        escape[1] = 't';
        break;
    default:
        escape[1] = 'u';
        escape[4] = hex[(unsigned char)c >> 4];
        escape[5] = hex[(unsigned char)c & 0xf];
        size = sizeof(escape);
        break;
    }
    put(out, (stf_str){escape, size});
}

static void put_text(json_writer *out, stf_str text)
{
    size_t from = 0;
    put(out, STF_STR("\""));
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (c == '"' || c == '\\' || (unsigned char)c < 0x20) {
            put(out, (stf_str){text.data + from, i - from});
            put_escape(out, c);
            from = i + 1;
        }
    }
    if (text.size != 0) {
        put(out, (stf_str){text.data + from, text.size - from});
    }
    put(out, STF_STR("\""));
}

static void put_value(json_writer *out, const stf_value *value, uint32_t indent);

/* Recursion: at most STF_LIMIT_VALUE_DEPTH deep. */
static void put_container(json_writer *out, const stf_value *value, /* NOLINT(misc-no-recursion) */
                          uint32_t indent)
{
    bool is_context = value->kind == STF_VALUE_CONTEXT;
    put(out, is_context ? STF_STR("{") : STF_STR("["));
    for (uint32_t i = 0; i < value->count && out->status == STF_OK; i++) {
        if (i > 0) {
            put(out, STF_STR(","));
        }
        put_line(out, indent + 1);
        if (is_context) {
            put_text(out, value->as.entries[i].key);
            put(out, out->is_pretty ? STF_STR(": ") : STF_STR(":"));
        }
        put_value(out, stf_value_peek_item(value, i), indent + 1);
    }
    if (value->count > 0) {
        put_line(out, indent);
    }
    put(out, is_context ? STF_STR("}") : STF_STR("]"));
}

static void put_value(json_writer *out, const stf_value *value, /* NOLINT(misc-no-recursion) */
                      uint32_t indent)
{
    char number[STF_DECIMAL_TEXT_BYTES];
    switch (stf_value_get_kind(value)) {
    case STF_VALUE_NULL:
        put(out, STF_STR("null"));
        break;
    case STF_VALUE_BOOL:
        put(out, value->is_true ? STF_STR("true") : STF_STR("false"));
        break;
    case STF_VALUE_NUMBER:
        stf_decimal_format(value->as.number, number);
        put(out, stf_str_of(number));
        break;
    case STF_VALUE_STRING:
        put_text(out, stf_value_peek_string(value));
        break;
    case STF_VALUE_LIST:
    case STF_VALUE_CONTEXT:
        put_container(out, value, indent);
        break;
    }
}

stf_status stf_value_write_json(const stf_value *value, bool pretty, stf_buf *buf, stf_error *error)
{
    json_writer out = {.buf = buf, .status = STF_OK, .is_pretty = pretty};
    size_t before = buf->size;
    put_value(&out, value, 0);
    if (out.status != STF_OK) {
        buf->size = before;
        return stf_error_set(error, out.status, "JSON", "no memory to write a value");
    }
    return STF_OK;
}

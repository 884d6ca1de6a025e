/* SPDX-License-Identifier: Apache-2.0 */
/* See output.h. */
#include "output.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void cli_complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("stepfast: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

cli_exit_code cli_report(const stf_error *error)
{
    stf_status status = (stf_status)error->status;
    cli_complain("%s", error->message[0] != '\0' ? error->message : stf_status_text(status));
    for (uint32_t i = 0; i < error->detail_count; i++) {
        fprintf(stderr, "  %s: %s\n", error->details[i].key, error->details[i].value);
    }
    for (size_t i = 0; i < STF_ERROR_TRAIL && error->trail[i][0] != '\0'; i++) {
        fprintf(stderr, "  %s\n", error->trail[i]);
    }
    fprintf(stderr, "  (%s%s%s%s%s)\n", stf_status_name(status),
            error->origin[0] != '\0' ? " " : "", error->origin,
            error->native_code[0] != '\0' ? " " : "", error->native_code);
    return cli_exit_code_of(status);
}

/* Control characters as \xNN, so that a name in a file cannot steer a terminal. */
static void put_visible(FILE *file, stf_str text)
{
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.data[i];
        if (byte < 0x20 || byte == 0x7f) {
            fprintf(file, "\\x%02x", byte);
        } else {
            fputc(byte, file);
        }
    }
}

void cli_print_diagnostics(const char *file, const stf_diagnostics *diagnostics)
{
    static const char *const severities[] = {
        [STF_SEVERITY_ERROR] = "error",
        [STF_SEVERITY_UNSUPPORTED] = "unsupported",
        [STF_SEVERITY_WARNING] = "warning",
    };
    for (size_t i = 0; i < stf_diagnostics_count(diagnostics); i++) {
        const stf_diagnostic *item = stf_diagnostics_at(diagnostics, i);
        fputs(file, stderr);
        if (item->line != 0) {
            fprintf(stderr, ":%u:%u", (unsigned)item->line, (unsigned)item->column);
        }
        fprintf(stderr, ": %s: ", severities[item->severity]);
        if (item->element.size != 0) {
            fputc('[', stderr);
            put_visible(stderr, item->element);
            fputs("] ", stderr);
        }
        put_visible(stderr, item->message);
        fputc('\n', stderr);
    }
}

bool cli_print_json(const stf_value *value)
{
    stf_buf text;
    stf_error error = STF_ERROR_INIT;
    stf_buf_init(&text, NULL);
    stf_status status = stf_value_write_json(value, true, &text, &error);
    bool is_printed = false;
    if (status != STF_OK) {
        cli_report(&error);
    } else {
        is_printed =
            fwrite(text.data, 1, text.size, stdout) == text.size && fputc('\n', stdout) != EOF;
    }
    stf_buf_done(&text);
    return is_printed;
}

bool cli_print_json_item(const stf_value *value, size_t number)
{
    stf_buf text;
    stf_error error = STF_ERROR_INIT;
    stf_buf_init(&text, NULL);
    bool is_written = stf_value_write_json(value, true, &text, &error) == STF_OK;
    if (!is_written) {
        cli_report(&error);
    } else {
        fputs(number == 1 ? "[\n  " : ",\n  ", stdout);
        for (size_t i = 0; i < text.size; i++) { /* texts of JSON hold no line break */
            fputc(text.data[i], stdout);
            if (text.data[i] == '\n') {
                fputs("  ", stdout);
            }
        }
    }
    stf_buf_done(&text);
    return is_written;
}

void cli_print_json_end(size_t count)
{
    fputs(count == 0 ? "[]\n" : "\n]\n", stdout);
}

/* Characters of UTF-8, counted by their first bytes. */
static size_t count_characters(stf_str text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.size; i++) {
        count += ((unsigned char)text.data[i] & 0xc0) != 0x80 ? 1 : 0;
    }
    return count;
}

/* The longest front of text with at most `max` characters. */
static stf_str cut(stf_str text, size_t max)
{
    size_t count = 0;
    for (size_t i = 0; i < text.size; i++) {
        count += ((unsigned char)text.data[i] & 0xc0) != 0x80 ? 1 : 0;
        if (count > max) {
            return (stf_str){text.data, i};
        }
    }
    return text;
}

void cli_print_text(stf_str text, size_t width)
{
    size_t characters = count_characters(text);
    if (width != 0 && characters > width) {
        put_visible(stdout, cut(text, width - 3));
        fputs("...", stdout);
        return;
    }
    put_visible(stdout, text);
    for (; characters < width; characters++) {
        fputc(' ', stdout);
    }
}

stf_str cli_peek_text(const stf_value *context, const char *key)
{
    return stf_value_peek_string(stf_value_peek(context, stf_str_of(key)));
}

void cli_join(const stf_value *list, stf_buf *buf)
{
    for (size_t i = 0; i < stf_value_count(list); i++) {
        stf_str text = stf_value_peek_string(stf_value_peek_item(list, i));
        stf_status status = stf_buf_printf(buf, "%s%.*s", i != 0 ? ", " : "", (int)text.size,
                                           text.size != 0 ? text.data : "");
        if (status != STF_OK) {
            return; /* out of memory: the text stays short */
        }
    }
}

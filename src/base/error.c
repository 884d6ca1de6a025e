/* SPDX-License-Identifier: Apache-2.0 */
/* Filling a caller's fixed-size error report. Nothing here allocates, so running out of memory can
 * be reported as well. A text that does not fit is cut at a character boundary and ends in
 * "...". */
#include <stdarg.h>
#include <stdio.h>
#include <stepfast/error.h>
#include <string.h>

/* Where to cut a text so that at most size bytes of it remain and no UTF-8 sequence is split. */
static size_t cut_point(const char *text, size_t size)
{
    while (size > 0 && ((unsigned char)text[size] & 0xC0u) == 0x80u) {
        size--;
    }
    return size;
}

static void format_cut(char *target, size_t capacity, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

static void format_cut(char *target, size_t capacity, const char *format, va_list arguments)
{
    int written = vsnprintf(target, capacity, format, arguments);
    if (written < 0) {
        target[0] = '\0';
    } else if ((size_t)written >= capacity) {
        memcpy(target + cut_point(target, capacity - 4), "...", 4);
    }
}

static void copy_cut(char *target, size_t capacity, const char *text)
{
    size_t size = strlen(text);
    if (size < capacity) {
        memcpy(target, text, size + 1);
    } else {
        size_t kept = cut_point(text, capacity - 4);
        memcpy(target, text, kept);
        memcpy(target + kept, "...", 4);
    }
}

void stf_error_init(stf_error *error)
{
    if (error == NULL) {
        return;
    }
    /* Empty texts, not empty bytes: the struct is two kilobytes, and most calls succeed. */
    error->struct_size = sizeof(*error);
    error->abi = STF_ERROR_ABI;
    error->flags = 0;
    error->status = STF_OK;
    error->detail_count = 0;
    error->origin[0] = '\0';
    error->message[0] = '\0';
    error->native_code[0] = '\0';
    for (size_t i = 0; i < STF_ERROR_TRAIL; i++) {
        error->trail[i][0] = '\0';
    }
}

/* In parentheses, because the header has a macro of this name for the analyzer. */
stf_status(stf_error_set)(stf_error *error, stf_status status, const char *origin,
                          const char *format, ...)
{
    if (error == NULL) {
        return status;
    }
    /* Formatted aside first: an argument may point into the report that is being replaced. */
    char message[sizeof(error->message)];
    char from[sizeof(error->origin)];
    va_list arguments;
    va_start(arguments, format);
    format_cut(message, sizeof(message), format, arguments);
    va_end(arguments);
    copy_cut(from, sizeof(from), origin != NULL ? origin : "");
    stf_error_init(error);
    error->status = (uint32_t)status;
    memcpy(error->message, message, sizeof(message));
    memcpy(error->origin, from, sizeof(from));
    return status;
}

void stf_error_add_detail(stf_error *error, const char *key, const char *format, ...)
{
    if (error == NULL || error->detail_count >= STF_ERROR_DETAILS) {
        return;
    }
    stf_error_detail *detail = &error->details[error->detail_count++];
    copy_cut(detail->key, sizeof(detail->key), key);
    va_list arguments;
    va_start(arguments, format);
    format_cut(detail->value, sizeof(detail->value), format, arguments);
    va_end(arguments);
}

void stf_error_set_native(stf_error *error, const char *format, ...)
{
    if (error == NULL) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    format_cut(error->native_code, sizeof(error->native_code), format, arguments);
    va_end(arguments);
}

void stf_error_context(stf_error *error, const char *format, ...)
{
    if (error == NULL) {
        return;
    }
    for (size_t i = 0; i < STF_ERROR_TRAIL; i++) {
        if (error->trail[i][0] == '\0') {
            va_list arguments;
            va_start(arguments, format);
            format_cut(error->trail[i], sizeof(error->trail[i]), format, arguments);
            va_end(arguments);
            return;
        }
    }
}

const char *stf_error_get_detail(const stf_error *error, const char *key)
{
    if (error == NULL || key == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < error->detail_count && i < STF_ERROR_DETAILS; i++) {
        if (strcmp(error->details[i].key, key) == 0) {
            return error->details[i].value;
        }
    }
    return NULL;
}

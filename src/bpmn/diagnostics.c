/* SPDX-License-Identifier: Apache-2.0 */
/* The list of problems of one file, kept in file order and bounded. */
#include "bpmn/diagnostics.h"

#include "base/arena.h"
#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stepfast/limits.h>
#include <string.h>

enum {
    MESSAGE_BYTES = 1024,
    CUT_BYTES = 100
};

struct stf_diagnostics {
    stf__arena arena;
    stf_diagnostic *items;
    size_t count;
    size_t capacity;
    bool is_out_of_memory;
    bool has_errors;
};

stf_status stf_diagnostics_new(const stf_allocator *alloc, stf_diagnostics **ret_list,
                               stf_error *error)
{
    const stf_allocator *allocator = stf__alloc_or_default(alloc);
    stf_diagnostics *list = stf__mem_zalloc(allocator, sizeof(*list));
    if (list == NULL) {
        return stf_error_set(error, STF_NO_MEMORY, "BPMN", "out of memory");
    }
    stf__arena_init(&list->arena, allocator);
    *ret_list = list;
    return STF_OK;
}

void stf__diagnostics_clear(stf_diagnostics *list)
{
    stf__arena_reset(&list->arena);
    list->count = 0;
    list->is_out_of_memory = false;
    list->has_errors = false;
}

stf_diagnostics *stf_diagnostics_free(stf_diagnostics *list)
{
    if (list != NULL) {
        const stf_allocator *alloc = list->arena.alloc;
        stf__arena_done(&list->arena);
        stf__mem_free(alloc, list->items);
        stf__mem_free(alloc, list);
    }
    return NULL;
}

size_t stf_diagnostics_count(const stf_diagnostics *list)
{
    return list != NULL ? list->count : 0;
}

size_t stf_diagnostics_count_of(const stf_diagnostics *list, stf_severity severity)
{
    size_t count = 0;
    for (size_t i = 0; i < stf_diagnostics_count(list); i++) {
        count += list->items[i].severity == (uint32_t)severity;
    }
    return count;
}

const stf_diagnostic *stf_diagnostics_at(const stf_diagnostics *list, size_t index)
{
    return index < stf_diagnostics_count(list) ? &list->items[index] : NULL;
}

bool stf__diagnostics_is_out_of_memory(const stf_diagnostics *list)
{
    return list->is_out_of_memory;
}

bool stf__diagnostics_has_errors(const stf_diagnostics *list)
{
    return list->has_errors;
}

/* Cuts at a character's border: what was UTF-8 stays UTF-8. */
static stf_str cut(stf_str text, size_t size)
{
    if (text.size <= size) {
        return text;
    }
    while (size > 0 && ((uint8_t)text.data[size] & 0xc0u) == 0x80u) {
        size--;
    }
    return (stf_str){text.data, size};
}

stf_str stf__diagnostics_cut(stf_str text)
{
    return cut(text, CUT_BYTES);
}

static bool is_limit(stf_str rule)
{
    stf_str prefix = STF_STR("limit.");
    return rule.size > prefix.size && memcmp(rule.data, prefix.data, prefix.size) == 0;
}

static bool has_room(stf_diagnostics *list, stf_severity severity, const char *rule)
{
    size_t limit = STF_LIMIT_DIAGNOSTICS - !is_limit(stf_str_of(rule));
    if (severity != STF_SEVERITY_ERROR) {
        limit = STF_LIMIT_DIAGNOSTICS - STF__DIAGNOSTICS_KEPT_FOR_ERRORS;
    }
    if (list->count >= limit) {
        return false;
    }
    if (list->count < list->capacity) {
        return true;
    }
    size_t capacity = list->capacity != 0 ? list->capacity * 2 : 16;
    stf_diagnostic *items =
        stf__mem_realloc_array(list->arena.alloc, list->items, capacity, sizeof(*items));
    if (items == NULL) {
        list->is_out_of_memory = true;
        return false;
    }
    list->items = items;
    list->capacity = capacity;
    return true;
}

static bool is_before(const stf_diagnostic *a, const stf_diagnostic *b)
{
    return a->line != b->line ? a->line < b->line : a->column < b->column;
}

/* Behind what stands at the same place, so that equal places keep the order of the rules. */
static void insert(stf_diagnostics *list, stf_diagnostic item)
{
    size_t at = list->count++;
    for (; at > 0 && is_before(&item, &list->items[at - 1]); at--) {
        list->items[at] = list->items[at - 1];
    }
    list->items[at] = item;
}

void stf__diagnostics_add(stf_diagnostics *list, stf_severity severity, const char *rule,
                          stf__place place, const char *format, ...)
{
    list->has_errors = list->has_errors || severity == STF_SEVERITY_ERROR;
    if (!has_room(list, severity, rule)) {
        return;
    }
    char text[MESSAGE_BYTES];
    va_list args;
    va_start(args, format);
    int size = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    stf_str message = {text, size > 0 ? (size_t)size : 0};
    if (message.size >= sizeof(text)) {
        message = cut(message, sizeof(text) - 1);
    }
    stf_diagnostic item = {.severity = (uint32_t)severity,
                           .line = place.line,
                           .column = place.column,
                           .rule = stf_str_of(rule)};
    if (stf__arena_copy_str(&list->arena, message, &item.message) != STF_OK ||
        stf__arena_copy_str(&list->arena, place.element, &item.element) != STF_OK) {
        list->is_out_of_memory = true;
        return;
    }
    insert(list, item);
}

/* The one that explains the status: a limit that was exceeded, else the first in the file. */
static const stf_diagnostic *find_reason(const stf_diagnostics *list, stf_status status)
{
    const stf_diagnostic *first = NULL;
    for (size_t i = 0; i < list->count; i++) {
        const stf_diagnostic *item = &list->items[i];
        if (status == STF_LIMIT_EXCEEDED && is_limit(item->rule)) {
            return item;
        }
        if (first == NULL && item->severity == STF_SEVERITY_ERROR) {
            first = item;
        }
    }
    return first;
}

stf_status stf__diagnostics_fill_error(const stf_diagnostics *list, stf_status status,
                                       stf_error *error)
{
    const stf_diagnostic *first = find_reason(list, status);
    if (first == NULL) {
        return stf_error_set(error, status, "BPMN", "%s", stf_status_text(status));
    }
    stf_error_set(error, status, "BPMN", "%.*s", STF_STR_ARG(first->message));
    stf_error_add_detail(error, "line", "%u", (unsigned)first->line);
    stf_error_add_detail(error, "column", "%u", (unsigned)first->column);
    stf_error_add_detail(error, "element", "%.*s", STF_STR_ARG(first->element));
    stf_error_add_detail(error, "rule", "%.*s", STF_STR_ARG(first->rule));
    return status;
}

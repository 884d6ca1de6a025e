/* SPDX-License-Identifier: Apache-2.0 */
/* What a group shows at rest, as text that two lives can be compared by. Numbers of activations,
 * ids of called instances, times and versions are left out, and so is a called instance that was
 * cut off: whether it had begun depends on who was faster. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stepfast/limits.h>

#include "sim/group.h"

enum {
    LINES_MAX = 4096,
    LINE_BYTES = 96
};

typedef struct lines {
    char text[LINES_MAX][LINE_BYTES];
    size_t count;
} lines;

static void add(group_life *life, lines *list, const char *format, ...) STF_PRINTF(3, 4);
static void add(group_life *life, lines *list, const char *format, ...)
{
    va_list arguments;
    if (list->count == LINES_MAX) {
        life->is_too_big = true;
        return;
    }
    va_start(arguments, format);
    vsnprintf(list->text[list->count++], LINE_BYTES, format, arguments);
    va_end(arguments);
}

static void put(stf_buf *text, const char *format, ...) STF_PRINTF(2, 3);
static void put(stf_buf *text, const char *format, ...)
{
    char line[256];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    if (size < 0 || stf_buf_append_str(text, stf_str_of(line)) != STF_OK) {
        abort();
    }
}

static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* As a multiset. */
static void put_lines(stf_buf *text, lines *list)
{
    qsort(list->text, list->count, LINE_BYTES, compare);
    for (size_t from = 0, to = 0; from < list->count; from = to) {
        while (to < list->count && strcmp(list->text[from], list->text[to]) == 0) {
            to++;
        }
        put(text, "  %s x%zu\n", list->text[from], to - from);
    }
}

/* ---- At rest --------------------------------------------------------------------------------- */

static void put_variables(stf_buf *text, const stf__doc *doc)
{
    stf_value *variables = NULL;
    if (stf__doc_copy_variables(doc, 0, &variables, NULL) != STF_OK ||
        stf_value_write_json(variables, false, text, NULL) != STF_OK) {
        abort();
    }
    stf_value_unref(variables);
}

static const char *how_of(const stf__doc *doc)
{
    static const char *const names[] = {"runs", "completed", "terminated", "failed", "cancelled"};
    return names[doc->end_how];
}

static void list_state(group_life *life, lines *list, const stf__doc *doc)
{
    for (size_t i = 0; i < doc->activation_count; i++) {
        const stf__activation *at = doc->activations[i];
        add(life, list, "at %.*s phase %u for %u", (int)at->element.size, at->element.data,
            at->phase, at->active_for);
    }
    for (size_t i = 0; i < doc->timer_count; i++) {
        const stf_str element = doc->timers[i].element;
        add(life, list, "timer %.*s", (int)element.size, element.data);
    }
    for (size_t i = 0; i < doc->subscription_count; i++) {
        const stf__subscription *at = &doc->subscriptions[i];
        add(life, list, "message %.*s %.*s %.*s", (int)at->element.size, at->element.data,
            (int)at->name.size, at->name.data, (int)at->key.size, at->key.data);
    }
    for (size_t i = 0; i < doc->parked_count; i++) {
        const stf__token *at = &doc->parked[i];
        add(life, list, "parked %.*s %.*s %llu", (int)at->node.size, at->node.data,
            (int)at->flow.size, at->flow.data, (unsigned long long)at->count);
    }
}

static bool is_shown(const group_book *book)
{
    return book->doc != NULL && strncmp(book->id, "stf:", 4) != 0 &&
           strcmp(book->process, "c3") != 0 && book->doc->end_how != STF__END_CANCELLED;
}

static bool is_root(const group_book *book)
{
    return book->id[0] == 'i' && strlen(book->id) == 2;
}

void group_show(group_life *life)
{
    static lines list;
    for (unsigned i = 0; i < life->plan->roots; i++) {
        const group_book *book = group_book_find(life, group_root_id(i));
        if (book == NULL || book->doc == NULL) {
            continue;
        }
        list.count = 0;
        put(&life->trace, " %s %s %.*s ", book->id, how_of(book->doc),
            (int)book->doc->end_element.size,
            book->doc->end_element.size != 0 ? book->doc->end_element.data : "");
        put_variables(&life->trace, book->doc);
        put(&life->trace, "\n");
        list_state(life, &list, book->doc);
        put_lines(&life->trace, &list);
    }
    list.count = 0;
    for (size_t i = 0; i < life->book_count; i++) {
        const group_book *book = life->books[i];
        if (is_shown(book) && !is_root(book)) {
            stf_buf text;
            stf_buf_init(&text, NULL);
            put_variables(&text, book->doc);
            add(life, &list, "called %s %s %016llx", book->process, how_of(book->doc),
                (unsigned long long)sim_mix_text(1, stf_buf_str(&text)));
            stf_buf_done(&text);
        }
    }
    put_lines(&life->trace, &list);
}

/* ---- History --------------------------------------------------------------------------------- */

/* Of work that may not be repeated a crash makes incidents, which people decide. */
static bool is_counted(const group_plan *plan, stf_str fact)
{
    static const char *const always[] = {
        "INSTANCE_COMPLETED", "INSTANCE_TERMINATED", "INSTANCE_FAILED", "NODE_ENTERED",
        "NODE_COMPLETED",     "NODE_CANCELLED",      "GATEWAY_DECIDED", "TIMER_ARMED",
        "TIMER_FIRED",        "TASK_CREATED",        "TASK_COMPLETED",  "MESSAGE_RECEIVED",
        "CHILD_ENDED",        "ERROR_THROWN",        "ERROR_CAUGHT"};
    static const char *const strict[] = {"WORK_COMPLETED",    "WORK_FAILED",      "INCIDENT_OPENED",
                                         "INCIDENT_RESOLVED", "INCIDENT_DROPPED", "RETRY_SCHEDULED",
                                         "NODE_FAILED"};
    for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++) {
        if (stf_str_equal(fact, stf_str_of(always[i]))) {
            return true;
        }
    }
    for (size_t i = 0; plan->is_idempotent && i < sizeof(strict) / sizeof(strict[0]); i++) {
        if (stf_str_equal(fact, stf_str_of(strict[i]))) {
            return true;
        }
    }
    return false;
}

static void list_rows(group_life *life, lines *list, const group_book *book, const stf_value *rows,
                      stf_history_query *query)
{
    for (size_t i = 0; i < stf_value_count(rows); i++) {
        const stf_value *row = stf_value_peek_item(rows, i);
        stf_str fact = stf_value_peek_string(stf_value_peek(row, stf_str_of("fact")));
        stf_str element = stf_value_peek_string(stf_value_peek(row, stf_str_of("element")));
        int64_t position = 0;
        (void)stf_value_get_int(stf_value_peek(row, stf_str_of("version")), &query->after_version);
        (void)stf_value_get_int(stf_value_peek(row, stf_str_of("position")), &position);
        query->after_position = (uint64_t)position;
        if (is_counted(life->plan, fact)) {
            add(life, list, "%s %.*s %.*s", is_root(book) ? book->id : book->process,
                (int)fact.size, fact.data, (int)element.size,
                element.size != 0 ? element.data : "");
        }
    }
}

void group_show_history(group_life *life)
{
    static lines list;
    stf_engine *engine = group_pick(life)->engine;
    list.count = 0;
    for (size_t i = 0; i < life->book_count; i++) {
        const group_book *book = life->books[i];
        stf_history_query query = {.limit = STF_LIMIT_PAGE};
        bool has_more = (is_shown(book) || is_root(book)) && book->doc != NULL;
        while (has_more) {
            stf_value *rows = NULL;
            stf_error error = STF_ERROR_INIT;
            if (stf_engine_get_history(engine, NULL, stf_str_of(book->id), &query, &rows, &error) !=
                STF_OK) {
                group_fail(life, "no history: %s", error.message);
                return;
            }
            has_more = stf_value_count(rows) != 0;
            list_rows(life, &list, book, rows, &query);
            stf_value_unref(rows);
        }
    }
    put(&life->trace, "-- history\n");
    put_lines(&life->trace, &list);
}

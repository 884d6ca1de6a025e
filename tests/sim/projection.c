/* SPDX-License-Identifier: Apache-2.0 */
/* What a run shows at rest, as text that two runs can be compared by: status, variables, what
 * waits, timers, joins, incidents, the end; and, once, how often each thing happened to each
 * element. Times and version numbers are left out: a crash moves them. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stepfast/limits.h>

#include "sim/sim.h"

static void put(stf_buf *text, const char *format, ...) STF_PRINTF(2, 3);
static void put(stf_buf *text, const char *format, ...)
{
    char line[256];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    if (size < 0 || size >= (int)sizeof(line) ||
        stf_buf_append(text, line, (size_t)size) != STF_OK) {
        abort();
    }
}

static void put_json(stf_buf *text, const stf_value *value)
{
    if (stf_value_write_json(value, false, text, NULL) != STF_OK) {
        abort();
    }
}

/* Two incidents may open in either order where a crash lies between them. */
size_t sim_order_by_activation(const stf_value *list, size_t *ret_order, size_t max)
{
    size_t count = stf_value_count(list) < max ? stf_value_count(list) : max;
    for (size_t i = 0; i < count; i++) {
        int64_t number = 0;
        size_t at = i;
        stf_str key = stf_str_of("activation");
        (void)stf_value_get_int(stf_value_peek(stf_value_peek_item(list, i), key), &number);
        for (int64_t other = 0; at > 0; at--) {
            const stf_value *before = stf_value_peek_item(list, ret_order[at - 1]);
            if (stf_value_get_int(stf_value_peek(before, key), &other) && other <= number) {
                break;
            }
            ret_order[at] = ret_order[at - 1];
        }
        ret_order[at] = i;
    }
    return count;
}

/* Of each entry only the named keys. */
static void put_list(stf_buf *text, const stf_value *view, const char *key, const char *const *keys)
{
    const stf_value *list = stf_value_peek(view, stf_str_of(key));
    if (stf_value_count(list) == 0) {
        return;
    }
    size_t order[64];
    bool is_ordered = strcmp(key, "incidents") != 0;
    size_t count = is_ordered ? stf_value_count(list) : sim_order_by_activation(list, order, 64);
    put(text, "  %s:", key);
    for (size_t i = 0; i < count; i++) {
        put(text, i == 0 ? " " : "; ");
        const stf_value *item = stf_value_peek_item(list, is_ordered ? i : order[i]);
        for (size_t k = 0; keys[k] != NULL; k++) {
            const stf_value *value = stf_value_peek(item, stf_str_of(keys[k]));
            if (value != NULL) {
                put(text, k == 0 ? "" : " ");
                put_json(text, value);
            }
        }
    }
    put(text, "\n");
}

static void put_instance(stf_buf *text, const stf_value *view)
{
    static const char *const task_keys[] = {"element", "activation", NULL};
    static const char *const job_keys[] = {"element", "activation", "topic",
                                           "attempt", "started",    NULL};
    static const char *const join_keys[] = {"element", "flow", "count", NULL};
    static const char *const incident_keys[] = {"element", "activation", "kind", "code", NULL};
    put(text, "  status ");
    put_json(text, stf_value_peek(view, stf_str_of("status")));
    put(text, " waiting ");
    put_json(text, stf_value_peek(view, stf_str_of("waiting")));
    put(text, "\n  variables ");
    put_json(text, stf_value_peek(view, stf_str_of("variables")));
    put(text, "\n");
    put_list(text, view, "tasks", task_keys);
    put_list(text, view, "jobs", job_keys);
    put_list(text, view, "timers", task_keys);
    put_list(text, view, "joins", join_keys);
    put_list(text, view, "incidents", incident_keys);
    const stf_value *end = stf_value_peek(view, stf_str_of("end"));
    if (stf_value_get_kind(end) == STF_VALUE_CONTEXT) {
        put(text, "  end ");
        put_json(text, stf_value_peek(end, stf_str_of("how")));
        put(text, " at ");
        put_json(text, stf_value_peek(end, stf_str_of("element")));
        put(text, "\n");
    }
}

static stf_str id_of(unsigned instance)
{
    return stf_str_of(instance == 0 ? "i1" : "i2");
}

void sim_project(sim_life *life, stf_buf *text)
{
    for (unsigned i = 0; i < life->plan->instances; i++) {
        stf_value *view = NULL;
        if (life->store.books[i].version == 0) {
            continue; /* not started yet */
        }
        put(text, " i%u\n", i + 1);
        if (stf_engine_get_instance(life->engine, NULL, id_of(i), &view, NULL) == STF_OK) {
            put_instance(text, view);
        }
        stf_value_unref(view);
    }
}

/* ---- History --------------------------------------------------------------------------------- */

enum {
    ROWS_MAX = 4096
};

/* What a recovery adds by its nature. */
static bool is_counted(stf_str fact)
{
    static const char *const left_out[] = {"WORK_STARTED", "RESULT_DROPPED", "INSTANCE_RECOVERED"};
    for (size_t i = 0; i < sizeof(left_out) / sizeof(left_out[0]); i++) {
        if (stf_str_equal(fact, stf_str_of(left_out[i]))) {
            return false;
        }
    }
    return true;
}

static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void put_history(sim_life *life, stf_buf *text, const stf_value *rows)
{
    static char names[ROWS_MAX][48];
    size_t count = 0;
    for (size_t i = 0; i < stf_value_count(rows); i++) {
        const stf_value *row = stf_value_peek_item(rows, i);
        stf_str fact = stf_value_peek_string(stf_value_peek(row, stf_str_of("fact")));
        stf_str element = stf_value_peek_string(stf_value_peek(row, stf_str_of("element")));
        if (count == ROWS_MAX) {
            life->is_too_big = true;
            break;
        }
        if (is_counted(fact)) {
            snprintf(names[count++], sizeof(names[0]), "%.*s %.*s", (int)fact.size, fact.data,
                     (int)element.size, element.size != 0 ? element.data : "");
        }
    }
    qsort(names, count, sizeof(names[0]), compare);
    for (size_t from = 0, to = 0; from < count; from = to) {
        while (to < count && strcmp(names[from], names[to]) == 0) {
            to++;
        }
        put(text, "  %s x%zu\n", names[from], to - from);
    }
}

void sim_project_history(sim_life *life, stf_buf *text)
{
    static const stf_history_query all = {.limit = STF_LIMIT_PAGE};
    put(text, "-- history\n");
    for (unsigned i = 0; i < life->plan->instances; i++) {
        stf_value *rows = NULL;
        stf_error error = STF_ERROR_INIT;
        if (stf_engine_get_history(life->engine, NULL, id_of(i), &all, &rows, &error) != STF_OK) {
            sim_life_fail(life, "no history: %s", error.message);
            return;
        }
        put(text, " i%u\n", i + 1);
        put_history(life, text, rows);
        stf_value_unref(rows);
    }
}

void sim_trace_add(sim_life *life, const stf_buf *text)
{
    char *copy = malloc(text->size + 1);
    if (copy == NULL) {
        abort();
    }
    memcpy(copy, text->data, text->size);
    copy[text->size] = '\0';
    life->trace.steps[life->trace.count++] = copy;
}

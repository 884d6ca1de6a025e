/* SPDX-License-Identifier: Apache-2.0 */
/* See view.h. */
#include "engine/view.h"

#include <string.h>

static const char *status_name(uint32_t status)
{
    static const char *const names[] = {"active", "completed", "terminated", "suspended",
                                        "incident"};
    return status < STF_COUNT_OF(names) ? names[status] : "unknown";
}

/* ---- Contexts ---------------------------------------------------------------------------------
 */

void stf__view_put(stf__view *view, stf_str key, stf_value *value)
{
    if (value == NULL || view->count == STF__VIEW_FIELDS) {
        view->status = view->status != STF_OK ? view->status : STF_NO_MEMORY;
        stf_value_unref(value);
        return;
    }
    view->keys[view->count] = key;
    view->values[view->count++] = value;
}

static void put_made(stf__view *view, const char *key, stf_status status, stf_value *value)
{
    if (status != STF_OK && view->status == STF_OK) {
        view->status = status;
    }
    stf__view_put(view, stf_str_of(key), status == STF_OK ? value : NULL);
}

void stf__view_put_text(stf__view *view, const char *key, stf_str text)
{
    stf_value *value = NULL;
    stf_status status = stf_value_new_string(view->alloc, text, &value, NULL);
    put_made(view, key, status, value);
}

void stf__view_put_number(stf__view *view, const char *key, int64_t number)
{
    stf_value *value = NULL;
    stf_status status = stf_value_new_int(view->alloc, number, &value, NULL);
    put_made(view, key, status, value);
}

void stf__view_put_time(stf__view *view, const char *key, stf_wall time)
{
    char text[STF_WALL_TEXT_BYTES];
    if (stf_wall_is_none(time)) {
        stf__view_put(view, stf_str_of(key), stf_value_null());
        return;
    }
    stf_wall_format(time, text);
    stf__view_put_text(view, key, stf_str_of(text));
}

stf_status stf__view_finish(stf__view *view, stf_value **ret_context, stf_error *error)
{
    stf_status status = view->status;
    if (status == STF_OK) {
        status = stf_value_new_context(view->alloc, view->keys, view->values, view->count,
                                       ret_context, error);
    } else {
        status = stf_error_set(error, status, "ENGINE", "a view could not be made: %s",
                               stf_status_text(status));
    }
    for (size_t i = 0; i < view->count; i++) {
        stf_value_unref(view->values[i]);
    }
    view->count = 0;
    return status;
}

/* ---- Lists ------------------------------------------------------------------------------------
 */

stf_status stf__values_add(stf__values *values, stf_value *value)
{
    if (values->count == values->capacity) {
        size_t capacity = values->capacity != 0 ? values->capacity * 2 : 16;
        stf_value **items =
            stf__mem_realloc_array(values->alloc, values->items, capacity, sizeof(stf_value *));
        if (items == NULL) {
            stf_value_unref(value);
            return STF_NO_MEMORY;
        }
        values->items = items;
        values->capacity = capacity;
    }
    values->items[values->count++] = value;
    return STF_OK;
}

stf_status stf__values_add_view(stf__values *values, stf__view *view, stf_error *error)
{
    stf_value *made;
    stf_status status = stf__view_finish(view, &made, error);
    if (status == STF_OK && stf__values_add(values, made) != STF_OK) {
        status = stf_error_set(error, STF_NO_MEMORY, "ENGINE", "no memory for a list");
    }
    return status;
}

void stf__view_begin_row(stf__view *view, const char *name, const char *number_name,
                         const stf__loaded *loaded, int64_t number)
{
    stf_buf text;
    stf_buf_init(&text, view->alloc);
    stf_status status =
        stf_buf_printf(&text, "%.*s:%lld", STF_STR_ARG(loaded->id), (long long)number);
    stf__view_put_text(view, name, stf_buf_str(&text));
    stf__view_put_text(view, "instance", loaded->id);
    stf__view_put_number(view, number_name, number);
    view->status = status != STF_OK ? status : view->status;
    stf_buf_done(&text);
}

stf_status stf__values_list(stf__values *values, stf_value **ret_list, stf_error *error)
{
    return stf_value_new_list(values->alloc, values->items, values->count, ret_list, error);
}

void stf__values_done(stf__values *values)
{
    for (size_t i = 0; i < values->count; i++) {
        stf_value_unref(values->items[i]);
    }
    stf__mem_free(values->alloc, values->items);
    values->items = NULL;
    values->count = 0;
}

/* ---- Records ----------------------------------------------------------------------------------
 */

void stf__loaded_init(stf__loaded_list *list, stf_engine *engine)
{
    memset(list, 0, sizeof(*list));
    list->engine = engine;
    stf__arena_init(&list->arena, engine->alloc);
}

void stf__loaded_done(stf__loaded_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        stf__doc_free(list->items[i].doc);
    }
    stf__mem_free(list->engine->alloc, list->items);
    stf__arena_done(&list->arena);
}

static void decode(stf_engine *engine, const stf_record *record, stf__loaded *loaded)
{
    stf_error error = STF_ERROR_INIT;
    loaded->failure = stf__doc_check(record->head, &error);
    if (loaded->failure == STF_OK) {
        loaded->failure =
            stf__doc_decode(engine->alloc, record->head, record->bulk, &loaded->doc, &error);
    }
    memcpy(loaded->message, error.message, sizeof(loaded->message) - 1);
}

static stf_status copy_texts(stf__loaded_list *list, const stf_record *record, stf__loaded *loaded)
{
    stf_status status = stf__arena_copy_str(&list->arena, record->id, &loaded->id);
    if (status == STF_OK) {
        status = stf__arena_copy_str(&list->arena, record->tenant, &loaded->tenant);
    }
    if (status == STF_OK) {
        status = stf__arena_copy_str(&list->arena, record->group, &loaded->group);
    }
    if (status == STF_OK) {
        status = stf__arena_copy_str(&list->arena, record->label_key, &loaded->label_key);
    }
    return status;
}

stf_status stf__loaded_visit(void *user, const stf_record *record, stf_error *error)
{
    stf__loaded_list *list = user;
    if (list->count == list->capacity) {
        size_t capacity = list->capacity != 0 ? list->capacity * 2 : 16;
        stf__loaded *items = stf__mem_realloc_array(list->engine->alloc, list->items, capacity,
                                                    sizeof(*list->items));
        if (items == NULL) {
            return stf_error_set(error, STF_NO_MEMORY, "ENGINE", "no memory for records");
        }
        list->items = items;
        list->capacity = capacity;
    }
    stf__loaded *loaded = &list->items[list->count];
    memset(loaded, 0, sizeof(*loaded));
    loaded->label_version = record->label_version;
    loaded->status = record->status;
    loaded->due = record->due;
    loaded->created = record->created;
    loaded->updated = record->updated;
    if (copy_texts(list, record, loaded) != STF_OK) {
        return stf_error_set(error, STF_NO_MEMORY, "ENGINE", "no memory for records");
    }
    decode(list->engine, record, loaded);
    list->count++;
    if (loaded->failure == STF_NO_MEMORY) {
        return stf_error_set(error, STF_NO_MEMORY, "ENGINE", "no memory for records");
    }
    return STF_OK;
}

/* ---- Instances --------------------------------------------------------------------------------
 */

static stf_status view_doc(stf_engine *engine, const stf_ctx *ctx, const stf__loaded *loaded,
                           stf_value **ret_view, stf_error *error)
{
    const stf__doc_identity *identity = stf__doc_peek_identity(loaded->doc);
    stf__definition *definition;
    if (identity->process.size == 0) { /* it ended before it began */
        return stf__doc_view(loaded->doc, NULL, ret_view, error);
    }
    stf_status status = stf__definition_get(engine, ctx, loaded->tenant, identity->process,
                                            identity->version, &definition, error);
    if (status != STF_OK) {
        return status;
    }
    status = stf__doc_view(loaded->doc, definition->process, ret_view, error);
    (void)stf__definition_unref(engine, definition);
    return status;
}

static stf_status view_content(stf_engine *engine, const stf_ctx *ctx, const stf__loaded *loaded,
                               stf_value **ret_view, stf_error *error)
{
    if (loaded->failure != STF_OK) {
        return stf_error_set(error, loaded->failure, "ENGINE", "instance %.*s: %s",
                             STF_STR_ARG(loaded->id), loaded->message);
    }
    return view_doc(engine, ctx, loaded, ret_view, error);
}

static stf_status view_record(stf_engine *engine, const stf__loaded *loaded,
                              const stf_value *content, const stf_error *report,
                              stf_value **ret_view, stf_error *error)
{
    stf__view view = {.alloc = engine->alloc};
    /* What the record itself says comes after, so that it wins over a damaged document. */
    for (size_t i = 0; i < stf_value_count(content); i++) {
        stf_str key = stf_value_peek_key(content, i);
        stf__view_put(&view, key, stf_value_ref(stf_value_peek(content, key)));
    }
    if (content == NULL) {
        stf__view_put_text(&view, "unreadable", stf_str_of(report->message));
        stf__view_put_text(&view, "process", loaded->label_key);
        stf__view_put_number(&view, "version", loaded->label_version);
    }
    stf__view_put_text(&view, "id", loaded->id);
    stf__view_put_text(&view, "status", stf_str_of(status_name(loaded->status)));
    stf__view_put_text(&view, "tenant", loaded->tenant);
    stf__view_put_time(&view, "due", loaded->due);
    stf__view_put_time(&view, "created", loaded->created);
    stf__view_put_time(&view, "updated", loaded->updated);
    return stf__view_finish(&view, ret_view, error);
}

stf_status stf__view_instance(stf_engine *engine, const stf_ctx *ctx, const stf__loaded *loaded,
                              bool is_strict, stf_value **ret_view, stf_error *error)
{
    stf_value *content = NULL;
    stf_error report = STF_ERROR_INIT;
    stf_status status = view_content(engine, ctx, loaded, &content, &report);
    if (status == STF_OK) {
        status = view_record(engine, loaded, content, NULL, ret_view, &report);
        stf_value_unref(content);
    }
    if (status == STF_OK) {
        return STF_OK;
    }
    if (is_strict || stf__status_is_passing(status) || status == STF_NO_MEMORY) {
        if (error != NULL) {
            *error = report;
        }
        return status;
    }
    return view_record(engine, loaded, NULL, &report, ret_view, error);
}

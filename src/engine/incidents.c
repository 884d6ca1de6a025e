/* SPDX-License-Identifier: Apache-2.0 */
/* Incidents: what people do about them, as steps on the record like any other, and the list of
 * those that are open. */
#include "engine/view.h"

#include <stepfast/limits.h>

stf_status stf_engine_retry_incident(stf_engine *engine, const stf_ctx *ctx, stf_str instance,
                                     uint64_t incident, stf_error *error)
{
    stf__command_spec spec = {.id = instance,
                              .event = {.kind = STF__EVENT_RETRY, .incident = incident}};
    return stf__call_instance(engine, ctx, &spec, error);
}

stf_status stf_engine_resolve_incident(stf_engine *engine, const stf_ctx *ctx, stf_str instance,
                                       uint64_t incident, const stf_answer *answer,
                                       stf_error *error)
{
    stf__command_spec spec = {.id = instance,
                              .event = {.kind = STF__EVENT_RESOLVE, .incident = incident}};
    stf_status status = stf__call_read_answer(answer, &spec.event, error);
    return status == STF_OK ? stf__call_instance(engine, ctx, &spec, error) : status;
}

stf_status stf_engine_drop_incident(stf_engine *engine, const stf_ctx *ctx, stf_str instance,
                                    uint64_t incident, stf_error *error)
{
    stf__command_spec spec = {.id = instance,
                              .event = {.kind = STF__EVENT_DROP, .incident = incident}};
    return stf__call_instance(engine, ctx, &spec, error);
}

/* ---- The list -------------------------------------------------------------------------------- */

static stf_status add_incident(stf__values *rows, const stf__loaded *loaded,
                               const stf_value *incident, stf_error *error)
{
    static const char *const copied[] = {"element", "activation", "kind", "message",
                                         "line",    "opened",     "retry"};
    stf__view view = {.alloc = rows->alloc};
    int64_t number = 0;
    (void)stf_value_get_int(stf_value_peek(incident, STF_STR("incident")), &number);
    stf__view_begin_row(&view, "incident", "number", loaded, number);
    for (size_t i = 0; i < STF_COUNT_OF(copied); i++) {
        stf_str key = stf_str_of(copied[i]);
        const stf_value *value = stf_value_peek(incident, key);
        stf__view_put(&view, key, value != NULL ? stf_value_ref(value) : stf_value_null());
    }
    stf__view_put_text(&view, "process", loaded->label_key);
    return stf__values_add_view(rows, &view, error);
}

/* A document that cannot be read is an incident, too: it has no number that could be retried. */
static stf_status add_unreadable(stf__values *rows, const stf__loaded *loaded, stf_str message,
                                 stf_error *error)
{
    stf__view view = {.alloc = rows->alloc};
    stf__view_begin_row(&view, "incident", "number", loaded, 0);
    stf__view_put_text(&view, "element", STF_STR(""));
    stf__view_put_number(&view, "activation", 0);
    stf__view_put_text(&view, "kind", STF_STR("unreadable"));
    stf__view_put_text(&view, "message", message);
    stf__view_put_number(&view, "line", 0);
    stf__view_put_time(&view, "opened", loaded->updated);
    stf__view_put_time(&view, "retry", stf_wall_none());
    stf__view_put_text(&view, "process", loaded->label_key);
    return stf__values_add_view(rows, &view, error);
}

static stf_status add_of(stf_engine *engine, const stf_ctx *ctx, stf__values *rows,
                         const stf__loaded *loaded, stf_error *error)
{
    stf_value *view = NULL;
    stf_status status = stf__view_instance(engine, ctx, loaded, false, &view, error);
    if (status != STF_OK) {
        return status;
    }
    const stf_value *why = stf_value_peek(view, STF_STR("unreadable"));
    const stf_value *incidents = stf_value_peek(view, STF_STR("incidents"));
    if (why != NULL) {
        status = add_unreadable(rows, loaded, stf_value_peek_string(why), error);
    }
    for (size_t i = 0; status == STF_OK && i < stf_value_count(incidents); i++) {
        status = add_incident(rows, loaded, stf_value_peek_item(incidents, i), error);
    }
    stf_value_unref(view);
    return status;
}

/* Whole instances only: whoever reads goes on behind the last one. */
static stf_status list_first(stf_engine *engine, const stf_ctx *ctx, const stf__loaded_list *list,
                             size_t count, stf_value **ret_list, stf_error *error)
{
    stf__values rows = {.alloc = engine->alloc};
    stf_status status = STF_OK;
    for (size_t i = 0; status == STF_OK && i < count; i++) {
        status = add_of(engine, ctx, &rows, &list->items[i], error);
    }
    if (status == STF_OK) {
        status = stf__values_list(&rows, ret_list, error);
    }
    stf__values_done(&rows);
    return status;
}

stf_status stf_engine_list_incidents(stf_engine *engine, const stf_ctx *ctx, stf_str after_id,
                                     size_t limit, stf_value **ret_list, stf_error *error)
{
    stf__loaded_list list;
    stf_catalog_query query = {.status_mask = UINT64_C(1) << STF_RECORD_INCIDENT,
                               .after_id = after_id,
                               .limit = limit != 0 ? limit : STF__LIST_LIMIT};
    stf_status status = stf__query_check(engine, ret_list, error);
    if (status != STF_OK) {
        return status;
    }
    query.group = stf_str_of(engine->group);
    stf__loaded_init(&list, engine);
    status = stf__instances_read(engine, ctx, &query, &list, error);
    size_t count = list.count;
    if (status == STF_OK) {
        status = list_first(engine, ctx, &list, count, ret_list, error);
    }
    while (status == STF_LIMIT_EXCEEDED && count > 1) {
        count /= 2;
        status = list_first(engine, ctx, &list, count, ret_list, error);
    }
    stf__loaded_done(&list);
    return status;
}

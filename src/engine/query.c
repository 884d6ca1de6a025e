/* SPDX-License-Identifier: Apache-2.0 */
/* Questions: answered on the caller's thread from copies that are loaded after the question came
 * (R22). They change nothing, so they also work before the engine is started. */
#include "engine/view.h"

#include <stepfast/limits.h>
#include <stepfast/sys/repository_catalog.h>
#include <stepfast/sys/repository_journal.h>

stf_status stf__query_check(const stf_engine *engine, const void *ret, stf_error *error)
{
    if (engine == NULL || ret == NULL) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE",
                             "the engine or the place for the answer is missing");
    }
    return STF_OK;
}

static stf_status load_one(stf_engine *engine, const stf_ctx *ctx, stf_str id,
                           stf__loaded_list *list, stf_error *error)
{
    bool is_found = false;
    stf_status status = STF_OK;
    if (id.size == 0) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE",
                             "the id of the instance is missing");
    }
    status =
        stf_repository_load(engine->repository, ctx, id, stf__loaded_visit, list, &is_found, error);
    if (status != STF_OK) {
        return status;
    }
    if (!is_found || list->count == 0 || stf__id_is_own(id)) {
        return stf_error_set(error, STF_NOT_FOUND, "ENGINE", "there is no instance %.*s",
                             STF_STR_ARG(id));
    }
    if (!stf_str_equal(list->items[0].group, stf_str_of(engine->group))) {
        return stf_error_set(error, STF_INVALID_STATE, "ENGINE",
                             "the instance %.*s belongs to group \"%.*s\"; this engine serves "
                             "group \"%s\"",
                             STF_STR_ARG(id), STF_STR_ARG(list->items[0].group), engine->group);
    }
    return STF_OK;
}

stf_status stf_engine_get_instance(stf_engine *engine, const stf_ctx *ctx, stf_str instance,
                                   stf_value **ret_view, stf_error *error)
{
    stf__loaded_list list;
    stf_status status = stf__query_check(engine, ret_view, error);
    if (status != STF_OK) {
        return status;
    }
    stf__loaded_init(&list, engine);
    status = load_one(engine, ctx, instance, &list, error);
    if (status == STF_OK) {
        status = stf__view_instance(engine, ctx, &list.items[0], true, ret_view, error);
    }
    stf__loaded_done(&list);
    return status;
}

/* ---- Lists of instances -----------------------------------------------------------------------
 */

/* Behind every id of the engine's own records, and before every other one that is greater. */
#define OWN_IDS_END STF__OWN_IDS "\xf4\x8f\xbf\xbf"

/* A page is cut where it would not fit into one value; whoever reads goes on behind its last id. */
typedef struct instance_page {
    stf__loaded_list *list;
    size_t bytes; /* of the documents */
    bool is_cut;
    bool is_at_own; /* the next record is not an instance but the engine's own */
} instance_page;

static stf_status visit_in_page(void *user, const stf_record *record, stf_error *error)
{
    instance_page *page = user;
    if (stf__id_is_own(record->id)) {
        page->is_at_own = true;
        return STF_LIMIT_EXCEEDED; /* only ends the visit */
    }
    page->bytes += record->head.size + record->bulk.size;
    if (page->list->count > 0 && page->bytes > STF_LIMIT_VALUE_BYTES) {
        page->is_cut = true;
        return STF_LIMIT_EXCEEDED; /* only ends the visit */
    }
    return stf__loaded_visit(page->list, record, error);
}

stf_status stf__instances_read(stf_engine *engine, const stf_ctx *ctx,
                               const stf_catalog_query *query, stf__loaded_list *list,
                               stf_error *error)
{
    instance_page page = {.list = list};
    stf_catalog_query wanted = *query;
    stf_status status =
        stf_repository_page(engine->repository, ctx, &wanted, visit_in_page, &page, error);
    if (page.is_at_own && list->count < query->limit) {
        page.is_at_own = false;
        wanted.after_id = STF_STR(OWN_IDS_END);
        wanted.limit = query->limit - list->count;
        status = stf_repository_page(engine->repository, ctx, &wanted, visit_in_page, &page, error);
    }
    return page.is_cut || page.is_at_own ? STF_OK : status;
}

/* What a view takes is not known before it is made: halves what does not fit. */
stf_status stf__values_list_front(stf__values *views, stf_value **ret_list, stf_error *error)
{
    stf_status status = stf__values_list(views, ret_list, error);
    while (status == STF_LIMIT_EXCEEDED && views->count > 1) {
        for (size_t half = views->count / 2; views->count > half;) {
            stf_value_unref(views->items[--views->count]);
        }
        status = stf__values_list(views, ret_list, error);
    }
    return status;
}

static stf_status list_views(stf_engine *engine, const stf_ctx *ctx, const stf__loaded_list *list,
                             stf_value **ret_list, stf_error *error)
{
    stf__values views = {.alloc = engine->alloc};
    stf_status status = STF_OK;
    for (size_t i = 0; status == STF_OK && i < list->count; i++) {
        stf_value *view;
        status = stf__view_instance(engine, ctx, &list->items[i], false, &view, error);
        if (status == STF_OK && stf__values_add(&views, view) != STF_OK) {
            status = stf_error_set(error, STF_NO_MEMORY, "ENGINE", "no memory for a list");
        }
    }
    if (status == STF_OK) {
        status = stf__values_list_front(&views, ret_list, error);
    }
    stf__values_done(&views);
    return status;
}

stf_status stf_engine_list_instances(stf_engine *engine, const stf_ctx *ctx,
                                     const stf_instance_query *query, stf_value **ret_list,
                                     stf_error *error)
{
    stf__loaded_list list;
    stf_catalog_query wanted = {.limit = STF__LIST_LIMIT};
    stf_status status = stf__query_check(engine, ret_list, error);
    if (status != STF_OK) {
        return status;
    }
    wanted.group = stf_str_of(engine->group);
    if (query != NULL) {
        wanted.label_key = query->process;
        wanted.status_mask = query->status_mask;
        wanted.after_id = query->after_id;
        wanted.limit = query->limit != 0 ? query->limit : STF__LIST_LIMIT;
    }
    stf__loaded_init(&list, engine);
    status = stf__instances_read(engine, ctx, &wanted, &list, error);
    if (status == STF_OK) {
        status = list_views(engine, ctx, &list, ret_list, error);
    }
    stf__loaded_done(&list);
    return status;
}

/* ---- History ----------------------------------------------------------------------------------
 */

typedef struct history_read {
    stf_engine *engine;
    stf__values rows;
} history_read;

static stf_status visit_row(void *user, int64_t version, uint64_t position,
                            const stf_journal_row *row, stf_error *error)
{
    history_read *history = user;
    stf__view view = {.alloc = history->engine->alloc};
    stf_value *made;
    stf__view_put_number(&view, "version", version);
    stf__view_put_number(&view, "position", (int64_t)position);
    stf__view_put_text(&view, "fact", stf_str_of(stf_fact_name(row->fact)));
    stf__view_put_text(&view, "element", row->element);
    stf__view_put_number(&view, "activation", (int64_t)row->activation);
    stf__view_put_time(&view, "at", row->at);
    stf__view_put_text(&view, "detail", row->detail);
    stf_status status = stf__view_finish(&view, &made, error);
    if (status == STF_OK && stf__values_add(&history->rows, made) != STF_OK) {
        status = stf_error_set(error, STF_NO_MEMORY, "ENGINE", "no memory for a history");
    }
    return status;
}

stf_status stf_engine_get_history(stf_engine *engine, const stf_ctx *ctx, stf_str instance,
                                  const stf_history_query *query, stf_value **ret_list,
                                  stf_error *error)
{
    stf_journal_query wanted = {.id = instance, .limit = STF__LIST_LIMIT};
    stf_status status = stf__query_check(engine, ret_list, error);
    if (status != STF_OK) {
        return status;
    }
    if (query != NULL) {
        wanted.after_version = query->after_version;
        wanted.after_position = query->after_position;
        wanted.limit = query->limit != 0 ? query->limit : STF__LIST_LIMIT;
    }
    history_read history = {.engine = engine, .rows = {.alloc = engine->alloc}};
    stf__loaded_list list;
    stf__loaded_init(&list, engine);
    status = load_one(engine, ctx, instance, &list, error);
    stf__loaded_done(&list);
    if (status == STF_OK) {
        status = stf_repository_journal_page(engine->repository, ctx, &wanted, visit_row, &history,
                                             error);
    }
    if (status == STF_OK) {
        status = stf__values_list_front(&history.rows, ret_list, error);
    }
    stf__values_done(&history.rows);
    return status;
}

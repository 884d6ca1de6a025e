/* SPDX-License-Identifier: Apache-2.0 */
/* Questions: answered on the caller's thread from copies that are loaded after the question came
 * (R22). They change nothing, so they also work before the engine is started. */
#include "engine/view.h"

#include <stepfast/limits.h>
#include <stepfast/sys/repository_batch.h>
#include <stepfast/sys/repository_catalog.h>
#include <stepfast/sys/repository_journal.h>
#include <stepfast/sys/repository_wake.h>

#define LIST_LIMIT 1000u
#define TASK_PAGE 500u

static stf_status check_question(const stf_engine *engine, const void *ret, stf_error *error)
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
    if (!is_found || list->count == 0) {
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
    stf_status status = check_question(engine, ret_view, error);
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

/* A page is cut where it would not fit into one value; whoever reads goes on behind its last id. */
typedef struct instance_page {
    stf__loaded_list list;
    size_t bytes; /* of the documents */
    bool is_cut;
} instance_page;

static stf_status visit_in_page(void *user, const stf_record *record, stf_error *error)
{
    instance_page *page = user;
    page->bytes += record->head.size + record->bulk.size;
    if (page->list.count > 0 && page->bytes > STF_LIMIT_VALUE_BYTES) {
        page->is_cut = true;
        return STF_LIMIT_EXCEEDED; /* only ends the visit */
    }
    return stf__loaded_visit(&page->list, record, error);
}

/* What a view takes is not known before it is made: halves what does not fit. */
static stf_status list_front(stf__values *views, stf_value **ret_list, stf_error *error)
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
        status = list_front(&views, ret_list, error);
    }
    stf__values_done(&views);
    return status;
}

stf_status stf_engine_list_instances(stf_engine *engine, const stf_ctx *ctx,
                                     const stf_instance_query *query, stf_value **ret_list,
                                     stf_error *error)
{
    instance_page page = {.bytes = 0, .is_cut = false};
    stf_catalog_query wanted = {.limit = LIST_LIMIT};
    stf_status status = check_question(engine, ret_list, error);
    if (status != STF_OK) {
        return status;
    }
    wanted.group = stf_str_of(engine->group);
    if (query != NULL) {
        wanted.label_key = query->process;
        wanted.status_mask = query->status_mask;
        wanted.after_id = query->after_id;
        wanted.limit = query->limit != 0 ? query->limit : LIST_LIMIT;
    }
    stf__loaded_init(&page.list, engine);
    status = stf_repository_page(engine->repository, ctx, &wanted, visit_in_page, &page, error);
    if (status == STF_OK || page.is_cut) {
        status = list_views(engine, ctx, &page.list, ret_list, error);
    }
    stf__loaded_done(&page.list);
    return status;
}

/* ---- Tasks ------------------------------------------------------------------------------------
 */

typedef struct task_search {
    stf_engine *engine;
    const stf_ctx *ctx;
    stf_str element;
    size_t limit;
    stf__arena arena;
    stf__map seen; /* instances of earlier rows */
    stf_str *ids;  /* of this page, each once */
    size_t id_count;
    size_t id_capacity;
    size_t rows;
    stf_wall last_since;
    stf_str last_id;
    stf__values tasks;
} task_search;

static stf_status add_id(task_search *search, stf_str id)
{
    if (search->id_count == search->id_capacity) {
        size_t capacity = search->id_capacity != 0 ? search->id_capacity * 2 : 64;
        stf_str *ids = stf__mem_realloc_array(search->engine->alloc, search->ids, capacity,
                                              sizeof(*search->ids));
        if (ids == NULL) {
            return STF_NO_MEMORY;
        }
        search->ids = ids;
        search->id_capacity = capacity;
    }
    search->ids[search->id_count++] = id;
    return stf__map_put(&search->seen, id, search);
}

static stf_status visit_task(void *user, const stf_wake_row *row, stf_error *error)
{
    task_search *search = user;
    stf_str id;
    stf_status status = stf__arena_copy_str(&search->arena, row->id, &id);
    search->rows++;
    if (status == STF_OK) {
        search->last_since = row->at;
        search->last_id = id;
        if (stf__map_get(&search->seen, id) == NULL) {
            status = add_id(search, id);
        }
    }
    if (status != STF_OK) {
        return stf_error_set(error, STF_NO_MEMORY, "ENGINE", "no memory for a list of tasks");
    }
    return STF_OK;
}

static stf_status view_task(task_search *search, const stf__loaded *loaded,
                            const stf__definition *definition, const stf_value *task,
                            stf_error *error)
{
    stf_engine *engine = search->engine;
    stf_str element = stf_value_peek_string(stf_value_peek(task, STF_STR("element")));
    const stf__node *node = stf__process_find_node(definition->process, element);
    stf__view view = {.alloc = engine->alloc};
    stf_buf name;
    int64_t activation = 0;
    stf_value *made;
    (void)stf_value_get_int(stf_value_peek(task, STF_STR("activation")), &activation);
    stf_buf_init(&name, engine->alloc);
    stf_status status =
        stf_buf_printf(&name, "%.*s:%lld", STF_STR_ARG(loaded->id), (long long)activation);
    stf__view_put_text(&view, "task", stf_buf_str(&name));
    stf__view_put_text(&view, "instance", loaded->id);
    stf__view_put_number(&view, "activation", activation);
    stf__view_put_text(&view, "element", element);
    stf__view_put_text(&view, "name", node != NULL ? node->name : element);
    stf__view_put_text(&view, "process", definition->key);
    stf__view_put(&view, STF_STR("since"), stf_value_ref(stf_value_peek(task, STF_STR("since"))));
    stf_buf_done(&name);
    view.status = status != STF_OK ? status : view.status;
    status = stf__view_finish(&view, &made, error);
    if (status == STF_OK && stf__values_add(&search->tasks, made) != STF_OK) {
        status = stf_error_set(error, STF_NO_MEMORY, "ENGINE", "no memory for a list of tasks");
    }
    return status;
}

static stf_status view_tasks_of(task_search *search, const stf__loaded *loaded,
                                stf__definition *definition, stf_error *error)
{
    stf_value *view = NULL;
    stf_status status = stf__doc_view(loaded->doc, definition->process, &view, error);
    const stf_value *tasks = stf_value_peek(view, STF_STR("tasks"));
    for (size_t i = 0; status == STF_OK && i < stf_value_count(tasks); i++) {
        const stf_value *task = stf_value_peek_item(tasks, i);
        stf_str element = stf_value_peek_string(stf_value_peek(task, STF_STR("element")));
        if (search->element.size == 0 || stf_str_equal(element, search->element)) {
            status = view_task(search, loaded, definition, task, error);
        }
    }
    stf_value_unref(view);
    return status;
}

/* One record that cannot be read never hides the tasks of the rest. */
static stf_status add_tasks(task_search *search, const stf__loaded_list *list, stf_error *error)
{
    stf_engine *engine = search->engine;
    for (size_t i = 0; i < list->count; i++) {
        const stf__loaded *loaded = &list->items[i];
        stf__definition *definition;
        if (loaded->failure != STF_OK) {
            continue;
        }
        const stf__doc_identity *identity = stf__doc_peek_identity(loaded->doc);
        stf_status status =
            stf__definition_get(engine, search->ctx, loaded->tenant, identity->process,
                                identity->version, &definition, error);
        if (status == STF_OK) {
            status = view_tasks_of(search, loaded, definition, error);
            (void)stf__definition_unref(engine, definition);
        } else if (status != STF_NO_MEMORY && status != STF_UNAVAILABLE &&
                   status != STF_CANCELLED && status != STF_DEADLINE_EXCEEDED) {
            continue;
        }
        if (status != STF_OK) {
            return status;
        }
    }
    return STF_OK;
}

static stf_status read_page(task_search *search, stf_error *error)
{
    stf_engine *engine = search->engine;
    stf_waiting_query query = {.group = stf_str_of(engine->group),
                               .kind = STF_WAIT_TASK,
                               .key = search->element,
                               .after_since = search->last_since,
                               .after_id = search->last_id,
                               .limit = TASK_PAGE};
    stf__loaded_list list;
    search->rows = 0;
    search->id_count = 0;
    stf_status status = stf_repository_waiting_page(engine->repository, search->ctx, &query,
                                                    visit_task, search, error);
    if (status != STF_OK || search->id_count == 0) {
        return status;
    }
    stf__loaded_init(&list, engine);
    status =
        stf_repository_load_many(engine->repository, search->ctx, search->ids, search->id_count,
                                 stf_wall_none(), stf__loaded_visit, &list, error);
    if (status == STF_OK) {
        status = add_tasks(search, &list, error);
    }
    stf__loaded_done(&list);
    return status;
}

static int compare_tasks(const stf_value *a, const stf_value *b)
{
    static const char *const keys[] = {"since", "instance"};
    for (size_t i = 0; i < STF_COUNT_OF(keys); i++) {
        int order = stf_str_compare(stf_value_peek_string(stf_value_peek(a, stf_str_of(keys[i]))),
                                    stf_value_peek_string(stf_value_peek(b, stf_str_of(keys[i]))));
        if (order != 0) {
            return order;
        }
    }
    int64_t first = 0;
    int64_t second = 0;
    (void)stf_value_get_int(stf_value_peek(a, STF_STR("activation")), &first);
    (void)stf_value_get_int(stf_value_peek(b, STF_STR("activation")), &second);
    return (first > second) - (first < second);
}

/* Merge sort of a run of pages that are nearly in order already; iterative, no recursion. */
static stf_status sort_tasks(stf__values *tasks)
{
    stf_value **room = stf__mem_zalloc_array(tasks->alloc, tasks->count + 1, sizeof(stf_value *));
    if (room == NULL) {
        return STF_NO_MEMORY;
    }
    for (size_t width = 1; width < tasks->count; width *= 2) {
        for (size_t from = 0; from < tasks->count; from += 2 * width) {
            size_t middle = from + width < tasks->count ? from + width : tasks->count;
            size_t end = middle + width < tasks->count ? middle + width : tasks->count;
            size_t left = from;
            size_t right = middle;
            for (size_t to = from; to < end; to++) {
                bool takes_left =
                    left < middle &&
                    (right >= end || compare_tasks(tasks->items[left], tasks->items[right]) <= 0);
                room[to] = takes_left ? tasks->items[left++] : tasks->items[right++];
            }
        }
        stf_value **swapped = tasks->items;
        tasks->items = room;
        room = swapped;
    }
    stf__mem_free(tasks->alloc, room);
    return STF_OK;
}

static stf_status finish_tasks(task_search *search, stf_value **ret_list, stf_error *error)
{
    stf__values *tasks = &search->tasks;
    if (sort_tasks(tasks) != STF_OK) {
        return stf_error_set(error, STF_NO_MEMORY, "ENGINE", "no memory for a list of tasks");
    }
    while (tasks->count > search->limit) {
        stf_value_unref(tasks->items[--tasks->count]);
    }
    return stf__values_list(tasks, ret_list, error);
}

stf_status stf_engine_list_tasks(stf_engine *engine, const stf_ctx *ctx, stf_str element,
                                 size_t limit, stf_value **ret_list, stf_error *error)
{
    stf_status status = check_question(engine, ret_list, error);
    if (status != STF_OK) {
        return status;
    }
    task_search search = {.engine = engine,
                          .ctx = ctx,
                          .element = element,
                          .limit = limit != 0 ? limit : LIST_LIMIT,
                          .last_since = stf_wall_none(),
                          .tasks = {.alloc = engine->alloc}};
    stf__arena_init(&search.arena, engine->alloc);
    stf__map_init(&search.seen, engine->alloc);
    do {
        status = read_page(&search, error);
    } while (status == STF_OK && search.rows >= TASK_PAGE && search.tasks.count < search.limit);
    if (status == STF_OK) {
        status = finish_tasks(&search, ret_list, error);
    }
    stf__values_done(&search.tasks);
    stf__mem_free(engine->alloc, search.ids);
    stf__map_done(&search.seen);
    stf__arena_done(&search.arena);
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
    stf_journal_query wanted = {.id = instance, .limit = LIST_LIMIT};
    stf_status status = check_question(engine, ret_list, error);
    if (status != STF_OK) {
        return status;
    }
    if (query != NULL) {
        wanted.after_version = query->after_version;
        wanted.after_position = query->after_position;
        wanted.limit = query->limit != 0 ? query->limit : LIST_LIMIT;
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
        status = list_front(&history.rows, ret_list, error);
    }
    stf__values_done(&history.rows);
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of what waits for people and for work that nobody has started: pages of waits from the
 * store, then the documents behind them, in order of since, instance and activation. */
#include "engine/view.h"

#include <stepfast/limits.h>
#include <stepfast/sys/repository_batch.h>
#include <stepfast/sys/repository_wake.h>

#define PAGE_ROWS 500u

typedef struct work_search {
    stf_engine *engine;
    const stf_ctx *ctx;
    uint32_t kind; /* of waits */
    stf_str key;   /* empty: all */
    size_t limit;
    stf__arena arena;
    stf__map seen; /* instances of earlier rows */
    stf_str *ids;  /* of this page, each once */
    size_t id_count;
    size_t id_capacity;
    size_t rows;
    stf_wall last_since;
    stf_str last_id;
    stf__values found;
} work_search;

static stf_status no_memory(stf_error *error)
{
    return stf_error_set(error, STF_NO_MEMORY, "ENGINE", "no memory for a list of tasks or jobs");
}

static stf_status add_id(work_search *search, stf_str id)
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

static stf_status visit_row(void *user, const stf_wake_row *row, stf_error *error)
{
    work_search *search = user;
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
        return no_memory(error);
    }
    return STF_OK;
}

/* ---- Tasks and jobs as contexts -------------------------------------------------------------- */

static stf_status view_task(work_search *search, const stf__loaded *loaded,
                            const stf__definition *definition, const stf_value *task,
                            stf_error *error)
{
    stf_str element = stf_value_peek_string(stf_value_peek(task, STF_STR("element")));
    const stf__node *node = stf__process_find_node(definition->process, element);
    stf__view view = {.alloc = search->engine->alloc};
    int64_t activation = 0;
    (void)stf_value_get_int(stf_value_peek(task, STF_STR("activation")), &activation);
    stf__view_begin_row(&view, "task", "activation", loaded, activation);
    stf__view_put_text(&view, "element", element);
    stf__view_put_text(&view, "name", node != NULL ? node->name : element);
    stf__view_put_text(&view, "process", definition->key);
    stf__view_put(&view, STF_STR("since"), stf_value_ref(stf_value_peek(task, STF_STR("since"))));
    return stf__values_add_view(&search->found, &view, error);
}

static stf_status view_tasks_of(work_search *search, const stf__loaded *loaded,
                                stf__definition *definition, stf_error *error)
{
    stf_value *view = NULL;
    stf_status status = stf__doc_view(loaded->doc, definition->process, &view, error);
    const stf_value *tasks = stf_value_peek(view, STF_STR("tasks"));
    for (size_t i = 0; status == STF_OK && i < stf_value_count(tasks); i++) {
        const stf_value *task = stf_value_peek_item(tasks, i);
        stf_str element = stf_value_peek_string(stf_value_peek(task, STF_STR("element")));
        if (search->key.size == 0 || stf_str_equal(element, search->key)) {
            status = view_task(search, loaded, definition, task, error);
        }
    }
    stf_value_unref(view);
    return status;
}

/* One record whose definition is missing never hides the tasks of the rest. */
static stf_status add_tasks(work_search *search, const stf__loaded *loaded, stf_error *error)
{
    stf_engine *engine = search->engine;
    const stf__doc_identity *identity = stf__doc_peek_identity(loaded->doc);
    stf__definition *definition;
    stf_status status = stf__definition_get(engine, search->ctx, loaded->tenant, identity->process,
                                            identity->version, &definition, error);
    if (status != STF_OK) {
        return stf__status_is_passing(status) || status == STF_NO_MEMORY ? status : STF_OK;
    }
    status = view_tasks_of(search, loaded, definition, error);
    (void)stf__definition_unref(engine, definition);
    return status;
}

static stf_status add_jobs(work_search *search, const stf__loaded *loaded, stf_error *error)
{
    stf_str process = stf__doc_peek_identity(loaded->doc)->process;
    stf_status status = STF_OK;
    stf__work_item item;
    for (uint64_t after = 0; status == STF_OK && stf__doc_next_work(loaded->doc, after, &item);
         after = item.activation) {
        if (item.is_started || (search->key.size != 0 && !stf_str_equal(item.topic, search->key))) {
            continue;
        }
        stf__view view = {.alloc = search->engine->alloc};
        stf__view_begin_row(&view, "job", "activation", loaded, (int64_t)item.activation);
        stf__view_put_text(&view, "element", item.element);
        stf__view_put_text(&view, "topic", item.topic);
        stf__view_put_number(&view, "attempt", (int64_t)item.attempt);
        stf__view_put_text(&view, "process", process);
        stf__view_put_time(&view, "since", item.since);
        status = stf__values_add_view(&search->found, &view, error);
    }
    return status;
}

/* One record that cannot be read never hides what the rest waits for. */
static stf_status add_all(work_search *search, const stf__loaded_list *list, stf_error *error)
{
    stf_status status = STF_OK;
    for (size_t i = 0; status == STF_OK && i < list->count; i++) {
        const stf__loaded *loaded = &list->items[i];
        if (loaded->failure == STF_OK) {
            status = search->kind == STF_WAIT_TASK ? add_tasks(search, loaded, error)
                                                   : add_jobs(search, loaded, error);
        }
    }
    return status;
}

static stf_status read_page(work_search *search, stf_error *error)
{
    stf_engine *engine = search->engine;
    stf_waiting_query query = {.group = stf_str_of(engine->group),
                               .kind = search->kind,
                               .key = search->key,
                               .after_since = search->last_since,
                               .after_id = search->last_id,
                               .limit = PAGE_ROWS};
    stf__loaded_list list;
    search->rows = 0;
    search->id_count = 0;
    stf_status status = stf_repository_waiting_page(engine->repository, search->ctx, &query,
                                                    visit_row, search, error);
    if (status != STF_OK || search->id_count == 0) {
        return status;
    }
    stf__loaded_init(&list, engine);
    status =
        stf_repository_load_many(engine->repository, search->ctx, search->ids, search->id_count,
                                 stf_wall_none(), stf__loaded_visit, &list, error);
    if (status == STF_OK) {
        status = add_all(search, &list, error);
    }
    stf__loaded_done(&list);
    return status;
}

static int compare(const stf_value *a, const stf_value *b)
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
static stf_status sort(stf__values *found)
{
    stf_value **room = stf__mem_zalloc_array(found->alloc, found->count + 1, sizeof(stf_value *));
    if (room == NULL) {
        return STF_NO_MEMORY;
    }
    for (size_t width = 1; width < found->count; width *= 2) {
        for (size_t from = 0; from < found->count; from += 2 * width) {
            size_t middle = from + width < found->count ? from + width : found->count;
            size_t end = middle + width < found->count ? middle + width : found->count;
            size_t left = from;
            size_t right = middle;
            for (size_t to = from; to < end; to++) {
                bool takes_left =
                    left < middle &&
                    (right >= end || compare(found->items[left], found->items[right]) <= 0);
                room[to] = takes_left ? found->items[left++] : found->items[right++];
            }
        }
        stf_value **swapped = found->items;
        found->items = room;
        room = swapped;
    }
    stf__mem_free(found->alloc, room);
    return STF_OK;
}

static stf_status finish(work_search *search, stf_value **ret_list, stf_error *error)
{
    stf__values *found = &search->found;
    if (sort(found) != STF_OK) {
        return no_memory(error);
    }
    while (found->count > search->limit) {
        stf_value_unref(found->items[--found->count]);
    }
    return stf__values_list_front(found, ret_list, error);
}

static stf_status search_all(work_search *search, stf_value **ret_list, stf_error *error)
{
    stf_status status = STF_OK;
    stf__arena_init(&search->arena, search->engine->alloc);
    stf__map_init(&search->seen, search->engine->alloc);
    do {
        status = read_page(search, error);
    } while (status == STF_OK && search->rows >= PAGE_ROWS && search->found.count < search->limit);
    if (status == STF_OK) {
        status = finish(search, ret_list, error);
    }
    stf__values_done(&search->found);
    stf__mem_free(search->engine->alloc, search->ids);
    stf__map_done(&search->seen);
    stf__arena_done(&search->arena);
    return status;
}

stf_status stf_engine_list_tasks(stf_engine *engine, const stf_ctx *ctx, stf_str element,
                                 size_t limit, stf_value **ret_list, stf_error *error)
{
    stf_status status = stf__query_check(engine, ret_list, error);
    if (status != STF_OK) {
        return status;
    }
    work_search search = {.engine = engine,
                          .ctx = ctx,
                          .kind = STF_WAIT_TASK,
                          .key = element,
                          .limit = limit != 0 ? limit : STF__LIST_LIMIT,
                          .last_since = stf_wall_none(),
                          .found = {.alloc = engine->alloc}};
    return search_all(&search, ret_list, error);
}

stf_status stf_engine_list_jobs(stf_engine *engine, const stf_ctx *ctx, stf_str topic, size_t limit,
                                stf_value **ret_list, stf_error *error)
{
    stf_status status = stf__query_check(engine, ret_list, error);
    if (status != STF_OK) {
        return status;
    }
    work_search search = {.engine = engine,
                          .ctx = ctx,
                          .kind = STF_WAIT_JOB,
                          .key = topic,
                          .limit = limit != 0 ? limit : STF__LIST_LIMIT,
                          .last_since = stf_wall_none(),
                          .found = {.alloc = engine->alloc}};
    return search_all(&search, ret_list, error);
}

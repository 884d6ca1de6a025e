/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts for people and JSON, made of records; docs/instance-view.md lists their keys. */
#ifndef STF_ENGINE_VIEW_H
#define STF_ENGINE_VIEW_H

#include <stepfast/sys/repository_catalog.h>

#include "engine/send.h"

/* A context under construction: the first failure sticks and is returned by finish. */
#define STF__VIEW_FIELDS 32
typedef struct stf__view {
    const stf_allocator *alloc;
    stf_status status;
    size_t count;
    stf_str keys[STF__VIEW_FIELDS];
    stf_value *values[STF__VIEW_FIELDS];
} stf__view;

void stf__view_put(stf__view *view, stf_str key, stf_value *value); /* takes it; NULL: failed */
void stf__view_put_text(stf__view *view, const char *key, stf_str text);
void stf__view_put_number(stf__view *view, const char *key, int64_t number);
void stf__view_put_time(stf__view *view, const char *key, stf_wall time); /* none: null */
STF_MUST_CHECK stf_status stf__view_finish(stf__view *view, stf_value **ret_context,
                                           stf_error *error);

/* A growing array of values; each element is owned. */
typedef struct stf__values {
    const stf_allocator *alloc;
    stf_value **items;
    size_t count;
    size_t capacity;
} stf__values;

STF_MUST_CHECK stf_status stf__values_add(stf__values *values, stf_value *value); /* takes it */
STF_MUST_CHECK stf_status stf__values_list(stf__values *values, stf_value **ret_list,
                                           stf_error *error);
void stf__values_done(stf__values *values);
/* As many of the first ones as fit into one value; at least one. */
STF_MUST_CHECK stf_status stf__values_list_front(stf__values *values, stf_value **ret_list,
                                                 stf_error *error);

/* Finishes a view and adds it. */
STF_MUST_CHECK stf_status stf__values_add_view(stf__values *values, stf__view *view,
                                               stf_error *error);

/* A record as it was loaded, owned: views need the definition store, which a visitor must not
 * ask. */
typedef struct stf__loaded {
    stf_str id;
    stf_str tenant;
    stf_str group;
    stf_str label_key;
    int64_t label_version;
    uint32_t status;
    stf_wall due;
    stf_wall created;
    stf_wall updated;
    stf__doc *doc;
    stf_status failure; /* why it has no doc */
    char message[256];
} stf__loaded;

typedef struct stf__loaded_list {
    stf_engine *engine;
    stf__arena arena;
    stf__loaded *items;
    size_t count;
    size_t capacity;
} stf__loaded_list;

void stf__loaded_init(stf__loaded_list *list, stf_engine *engine);
void stf__loaded_done(stf__loaded_list *list);
/* A stf_record_visitor over a stf__loaded_list: copies the record. */
stf_status stf__loaded_visit(void *user, const stf_record *record, stf_error *error);

/* What a row about something of an instance begins with: its name for commands (name: "task" ->
 * "INSTANCE:NUMBER"), the instance, its number. */
void stf__view_begin_row(stf__view *view, const char *name, const char *number_name,
                         const stf__loaded *loaded, int64_t number);

/* With strict an unreadable record is an error; else it is a view with its key "unreadable". */
STF_MUST_CHECK stf_status stf__view_instance(stf_engine *engine, const stf_ctx *ctx,
                                             const stf__loaded *loaded, bool is_strict,
                                             stf_value **ret_view, stf_error *error);

/* ---- query.c: what lists share */

#define STF__LIST_LIMIT 1000u

STF_MUST_CHECK stf_status stf__query_check(const stf_engine *engine, const void *ret,
                                           stf_error *error);
/* A page of instances, without the engine's own records; cut where it would not fit into one
 * value. */
STF_MUST_CHECK stf_status stf__instances_read(stf_engine *engine, const stf_ctx *ctx,
                                              const stf_catalog_query *query,
                                              stf__loaded_list *list, stf_error *error);

#endif

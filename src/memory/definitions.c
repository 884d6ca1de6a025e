/* SPDX-License-Identifier: Apache-2.0 */
/* The definition store over the same memory. A deleted version leaves its number behind (a row
 * without a file), so a number never stands for two files. */
#include "memory/private.h"

#include <string.h>

#define DEFINITION_OF(tree_node) STF__NODE_OWNER(tree_node, stf__definition, node)

/* ---- Order ------------------------------------------------------------------------------- */

typedef struct definition_key {
    stf_str tenant;
    stf_str key;
    int64_t version;
} definition_key;

static definition_key key_of(const stf__definition *definition)
{
    return (definition_key){definition->tenant->name, definition->key, definition->version};
}

static int compare_keys(const definition_key *a, const definition_key *b)
{
    int order = stf_str_compare(a->tenant, b->tenant);
    if (order == 0) {
        order = stf_str_compare(a->key, b->key);
    }
    return order != 0 ? order : (a->version > b->version) - (a->version < b->version);
}

int stf__definition_compare(const stf__tree_node *a, const stf__tree_node *b)
{
    definition_key key_a = key_of(DEFINITION_OF(a));
    definition_key key_b = key_of(DEFINITION_OF(b));
    return compare_keys(&key_a, &key_b);
}

static int compare_to_node(const void *key, const stf__tree_node *node)
{
    definition_key node_key = key_of(DEFINITION_OF(node));
    return compare_keys(key, &node_key);
}

/* What the tree hands out may be changed; NULL stays NULL. */
static stf__definition *definition_of(stf__tree_node *node)
{
    return node == NULL
               ? NULL
               : (stf__definition *)(void *)((char *)node - offsetof(stf__definition, node));
}

static stf__definition *definition_after(const stf__group *group, const definition_key *key)
{
    return definition_of(stf__tree_after(&group->definitions, compare_to_node, key));
}

static stf__definition *next_definition(const stf__definition *definition)
{
    return definition_of(stf__tree_next(&definition->node));
}

/* ---- Series ------------------------------------------------------------------------------ */

/* What a tenant and key have: the highest number ever given and the latest row with a file. */
typedef struct key_series {
    int64_t last_version;
    stf__definition *latest;
    stf__definition *wanted;
} key_series;

/* A walk over the versions of one key, which are few. */
static key_series read_series(const stf__group *group, const stf__tenant *tenant, stf_str key,
                              int64_t version)
{
    key_series series = {0, NULL, NULL};
    definition_key first = {tenant->name, key, 0};
    stf__definition *definition = definition_after(group, &first);
    while (definition != NULL && definition->tenant == tenant &&
           stf_str_equal(definition->key, key)) {
        series.last_version = definition->version;
        if (definition->file != NULL) {
            series.latest = definition;
            if (definition->version == version) {
                series.wanted = definition;
            }
        }
        definition = next_definition(definition);
    }
    return series;
}

/* ---- Files ------------------------------------------------------------------------------- */

static stf__definition_file *new_file(const stf_memory *memory, stf_bytes bytes)
{
    stf__definition_file *file = stf__mem_alloc(&memory->alloc, sizeof(*file) + bytes.size);
    if (file != NULL) {
        atomic_init(&file->refs, 1);
        file->size = bytes.size;
        memcpy(file->bytes, bytes.data, bytes.size);
    }
    return file;
}

static stf__definition_file *unref_file(const stf_memory *memory, stf__definition_file *file)
{
    if (file != NULL && atomic_fetch_sub(&file->refs, 1) == 1) {
        stf__mem_free(&memory->alloc, file);
    }
    return NULL;
}

/* ---- Slots ------------------------------------------------------------------------------- */

static stf__definition *new_definition(const stf_memory *memory, const stf_definition *source)
{
    stf__definition *definition =
        stf__mem_zalloc(&memory->alloc, sizeof(*definition) + source->key.size);
    if (definition == NULL) {
        return NULL;
    }
    definition->file = new_file(memory, source->file);
    if (definition->file == NULL) {
        stf__mem_free(&memory->alloc, definition);
        return NULL;
    }
    char *key = (char *)definition + sizeof(*definition);
    memcpy(key, source->key.data, source->key.size);
    definition->key = (stf_str){key, source->key.size};
    return definition;
}

static bool are_bytes_equal(const stf__definition_file *a, stf_bytes b)
{
    return a->size == b.size && memcmp(a->bytes, b.data, b.size) == 0;
}

static stf_status put_locked(stf_memory *memory, const stf_definition *source, stf_wall now,
                             int64_t *ret_version, bool *ret_is_new, stf_error *error)
{
    stf__group *group = NULL;
    stf_status status = stf__memory_need_group(memory, source->group, &group, error);
    if (status != STF_OK) {
        return status;
    }
    const stf__tenant *tenant = stf__memory_establish_tenant(memory, group, source->tenant);
    if (tenant == NULL) {
        return stf__memory_no_memory(error);
    }
    key_series series = read_series(group, tenant, source->key, 0);
    if (series.latest != NULL && are_bytes_equal(series.latest->file, source->file)) {
        *ret_version = series.latest->version;
        *ret_is_new = false;
        return STF_OK;
    }
    stf__definition *definition = new_definition(memory, source);
    if (definition == NULL) {
        return stf__memory_no_memory(error);
    }
    definition->tenant = tenant;
    definition->version = series.last_version + 1;
    definition->deployed = now;
    stf__tree_insert(&group->definitions, &definition->node);
    *ret_version = definition->version;
    *ret_is_new = true;
    return STF_OK;
}

static stf_status put(void *impl, const stf_ctx *ctx, const stf_definition *definition,
                      int64_t *ret_version, bool *ret_is_new, stf_error *error)
{
    (void)ctx;
    stf_memory *memory = impl;
    stf_wall now = stf__memory_now(memory);
    stf__memory_lock(memory);
    stf_status status = put_locked(memory, definition, now, ret_version, ret_is_new, error);
    stf__memory_unlock(memory);
    return status;
}

/* What a visitor sees without the mutex: a start asks for the latest version each time, and a copy
 * would be as long as the model. The file is referenced, everything else lives as long as the
 * store. Under the mutex. */
static stf__definition_file *show(const stf__group *group, const stf__definition *source,
                                  stf_definition *ret_view)
{
    *ret_view = (stf_definition){
        .group = group->name,
        .tenant = source->tenant->name,
        .key = source->key,
        .version = source->version,
        .file = {source->file->bytes, source->file->size},
        .deployed = source->deployed,
    };
    atomic_fetch_add(&source->file->refs, 1);
    return source->file;
}

static stf__definition *find_definition(const stf__group *group, stf_str tenant_name, stf_str key,
                                        int64_t version)
{
    const stf__tenant *tenant = stf__memory_find_tenant(group, tenant_name);
    if (tenant == NULL) {
        return NULL;
    }
    key_series series = read_series(group, tenant, key, version);
    return version == 0 ? series.latest : series.wanted;
}

static stf_status get(void *impl, const stf_ctx *ctx, stf_str group_name, stf_str tenant,
                      stf_str key, int64_t version, stf_definition_visitor visit, void *user,
                      bool *ret_found, stf_error *error)
{
    (void)ctx;
    stf_memory *memory = impl;
    stf_definition view;
    stf__definition_file *file = NULL;
    stf__memory_lock(memory);
    const stf__group *group = stf__memory_find_group(memory, group_name);
    const stf__definition *found =
        group != NULL ? find_definition(group, tenant, key, version) : NULL;
    if (found != NULL) {
        file = show(group, found, &view);
    }
    stf__memory_unlock(memory);
    *ret_found = found != NULL;
    stf_status status = found != NULL ? visit(user, &view, error) : STF_OK;
    (void)unref_file(memory, file);
    return status;
}

static bool is_listed(const stf__definition *definition, const stf_definition_query *query)
{
    return definition->file != NULL &&
           (query->tenant.size == 0 || stf_str_equal(definition->tenant->name, query->tenant)) &&
           (query->key.size == 0 || stf_str_equal(definition->key, query->key));
}

/* The next listed definition behind the key; NULL: none. */
static stf__definition_file *show_next(stf_memory *memory, const stf_definition_query *query,
                                       const definition_key *after, stf_definition *ret_view)
{
    stf__definition_file *file = NULL;
    stf__memory_lock(memory);
    const stf__group *group = stf__memory_find_group(memory, query->group);
    const stf__definition *found = group != NULL ? definition_after(group, after) : NULL;
    while (found != NULL && !is_listed(found, query)) {
        found = next_definition(found);
    }
    if (found != NULL) {
        file = show(group, found, ret_view);
    }
    stf__memory_unlock(memory);
    return file;
}

static stf_status list(void *impl, const stf_ctx *ctx, const stf_definition_query *query,
                       stf_definition_visitor visit, void *user, stf_error *error)
{
    stf_memory *memory = impl;
    definition_key after = {query->after_tenant, query->after_key, query->after_version};
    stf_status status = STF_OK;
    for (size_t i = 0; i < query->limit && status == STF_OK; i++) {
        stf_definition view;
        stf__definition_file *file = show_next(memory, query, &after, &view);
        if (file == NULL) {
            break;
        }
        after = (definition_key){view.tenant, view.key, view.version};
        status = visit(user, &view, error);
        (void)unref_file(memory, file);
        if (status == STF_OK) {
            status = stf_ctx_check(ctx, error);
        }
    }
    return status;
}

/* A record that has not ended pins what its label names. */
static bool is_pinned(const stf__group *group, const stf__definition *definition)
{
    const stf__tree_node *node = stf__tree_first(&group->set.records);
    for (; node != NULL; node = stf__tree_next(node)) {
        const stf__row *row = STF__NODE_OWNER(node, stf__row, wake.by_id);
        if (row->wake.tenant == &definition->tenant->name &&
            row->label_version == definition->version &&
            !stf_record_status_is_terminal(row->wake.status) &&
            stf_str_equal(stf__row_str(&row->label_key), definition->key)) {
            return true;
        }
    }
    return false;
}

static stf_status remove_definition(void *impl, const stf_ctx *ctx, stf_str group_name,
                                    stf_str tenant, stf_str key, int64_t version, stf_error *error)
{
    (void)ctx;
    stf_memory *memory = impl;
    stf_status status = STF_OK;
    stf__memory_lock(memory);
    const stf__group *group = stf__memory_find_group(memory, group_name);
    stf__definition *found = group != NULL ? find_definition(group, tenant, key, version) : NULL;
    if (found != NULL && is_pinned(group, found)) {
        status = stf_error_set(error, STF_INVALID_STATE, "MEMORY_REPO",
                               "version %lld of \"%.*s\" is used by an instance that has not ended",
                               (long long)found->version, STF_STR_ARG(key));
    } else if (found != NULL) {
        found->file = unref_file(memory, found->file);
    }
    stf__memory_unlock(memory);
    return status;
}

void stf__memory_free_definitions(const stf_memory *memory, stf__group *group)
{
    while (group->definitions.root != NULL) {
        stf__definition *definition = definition_of(group->definitions.root);
        stf__tree_remove(&group->definitions, &definition->node);
        (void)unref_file(memory, definition->file);
        stf__mem_free(&memory->alloc, definition);
    }
}

static void close_definitions(void *impl)
{
    stf_memory_unref(impl);
}

const stf_definition_store_vtable stf__memory_definitions = {
    .struct_size = sizeof(stf_definition_store_vtable),
    .abi = STF_DEFINITION_STORE_ABI,
    .put = put,
    .get = get,
    .list = list,
    .remove = remove_definition,
    .close = close_definitions,
};

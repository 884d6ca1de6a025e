/* SPDX-License-Identifier: Apache-2.0 */
/* Loading and the catalog. A record is copied under the mutex and visited without it, so a visitor
 * may call the store again. A catalog page copies one record at a time: it costs the memory of one,
 * and is a walk along the ids rather than one instant's picture. */
#include "memory/private.h"

/* ---- Loading ----------------------------------------------------------------------------- */

static bool is_due(const stf__row *row, stf_wall due_before)
{
    return stf_wall_is_none(due_before) ||
           (!stf_wall_is_none(row->wake.due) && row->wake.due.us <= due_before.us);
}

static stf_status load_one(stf_memory *memory, stf_str id, stf_wall due_before,
                           stf_record_visitor visit, void *user, bool *ret_found, stf_error *error)
{
    stf_record *copy = NULL;
    stf__memory_lock(memory);
    const stf__row *row = stf__map_get(&memory->records, id);
    bool is_wanted = row != NULL && is_due(row, due_before);
    if (is_wanted) {
        copy = stf__row_copy(memory, row);
    }
    stf__memory_unlock(memory);
    *ret_found = is_wanted;
    if (!is_wanted) {
        return STF_OK;
    }
    if (copy == NULL) {
        return stf__memory_no_memory(error);
    }
    stf_status status = visit(user, copy, error);
    stf__mem_free(&memory->alloc, copy);
    return status;
}

stf_status stf__memory_load(void *impl, const stf_ctx *ctx, stf_str id, stf_record_visitor visit,
                            void *user, bool *ret_found, stf_error *error)
{
    (void)ctx;
    return load_one(impl, id, stf_wall_none(), visit, user, ret_found, error);
}

stf_status stf__memory_load_many(void *impl, const stf_ctx *ctx, const stf_str *ids, size_t count,
                                 stf_wall due_before, stf_record_visitor visit, void *user,
                                 stf_error *error)
{
    (void)ctx;
    stf_status status = STF_OK;
    for (size_t i = 0; i < count && status == STF_OK; i++) {
        bool is_found = false;
        status = load_one(impl, ids[i], due_before, visit, user, &is_found, error);
    }
    return status;
}

/* ---- The catalog ------------------------------------------------------------------------- */

static bool has_status(uint64_t mask, uint32_t status)
{
    return mask == 0 || (status < 64 && ((mask >> status) & 1u) != 0);
}

static bool matches(const stf__row *row, const stf_catalog_query *query)
{
    return has_status(query->status_mask, row->wake.status) &&
           (query->tenant.size == 0 || stf_str_equal(*row->wake.tenant, query->tenant)) &&
           (query->label_key.size == 0 ||
            stf_str_equal(stf__row_str(&row->label_key), query->label_key)) &&
           (query->label_version == 0 || row->label_version == query->label_version);
}

/* The first matching row behind an id; NULL: none. */
static const stf__row *next_match(const stf_memory *memory, const stf_catalog_query *query,
                                  stf_str after_id)
{
    const stf__group *group = stf__memory_find_group(memory, query->group);
    if (group == NULL) {
        return NULL;
    }
    const stf__tree_node *node = stf__wake_set_after_id(&group->set, after_id);
    while (node != NULL) {
        const stf__row *row = STF__NODE_OWNER(node, stf__row, wake.by_id);
        if (matches(row, query)) {
            return row;
        }
        node = stf__tree_next(node);
    }
    return NULL;
}

stf_status stf__memory_page(void *impl, const stf_ctx *ctx, const stf_catalog_query *query,
                            stf_record_visitor visit, void *user, stf_error *error)
{
    stf_memory *memory = impl;
    stf_record *last = NULL;
    stf_str after_id = query->after_id;
    stf_status status = STF_OK;
    for (size_t i = 0; i < query->limit && status == STF_OK; i++) {
        stf_record *copy = NULL;
        stf__memory_lock(memory);
        const stf__row *row = next_match(memory, query, after_id);
        if (row != NULL) {
            copy = stf__row_copy(memory, row);
        }
        stf__memory_unlock(memory);
        stf__mem_free(&memory->alloc, last);
        last = copy;
        if (row == NULL) {
            break;
        }
        if (copy == NULL) {
            return stf__memory_no_memory(error);
        }
        after_id = copy->id;
        status = visit(user, copy, error);
        if (status == STF_OK) {
            status = stf_ctx_check(ctx, error);
        }
    }
    stf__mem_free(&memory->alloc, last);
    return status;
}

stf_status stf__memory_count(void *impl, const stf_ctx *ctx, const stf_catalog_query *query,
                             uint64_t *ret_count, stf_error *error)
{
    (void)ctx;
    (void)error;
    stf_memory *memory = impl;
    uint64_t count = 0;
    stf__memory_lock(memory);
    const stf__group *group = stf__memory_find_group(memory, query->group);
    const stf__tree_node *node = group != NULL ? stf__tree_first(&group->set.records) : NULL;
    for (; node != NULL; node = stf__tree_next(node)) {
        count += matches(STF__NODE_OWNER(node, stf__row, wake.by_id), query);
    }
    stf__memory_unlock(memory);
    *ret_count = count;
    return STF_OK;
}

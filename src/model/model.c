/* SPDX-License-Identifier: Apache-2.0 */
/* Lifetime and look-up of models. A model is built by one thread (the loader) and immutable from
 * then on, so readers need no lock; the count of references is atomic. */
#include "base/mem.h"
#include "model/private.h"

#include <stdatomic.h>

stf_status stf__model_new(const stf_allocator *alloc, stf_model **ret_model, stf_error *error)
{
    const stf_allocator *allocator = stf__alloc_or_default(alloc);
    stf_model *model = stf__mem_zalloc(allocator, sizeof(*model));
    if (model == NULL) {
        return stf_error_set(error, STF_NO_MEMORY, "MODEL", "out of memory");
    }
    atomic_init(&model->refs, 1);
    stf__arena_init(&model->arena, allocator);
    *ret_model = model;
    return STF_OK;
}

stf_model *stf_model_ref(const stf_model *model)
{
    /* The count is the one part of an immutable model that changes. */
    stf_model *counted = (stf_model *)(uintptr_t)model;
    if (counted != NULL) {
        atomic_fetch_add_explicit(&counted->refs, 1, memory_order_relaxed);
    }
    return counted;
}

stf_status stf__model_take_expr(stf_model *model, stf_expr *expr)
{
    stf__model_expr *entry = stf__arena_zalloc(&model->arena, sizeof(*entry));
    if (entry == NULL) {
        stf_expr_unref(expr);
        return STF_NO_MEMORY;
    }
    *entry = (stf__model_expr){.expr = expr, .next = model->exprs};
    model->exprs = entry;
    return STF_OK;
}

/* Expressions and maps live outside the arena. */
static void release_process(const stf__process *process)
{
    stf__map nodes_by_id = process->nodes_by_id;
    stf__map flows_by_id = process->flows_by_id;
    stf__map_done(&nodes_by_id);
    stf__map_done(&flows_by_id);
}

stf_model *stf_model_unref(stf_model *model)
{
    if (model == NULL || atomic_fetch_sub_explicit(&model->refs, 1, memory_order_acq_rel) != 1) {
        return NULL;
    }
    const stf_allocator *alloc = model->arena.alloc;
    for (uint32_t i = 0; i < model->process_count; i++) {
        release_process(&model->processes[i]);
    }
    for (const stf__model_expr *entry = model->exprs; entry != NULL; entry = entry->next) {
        stf_expr_unref(entry->expr);
    }
    stf__arena_done(&model->arena);
    stf__mem_free(alloc, model);
    return NULL;
}

size_t stf_model_process_count(const stf_model *model)
{
    return model != NULL ? model->process_count : 0;
}

stf_status stf_model_get_process(const stf_model *model, size_t index, stf_process_info *ret_info)
{
    if (model == NULL || ret_info == NULL) {
        return STF_INVALID_ARGUMENT;
    }
    if (index >= model->process_count) {
        return STF_NOT_FOUND;
    }
    const stf__process *process = &model->processes[index];
    *ret_info = (stf_process_info){.id = process->id,
                                   .name = process->name,
                                   .line = process->line,
                                   .flags = process->flags,
                                   .flow_node_count = process->node_count,
                                   .sequence_flow_count = process->flow_count};
    return STF_OK;
}

const stf__process *stf__model_find_process(const stf_model *model, stf_str id)
{
    for (uint32_t i = 0; i < model->process_count; i++) {
        if (stf_str_equal(model->processes[i].id, id)) {
            return &model->processes[i];
        }
    }
    return NULL;
}

const stf__node *stf__process_find_node(const stf__process *process, stf_str id)
{
    return stf__map_get(&process->nodes_by_id, id);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which a process of the model is made: nodes and kinds, flows, references, texts,
 * indices, rules. A process with mistakes is built as far as it goes; load.c then throws the model
 * away. */
#include "bpmn/build.h"

#include "base/mem.h"

stf_str stf__build_copy(stf__builder *builder, stf_str text)
{
    stf_str copy = {NULL, 0};
    if (text.size != 0 && stf__arena_copy_str(&builder->model->arena, text, &copy) != STF_OK) {
        builder->draft->is_out_of_memory = true;
    }
    return copy;
}

/* The number of elements is bounded by STF_LIMIT_MODEL_ELEMENTS, so that nothing overflows. */
void *stf__build_new(stf__builder *builder, size_t count, size_t size)
{
    void *memory = stf__arena_zalloc(&builder->model->arena, count * size);
    if (memory == NULL) {
        builder->draft->is_out_of_memory = true;
    }
    return memory;
}

static bool is_out_of_memory(const stf__builder *builder)
{
    return builder->draft->is_out_of_memory ||
           stf__diagnostics_is_out_of_memory(builder->draft->diagnostics);
}

static void build_nodes(stf__builder *builder)
{
    stf__process *process = builder->process;
    builder->nodes = stf__build_new(builder, builder->from->node_count, sizeof(stf__node));
    if (builder->nodes == NULL) {
        return;
    }
    process->nodes = builder->nodes;
    process->node_count = builder->from->node_count;
    for (const stf__draft_node *from = builder->from->nodes; from != NULL; from = from->next) {
        stf__node *node = &builder->nodes[from->index];
        node->index = from->index;
        node->scope = from->scope != NULL ? from->scope->index : STF__NONE;
        node->line = from->place.line;
        node->column = from->place.column;
        node->id = stf__build_copy(builder, from->place.element);
        node->name = stf__build_copy(builder, from->label);
        node->default_flow = STF__NONE;
        node->attached_to = STF__NONE;
        node->is_interrupting = from->is_interrupting;
        node->is_idempotent = from->is_idempotent;
        stf__event_decide(builder, from, node);
        if (node->id.size != 0 && stf__map_put(&process->nodes_by_id, node->id, node) != STF_OK) {
            builder->draft->is_out_of_memory = true;
        }
    }
}

/* Once it is known which kinds of node there are, because that decides how bad a missing text is.
 */
static void read_nodes(stf__builder *builder)
{
    for (const stf__draft_node *from = builder->from->nodes; from != NULL; from = from->next) {
        stf__node *node = &builder->nodes[from->index];
        stf__event_read(builder, from, node);
        stf__message_read_task(builder, from, node);
        stf__call_resolve(builder, from, node);
        stf__mapping_resolve(builder, from, node);
        stf__retry_resolve(builder, from, node);
    }
}

static void build_flows(stf__builder *builder)
{
    stf__process *process = builder->process;
    builder->flows = stf__build_new(builder, builder->flow_count, sizeof(stf__flow));
    if (builder->flows == NULL) {
        return;
    }
    process->flows = builder->flows;
    process->flow_count = builder->flow_count;
    for (const stf__draft_flow *from = builder->from->flows; from != NULL; from = from->next) {
        if (from->index == STF__NONE) {
            continue;
        }
        stf__flow *flow = &builder->flows[from->index];
        flow->index = from->index;
        flow->source = from->source->index;
        flow->target = from->target->index;
        flow->line = from->place.line;
        flow->id = stf__build_copy(builder, from->place.element);
        stf__condition_compile(builder, from, flow);
        if (stf__map_put(&process->flows_by_id, flow->id, flow) != STF_OK) {
            builder->draft->is_out_of_memory = true;
        }
    }
}

/* Lists of indices, one after the other in one array; each node's list keeps the file's order. */
static void build_adjacency(stf__builder *builder)
{
    stf__process *process = builder->process;
    uint32_t *ends = stf__build_new(builder, 2 * (size_t)process->flow_count, sizeof(*ends));
    if (ends == NULL) {
        return;
    }
    for (uint32_t i = 0; i < process->flow_count; i++) {
        builder->nodes[builder->flows[i].source].outgoing_count++;
        builder->nodes[builder->flows[i].target].incoming_count++;
    }
    uint32_t *next = ends;
    for (uint32_t i = 0; i < process->node_count; i++) {
        stf__node *node = &builder->nodes[i];
        node->incoming = next;
        next += node->incoming_count;
        node->outgoing = next;
        next += node->outgoing_count;
        node->incoming_count = 0;
        node->outgoing_count = 0;
    }
    for (uint32_t i = 0; i < process->flow_count; i++) {
        stf__node *source = &builder->nodes[builder->flows[i].source];
        stf__node *target = &builder->nodes[builder->flows[i].target];
        ends[source->outgoing - ends + source->outgoing_count++] = i;
        ends[target->incoming - ends + target->incoming_count++] = i;
    }
}

static void build_boundaries(stf__builder *builder)
{
    stf__process *process = builder->process;
    uint32_t *list = stf__build_new(builder, process->node_count, sizeof(*list));
    if (list == NULL) {
        return;
    }
    for (uint32_t i = 0; i < process->node_count; i++) {
        if (builder->nodes[i].attached_to != STF__NONE) {
            builder->nodes[builder->nodes[i].attached_to].boundary_count++;
        }
    }
    uint32_t *next = list;
    for (uint32_t i = 0; i < process->node_count; i++) {
        stf__node *node = &builder->nodes[i];
        node->boundaries = next;
        next += node->boundary_count;
        node->boundary_count = 0;
    }
    for (uint32_t i = 0; i < process->node_count; i++) {
        if (builder->nodes[i].attached_to != STF__NONE) {
            stf__node *activity = &builder->nodes[builder->nodes[i].attached_to];
            list[activity->boundaries - list + activity->boundary_count++] = i;
        }
    }
}

static void build_data(stf__builder *builder)
{
    stf__data_item *items =
        stf__build_new(builder, builder->from->data_count, sizeof(stf__data_item));
    if (items == NULL) {
        return;
    }
    builder->process->data_items = items;
    for (const stf__draft_data *from = builder->from->data; from != NULL; from = from->next) {
        stf__data_item *item = &items[builder->process->data_item_count++];
        item->id = stf__build_copy(builder, from->id);
        item->name = from->label.size != 0 ? stf__build_copy(builder, from->label) : item->id;
        item->scope = from->scope != NULL ? from->scope->index : STF__NONE;
        item->line = from->line;
    }
}

static void build_process(stf__builder *builder)
{
    static void (*const steps[])(stf__builder * builder) = {
        build_nodes,      read_nodes,        stf__resolve_flows, stf__resolve_nodes,
        build_flows,      build_adjacency,   build_boundaries,   build_data,
        stf__starts_find, stf__check_process};
    stf__process *process = builder->process;
    const stf__draft_process *from = builder->from;
    process->id = stf__build_copy(builder, from->place.element);
    process->name = stf__build_copy(builder, from->label);
    process->line = from->place.line;
    for (size_t i = 0; i < STF_COUNT_OF(steps) && !is_out_of_memory(builder); i++) {
        steps[i](builder);
    }
    process->flags = from->is_executable ? STF_PROCESS_EXECUTABLE : 0;
    if (from->blocked_by == NULL) {
        process->flags |= STF_PROCESS_RUNNABLE;
    } else {
        process->first_unsupported = stf__build_copy(builder, stf_str_of(from->blocked_by));
    }
}

stf_status stf__build_model(const stf_allocator *alloc, stf__draft *draft, stf_model *model)
{
    stf__builder builder = {.alloc = alloc, .draft = draft, .model = model};
    stf__process *processes = stf__build_new(&builder, draft->process_count, sizeof(stf__process));
    if (processes == NULL) {
        return STF_NO_MEMORY;
    }
    model->processes = processes;
    for (stf__draft_process *from = draft->processes; from != NULL; from = from->next) {
        builder.from = from;
        builder.process = &processes[model->process_count];
        stf__map_init(&builder.process->nodes_by_id, alloc);
        stf__map_init(&builder.process->flows_by_id, alloc);
        model->process_count++;
        build_process(&builder);
        if (is_out_of_memory(&builder)) {
            return STF_NO_MEMORY;
        }
    }
    return STF_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Where runs of a process and of its sub-processes begin, and what in them is never reached. One
 * pass over the nodes serves all scopes: a node is a start of the scope around it only. */
#include "base/mem.h"
#include "bpmn/build.h"

#include <stdio.h>
#include <string.h>

/* The process or a sub-process. */
typedef struct scope_facts {
    uint32_t node_count;
    uint32_t none_starts;
    uint32_t entries; /* nodes without an incoming flow that need one */
    bool has_start;   /* a start event of any kind */
} scope_facts;

static const stf__element_info *info_of(const stf__node *node)
{
    return stf__element_get_info((stf__element_kind)node->kind);
}

/* A child of a sub-process or, with STF__NONE, of the process, that can only be entered by a flow:
 * no start or boundary event, no event sub-process, link target or compensation handler. */
static bool needs_flow(const stf__node *node, const stf__draft_node *from)
{
    bool is_started_otherwise =
        (info_of(node)->traits & (STF__TRAIT_START | STF__TRAIT_BOUNDARY)) != 0 ||
        node->kind == STF__SUB_PROCESS_EVENT || node->kind == STF__CATCH_LINK ||
        from->is_for_compensation;
    return !is_started_otherwise;
}

static bool is_entry(const stf__node *node, const stf__draft_node *from)
{
    return node->incoming_count == 0 && needs_flow(node, from);
}

/* [0] is the process, [i + 1] what is inside node i. */
static void gather(const stf__builder *builder, scope_facts *facts)
{
    for (const stf__draft_node *from = builder->from->nodes; from != NULL; from = from->next) {
        const stf__node *node = &builder->nodes[from->index];
        scope_facts *around = &facts[node->scope == STF__NONE ? 0 : node->scope + 1];
        around->node_count++;
        around->none_starts += node->kind == STF__START_NONE;
        around->entries += is_entry(node, from);
        around->has_start = around->has_start || (info_of(node)->traits & STF__TRAIT_START) != 0;
    }
}

static stf__place place_of(const stf__node *node)
{
    return (stf__place){.line = node->line, .column = node->column, .element = node->id};
}

/* Gives each scope its piece of one array and fills the pieces in file order. */
static void fill(stf__builder *builder, const scope_facts *facts)
{
    stf__process *process = builder->process;
    uint32_t *starts = stf__build_new(builder, process->node_count, sizeof(*starts));
    if (starts == NULL) {
        return;
    }
    uint32_t used = 0;
    for (uint32_t i = 0; i <= process->node_count; i++) {
        stf__starts *list = i == 0 ? &process->starts : &builder->nodes[i - 1].starts;
        list->nodes = starts + used;
        list->are_implicit = !facts[i].has_start;
        used += facts[i].has_start ? facts[i].none_starts : facts[i].entries;
    }
    for (const stf__draft_node *from = builder->from->nodes; from != NULL; from = from->next) {
        const stf__node *node = &builder->nodes[from->index];
        stf__starts *list =
            node->scope == STF__NONE ? &process->starts : &builder->nodes[node->scope].starts;
        bool is_start = list->are_implicit ? is_entry(node, from) : node->kind == STF__START_NONE;
        if (is_start) {
            starts[(size_t)(list->nodes - starts) + list->count++] = node->index;
        }
    }
}

static void warn_implicit(stf__builder *builder, const stf__starts *starts, stf__place place)
{
    char list[400] = "";
    for (uint32_t i = 0; i < starts->count; i++) {
        size_t used = strlen(list);
        size_t size = sizeof(list) - 100;
        if (used < size) {
            (void)snprintf(list + used, size - used, "%s%.*s", used != 0 ? ", " : "",
                           STF__CUT(builder->nodes[starts->nodes[i]].id));
        }
    }
    stf__diagnostics_add(builder->draft->diagnostics, STF_SEVERITY_WARNING,
                         "process.implicit-start", place,
                         "there is no start event: a run begins at the nodes without an incoming "
                         "flow (%s)",
                         list);
}

static void check_scope(stf__builder *builder, const stf__starts *starts, stf__place place)
{
    if (starts->are_implicit && starts->count == 0) {
        stf__draft_report(builder->draft, builder->from, STF__FAULT_WRONG, "process.no-start",
                          place,
                          "there is no start event, and every node has an incoming flow: "
                          "nothing can start");
    } else if (starts->are_implicit) {
        warn_implicit(builder, starts, place);
    }
}

static void check_sub_process(stf__builder *builder, const scope_facts *facts,
                              const stf__node *node)
{
    if (facts->node_count == 0) {
        stf__diagnostics_add(builder->draft->diagnostics, STF_SEVERITY_WARNING, "sub-process.empty",
                             place_of(node), "the sub-process is empty: it ends at once");
        return;
    }
    check_scope(builder, &node->starts, place_of(node));
    /* Nobody can name one of several, as it can be done with the process. */
    if (!node->starts.are_implicit && node->starts.count > 1) {
        stf__draft_report(builder->draft, builder->from, STF__FAULT_WRONG,
                          "sub-process.several-starts", place_of(node),
                          "a sub-process may have one none start event only; this one has %u",
                          (unsigned)node->starts.count);
    }
}

static void check_reachable(stf__builder *builder)
{
    const stf__process *process = builder->process;
    if (process->flow_count != builder->from->flow_count) {
        return; /* a broken flow has been reported; what it led to is no second mistake */
    }
    for (const stf__draft_node *from = builder->from->nodes; from != NULL; from = from->next) {
        const stf__node *node = &process->nodes[from->index];
        const stf__node *around = node->scope != STF__NONE ? &process->nodes[node->scope] : NULL;
        const stf__starts *starts = around != NULL ? &around->starts : &process->starts;
        bool is_by_flow = around == NULL || around->kind == STF__SUB_PROCESS;
        if (is_by_flow && !starts->are_implicit && is_entry(node, from)) {
            stf__diagnostics_add(builder->draft->diagnostics, STF_SEVERITY_WARNING,
                                 "node.unreachable", place_of(node),
                                 "no flow leads to this %s: it never begins", from->name->text);
        }
    }
}

void stf__starts_find(stf__builder *builder)
{
    stf__process *process = builder->process;
    if (process->node_count == 0 && !builder->from->is_executable) {
        return; /* a pool that is drawn closed */
    }
    scope_facts *facts =
        stf__mem_zalloc_array(builder->alloc, (size_t)process->node_count + 1, sizeof(*facts));
    if (facts == NULL) {
        builder->draft->is_out_of_memory = true;
        return;
    }
    gather(builder, facts);
    fill(builder, facts);
    check_scope(builder, &process->starts, builder->from->place);
    for (uint32_t i = 0; i < process->node_count; i++) {
        if (process->nodes[i].kind == STF__SUB_PROCESS) {
            check_sub_process(builder, &facts[i + 1], &process->nodes[i]);
        }
    }
    check_reachable(builder);
    stf__mem_free(builder->alloc, facts);
}

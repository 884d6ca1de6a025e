/* SPDX-License-Identifier: Apache-2.0 */
/* Rules over a whole process, one function each, in one table: what is legal XML and resolves, but
 * cannot start, cannot be reached or surely was not meant. */
#include "base/mem.h"
#include "bpmn/build.h"
#include "bpmn/graph.h"

#include <stdio.h>
#include <string.h>

static const stf__element_info *info_of(const stf__node *node)
{
    return stf__element_get_info((stf__element_kind)node->kind);
}

static stf__place place_of(const stf__node *node)
{
    return (stf__place){.line = node->line, .column = node->column, .element = node->id};
}

static void check_executable(stf__builder *builder)
{
    const stf__draft_process *from = builder->from;
    if (from->is_executable || from->node_count == 0) {
        return; /* an empty process is a pool that is drawn closed */
    }
    stf__diagnostics_add(builder->draft->diagnostics, STF_SEVERITY_WARNING,
                         "process.not-executable", from->place,
                         "the process is not marked executable (isExecutable is %s): it starts "
                         "only when it is named",
                         from->is_executable_given ? "false" : "missing");
}

/* ---- Where a run begins --------------------------------------------------------------------- */

static bool is_at_top(const stf__node *node)
{
    return node->scope == STF__NONE;
}

static bool has_start_event(const stf__process *process)
{
    for (uint32_t i = 0; i < process->node_count; i++) {
        const stf__node *node = &process->nodes[i];
        if (is_at_top(node) && (info_of(node)->traits & STF__TRAIT_START) != 0) {
            return true;
        }
    }
    return false;
}

/* Nodes that begin by something else than a token. */
static bool is_started_otherwise(const stf__builder *builder, const stf__node *node,
                                 const stf__draft_node *from)
{
    (void)builder;
    return (info_of(node)->traits & (STF__TRAIT_START | STF__TRAIT_BOUNDARY)) != 0 ||
           node->kind == STF__SUB_PROCESS_EVENT || node->kind == STF__CATCH_LINK ||
           from->is_for_compensation;
}

static void append_id(char *list, size_t size, stf_str id)
{
    size_t used = strlen(list);
    (void)snprintf(list + used, size - used, "%s%.*s", used != 0 ? ", " : "", STF__CUT(id));
}

static void find_implicit_starts(stf__builder *builder, uint32_t *starts)
{
    stf__process *process = builder->process;
    char list[400] = "";
    process->starts.are_implicit = true;
    for (const stf__draft_node *from = builder->from->nodes; from != NULL; from = from->next) {
        const stf__node *node = &process->nodes[from->index];
        if (is_at_top(node) && node->incoming_count == 0 &&
            !is_started_otherwise(builder, node, from)) {
            starts[process->starts.count++] = node->index;
            append_id(list, sizeof(list) - 100, node->id);
        }
    }
    if (process->starts.count == 0) {
        stf__draft_report(builder->draft, builder->from, STF__FAULT_WRONG, "process.no-start",
                          builder->from->place,
                          "there is no start event, and every node has an incoming flow: "
                          "nothing can start");
        return;
    }
    stf__diagnostics_add(builder->draft->diagnostics, STF_SEVERITY_WARNING,
                         "process.implicit-start", builder->from->place,
                         "there is no start event: a run begins at the nodes without an incoming "
                         "flow (%s)",
                         list);
}

static void check_starts(stf__builder *builder)
{
    stf__process *process = builder->process;
    if (process->node_count == 0 && !builder->from->is_executable) {
        return;
    }
    uint32_t *starts = stf__build_new(builder, process->node_count, sizeof(*starts));
    if (starts == NULL) {
        return;
    }
    process->starts.nodes = starts;
    if (!has_start_event(process)) {
        find_implicit_starts(builder, starts);
        return;
    }
    for (uint32_t i = 0; i < process->node_count; i++) {
        if (is_at_top(&process->nodes[i]) && process->nodes[i].kind == STF__START_NONE) {
            starts[process->starts.count++] = i;
        }
    }
}

static void check_reachable(stf__builder *builder)
{
    const stf__process *process = builder->process;
    if (process->starts.are_implicit || process->flow_count != builder->from->flow_count) {
        return; /* a broken flow has been reported; what it led to is no second mistake */
    }
    for (const stf__draft_node *from = builder->from->nodes; from != NULL; from = from->next) {
        const stf__node *node = &process->nodes[from->index];
        if (is_at_top(node) && node->incoming_count == 0 &&
            !is_started_otherwise(builder, node, from)) {
            stf__diagnostics_add(builder->draft->diagnostics, STF_SEVERITY_WARNING,
                                 "node.unreachable", place_of(node),
                                 "no flow leads to this %s: it never begins", from->name->text);
        }
    }
}

/* ---- What surely was not meant --------------------------------------------------------------- */

static void check_exclusive_into_parallel(stf__builder *builder)
{
    const stf__process *process = builder->process;
    for (uint32_t i = 0; i < process->node_count; i++) {
        const stf__node *join = &process->nodes[i];
        uint32_t split = STF__NONE;
        if (join->kind == STF__GATEWAY_PARALLEL) {
            split = stf__graph_find_exclusive_origin(builder, join);
        }
        if (split != STF__NONE) {
            stf__diagnostics_add(
                builder->draft->diagnostics, STF_SEVERITY_WARNING, "gateway.join-never-fills",
                place_of(join),
                "the branches of the exclusive gateway \"%.*s\" meet in a parallel "
                "join, which can never fill",
                STF__CUT(process->nodes[split].id));
        }
    }
}

static void report_loop(stf__builder *builder, const uint32_t *members, uint32_t count)
{
    enum {
        NAMED = 4
    };
    const stf__process *process = builder->process;
    char list[(NAMED + 1) * 104] = "";
    for (uint32_t i = 0; i < count && i < NAMED; i++) {
        append_id(list, sizeof(list), process->nodes[members[i]].id);
    }
    stf__diagnostics_add(builder->draft->diagnostics, STF_SEVERITY_WARNING, "flow.loop",
                         place_of(&process->nodes[members[0]]),
                         "%s%s form a loop without a wait: a run that stays in it ends in an "
                         "incident",
                         list, count > NAMED ? " and others" : "");
}

static void check_loops(stf__builder *builder)
{
    stf__graph_each_loop(builder, report_loop);
}

void stf__check_process(stf__builder *builder)
{
    static void (*const rules[])(stf__builder *
                                 builder) = {check_executable, check_starts, check_reachable,
                                             check_exclusive_into_parallel, check_loops};
    for (size_t i = 0; i < STF_COUNT_OF(rules); i++) {
        rules[i](builder);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Rules over a whole process, one function each, in one table: what is legal XML and resolves, but
 * surely was not meant. Where runs begin is starts.c's, gateways are gateway.c's. */
#include "base/mem.h"
#include "bpmn/build.h"
#include "bpmn/graph.h"

#include <stdio.h>
#include <string.h>

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

static void append_id(char *list, size_t size, stf_str id)
{
    size_t used = strlen(list);
    (void)snprintf(list + used, size - used, "%s%.*s", used != 0 ? ", " : "", STF__CUT(id));
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
    static void (*const rules[])(stf__builder * builder) = {
        check_executable, stf__gateway_check, check_exclusive_into_parallel, check_loops};
    for (size_t i = 0; i < STF_COUNT_OF(rules); i++) {
        rules[i](builder);
    }
}

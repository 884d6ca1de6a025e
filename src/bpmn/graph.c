/* SPDX-License-Identifier: Apache-2.0 */
/* Walks without recursion over the arrays of a process. */
#include "bpmn/graph.h"

#include "base/mem.h"

#include <stdlib.h>

/* ---- Where the branches of a join come from ------------------------------------------------- */

/* The nearest node upstream that is not a mere link of a chain. */
static uint32_t find_origin(const stf__process *process, uint32_t flow)
{
    uint32_t at = process->flows[flow].source;
    /* A chain that bites its own tail ends by the count. */
    for (uint32_t steps = 0; steps < process->node_count; steps++) {
        const stf__node *node = &process->nodes[at];
        if (node->incoming_count != 1 || node->outgoing_count != 1) {
            break;
        }
        at = process->flows[node->incoming[0]].source;
    }
    return at;
}

static int compare_indices(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a;
    uint32_t right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

uint32_t stf__graph_find_exclusive_origin(stf__builder *builder, const stf__node *join)
{
    const stf__process *process = builder->process;
    if (join->incoming_count < 2) {
        return STF__NONE;
    }
    uint32_t *origins =
        stf__mem_zalloc_array(builder->alloc, join->incoming_count, sizeof(*origins));
    if (origins == NULL) {
        builder->draft->is_out_of_memory = true;
        return STF__NONE;
    }
    for (uint32_t i = 0; i < join->incoming_count; i++) {
        origins[i] = find_origin(process, join->incoming[i]);
    }
    qsort(origins, join->incoming_count, sizeof(*origins), compare_indices);
    uint32_t found = STF__NONE;
    for (uint32_t i = 1; i < join->incoming_count && found == STF__NONE; i++) {
        bool is_exclusive = process->nodes[origins[i]].kind == STF__GATEWAY_EXCLUSIVE;
        if (is_exclusive && origins[i] == origins[i - 1]) {
            found = origins[i];
        }
    }
    stf__mem_free(builder->alloc, origins);
    return found;
}

/* ---- Loops ---------------------------------------------------------------------------------- */

/* Kinds that pass a token on in the same turn. */
static const stf__element_kind passing_kinds[] = {
    STF__TASK_NONE,        STF__TASK_MANUAL,       STF__THROW_NONE,     STF__GATEWAY_EXCLUSIVE,
    STF__GATEWAY_PARALLEL, STF__GATEWAY_INCLUSIVE, STF__GATEWAY_COMPLEX};

static bool is_passing(const stf__node *node)
{
    for (size_t i = 0; i < STF_COUNT_OF(passing_kinds); i++) {
        if (node->kind == (uint32_t)passing_kinds[i]) {
            return true;
        }
    }
    /* Sending does not wait until anybody has the message; work does. */
    return node->message != NULL &&
           (node->kind == STF__THROW_MESSAGE || node->kind == STF__TASK_SEND);
}

typedef struct loop_search {
    const stf__process *process;
    uint32_t *in; /* live flows into and out of each node; 0: it lies on no loop */
    uint32_t *out;
    uint32_t *work; /* a stack of nodes; each is pushed once per stage */
    uint32_t work_count;
    bool *is_gone;
} loop_search;

static bool is_live(const loop_search *search, uint32_t flow)
{
    return !search->is_gone[search->process->flows[flow].source] &&
           !search->is_gone[search->process->flows[flow].target];
}

static void count_live(loop_search *search)
{
    for (uint32_t i = 0; i < search->process->flow_count; i++) {
        if (is_live(search, i)) {
            search->out[search->process->flows[i].source]++;
            search->in[search->process->flows[i].target]++;
        }
    }
}

static void drop(loop_search *search, uint32_t node)
{
    if (!search->is_gone[node] && (search->in[node] == 0 || search->out[node] == 0)) {
        search->is_gone[node] = true;
        search->work[search->work_count++] = node;
    }
}

/* Peels off whatever has no way in or no way out, until only loops and what lies between them are
 * left. */
static void peel(loop_search *search)
{
    const stf__process *process = search->process;
    for (uint32_t i = 0; i < process->node_count; i++) {
        drop(search, i);
    }
    while (search->work_count > 0) {
        const stf__node *node = &process->nodes[search->work[--search->work_count]];
        for (uint32_t i = 0; i < node->outgoing_count; i++) {
            uint32_t target = process->flows[node->outgoing[i]].target;
            if (!search->is_gone[target]) {
                search->in[target]--;
                drop(search, target);
            }
        }
        for (uint32_t i = 0; i < node->incoming_count; i++) {
            uint32_t source = process->flows[node->incoming[i]].source;
            if (!search->is_gone[source]) {
                search->out[source]--;
                drop(search, source);
            }
        }
    }
}

static void reach(loop_search *search, uint32_t node)
{
    if (!search->is_gone[node]) {
        search->is_gone[node] = true;
        search->work[search->work_count++] = node;
    }
}

/* Gathers what is connected with a node; work then lists it in file order. */
static void gather(loop_search *search, uint32_t first)
{
    const stf__process *process = search->process;
    search->work_count = 0;
    reach(search, first);
    for (uint32_t at = 0; at < search->work_count; at++) {
        const stf__node *node = &process->nodes[search->work[at]];
        for (uint32_t i = 0; i < node->outgoing_count; i++) {
            reach(search, process->flows[node->outgoing[i]].target);
        }
        for (uint32_t i = 0; i < node->incoming_count; i++) {
            reach(search, process->flows[node->incoming[i]].source);
        }
    }
    qsort(search->work, search->work_count, sizeof(*search->work), compare_indices);
}

void stf__graph_each_loop(stf__builder *builder,
                          void (*visit)(stf__builder *builder, const uint32_t *members,
                                        uint32_t count))
{
    const stf__process *process = builder->process;
    size_t count = process->node_count;
    loop_search search = {.process = process};
    uint32_t *counts = count != 0 ? stf__mem_zalloc_array(builder->alloc, count * 4, 4) : NULL;
    if (counts == NULL) {
        builder->draft->is_out_of_memory = builder->draft->is_out_of_memory || count != 0;
        return;
    }
    search.in = counts;
    search.out = counts + count;
    search.work = counts + 2 * count;
    search.is_gone = (bool *)(void *)(counts + 3 * count);
    for (uint32_t i = 0; i < count; i++) {
        search.is_gone[i] = !is_passing(&process->nodes[i]);
    }
    count_live(&search);
    peel(&search);
    for (uint32_t i = 0; i < count; i++) {
        if (!search.is_gone[i]) {
            gather(&search, i);
            visit(builder, search.work, search.work_count);
        }
    }
    stf__mem_free(builder->alloc, counts);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* See join_oracle.h. */
#include "join_oracle.h"

/* One gateway in one scope, and a walk towards it. */
typedef struct question {
    const core_case *c;
    const stf__node *gateway;
    uint64_t scope;
    bool *is_seen; /* by node index */
    bool reaches_empty;
    bool reaches_full;
} question;

static const stf__node *node_of(const core_case *c, stf_str id)
{
    const stf__node *node = stf__process_find_node(c->process, id);
    ck_assert_ptr_nonnull(node);
    return node;
}

/* One step out of a node; true: it leads to a node that had not been seen. */
static bool walk_out(question *q, const stf__node *from)
{
    bool is_new = false;
    for (uint32_t i = 0; i < from->outgoing_count; i++) {
        const stf__flow *flow = &q->c->process->flows[from->outgoing[i]];
        if (flow->target != q->gateway->index) {
            is_new = is_new || !q->is_seen[flow->target];
            q->is_seen[flow->target] = true;
        } else if (stf__doc_count_parked(q->c->doc, q->scope, q->gateway->id, flow->id) > 0) {
            q->reaches_full = true;
        } else {
            q->reaches_empty = true;
        }
    }
    for (uint32_t i = 0; i < from->boundary_count; i++) {
        is_new = is_new || !q->is_seen[from->boundaries[i]];
        q->is_seen[from->boundaries[i]] = true;
    }
    return is_new;
}

/* A token at that node; one that has passed the gateway goes on from it. */
static bool holds_up(question *q, stf_str node)
{
    const stf__process *process = q->c->process;
    memset(q->is_seen, 0, process->node_count * sizeof(bool));
    q->reaches_empty = false;
    q->reaches_full = false;
    bool is_new = walk_out(q, node_of(q->c, node));
    while (is_new) {
        is_new = false;
        for (uint32_t i = 0; i < process->node_count; i++) {
            is_new = (q->is_seen[i] && walk_out(q, &process->nodes[i])) || is_new;
        }
    }
    return q->reaches_empty && !q->reaches_full;
}

static bool must_wait(question *q)
{
    const stf__doc *doc = q->c->doc;
    bool waits = false;
    for (size_t i = 0; i < doc->activation_count; i++) {
        const stf__activation *activation = doc->activations[i];
        if (activation->scope != q->scope) {
            continue;
        }
        bool is_before = activation->phase == STF__PHASE_HELD &&
                         stf_str_equal(activation->element, q->gateway->id);
        waits = waits || (is_before ? stf__doc_count_parked(doc, q->scope, q->gateway->id,
                                                            activation->flow) == 0
                                    : holds_up(q, activation->element));
    }
    for (size_t i = 0; i < doc->parked_count; i++) {
        const stf__token *token = &doc->parked[i];
        waits = waits || (token->scope == q->scope && !stf_str_equal(token->node, q->gateway->id) &&
                          holds_up(q, token->node));
    }
    return waits;
}

size_t join_oracle_check(const core_case *c, const char *label)
{
    size_t count = 0;
    bool *is_seen = calloc(c->process->node_count, sizeof(bool));
    ck_assert_ptr_nonnull(is_seen);
    for (size_t i = 0; c->doc->ready_count == 0 && i < c->doc->parked_count; i++) {
        const stf__token *token = &c->doc->parked[i];
        question q = {
            .c = c, .gateway = node_of(c, token->node), .scope = token->scope, .is_seen = is_seen};
        if (q.gateway->kind == STF__GATEWAY_INCLUSIVE) {
            count++;
            ck_assert_msg(must_wait(&q), "%s: the join \"%.*s\" stays shut", label,
                          STF_STR_ARG(token->node));
        }
    }
    free(is_seen);
    return count;
}

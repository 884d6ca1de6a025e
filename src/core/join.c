/* SPDX-License-Identifier: Apache-2.0 */
/* Inclusive joins (BPMN 2.0.2, 13.4.3). A join opens when at least one incoming flow has a token
 * and every other token of its scope that can still come to an incoming flow without one could as
 * well come to one with a token; paths through the gateway itself do not count. Opening takes one
 * token of each flow that has one; more on a flow wait for the next time.
 *
 * Nothing but the present tokens decides, and it is asked whenever nothing moves any more: a token
 * that died, was cancelled or went another way needs no word of its own.
 *
 * Where tokens are: at the node of every activation of the scope, whatever its phase (a sub-process
 * is one token at its node), and at joins where they are parked. Out of an activity leads every
 * outgoing flow and every one of its boundary events, on the way as well as where a token stands.
 *
 * Two joins that each wait for the other's token both stay shut: so the standard has it, and to
 * open one of them would be to guess. The record then shows that it is stuck. */
#include "core/step.h"

enum { /* what can be reached from a node by its outgoing flows, not through the gateway */
    REACHES_EMPTY = 1,
    REACHES_FULL = 2
};

/* One question's marks. Clean between questions: only what was touched is cleared. */
typedef struct stf__join_scratch {
    uint8_t *marks;    /* by node index */
    uint32_t *touched; /* nodes with a mark */
    uint32_t *stack;   /* nodes whose sources are still to be marked; a node comes at most twice */
    size_t touched_count;
    size_t stack_count;
} stf__join_scratch;

static stf_status get_scratch(stf__step *step, stf__join_scratch **ret_scratch)
{
    if (step->joins == NULL) {
        stf__arena *arena = step->effects->arena;
        size_t count = step->process->node_count;
        stf__join_scratch *made = stf__arena_zalloc(arena, sizeof(*made));
        if (made == NULL) {
            return stf__doc_no_memory(step->error);
        }
        made->marks = stf__arena_zalloc(arena, count);
        made->touched = stf__arena_alloc(arena, count * sizeof(uint32_t));
        made->stack = stf__arena_alloc(arena, 2 * count * sizeof(uint32_t));
        if (made->marks == NULL || made->touched == NULL || made->stack == NULL) {
            return stf__doc_no_memory(step->error);
        }
        step->joins = made;
    }
    *ret_scratch = step->joins;
    return STF_OK;
}

static void clear_marks(stf__join_scratch *scratch)
{
    for (size_t i = 0; i < scratch->touched_count; i++) {
        scratch->marks[scratch->touched[i]] = 0;
    }
    scratch->touched_count = 0;
}

/* The gateway gets its mark, for a token that has just passed it, and hands none on. */
static void mark(stf__join_scratch *scratch, uint32_t node, uint32_t gateway, uint8_t bits)
{
    uint8_t before = scratch->marks[node];
    if ((before | bits) == before) {
        return;
    }
    if (before == 0) {
        scratch->touched[scratch->touched_count++] = node;
    }
    scratch->marks[node] = before | bits;
    if (node != gateway) {
        scratch->stack[scratch->stack_count++] = node;
    }
}

static uint64_t count_on(const stf__step *step, uint64_t scope, const stf__node *gateway,
                         uint32_t incoming)
{
    const stf__flow *flow = &step->process->flows[gateway->incoming[incoming]];
    return stf__doc_count_parked(step->doc, scope, gateway->id, flow->id);
}

/* Marks, against the flows, from where the incoming flows can be reached. */
static void mark_sources(const stf__step *step, stf__join_scratch *scratch, uint64_t scope,
                         const stf__node *gateway)
{
    const stf__process *process = step->process;
    for (uint32_t i = 0; i < gateway->incoming_count; i++) {
        uint8_t bits = count_on(step, scope, gateway, i) > 0 ? REACHES_FULL : REACHES_EMPTY;
        mark(scratch, process->flows[gateway->incoming[i]].source, gateway->index, bits);
    }
    while (scratch->stack_count > 0) {
        const stf__node *node = &process->nodes[scratch->stack[--scratch->stack_count]];
        uint8_t bits = scratch->marks[node->index];
        for (uint32_t i = 0; i < node->incoming_count; i++) {
            mark(scratch, process->flows[node->incoming[i]].source, gateway->index, bits);
        }
        if (node->attached_to != STF__NONE) {
            mark(scratch, node->attached_to, gateway->index, bits);
        }
    }
}

static stf_status ask_node(const stf__step *step, const stf__join_scratch *scratch, stf_str element,
                           bool *ret_must_wait)
{
    const stf__node *node = NULL;
    stf_status status = stf__step_find_node(step, element, &node);
    if (status == STF_OK) {
        *ret_must_wait = scratch->marks[node->index] == REACHES_EMPTY;
    }
    return status;
}

/* A token that an incident stopped in front of this very gateway is on its flow but cannot be taken
 * yet: it is waited for unless another one of that flow is here. */
static bool is_held_before(const stf__activation *activation, const stf__node *gateway)
{
    return activation->phase == STF__PHASE_HELD && stf_str_equal(activation->element, gateway->id);
}

/* Must the join wait for a token that is elsewhere in its scope? */
static stf_status ask_tokens(const stf__step *step, const stf__join_scratch *scratch,
                             uint64_t scope, const stf__node *gateway, bool *ret_must_wait)
{
    const stf__doc *doc = step->doc;
    stf_status status = STF_OK;
    for (size_t i = 0; status == STF_OK && !*ret_must_wait && i < doc->activation_count; i++) {
        const stf__activation *activation = doc->activations[i];
        if (activation->scope != scope) {
            continue;
        }
        if (is_held_before(activation, gateway)) {
            *ret_must_wait = stf__doc_count_parked(doc, scope, gateway->id, activation->flow) == 0;
        } else {
            status = ask_node(step, scratch, activation->element, ret_must_wait);
        }
    }
    for (size_t i = 0; status == STF_OK && !*ret_must_wait && i < doc->parked_count; i++) {
        const stf__token *token = &doc->parked[i];
        if (token->scope == scope && !stf_str_equal(token->node, gateway->id)) {
            status = ask_node(step, scratch, token->node, ret_must_wait);
        }
    }
    return status;
}

/* At least one token waits at the gateway. */
static stf_status ask(stf__step *step, uint64_t scope, const stf__node *gateway, bool *ret_opens)
{
    bool is_complete = true;
    for (uint32_t i = 0; is_complete && i < gateway->incoming_count; i++) {
        is_complete = count_on(step, scope, gateway, i) > 0;
    }
    *ret_opens = is_complete;
    if (is_complete) {
        return STF_OK;
    }
    stf__join_scratch *scratch = NULL;
    stf_status status = get_scratch(step, &scratch);
    if (status != STF_OK) {
        return status;
    }
    bool must_wait = false;
    mark_sources(step, scratch, scope, gateway);
    status = ask_tokens(step, scratch, scope, gateway, &must_wait);
    clear_marks(scratch);
    *ret_opens = !must_wait;
    return status;
}

static stf_status open_join(stf__step *step, uint64_t scope, const stf__node *gateway)
{
    for (uint32_t i = 0; i < gateway->incoming_count; i++) {
        const stf__flow *flow = &step->process->flows[gateway->incoming[i]];
        stf__doc_unpark(step->doc, scope, gateway->id, flow->id);
    }
    return stf__step_enter(step, gateway, scope);
}

stf_status stf__step_open_joins(stf__step *step, bool *ret_did)
{
    const stf__doc *doc = step->doc;
    *ret_did = false;
    for (size_t i = 0; i < doc->parked_count; i++) {
        const stf__token *token = &doc->parked[i];
        bool is_asked = i > 0 && doc->parked[i - 1].scope == token->scope &&
                        stf_str_equal(doc->parked[i - 1].node, token->node);
        const stf__node *gateway = NULL;
        stf_status status = is_asked ? STF_OK : stf__step_find_node(step, token->node, &gateway);
        if (status != STF_OK) {
            return status;
        }
        if (gateway == NULL || gateway->kind != STF__GATEWAY_INCLUSIVE) {
            continue;
        }
        status = ask(step, token->scope, gateway, ret_did);
        if (status != STF_OK) {
            return status;
        }
        if (*ret_did) {
            return open_join(step, token->scope, gateway);
        }
    }
    return STF_OK;
}

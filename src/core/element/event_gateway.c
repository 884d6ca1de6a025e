/* SPDX-License-Identifier: Apache-2.0 */
/* Event-based gateways: wait for the first of the events that their flows lead to. The gateway's
 * activation owns all those waits; the first that comes decides. In that one step the gateway
 * completes with everything else that it waited for, and the event (or receive task) is entered and
 * done, so no second event can find it undecided. */
#include "core/element/families.h"
#include "core/step.h"

static stf_status start(stf__step *step, stf__activation *activation, const stf__node *node)
{
    const stf__process *process = step->process;
    if (node->outgoing_count == 0) { /* as any node that leads nowhere */
        return stf__step_finish(step, activation, node);
    }
    const stf__node **arms =
        stf__arena_alloc(step->effects->arena, node->outgoing_count * sizeof(stf__node *));
    if (arms == NULL) {
        return stf__doc_no_memory(step->error);
    }
    for (uint32_t i = 0; i < node->outgoing_count; i++) {
        arms[i] = &process->nodes[process->flows[node->outgoing[i]].target];
    }
    bool is_ok = false;
    stf_status status = stf__step_arm_nodes(step, activation, arms, node->outgoing_count, &is_ok);
    if (status == STF_OK && is_ok) {
        stf__step_wait(activation, STF__FOR_EVENTS);
    }
    return status;
}

static stf_status tell_decision(stf__step *step, const stf__activation *activation,
                                const stf__node *node, const stf__node *arm)
{
    for (uint32_t i = 0; i < node->outgoing_count; i++) {
        const stf__flow *flow = &step->process->flows[node->outgoing[i]];
        if (flow->target == arm->index) {
            return stf__step_tell(step, STF_FACT_GATEWAY_DECIDED, activation->number, node->id,
                                  flow->id);
        }
    }
    return stf_error_set(step->error, STF_CORRUPT, "CORE", "\"%.*s\" does not lead to \"%.*s\"",
                         STF_STR_ARG(node->id), STF_STR_ARG(arm->id));
}

static stf_status on_trigger(stf__step *step, stf__activation *activation, const stf__node *arm)
{
    uint64_t scope = activation->scope;
    const stf__node *node = NULL;
    stf_status status = stf__step_find_node(step, activation->element, &node);
    if (status == STF_OK) {
        status = tell_decision(step, activation, node, arm);
    }
    if (status == STF_OK) {
        status = stf__step_finish(step, activation, node);
    }
    return status == STF_OK ? stf__step_pass(step, arm, scope) : status;
}

/* The token goes on from the event that came, not by the flow to it. */
static stf_status choose(stf__step *step, const stf__activation *activation, const stf__node *node,
                         stf__choice *choice)
{
    (void)step;
    (void)activation;
    (void)node;
    *choice = (stf__choice){.count = 0};
    return STF_OK;
}

const stf__processor stf__element_event_gateway = {
    .start = start, .on_trigger = on_trigger, .choose = choose};

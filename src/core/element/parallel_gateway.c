/* SPDX-License-Identifier: Apache-2.0 */
/* Parallel gateways: opens when a token waits on every incoming flow, takes exactly one from each,
 * and gives one to every outgoing flow. Tokens that are too many on a flow wait for the next round.
 * The counts are per scope, node and flow and part of the document. */
#include "core/element/families.h"
#include "core/step.h"

static bool is_complete(const stf__step *step, uint64_t scope, const stf__node *node)
{
    for (uint32_t i = 0; i < node->incoming_count; i++) {
        const stf__flow *flow = &step->process->flows[node->incoming[i]];
        if (stf__doc_count_parked(step->doc, scope, node->id, flow->id) == 0) {
            return false;
        }
    }
    return true;
}

static stf_status arrive(stf__step *step, const stf__token *token, const stf__node *node,
                         bool *ret_opens)
{
    if (node->incoming_count <= 1) {
        *ret_opens = true;
        return STF_OK;
    }
    stf_status status = stf__doc_park(step->doc, token, step->error);
    if (status != STF_OK) {
        return status;
    }
    *ret_opens = is_complete(step, token->scope, node);
    for (uint32_t i = 0; *ret_opens && i < node->incoming_count; i++) {
        const stf__flow *flow = &step->process->flows[node->incoming[i]];
        stf__doc_unpark(step->doc, token->scope, node->id, flow->id);
    }
    return STF_OK;
}

static stf_status start(stf__step *step, stf__activation *activation, const stf__node *node)
{
    return stf__step_finish(step, activation, node);
}

const stf__processor stf__element_parallel_gateway = {
    .arrive = arrive, .start = start, .choose = stf__step_choose_all};

/* SPDX-License-Identifier: Apache-2.0 */
/* Inclusive gateways. Tokens are kept where several flows come together; join.c says when they may
 * go on. Out lead all flows whose conditions hold, also where there is only one flow; a retry of
 * the incident "nothing holds" makes the whole split again. */
#include "core/element/families.h"
#include "core/step.h"

static stf_status arrive(stf__step *step, const stf__token *token, const stf__node *node,
                         bool *ret_opens)
{
    *ret_opens = node->incoming_count <= 1;
    return *ret_opens ? STF_OK : stf__doc_park(step->doc, token, step->error);
}

static stf_status start(stf__step *step, stf__activation *activation, const stf__node *node)
{
    return stf__step_finish(step, activation, node);
}

const stf__processor stf__element_inclusive_gateway = {
    .arrive = arrive, .start = start, .choose = stf__step_choose_inclusive};

/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds that no family executes yet. Such a process is not runnable and the engine refuses to start
 * it; should a token come here all the same, it is kept and an incident says why. */
#include "core/element/families.h"
#include "core/step.h"

static stf_status arrive(stf__step *step, const stf__token *token, const stf__node *node,
                         bool *ret_opens)
{
    *ret_opens = false;
    const char *label = stf__element_get_info((stf__element_kind)node->kind)->label;
    return stf__step_hold(step, token, node, STF__INCIDENT_UNSUPPORTED, stf_str_of(label));
}

static stf_status start(stf__step *step, stf__activation *activation, const stf__node *node)
{
    (void)activation;
    return stf_error_set(step->error, STF_CORRUPT, "CORE",
                         "the document is inside \"%.*s\", which is not supported yet",
                         STF_STR_ARG(node->id));
}

const stf__processor stf__element_UNSUPPORTED = {.arrive = arrive, .start = start};

/* SPDX-License-Identifier: Apache-2.0 */
/* Intermediate catch events: wait for a time or a message, both fixed when the token arrives. A
 * repeating time ends with its first firing. */
#include "core/element/families.h"
#include "core/step.h"

static stf_status start(stf__step *step, stf__activation *activation, const stf__node *node)
{
    bool is_ok = false;
    stf_status status = stf__step_arm_node(step, activation, node, &is_ok);
    if (status == STF_OK && is_ok) {
        stf__step_wait(activation, node->message != NULL ? STF__FOR_MESSAGE : STF__FOR_TIMER);
    }
    return status;
}

static stf_status on_trigger(stf__step *step, stf__activation *activation, const stf__node *node)
{
    return stf__step_finish(step, activation, node);
}

const stf__processor stf__element_catch = {.start = start, .on_trigger = on_trigger};

/* SPDX-License-Identifier: Apache-2.0 */
/* Boundary events for timers, messages and errors. Timers and messages are armed with their
 * activity and trigger here, interrupting or not; errors come through throw.c. A boundary event
 * that triggers is entered as a node of its own, each time, after an interrupting one has ended the
 * activity with everything that belongs to it. */
#include "core/element/families.h"
#include "core/step.h"

static stf_status start(stf__step *step, stf__activation *activation, const stf__node *node)
{
    return stf__step_finish(step, activation, node);
}

static stf_status on_trigger(stf__step *step, stf__activation *activation, const stf__node *node)
{
    uint64_t scope = activation->scope;
    if (node->is_interrupting) {
        stf_status status = stf__step_cancel(step, activation);
        if (status != STF_OK) {
            return status;
        }
    }
    return stf__step_enter(step, node, scope);
}

const stf__processor stf__element_boundary = {.start = start, .on_trigger = on_trigger};

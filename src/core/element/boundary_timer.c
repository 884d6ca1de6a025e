/* SPDX-License-Identifier: Apache-2.0 */
/* Timer boundary events, interrupting and not. They are armed with their activity (timer.c); here
 * they trigger: the event is entered as a node of its own, once, after an interrupting one has
 * ended the activity with everything that belongs to it. */
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

const stf__processor stf__element_boundary_timer = {.start = start, .on_trigger = on_trigger};

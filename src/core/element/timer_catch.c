/* SPDX-License-Identifier: Apache-2.0 */
/* Timer catch events: wait until the deadline, which is fixed when the token arrives. */
#include "core/element/families.h"
#include "core/step.h"

static stf_status start(stf__step *step, stf__activation *activation, const stf__node *node)
{
    bool is_ok = false;
    stf_wall due;
    stf_status status = stf__step_get_deadline(step, activation, node, &is_ok, &due);
    if (status != STF_OK || !is_ok) {
        return status;
    }
    stf__step_wait(activation, STF__FOR_TIMER);
    return stf__step_arm(step, activation, node, due);
}

static stf_status on_trigger(stf__step *step, stf__activation *activation, const stf__node *node)
{
    return stf__step_finish(step, activation, node);
}

const stf__processor stf__element_timer_catch = {.start = start, .on_trigger = on_trigger};

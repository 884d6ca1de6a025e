/* SPDX-License-Identifier: Apache-2.0 */
/* None start events: pass on. */
#include "core/element/families.h"
#include "core/step.h"

static stf_status start(stf__step *step, stf__activation *activation, const stf__node *node)
{
    return stf__step_finish(step, activation, node);
}

const stf__processor stf__element_start = {.start = start};

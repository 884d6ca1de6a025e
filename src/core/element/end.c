/* SPDX-License-Identifier: Apache-2.0 */
/* None end events end their token; a terminate end event ends the instance or sub-process that it
 * belongs to. */
#include "core/element/families.h"
#include "core/step.h"

static stf_status start(stf__step *step, stf__activation *activation, const stf__node *node)
{
    if (node->kind == STF__END_TERMINATE) {
        return stf__step_terminate(step, activation, node);
    }
    return stf__step_finish(step, activation, node);
}

const stf__processor stf__element_end = {.start = start};

/* SPDX-License-Identifier: Apache-2.0 */
/* Exclusive gateways: every token passes on its own, by the first flow whose condition holds. A
 * retry of the incident "nothing holds" asks all conditions again. */
#include "core/element/families.h"
#include "core/step.h"

static stf_status start(stf__step *step, stf__activation *activation, const stf__node *node)
{
    return stf__step_finish(step, activation, node);
}

const stf__processor stf__element_exclusive_gateway = {.start = start,
                                                       .choose = stf__step_choose_exclusive};

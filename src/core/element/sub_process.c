/* SPDX-License-Identifier: Apache-2.0 */
/* Embedded sub-processes: one activation and one scope for each time that they are entered. They go
 * on by their own outgoing flows when nothing is left in the scope (scope.c). */
#include "core/element/families.h"
#include "core/step.h"

static stf_status start(stf__step *step, stf__activation *activation, const stf__node *node)
{
    return stf__step_open_scope(step, activation, node);
}

const stf__processor stf__element_sub_process = {.start = start};

/* SPDX-License-Identifier: Apache-2.0 */
/* Error end events throw their code. Such an event never completes: it is cancelled with what the
 * error ends, a scope around it or the whole instance. */
#include "core/element/families.h"
#include "core/step.h"

static stf_status start(stf__step *step, stf__activation *activation, const stf__node *node)
{
    stf__thrown thrown = {.code = node->error->code, .is_from_end_event = true};
    return stf__step_throw(step, activation, &thrown);
}

const stf__processor stf__element_end_error = {.start = start};

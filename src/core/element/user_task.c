/* SPDX-License-Identifier: Apache-2.0 */
/* User tasks: wait for a person. */
#include "core/element/families.h"
#include "core/step.h"

static stf_status start(stf__step *step, stf__activation *activation, const stf__node *node)
{
    stf__step_wait(activation, STF__FOR_TASK);
    return stf__step_tell(step, STF_FACT_TASK_CREATED, activation->number, node->id, node->name);
}

static stf_status on_task(stf__step *step, stf__activation *activation, const stf__node *node)
{
    stf_status status =
        stf__step_tell(step, STF_FACT_TASK_COMPLETED, activation->number, node->id, node->name);
    return status == STF_OK ? stf__step_finish(step, activation, node) : status;
}

const stf__processor stf__element_user_task = {.start = start, .on_task = on_task};

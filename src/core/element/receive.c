/* SPDX-License-Identifier: Apache-2.0 */
/* Receive tasks: wait for their message. One that names no message is a task for people: whoever
 * got it says so. */
#include "core/element/families.h"
#include "core/step.h"

static stf_status start(stf__step *step, stf__activation *activation, const stf__node *node)
{
    if (node->message == NULL) {
        stf__step_wait(activation, STF__FOR_TASK);
        return stf__step_tell(step, STF_FACT_TASK_CREATED, activation->number, node->id,
                              node->name);
    }
    bool is_ok = false;
    stf_status status = stf__step_arm_node(step, activation, node, &is_ok);
    if (status == STF_OK && is_ok) {
        stf__step_wait(activation, STF__FOR_MESSAGE);
    }
    return status;
}

static stf_status on_task(stf__step *step, stf__activation *activation, const stf__node *node)
{
    stf_status status =
        stf__step_tell(step, STF_FACT_TASK_COMPLETED, activation->number, node->id, node->name);
    return status == STF_OK ? stf__step_finish(step, activation, node) : status;
}

static stf_status on_trigger(stf__step *step, stf__activation *activation, const stf__node *node)
{
    return stf__step_finish(step, activation, node);
}

const stf__processor stf__element_receive = {
    .start = start, .on_trigger = on_trigger, .on_task = on_task};

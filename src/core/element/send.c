/* SPDX-License-Identifier: Apache-2.0 */
/* Send tasks: with a message they put it into the outbox and go on; with a topic they are work. The
 * same start serves message throw and message end events. */
#include "core/element/families.h"
#include "core/element/work.h"
#include "core/step.h"

stf_status stf__message_start(stf__step *step, stf__activation *activation, const stf__node *node)
{
    if (node->message == NULL) {
        return stf__work_start(step, activation, node);
    }
    bool is_ok = false;
    stf_status status = stf__step_send_message(step, activation, node, &is_ok);
    return status == STF_OK && is_ok ? stf__step_finish(step, activation, node) : status;
}

const stf__processor stf__element_send = {
    .start = stf__message_start, .on_work = stf__work_on_work, .retry = stf__work_retry};

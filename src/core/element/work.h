/* SPDX-License-Identifier: Apache-2.0 */
/* Work as a part of other elements: what sends a message may call a handler instead, by its topic.
 */
#ifndef STF_CORE_ELEMENT_WORK_H
#define STF_CORE_ELEMENT_WORK_H

#include "core/element/element.h"

STF_MUST_CHECK stf_status stf__work_start(stf__step *step, stf__activation *activation,
                                          const stf__node *node);
STF_MUST_CHECK stf_status stf__work_on_work(stf__step *step, stf__activation *activation,
                                            const stf__node *node, const stf__event *event);
STF_MUST_CHECK stf_status stf__work_retry(stf__step *step, stf__activation *activation,
                                          const stf__node *node);

/* send.c: sends the node's message and goes on; without one it is work. */
STF_MUST_CHECK stf_status stf__message_start(stf__step *step, stf__activation *activation,
                                             const stf__node *node);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The one interface of element families. model/element.def names a family per kind; registry.c
 * turns those names into the table of processors. A processor is constant and has no state. */
#ifndef STF_CORE_ELEMENT_ELEMENT_H
#define STF_CORE_ELEMENT_ELEMENT_H

#include "core/doc.h"
#include "model/private.h"

typedef struct stf__step stf__step;
typedef struct stf__choice stf__choice;

typedef struct stf__processor {
    /* A token arrives. *ret_opens false: the node keeps the token (joins), or stopped it. NULL:
     * every token opens the node at once. */
    stf_status (*arrive)(stf__step *step, const stf__token *token, const stf__node *node,
                         bool *ret_opens);
    /* Boundary events are armed; the activation's work begins. Ends in stf__step_wait,
     * stf__step_finish or an incident. Called again when such an incident is retried. Required. */
    stf_status (*start)(stf__step *step, stf__activation *activation, const stf__node *node);
    /* A timer or message that this node armed has come (stf__step_trigger). activation: the one
     * that armed it: the node's own, the guarded activity's, or an event-based gateway's. */
    stf_status (*on_trigger)(stf__step *step, stf__activation *activation, const stf__node *node);
    /* A person is done. Variables are merged already. */
    stf_status (*on_task)(stf__step *step, stf__activation *activation, const stf__node *node);
    /* A handler answers. */
    stf_status (*on_work)(stf__step *step, stf__activation *activation, const stf__node *node,
                          const stf__event *event);
    /* The instance that it called has ended. */
    stf_status (*on_child)(stf__step *step, stf__activation *activation, const stf__node *node,
                           const stf__event *event);
    /* An incident of an ACTIVE activation is retried. */
    stf_status (*retry)(stf__step *step, stf__activation *activation, const stf__node *node);
    /* Which flows the token leaves by. NULL: as out of an activity (inclusive). */
    stf_status (*choose)(stf__step *step, const stf__activation *activation, const stf__node *node,
                         stf__choice *choice);
} stf__processor;

/* Never NULL: kinds without a family have a processor that stops the token with an incident. */
const stf__processor *stf__element_get_processor(uint32_t kind);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The events of the core, one function for each kind, in files by what they are about. step.c has
 * the table of who takes which, and asks before: is the event of a kind that such a document takes,
 * was it heard before, has the instance ended. Each function refuses before it touches anything. */
#ifndef STF_CORE_EVENT_H
#define STF_CORE_EVENT_H

#include "core/step.h"

/* event_start.c */
STF_MUST_CHECK stf_status stf__event_start(stf__step *step, const stf__event *event);

/* event_task.c: people */
STF_MUST_CHECK stf_status stf__event_task(stf__step *step, const stf__event *event);
STF_MUST_CHECK stf_status stf__event_variables(stf__step *step, const stf__event *event);

/* event_work.c: handlers, and whoever answers for them */
STF_MUST_CHECK stf_status stf__event_work(stf__step *step, const stf__event *event);
STF_MUST_CHECK stf_status stf__event_recover(stf__step *step, const stf__event *event);
STF_MUST_CHECK stf_status stf__event_job(stf__step *step, const stf__event *event);

/* event_incident.c */
STF_MUST_CHECK stf_status stf__event_retry(stf__step *step, const stf__event *event);
STF_MUST_CHECK stf_status stf__event_resolve(stf__step *step, const stf__event *event);
STF_MUST_CHECK stf_status stf__event_drop(stf__step *step, const stf__event *event);
STF_MUST_CHECK stf_status stf__event_poison(stf__step *step, const stf__event *event);

/* event_outside.c: other records */
STF_MUST_CHECK stf_status stf__event_message(stf__step *step, const stf__event *event);
STF_MUST_CHECK stf_status stf__event_publish(stf__step *step, const stf__event *event);
STF_MUST_CHECK stf_status stf__event_child(stf__step *step, const stf__event *event);
STF_MUST_CHECK stf_status stf__event_cancel(stf__step *step, const stf__event *event);

/* send.c */
STF_MUST_CHECK stf_status stf__event_ack(stf__step *step, const stf__event *event);

/* The tokens have begun to move, or it is over. */
static inline bool stf__doc_has_begun(const stf__doc *doc)
{
    return stf__doc_has_ended(doc) || doc->counters.activation > 0 || doc->ready_count > 0 ||
           doc->parked_count > 0;
}

#endif

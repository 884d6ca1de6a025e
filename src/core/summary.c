/* SPDX-License-Identifier: Apache-2.0 */
/* What a record shows of its document: status, due and waits, derived anew each time, and the rule
 * that keeps every record findable (R8). */
#include "core/doc.h"

static uint32_t derive_status(const stf__doc *doc)
{
    if (doc->end_how == STF__END_TERMINATED) {
        return STF_RECORD_TERMINATED;
    }
    if (doc->end_how == STF__END_COMPLETED) {
        return STF_RECORD_COMPLETED;
    }
    return doc->incident_count > 0 ? STF_RECORD_INCIDENT : STF_RECORD_ACTIVE;
}

/* The earliest deadline; a document that has yielded is due since it did. */
static stf_wall derive_due(const stf__doc *doc)
{
    stf_wall due = stf_wall_none();
    if (doc->ready_count > 0) {
        due = doc->ready[doc->ready_first].since;
    }
    for (size_t i = 0; i < doc->timer_count; i++) {
        if (stf_wall_is_none(due) || doc->timers[i].due.us < due.us) {
            due = doc->timers[i].due;
        }
    }
    return due;
}

static void add_wait(stf__doc_summary *summary, stf_wait_kind kind, stf_str key, stf_wall since)
{
    summary->waits[summary->wait_count++] =
        (stf_wait){.kind = kind, .key = key, .since = since, .until = stf_wall_none()};
}

static void add_activation(stf__doc_summary *summary, const stf__activation *activation)
{
    if (activation->active_for == STF__FOR_TASK) {
        add_wait(summary, STF_WAIT_TASK, activation->element, activation->since);
    } else if (activation->work.state == STF__DURABLE_PENDING) {
        if (activation->work.is_started) {
            summary->has_started = true;
        } else {
            summary->has_unstarted = true;
            add_wait(summary, STF_WAIT_JOB, stf_str_of(activation->work.topic), activation->since);
        }
    }
}

stf_status stf__doc_summarise(const stf__doc *doc, stf__arena *arena, stf__doc_summary *ret_summary,
                              stf_error *error)
{
    stf__doc_summary summary = {.status = derive_status(doc), .due = derive_due(doc)};
    summary.waits = stf__arena_alloc(arena, (doc->activation_count + 1) * sizeof(*summary.waits));
    if (summary.waits == NULL) {
        return stf__doc_no_memory(error);
    }
    for (size_t i = 0; i < doc->activation_count; i++) {
        add_activation(&summary, doc->activations[i]);
    }
    bool is_stuck = doc->parked_count > 0 && doc->activation_count == 0 && doc->ready_count == 0;
    if (is_stuck) {
        add_wait(&summary, STF_WAIT_STUCK, doc->parked[0].node, doc->parked[0].since);
    }
    if (summary.status == STF_RECORD_ACTIVE && !summary.has_started && summary.wait_count == 0 &&
        stf_wall_is_none(summary.due)) {
        return stf_error_set(error, STF_INTERNAL, "CORE",
                             "instance \"%.*s\" is active and nothing would ever find it",
                             STF_STR_ARG(doc->identity.id));
    }
    *ret_summary = summary;
    return STF_OK;
}

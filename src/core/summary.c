/* SPDX-License-Identifier: Apache-2.0 */
/* What a record shows of its document: status, due and waits, derived anew each time, and the rule
 * that keeps every record findable (R8). An ended document whose outbox is not empty is shown as
 * active, and due with it: its record ends with the last acknowledgement. */
#include "core/doc.h"

#include <string.h>

static bool is_open(const stf__incident *incident)
{
    return stf_wall_is_none(incident->retry_at);
}

static bool has_open_incident(const stf__doc *doc)
{
    for (size_t i = 0; i < doc->incident_count; i++) {
        if (is_open(&doc->incidents[i])) {
            return true;
        }
    }
    return false;
}

static uint32_t derive_status(const stf__doc *doc)
{
    static const uint32_t ended[] = {
        [STF__END_NOT] = STF_RECORD_ACTIVE,
        [STF__END_COMPLETED] = STF_RECORD_COMPLETED,
        [STF__END_TERMINATED] = STF_RECORD_TERMINATED,
        [STF__END_FAILED] = STF_RECORD_TERMINATED,
        [STF__END_CANCELLED] = STF_RECORD_TERMINATED,
    };
    if (doc->identity.kind == STF__DOC_QUEUE) {
        return doc->outbox_count > 0 ? STF_RECORD_ACTIVE : STF_RECORD_COMPLETED;
    }
    if (stf__doc_has_ended(doc)) {
        return doc->outbox_count > 0 ? STF_RECORD_ACTIVE : ended[doc->end_how];
    }
    return has_open_incident(doc) ? STF_RECORD_INCIDENT : STF_RECORD_ACTIVE;
}

static void take_earlier(stf_wall *due, stf_wall other)
{
    if (!stf_wall_is_none(other) && (stf_wall_is_none(*due) || other.us < due->us)) {
        *due = other;
    }
}

/* The earliest deadline of the flow; a document that has yielded is due since it did. */
static void add_flow_due(const stf__doc *doc, stf_wall *due)
{
    if (doc->ready_count > 0) {
        take_earlier(due, doc->ready[doc->ready_first].since);
    }
    for (size_t i = 0; i < doc->timer_count; i++) {
        take_earlier(due, doc->timers[i].due);
    }
    for (size_t i = 0; i < doc->incident_count; i++) {
        take_earlier(due, doc->incidents[i].retry_at);
    }
}

/* When others may deliver, and when a message in a queue that is not on its way has expired. */
static void add_outbox_due(const stf__doc *doc, stf_wall *due)
{
    take_earlier(due, doc->outbox_due);
    bool is_queue = doc->identity.kind == STF__DOC_QUEUE;
    for (size_t i = 0; is_queue && i < doc->outbox_count; i++) {
        if (doc->outbox[i].target.size == 0) {
            take_earlier(due, doc->outbox[i].until);
        }
    }
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
    } else if (activation->active_for == STF__FOR_CHILD) {
        add_wait(summary, STF_WAIT_CHILD, activation->child, activation->since);
    } else if (activation->work.state == STF__DURABLE_PENDING && !activation->work.is_started) {
        summary->has_unstarted = true;
        add_wait(summary, STF_WAIT_JOB, stf_str_of(activation->work.topic), activation->since);
    }
}

void stf__message_wait_key(stf_str name, stf_str key, char *ret_key)
{
    if (name.size > 0) {
        memcpy(ret_key, name.data, name.size);
    }
    ret_key[name.size] = '\0';
    if (key.size > 0) {
        memcpy(ret_key + name.size + 1, key.data, key.size);
    }
}

static stf_status add_subscription(stf__doc_summary *summary, stf__arena *arena,
                                   const stf__subscription *subscription)
{
    size_t size = subscription->name.size + 1 + subscription->key.size;
    char *key = stf__arena_alloc(arena, size);
    if (key == NULL) {
        return STF_NO_MEMORY;
    }
    stf__message_wait_key(subscription->name, subscription->key, key);
    add_wait(summary, STF_WAIT_MESSAGE, (stf_str){key, size}, subscription->since);
    return STF_OK;
}

/* Tokens at joins, and nothing that could move them: what else there is only holds them. */
static bool is_deadlocked(const stf__doc *doc)
{
    bool is_moving = doc->ready_count > 0 || doc->timer_count > 0 || doc->subscription_count > 0;
    for (size_t i = 0; !is_moving && i < doc->activation_count; i++) {
        is_moving = doc->activations[i]->active_for != STF__FOR_SCOPE;
    }
    return doc->parked_count > 0 && !is_moving;
}

static stf_status add_waits(const stf__doc *doc, stf__arena *arena, stf__doc_summary *summary)
{
    size_t most = doc->activation_count + doc->subscription_count + 1;
    summary->waits = stf__arena_alloc(arena, most * sizeof(*summary->waits));
    if (summary->waits == NULL) {
        return STF_NO_MEMORY;
    }
    if (stf__doc_is_stopped(doc)) {
        return STF_OK;
    }
    for (size_t i = 0; i < doc->activation_count; i++) {
        add_activation(summary, doc->activations[i]);
    }
    for (size_t i = 0; i < doc->subscription_count; i++) {
        stf_status status = add_subscription(summary, arena, &doc->subscriptions[i]);
        if (status != STF_OK) {
            return status;
        }
    }
    if (is_deadlocked(doc)) {
        add_wait(summary, STF_WAIT_STUCK, doc->parked[0].node, doc->parked[0].since);
    }
    return STF_OK;
}

stf_status stf__doc_summarise(const stf__doc *doc, stf__arena *arena, stf__doc_summary *ret_summary,
                              stf_error *error)
{
    stf__doc_summary summary = {
        .status = derive_status(doc), .has_outbox = doc->outbox_count > 0, .due = stf_wall_none()};
    if (!stf__doc_is_stopped(doc)) {
        add_flow_due(doc, &summary.due);
    }
    add_outbox_due(doc, &summary.due);
    for (size_t i = 0; i < doc->activation_count; i++) {
        summary.has_started = summary.has_started || doc->activations[i]->work.is_started;
    }
    if (add_waits(doc, arena, &summary) != STF_OK) {
        return stf__doc_no_memory(error);
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

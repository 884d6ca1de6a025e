/* SPDX-License-Identifier: Apache-2.0 */
/* What one list of a document says about another (doc.h), in time linear in their lengths but for
 * searches by number. The decoder asks it of stored bytes, tests ask it after every step. */
#include "core/doc.h"

enum { /* what belongs to an activation, by its place in the list */
    MARK_INCIDENT = 1,
    MARK_OWN_TIMER = 2,
    MARK_OWN_SUBSCRIPTION = 4,
    MARK_WAIT = 8, /* any timer or subscription */
    MARK_SCOPE = 16
};

typedef struct scope_facts {
    uint32_t depth;
    bool has_content;
} scope_facts;

typedef struct checking {
    const stf__doc *doc;
    uint8_t *marks;      /* by place in activations */
    scope_facts *scopes; /* by place in scopes */
} checking;

/* ---- Activations and what belongs to them */

/* The place of an activation; false: there is none. */
static bool find(const stf__doc *doc, uint64_t number, size_t *ret_at)
{
    *ret_at = stf__doc_find_place(doc, number);
    return *ret_at < doc->activation_count && doc->activations[*ret_at]->number == number;
}

/* Marks an activation; false: there is none of that number, or it has the mark already. */
static bool mark(const checking *all, uint64_t number, uint8_t bit)
{
    size_t at = 0;
    if (!find(all->doc, number, &at) || (all->marks[at] & bit) != 0) {
        return false;
    }
    all->marks[at] |= bit;
    return true;
}

static bool fits_wait(const checking *all, uint64_t number, stf_str element, uint8_t own_bit)
{
    size_t at = 0;
    if (!find(all->doc, number, &at)) {
        return false;
    }
    const stf__activation *owner = all->doc->activations[at];
    all->marks[at] |= MARK_WAIT;
    return (owner->phase == STF__PHASE_STARTING || owner->phase == STF__PHASE_ACTIVE) &&
           (!stf_str_equal(owner->element, element) || mark(all, number, own_bit));
}

/* Only failed work is tried again by itself; the instance itself may have one incident. */
static bool fits_incident(const checking *all, const stf__incident *incident, bool *has_own)
{
    if (incident->activation == 0) {
        bool is_second = *has_own;
        *has_own = true;
        return !is_second && stf_wall_is_none(incident->retry_at);
    }
    if (!mark(all, incident->activation, MARK_INCIDENT)) {
        return false;
    }
    const stf__activation *owner = stf__doc_find_activation(all->doc, incident->activation);
    return stf_wall_is_none(incident->retry_at) || owner->active_for == STF__FOR_WORK;
}

/* Work belongs to what waits for it, or is over while the flows out are not decided. */
static bool fits_work(const stf__activation *activation)
{
    uint32_t state = activation->work.state;
    if (activation->active_for == STF__FOR_WORK) {
        return state == STF__DURABLE_PENDING || state == STF__DURABLE_FAILED ||
               state == STF__DURABLE_UNKNOWN;
    }
    return state == STF__DURABLE_ABSENT ||
           (activation->phase == STF__PHASE_LEAVING && state == STF__DURABLE_COMPLETED);
}

/* What an activation waits for is there, and nothing else of that kind is. */
static bool fits_reason(const stf__activation *activation, uint8_t marks)
{
    uint32_t reason = activation->active_for;
    return (reason == STF__FOR_TIMER) == ((marks & MARK_OWN_TIMER) != 0) &&
           (reason == STF__FOR_MESSAGE) == ((marks & MARK_OWN_SUBSCRIPTION) != 0) &&
           (reason == STF__FOR_SCOPE) == ((marks & MARK_SCOPE) != 0) &&
           (reason == STF__FOR_CHILD) == (activation->child.size != 0) &&
           (reason != STF__FOR_EVENTS || (marks & MARK_WAIT) != 0);
}

static bool fits_activation(const stf__activation *activation, uint8_t marks)
{
    uint32_t state = activation->work.state;
    bool is_active = activation->phase == STF__PHASE_ACTIVE;
    bool is_stopped = !is_active || state == STF__DURABLE_FAILED || state == STF__DURABLE_UNKNOWN;
    return is_active == (activation->active_for != STF__FOR_NOTHING) &&
           (activation->flow.size == 0 || activation->phase == STF__PHASE_HELD) &&
           fits_work(activation) && is_stopped == ((marks & MARK_INCIDENT) != 0) &&
           fits_reason(activation, marks);
}

/* ---- Scopes */

/* Notes what is in a scope; false: there is no such scope. */
static bool fill_scope(const checking *all, uint64_t number)
{
    size_t at = stf__doc_find_scope_place(all->doc, number);
    if (at == all->doc->scope_count || all->doc->scopes[at].number != number) {
        return false;
    }
    all->scopes[at].has_content = true;
    return true;
}

static bool fill_scopes(const checking *all)
{
    const stf__doc *doc = all->doc;
    bool is_sound = true;
    for (size_t i = 0; is_sound && i < doc->ready_count; i++) {
        is_sound = fill_scope(all, doc->ready[doc->ready_first + i].scope);
    }
    for (size_t i = 0; is_sound && i < doc->parked_count; i++) {
        is_sound = fill_scope(all, doc->parked[i].scope);
    }
    for (size_t i = 0; is_sound && i < doc->activation_count; i++) {
        is_sound = doc->activations[i]->scope < doc->activations[i]->number &&
                   fill_scope(all, doc->activations[i]->scope);
    }
    return is_sound;
}

/* An empty one is closed as soon as no token is on its way. */
static bool fits_scope(const checking *all, size_t at)
{
    const stf__doc *doc = all->doc;
    const stf__scope *scope = &doc->scopes[at];
    const stf__activation *owner = stf__doc_find_activation(doc, scope->number);
    size_t outer = stf__doc_find_scope_place(doc, scope->parent);
    if (owner == NULL || scope->parent >= scope->number || owner->scope != scope->parent ||
        doc->scopes[outer].number != scope->parent) {
        return false;
    }
    all->scopes[at].depth = all->scopes[outer].depth + 1;
    return all->scopes[at].depth <= STF_LIMIT_SCOPE_DEPTH &&
           (all->scopes[at].has_content || doc->ready_count > 0) &&
           mark(all, scope->number, MARK_SCOPE);
}

static bool fits_scopes(const checking *all)
{
    bool is_sound = fill_scopes(all);
    for (size_t i = 1; is_sound && i < all->doc->scope_count; i++) {
        is_sound = fits_scope(all, i);
    }
    return is_sound;
}

/* ---- The outbox */

/* Which fields an entry has is a matter of its kind (core.h). */
static bool fits_send(const stf__send *send)
{
    bool is_message = send->kind == STF__SEND_MESSAGE;
    bool is_create = send->kind == STF__SEND_CREATE;
    bool is_result = send->kind == STF__SEND_RESULT;
    bool is_aimed = send->target.size != 0;
    bool is_kept = !stf_wall_is_none(send->until);
    bool has_right_texts = (send->name.size == 0 || is_message || is_create) &&
                           (send->key.size == 0 || is_message) &&
                           (send->code.size == 0 || is_result);
    bool is_addressed = is_aimed == (send->sequence != 0) && (is_aimed || is_message) &&
                        (!send->is_to_queue || (is_message && is_aimed && is_kept));
    bool has_right_numbers = is_result == (send->how != 0) && (is_message || !is_kept) &&
                             (send->target_activation == 0 || is_result) &&
                             (send->version == 0 || is_create);
    bool is_context =
        send->variables == NULL || stf_value_get_kind(send->variables) == STF_VALUE_CONTEXT;
    return send->kind >= STF__SEND_MESSAGE && send->kind <= STF__SEND_CANCEL && has_right_texts &&
           is_addressed && has_right_numbers && is_context;
}

static bool fits_outbox(const stf__doc *doc)
{
    bool is_empty = doc->outbox_count == 0;
    bool is_sound =
        is_empty == stf_wall_is_none(doc->outbox_due) && (!is_empty || doc->outbox_tries == 0) &&
        stf__doc_get_call_depth(doc) <= STF_LIMIT_CALL_DEPTH &&
        (doc->caller.id.size != 0 || (doc->caller.activation == 0 && doc->caller.depth == 0));
    for (size_t i = 0; is_sound && i < doc->outbox_count; i++) {
        is_sound = fits_send(&doc->outbox[i]);
    }
    return is_sound;
}

/* ---- The whole */

static bool fits_queue(const stf__doc *doc)
{
    const stf__doc_counters *counters = &doc->counters;
    bool is_bare = doc->identity.process.size == 0 && doc->identity.version == 0 &&
                   counters->activation == 0 && counters->incident == 0 && counters->timer == 0 &&
                   counters->yields == 0 && stf__doc_count_live(doc) == 0 &&
                   doc->incident_count == 0 && doc->scopes[0].variable_count == 0 &&
                   !stf__doc_has_ended(doc) && doc->caller.id.size == 0;
    for (size_t i = 0; is_bare && i < doc->outbox_count; i++) {
        const stf__send *send = &doc->outbox[i];
        is_bare = send->kind == STF__SEND_MESSAGE && !send->is_to_queue &&
                  stf_str_equal(send->name, doc->outbox[0].name) &&
                  stf_str_equal(send->key, doc->outbox[0].key);
    }
    return is_bare;
}

static bool fits_end(const stf__doc *doc)
{
    bool is_failed = doc->end_how == STF__END_FAILED;
    bool is_cancelled = doc->end_how == STF__END_CANCELLED;
    return (doc->end_code.size == 0 || is_failed) &&
           (doc->end_message == NULL || is_failed || is_cancelled);
}

static bool fits_whole(const stf__doc *doc)
{
    if (doc->identity.kind == STF__DOC_QUEUE) {
        return fits_queue(doc);
    }
    bool is_empty = stf__doc_count_live(doc) == 0;
    if (stf__doc_has_ended(doc)) {
        return is_empty && doc->incident_count == 0 && fits_end(doc);
    }
    bool has_begun = doc->counters.activation > 0;
    return !(is_empty && has_begun) && (doc->ready_count > 0 || doc->counters.yields == 0) &&
           fits_end(doc);
}

static bool fits_parts(const checking *all)
{
    const stf__doc *doc = all->doc;
    bool has_own_incident = false;
    bool is_sound = fits_scopes(all) && fits_outbox(doc);
    for (size_t i = 0; is_sound && i < doc->incident_count; i++) {
        is_sound = fits_incident(all, &doc->incidents[i], &has_own_incident);
    }
    for (size_t i = 0; is_sound && i < doc->timer_count; i++) {
        const stf__timer *timer = &doc->timers[i];
        is_sound = fits_wait(all, timer->activation, timer->element, MARK_OWN_TIMER);
    }
    for (size_t i = 0; is_sound && i < doc->subscription_count; i++) {
        const stf__subscription *wait = &doc->subscriptions[i];
        is_sound = fits_wait(all, wait->activation, wait->element, MARK_OWN_SUBSCRIPTION);
    }
    for (size_t i = 0; is_sound && i < doc->activation_count; i++) {
        is_sound = fits_activation(doc->activations[i], all->marks[i]);
    }
    return is_sound;
}

stf_status stf__doc_check_invariants(const stf__doc *doc)
{
    checking all = {.doc = doc};
    all.marks = stf__mem_zalloc(doc->alloc, doc->activation_count + 1);
    all.scopes = stf__mem_zalloc_array(doc->alloc, doc->scope_count, sizeof(*all.scopes));
    stf_status status = STF_NO_MEMORY;
    if (all.marks != NULL && all.scopes != NULL) {
        status = fits_whole(doc) && fits_parts(&all) ? STF_OK : STF_CORRUPT;
    }
    stf__mem_free(doc->alloc, all.marks);
    stf__mem_free(doc->alloc, all.scopes);
    return status;
}

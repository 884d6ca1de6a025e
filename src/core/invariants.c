/* SPDX-License-Identifier: Apache-2.0 */
/* What one list of a document says about another (doc.h), in time linear in their lengths. The
 * decoder asks it of stored bytes, tests ask it after every step. */
#include "core/doc.h"

enum { /* what belongs to an activation, by its place in the list */
    MARK_INCIDENT = 1,
    MARK_OWN_TIMER = 2
};

/* Marks an activation; false: there is none of that number, or it has the mark already. */
static bool mark(const stf__doc *doc, uint8_t *marks, uint64_t number, uint8_t bit)
{
    size_t at = stf__doc_find_place(doc, number);
    if (at == doc->activation_count || doc->activations[at]->number != number ||
        (marks[at] & bit) != 0) {
        return false;
    }
    marks[at] |= bit;
    return true;
}

static bool fits_timer(const stf__doc *doc, uint8_t *marks, const stf__timer *timer)
{
    const stf__activation *owner = stf__doc_find_activation(doc, timer->activation);
    if (owner == NULL ||
        (owner->phase != STF__PHASE_STARTING && owner->phase != STF__PHASE_ACTIVE)) {
        return false;
    }
    return !stf_str_equal(owner->element, timer->element) ||
           mark(doc, marks, timer->activation, MARK_OWN_TIMER);
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

static bool fits_activation(const stf__activation *activation, uint8_t marks)
{
    uint32_t state = activation->work.state;
    bool is_active = activation->phase == STF__PHASE_ACTIVE;
    bool is_stopped = !is_active || state == STF__DURABLE_FAILED || state == STF__DURABLE_UNKNOWN;
    return is_active == (activation->active_for != STF__FOR_NOTHING) &&
           (activation->flow.size == 0 || activation->phase == STF__PHASE_HELD) &&
           fits_work(activation) && is_stopped == ((marks & MARK_INCIDENT) != 0) &&
           (activation->active_for == STF__FOR_TIMER) == ((marks & MARK_OWN_TIMER) != 0);
}

static bool fits_whole(const stf__doc *doc)
{
    bool is_empty = stf__doc_count_live(doc) == 0;
    if (stf__doc_has_ended(doc)) {
        return is_empty;
    }
    bool has_begun = doc->counters.activation > 0;
    return !(is_empty && has_begun) && (doc->ready_count > 0 || doc->counters.yields == 0);
}

static bool fits_parts(const stf__doc *doc, uint8_t *marks)
{
    for (size_t i = 0; i < doc->incident_count; i++) {
        if (!mark(doc, marks, doc->incidents[i].activation, MARK_INCIDENT)) {
            return false;
        }
    }
    for (size_t i = 0; i < doc->timer_count; i++) {
        if (!fits_timer(doc, marks, &doc->timers[i])) {
            return false;
        }
    }
    for (size_t i = 0; i < doc->activation_count; i++) {
        if (!fits_activation(doc->activations[i], marks[i])) {
            return false;
        }
    }
    return true;
}

stf_status stf__doc_check_invariants(const stf__doc *doc)
{
    uint8_t *marks = stf__mem_zalloc(doc->alloc, doc->activation_count + 1);
    if (marks == NULL) {
        return STF_NO_MEMORY;
    }
    bool is_sound = fits_whole(doc) && fits_parts(doc, marks);
    stf__mem_free(doc->alloc, marks);
    return is_sound ? STF_OK : STF_CORRUPT;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* WAKE: what time alone does. In order: the flow goes on after a yield; what is due fires, by
 * deadline, timers before retries and each in the order of their numbers; an outbox's due moves on.
 * The consequences of each firing come to rest before the next, so what an earlier one ends takes
 * the later one along. What is armed in this turn waits for the next one, so that every round of a
 * loop is saved. A document that is poisoned (R15) fires nothing; its outbox still leaves. */
#include "core/step.h"

/* ---- What is due */

/* The timer that is due first, of those armed before number_limit: deadline, then arming. */
static bool find_timer(const stf__doc *doc, stf_wall now, uint64_t number_limit, size_t *ret_index)
{
    bool is_found = false;
    for (size_t i = 0; i < doc->timer_count; i++) {
        const stf__timer *timer = &doc->timers[i];
        if (timer->due.us > now.us || timer->number > number_limit) {
            continue;
        }
        if (!is_found || timer->due.us < doc->timers[*ret_index].due.us) {
            *ret_index = i;
            is_found = true;
        }
    }
    return is_found;
}

/* Only a non-interrupting boundary event outlives its firing. It is armed again before anything
 * else happens: should its activity end in this step, the timer goes with it. */
static stf_status fire_timer(stf__step *step, size_t index)
{
    stf__timer timer = step->doc->timers[index];
    stf__activation *activation = stf__doc_find_activation(step->doc, timer.activation);
    const stf__node *node = NULL;
    stf_status status = stf__step_find_node(step, timer.element, &node);
    if (status != STF_OK) {
        return status;
    }
    if (activation == NULL) {
        return stf_error_set(step->error, STF_CORRUPT, "CORE", "the timer \"%.*s\" has no owner",
                             STF_STR_ARG(timer.element));
    }
    stf__doc_remove_timer(step->doc, index);
    status =
        stf__step_tell(step, STF_FACT_TIMER_FIRED, timer.activation, node->id, (stf_str){NULL, 0});
    bool stays = timer.cycle.size > 0 && node->attached_to != STF__NONE && !node->is_interrupting;
    if (status == STF_OK && stays) {
        status = stf__step_arm_again(step, &timer);
    }
    return status == STF_OK ? stf__step_trigger(step, activation, node) : status;
}

/* Fires one; *ret_did false: nothing is due. */
static stf_status fire_first(stf__step *step, uint64_t number_limit, bool *ret_did)
{
    const stf__doc *doc = step->doc;
    size_t timer = 0;
    size_t retry = 0;
    bool has_timer = find_timer(doc, step->now, number_limit, &timer);
    bool has_retry =
        stf__step_find_retry(step, &retry) && doc->incidents[retry].retry_at.us <= step->now.us;
    *ret_did = has_timer || has_retry;
    if (has_timer &&
        (!has_retry || doc->timers[timer].due.us <= doc->incidents[retry].retry_at.us)) {
        return fire_timer(step, timer);
    }
    return has_retry ? stf__step_run_retry(step, retry) : STF_OK;
}

static stf_status fire_all(stf__step *step)
{
    uint64_t armed = step->doc->counters.timer;
    bool did = true;
    stf_status status = stf__step_come_to_rest(step);
    while (status == STF_OK && did && !step->effects->has_yielded) {
        status = fire_first(step, armed, &did);
        if (status == STF_OK && did) {
            status = stf__step_come_to_rest(step);
        }
    }
    return status;
}

/* ---- The outbox */

static bool has_expired(const stf__send *send, stf_wall now)
{
    return send->kind == STF__SEND_MESSAGE && send->sequence == 0 &&
           !stf_wall_is_none(send->until) && send->until.us <= now.us;
}

/* Messages of a queue that nobody came for. One that is aimed at somebody may be there already:
 * what becomes of it is said by its acknowledgement. */
static stf_status drop_expired(stf__step *step)
{
    stf__doc *doc = step->doc;
    stf_status status = STF_OK;
    size_t index = 0;
    while (status == STF_OK && index < doc->outbox_count) {
        const stf__send *send = &doc->outbox[index];
        if (!has_expired(send, step->now)) {
            index++;
            continue;
        }
        status = stf__step_tell(step, STF_FACT_MESSAGE_DROPPED, 0, send->element, send->name);
        stf__doc_remove_send(doc, send->number);
    }
    return status;
}

/* ---- WAKE */

stf_status stf__step_wake(stf__step *step)
{
    const stf__doc *doc = step->doc;
    stf_status status = STF_OK;
    if (doc->identity.kind == STF__DOC_QUEUE) {
        status = drop_expired(step);
    } else if (!stf__doc_is_stopped(doc)) {
        status = fire_all(step);
    }
    if (status == STF_OK) {
        stf__doc_postpone_outbox(step->doc, step->now);
    }
    return status;
}

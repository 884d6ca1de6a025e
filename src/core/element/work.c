/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that call a handler: service, send, script and business rule tasks. The run is a durable
 * operation embedded in the activation (R2): pending, started (stf__doc_mark_started), then
 * completed, failed or unknown, and every edge is the table's of durable/. The attempt grows by a
 * saved retry only; the failures that are part of the downstream key grow only when it is certain
 * that the attempt did not succeed (R6). */
#include "core/element/work.h"
#include "core/element/families.h"
#include "core/step.h"

static stf_status set_topic(stf__step *step, stf__activation *activation, stf_str topic)
{
    char *own = stf__mem_copy_str(step->doc->alloc, topic);
    if (own == NULL) {
        return stf__doc_no_memory(step->error);
    }
    stf__mem_free(step->doc->alloc, activation->work.topic);
    activation->work.topic = own;
    return STF_OK;
}

/* The topic of this run; *ret_is_ok false: an incident says why there is none. */
static stf_status resolve_topic(stf__step *step, stf__activation *activation, const stf__node *node,
                                bool *ret_is_ok)
{
    *ret_is_ok = true;
    if (node->topic_expr == NULL) {
        return set_topic(step, activation, node->topic);
    }
    stf__expr_site site = {.what = "topic of", .id = node->id, .line = node->line};
    stf_value *text = NULL;
    stf_status status = stf__step_eval_text(step, activation, node->topic_expr, &site,
                                            STF__INCIDENT_EXPRESSION, ret_is_ok, &text);
    if (status != STF_OK || !*ret_is_ok) {
        return status;
    }
    status = set_topic(step, activation, stf_value_peek_string(text));
    stf_value_unref(text);
    return status;
}

/* A new attempt begins its life as a claimed operation that nobody has started. */
static void begin_attempt(stf__work *work)
{
    work->state =
        stf__durable_decide(STF__DURABLE_ABSENT, STF__DURABLE_CLAIM, 0, STF__CRASH_UNKNOWN).to;
    work->attempt++;
    work->is_started = false;
    work->is_idempotent_handler = false;
}

stf_status stf__work_start(stf__step *step, stf__activation *activation, const stf__node *node)
{
    bool is_ok = false;
    stf_status status = resolve_topic(step, activation, node, &is_ok);
    if (status != STF_OK || !is_ok) {
        return status;
    }
    activation->work.is_idempotent_task = node->is_idempotent;
    begin_attempt(&activation->work);
    stf__step_wait(activation, STF__FOR_WORK);
    return STF_OK;
}

/* How an outcome is told to the table, by whoever ran it or by who found out, and to people. */
typedef struct outcome_rule {
    stf__durable_call call;
    stf__durable_call resolve;
    stf_fact_kind fact;
    stf__incident_kind incident;
} outcome_rule;

static const outcome_rule outcome_rules[] = {
    [STF__WORK_COMPLETED] = {STF__DURABLE_COMPLETE, STF__DURABLE_RESOLVE_COMPLETED,
                             STF_FACT_WORK_COMPLETED, 0},
    [STF__WORK_BPMN_ERROR] = {STF__DURABLE_FAIL, STF__DURABLE_RESOLVE_FAILED, STF_FACT_WORK_FAILED,
                              STF__INCIDENT_BPMN_ERROR},
    [STF__WORK_FAILED] = {STF__DURABLE_FAIL, STF__DURABLE_RESOLVE_FAILED, STF_FACT_WORK_FAILED,
                          STF__INCIDENT_FAILED},
    [STF__WORK_UNKNOWN] = {STF__DURABLE_MARK_UNKNOWN, STF__DURABLE_MARK_UNKNOWN,
                           STF_FACT_WORK_UNKNOWN, STF__INCIDENT_UNKNOWN},
};

/* What the event proves about the operation. Without an incarnation it claims to be current; people
 * who found something out ran nothing, so an incarnation says nothing about their answer. */
static uint32_t guards_of(const stf__work *work, const stf__event *event)
{
    uint32_t guards = STF__GUARD_SAME_IDENTITY | STF__GUARD_SAME_ATTEMPT;
    if (event->incarnation == 0 || event->incarnation == work->incarnation ||
        event->kind == STF__EVENT_RESOLVE) {
        guards |= STF__GUARD_FENCE;
    }
    /* An operation becomes unknown only from a started one. */
    if (work->is_started || work->state == STF__DURABLE_UNKNOWN) {
        guards |= STF__GUARD_STARTED;
    }
    return guards;
}

/* Of idempotent work nobody has to find out whether it took effect: to people it has failed and may
 * be retried. The operation stays unknown, so that the retry sends the same key. */
static stf__incident_kind incident_of(const stf__work *work, stf__work_outcome outcome)
{
    bool is_idempotent = work->is_idempotent_task || work->is_idempotent_handler;
    return outcome == STF__WORK_UNKNOWN && is_idempotent ? STF__INCIDENT_FAILED
                                                         : outcome_rules[outcome].incident;
}

static stf__durable_decision decide(const stf__work *work, const stf__event *event)
{
    const outcome_rule *rule = &outcome_rules[event->outcome];
    bool is_found_out = event->kind == STF__EVENT_RESOLVE && work->state == STF__DURABLE_UNKNOWN;
    return stf__durable_decide((stf__durable_state)work->state,
                               is_found_out ? rule->resolve : rule->call, guards_of(work, event),
                               STF__CRASH_UNKNOWN);
}

/* Where the outcome leads: on, outward as an error, or to people or another try. */
static stf_status follow(stf__step *step, stf__activation *activation, const stf__node *node,
                         const stf__event *event)
{
    if (event->outcome == STF__WORK_COMPLETED) {
        return stf__step_finish(step, activation, node);
    }
    if (event->outcome == STF__WORK_BPMN_ERROR) {
        stf__thrown thrown = {.code = event->code, .message = event->message};
        return stf__step_throw(step, activation, &thrown);
    }
    stf__trouble trouble = {.kind = incident_of(&activation->work, event->outcome),
                            .line = node->line,
                            .message = event->message};
    if (event->kind == STF__EVENT_RESOLVE) {
        return stf__step_open_incident(step, activation, &trouble); /* people have it in hand */
    }
    return stf__step_fail_work(step, activation, node, &trouble,
                               event->kind == STF__EVENT_JOB ? event->retries : -1);
}

static stf_status take_outcome(stf__step *step, stf__activation *activation, const stf__node *node,
                               const stf__event *event)
{
    stf__work *work = &activation->work;
    stf__durable_decision decision = decide(work, event);
    if (!decision.writes) {
        return stf__step_tell(step, STF_FACT_RESULT_DROPPED, activation->number, node->id,
                              stf_str_of("the attempt is over"));
    }
    /* An attempt that was unknown and is settled by its own late answer (R12), or by people. */
    stf_status status =
        stf__step_close_incident(step, activation->number, STF_FACT_INCIDENT_RESOLVED);
    if (status != STF_OK) {
        return status;
    }
    work->state = decision.to;
    work->is_started = false;
    status = stf__step_tell(step, outcome_rules[event->outcome].fact, activation->number, node->id,
                            event->code.size != 0 ? event->code : stf_str_of(work->topic));
    if (status == STF_OK) {
        status =
            stf__doc_merge_variables(step->doc, activation->scope, event->variables, step->error);
    }
    return status == STF_OK ? follow(step, activation, node, event) : status;
}

stf_status stf__work_on_work(stf__step *step, stf__activation *activation, const stf__node *node,
                             const stf__event *event)
{
    stf__work *work = &activation->work;
    if (event->kind == STF__EVENT_RESOLVE && work->state == STF__DURABLE_FAILED) {
        /* Somebody did what had failed: a new attempt, begun and answered in this step. */
        stf_status status = stf__work_retry(step, activation, node);
        if (status != STF_OK) {
            return status;
        }
        work->state =
            stf__durable_decide((stf__durable_state)work->state, STF__DURABLE_START,
                                STF__GUARD_FENCE | STF__GUARD_SAME_IDENTITY, STF__CRASH_UNKNOWN)
                .to;
    } else if (event->kind != STF__EVENT_RESOLVE && event->attempt != work->attempt) {
        return stf__step_tell(step, STF_FACT_RESULT_DROPPED, activation->number, node->id,
                              stf_str_of("the attempt is over"));
    }
    return take_outcome(step, activation, node, event);
}

stf_status stf__work_retry(stf__step *step, stf__activation *activation, const stf__node *node)
{
    (void)step;
    (void)node;
    if (activation->work.state == STF__DURABLE_FAILED) {
        activation->work.definitive_failures++;
    }
    begin_attempt(&activation->work);
    return STF_OK;
}

const stf__processor stf__element_work = {
    .start = stf__work_start, .on_work = stf__work_on_work, .retry = stf__work_retry};

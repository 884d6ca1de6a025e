/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that call a handler: service, send, script and business rule tasks. The run is a durable
 * operation embedded in the activation (R2): pending, started (stf__doc_mark_started), then
 * completed, failed or unknown, and every edge is the table's of durable/. The attempt grows by a
 * saved retry only; the failures that are part of the downstream key grow only when it is certain
 * that the attempt did not succeed (R6). */
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

static stf_status start(stf__step *step, stf__activation *activation, const stf__node *node)
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

/* How an outcome is told to the table and to people. */
typedef struct outcome_rule {
    stf__durable_call call;
    stf_fact_kind fact;
    stf__incident_kind incident;
} outcome_rule;

static const outcome_rule outcome_rules[] = {
    [STF__WORK_COMPLETED] = {STF__DURABLE_COMPLETE, STF_FACT_WORK_COMPLETED, 0},
    [STF__WORK_BPMN_ERROR] = {STF__DURABLE_FAIL, STF_FACT_WORK_FAILED, STF__INCIDENT_BPMN_ERROR},
    [STF__WORK_FAILED] = {STF__DURABLE_FAIL, STF_FACT_WORK_FAILED, STF__INCIDENT_FAILED},
    [STF__WORK_UNKNOWN] = {STF__DURABLE_MARK_UNKNOWN, STF_FACT_WORK_UNKNOWN, STF__INCIDENT_UNKNOWN},
};

/* What the event proves about the operation. Without an incarnation it claims to be current. */
static uint32_t guards_of(const stf__work *work, const stf__event *event)
{
    uint32_t guards = STF__GUARD_SAME_IDENTITY | STF__GUARD_SAME_ATTEMPT;
    if (event->incarnation == 0 || event->incarnation == work->incarnation) {
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

static stf_status on_work(stf__step *step, stf__activation *activation, const stf__node *node,
                          const stf__event *event)
{
    stf__work *work = &activation->work;
    const outcome_rule *rule = &outcome_rules[event->outcome];
    stf__durable_decision decision = stf__durable_decide(
        (stf__durable_state)work->state, rule->call, guards_of(work, event), STF__CRASH_UNKNOWN);
    if (event->attempt != work->attempt || !decision.writes) {
        return stf__step_tell(step, STF_FACT_RESULT_DROPPED, activation->number, node->id,
                              stf_str_of("the attempt is over"));
    }
    /* An attempt that was unknown and is settled by its own late answer (R12). */
    stf_status status =
        stf__step_close_incident(step, activation->number, STF_FACT_INCIDENT_RESOLVED);
    if (status != STF_OK) {
        return status;
    }
    work->state = decision.to;
    work->is_started = false;
    status = stf__step_tell(step, rule->fact, activation->number, node->id,
                            event->code.size != 0 ? event->code : stf_str_of(work->topic));
    if (status == STF_OK) {
        status =
            stf__doc_merge_variables(step->doc, activation->scope, event->variables, step->error);
    }
    if (status != STF_OK) {
        return status;
    }
    if (rule->incident == 0) {
        return stf__step_finish(step, activation, node);
    }
    stf__trouble trouble = {.kind = incident_of(work, event->outcome),
                            .line = node->line,
                            .code = event->code,
                            .message = event->message};
    return stf__step_open_incident(step, activation, &trouble);
}

static stf_status retry(stf__step *step, stf__activation *activation, const stf__node *node)
{
    (void)step;
    (void)node;
    if (activation->work.state == STF__DURABLE_FAILED) {
        activation->work.definitive_failures++;
    }
    begin_attempt(&activation->work);
    return STF_OK;
}

const stf__processor stf__element_work = {.start = start, .on_work = on_work, .retry = retry};

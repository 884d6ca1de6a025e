/* SPDX-License-Identifier: Apache-2.0 */
/* Answers for work: of the handler that ran it, of somebody who did it without one, and what
 * recovery makes of work whose engine is gone. The transition table of durable/ decides each time;
 * the attempt never grows here (R2, R6). */
#include "core/event.h"

/* The activation's node, which calls a handler. */
static stf_status find_work_node(const stf__step *step, const stf__activation *activation,
                                 const stf__node **ret_node)
{
    stf_status status = stf__step_find_node(step, activation->element, ret_node);
    if (status == STF_OK && stf__element_get_processor((*ret_node)->kind)->on_work == NULL) {
        return stf_error_set(step->error, STF_CORRUPT, "CORE", "\"%.*s\" calls no handler",
                             STF_STR_ARG(activation->element));
    }
    return status;
}

static stf_status check_outcome(const stf__step *step, const stf__event *event)
{
    if (event->outcome < STF__WORK_COMPLETED || event->outcome > STF__WORK_UNKNOWN) {
        return stf_error_set(step->error, STF_INVALID_ARGUMENT, "CORE", "no such outcome of work");
    }
    return STF_OK;
}

/* Hands the answer to the element, its texts fit to be stored. */
static stf_status take_answer(stf__step *step, stf__activation *activation, const stf__node *node,
                              const stf__event *event)
{
    stf__event clean = *event;
    stf_status status = stf__step_clean_text(step, event->code, STF_LIMIT_ID_BYTES, &clean.code);
    if (status == STF_OK) {
        status = stf__step_clean_text(step, event->message, STF__MESSAGE_BYTES_MAX, &clean.message);
    }
    if (status == STF_OK) {
        status = stf__element_get_processor(node->kind)->on_work(step, activation, node, &clean);
    }
    return status == STF_OK ? stf__step_come_to_rest(step) : status;
}

/* ---- WORK */

stf_status stf__event_work(stf__step *step, const stf__event *event)
{
    const stf__node *node = NULL;
    stf_status status = check_outcome(step, event);
    if (status != STF_OK) {
        return status;
    }
    stf__activation *activation = stf__doc_find_activation(step->doc, event->activation);
    if (activation == NULL || activation->work.state == STF__DURABLE_ABSENT) {
        return stf__step_tell(step, STF_FACT_RESULT_DROPPED, event->activation, event->element,
                              stf_str_of("the activation is gone"));
    }
    status = find_work_node(step, activation, &node);
    return status == STF_OK ? take_answer(step, activation, node, event) : status;
}

/* ---- RECOVER */

/* Work that was started under an older incarnation and has no result: what the table makes of it is
 * the task's crash policy. The attempt never grows here (R6). */
static stf_status recover_one(stf__step *step, stf__activation *activation, int64_t incarnation)
{
    stf__work *work = &activation->work;
    stf__crash_policy policy = work->is_idempotent_task || work->is_idempotent_handler
                                   ? STF__CRASH_IDEMPOTENT
                                   : STF__CRASH_UNKNOWN;
    stf__durable_decision decision =
        stf__durable_decide((stf__durable_state)work->state, STF__DURABLE_CLAIM,
                            STF__GUARD_SAME_IDENTITY | STF__GUARD_STARTED, policy);
    work->state = decision.to;
    work->is_started = false;
    work->incarnation = incarnation;
    if (decision.answer != STF__ANSWER_UNKNOWN) {
        work->is_idempotent_handler = false;
        return STF_OK;
    }
    const stf__node *node = NULL;
    stf_status status = stf__step_find_node(step, activation->element, &node);
    if (status == STF_OK) {
        status = stf__step_tell(step, STF_FACT_WORK_UNKNOWN, activation->number,
                                activation->element, stf_str_of(work->topic));
    }
    if (status != STF_OK) {
        return status;
    }
    stf__trouble trouble = {
        .kind = STF__INCIDENT_UNKNOWN,
        .line = node->line,
        .message = stf_str_of("the engine that ran the handler stopped before it answered: whether "
                              "the work took effect is not known")};
    return stf__step_open_incident(step, activation, &trouble);
}

stf_status stf__event_recover(stf__step *step, const stf__event *event)
{
    stf__doc *doc = step->doc;
    stf_status status = STF_OK;
    for (size_t i = 0; status == STF_OK && i < doc->activation_count; i++) {
        stf__activation *activation = doc->activations[i];
        if (activation->work.is_started && activation->work.incarnation < event->incarnation) {
            status = recover_one(step, activation, event->incarnation);
        }
    }
    return status;
}

/* ---- JOB */

/* By its activation; or else by its element; or else by its topic. */
static bool is_meant(const stf__activation *activation, const stf__event *event)
{
    if (event->activation != 0 && activation->number != event->activation) {
        return false;
    }
    if (event->element.size > 0) {
        return stf_str_equal(activation->element, event->element);
    }
    return event->activation != 0 ||
           stf_str_equal(stf_str_of(activation->work.topic), event->topic);
}

static stf_status find_job(const stf__step *step, const stf__event *event,
                           stf__activation **ret_activation)
{
    const stf__doc *doc = step->doc;
    stf__activation *found = NULL;
    bool is_started = false;
    for (size_t i = 0; i < doc->activation_count; i++) {
        stf__activation *activation = doc->activations[i];
        if (activation->work.state != STF__DURABLE_PENDING || !is_meant(activation, event)) {
            continue;
        }
        if (activation->work.is_started) {
            is_started = true;
            continue;
        }
        if (found != NULL) {
            return stf_error_set(step->error, STF_INVALID_STATE, "CORE",
                                 "several such jobs wait in instance \"%.*s\": name one",
                                 STF_STR_ARG(doc->identity.id));
        }
        found = activation;
    }
    if (found == NULL) {
        return stf_error_set(step->error, is_started ? STF_INVALID_STATE : STF_NOT_FOUND, "CORE",
                             "%s in instance \"%.*s\"",
                             is_started ? "a handler runs that job" : "no such job waits",
                             STF_STR_ARG(doc->identity.id));
    }
    *ret_activation = found;
    return STF_OK;
}

/* As if it were started and answered in one step: nobody else can have begun it, since whoever
 * starts work saves that first. */
stf_status stf__event_job(stf__step *step, const stf__event *event)
{
    stf__activation *activation = NULL;
    const stf__node *node = NULL;
    stf_status status = check_outcome(step, event);
    if (status == STF_OK) {
        status = find_job(step, event, &activation);
    }
    if (status == STF_OK) {
        status = find_work_node(step, activation, &node);
    }
    if (status == STF_OK) {
        status = stf__doc_mark_started(step->doc, activation->number, activation->work.incarnation,
                                       false, step->now, step->effects, step->error);
    }
    if (status != STF_OK) {
        return status;
    }
    stf__event answer = *event;
    answer.attempt = activation->work.attempt;
    answer.incarnation = 0;
    return take_answer(step, activation, node, &answer);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What is done about incidents: retried, resolved, dropped; and the one of the instance itself
 * (R15). */
#include "core/event.h"

/* By its number; 0: the only one. */
static stf_status find_incident(const stf__step *step, uint64_t number,
                                const stf__incident **ret_incident)
{
    const stf__doc *doc = step->doc;
    if (number == 0 && doc->incident_count > 1) {
        return stf_error_set(step->error, STF_INVALID_STATE, "CORE",
                             "several incidents are open: name one");
    }
    for (size_t i = 0; i < doc->incident_count; i++) {
        if (number == 0 || doc->incidents[i].number == number) {
            *ret_incident = &doc->incidents[i];
            return STF_OK;
        }
    }
    return stf_error_set(step->error, STF_NOT_FOUND, "CORE", "no such incident is open");
}

/* The activation of an incident and its node; NULL with OK: the incident is the instance's own. */
static stf_status find_owner(const stf__step *step, uint64_t number,
                             stf__activation **ret_activation, const stf__node **ret_node)
{
    const stf__incident *incident = NULL;
    stf_status status = find_incident(step, number, &incident);
    *ret_activation = NULL;
    if (status != STF_OK || incident == NULL || incident->activation == 0) {
        return status;
    }
    *ret_activation = stf__doc_find_activation(step->doc, incident->activation);
    if (*ret_activation == NULL) {
        return stf_error_set(step->error, STF_CORRUPT, "CORE", "an incident of no activation");
    }
    return stf__step_find_node(step, (*ret_activation)->element, ret_node);
}

/* ---- RETRY */

stf_status stf__event_retry(stf__step *step, const stf__event *event)
{
    stf__activation *activation = NULL;
    const stf__node *node = NULL;
    stf_status status = find_owner(step, event->incident, &activation, &node);
    if (status == STF_OK) {
        status = stf__step_close_incident(step, activation != NULL ? activation->number : 0,
                                          STF_FACT_INCIDENT_RESOLVED);
    }
    if (status == STF_OK && activation != NULL) {
        activation->work.retries = 0; /* somebody looked: the policy begins anew */
        status = stf__step_resume(step, activation, node);
    }
    return status == STF_OK ? stf__step_come_to_rest(step) : status;
}

/* ---- RESOLVE */

static stf_status refuse_resolve(const stf__step *step)
{
    return stf_error_set(step->error, STF_INVALID_STATE, "CORE",
                         "the incident is not about work that was begun: retry or drop it");
}

stf_status stf__event_resolve(stf__step *step, const stf__event *event)
{
    stf__activation *activation = NULL;
    const stf__node *node = NULL;
    if (event->outcome < STF__WORK_COMPLETED || event->outcome > STF__WORK_FAILED) {
        return stf_error_set(step->error, STF_INVALID_ARGUMENT, "CORE",
                             "an incident is resolved as completed, a BPMN error or failed");
    }
    stf_status status = find_owner(step, event->incident, &activation, &node);
    if (status != STF_OK) {
        return status;
    }
    if (activation == NULL || activation->active_for != STF__FOR_WORK) {
        return refuse_resolve(step);
    }
    const stf__processor *processor = stf__element_get_processor(node->kind);
    if (processor->on_work == NULL) {
        return stf_error_set(step->error, STF_CORRUPT, "CORE", "\"%.*s\" calls no handler",
                             STF_STR_ARG(node->id));
    }
    stf__event clean = *event;
    status = stf__step_clean_text(step, event->code, STF_LIMIT_ID_BYTES, &clean.code);
    if (status == STF_OK) {
        status = stf__step_clean_text(step, event->message, STF__MESSAGE_BYTES_MAX, &clean.message);
    }
    if (status == STF_OK) {
        status = processor->on_work(step, activation, node, &clean);
    }
    return status == STF_OK ? stf__step_come_to_rest(step) : status;
}

/* ---- DROP */

stf_status stf__event_drop(stf__step *step, const stf__event *event)
{
    stf__activation *activation = NULL;
    const stf__node *node = NULL;
    stf_status status = find_owner(step, event->incident, &activation, &node);
    if (status != STF_OK) {
        return status;
    }
    if (activation == NULL) {
        return stf_error_set(step->error, STF_INVALID_STATE, "CORE",
                             "the incident is the whole instance's: retry it or cancel the "
                             "instance");
    }
    status = stf__step_cancel(step, activation);
    return status == STF_OK ? stf__step_come_to_rest(step) : status;
}

/* ---- POISON */

/* What the dead engine had started is settled first: nothing runs while the instance is stopped. */
stf_status stf__event_poison(stf__step *step, const stf__event *event)
{
    if (stf__doc_is_stopped(step->doc)) {
        return stf_error_set(step->error, STF_INVALID_STATE, "CORE",
                             "instance \"%.*s\" is stopped already",
                             STF_STR_ARG(step->doc->identity.id));
    }
    stf__trouble trouble = {.kind = STF__INCIDENT_POISON, .message = event->message};
    stf_status status = stf__event_recover(step, event);
    return status == STF_OK ? stf__step_open_incident(step, NULL, &trouble) : status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What people do to an instance: they complete tasks and write variables. */
#include "core/event.h"

#include <stdio.h>

/* ---- TASK */

static bool is_open_task(const stf__activation *activation)
{
    return activation->phase == STF__PHASE_ACTIVE && activation->active_for == STF__FOR_TASK;
}

static stf_status find_task(const stf__step *step, const stf__event *event,
                            stf__activation **ret_activation)
{
    const stf__doc *doc = step->doc;
    stf__activation *found = NULL;
    for (size_t i = 0; i < doc->activation_count; i++) {
        stf__activation *activation = doc->activations[i];
        bool is_meant = event->activation != 0
                            ? activation->number == event->activation &&
                                  (event->element.size == 0 ||
                                   stf_str_equal(activation->element, event->element))
                            : stf_str_equal(activation->element, event->element);
        if (!is_meant || !is_open_task(activation)) {
            continue;
        }
        if (found != NULL) {
            return stf_error_set(step->error, STF_INVALID_STATE, "CORE",
                                 "several tasks wait at \"%.*s\": name one",
                                 STF_STR_ARG(event->element));
        }
        found = activation;
    }
    if (found == NULL) {
        return stf_error_set(step->error, STF_NOT_FOUND, "CORE",
                             "no such task waits in instance \"%.*s\"",
                             STF_STR_ARG(doc->identity.id));
    }
    *ret_activation = found;
    return STF_OK;
}

stf_status stf__event_task(stf__step *step, const stf__event *event)
{
    stf__activation *activation = NULL;
    const stf__node *node = NULL;
    stf_status status = find_task(step, event, &activation);
    if (status != STF_OK || activation == NULL) {
        return status;
    }
    status = stf__step_find_node(step, activation->element, &node);
    if (status != STF_OK) {
        return status;
    }
    const stf__processor *processor = stf__element_get_processor(node->kind);
    if (processor->on_task == NULL) {
        return stf_error_set(step->error, STF_CORRUPT, "CORE", "\"%.*s\" is no task for people",
                             STF_STR_ARG(node->id));
    }
    status = stf__doc_merge_variables(step->doc, activation->scope, event->variables, step->error);
    if (status == STF_OK) {
        status = processor->on_task(step, activation, node);
    }
    return status == STF_OK ? stf__step_come_to_rest(step) : status;
}

/* ---- VARIABLES */

/* The scope of the only active sub-process at an element; of the process without one. */
static stf_status find_scope(const stf__step *step, stf_str element, uint64_t *ret_scope)
{
    const stf__doc *doc = step->doc;
    uint64_t found = 0;
    for (size_t i = 0; element.size > 0 && i < doc->activation_count; i++) {
        const stf__activation *activation = doc->activations[i];
        if (activation->active_for != STF__FOR_SCOPE ||
            !stf_str_equal(activation->element, element)) {
            continue;
        }
        if (found != 0) {
            return stf_error_set(step->error, STF_INVALID_STATE, "CORE",
                                 "sub-process \"%.*s\" is active several times",
                                 STF_STR_ARG(element));
        }
        found = activation->number;
    }
    if (found == 0 && element.size > 0) {
        return stf_error_set(step->error, STF_NOT_FOUND, "CORE",
                             "no sub-process \"%.*s\" is active in instance \"%.*s\"",
                             STF_STR_ARG(element), STF_STR_ARG(doc->identity.id));
    }
    *ret_scope = found;
    return STF_OK;
}

stf_status stf__event_variables(stf__step *step, const stf__event *event)
{
    uint64_t scope = 0;
    stf_status status = find_scope(step, event->element, &scope);
    size_t count = stf_value_count(event->variables);
    for (size_t i = 0; status == STF_OK && i < count; i++) {
        stf_str name = stf_value_peek_key(event->variables, i);
        status = stf__doc_set_variable(step->doc, scope, name,
                                       stf_value_peek(event->variables, name), step->error);
    }
    if (status != STF_OK) {
        return status;
    }
    char text[24]; /* names and counts, never values */
    (void)snprintf(text, sizeof(text), "%zu", count);
    return stf__step_tell(step, STF_FACT_VARIABLES_SET, scope, event->element, stf_str_of(text));
}

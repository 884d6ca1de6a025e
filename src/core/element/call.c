/* SPDX-License-Identifier: Apache-2.0 */
/* Call activities: another process runs as an instance of its own, which is made, told to end and
 * heard through the outbox. Its id is the hex creation nonce of this instance, the activation and
 * the number of the entry that makes it, so each attempt to call has one of its own and a delivery
 * that is repeated makes no second one (R18).
 *
 * Calls go no deeper than STF_LIMIT_CALL_DEPTH, whoever calls whom.
 *
 * A call that came to nothing stops the activity before its start: its boundary events stay armed,
 * and a retry calls anew. Once the called instance has completed it never runs again, whatever
 * becomes of its outputs. */
#include "core/element/families.h"
#include "core/step.h"

#include <stepfast/limits.h>

/* The process to be called; *ret_key has one reference, or is NULL for a literal. */
static stf_status find_process(stf__step *step, const stf__activation *activation,
                               const stf__node *node, bool *ret_is_ok, stf_str *ret_process,
                               stf_value **ret_key)
{
    *ret_is_ok = true;
    *ret_process = node->call->process;
    if (node->call->process_expr == NULL) {
        return STF_OK;
    }
    stf__expr_site site = {.what = "process called by", .id = node->id, .line = node->line};
    stf_status status = stf__step_eval_text(step, activation, node->call->process_expr, &site,
                                            STF__INCIDENT_CALL, ret_is_ok, ret_key);
    if (status == STF_OK && *ret_is_ok) {
        *ret_process = stf_value_peek_string(*ret_key);
    }
    return status;
}

static stf_status send_create(stf__step *step, stf__activation *activation, const stf__node *node,
                              stf_str process, const stf_value *variables)
{
    stf__doc *doc = step->doc;
    char id[STF__WORK_KEY_BYTES];
    stf__send_item item = {.kind = STF__SEND_CREATE,
                           .activation = activation->number,
                           .version = node->call->version,
                           .element = activation->element,
                           .name = process,
                           .variables = variables,
                           .until = stf_wall_none(),
                           .since = step->now};
    stf_str child;
    stf_status status = stf__doc_intern(
        doc, stf__doc_format_key(doc, activation->number, doc->counters.send + 1, id), &child,
        step->error);
    if (status != STF_OK) {
        return status;
    }
    item.target = child;
    bool is_ok = false;
    status = stf__step_send(step, activation, node, &item, &is_ok);
    if (status != STF_OK || !is_ok) {
        return status;
    }
    stf__step_wait(activation, STF__FOR_CHILD);
    activation->child = child;
    return stf__step_tell(step, STF_FACT_CHILD_CALLED, activation->number, node->id, child);
}

/* A process that calls itself without end would make instances faster than anybody can cancel them:
 * the cancellation follows the calls, one by one. */
static stf_status stop_too_deep(stf__step *step, stf__activation *activation, const stf__node *node)
{
    stf__trouble trouble = {.kind = STF__INCIDENT_LIMIT,
                            .line = node->line,
                            .message = stf_str_of("calls are nested deeper than the limit of 1000: "
                                                  "does the process call itself without end?")};
    return stf__step_open_incident(step, activation, &trouble);
}

static stf_status start(stf__step *step, stf__activation *activation, const stf__node *node)
{
    if (stf__doc_get_call_depth(step->doc) >= STF_LIMIT_CALL_DEPTH) {
        return stop_too_deep(step, activation, node);
    }
    bool is_ok = false;
    stf_str process;
    stf_value *key = NULL;
    stf_value *variables = NULL;
    stf_status status = find_process(step, activation, node, &is_ok, &process, &key);
    if (status == STF_OK && is_ok) {
        status = stf__step_map(step, activation, &node->inputs, &is_ok, &variables);
    }
    if (status == STF_OK && is_ok) {
        status = send_create(step, activation, node, process, variables);
    }
    stf_value_unref(key);
    stf_value_unref(variables);
    return status;
}

/* ---- It has ended */

/* An output that cannot be had stops the activity on its way out, not before its start. */
static stf_status take_outputs(stf__step *step, stf__activation *activation, const stf__node *node,
                               const stf__event *event)
{
    bool is_ok = true;
    stf_value *outputs = NULL;
    stf__doc_remove_waits_of(step->doc, activation->number);
    activation->phase = STF__PHASE_LEAVING;
    activation->active_for = STF__FOR_NOTHING;
    activation->child = (stf_str){NULL, 0};
    stf_status status =
        stf__step_map_from(step, activation, event->variables, &node->outputs, &is_ok, &outputs);
    if (status == STF_OK) {
        status = stf__doc_merge_variables(step->doc, activation->scope, outputs, step->error);
    }
    stf_value_unref(outputs);
    return status == STF_OK && is_ok ? stf__step_finish(step, activation, node) : status;
}

static stf_status take_error(stf__step *step, stf__activation *activation, const stf__event *event)
{
    stf__step_stop_call(activation);
    stf__thrown thrown = {.code = event->code,
                          .message = event->message,
                          .is_from_end_event = event->how == STF__CHILD_ERROR};
    return stf__step_throw(step, activation, &thrown);
}

static stf_status take_cancelled(stf__step *step, stf__activation *activation,
                                 const stf__node *node, const stf__event *event)
{
    stf_str child = activation->child;
    stf_str why = event->message.size != 0 ? event->message : stf_str_of("it was cancelled");
    stf__step_stop_call(activation);
    return stf__step_open_incident_of(step, activation, STF__INCIDENT_CALL, node->line,
                                      "called instance \"%.*s\" has no result: %.*s",
                                      STF_STR_ARG(child), STF_STR_ARG(why));
}

static stf_status on_child(stf__step *step, stf__activation *activation, const stf__node *node,
                           const stf__event *event)
{
    if (event->how == STF__CHILD_COMPLETED) {
        return take_outputs(step, activation, node, event);
    }
    if (event->how == STF__CHILD_CANCELLED) {
        return take_cancelled(step, activation, node, event);
    }
    return take_error(step, activation, event);
}

const stf__processor stf__element_call = {.start = start, .on_child = on_child};

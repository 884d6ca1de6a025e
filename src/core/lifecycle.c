/* SPDX-License-Identifier: Apache-2.0 */
/* An activation's way: entered, boundary events armed, started, finished, left; or stopped by an
 * incident in any of these phases and resumed in the same one; or cancelled. Each activation that
 * was entered is told exactly one end: NODE_COMPLETED or NODE_CANCELLED. */
#include "core/step.h"

static const stf_str no_text = {NULL, 0};

stf_status stf__step_find_node(const stf__step *step, stf_str element, const stf__node **ret_node)
{
    const stf__node *node = stf__process_find_node(step->process, element);
    if (node == NULL) {
        return stf_error_set(step->error, STF_CORRUPT, "CORE",
                             "the document names \"%.*s\", which process \"%.*s\" does not have",
                             STF_STR_ARG(element), STF_STR_ARG(step->process->id));
    }
    *ret_node = node;
    return STF_OK;
}

static stf_status add_activation(stf__step *step, const stf__node *node, uint64_t scope,
                                 stf__phase phase, stf__activation **ret_activation)
{
    stf__doc *doc = step->doc;
    stf_str element;
    stf_status status = stf__doc_intern(doc, node->id, &element, step->error);
    if (status != STF_OK) {
        return status;
    }
    stf__activation *activation = NULL;
    status = stf__doc_add_activation(doc, doc->counters.activation + 1, &activation, step->error);
    if (status != STF_OK) {
        return status;
    }
    doc->counters.activation++;
    activation->scope = scope;
    activation->element = element;
    activation->phase = phase;
    activation->since = step->now;
    *ret_activation = activation;
    return STF_OK;
}

/* One token for each chosen flow, unless the instance has too many already. */
static stf_status leave_by(stf__step *step, stf__activation *activation, const stf__node *node,
                           const stf__choice *choice)
{
    stf__doc *doc = step->doc;
    if (choice->count > 1 &&
        stf__doc_count_live(doc) - 1 + choice->count > (uint64_t)STF_LIMIT_TOKENS) {
        stf__trouble trouble = {.kind = STF__INCIDENT_LIMIT,
                                .line = node->line,
                                .message = stf_str_of("the instance has too many tokens")};
        return stf__step_open_incident(step, activation, &trouble);
    }
    stf_status status =
        stf__step_tell(step, STF_FACT_NODE_COMPLETED, activation->number, node->id, no_text);
    uint64_t scope = activation->scope;
    if (status == STF_OK) {
        stf__doc_remove_activation(doc, activation);
    }
    for (size_t i = 0; status == STF_OK && i < choice->count; i++) {
        const stf__flow *flow = choice->flows[i];
        stf__token token = {.scope = scope, .count = 1, .since = step->now};
        status =
            stf__doc_intern(doc, step->process->nodes[flow->target].id, &token.node, step->error);
        if (status == STF_OK) {
            status = stf__doc_intern(doc, flow->id, &token.flow, step->error);
        }
        if (status == STF_OK) {
            status = stf__doc_push_ready(doc, &token, step->error);
        }
    }
    return status;
}

static stf_status leave(stf__step *step, stf__activation *activation, const stf__node *node)
{
    const stf__processor *processor = stf__element_get_processor(node->kind);
    stf__choice choice = {.count = 0};
    stf_status status = processor->choose != NULL
                            ? processor->choose(step, activation, node, &choice)
                            : stf__step_choose_inclusive(step, activation, node, &choice);
    if (status != STF_OK || choice.is_stopped) {
        return status;
    }
    return leave_by(step, activation, node, &choice);
}

static stf_status arm_and_start(stf__step *step, stf__activation *activation, const stf__node *node)
{
    if (activation->phase == STF__PHASE_ARMING) {
        bool is_ok = false;
        stf_status status = stf__step_arm_boundaries(step, activation, node, &is_ok);
        if (status != STF_OK || !is_ok) {
            return status;
        }
        activation->phase = STF__PHASE_STARTING;
    }
    return stf__element_get_processor(node->kind)->start(step, activation, node);
}

static stf_status enter(stf__step *step, const stf__node *node, uint64_t scope,
                        stf__activation **ret_activation)
{
    stf_status status = add_activation(step, node, scope, STF__PHASE_ARMING, ret_activation);
    return status == STF_OK ? stf__step_tell(step, STF_FACT_NODE_ENTERED, (*ret_activation)->number,
                                             node->id, no_text)
                            : status;
}

stf_status stf__step_enter(stf__step *step, const stf__node *node, uint64_t scope)
{
    stf__activation *activation = NULL;
    stf_status status = enter(step, node, scope, &activation);
    return status == STF_OK ? arm_and_start(step, activation, node) : status;
}

stf_status stf__step_pass(stf__step *step, const stf__node *node, uint64_t scope)
{
    stf__activation *activation = NULL;
    stf_status status = enter(step, node, scope, &activation);
    return status == STF_OK ? stf__step_finish(step, activation, node) : status;
}

void stf__step_wait(stf__activation *activation, stf__active_for reason)
{
    activation->phase = STF__PHASE_ACTIVE;
    activation->active_for = reason;
}

stf_status stf__step_finish(stf__step *step, stf__activation *activation, const stf__node *node)
{
    stf__doc_remove_waits_of(step->doc, activation->number);
    activation->phase = STF__PHASE_LEAVING;
    activation->active_for = STF__FOR_NOTHING;
    activation->child = no_text;
    return leave(step, activation, node);
}

stf_status stf__step_hold(stf__step *step, const stf__token *token, const stf__node *node,
                          stf__incident_kind kind, stf_str message)
{
    stf__activation *activation = NULL;
    stf_status status = add_activation(step, node, token->scope, STF__PHASE_HELD, &activation);
    if (status != STF_OK) {
        return status;
    }
    activation->flow = token->flow;
    stf__trouble trouble = {.kind = kind, .line = node->line, .message = message};
    return stf__step_open_incident(step, activation, &trouble);
}

/* A held token goes back to the end of the queue; it enters as a new activation. */
static stf_status release(stf__step *step, stf__activation *activation)
{
    stf__token token = {.scope = activation->scope,
                        .node = activation->element,
                        .flow = activation->flow,
                        .count = 1,
                        .since = step->now};
    stf__doc_remove_activation(step->doc, activation);
    return stf__doc_push_ready(step->doc, &token, step->error);
}

stf_status stf__step_resume(stf__step *step, stf__activation *activation, const stf__node *node)
{
    if (activation->phase == STF__PHASE_HELD) {
        return release(step, activation);
    }
    if (activation->phase == STF__PHASE_LEAVING) {
        return leave(step, activation, node);
    }
    if (activation->phase != STF__PHASE_ACTIVE) {
        return arm_and_start(step, activation, node);
    }
    const stf__processor *processor = stf__element_get_processor(node->kind);
    if (processor->retry == NULL) {
        return stf_error_set(step->error, STF_CORRUPT, "CORE",
                             "\"%.*s\" has an incident that such a node cannot have",
                             STF_STR_ARG(node->id));
    }
    return processor->retry(step, activation, node);
}

stf_status stf__step_cancel(stf__step *step, stf__activation *activation)
{
    stf__doc *doc = step->doc;
    stf_status status = stf__step_cancel_scope(step, activation);
    if (status == STF_OK) {
        status = stf__step_close_incident(step, activation->number, STF_FACT_INCIDENT_DROPPED);
    }
    if (status == STF_OK && activation->work.is_started) {
        status = stf__effects_add_cancelled(step->effects, activation->number, step->error);
    }
    if (status == STF_OK && activation->active_for == STF__FOR_CHILD) {
        status = stf__step_send_cancel(step, activation);
    }
    if (status == STF_OK && activation->phase != STF__PHASE_HELD) {
        status = stf__step_tell(step, STF_FACT_NODE_CANCELLED, activation->number,
                                activation->element, no_text);
    }
    if (status != STF_OK) {
        return status;
    }
    stf__doc_remove_waits_of(doc, activation->number);
    stf__doc_remove_activation(doc, activation);
    return STF_OK;
}

stf_status stf__step_terminate(stf__step *step, stf__activation *activation, const stf__node *node)
{
    stf__doc *doc = step->doc;
    uint64_t scope = activation->scope;
    stf_status status =
        stf__step_tell(step, STF_FACT_NODE_COMPLETED, activation->number, node->id, no_text);
    if (status != STF_OK) {
        return status;
    }
    stf__doc_remove_activation(doc, activation);
    if (scope == 0) {
        stf__ending ending = {.how = STF__END_TERMINATED, .element = node->id};
        return stf__step_end_instance(step, &ending);
    }
    stf__activation *around = stf__doc_find_activation(doc, scope);
    const stf__node *sub_process = NULL;
    if (around == NULL) {
        return stf_error_set(step->error, STF_CORRUPT, "CORE", "a scope of no activation");
    }
    status = stf__step_find_node(step, around->element, &sub_process);
    if (status == STF_OK) {
        status = stf__step_cancel_scope(step, around);
    }
    return status == STF_OK ? stf__step_finish(step, around, sub_process) : status;
}

/* ---- The end of the whole instance */

static stf_status note_end(stf__step *step, const stf__ending *ending)
{
    stf__doc *doc = step->doc;
    stf_status status = stf__doc_intern(doc, ending->element, &doc->end_element, step->error);
    if (status == STF_OK) {
        status = stf__doc_intern(doc, ending->code, &doc->end_code, step->error);
    }
    if (status == STF_OK && ending->message.size > 0) {
        stf__mem_free(doc->alloc, doc->end_message);
        doc->end_message = stf__mem_copy_str(doc->alloc, ending->message);
        status = doc->end_message != NULL ? STF_OK : stf__doc_no_memory(step->error);
    }
    doc->end_how = ending->how;
    doc->end_at = step->now;
    doc->counters.yields = 0;
    return status;
}

/* The fact, and whether its detail is the message (or else the code). */
typedef struct end_fact {
    stf_fact_kind kind;
    bool tells_message;
} end_fact;

stf_status stf__step_end_instance(stf__step *step, const stf__ending *ending)
{
    static const end_fact facts[] = {
        [STF__END_COMPLETED] = {STF_FACT_INSTANCE_COMPLETED, false},
        [STF__END_TERMINATED] = {STF_FACT_INSTANCE_TERMINATED, false},
        [STF__END_FAILED] = {STF_FACT_INSTANCE_FAILED, false},
        [STF__END_CANCELLED] = {STF_FACT_INSTANCE_CANCELLED, true},
    };
    stf__doc *doc = step->doc;
    stf_status status = stf__step_send_result(step, ending);
    if (status == STF_OK) {
        status = note_end(step, ending);
    }
    /* What is inside a scope came later than the scope. */
    while (status == STF_OK && doc->activation_count > 0) {
        status = stf__step_cancel(step, doc->activations[doc->activation_count - 1]);
    }
    stf__doc_clear_flow(doc);
    step->effects->has_yielded = false;
    const end_fact *fact = &facts[ending->how];
    return status == STF_OK ? stf__step_tell(step, fact->kind, 0, doc->end_element,
                                             fact->tells_message ? ending->message : ending->code)
                            : status;
}

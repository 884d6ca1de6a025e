/* SPDX-License-Identifier: Apache-2.0 */
/* The token machine: one event, then token moves from a queue until the instance is at rest or the
 * budget of moves is used up. What an event does is in the event_*.c; here is the table of who
 * takes which. Refusals are decided before anything is touched. Nothing recurses: leaving a node
 * only puts tokens on the queue. */
#include "core/event.h"

#include <stepfast/limits.h>

/* ---- Moving tokens */

/* A process without a loop needs about one move for each of its nodes and flows; only what goes on
 * after those is taken for a loop. */
static uint32_t count_yields_allowed(const stf__step *step)
{
    uint64_t moves = (uint64_t)step->process->node_count + step->process->flow_count;
    return STF_LIMIT_YIELDS + (uint32_t)((moves + step->budget - 1) / step->budget);
}

/* The budget of this turn is used up: the instance goes on in the next one. After too many such
 * turns in a row without a rest, the token at hand is stopped with an incident. */
static stf_status yield(stf__step *step)
{
    stf__doc *doc = step->doc;
    if (doc->counters.yields < count_yields_allowed(step)) {
        doc->counters.yields++;
        step->effects->has_yielded = true;
        return STF_OK;
    }
    stf__token token;
    (void)stf__doc_take_ready(doc, &token);
    const stf__node *node = NULL;
    stf_status status = stf__step_find_node(step, token.node, &node);
    if (status == STF_OK) {
        status = stf__step_hold(step, &token, node, STF__INCIDENT_LOOP,
                                stf_str_of("the flow goes on and on without anything to wait for"));
    }
    step->effects->has_yielded = doc->ready_count > 0;
    return status;
}

static stf_status move_one(stf__step *step, const stf__token *token)
{
    const stf__node *node = NULL;
    stf_status status = stf__step_find_node(step, token->node, &node);
    if (status != STF_OK) {
        return status;
    }
    const stf__processor *processor = stf__element_get_processor(node->kind);
    bool opens = true;
    if (processor->arrive != NULL) {
        status = processor->arrive(step, token, node, &opens);
    }
    return status == STF_OK && opens ? stf__step_enter(step, node, token->scope) : status;
}

static stf_status run_queue(stf__step *step)
{
    stf__doc *doc = step->doc;
    stf_status status = STF_OK;
    while (status == STF_OK && doc->ready_count > 0 && !step->effects->has_yielded) {
        if (step->moves_left == 0) {
            status = yield(step);
            continue;
        }
        step->moves_left--;
        stf__token token;
        (void)stf__doc_take_ready(doc, &token);
        status = move_one(step, &token);
    }
    return status;
}

/* What goes on without a token on the queue. */
static stf_status open_what_waits(stf__step *step, bool *ret_did)
{
    stf_status status = stf__step_close_scopes(step, ret_did);
    return status == STF_OK && !*ret_did ? stf__step_open_joins(step, ret_did) : status;
}

static bool is_over(const stf__doc *doc)
{
    return stf__doc_has_begun(doc) && !stf__doc_has_ended(doc) && doc->ready_count == 0 &&
           doc->parked_count == 0 && doc->activation_count == 0;
}

stf_status stf__step_come_to_rest(stf__step *step)
{
    stf__doc *doc = step->doc;
    bool goes_on = true;
    stf_status status = STF_OK;
    while (status == STF_OK && goes_on) {
        goes_on = false;
        status = run_queue(step);
        if (status == STF_OK && doc->ready_count == 0) {
            status = open_what_waits(step, &goes_on);
        }
    }
    if (status != STF_OK) {
        return status;
    }
    if (doc->ready_count == 0) {
        doc->counters.yields = 0;
    }
    if (!is_over(doc)) {
        return STF_OK;
    }
    stf__ending ending = {.how = STF__END_COMPLETED};
    return stf__step_end_instance(step, &ending);
}

/* ---- Dispatch */

typedef struct event_rule {
    stf_status (*apply)(stf__step *step, const stf__event *event);
    bool is_of_instance; /* an instance takes it */
    bool is_of_queue;
    bool is_of_ended; /* an ended one takes it, too, and decides for itself */
} event_rule;

static stf_status wake(stf__step *step, const stf__event *event)
{
    (void)event;
    return stf__step_wake(step);
}

static const event_rule event_rules[] = {
    [STF__EVENT_START] = {stf__event_start, true, false, true},
    [STF__EVENT_WAKE] = {wake, true, true, true},
    [STF__EVENT_TASK] = {stf__event_task, true, false, false},
    [STF__EVENT_WORK] = {stf__event_work, true, false, true},
    [STF__EVENT_RECOVER] = {stf__event_recover, true, false, true},
    [STF__EVENT_RETRY] = {stf__event_retry, true, false, false},
    [STF__EVENT_RESOLVE] = {stf__event_resolve, true, false, false},
    [STF__EVENT_DROP] = {stf__event_drop, true, false, false},
    [STF__EVENT_CANCEL] = {stf__event_cancel, true, false, false},
    [STF__EVENT_JOB] = {stf__event_job, true, false, false},
    [STF__EVENT_VARIABLES] = {stf__event_variables, true, false, false},
    [STF__EVENT_MESSAGE] = {stf__event_message, true, false, false},
    [STF__EVENT_CHILD] = {stf__event_child, true, false, false},
    [STF__EVENT_ACK] = {stf__event_ack, true, true, true},
    [STF__EVENT_PUBLISH] = {stf__event_publish, false, true, false},
    [STF__EVENT_POISON] = {stf__event_poison, true, false, false},
};

/* What can be refused without knowing what the event does. That a sender was heard before is said
 * first, so that a repeated delivery gets the answer of the first one, whatever came after it. */
static stf_status check(const stf__doc *doc, const stf__event *event, const event_rule *rule,
                        stf_error *error)
{
    if (event->variables != NULL && stf_value_get_kind(event->variables) != STF_VALUE_CONTEXT) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "CORE", "the variables are no context");
    }
    bool is_queue = doc->identity.kind == STF__DOC_QUEUE;
    if (is_queue ? !rule->is_of_queue : !rule->is_of_instance) {
        return stf_error_set(error, STF_INVALID_STATE, "CORE", "\"%.*s\" is %s",
                             STF_STR_ARG(doc->identity.id),
                             is_queue ? "a queue of messages" : "an instance");
    }
    if (event->sender.is_given && stf__doc_has_heard(doc, &event->sender)) {
        return stf_error_set(error, STF_ALREADY_EXISTS, "CORE",
                             "\"%.*s\" has heard this from its sender before",
                             STF_STR_ARG(doc->identity.id));
    }
    if (!rule->is_of_ended && stf__doc_has_ended(doc)) {
        return stf_error_set(error, STF_INVALID_STATE, "CORE", "instance \"%.*s\" has ended",
                             STF_STR_ARG(doc->identity.id));
    }
    return STF_OK;
}

stf_status stf__core_step(stf__doc *doc, const stf__process *process, const stf__event *event,
                          const stf__core_inputs *inputs, stf__effects *effects, stf_error *error)
{
    size_t kind = (size_t)event->kind;
    if (kind >= STF_COUNT_OF(event_rules) || event_rules[kind].apply == NULL) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "CORE", "unknown kind of event");
    }
    stf_status status = check(doc, event, &event_rules[kind], error);
    if (status != STF_OK) {
        return status;
    }
    uint32_t budget = inputs->step_budget != 0 ? inputs->step_budget : STF_LIMIT_STEP_MOVES;
    stf__step step = {.doc = doc,
                      .process = process,
                      .now = inputs->now,
                      .budget = budget,
                      .moves_left = budget,
                      .expr_steps = inputs->expr_step_budget,
                      .random = inputs->random,
                      .retry = inputs->retry,
                      .effects = effects,
                      .error = error};
    effects->has_yielded = false;
    status = event_rules[kind].apply(&step, event);
    if (status == STF_OK && event->sender.is_given) {
        status = stf__doc_hear(doc, &event->sender, step.now, error);
    }
    return status;
}

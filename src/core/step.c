/* SPDX-License-Identifier: Apache-2.0 */
/* The token machine: one event, then token moves from a queue until the instance is at rest or the
 * budget of moves is used up. Refusals are decided before anything is touched. Nothing recurses:
 * leaving a node only puts tokens on the queue. */
#include "core/step.h"

#include <stepfast/limits.h>

static const stf_str no_text = {NULL, 0};

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
    if (doc->ready_count == 0) {
        doc->counters.yields = 0;
    }
    return status;
}

/* Everything that a step ends with: the queue, and the end of an instance with nothing left. */
static stf_status settle(stf__step *step)
{
    stf__doc *doc = step->doc;
    stf_status status = run_queue(step);
    bool is_over = doc->ready_count == 0 && doc->parked_count == 0 && doc->activation_count == 0;
    if (status != STF_OK || stf__doc_has_ended(doc) || !is_over) {
        return status;
    }
    doc->end_how = STF__END_COMPLETED;
    doc->end_at = step->now;
    return stf__step_tell(step, STF_FACT_INSTANCE_COMPLETED, 0, no_text, no_text);
}

/* ---- Refusals */

static stf_status check_variables(const stf_value *variables, stf_error *error)
{
    if (variables != NULL && stf_value_get_kind(variables) != STF_VALUE_CONTEXT) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "CORE", "the variables are no context");
    }
    return STF_OK;
}

static stf_status check_running(const stf__doc *doc, stf_error *error)
{
    if (stf__doc_has_ended(doc)) {
        return stf_error_set(error, STF_INVALID_STATE, "CORE", "instance \"%.*s\" has ended",
                             STF_STR_ARG(doc->identity.id));
    }
    return STF_OK;
}

/* ---- START */

static bool has_begun(const stf__doc *doc)
{
    return stf__doc_has_ended(doc) || doc->counters.activation > 0 || doc->ready_count > 0 ||
           doc->parked_count > 0;
}

static stf_status push_start(stf__step *step, const stf__node *node)
{
    stf__token token = {.count = 1, .since = step->now};
    stf_status status = stf__doc_intern(step->doc, node->id, &token.node, step->error);
    return status == STF_OK ? stf__doc_push_ready(step->doc, &token, step->error) : status;
}

/* The node that the run begins at; NULL with OK: at all implicit ones. */
static stf_status find_start(const stf__step *step, stf_str element, const stf__node **ret_node)
{
    const stf__process *process = step->process;
    if (element.size == 0 && process->starts.count > 1 && !process->starts.are_implicit) {
        return stf_error_set(step->error, STF_INVALID_ARGUMENT, "CORE",
                             "process \"%.*s\" has %u start events: name one",
                             STF_STR_ARG(process->id), process->starts.count);
    }
    *ret_node = NULL;
    if (element.size == 0 && process->starts.count > 0) {
        if (!process->starts.are_implicit) {
            *ret_node = &process->nodes[process->starts.nodes[0]];
        }
        return STF_OK;
    }
    for (uint32_t i = 0; !process->starts.are_implicit && i < process->starts.count; i++) {
        const stf__node *node = &process->nodes[process->starts.nodes[i]];
        if (stf_str_equal(node->id, element)) {
            *ret_node = node;
            return STF_OK;
        }
    }
    return stf_error_set(step->error, STF_NOT_FOUND, "CORE",
                         "process \"%.*s\" has no none start event%s%.*s", STF_STR_ARG(process->id),
                         element.size != 0 ? " " : "", STF_STR_ARG(element));
}

/* Data objects and properties are variables from the beginning: null when none is given. */
static stf_status declare_data(stf__step *step)
{
    stf__doc *doc = step->doc;
    for (uint32_t i = 0; i < step->process->data_item_count; i++) {
        const stf__data_item *item = &step->process->data_items[i];
        if (item->scope != STF__NONE || stf__doc_peek_variable(doc, 0, item->name) != NULL) {
            continue;
        }
        stf_status status =
            stf__doc_set_variable(doc, 0, item->name, stf_value_null(), step->error);
        if (status != STF_OK) {
            return status;
        }
    }
    return STF_OK;
}

static stf_status on_start(stf__step *step, const stf__event *event)
{
    stf__doc *doc = step->doc;
    if (has_begun(doc)) {
        return stf_error_set(step->error, STF_INVALID_STATE, "CORE",
                             "instance \"%.*s\" has begun already", STF_STR_ARG(doc->identity.id));
    }
    const stf__node *first = NULL;
    stf_status status = find_start(step, event->element, &first);
    if (status != STF_OK) {
        return status;
    }
    status = stf__step_tell(step, STF_FACT_INSTANCE_CREATED, 0, no_text, step->process->id);
    if (status == STF_OK) {
        status = stf__doc_merge_variables(doc, 0, event->variables, step->error);
    }
    if (status == STF_OK) {
        status = declare_data(step);
    }
    if (status == STF_OK && first != NULL) {
        status = push_start(step, first);
    }
    for (uint32_t i = 0; status == STF_OK && first == NULL && i < step->process->starts.count;
         i++) {
        status = push_start(step, &step->process->nodes[step->process->starts.nodes[i]]);
    }
    return status == STF_OK ? settle(step) : status;
}

/* ---- WAKE */

/* The timer that is due first, of those armed before number_limit: deadline, then arming. */
static bool find_due(const stf__doc *doc, stf_wall now, uint64_t number_limit, size_t *ret_index)
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

static stf_status fire(stf__step *step, size_t index)
{
    stf__timer timer = step->doc->timers[index];
    stf__activation *activation = stf__doc_find_activation(step->doc, timer.activation);
    const stf__node *node = NULL;
    stf_status status = stf__step_find_node(step, timer.element, &node);
    if (status != STF_OK) {
        return status;
    }
    const stf__processor *processor = stf__element_get_processor(node->kind);
    if (activation == NULL || processor->on_trigger == NULL) {
        return stf_error_set(step->error, STF_CORRUPT, "CORE", "\"%.*s\" cannot have a timer",
                             STF_STR_ARG(timer.element));
    }
    stf__doc_remove_timer(step->doc, index);
    status = stf__step_tell(step, STF_FACT_TIMER_FIRED, timer.activation, node->id, no_text);
    return status == STF_OK ? processor->on_trigger(step, activation, node) : status;
}

/* Each due timer's consequences come to rest before the next one fires, so what an earlier one ends
 * takes the later one along. A timer armed in this turn waits for the next one. */
static stf_status on_wake(stf__step *step)
{
    stf__doc *doc = step->doc;
    if (stf__doc_has_ended(doc) || !has_begun(doc)) {
        return STF_OK;
    }
    uint64_t armed = doc->counters.timer;
    size_t index = 0;
    stf_status status = run_queue(step);
    while (status == STF_OK && !step->effects->has_yielded &&
           find_due(doc, step->now, armed, &index)) {
        status = fire(step, index);
        if (status == STF_OK) {
            status = run_queue(step);
        }
    }
    return status == STF_OK && !step->effects->has_yielded ? settle(step) : status;
}

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

static stf_status on_task(stf__step *step, const stf__event *event)
{
    stf__activation *activation = NULL;
    const stf__node *node = NULL;
    stf_status status = check_running(step->doc, step->error);
    if (status == STF_OK) {
        status = find_task(step, event, &activation);
    }
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
    return status == STF_OK ? settle(step) : status;
}

/* ---- WORK and RECOVER */

static stf_status on_work(stf__step *step, const stf__event *event)
{
    stf__activation *activation = stf__doc_find_activation(step->doc, event->activation);
    if (activation == NULL || activation->work.state == STF__DURABLE_ABSENT) {
        return stf__step_tell(step, STF_FACT_RESULT_DROPPED, event->activation, event->element,
                              stf_str_of("the activation is gone"));
    }
    const stf__node *node = NULL;
    stf_status status = stf__step_find_node(step, activation->element, &node);
    if (status != STF_OK) {
        return status;
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
    return status == STF_OK ? settle(step) : status;
}

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

static stf_status on_recover(stf__step *step, const stf__event *event)
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

/* ---- RETRY */

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

static stf_status on_retry(stf__step *step, const stf__event *event)
{
    const stf__incident *incident = NULL;
    const stf__node *node = NULL;
    stf_status status = check_running(step->doc, step->error);
    if (status == STF_OK) {
        status = find_incident(step, event->incident, &incident);
    }
    if (status != STF_OK || incident == NULL) {
        return status;
    }
    stf__activation *activation = stf__doc_find_activation(step->doc, incident->activation);
    if (activation == NULL) {
        return stf_error_set(step->error, STF_CORRUPT, "CORE", "an incident of no activation");
    }
    status = stf__step_find_node(step, activation->element, &node);
    if (status == STF_OK) {
        status = stf__step_close_incident(step, activation->number, STF_FACT_INCIDENT_RESOLVED);
    }
    if (status == STF_OK) {
        status = stf__step_resume(step, activation, node);
    }
    return status == STF_OK ? settle(step) : status;
}

/* ---- Dispatch */

static stf_status dispatch(stf__step *step, const stf__event *event)
{
    switch ((int)event->kind) {
    case STF__EVENT_START:
        return on_start(step, event);
    case STF__EVENT_WAKE:
        return on_wake(step);
    case STF__EVENT_TASK:
        return on_task(step, event);
    case STF__EVENT_WORK:
        if (event->outcome < STF__WORK_COMPLETED || event->outcome > STF__WORK_UNKNOWN) {
            break;
        }
        return on_work(step, event);
    case STF__EVENT_RECOVER:
        return on_recover(step, event);
    case STF__EVENT_RETRY:
        return on_retry(step, event);
    default:
        break;
    }
    return stf_error_set(step->error, STF_INVALID_ARGUMENT, "CORE", "unknown kind of event");
}

stf_status stf__core_step(stf__doc *doc, const stf__process *process, const stf__event *event,
                          const stf__core_inputs *inputs, stf__effects *effects, stf_error *error)
{
    stf_status status = check_variables(event->variables, error);
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
                      .effects = effects,
                      .error = error};
    effects->has_yielded = false;
    return dispatch(&step, event);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Timers and subscriptions, from arming to what they trigger. Both belong to an activation: a
 * node's own, the activity that a boundary event guards, or an event-based gateway whose arms they
 * are. They are armed once per activation, all of one arming or none, and go with the activation.
 * Whatever is triggered ends or moves its owner in the same step, so a second trigger finds it
 * gone.
 *
 * A non-interrupting boundary event stays armed. Its subscription keeps its name and key but moves
 * behind all others that wait for them, and is announced anew: the next message that was kept for
 * them may be for it. */
#include "core/step.h"

/* What one node is about to wait for. */
typedef struct plan {
    stf__timer timer; /* due none: no timer */
    stf__subscription subscription;
    bool has_message;
} plan;

static bool is_boundary(const stf__node *node)
{
    return node->attached_to != STF__NONE;
}

static bool waits_for_something(const stf__node *node)
{
    return node->timer_kind != STF__TIMER_NONE || node->message != NULL;
}

/* ---- Arming */

stf_status stf__step_get_message(stf__step *step, const stf__activation *activation,
                                 const stf__node *node, bool *ret_is_ok, stf_str *ret_name,
                                 stf_str *ret_key)
{
    const stf__message_ref *message = node->message;
    stf__expr_site site = {.what = "message name of", .id = node->id, .line = node->line};
    stf_str name = message->name;
    stf_str key = {NULL, 0};
    stf_status status = STF_OK;
    *ret_is_ok = true;
    if (message->name_expr != NULL) {
        status = stf__step_eval_key(step, activation, message->name_expr, &site, ret_is_ok, &name);
    }
    if (status == STF_OK && *ret_is_ok && message->key != NULL) {
        site.what = "correlation key of";
        status = stf__step_eval_key(step, activation, message->key, &site, ret_is_ok, &key);
    }
    if (status == STF_OK && *ret_is_ok) {
        *ret_name = name;
        *ret_key = key;
    }
    return status;
}

static stf_status open_endless_incident(stf__step *step, const stf__activation *activation,
                                        const stf__node *node, stf__incident_kind kind,
                                        const char *why)
{
    return stf__step_open_incident_of(step, activation, kind, node->line,
                                      "\"%.*s\" (line %u) would wait for ever: %s",
                                      STF_STR_ARG(node->id), node->line, why);
}

/* A repetition whose end has passed has no time left: a boundary event then never comes, but a
 * token that waited for it would never move. */
static stf_status plan_timer(stf__step *step, const stf__activation *activation,
                             const stf__node *node, plan *made, bool *ret_is_ok)
{
    stf_status status = stf__step_get_timer(step, activation, node, ret_is_ok, &made->timer);
    if (status != STF_OK || !*ret_is_ok || !stf_wall_is_none(made->timer.due) ||
        is_boundary(node)) {
        return status;
    }
    *ret_is_ok = false;
    return open_endless_incident(step, activation, node, STF__INCIDENT_TIMER,
                                 "its repetition is over");
}

static stf_status plan_message(stf__step *step, const stf__activation *activation,
                               const stf__node *node, plan *made, bool *ret_is_ok)
{
    stf__doc *doc = step->doc;
    stf_str name;
    stf_str key;
    stf_status status = stf__step_get_message(step, activation, node, ret_is_ok, &name, &key);
    if (status != STF_OK || !*ret_is_ok) {
        return status;
    }
    made->has_message = true;
    made->subscription = (stf__subscription){.activation = activation->number, .since = step->now};
    status = stf__doc_intern(doc, node->id, &made->subscription.element, step->error);
    if (status == STF_OK) {
        status = stf__doc_intern(doc, name, &made->subscription.name, step->error);
    }
    return status == STF_OK ? stf__doc_intern(doc, key, &made->subscription.key, step->error)
                            : status;
}

static stf_status make_plan(stf__step *step, const stf__activation *activation,
                            const stf__node *node, plan *made, bool *ret_is_ok)
{
    *made = (plan){.timer.due = stf_wall_none()};
    *ret_is_ok = true;
    if (node->timer_kind != STF__TIMER_NONE) {
        return plan_timer(step, activation, node, made, ret_is_ok);
    }
    if (node->message != NULL) {
        return plan_message(step, activation, node, made, ret_is_ok);
    }
    *ret_is_ok = false;
    return open_endless_incident(step, activation, node, STF__INCIDENT_UNSUPPORTED,
                                 "nothing that it can wait for");
}

static stf_status subscribe(stf__step *step, const stf__subscription *subscription)
{
    stf__subscription added = *subscription;
    added.number = ++step->doc->counters.timer;
    stf_status status = stf__doc_add_subscription(step->doc, &added, step->error);
    return status == STF_OK
               ? stf__effects_add_subscribed(step->effects, added.name, added.key, step->error)
               : status;
}

static stf_status arm_plan(stf__step *step, const plan *made)
{
    stf_status status = STF_OK;
    if (!stf_wall_is_none(made->timer.due)) {
        status = stf__step_arm_timer(step, &made->timer);
    }
    if (status != STF_OK || !made->has_message) {
        return status;
    }
    status = subscribe(step, &made->subscription);
    return status == STF_OK
               ? stf__step_tell(step, STF_FACT_MESSAGE_AWAITED, made->subscription.activation,
                                made->subscription.element, made->subscription.name)
               : status;
}

/* A bound on what one record can wait for is an incident where it is met. */
static stf_status check_room(stf__step *step, const stf__activation *activation, const plan *plans,
                             size_t count, bool *ret_is_ok)
{
    size_t wanted = step->doc->subscription_count;
    for (size_t i = 0; i < count; i++) {
        wanted += plans[i].has_message ? 1 : 0;
    }
    *ret_is_ok = wanted <= STF_LIMIT_SUBSCRIPTIONS;
    if (*ret_is_ok) {
        return STF_OK;
    }
    stf__trouble trouble = {.kind = STF__INCIDENT_LIMIT,
                            .message = stf_str_of("the instance waits for too many messages")};
    return stf__step_open_incident(step, activation, &trouble);
}

stf_status stf__step_arm_nodes(stf__step *step, const stf__activation *activation,
                               const stf__node *const *nodes, size_t count, bool *ret_is_ok)
{
    *ret_is_ok = true;
    plan *plans = stf__arena_alloc(step->effects->arena, count * sizeof(*plans));
    if (plans == NULL) {
        return stf__doc_no_memory(step->error);
    }
    for (size_t i = 0; i < count; i++) {
        stf_status status = make_plan(step, activation, nodes[i], &plans[i], ret_is_ok);
        if (status != STF_OK || !*ret_is_ok) {
            return status;
        }
    }
    stf_status status = check_room(step, activation, plans, count, ret_is_ok);
    for (size_t i = 0; status == STF_OK && *ret_is_ok && i < count; i++) {
        status = arm_plan(step, &plans[i]);
    }
    return status;
}

stf_status stf__step_arm_node(stf__step *step, const stf__activation *activation,
                              const stf__node *node, bool *ret_is_ok)
{
    return stf__step_arm_nodes(step, activation, &node, 1, ret_is_ok);
}

stf_status stf__step_arm_boundaries(stf__step *step, stf__activation *activation,
                                    const stf__node *node, bool *ret_is_ok)
{
    *ret_is_ok = true;
    if (node->boundary_count == 0) {
        return STF_OK;
    }
    const stf__node **waiting =
        stf__arena_alloc(step->effects->arena, node->boundary_count * sizeof(stf__node *));
    if (waiting == NULL) {
        return stf__doc_no_memory(step->error);
    }
    size_t count = 0;
    for (uint32_t i = 0; i < node->boundary_count; i++) {
        const stf__node *boundary = &step->process->nodes[node->boundaries[i]];
        if (waits_for_something(boundary)) {
            waiting[count++] = boundary;
        }
    }
    return stf__step_arm_nodes(step, activation, waiting, count, ret_is_ok);
}

/* ---- Triggering */

/* Whose business it is: a boundary event's own, else that of the node that armed it. */
stf_status stf__step_trigger(stf__step *step, stf__activation *activation, const stf__node *node)
{
    const stf__node *owner = node;
    stf_status status = STF_OK;
    if (!is_boundary(node)) {
        status = stf__step_find_node(step, activation->element, &owner);
    }
    if (status != STF_OK) {
        return status;
    }
    const stf__processor *processor = stf__element_get_processor(owner->kind);
    if (processor->on_trigger == NULL) {
        return stf_error_set(step->error, STF_CORRUPT, "CORE", "\"%.*s\" cannot wait for \"%.*s\"",
                             STF_STR_ARG(owner->id), STF_STR_ARG(node->id));
    }
    return processor->on_trigger(step, activation, node);
}

stf_status stf__step_receive(stf__step *step, size_t subscription_index)
{
    stf__doc *doc = step->doc;
    stf__subscription subscription = doc->subscriptions[subscription_index];
    stf__activation *activation = stf__doc_find_activation(doc, subscription.activation);
    const stf__node *node = NULL;
    stf_status status = stf__step_find_node(step, subscription.element, &node);
    if (status != STF_OK) {
        return status;
    }
    if (activation == NULL) {
        return stf_error_set(step->error, STF_CORRUPT, "CORE", "\"%.*s\" waits for nobody",
                             STF_STR_ARG(node->id));
    }
    stf__doc_remove_subscription(doc, subscription_index);
    status = stf__step_tell(step, STF_FACT_MESSAGE_RECEIVED, subscription.activation, node->id,
                            subscription.name);
    if (status == STF_OK && is_boundary(node) && !node->is_interrupting) {
        subscription.since = step->now;
        status = subscribe(step, &subscription);
    }
    return status == STF_OK ? stf__step_trigger(step, activation, node) : status;
}

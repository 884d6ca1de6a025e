/* SPDX-License-Identifier: Apache-2.0 */
/* What comes from other records and from publishers: messages, the end of a called instance, and
 * that this one is to end. */
#include "core/event.h"

#include <stepfast/limits.h>

static const stf_str no_text = {NULL, 0};

/* ---- MESSAGE: to exactly one subscription, the oldest */

stf_status stf__event_message(stf__step *step, const stf__event *event)
{
    stf__doc *doc = step->doc;
    size_t index = 0;
    if (!stf__doc_find_subscription(doc, event->name, event->key, &index)) {
        return stf_error_set(step->error, STF_NOT_FOUND, "CORE",
                             "instance \"%.*s\" does not wait for message \"%.*s\" with that key",
                             STF_STR_ARG(doc->identity.id), STF_STR_ARG(event->name));
    }
    const stf__activation *activation =
        stf__doc_find_activation(doc, doc->subscriptions[index].activation);
    if (activation == NULL) {
        return stf_error_set(step->error, STF_CORRUPT, "CORE", "a subscription of no activation");
    }
    stf_status status =
        stf__doc_merge_variables(doc, activation->scope, event->variables, step->error);
    if (status == STF_OK) {
        status = stf__step_receive(step, index);
    }
    return status == STF_OK ? stf__step_come_to_rest(step) : status;
}

/* ---- PUBLISH: a queue keeps a message of its name and key */

static stf_status check_publish(const stf__step *step, const stf__event *event)
{
    const stf__doc *doc = step->doc;
    if (doc->outbox_count >= STF_LIMIT_QUEUE) {
        return stf_error_set(step->error, STF_LIMIT_EXCEEDED, "CORE",
                             "%u messages \"%.*s\" with that key are kept already",
                             (unsigned)STF_LIMIT_QUEUE, STF_STR_ARG(event->name));
    }
    bool is_its_own = doc->outbox_count == 0 || (stf_str_equal(doc->outbox[0].name, event->name) &&
                                                 stf_str_equal(doc->outbox[0].key, event->key));
    if (!is_its_own || stf_wall_is_none(event->until)) {
        return stf_error_set(step->error, STF_INVALID_ARGUMENT, "CORE",
                             "queue \"%.*s\" does not keep such messages",
                             STF_STR_ARG(doc->identity.id));
    }
    return STF_OK;
}

stf_status stf__event_publish(stf__step *step, const stf__event *event)
{
    stf_status status = check_publish(step, event);
    if (status != STF_OK) {
        return status;
    }
    stf__send_item item = {.kind = STF__SEND_MESSAGE,
                           .name = event->name,
                           .key = event->key,
                           .variables = event->variables,
                           .until = event->until,
                           .since = step->now};
    status = stf__doc_add_send(step->doc, &item, step->now, step->error);
    if (status != STF_OK || event->sender.is_given) {
        return status; /* an instance that sent it has told so itself (stf__doc_aim) */
    }
    return stf__step_tell(step, STF_FACT_MESSAGE_KEPT, 0, no_text, event->name);
}

/* ---- CHILD: a called instance has ended */

stf_status stf__event_child(stf__step *step, const stf__event *event)
{
    stf__activation *activation = stf__doc_find_activation(step->doc, event->activation);
    if (!event->sender.is_given || event->how < STF__CHILD_COMPLETED ||
        event->how > STF__CHILD_WORK_ERROR) {
        return stf_error_set(step->error, STF_INVALID_ARGUMENT, "CORE",
                             "that is no end of a called instance");
    }
    if (activation == NULL || activation->active_for != STF__FOR_CHILD ||
        !stf_str_equal(activation->child, event->sender.id)) {
        return stf_error_set(step->error, STF_NOT_FOUND, "CORE",
                             "instance \"%.*s\" does not wait for called instance \"%.*s\"",
                             STF_STR_ARG(step->doc->identity.id), STF_STR_ARG(event->sender.id));
    }
    const stf__node *node = NULL;
    stf_status status = stf__step_find_node(step, activation->element, &node);
    if (status != STF_OK) {
        return status;
    }
    const stf__processor *processor = stf__element_get_processor(node->kind);
    if (processor->on_child == NULL) {
        return stf_error_set(step->error, STF_CORRUPT, "CORE", "\"%.*s\" calls nothing",
                             STF_STR_ARG(node->id));
    }
    status =
        stf__step_tell(step, STF_FACT_CHILD_ENDED, activation->number, node->id, event->sender.id);
    if (status == STF_OK) {
        status = processor->on_child(step, activation, node, event);
    }
    return status == STF_OK ? stf__step_come_to_rest(step) : status;
}

/* ---- CANCEL */

/* A sender may end only what it called. One that has not begun yet belongs to whoever cancels it:
 * the call itself comes later, and loses (R18). */
static bool may_cancel(const stf__doc *doc, const stf__sender *sender)
{
    return !sender->is_given || !stf__doc_has_begun(doc) ||
           stf_str_equal(doc->caller.id, sender->id);
}

stf_status stf__event_cancel(stf__step *step, const stf__event *event)
{
    stf_str message;
    if (!may_cancel(step->doc, &event->sender)) {
        return stf_error_set(step->error, STF_INVALID_STATE, "CORE",
                             "\"%.*s\" did not call instance \"%.*s\"",
                             STF_STR_ARG(event->sender.id), STF_STR_ARG(step->doc->identity.id));
    }
    stf_status status =
        stf__step_clean_text(step, event->message, STF__MESSAGE_BYTES_MAX, &message);
    if (status != STF_OK) {
        return status;
    }
    step->is_by_caller = event->sender.is_given;
    stf__ending ending = {.how = STF__END_CANCELLED, .message = message};
    return stf__step_end_instance(step, &ending);
}

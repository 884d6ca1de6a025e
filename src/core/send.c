/* SPDX-License-Identifier: Apache-2.0 */
/* Messages and calls leave an instance: each is an entry of the outbox, saved with the step that
 * made it and delivered after that save (R5). The receiver's id is drawn by that step or fixed by a
 * later save before the first delivery, so a delivery that is repeated after a crash goes to the
 * same one, which ignores what it has seen (R18). What becomes of an entry is in one table,
 * ack_rules; docs/messages.md has it for users. */
#include "core/event.h"
#include "value/cbor.h"

#include <stepfast/limits.h>

static const stf_str no_text = {NULL, 0};

/* What one entry carries at most: it is stored beside the variables that it was made of. */
#define CARRIED_BYTES_MAX (STF_LIMIT_PAYLOAD_BYTES / 4)

/* ---- Entries are made */

/* OK, LIMIT_EXCEEDED or NO_MEMORY. */
static stf_status check_size(const stf__step *step, const stf_value *variables, stf_error *why)
{
    stf_buf scratch;
    stf_buf_init(&scratch, step->doc->alloc);
    stf__cbor_writer writer = {.buf = &scratch, .status = STF_OK};
    if (variables != NULL) {
        stf__cbor_put_value(&writer, variables);
    }
    size_t size = scratch.size;
    stf_buf_done(&scratch);
    if (writer.status == STF_OK && size <= CARRIED_BYTES_MAX) {
        return STF_OK;
    }
    return writer.status == STF_NO_MEMORY
               ? stf__doc_no_memory(why)
               : stf_error_set(why, STF_LIMIT_EXCEEDED, "CORE",
                               "the variables are too large to be handed over: more than %u bytes",
                               CARRIED_BYTES_MAX);
}

stf_status stf__step_send(stf__step *step, const stf__activation *activation, const stf__node *node,
                          const stf__send_item *item, bool *ret_is_ok)
{
    stf_error why = STF_ERROR_INIT;
    stf_status status = check_size(step, item->variables, &why);
    if (status == STF_OK) {
        status = stf__doc_add_send(step->doc, item, step->now, &why);
    }
    *ret_is_ok = status == STF_OK;
    if (status == STF_LIMIT_EXCEEDED) {
        stf__trouble trouble = {
            .kind = STF__INCIDENT_LIMIT, .line = node->line, .message = stf_str_of(why.message)};
        return stf__step_open_incident(step, activation, &trouble);
    }
    return status == STF_OK ? STF_OK : stf__doc_no_memory(step->error);
}

/* The throwing event goes on at once and the entry outlives it: it belongs to no activation. That
 * it was sent is told when it is aimed (stf__doc_aim). */
stf_status stf__step_send_message(stf__step *step, const stf__activation *activation,
                                  const stf__node *node, bool *ret_is_ok)
{
    stf__send_item item = {.kind = STF__SEND_MESSAGE,
                           .element = activation->element,
                           .until = stf_wall_none(),
                           .since = step->now};
    stf_status status =
        stf__step_get_message(step, activation, node, ret_is_ok, &item.name, &item.key);
    if (status != STF_OK || !*ret_is_ok) {
        return status;
    }
    if (node->message->keep_us > 0) {
        int64_t room = INT64_MAX - step->now.us;
        item.until.us =
            step->now.us + (node->message->keep_us < room ? node->message->keep_us : room);
    }
    stf_value *variables = NULL;
    status = stf__step_map(step, activation, &node->inputs, ret_is_ok, &variables);
    if (status != STF_OK || !*ret_is_ok) {
        return status;
    }
    item.variables = variables;
    status = stf__step_send(step, activation, node, &item, ret_is_ok);
    stf_value_unref(variables);
    return status;
}

stf_status stf__step_send_cancel(stf__step *step, const stf__activation *activation)
{
    stf__send_item item = {.kind = STF__SEND_CANCEL,
                           .element = activation->element,
                           .target = activation->child,
                           .until = stf_wall_none(),
                           .since = step->now};
    stf_status status = stf__step_tell(step, STF_FACT_CHILD_CANCELLED, activation->number,
                                       activation->element, activation->child);
    return status == STF_OK ? stf__doc_add_send(step->doc, &item, step->now, step->error) : status;
}

static const uint32_t how_of_end[] = {
    [STF__END_COMPLETED] = STF__CHILD_COMPLETED,
    [STF__END_TERMINATED] = STF__CHILD_COMPLETED, /* it ends only itself */
    [STF__END_FAILED] = STF__CHILD_ERROR,
    [STF__END_CANCELLED] = STF__CHILD_CANCELLED,
};

/* The variables of the process go along; the caller's mappings are applied there. Too many or too
 * large ones are not handed over in part: to the caller the call did not work. */
static stf_status put_variables(stf__step *step, stf__send_item *item, stf_value **ret_variables)
{
    stf_error why = STF_ERROR_INIT;
    if (item->how != STF__CHILD_COMPLETED) {
        return STF_OK;
    }
    stf_status status = stf__doc_copy_scope_variables(step->doc, 0, ret_variables, &why);
    if (status == STF_OK) {
        status = check_size(step, *ret_variables, &why);
    }
    if (status == STF_LIMIT_EXCEEDED) {
        item->how = STF__CHILD_CANCELLED;
        return stf__step_clean_text(step, stf_str_of(why.message), STF__MESSAGE_BYTES_MAX,
                                    &item->message);
    }
    item->variables = *ret_variables;
    return status == STF_OK ? STF_OK : stf__doc_no_memory(step->error);
}

stf_status stf__step_send_result(stf__step *step, const stf__ending *ending)
{
    stf__doc *doc = step->doc;
    if (doc->caller.id.size == 0 || step->is_by_caller) {
        return STF_OK;
    }
    stf__send_item item = {.kind = STF__SEND_RESULT,
                           .how = how_of_end[ending->how],
                           .target = doc->caller.id,
                           .target_activation = doc->caller.activation,
                           .code = ending->code,
                           .message = ending->message,
                           .until = stf_wall_none(),
                           .since = step->now};
    if (ending->how == STF__END_FAILED && ending->is_of_work) {
        item.how = STF__CHILD_WORK_ERROR;
    }
    stf_value *variables = NULL;
    stf_status status = put_variables(step, &item, &variables);
    if (status == STF_OK) {
        status = stf__doc_add_send(doc, &item, step->now, step->error);
    }
    stf_value_unref(variables);
    return status;
}

/* ---- ACK: what became of them (R5, R18) */

typedef enum ack_action {
    ACK_LEAVES = 1, /* it has arrived, or it need not any more */
    ACK_DROPS = 2,  /* as LEAVES, with the fact SEND_DROPPED */
    ACK_AIMS = 3,   /* a message that missed its receiver looks for another one */
    ACK_STOPS = 4,  /* a call that did not come about: an incident at its activity */
    ACK_SHRINKS = 5 /* a result that its caller cannot take: one that says no more than that */
} ack_action;

#define ACK_KIND_LAST STF__SEND_CANCEL
#define ACK_ANSWER_LAST STF__ACK_REFUSED

/* clang-format off */
static const uint8_t ack_rules[ACK_KIND_LAST + 1][ACK_ANSWER_LAST + 1] = {
    /*                      DELIVERED   NOT_WAITING ABSENT      ENDED       OTHER_GROUP NO_DEFINITION REFUSED */
    [STF__SEND_MESSAGE] = {0, ACK_LEAVES, ACK_AIMS,  ACK_AIMS,   ACK_AIMS,   ACK_AIMS,   ACK_DROPS,    ACK_DROPS},
    [STF__SEND_CREATE] =  {0, ACK_LEAVES, ACK_STOPS, ACK_STOPS,  ACK_LEAVES, ACK_STOPS,  ACK_STOPS,    ACK_STOPS},
    [STF__SEND_RESULT] =  {0, ACK_LEAVES, ACK_DROPS, ACK_DROPS,  ACK_DROPS,  ACK_DROPS,  ACK_DROPS,    ACK_SHRINKS},
    [STF__SEND_CANCEL] =  {0, ACK_LEAVES, ACK_DROPS, ACK_LEAVES, ACK_LEAVES, ACK_DROPS,  ACK_DROPS,    ACK_DROPS},
};
/* clang-format on */

static const char *const answer_texts[ACK_ANSWER_LAST + 1] = {
    [STF__ACK_NOT_WAITING] = "the receiver does not wait for it",
    [STF__ACK_ABSENT] = "there is no such instance",
    [STF__ACK_ENDED] = "the receiver has ended",
    [STF__ACK_OTHER_GROUP] = "the receiver belongs to another group",
    [STF__ACK_NO_DEFINITION] = "there is no such process",
    [STF__ACK_REFUSED] = "the receiver refuses it",
};

static stf_str text_of(const stf__ack *ack)
{
    return ack->message.size > 0 ? ack->message : stf_str_of(answer_texts[ack->answer]);
}

static stf_status tell_dropped(stf__step *step, const stf__send *send, const stf__ack *ack)
{
    return stf__step_tell(step, STF_FACT_SEND_DROPPED, send->activation, send->element,
                          text_of(ack));
}

/* The activity may be gone; then nobody waits for what it called. */
static stf_status stop_call(stf__step *step, const stf__send *send, const stf__ack *ack)
{
    stf__activation *activation = stf__doc_find_activation(step->doc, send->activation);
    if (activation == NULL || activation->active_for != STF__FOR_CHILD ||
        !stf_str_equal(activation->child, send->target)) {
        return tell_dropped(step, send, ack);
    }
    const stf__node *node = NULL;
    stf_status status = stf__step_find_node(step, activation->element, &node);
    if (status != STF_OK) {
        return status;
    }
    stf_str why = text_of(ack);
    stf__step_stop_call(activation);
    return stf__step_open_incident_of(step, activation, STF__INCIDENT_CALL, node->line,
                                      "process \"%.*s\" was not called: %.*s",
                                      STF_STR_ARG(send->name), STF_STR_ARG(why));
}

void stf__step_stop_call(stf__activation *activation)
{
    activation->phase = STF__PHASE_STARTING;
    activation->active_for = STF__FOR_NOTHING;
    activation->child = no_text;
}

/* The caller waits for an answer, so it gets one that fits: without variables, as of a call that
 * came to nothing. That one is a new entry to it: another sequence. Refused too, it is dropped. */
static stf_status shrink(stf__step *step, stf__send *send, const stf__ack *ack)
{
    stf_str why = text_of(ack);
    if (send->how == STF__CHILD_CANCELLED && send->variables == NULL) {
        stf_status status = tell_dropped(step, send, ack);
        stf__doc_remove_send(step->doc, ack->number);
        return status;
    }
    stf_status status = stf__step_clean_text(step, why, STF__MESSAGE_BYTES_MAX, &why);
    char *message = status == STF_OK ? stf__mem_copy_str(step->doc->alloc, why) : NULL;
    if (message == NULL) {
        return stf__doc_no_memory(step->error);
    }
    stf__mem_free(step->doc->alloc, send->message);
    send->message = message;
    send->variables = stf_value_unref(send->variables);
    send->how = STF__CHILD_CANCELLED;
    send->sequence = ++step->doc->counters.sequence;
    return STF_OK;
}

static stf_status take_ack(stf__step *step, const stf__ack *ack)
{
    stf__doc *doc = step->doc;
    stf__send *send = stf__doc_find_send(doc, ack->number);
    if (send == NULL || send->sequence != ack->sequence || send->kind > ACK_KIND_LAST) {
        return STF_OK; /* of an entry that has left, or was aimed anew since */
    }
    uint8_t action = ack_rules[send->kind][ack->answer];
    if (action == ACK_AIMS) {
        send->target = no_text;
        send->is_to_queue = false;
        send->sequence = 0;
        return STF_OK;
    }
    if (action == ACK_SHRINKS) {
        return shrink(step, send, ack);
    }
    stf_status status = STF_OK;
    if (action == ACK_STOPS) {
        status = stop_call(step, send, ack);
    } else if (action == ACK_DROPS) {
        status = tell_dropped(step, send, ack);
    }
    stf__doc_remove_send(doc, ack->number);
    return status;
}

stf_status stf__event_ack(stf__step *step, const stf__event *event)
{
    for (size_t i = 0; i < event->ack_count; i++) {
        uint32_t answer = event->acks[i].answer;
        if (answer < STF__ACK_DELIVERED || answer > ACK_ANSWER_LAST) {
            return stf_error_set(step->error, STF_INVALID_ARGUMENT, "CORE",
                                 "no such answer to an entry of the outbox");
        }
    }
    stf_status status = STF_OK;
    for (size_t i = 0; status == STF_OK && i < event->ack_count; i++) {
        status = take_ack(step, &event->acks[i]);
    }
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of the file, and what the events and tasks that refer to them become: a wait for a
 * message, the sending of one, or work, when a handler is named for it. A message is made once for
 * each process that refers to it. */
#include <stepfast/limits.h>

#include "base/mem.h"
#include "bpmn/build.h"
#include "bpmn/parse.h"

/* ---- Reading --------------------------------------------------------------------------------- */

void stf__message_read(stf__parser *parser, stf__frame *frame, const stf__xml_element *element)
{
    if (frame->entry == NULL) {
        return; /* without an id, nothing refers to it */
    }
    stf__draft_message *message = stf__parser_new(parser, sizeof(*message));
    if (message == NULL) {
        return;
    }
    stf_str name = {NULL, 0};
    (void)stf__xml_get(element, STF__NS_NONE, "name", &name);
    message->place = stf__parser_place(element, frame->entry->id);
    message->name = stf__draft_copy(parser->draft, stf__draft_trim(name));
    message->key = stf__parser_copy(parser, element, STF__NS_STEPFAST, "correlationKey");
    message->keep = stf__parser_copy(parser, element, STF__NS_STEPFAST, "keep");
    frame->entry->object = message;
    frame->message = message;
}

void stf__message_read_extension(stf__parser *parser, stf__frame *frame,
                                 const stf__xml_element *element)
{
    if (element->ns == STF__NS_ZEEBE && stf_str_equal(element->name, STF_STR("subscription")) &&
        frame->message->key.size == 0) {
        frame->message->key = stf__parser_copy(parser, element, STF__NS_NONE, "correlationKey");
    }
}

/* ---- Building -------------------------------------------------------------------------------- */

static bool read_name(stf__builder *builder, const stf__draft_message *message,
                      stf__message_ref *ref)
{
    if (message->name.size == 0) {
        stf__draft_report(builder->draft, builder->from, STF__FAULT_MISSING, "message.no-name",
                          message->place, "the message has no name, by which it is found");
        return false;
    }
    if (stf__expression_is(message->name)) {
        ref->name_expr = stf__expression_compile(builder, message->place, "name of the message",
                                                 message->name, (stf_str){NULL, 0});
        return ref->name_expr != NULL;
    }
    if (message->name.size > STF_LIMIT_ID_BYTES) {
        stf__draft_report(builder->draft, builder->from, STF__FAULT_WRONG, "message.name-long",
                          message->place, "the message's name is longer than %u bytes",
                          (unsigned)STF_LIMIT_ID_BYTES);
        return false;
    }
    ref->name = stf__build_copy(builder, message->name);
    return true;
}

static bool read_key(stf__builder *builder, const stf__draft_message *message,
                     stf__message_ref *ref)
{
    stf_str key = stf__draft_trim(message->key);
    if (key.size == 0) {
        return true;
    }
    ref->key = stf__expression_compile(builder, message->place, "correlation key", key,
                                       (stf_str){NULL, 0});
    return ref->key != NULL;
}

static bool read_keep(stf__builder *builder, const stf__draft_message *message,
                      stf__message_ref *ref)
{
    stf_str keep = stf__draft_trim(message->keep);
    if (message->keep.size == 0 || stf__timer_parse_length(keep, &ref->keep_us)) {
        return true;
    }
    stf__draft_report(builder->draft, builder->from, STF__FAULT_WRONG, "message.keep-invalid",
                      message->place,
                      "keep is \"%.*s\", which is no ISO 8601 duration of a fixed length, such as "
                      "PT1H",
                      STF__CUT(keep));
    return false;
}

static const stf__message_ref *make_ref(stf__builder *builder, const stf__draft_message *message)
{
    stf__message_ref *ref = stf__build_new(builder, 1, sizeof(*ref));
    if (ref == NULL) {
        return NULL;
    }
    ref->line = message->place.line;
    bool has_name = read_name(builder, message, ref);
    bool has_key = read_key(builder, message, ref);
    bool has_keep = read_keep(builder, message, ref);
    return has_name && has_key && has_keep ? ref : NULL;
}

/* What a reference names; NULL: nothing, which has been reported. */
static const stf__message_ref *find_message(stf__builder *builder, stf_str reference,
                                            stf__place place, bool is_supported)
{
    const stf__draft_entry *entry = stf__draft_find(builder->draft, reference);
    if (entry != NULL && entry->name == NULL) {
        return NULL; /* an unknown element has been reported itself */
    }
    if (entry == NULL || entry->name->name_class != STF__BPMN_MESSAGE) {
        stf__draft_report_reference(builder->draft, builder->from, is_supported, "message.unknown",
                                    place, "messageRef \"%.*s\" names no message in this file",
                                    STF__CUT(reference));
        return NULL;
    }
    stf__draft_message *message = entry->object;
    if (message->resolved_for != builder->from) {
        message->resolved_for = builder->from;
        message->resolved = make_ref(builder, message);
    }
    return message->resolved;
}

/* Kinds that wait for a message or send one, and whether they can do without. The others refer to
 * messages as well (a start by message, one of several events); nothing is read for them yet. */
static const struct {
    stf__element_kind kind;
    bool is_needed;
} kinds[] = {
    {STF__CATCH_MESSAGE, true}, {STF__BOUNDARY_MESSAGE, true}, {STF__THROW_MESSAGE, true},
    {STF__END_MESSAGE, true},   {STF__TASK_RECEIVE, false},    {STF__TASK_SEND, false},
};

static void read_message(stf__builder *builder, stf_str reference, stf__place place,
                         stf__node *node)
{
    const stf__element_info *info = stf__element_get_info((stf__element_kind)node->kind);
    const stf__message_ref *message = NULL;
    if (reference.size != 0) {
        message = find_message(builder, reference, place, info->is_supported);
    }
    for (size_t i = 0; i < STF_COUNT_OF(kinds); i++) {
        if (kinds[i].kind != (stf__element_kind)node->kind) {
            continue;
        }
        node->message = message;
        if (reference.size == 0 && kinds[i].is_needed) {
            stf__draft_report(builder->draft, builder->from, STF__FAULT_MISSING, "message.missing",
                              place, "the event names no message (messageRef)");
        }
    }
}

static bool is_throwing(const stf__node *node)
{
    return node->kind == STF__THROW_MESSAGE || node->kind == STF__END_MESSAGE;
}

void stf__message_read_event(stf__builder *builder, const stf__draft_node *from,
                             const stf__draft_event *event, stf__node *node)
{
    if (is_throwing(node) && stf__topic_is_given(from, event)) {
        stf__topic_resolve(builder, from, event, node);
        return;
    }
    stf__place place = {event->line, event->column, from->place.element};
    read_message(builder, event->message_ref, place, node);
}

void stf__message_read_task(stf__builder *builder, const stf__draft_node *from, stf__node *node)
{
    uint32_t traits = stf__element_get_info((stf__element_kind)node->kind)->traits;
    bool is_sending = node->kind == STF__TASK_SEND && from->message_ref.size != 0 &&
                      !stf__topic_is_given(from, NULL);
    if (is_sending || node->kind == STF__TASK_RECEIVE) {
        read_message(builder, from->message_ref, from->place, node);
    } else if ((traits & STF__TRAIT_WORK) != 0) {
        stf__topic_resolve(builder, from, NULL, node);
    }
}

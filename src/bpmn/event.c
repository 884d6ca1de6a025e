/* SPDX-License-Identifier: Apache-2.0 */
/* What kind of flow node an element is, from its name and event definitions (element.def), and
 * whether that kind is executed. */
#include "base/mem.h"
#include "bpmn/build.h"

/* How each kind of definition is read; what is not here has nothing to read yet. */
static const struct {
    const char *name;
    void (*read)(stf__builder *builder, const stf__draft_node *from, const stf__draft_event *event,
                 stf__node *node);
} readers[] = {
    {"timerEventDefinition", stf__timer_read},
    {"messageEventDefinition", stf__message_read_event},
    {"errorEventDefinition", stf__error_read},
};

static void read_definition(stf__builder *builder, const stf__draft_node *from,
                            const stf__draft_event *event, stf__node *node)
{
    for (size_t i = 0; i < STF_COUNT_OF(readers); i++) {
        if (stf__bpmn_name_is(event->name, readers[i].name)) {
            readers[i].read(builder, from, event, node);
        }
    }
}

/* The definitions of an event: its own and those that it names. */
static uint32_t count_definitions(stf__builder *builder, const stf__draft_node *from,
                                  const stf__draft_event **ret_one)
{
    uint32_t count = 0;
    for (const stf__draft_event *event = from->events; event != NULL; event = event->next) {
        *ret_one = event;
        count++;
    }
    for (const stf__draft_reference *reference = from->event_refs; reference != NULL;
         reference = reference->next) {
        const stf__draft_event *event = stf__draft_find_object(builder->draft, reference->text.text,
                                                               STF__BPMN_EVENT_DEFINITION);
        if (event != NULL) {
            *ret_one = event;
            count++;
            continue;
        }
        stf__place place = {reference->text.line, reference->text.column, from->place.element};
        stf__diagnostics_add(builder->draft->diagnostics, STF_SEVERITY_ERROR,
                             "event.definition-unknown", place,
                             "eventDefinitionRef \"%.*s\" names no event definition in this file",
                             STF__CUT(reference->text.text));
    }
    return count;
}

static void read_definitions(stf__builder *builder, const stf__draft_node *from, stf__node *node)
{
    for (const stf__draft_event *event = from->events; event != NULL; event = event->next) {
        read_definition(builder, from, event, node);
    }
    for (const stf__draft_reference *reference = from->event_refs; reference != NULL;
         reference = reference->next) {
        const stf__draft_event *event = stf__draft_find_object(builder->draft, reference->text.text,
                                                               STF__BPMN_EVENT_DEFINITION);
        if (event != NULL) {
            read_definition(builder, from, event, node);
        }
    }
}

static void check_loop_input(stf__builder *builder, const stf__draft_node *from)
{
    if (from->loop_input == NULL || from->loop_input->text.size == 0 ||
        stf__draft_find(builder->draft, from->loop_input->text) != NULL) {
        return;
    }
    stf__place place = {from->loop_input->line, from->loop_input->column, from->place.element};
    stf__diagnostics_add(
        builder->draft->diagnostics, STF_SEVERITY_WARNING, "loop.input-unknown", place,
        "loopDataInputRef \"%.*s\" names no data input of the activity; taken as a variable name",
        STF__CUT(from->loop_input->text));
}

void stf__event_decide(stf__builder *builder, const stf__draft_node *from, stf__node *node)
{
    const stf__draft_event *one = NULL;
    uint32_t count = count_definitions(builder, from, &one);
    const char *event = count > 1                    ? "*"
                        : count == 1                 ? one->name->text
                        : from->is_event_sub_process ? "triggeredByEvent"
                                                     : "";
    stf__element_kind kind = STF__TASK_NONE;
    if (!stf__element_find(stf_str_of(from->name->text), stf_str_of(event), &kind)) {
        stf__diagnostics_add(builder->draft->diagnostics, STF_SEVERITY_ERROR, "event.not-allowed",
                             from->place, "%s may not have %s", from->name->text,
                             count > 1 ? "event definitions" : event);
        /* The plain kind stands in for it, so that the other rules can go on. */
        (void)stf__element_find(stf_str_of(from->name->text), (stf_str){NULL, 0}, &kind);
    }
    node->kind = (uint32_t)kind;
    const stf__element_info *info = stf__element_get_info(kind);
    if (!info->is_supported) {
        stf__draft_report_unsupported(builder->draft, builder->from, from->place, info->label);
    }
}

void stf__event_read(stf__builder *builder, const stf__draft_node *from, stf__node *node)
{
    read_definitions(builder, from, node);
    check_loop_input(builder, from);
}

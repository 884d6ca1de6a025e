/* SPDX-License-Identifier: Apache-2.0 */
/* What the start of each class of element does to the draft. A handler finds what is around its
 * element in frame[-1] and says in the frame what the children belong to. */
#include "base/mem.h"
#include "bpmn/parse.h"

static bool is_in(const stf__frame *frame, stf__bpmn_class name_class)
{
    const stf__bpmn_name *around = frame[-1].name;
    return around != NULL && around->name_class == name_class;
}

/* Directly inside a process or sub-process. */
static bool is_in_scope(const stf__frame *frame)
{
    return is_in(frame, STF__BPMN_PROCESS) ||
           (is_in(frame, STF__BPMN_NODE) && frame[-1].node != NULL && frame[-1].node->is_scope);
}

static stf_str id_of(const stf__frame *frame)
{
    return frame->entry != NULL ? frame->entry->id : (stf_str){NULL, 0};
}

static void report_misplaced(stf__parser *parser, stf__frame *frame,
                             const stf__xml_element *element, const char *where)
{
    stf__diagnostics_add(parser->draft->diagnostics, STF_SEVERITY_ERROR, "element.misplaced",
                         stf__parser_place(element, id_of(frame)),
                         "%s may stand directly inside %s only", frame->name->text, where);
    frame->is_skipped = true;
}

static void start_definitions(stf__parser *parser, stf__frame *frame,
                              const stf__xml_element *element)
{
    if (frame[-1].name != NULL) {
        report_misplaced(parser, frame, element, "the file");
        return;
    }
    parser->draft->expression_language =
        stf__parser_copy(parser, element, STF__NS_NONE, "expressionLanguage");
}

static void start_process(stf__parser *parser, stf__frame *frame, const stf__xml_element *element)
{
    if (!is_in(frame, STF__BPMN_DEFINITIONS)) {
        report_misplaced(parser, frame, element, "definitions");
        return;
    }
    stf__draft_process *process = stf__parser_new(parser, sizeof(*process));
    if (process == NULL) {
        return;
    }
    stf_str ignored;
    process->place = stf__parser_place(element, id_of(frame));
    process->label = stf__parser_copy(parser, element, STF__NS_NONE, "name");
    process->is_executable = stf__parser_is_true(element, STF__NS_NONE, "isExecutable", false);
    process->is_executable_given = stf__xml_get(element, STF__NS_NONE, "isExecutable", &ignored);
    if (id_of(frame).size == 0) {
        stf__diagnostics_add(parser->draft->diagnostics, STF_SEVERITY_ERROR, "process.no-id",
                             process->place, "the process has no id");
    }
    frame->process = process;
    stf__draft *draft = parser->draft;
    if (draft->last_process != NULL) {
        draft->last_process->next = process;
    } else {
        draft->processes = process;
    }
    draft->last_process = process;
    draft->process_count++;
}

/* A word that is neither is no harmless detail here: the work would silently not be repeated. */
static bool read_idempotent(stf__parser *parser, const stf__draft_node *node,
                            const stf__xml_element *element)
{
    stf_str value;
    if (!stf__xml_get(element, STF__NS_STEPFAST, "idempotent", &value)) {
        return false;
    }
    value = stf__draft_trim(value);
    if (stf_str_equal(value, STF_STR("true")) || stf_str_equal(value, STF_STR("1"))) {
        return true;
    }
    if (!stf_str_equal(value, STF_STR("false")) && !stf_str_equal(value, STF_STR("0"))) {
        stf__diagnostics_add(parser->draft->diagnostics, STF_SEVERITY_WARNING,
                             "task.idempotent-unclear", node->place,
                             "idempotent is \"%.*s\"; \"true\" or \"false\" is expected, and it is "
                             "taken for false",
                             STF__CUT(value));
    }
    return false;
}

static void read_node(stf__parser *parser, stf__draft_node *node, const stf__xml_element *element)
{
    stf__element_kind kind = STF__TASK_NONE;
    (void)stf__element_find(element->name, (stf_str){NULL, 0}, &kind);
    node->is_scope = (stf__element_get_info(kind)->traits & STF__TRAIT_SCOPE) != 0;
    node->label = stf__parser_copy(parser, element, STF__NS_NONE, "name");
    node->default_ref = stf__parser_copy(parser, element, STF__NS_NONE, "default");
    node->attached_to_ref = stf__parser_copy(parser, element, STF__NS_NONE, "attachedToRef");
    node->is_event_sub_process =
        stf__parser_is_true(element, STF__NS_NONE, "triggeredByEvent", false);
    node->is_for_compensation =
        stf__parser_is_true(element, STF__NS_NONE, "isForCompensation", false);
    node->is_interrupting = stf__parser_is_true(element, STF__NS_NONE, "cancelActivity", true);
    node->is_idempotent = read_idempotent(parser, node, element);
    node->message_ref = stf__parser_copy(parser, element, STF__NS_NONE, "messageRef");
    stf__topic_read_attributes(parser, &node->topics, element);
    stf__call_read_attributes(parser, node, element);
    stf__retry_read_attributes(parser, node, element);
}

static void start_node(stf__parser *parser, stf__frame *frame, const stf__xml_element *element)
{
    if (!is_in_scope(frame)) {
        report_misplaced(parser, frame, element, "a process or sub-process");
        return;
    }
    stf__draft_node *node = stf__parser_new(parser, sizeof(*node));
    if (node == NULL) {
        return;
    }
    stf__draft_process *process = frame->process;
    node->name = frame->name;
    node->process = process;
    node->scope = frame->scope;
    node->index = process->node_count++;
    node->place = stf__parser_place(element, id_of(frame));
    read_node(parser, node, element);
    if (frame->entry != NULL) {
        frame->entry->object = node;
    } else {
        stf__diagnostics_add(parser->draft->diagnostics, STF_SEVERITY_ERROR, "node.no-id",
                             node->place, "the %s has no id", frame->name->text);
    }
    if (process->last_node != NULL) {
        process->last_node->next = node;
    } else {
        process->nodes = node;
    }
    process->last_node = node;
    frame->node = node;
    if (node->is_scope) {
        frame->scope = node;
    }
    stf__feature_check_attributes(parser, node, element);
}

static void start_flow(stf__parser *parser, stf__frame *frame, const stf__xml_element *element)
{
    if (!is_in_scope(frame)) {
        report_misplaced(parser, frame, element, "a process or sub-process");
        return;
    }
    stf__draft_flow *flow = stf__parser_new(parser, sizeof(*flow));
    if (flow == NULL) {
        return;
    }
    stf__draft_process *process = frame->process;
    flow->process = process;
    flow->index = STF__NONE;
    flow->place = stf__parser_place(element, id_of(frame));
    flow->source_ref = stf__parser_copy(parser, element, STF__NS_NONE, "sourceRef");
    flow->target_ref = stf__parser_copy(parser, element, STF__NS_NONE, "targetRef");
    if (frame->entry != NULL) {
        frame->entry->object = flow;
    }
    if (process->last_flow != NULL) {
        process->last_flow->next = flow;
    } else {
        process->flows = flow;
    }
    process->last_flow = flow;
    process->flow_count++;
    frame->flow = flow;
}

static void start_condition(stf__parser *parser, stf__frame *frame, const stf__xml_element *element)
{
    if (is_in(frame, STF__BPMN_FLOW) && frame->flow != NULL) {
        frame->flow->condition_language =
            stf__parser_copy(parser, element, STF__NS_NONE, "language");
        frame->captured = &frame->flow->condition;
    }
}

/* Variables that an error is written to: Camunda's attributes, or Stepfast's of the same name. */
static stf_str read_variable(stf__parser *parser, const stf__xml_element *element, const char *name)
{
    stf_str variable = stf__parser_copy(parser, element, STF__NS_STEPFAST, name);
    return variable.size != 0 ? variable : stf__parser_copy(parser, element, STF__NS_CAMUNDA, name);
}

static void read_event_definition(stf__parser *parser, stf__draft_event *event,
                                  const stf__xml_element *element)
{
    event->error_ref = stf__parser_copy(parser, element, STF__NS_NONE, "errorRef");
    event->message_ref = stf__parser_copy(parser, element, STF__NS_NONE, "messageRef");
    event->code_variable = read_variable(parser, element, "errorCodeVariable");
    event->message_variable = read_variable(parser, element, "errorMessageVariable");
    stf__topic_read_attributes(parser, &event->topics, element);
}

/* Of an event, or of the file, to be named by eventDefinitionRef. */
static void start_event_definition(stf__parser *parser, stf__frame *frame,
                                   const stf__xml_element *element)
{
    bool is_of_node = is_in(frame, STF__BPMN_NODE) && frame->node != NULL;
    if (!is_of_node && !is_in(frame, STF__BPMN_DEFINITIONS)) {
        frame->event = NULL;
        return;
    }
    stf__draft_event *event = stf__parser_new(parser, sizeof(*event));
    if (event == NULL) {
        return;
    }
    event->name = frame->name;
    event->line = element->line;
    event->column = element->column;
    read_event_definition(parser, event, element);
    frame->event = event;
    if (frame->entry != NULL) {
        frame->entry->object = event;
    }
    if (is_of_node && frame->node->last_event != NULL) {
        frame->node->last_event->next = event;
        frame->node->last_event = event;
    } else if (is_of_node) {
        frame->node->events = event;
        frame->node->last_event = event;
    }
}

static void start_event_ref(stf__parser *parser, stf__frame *frame, const stf__xml_element *element)
{
    (void)element;
    if (!is_in(frame, STF__BPMN_NODE) || frame->node == NULL) {
        return;
    }
    stf__draft_reference *reference = stf__parser_new(parser, sizeof(*reference));
    if (reference != NULL) {
        reference->next = frame->node->event_refs;
        frame->node->event_refs = reference;
        frame->captured = &reference->text;
    }
}

static void start_operation_ref(stf__parser *parser, stf__frame *frame,
                                const stf__xml_element *element)
{
    (void)parser;
    (void)element;
    if (is_in(frame, STF__BPMN_EVENT_DEFINITION) && frame->event != NULL) {
        frame->captured = &frame->event->operation;
    }
}

static void start_message(stf__parser *parser, stf__frame *frame, const stf__xml_element *element)
{
    stf__message_read(parser, frame, element);
}

static void start_error(stf__parser *parser, stf__frame *frame, const stf__xml_element *element)
{
    if (frame->entry == NULL) {
        return; /* without an id, nothing refers to it */
    }
    stf__draft_error *error = stf__parser_new(parser, sizeof(*error));
    if (error != NULL) {
        stf_str code = {NULL, 0};
        (void)stf__xml_get(element, STF__NS_NONE, "errorCode", &code);
        error->code = stf__draft_copy(parser->draft, stf__draft_trim(code));
        frame->entry->object = error;
    }
}

static void start_time(stf__parser *parser, stf__frame *frame, const stf__xml_element *element)
{
    (void)parser;
    static const struct {
        const char *name;
        stf__timer_kind kind;
    } kinds[] = {{"timeDate", STF__TIMER_DATE},
                 {"timeDuration", STF__TIMER_DURATION},
                 {"timeCycle", STF__TIMER_CYCLE}};
    if (!is_in(frame, STF__BPMN_EVENT_DEFINITION) || frame->event == NULL) {
        return;
    }
    for (size_t i = 0; i < STF_COUNT_OF(kinds); i++) {
        if (stf_str_equal(element->name, stf_str_of(kinds[i].name))) {
            frame->event->timer_kind = kinds[i].kind;
        }
    }
    frame->event->time_count++;
    frame->captured = &frame->event->time;
}

/* A data object of a scope, or a property of a scope, activity or event. */
static void start_data(stf__parser *parser, stf__frame *frame, const stf__xml_element *element)
{
    bool is_of_node = is_in(frame, STF__BPMN_NODE) && frame->node != NULL;
    if (!is_of_node && !is_in(frame, STF__BPMN_PROCESS)) {
        return;
    }
    stf__draft_data *data = stf__parser_new(parser, sizeof(*data));
    if (data == NULL) {
        return;
    }
    data->id = id_of(frame);
    data->label = stf__parser_copy(parser, element, STF__NS_NONE, "name");
    data->line = element->line;
    data->scope = is_of_node ? frame->node : NULL;
    stf__draft_process *process = frame->process;
    if (process->last_data != NULL) {
        process->last_data->next = data;
    } else {
        process->data = data;
    }
    process->last_data = data;
    process->data_count++;
}

static void start_loop_input(stf__parser *parser, stf__frame *frame,
                             const stf__xml_element *element)
{
    (void)element;
    if (frame->node != NULL) {
        frame->captured = stf__parser_new(parser, sizeof(*frame->captured));
        frame->node->loop_input = frame->captured;
    }
}

stf__element_handler stf__parser_find_handler(stf__bpmn_class name_class)
{
    static const stf__element_handler handlers[STF__BPMN_CLASS_COUNT] = {
        [STF__BPMN_DEFINITIONS] = start_definitions,
        [STF__BPMN_PROCESS] = start_process,
        [STF__BPMN_NODE] = start_node,
        [STF__BPMN_FLOW] = start_flow,
        [STF__BPMN_CONDITION] = start_condition,
        [STF__BPMN_EVENT_DEFINITION] = start_event_definition,
        [STF__BPMN_EVENT_REF] = start_event_ref,
        [STF__BPMN_TIME] = start_time,
        [STF__BPMN_DATA] = start_data,
        [STF__BPMN_LOOP_INPUT] = start_loop_input,
        [STF__BPMN_MESSAGE] = start_message,
        [STF__BPMN_ERROR] = start_error,
        [STF__BPMN_OPERATION_REF] = start_operation_ref,
    };
    return handlers[name_class];
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Which handler a task or message event calls (docs/handlers.md): the first source that says
 * something, else the element's id. */
#include <stepfast/limits.h>

#include "base/mem.h"
#include "bpmn/build.h"
#include "bpmn/parse.h"

/* Attributes of the task or the message event definition, by source. Zeebe's is an extension
 * element. */
static const struct {
    stf__topic_source source;
    stf__ns ns;
    const char *name;
} attributes[] = {
    {STF__TOPIC_STEPFAST, STF__NS_STEPFAST, "handler"},
    {STF__TOPIC_STEPFAST_TOPIC, STF__NS_STEPFAST, "topic"},
    {STF__TOPIC_CAMUNDA, STF__NS_CAMUNDA, "topic"},
    {STF__TOPIC_FLOWABLE, STF__NS_FLOWABLE, "topic"},
    {STF__TOPIC_OPERATION, STF__NS_NONE, "operationRef"},
};

/* Attributes of Camunda and Flowable that make an element work without naming a topic. */
static const char *const implementations[] = {"type", "class", "expression", "delegateExpression"};

static bool has_text(const stf__xml_element *element, stf__ns ns, const char *name)
{
    stf_str value;
    return stf__xml_get(element, ns, name, &value) && stf__draft_trim(value).size != 0;
}

void stf__topic_read_attributes(stf__parser *parser, stf__draft_topics *topics,
                                const stf__xml_element *element)
{
    for (size_t i = 0; i < STF_COUNT_OF(attributes); i++) {
        stf_str value;
        if (stf__xml_get(element, attributes[i].ns, attributes[i].name, &value)) {
            topics->names[attributes[i].source] =
                stf__draft_copy(parser->draft, stf__draft_trim(value));
        }
    }
    for (size_t i = 0; i < STF_COUNT_OF(implementations); i++) {
        topics->has_implementation = topics->has_implementation ||
                                     has_text(element, STF__NS_CAMUNDA, implementations[i]) ||
                                     has_text(element, STF__NS_FLOWABLE, implementations[i]);
    }
}

void stf__topic_read_extension(stf__parser *parser, stf__frame *frame,
                               const stf__xml_element *element)
{
    stf_str type;
    if (element->ns == STF__NS_ZEEBE && stf_str_equal(element->name, STF_STR("taskDefinition")) &&
        stf__xml_get(element, STF__NS_NONE, "type", &type)) {
        frame->node->topics.names[STF__TOPIC_ZEEBE] =
            stf__draft_copy(parser->draft, stf__draft_trim(type));
    }
}

/* What a source says: the task or event itself, else its definition. */
static stf_str find_source(const stf__draft_node *from, const stf__draft_event *event,
                           uint32_t source)
{
    stf_str topic = from->topics.names[source];
    if (topic.size == 0 && event != NULL) {
        topic = source == STF__TOPIC_OPERATION && event->topics.names[source].size == 0
                    ? event->operation.text
                    : event->topics.names[source];
    }
    return topic;
}

bool stf__topic_is_given(const stf__draft_node *from, const stf__draft_event *event)
{
    for (uint32_t i = 0; i < STF__TOPIC_SOURCE_COUNT; i++) {
        if (find_source(from, event, i).size != 0) {
            return true;
        }
    }
    return from->topics.has_implementation || (event != NULL && event->topics.has_implementation);
}

/* An operation is called by its name; an unknown reference is a warning and stands for itself. */
static stf_str find_operation(stf__builder *builder, const stf__draft_node *from, stf_str reference)
{
    const stf__draft_entry *entry = stf__draft_find(builder->draft, reference);
    if (entry == NULL || entry->name == NULL || !stf__bpmn_name_is(entry->name, "operation")) {
        stf__diagnostics_add(builder->draft->diagnostics, STF_SEVERITY_WARNING,
                             "task.operation-unknown", from->place,
                             "operationRef \"%.*s\" names no operation in this file",
                             STF__CUT(reference));
        return reference;
    }
    return entry->label.size != 0 ? entry->label : entry->id;
}

void stf__topic_resolve(stf__builder *builder, const stf__draft_node *from,
                        const stf__draft_event *event, stf__node *node)
{
    stf_str topic = {NULL, 0};
    for (uint32_t i = 0; i < STF__TOPIC_SOURCE_COUNT && topic.size == 0; i++) {
        topic = find_source(from, event, i);
        if (i == STF__TOPIC_OPERATION && topic.size != 0) {
            topic = find_operation(builder, from, topic);
        }
    }
    if (topic.size == 0) {
        node->topic = node->id;
    } else if (stf__expression_is(topic)) {
        node->topic_expr =
            stf__expression_compile(builder, from->place, "handler", topic, (stf_str){NULL, 0});
    } else if (topic.size > STF_LIMIT_ID_BYTES) {
        stf__diagnostics_add(builder->draft->diagnostics, STF_SEVERITY_ERROR, "task.handler-long",
                             from->place, "the handler's name is longer than %u bytes",
                             (unsigned)STF_LIMIT_ID_BYTES);
    } else {
        node->topic = stf__build_copy(builder, topic);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Which handler a task calls (docs/handlers.md): the first source that says something, else the
 * element's id. */
#include <stepfast/limits.h>

#include "base/mem.h"
#include "bpmn/build.h"
#include "bpmn/parse.h"

/* Attributes of the task, by source. Zeebe's is an extension element. */
static const struct {
    stf__topic_source source;
    stf__ns ns;
    const char *name;
} attributes[] = {
    {STF__TOPIC_STEPFAST, STF__NS_STEPFAST, "handler"},
    {STF__TOPIC_CAMUNDA, STF__NS_CAMUNDA, "topic"},
    {STF__TOPIC_FLOWABLE, STF__NS_FLOWABLE, "topic"},
    {STF__TOPIC_OPERATION, STF__NS_NONE, "operationRef"},
};

void stf__topic_read_attributes(stf__parser *parser, stf__draft_node *node,
                                const stf__xml_element *element)
{
    for (size_t i = 0; i < STF_COUNT_OF(attributes); i++) {
        stf_str value;
        if (stf__xml_get(element, attributes[i].ns, attributes[i].name, &value)) {
            node->topics[attributes[i].source] =
                stf__draft_copy(parser->draft, stf__draft_trim(value));
        }
    }
}

void stf__topic_read_extension(stf__parser *parser, stf__draft_node *node,
                               const stf__xml_element *element)
{
    stf_str type;
    if (element->ns == STF__NS_ZEEBE && stf_str_equal(element->name, STF_STR("taskDefinition")) &&
        stf__xml_get(element, STF__NS_NONE, "type", &type)) {
        node->topics[STF__TOPIC_ZEEBE] = stf__draft_copy(parser->draft, stf__draft_trim(type));
    }
}

/* An operation is called by its name; an unknown reference is a warning and stands for itself. */
static stf_str find_operation(stf__builder *builder, const stf__draft_node *from)
{
    stf_str reference = from->topics[STF__TOPIC_OPERATION];
    if (reference.size == 0) {
        return reference;
    }
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

void stf__topic_resolve(stf__builder *builder, const stf__draft_node *from, stf__node *node)
{
    if ((stf__element_get_info((stf__element_kind)node->kind)->traits & STF__TRAIT_WORK) == 0) {
        return;
    }
    stf_str topic = {NULL, 0};
    for (uint32_t i = 0; i < STF__TOPIC_SOURCE_COUNT && topic.size == 0; i++) {
        topic = i == STF__TOPIC_OPERATION ? find_operation(builder, from) : from->topics[i];
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

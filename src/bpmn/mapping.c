/* SPDX-License-Identifier: Apache-2.0 */
/* The variables that go into a called process or a message and come out of a call: the in and out
 * of Stepfast, Camunda and Flowable, and Zeebe's ioMapping at call activities. What is not named
 * does not cross the border; only Zeebe's own call element lets everything through by itself. */
#include <stepfast/limits.h>

#include "base/mem.h"
#include "bpmn/build.h"
#include "bpmn/parse.h"

#include <string.h>

/* ---- Reading --------------------------------------------------------------------------------- */

static stf__draft_mapping *add(stf__parser *parser, stf__draft_node *node,
                               const stf__xml_element *element, bool is_output)
{
    stf__draft_mapping *mapping = stf__parser_new(parser, sizeof(*mapping));
    if (mapping == NULL) {
        return NULL;
    }
    parser->draft->element_count++; /* the walk compares it with the limit */
    mapping->line = element->line;
    mapping->column = element->column;
    mapping->is_output = is_output;
    mapping->target = stf__parser_copy(parser, element, STF__NS_NONE, "target");
    if (node->last_mapping != NULL) {
        node->last_mapping->next = mapping;
    } else {
        node->mappings = mapping;
    }
    node->last_mapping = mapping;
    return mapping;
}

static void warn_ignored(stf__parser *parser, const stf__draft_node *node,
                         const stf__xml_element *element, const char *attribute)
{
    stf__diagnostics_add(parser->draft->diagnostics, STF_SEVERITY_WARNING, "mapping.ignored",
                         stf__parser_place(element, node->place.element),
                         "\"%s\" of a mapping is ignored", attribute);
}

static void read_in_or_out(stf__parser *parser, stf__draft_node *node,
                           const stf__xml_element *element, bool is_output)
{
    stf_str value;
    if (stf__xml_get(element, STF__NS_NONE, "local", &value)) {
        warn_ignored(parser, node, element, "local");
    }
    if (stf__xml_get(element, STF__NS_NONE, "businessKey", &value)) {
        warn_ignored(parser, node, element, "businessKey");
        return;
    }
    stf__draft_mapping *mapping = add(parser, node, element, is_output);
    if (mapping == NULL) {
        return;
    }
    mapping->variable = stf__parser_copy(parser, element, STF__NS_NONE, "source");
    mapping->expression = stf__parser_copy(parser, element, STF__NS_NONE, "sourceExpression");
    mapping->is_all = stf__xml_get(element, STF__NS_NONE, "variables", &value) &&
                      stf_str_equal(stf__draft_trim(value), STF_STR("all"));
}

void stf__mapping_read_extension(stf__parser *parser, stf__frame *frame,
                                 const stf__xml_element *element)
{
    stf__draft_node *node = frame->node;
    bool is_in = stf_str_equal(element->name, STF_STR("in"));
    bool is_vendor = element->ns == STF__NS_CAMUNDA || element->ns == STF__NS_FLOWABLE;
    if (element->ns == STF__NS_ZEEBE && node->call != NULL &&
        stf_str_equal(element->name, STF_STR("ioMapping"))) {
        frame->is_mapping_list = true;
        frame->is_skipped = false;
    } else if ((element->ns == STF__NS_STEPFAST || (is_vendor && node->call != NULL)) &&
               (is_in || stf_str_equal(element->name, STF_STR("out")))) {
        read_in_or_out(parser, node, element, !is_in);
    }
}

void stf__mapping_read_item(stf__parser *parser, stf__frame *frame, const stf__xml_element *element)
{
    bool is_input = stf_str_equal(element->name, STF_STR("input"));
    if (element->ns == STF__NS_ZEEBE &&
        (is_input || stf_str_equal(element->name, STF_STR("output")))) {
        stf__draft_mapping *mapping = add(parser, frame->node, element, !is_input);
        if (mapping != NULL) {
            mapping->expression = stf__parser_copy(parser, element, STF__NS_NONE, "source");
            mapping->is_plain_text =
                mapping->expression.size != 0 && mapping->expression.data[0] != '=';
        }
    }
}

/* ---- Building -------------------------------------------------------------------------------- */

/* Zeebe's sources are a FEEL expression after "=", else a plain text. */
static stf_expr *read_source(stf__builder *builder, const stf__draft_mapping *from,
                             stf__place place)
{
    stf_str expression = stf__draft_trim(from->expression);
    if (from->variable.size != 0) {
        return stf__expression_of_variable(builder, place, stf__draft_trim(from->variable));
    }
    if (from->is_plain_text) {
        return stf__expression_of_text(builder, place, "source of the mapping", expression);
    }
    return stf__expression_compile(builder, place, "source of the mapping", expression,
                                   (stf_str){NULL, 0});
}

static bool read_target(stf__builder *builder, const stf__draft_mapping *from, stf__place place,
                        stf__mapping *mapping)
{
    stf_str target = stf__draft_trim(from->target);
    if (target.size > STF_LIMIT_ID_BYTES) {
        stf__draft_report(builder->draft, builder->from, STF__FAULT_WRONG, "mapping.target-long",
                          place, "the target of the mapping is longer than %u bytes",
                          (unsigned)STF_LIMIT_ID_BYTES);
        return false;
    }
    if (memchr(target.data, '.', target.size) != NULL) {
        stf__draft_report_unsupported(builder->draft, builder->from, place,
                                      "a mapping into a part of a variable");
        return false;
    }
    mapping->target = stf__build_copy(builder, target);
    return true;
}

static void read_mapping(stf__builder *builder, const stf__draft_node *node,
                         const stf__draft_mapping *from, stf__mapping *mapping)
{
    stf__place place = {from->line, from->column, node->place.element};
    mapping->line = from->line;
    mapping->is_all = from->is_all;
    if (from->is_all) {
        return;
    }
    bool has_source = from->variable.size != 0 || from->expression.size != 0;
    if (!has_source || stf__draft_trim(from->target).size == 0) {
        stf__draft_report(builder->draft, builder->from, STF__FAULT_WRONG, "mapping.incomplete",
                          place, "the mapping has no %s", has_source ? "target" : "source");
        return;
    }
    if (read_target(builder, from, place, mapping)) {
        mapping->source = read_source(builder, from, place);
    }
}

static uint32_t count_mappings(const stf__draft_node *from, bool is_output)
{
    uint32_t count = 0;
    for (const stf__draft_mapping *item = from->mappings; item != NULL; item = item->next) {
        count += item->is_output == is_output;
    }
    return count;
}

/* takes_all: everything goes first, and what is named besides goes over it. */
static stf__mappings read_direction(stf__builder *builder, const stf__draft_node *from,
                                    bool is_output, bool takes_all)
{
    uint32_t count = count_mappings(from, is_output) + takes_all;
    stf__mapping *items = count != 0 ? stf__build_new(builder, count, sizeof(*items)) : NULL;
    if (items == NULL) {
        return (stf__mappings){NULL, 0};
    }
    uint32_t used = 0;
    if (takes_all) {
        items[used++] = (stf__mapping){.line = from->place.line, .is_all = true};
    }
    for (const stf__draft_mapping *item = from->mappings; item != NULL; item = item->next) {
        if (item->is_output == is_output) {
            read_mapping(builder, from, item, &items[used++]);
        }
    }
    return (stf__mappings){items, count};
}

void stf__mapping_resolve(stf__builder *builder, const stf__draft_node *from, stf__node *node)
{
    bool is_call = node->kind == STF__CALL_ACTIVITY && from->call != NULL;
    bool is_sending = node->message != NULL &&
                      (node->kind == STF__TASK_SEND || node->kind == STF__THROW_MESSAGE ||
                       node->kind == STF__END_MESSAGE);
    if (is_call) {
        /* Zeebe: output mappings replace the passing of everything. */
        bool has_outputs = count_mappings(from, true) != 0;
        node->inputs = read_direction(builder, from, false, from->call->takes_all_in);
        node->outputs =
            read_direction(builder, from, true, from->call->takes_all_out && !has_outputs);
    } else if (is_sending) {
        node->inputs = read_direction(builder, from, false, false);
    }
    if (!is_call && from->mappings != NULL && (!is_sending || count_mappings(from, true) != 0)) {
        stf__place place = {from->mappings->line, from->mappings->column, from->place.element};
        stf__diagnostics_add(builder->draft->diagnostics, STF_SEVERITY_WARNING, "mapping.ignored",
                             place,
                             "in and out mean something at call activities, and in at sent "
                             "messages; here they are ignored");
    }
}

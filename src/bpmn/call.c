/* SPDX-License-Identifier: Apache-2.0 */
/* Call activities: which process they call, and in which version. */
#include <stepfast/limits.h>

#include "base/mem.h"
#include "bpmn/build.h"
#include "bpmn/parse.h"

#include <stdio.h>

/* ---- Reading --------------------------------------------------------------------------------- */

static stf_str read_vendor(stf__parser *parser, const stf__xml_element *element, const char *name)
{
    stf_str value = {NULL, 0};
    if (!stf__xml_get(element, STF__NS_CAMUNDA, name, &value)) {
        (void)stf__xml_get(element, STF__NS_FLOWABLE, name, &value);
    }
    return stf__draft_copy(parser->draft, stf__draft_trim(value));
}

void stf__call_read_attributes(stf__parser *parser, stf__draft_node *node,
                               const stf__xml_element *element)
{
    if (!stf__bpmn_name_is(node->name, "callActivity")) {
        return;
    }
    stf__draft_call *call = stf__parser_new(parser, sizeof(*call));
    if (call == NULL) {
        return;
    }
    stf_str called = {NULL, 0};
    stf_str ignored;
    (void)stf__xml_get(element, STF__NS_NONE, "calledElement", &called);
    call->element = stf__draft_copy(parser->draft, stf__draft_trim(called));
    call->binding = read_vendor(parser, element, "calledElementBinding");
    call->version = read_vendor(parser, element, "calledElementVersion");
    call->takes_all_in = stf__parser_is_true(element, STF__NS_FLOWABLE, "inheritVariables", false);
    call->has_mapper =
        stf__xml_get(element, STF__NS_CAMUNDA, "variableMappingClass", &ignored) ||
        stf__xml_get(element, STF__NS_CAMUNDA, "variableMappingDelegateExpression", &ignored);
    node->call = call;
}

void stf__call_read_extension(stf__parser *parser, stf__frame *frame,
                              const stf__xml_element *element)
{
    stf__draft_call *call = frame->node->call;
    if (call == NULL || element->ns != STF__NS_ZEEBE ||
        !stf_str_equal(element->name, STF_STR("calledElement"))) {
        return;
    }
    if (call->element.size == 0) {
        stf_str called = {NULL, 0};
        (void)stf__xml_get(element, STF__NS_NONE, "processId", &called);
        call->element = stf__draft_copy(parser->draft, stf__draft_trim(called));
    }
    call->takes_all_in =
        stf__parser_is_true(element, STF__NS_NONE, "propagateAllParentVariables", true);
    call->takes_all_out =
        stf__parser_is_true(element, STF__NS_NONE, "propagateAllChildVariables", true);
    if (call->binding.size == 0) {
        call->binding = stf__parser_copy(parser, element, STF__NS_NONE, "bindingType");
    }
}

/* ---- Building -------------------------------------------------------------------------------- */

static void read_process(stf__builder *builder, const stf__draft_node *from, stf__call *call)
{
    stf_str called = from->call->element;
    if (called.size == 0) {
        stf__draft_report(builder->draft, builder->from, STF__FAULT_MISSING, "call.no-process",
                          from->place, "the call activity names no process (calledElement)");
        return;
    }
    if (stf__expression_is(called)) {
        call->process_expr = stf__expression_compile(builder, from->place, "called process", called,
                                                     (stf_str){NULL, 0});
        return;
    }
    /* A qualified name of a process of this file; any other text is the id itself. */
    const stf__draft_entry *entry = stf__draft_find(builder->draft, called);
    if (entry != NULL && entry->name != NULL && entry->name->name_class == STF__BPMN_PROCESS) {
        called = entry->id;
    }
    if (called.size > STF_LIMIT_ID_BYTES) {
        stf__draft_report(builder->draft, builder->from, STF__FAULT_WRONG, "call.process-long",
                          from->place, "the called process's id is longer than %u bytes",
                          (unsigned)STF_LIMIT_ID_BYTES);
        return;
    }
    call->process = stf__build_copy(builder, called);
}

static void read_version(stf__builder *builder, const stf__draft_node *from, stf__call *call)
{
    stf_str text = from->call->version;
    if (stf__expression_is(text)) {
        stf__draft_report_unsupported(builder->draft, builder->from, from->place,
                                      "calledElementVersion that is an expression");
        return;
    }
    int64_t version = 0;
    bool is_number = text.size != 0;
    for (size_t i = 0; i < text.size && is_number; i++) {
        is_number = text.data[i] >= '0' && text.data[i] <= '9' &&
                    !__builtin_mul_overflow(version, 10, &version) &&
                    !__builtin_add_overflow(version, text.data[i] - '0', &version);
    }
    if (!is_number || version == 0) {
        stf__draft_report(
            builder->draft, builder->from, STF__FAULT_WRONG, "call.version-invalid", from->place,
            "calledElementVersion is \"%.*s\"; a number from 1 is needed", STF__CUT(text));
        return;
    }
    call->version = version;
}

static void read_binding(stf__builder *builder, const stf__draft_node *from, stf__call *call)
{
    stf_str binding = from->call->binding;
    if (stf_str_equal(binding, STF_STR("version"))) {
        read_version(builder, from, call);
    } else if (stf_str_equal(binding, STF_STR("deployment"))) {
        stf__diagnostics_add(builder->draft->diagnostics, STF_SEVERITY_WARNING,
                             "call.binding-latest", from->place,
                             "the process of the same deployment is asked for: the latest version "
                             "at the time of the call is taken");
    } else if (binding.size != 0 && !stf_str_equal(binding, STF_STR("latest"))) {
        char label[200];
        (void)snprintf(label, sizeof(label), "the binding \"%.*s\" of a call activity",
                       STF__CUT(binding));
        stf__draft_report_unsupported(builder->draft, builder->from, from->place, label);
    }
}

void stf__call_resolve(stf__builder *builder, const stf__draft_node *from, stf__node *node)
{
    if (node->kind != STF__CALL_ACTIVITY || from->call == NULL) {
        return;
    }
    stf__call *call = stf__build_new(builder, 1, sizeof(*call));
    if (call == NULL) {
        return;
    }
    read_process(builder, from, call);
    read_binding(builder, from, call);
    if (from->call->has_mapper) {
        stf__draft_report_unsupported(builder->draft, builder->from, from->place,
                                      "variables of a call mapped by a class");
    }
    node->call = call;
}

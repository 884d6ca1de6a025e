/* SPDX-License-Identifier: Apache-2.0 */
/* What an error event throws or catches: the code of the error that it names. */
#include "base/mem.h"
#include "bpmn/build.h"

static const stf__draft_error *find_error(stf__builder *builder, const stf__draft_event *event,
                                          stf__place place, bool is_supported)
{
    const stf__draft_entry *entry = stf__draft_find(builder->draft, event->error_ref);
    if (entry != NULL && (entry->name == NULL || entry->name->name_class == STF__BPMN_ERROR)) {
        return entry->object;
    }
    stf__draft_report_reference(builder->draft, builder->from, is_supported, "event.error-unknown",
                                place, "errorRef \"%.*s\" names no error in this file",
                                STF__CUT(event->error_ref));
    return NULL;
}

static void check_code(stf__builder *builder, const stf__draft_event *event, stf__place place,
                       const stf__node *node, stf_str code)
{
    if (stf__expression_is(code)) {
        stf__draft_report_unsupported(builder->draft, builder->from, place,
                                      "an error code that is an expression");
    } else if (code.size == 0 && node->kind == STF__END_ERROR) {
        stf__draft_report(
            builder->draft, builder->from, STF__FAULT_MISSING, "event.error-missing", place, "%s",
            event->error_ref.size == 0 ? "the error end event names no error (errorRef)"
                                       : "the error that is thrown has no errorCode");
    }
}

void stf__error_read(stf__builder *builder, const stf__draft_node *from,
                     const stf__draft_event *event, stf__node *node)
{
    stf__place place = {event->line, event->column, from->place.element};
    const stf__element_info *info = stf__element_get_info((stf__element_kind)node->kind);
    const stf__draft_error *error = NULL;
    if (event->error_ref.size != 0) {
        error = find_error(builder, event, place, info->is_supported);
    }
    if (node->kind != STF__END_ERROR && node->kind != STF__BOUNDARY_ERROR) {
        return;
    }
    stf__error_ref *ref = stf__build_new(builder, 1, sizeof(*ref));
    if (ref == NULL) {
        return;
    }
    /* Vendors take a reference to nothing for the code itself. */
    stf_str code = error != NULL ? error->code : stf__draft_trim(event->error_ref);
    check_code(builder, event, place, node, code);
    ref->code = stf__build_copy(builder, code);
    ref->code_variable = stf__build_copy(builder, stf__draft_trim(event->code_variable));
    ref->message_variable = stf__build_copy(builder, stf__draft_trim(event->message_variable));
    node->error = ref;
    if (node->kind == STF__BOUNDARY_ERROR && !node->is_interrupting) {
        stf__diagnostics_add(builder->draft->diagnostics, STF_SEVERITY_WARNING,
                             "boundary.error-interrupts", from->place,
                             "cancelActivity is false, which an error boundary event cannot be: "
                             "the error has ended the activity");
        node->is_interrupting = true;
    }
}

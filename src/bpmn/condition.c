/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of sequence flows: which of them count, and compiling those. */
#include "bpmn/build.h"

/* Why a condition is ignored; NULL: it counts. */
static const char *find_reason(const stf__node *source, const stf__flow *flow)
{
    uint32_t traits = stf__element_get_info((stf__element_kind)source->kind)->traits;
    if ((traits & STF__TRAIT_START) != 0) {
        return "a flow out of a start event has a condition, which is ignored: the standard allows "
               "none there";
    }
    if (source->default_flow == flow->index) {
        return "the default flow has a condition, which is ignored";
    }
    if (source->kind == STF__GATEWAY_PARALLEL || source->kind == STF__GATEWAY_EVENT) {
        return "a flow out of this kind of gateway has a condition, which is ignored";
    }
    if ((traits & (STF__TRAIT_CATCH | STF__TRAIT_THROW | STF__TRAIT_BOUNDARY)) != 0) {
        return "a flow out of an event has a condition, which is ignored: the standard allows none "
               "there";
    }
    return NULL;
}

void stf__condition_compile(stf__builder *builder, const stf__draft_flow *from, stf__flow *flow)
{
    if (!from->condition.is_given) {
        return;
    }
    const char *reason = find_reason(&builder->nodes[flow->source], flow);
    if (reason != NULL) {
        stf__diagnostics_add(builder->draft->diagnostics, STF_SEVERITY_WARNING,
                             "flow.condition-ignored", from->place, "%s", reason);
    }
    stf__place place = {from->condition.line, from->condition.column, from->place.element};
    if (reason != NULL && from->condition_language.size == 0) {
        return;
    }
    stf_expr *condition = stf__expression_compile(builder, place, "condition", from->condition.text,
                                                  from->condition_language);
    flow->condition = reason == NULL ? condition : NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* References between elements: the ends of flows, default flows, attachments. Each mistake is told
 * where the reference stands; a flow with a mistake does not get into the model, so that the other
 * rules can go on without it. */
#include <stepfast/limits.h>

#include "base/mem.h"
#include "bpmn/build.h"

#include <stdio.h>
#include <string.h>

static uint32_t traits_of(const stf__builder *builder, const stf__draft_node *node)
{
    return stf__element_get_info((stf__element_kind)builder->nodes[node->index].kind)->traits;
}

static void add_error(stf__builder *builder, const char *rule, stf__place place,
                      const char *sentence)
{
    stf__diagnostics_add(builder->draft->diagnostics, STF_SEVERITY_ERROR, rule, place, "%s",
                         sentence);
}

/* ---- Flows -------------------------------------------------------------------------------- */

/* One end of a flow; NULL after a mistake, which has been reported. */
static stf__draft_node *find_end(stf__builder *builder, const stf__draft_flow *flow,
                                 const char *attribute, stf_str reference, const char *rule)
{
    stf_diagnostics *diagnostics = builder->draft->diagnostics;
    if (reference.size == 0) {
        stf__diagnostics_add(diagnostics, STF_SEVERITY_ERROR, rule, flow->place,
                             "the flow has no %s", attribute);
        return NULL;
    }
    const stf__draft_entry *entry = stf__draft_find(builder->draft, reference);
    if (entry == NULL) {
        stf__diagnostics_add(diagnostics, STF_SEVERITY_ERROR, rule, flow->place,
                             "%s \"%.*s\" names nothing in this file", attribute,
                             STF__CUT(reference));
        return NULL;
    }
    if (entry->name == NULL) {
        return NULL; /* an unknown element has been reported itself */
    }
    if (entry->name->name_class != STF__BPMN_NODE || entry->object == NULL) {
        stf__diagnostics_add(diagnostics, STF_SEVERITY_ERROR, rule, flow->place,
                             "%s \"%.*s\" names %s, where no sequence flow may go", attribute,
                             STF__CUT(reference), entry->name->text);
        return NULL;
    }
    return entry->object;
}

static bool check_same_scope(stf__builder *builder, const stf__draft_flow *flow)
{
    const stf__draft_node *source = flow->source;
    const stf__draft_node *target = flow->target;
    stf_diagnostics *diagnostics = builder->draft->diagnostics;
    if (source->process != builder->from || target->process != builder->from) {
        stf__diagnostics_add(diagnostics, STF_SEVERITY_ERROR, "flow.across-processes", flow->place,
                             "the flow crosses the border of the process \"%.*s\": processes "
                             "exchange messages only",
                             STF__CUT(builder->from->place.element));
        return false;
    }
    if (source->scope == target->scope) {
        return true;
    }
    bool is_leaving = source->scope != NULL;
    const stf__draft_node *border = is_leaving ? source->scope : target->scope;
    stf__diagnostics_add(diagnostics, STF_SEVERITY_ERROR, "flow.across-scopes", flow->place,
                         "the flow %s the sub-process \"%.*s\": source and target must be in the "
                         "same scope",
                         is_leaving ? "leaves" : "enters", STF__CUT(border->place.element));
    return false;
}

/* Which kinds of node a flow may not leave or enter. */
static const struct {
    uint32_t trait;
    bool is_source;
    const char *rule;
    const char *sentence;
} forbidden_ends[] = {
    {STF__TRAIT_START, false, "flow.into-start", "a start event may not have an incoming flow"},
    {STF__TRAIT_END, true, "flow.out-of-end", "an end event may not have an outgoing flow"},
    {STF__TRAIT_BOUNDARY, false, "flow.into-boundary",
     "a boundary event may not have an incoming flow"},
};

static void check_ends(stf__builder *builder, const stf__draft_flow *flow)
{
    uint32_t source = traits_of(builder, flow->source);
    uint32_t target = traits_of(builder, flow->target);
    for (size_t i = 0; i < STF_COUNT_OF(forbidden_ends); i++) {
        uint32_t traits = forbidden_ends[i].is_source ? source : target;
        if ((traits & forbidden_ends[i].trait) != 0) {
            add_error(builder, forbidden_ends[i].rule, flow->place, forbidden_ends[i].sentence);
        }
    }
    if (builder->nodes[flow->source->index].kind == STF__SUB_PROCESS_EVENT ||
        builder->nodes[flow->target->index].kind == STF__SUB_PROCESS_EVENT) {
        add_error(builder, "flow.event-sub-process", flow->place,
                  "an event sub-process may have no incoming or outgoing flow");
    }
}

/* How many flows without an id have had these ends before. */
static unsigned count_made(stf__builder *builder, const char *ends)
{
    stf_str key = stf_str_of(ends);
    uint32_t *count = stf__map_get(&builder->draft->made_ids, key);
    if (count == NULL) {
        count = stf__arena_zalloc(&builder->draft->arena, sizeof(*count));
        key = stf__draft_copy(builder->draft, key);
        if (count == NULL || stf__map_put(&builder->draft->made_ids, key, count) != STF_OK) {
            builder->draft->is_out_of_memory = true;
            return 0;
        }
    }
    return ++*count;
}

/* A missing id is made from the ends and the order among the flows between them, so that it stays
 * the same when the file is changed elsewhere. */
static stf_str make_flow_id(stf__builder *builder, const stf__draft_flow *flow)
{
    char ends[STF_LIMIT_ID_BYTES * 2 + 4];
    char id[sizeof(ends) + 16];
    (void)snprintf(ends, sizeof(ends), "%.*s->%.*s", STF_STR_ARG(flow->source->place.element),
                   STF_STR_ARG(flow->target->place.element));
    (void)snprintf(id, sizeof(id), "%s#%u", ends, count_made(builder, ends));
    if (strlen(id) > STF_LIMIT_ID_BYTES ||
        stf__map_get(&builder->draft->entries, stf_str_of(id)) != NULL) {
        add_error(builder, "flow.no-id", flow->place,
                  "the flow has no id, and none can be made from the ids of its ends");
    }
    return stf__draft_copy(builder->draft, stf_str_of(id));
}

void stf__resolve_flows(stf__builder *builder)
{
    uint32_t count = 0;
    for (stf__draft_flow *flow = builder->from->flows; flow != NULL; flow = flow->next) {
        flow->source =
            find_end(builder, flow, "sourceRef", flow->source_ref, "flow.source-unknown");
        flow->target =
            find_end(builder, flow, "targetRef", flow->target_ref, "flow.target-unknown");
        if (flow->source == NULL || flow->target == NULL || !check_same_scope(builder, flow)) {
            continue;
        }
        check_ends(builder, flow);
        if (flow->place.element.size == 0) {
            flow->place.element = make_flow_id(builder, flow);
        }
        flow->index = count++;
    }
    builder->flow_count = count;
}

/* ---- Nodes -------------------------------------------------------------------------------- */

static const char *family_of(uint32_t traits)
{
    return (traits & STF__TRAIT_GATEWAY) != 0    ? "gateway"
           : (traits & STF__TRAIT_ACTIVITY) != 0 ? "activity"
                                                 : "event";
}

static bool may_have_default(stf__element_kind kind)
{
    return kind == STF__GATEWAY_EXCLUSIVE || kind == STF__GATEWAY_INCLUSIVE ||
           kind == STF__GATEWAY_COMPLEX ||
           (stf__element_get_info(kind)->traits & STF__TRAIT_ACTIVITY) != 0;
}

static void resolve_default(stf__builder *builder, const stf__draft_node *from, stf__node *node)
{
    if (from->default_ref.size == 0) {
        return;
    }
    stf_diagnostics *diagnostics = builder->draft->diagnostics;
    const char *family = family_of(traits_of(builder, from));
    if (!may_have_default((stf__element_kind)node->kind)) {
        stf__diagnostics_add(diagnostics, STF_SEVERITY_WARNING, "node.default-ignored", from->place,
                             "%s has no default flow; it is ignored", from->name->text);
        return;
    }
    const stf__draft_flow *flow =
        stf__draft_find_object(builder->draft, from->default_ref, STF__BPMN_FLOW);
    bool is_outgoing = flow != NULL && flow->process == builder->from &&
                       (flow->source == from || flow->source == NULL);
    if (!is_outgoing) {
        stf__diagnostics_add(diagnostics, STF_SEVERITY_ERROR, "node.default-unknown", from->place,
                             "default \"%.*s\" names no outgoing flow of the %s",
                             STF__CUT(from->default_ref), family);
        return;
    }
    node->default_flow = flow->index;
}

static void resolve_attachment(stf__builder *builder, const stf__draft_node *from, stf__node *node)
{
    if ((traits_of(builder, from) & STF__TRAIT_BOUNDARY) == 0) {
        return;
    }
    const stf__draft_node *activity =
        stf__draft_find_object(builder->draft, from->attached_to_ref, STF__BPMN_NODE);
    bool is_activity = activity != NULL && activity->process == builder->from &&
                       activity->scope == from->scope &&
                       (traits_of(builder, activity) & STF__TRAIT_ACTIVITY) != 0;
    if (!is_activity) {
        stf__diagnostics_add(builder->draft->diagnostics, STF_SEVERITY_ERROR,
                             "boundary.attached-unknown", from->place,
                             "attachedToRef \"%.*s\" names no activity of the scope",
                             STF__CUT(from->attached_to_ref));
        return;
    }
    node->attached_to = activity->index;
}

void stf__resolve_nodes(stf__builder *builder)
{
    for (const stf__draft_node *from = builder->from->nodes; from != NULL; from = from->next) {
        resolve_default(builder, from, &builder->nodes[from->index]);
        resolve_attachment(builder, from, &builder->nodes[from->index]);
    }
}

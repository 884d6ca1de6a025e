/* SPDX-License-Identifier: Apache-2.0 */
/* Rules about the flows behind a gateway and where they may lead (BPMN 2.0.2, 10.6). */
#include "base/mem.h"
#include "bpmn/build.h"

static stf__place place_of(const stf__node *node)
{
    return (stf__place){.line = node->line, .column = node->column, .element = node->id};
}

/* ---- Exclusive and inclusive splits ---------------------------------------------------------- */

static void check_conditions(stf__builder *builder)
{
    for (const stf__draft_flow *from = builder->from->flows; from != NULL; from = from->next) {
        if (from->index == STF__NONE || from->condition.is_given) {
            continue;
        }
        const stf__node *source = &builder->nodes[builder->flows[from->index].source];
        bool is_exclusive = source->kind == STF__GATEWAY_EXCLUSIVE;
        if ((is_exclusive || source->kind == STF__GATEWAY_INCLUSIVE) &&
            source->outgoing_count > 1 && source->default_flow != from->index) {
            stf__diagnostics_add(builder->draft->diagnostics, STF_SEVERITY_WARNING,
                                 "gateway.no-condition", from->place,
                                 "the flow out of the gateway \"%.*s\" has no condition and is not "
                                 "its default: %s",
                                 STF__CUT(source->id),
                                 is_exclusive ? "it is taken whenever those before it are not"
                                              : "it is always taken");
        }
    }
}

/* ---- Event-based gateways -------------------------------------------------------------------- */

/* Kinds that may stand behind one. That some are not executed yet has been told by themselves. */
static const stf__element_kind event_kinds[] = {STF__CATCH_MESSAGE,  STF__CATCH_TIMER,
                                                STF__CATCH_SIGNAL,   STF__CATCH_CONDITIONAL,
                                                STF__CATCH_MULTIPLE, STF__TASK_RECEIVE};

/* NULL: it may. */
static const char *find_fault(const stf__node *target)
{
    bool is_event = false;
    for (size_t i = 0; i < STF_COUNT_OF(event_kinds); i++) {
        is_event = is_event || target->kind == (uint32_t)event_kinds[i];
    }
    if (!is_event) {
        return "which is neither an event that waits nor a receive task";
    }
    if (target->incoming_count != 1) {
        return "which has another incoming flow: an event behind this gateway has no other";
    }
    if (target->boundary_count != 0) {
        return "which has boundary events: a receive task behind this gateway has none";
    }
    return NULL;
}

static void check_targets(stf__builder *builder, const stf__node *gateway)
{
    const stf__process *process = builder->process;
    uint32_t messages = 0;
    uint32_t tasks = 0;
    for (uint32_t i = 0; i < gateway->outgoing_count; i++) {
        const stf__node *target = &process->nodes[process->flows[gateway->outgoing[i]].target];
        const char *fault = find_fault(target);
        messages += target->kind == STF__CATCH_MESSAGE;
        tasks += target->kind == STF__TASK_RECEIVE;
        if (fault != NULL) {
            stf__draft_report(builder->draft, builder->from, STF__FAULT_WRONG,
                              "event-gateway.target", place_of(target),
                              "the event-based gateway \"%.*s\" leads to \"%.*s\", %s",
                              STF__CUT(gateway->id), STF__CUT(target->id), fault);
        }
    }
    if (messages != 0 && tasks != 0) {
        stf__diagnostics_add(builder->draft->diagnostics, STF_SEVERITY_WARNING,
                             "event-gateway.mixed", place_of(gateway),
                             "message events and receive tasks stand behind one event-based "
                             "gateway: the standard allows one kind only");
    }
}

static void check_event_gateways(stf__builder *builder)
{
    for (uint32_t i = 0; i < builder->process->node_count; i++) {
        const stf__node *node = &builder->nodes[i];
        if (node->kind != STF__GATEWAY_EVENT) {
            continue;
        }
        if (node->outgoing_count < 2) {
            stf__diagnostics_add(builder->draft->diagnostics, STF_SEVERITY_WARNING,
                                 "event-gateway.few", place_of(node),
                                 "an event-based gateway needs at least two outgoing flows; this "
                                 "one has %u",
                                 (unsigned)node->outgoing_count);
        }
        check_targets(builder, node);
    }
}

void stf__gateway_check(stf__builder *builder)
{
    check_conditions(builder);
    check_event_gateways(builder);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing among the outgoing flows. File order is the order of evaluation; the default flow is
 * asked last and its own condition never. A node without outgoing flows ends its token. */
#include "core/step.h"

static stf_status make_choice(stf__step *step, const stf__node *node, stf__choice *choice)
{
    *choice = (stf__choice){.count = 0};
    choice->flows =
        stf__arena_alloc(step->effects->arena, (node->outgoing_count + 1) * sizeof(stf__flow *));
    return choice->flows != NULL ? STF_OK : stf__doc_no_memory(step->error);
}

static void take(const stf__step *step, stf__choice *choice, uint32_t flow)
{
    choice->flows[choice->count++] = &step->process->flows[flow];
}

/* Asks one flow. On an incident the choice is stopped. */
static stf_status ask(stf__step *step, const stf__activation *activation, const stf__flow *flow,
                      stf__choice *choice, bool *ret_is_true)
{
    *ret_is_true = true;
    if (flow->condition == NULL) {
        return STF_OK;
    }
    stf__expr_site site = {.what = "condition of flow", .id = flow->id, .line = flow->line};
    bool is_ok = false;
    stf_status status =
        stf__step_eval_condition(step, activation, flow->condition, &site, &is_ok, ret_is_true);
    choice->is_stopped = status == STF_OK && !is_ok;
    return status;
}

static stf_status open_no_flow(stf__step *step, const stf__activation *activation,
                               const stf__node *node, stf__choice *choice)
{
    choice->is_stopped = true;
    return stf__step_open_incident_of(step, activation, STF__INCIDENT_NO_FLOW, node->line,
                                      "no condition of the flows out of \"%.*s\" (line %u) holds "
                                      "and there is no default flow",
                                      STF_STR_ARG(node->id), node->line);
}

/* Nothing was taken by its condition: the default, else an incident unless a flow without a
 * condition was taken or the node has no outgoing flow at all. */
static stf_status take_default(stf__step *step, const stf__activation *activation,
                               const stf__node *node, stf__choice *choice)
{
    if (node->default_flow != STF__NONE) {
        take(step, choice, node->default_flow);
    }
    if (choice->count == 0 && node->outgoing_count > 0) {
        return open_no_flow(step, activation, node, choice);
    }
    return STF_OK;
}

stf_status stf__step_choose_inclusive(stf__step *step, const stf__activation *activation,
                                      const stf__node *node, stf__choice *choice)
{
    stf_status status = make_choice(step, node, choice);
    bool has_matched = false;
    for (uint32_t i = 0; status == STF_OK && i < node->outgoing_count; i++) {
        const stf__flow *flow = &step->process->flows[node->outgoing[i]];
        if (flow->index == node->default_flow) {
            continue;
        }
        bool is_true = false;
        status = ask(step, activation, flow, choice, &is_true);
        if (status != STF_OK || choice->is_stopped) {
            return status;
        }
        if (is_true) {
            take(step, choice, flow->index);
            has_matched = has_matched || flow->condition != NULL;
        }
    }
    if (status != STF_OK || has_matched) {
        return status;
    }
    return take_default(step, activation, node, choice);
}

/* Which way an exclusive gateway went, where there was a choice. */
static stf_status tell_decision(stf__step *step, const stf__activation *activation,
                                const stf__node *node, const stf__choice *choice)
{
    if (choice->is_stopped || choice->count == 0 || node->outgoing_count < 2) {
        return STF_OK;
    }
    return stf__step_tell(step, STF_FACT_GATEWAY_DECIDED, activation->number, node->id,
                          choice->flows[0]->id);
}

stf_status stf__step_choose_exclusive(stf__step *step, const stf__activation *activation,
                                      const stf__node *node, stf__choice *choice)
{
    stf_status status = make_choice(step, node, choice);
    for (uint32_t i = 0; status == STF_OK && choice->count == 0 && i < node->outgoing_count; i++) {
        const stf__flow *flow = &step->process->flows[node->outgoing[i]];
        if (flow->index == node->default_flow) {
            continue;
        }
        bool is_true = false;
        status = ask(step, activation, flow, choice, &is_true);
        if (status != STF_OK || choice->is_stopped) {
            return status;
        }
        if (is_true) {
            take(step, choice, flow->index);
        }
    }
    if (status == STF_OK && choice->count == 0) {
        status = take_default(step, activation, node, choice);
    }
    return status == STF_OK ? tell_decision(step, activation, node, choice) : status;
}

stf_status stf__step_choose_all(stf__step *step, const stf__activation *activation,
                                const stf__node *node, stf__choice *choice)
{
    (void)activation;
    stf_status status = make_choice(step, node, choice);
    for (uint32_t i = 0; status == STF_OK && i < node->outgoing_count; i++) {
        take(step, choice, node->outgoing[i]);
    }
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Arming timers. Deadlines are absolute from the moment of arming; a boundary event is armed once
 * per activation, before the activity starts, and never again by a retry. A time that cannot be
 * read or reached is an incident at the activation. */
#include "core/step.h"

static stf_status compute(uint32_t kind, stf_str text, stf_wall now, stf_wall *ret_due,
                          stf_error *why)
{
    if (kind == STF__TIMER_DATE) {
        return stf_wall_parse(text, ret_due, why);
    }
    if (kind != STF__TIMER_DURATION) {
        return stf_error_set(why, STF_UNSUPPORTED, "CORE", "repeating timers are not supported");
    }
    stf__duration duration;
    stf_status status = stf__duration_parse(text, &duration, why);
    if (status != STF_OK) {
        return status;
    }
    return stf__duration_add((stf__date_time){.at = now}, duration, 1, ret_due, why);
}

static stf_status open_timer_incident(stf__step *step, const stf__activation *activation,
                                      const stf__node *node, const char *why)
{
    stf_buf text;
    stf_buf_init(&text, step->doc->alloc);
    stf_status status = stf_buf_printf(&text, "timer of \"%.*s\" (line %u): %s",
                                       STF_STR_ARG(node->id), node->line, why);
    if (status != STF_OK) {
        status = stf__doc_no_memory(step->error);
    } else {
        stf__trouble trouble = {
            .kind = STF__INCIDENT_TIMER, .line = node->line, .message = stf_buf_str(&text)};
        status = stf__step_open_incident(step, activation, &trouble);
    }
    stf_buf_done(&text);
    return status;
}

stf_status stf__step_get_deadline(stf__step *step, const stf__activation *activation,
                                  const stf__node *node, bool *ret_is_ok, stf_wall *ret_due)
{
    stf_str text = node->timer_text;
    stf_value *value = NULL;
    *ret_is_ok = false;
    if (node->timer_expr != NULL) {
        stf__expr_site site = {.what = "timer of", .id = node->id, .line = node->line};
        bool is_text = false;
        stf_status status = stf__step_eval_text(step, activation, node->timer_expr, &site,
                                                STF__INCIDENT_TIMER, &is_text, &value);
        if (status != STF_OK || !is_text) {
            return status;
        }
        text = stf_value_peek_string(value);
    }
    stf_error why = STF_ERROR_INIT;
    stf_wall due = stf_wall_none();
    stf_status status = compute(node->timer_kind, text, step->now, &due, &why);
    stf_value_unref(value);
    if (status != STF_OK) {
        return open_timer_incident(step, activation, node, why.message);
    }
    *ret_is_ok = true;
    *ret_due = due;
    return STF_OK;
}

stf_status stf__step_arm(stf__step *step, const stf__activation *activation, const stf__node *node,
                         stf_wall due)
{
    stf__doc *doc = step->doc;
    stf__timer timer = {.activation = activation->number, .due = due};
    stf_status status = stf__doc_intern(doc, node->id, &timer.element, step->error);
    if (status != STF_OK) {
        return status;
    }
    timer.number = ++doc->counters.timer;
    status = stf__doc_add_timer(doc, &timer, step->error);
    if (status != STF_OK) {
        return status;
    }
    char text[STF_WALL_TEXT_BYTES];
    stf_wall_format(due, text);
    return stf__step_tell(step, STF_FACT_TIMER_ARMED, activation->number, node->id,
                          stf_str_of(text));
}

stf_status stf__step_arm_boundaries(stf__step *step, stf__activation *activation,
                                    const stf__node *node, bool *ret_is_ok)
{
    *ret_is_ok = true;
    if (node->boundary_count == 0) {
        return STF_OK;
    }
    stf_wall *dues = stf__arena_alloc(step->effects->arena, node->boundary_count * sizeof(*dues));
    if (dues == NULL) {
        return stf__doc_no_memory(step->error);
    }
    for (uint32_t i = 0; i < node->boundary_count; i++) {
        const stf__node *boundary = &step->process->nodes[node->boundaries[i]];
        stf_status status = stf__step_get_deadline(step, activation, boundary, ret_is_ok, &dues[i]);
        if (status != STF_OK || !*ret_is_ok) {
            return status;
        }
    }
    for (uint32_t i = 0; i < node->boundary_count; i++) {
        const stf__node *boundary = &step->process->nodes[node->boundaries[i]];
        stf_status status = stf__step_arm(step, activation, boundary, dues[i]);
        if (status != STF_OK) {
            return status;
        }
    }
    return STF_OK;
}

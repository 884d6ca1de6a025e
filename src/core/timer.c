/* SPDX-License-Identifier: Apache-2.0 */
/* The times of timers. Deadlines are absolute from the moment of arming. A repetition is a grid:
 * its n-th time comes from the anchor and n, never from the time of a firing, so nothing drifts and
 * an overdue one goes on where it would have been. A time that cannot be read or reached is an
 * incident at the activation. */
#include "core/step.h"

#include "base/cycle.h"

static stf_status compute_cycle(stf_str text, stf_wall now, stf__timer *timer, stf_error *why)
{
    stf__cycle cycle;
    if (text.size > STF_LIMIT_ID_BYTES) {
        return stf_error_set(why, STF_LIMIT_EXCEEDED, "CORE", "a repetition of %zu bytes",
                             text.size);
    }
    stf_status status = stf__cycle_parse(text, &cycle, why);
    if (status != STF_OK) {
        return status;
    }
    timer->anchor = now;
    timer->index = 0;
    return stf__cycle_time(&cycle, now, 0, &timer->due, why);
}

static stf_status compute(uint32_t kind, stf_str text, stf_wall now, stf__timer *timer,
                          stf_error *why)
{
    if (kind == STF__TIMER_DATE) {
        return stf_wall_parse(text, &timer->due, why);
    }
    if (kind == STF__TIMER_CYCLE) {
        return compute_cycle(text, now, timer, why);
    }
    stf__duration duration;
    stf_status status = stf__duration_parse(text, &duration, why);
    if (status != STF_OK) {
        return status;
    }
    return stf__duration_add((stf__date_time){.at = now}, duration, 1, &timer->due, why);
}

static stf_status open_timer_incident(stf__step *step, const stf__activation *activation,
                                      const stf__node *node, const char *why)
{
    return stf__step_open_incident_of(step, activation, STF__INCIDENT_TIMER, node->line,
                                      "timer of \"%.*s\" (line %u): %s", STF_STR_ARG(node->id),
                                      node->line, why);
}

/* What the model or the expression says; *ret_value keeps the text alive. */
static stf_status get_text(stf__step *step, const stf__activation *activation,
                           const stf__node *node, bool *ret_is_ok, stf_str *ret_text,
                           stf_value **ret_value)
{
    *ret_is_ok = true;
    *ret_text = node->timer_text;
    if (node->timer_expr == NULL) {
        return STF_OK;
    }
    stf__expr_site site = {.what = "timer of", .id = node->id, .line = node->line};
    stf_status status = stf__step_eval_text(step, activation, node->timer_expr, &site,
                                            STF__INCIDENT_TIMER, ret_is_ok, ret_value);
    if (status == STF_OK && *ret_is_ok) {
        *ret_text = stf_value_peek_string(*ret_value);
    }
    return status;
}

stf_status stf__step_get_timer(stf__step *step, const stf__activation *activation,
                               const stf__node *node, bool *ret_is_ok, stf__timer *ret_timer)
{
    stf__doc *doc = step->doc;
    stf_str text;
    stf_value *value = NULL;
    bool is_text = false;
    *ret_is_ok = false;
    stf_status status = get_text(step, activation, node, &is_text, &text, &value);
    if (status != STF_OK || !is_text) {
        return status;
    }
    stf_error why = STF_ERROR_INIT;
    stf__timer timer = {.activation = activation->number, .due = stf_wall_none()};
    *ret_is_ok = compute(node->timer_kind, text, step->now, &timer, &why) == STF_OK;
    if (*ret_is_ok) {
        status = stf__doc_intern(doc, node->id, &timer.element, step->error);
        if (status == STF_OK && node->timer_kind == STF__TIMER_CYCLE) {
            status = stf__doc_intern(doc, text, &timer.cycle, step->error);
        }
        *ret_timer = timer;
    } else {
        status = open_timer_incident(step, activation, node, why.message);
    }
    stf_value_unref(value);
    return status;
}

stf_status stf__step_arm_timer(stf__step *step, const stf__timer *timer)
{
    stf__doc *doc = step->doc;
    stf__timer armed = *timer;
    armed.number = ++doc->counters.timer;
    stf_status status = stf__doc_add_timer(doc, &armed, step->error);
    if (status != STF_OK) {
        return status;
    }
    char text[STF_WALL_TEXT_BYTES];
    stf_wall_format(armed.due, text);
    return stf__step_tell(step, STF_FACT_TIMER_ARMED, armed.activation, armed.element,
                          stf_str_of(text));
}

/* Beyond the last time that can be written there is none; an incident then would stop an activity
 * that is at work. */
stf_status stf__step_arm_again(stf__step *step, const stf__timer *fired)
{
    stf__cycle cycle;
    stf__timer next = *fired;
    stf_status status = stf__cycle_parse(fired->cycle, &cycle, step->error);
    if (status != STF_OK) {
        return stf_error_set(step->error, STF_CORRUPT, "CORE", "\"%.*s\" is no repetition",
                             STF_STR_ARG(fired->cycle));
    }
    if (stf__cycle_index_after(&cycle, fired->anchor, fired->index + 1, step->now, &next.index,
                               NULL) != STF_OK ||
        stf__cycle_time(&cycle, fired->anchor, next.index, &next.due, NULL) != STF_OK ||
        stf_wall_is_none(next.due)) {
        return STF_OK;
    }
    return stf__step_arm_timer(step, &next);
}

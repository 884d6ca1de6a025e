/* SPDX-License-Identifier: Apache-2.0 */
/* BPMN errors on their way outward: the activity's own boundary events, then those of
 * the sub-processes around it, innermost first; at each of them a specific code goes before the
 * catch-all. A caught error ends what its catcher guards, with everything in it, in the same step.
 * One that leaves a called instance goes on at the call activity of the caller. */
#include "core/step.h"

#include <stepfast/limits.h>

typedef struct catcher {
    stf__activation *guarded; /* NULL: nobody catches it */
    const stf__node *event;
} catcher;

/* The boundary event of one activity that catches the code; NULL: none. In file order. */
static const stf__node *find_event(const stf__step *step, const stf__node *node, stf_str code)
{
    const stf__node *catch_all = NULL;
    for (uint32_t i = 0; i < node->boundary_count; i++) {
        const stf__node *event = &step->process->nodes[node->boundaries[i]];
        if (event->kind != STF__BOUNDARY_ERROR) {
            continue;
        }
        if (event->error->code.size == 0) {
            catch_all = catch_all != NULL ? catch_all : event;
        } else if (stf_str_equal(event->error->code, code)) {
            return event;
        }
    }
    return catch_all;
}

static stf_status find_catcher(const stf__step *step, stf__activation *from, stf_str code,
                               catcher *ret_catcher)
{
    *ret_catcher = (catcher){.guarded = NULL};
    stf__activation *at = from;
    while (at != NULL) {
        const stf__node *node = NULL;
        stf_status status = stf__step_find_node(step, at->element, &node);
        if (status != STF_OK) {
            return status;
        }
        const stf__node *event = find_event(step, node, code);
        if (event != NULL) {
            *ret_catcher = (catcher){.guarded = at, .event = event};
            return STF_OK;
        }
        at = at->scope != 0 ? stf__doc_find_activation(step->doc, at->scope) : NULL;
    }
    return STF_OK;
}

/* Written from where the boundary event is, by the rule of the nearest scope. */
static stf_status write_text(stf__step *step, uint64_t scope, stf_str name, stf_str text)
{
    if (name.size == 0) {
        return STF_OK;
    }
    stf_value *value = NULL;
    stf_value *variables = NULL;
    stf_status status = stf_value_new_string(step->doc->alloc, text, &value, step->error);
    if (status == STF_OK) {
        status = stf_value_new_context(step->doc->alloc, &name, &value, 1, &variables, step->error);
    }
    if (status == STF_OK) {
        status = stf__doc_merge_variables(step->doc, scope, variables, step->error);
    }
    stf_value_unref(value);
    stf_value_unref(variables);
    return status;
}

static stf_status catch_it(stf__step *step, const catcher *by, const stf__thrown *thrown)
{
    uint64_t scope = by->guarded->scope;
    stf_status status = stf__step_tell(step, STF_FACT_ERROR_CAUGHT, by->guarded->number,
                                       by->event->id, thrown->code);
    if (status == STF_OK) {
        status = stf__step_cancel(step, by->guarded);
    }
    if (status == STF_OK) {
        status = write_text(step, scope, by->event->error->code_variable, thrown->code);
    }
    if (status == STF_OK) {
        status = write_text(step, scope, by->event->error->message_variable, thrown->message);
    }
    return status == STF_OK ? stf__step_enter(step, by->event, scope) : status;
}

/* An error end event ends its instance; an activity of an instance that nobody called stops, so
 * that people can look; a called instance passes the error on. */
static stf_status leave_uncaught(stf__step *step, stf__activation *activation,
                                 const stf__thrown *thrown)
{
    if (thrown->is_from_end_event || step->doc->caller.id.size > 0) {
        stf__ending ending = {.how = STF__END_FAILED,
                              .element = activation->element,
                              .code = thrown->code,
                              .message = thrown->message,
                              .is_of_work = !thrown->is_from_end_event};
        return stf__step_end_instance(step, &ending);
    }
    const stf__node *node = NULL;
    stf_status status = stf__step_find_node(step, activation->element, &node);
    if (status != STF_OK) {
        return status;
    }
    stf__trouble trouble = {.kind = STF__INCIDENT_BPMN_ERROR,
                            .line = node->line,
                            .code = thrown->code,
                            .message = thrown->message};
    return stf__step_open_incident(step, activation, &trouble);
}

stf_status stf__step_throw(stf__step *step, stf__activation *activation, const stf__thrown *thrown)
{
    /* The step's own copies: the texts may belong to what is cancelled on the way. */
    stf__thrown own = *thrown;
    catcher by;
    stf_status status = stf__step_clean_text(step, thrown->code, STF_LIMIT_ID_BYTES, &own.code);
    if (status == STF_OK) {
        status = stf__step_clean_text(step, thrown->message, STF__MESSAGE_BYTES_MAX, &own.message);
    }
    if (status == STF_OK) {
        status = stf__step_tell(step, STF_FACT_ERROR_THROWN, activation->number,
                                activation->element, own.code);
    }
    if (status == STF_OK) {
        status = find_catcher(step, activation, own.code, &by);
    }
    if (status != STF_OK) {
        return status;
    }
    return by.guarded != NULL ? catch_it(step, &by, &own) : leave_uncaught(step, activation, &own);
}

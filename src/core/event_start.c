/* SPDX-License-Identifier: Apache-2.0 */
/* An instance begins, by itself or called by another one. */
#include "core/event.h"

static const stf_str no_text = {NULL, 0};

/* The node that the run begins at; NULL with OK: at all implicit ones. */
static stf_status find_start(const stf__step *step, stf_str element, const stf__node **ret_node)
{
    const stf__process *process = step->process;
    if (element.size == 0 && process->starts.count > 1 && !process->starts.are_implicit) {
        return stf_error_set(step->error, STF_INVALID_ARGUMENT, "CORE",
                             "process \"%.*s\" has %u start events: name one",
                             STF_STR_ARG(process->id), process->starts.count);
    }
    *ret_node = NULL;
    if (element.size == 0 && process->starts.count > 0) {
        if (!process->starts.are_implicit) {
            *ret_node = &process->nodes[process->starts.nodes[0]];
        }
        return STF_OK;
    }
    for (uint32_t i = 0; !process->starts.are_implicit && i < process->starts.count; i++) {
        const stf__node *node = &process->nodes[process->starts.nodes[i]];
        if (stf_str_equal(node->id, element)) {
            *ret_node = node;
            return STF_OK;
        }
    }
    return stf_error_set(step->error, STF_NOT_FOUND, "CORE",
                         "process \"%.*s\" has no none start event%s%.*s", STF_STR_ARG(process->id),
                         element.size != 0 ? " " : "", STF_STR_ARG(element));
}

/* The same call, delivered again after the sender was forgotten, is no new one (R18). Another
 * caller's is refused for good: it would wait for an end that nobody tells it. */
static stf_status refuse_second(const stf__step *step, const stf__event *event)
{
    const stf__caller *caller = &step->doc->caller;
    stf_status status = STF_INVALID_STATE;
    if (event->sender.is_given) {
        bool is_same = caller->activation == event->sender.activation &&
                       stf_str_equal(caller->id, event->sender.id);
        status = is_same ? STF_ALREADY_EXISTS : STF_CONFLICT;
    }
    return stf_error_set(step->error, status, "CORE", "instance \"%.*s\" has begun already",
                         STF_STR_ARG(step->doc->identity.id));
}

static stf_status note_caller(stf__step *step, const stf__sender *sender)
{
    if (!sender->is_given) {
        return STF_OK;
    }
    step->doc->caller.activation = sender->activation;
    step->doc->caller.depth = sender->depth;
    return stf__doc_intern(step->doc, sender->id, &step->doc->caller.id, step->error);
}

stf_status stf__event_start(stf__step *step, const stf__event *event)
{
    stf__doc *doc = step->doc;
    const stf__node *first = NULL;
    if (stf__doc_has_begun(doc)) {
        return refuse_second(step, event);
    }
    stf_status status = find_start(step, event->element, &first);
    if (status != STF_OK) {
        return status;
    }
    status = stf__step_tell(step, STF_FACT_INSTANCE_CREATED, 0, no_text, step->process->id);
    if (status == STF_OK) {
        status = note_caller(step, &event->sender);
    }
    if (status == STF_OK) {
        status = stf__doc_merge_variables(doc, 0, event->variables, step->error);
    }
    if (status == STF_OK) {
        status = stf__step_open_scope(step, NULL, first);
    }
    return status == STF_OK ? stf__step_come_to_rest(step) : status;
}

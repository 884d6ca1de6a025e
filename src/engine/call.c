/* SPDX-License-Identifier: Apache-2.0 */
/* The public calls that change an instance: arguments are checked and definitions found on the
 * caller's thread, then a command goes through the inbox. */
#include "engine/send.h"

#include <stepfast/limits.h>

stf_status stf__call_check_engine(stf_engine *engine, stf_error *error)
{
    if (engine == NULL) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE", "the engine is missing");
    }
    if (atomic_load(&engine->phase) != STF__PHASE_SERVING) {
        return stf_error_set(error, STF_INVALID_STATE, "ENGINE", "the engine is not serving");
    }
    return STF_OK;
}

stf_status stf__call_check_text(const char *what, stf_str text, stf_error *error)
{
    if (text.size > STF_LIMIT_ID_BYTES) {
        return stf_error_set(error, STF_LIMIT_EXCEEDED, "ENGINE",
                             "the %s has %zu bytes; at most %d are allowed", what, text.size,
                             STF_LIMIT_ID_BYTES);
    }
    if (!stf_str_is_utf8(text)) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE", "the %s is not UTF-8", what);
    }
    return STF_OK;
}

stf_status stf__call_check_variables(const stf_value *variables, stf_error *error)
{
    if (variables != NULL && stf_value_get_kind(variables) != STF_VALUE_CONTEXT) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE",
                             "variables are a context or nothing");
    }
    return STF_OK;
}

stf_status stf__call_post(stf_engine *engine, const stf_ctx *ctx, const stf__command_spec *spec,
                          stf_error *error)
{
    stf__command *command;
    stf_status status = stf__command_new(engine, spec, &command, error);
    if (status == STF_OK) {
        status = stf__drive(engine, ctx, command, error);
    }
    return status;
}

/* ---- Start ------------------------------------------------------------------------------------
 */

static stf_status check_start(const stf_start *start, stf_error *error)
{
    if (start == NULL || start->struct_size < sizeof(*start) || start->abi != STF_START_ABI) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE",
                             "the start is missing or was not initialised");
    }
    if (start->process.size == 0 || start->version < 0) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE",
                             "a start names a definition and a version that is not negative");
    }
    stf_status status = stf__call_check_text("process", start->process, error);
    if (status == STF_OK) {
        status = stf__call_check_text("start event", start->start_event, error);
    }
    if (status == STF_OK) {
        status = stf__call_check_text("instance id", start->id, error);
    }
    if (status == STF_OK && stf__id_is_own(start->id)) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE",
                             "ids that begin with \"" STF__OWN_IDS "\" are the engine's own");
    }
    return status == STF_OK ? stf__call_check_variables(start->variables, error) : status;
}

static stf_status find_runnable(stf_engine *engine, const stf_ctx *ctx, const stf_start *start,
                                stf__definition **ret_definition, stf_error *error)
{
    stf__definition *definition;
    stf_status status = stf__definition_get(engine, ctx, stf_buf_str(&engine->tenant),
                                            start->process, start->version, &definition, error);
    if (status != STF_OK) {
        return status;
    }
    const stf__process *process = definition->process;
    if ((process->flags & STF_PROCESS_RUNNABLE) == 0) {
        status = stf_error_set(error, STF_UNSUPPORTED, "ENGINE", "process %.*s: %.*s",
                               STF_STR_ARG(process->id), STF_STR_ARG(process->first_unsupported));
        (void)stf__definition_unref(engine, definition);
        return status;
    }
    *ret_definition = definition;
    return STF_OK;
}

stf_status stf_engine_start_instance(stf_engine *engine, const stf_ctx *ctx, const stf_start *start,
                                     stf_buf *ret_id, stf_error *error)
{
    char drawn[STF__ID_TEXT_BYTES];
    stf__command_spec spec = {.event = {.kind = STF__EVENT_START}};
    stf_status status = stf__call_check_engine(engine, error);
    if (status == STF_OK) {
        status = check_start(start, error);
    }
    if (status == STF_OK && ret_id != NULL) {
        /* Room first: after the save nothing may fail. */
        status = stf_buf_reserve(ret_id, STF_LIMIT_ID_BYTES + 1);
        if (status != STF_OK) {
            return stf_error_set(error, status, "ENGINE", "no memory for the instance's id");
        }
    }
    if (status == STF_OK) {
        status = find_runnable(engine, ctx, start, &spec.definition, error);
    }
    if (status != STF_OK) {
        return status;
    }
    spec.id = start->id;
    spec.event.element = start->start_event;
    spec.event.variables = start->variables;
    if (spec.id.size == 0) {
        stf__id_draw(engine, drawn);
        spec.id = stf_str_of(drawn);
    }
    status = stf__call_post(engine, ctx, &spec, error);
    (void)stf__definition_unref(engine, spec.definition);
    if (ret_id != NULL && (status == STF_OK || status == STF_OUTCOME_UNKNOWN)) {
        /* The id of a start whose outcome is unknown is what its caller looks up. */
        (void)!stf_buf_append_str(ret_id, spec.id);
    }
    return status;
}

/* ---- Instances ---------------------------------------------------------------------------------
 */

stf_status stf__call_instance(stf_engine *engine, const stf_ctx *ctx, const stf__command_spec *spec,
                              stf_error *error)
{
    stf_status status = stf__call_check_engine(engine, error);
    if (status == STF_OK && spec->id.size == 0) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE",
                             "the id of the instance is missing");
    }
    if (status == STF_OK) {
        status = stf__call_check_text("instance id", spec->id, error);
    }
    if (status == STF_OK && stf__id_is_own(spec->id)) {
        return stf_error_set(error, STF_NOT_FOUND, "ENGINE", "there is no instance %.*s",
                             STF_STR_ARG(spec->id));
    }
    if (status == STF_OK) {
        status = stf__call_check_text("element", spec->event.element, error);
    }
    if (status == STF_OK) {
        status = stf__call_check_variables(spec->event.variables, error);
    }
    return status == STF_OK ? stf__call_post(engine, ctx, spec, error) : status;
}

stf_status stf_engine_complete_task(stf_engine *engine, const stf_ctx *ctx, stf_str instance,
                                    uint64_t activation, stf_str element,
                                    const stf_value *variables, stf_error *error)
{
    stf__command_spec spec = {.id = instance,
                              .event = {.kind = STF__EVENT_TASK,
                                        .element = element,
                                        .activation = activation,
                                        .variables = variables}};
    if (activation == 0 && element.size == 0) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE",
                             "name the task by its activation or its element");
    }
    return stf__call_instance(engine, ctx, &spec, error);
}

stf_status stf_engine_cancel_instance(stf_engine *engine, const stf_ctx *ctx, stf_str instance,
                                      stf_str reason, stf_error *error)
{
    stf__command_spec spec = {.id = instance,
                              .event = {.kind = STF__EVENT_CANCEL, .message = reason}};
    if (!stf_str_is_utf8(reason)) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE", "the reason is not UTF-8");
    }
    return stf__call_instance(engine, ctx, &spec, error);
}

stf_status stf_engine_set_variables(stf_engine *engine, const stf_ctx *ctx, stf_str instance,
                                    stf_str element, const stf_value *variables, stf_error *error)
{
    stf__command_spec spec = {
        .id = instance,
        .event = {.kind = STF__EVENT_VARIABLES, .element = element, .variables = variables}};
    if (variables == NULL) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE", "the variables are missing");
    }
    return stf__call_instance(engine, ctx, &spec, error);
}

/* ---- Work ------------------------------------------------------------------------------------ */

stf_status stf__call_read_answer(const stf_answer *answer, stf__event *ret_event, stf_error *error)
{
    if (answer == NULL || answer->struct_size < sizeof(*answer) || answer->abi != STF_ANSWER_ABI) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE",
                             "the answer is missing or was not initialised");
    }
    if (answer->kind < STF_ANSWER_COMPLETED || answer->kind > STF_ANSWER_FAILED) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE", "there is no answer of kind %u",
                             answer->kind);
    }
    if (answer->kind == STF_ANSWER_BPMN_ERROR && answer->code.size == 0) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE", "a BPMN error needs a code");
    }
    if (!stf_str_is_utf8(answer->message)) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE",
                             "the message of the answer is not UTF-8");
    }
    stf_status status = stf__call_check_text("code", answer->code, error);
    if (status == STF_OK) {
        ret_event->outcome = (stf__work_outcome)answer->kind; /* the same numbers */
        ret_event->code = answer->code;
        ret_event->message = answer->message;
        ret_event->variables = answer->variables;
        ret_event->retries = answer->retries;
    }
    return status;
}

stf_status stf_engine_answer_job(stf_engine *engine, const stf_ctx *ctx, stf_str instance,
                                 uint64_t activation, stf_str element, stf_str topic,
                                 const stf_answer *answer, stf_error *error)
{
    stf__command_spec spec = {
        .id = instance,
        .event = {
            .kind = STF__EVENT_JOB, .activation = activation, .element = element, .topic = topic}};
    if (activation == 0 && element.size == 0 && topic.size == 0) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE",
                             "name the job by its activation, its element or its topic");
    }
    stf_status status = stf__call_check_text("topic", topic, error);
    if (status == STF_OK) {
        status = stf__call_read_answer(answer, &spec.event, error);
    }
    return status == STF_OK ? stf__call_instance(engine, ctx, &spec, error) : status;
}

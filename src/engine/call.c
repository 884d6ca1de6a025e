/* SPDX-License-Identifier: Apache-2.0 */
/* The public calls that change an instance: arguments are checked and definitions found on the
 * caller's thread, then a command goes through the inbox. */
#include "engine/private.h"

#include <stepfast/limits.h>

static stf_status check_engine(stf_engine *engine, stf_error *error)
{
    if (engine == NULL) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE", "the engine is missing");
    }
    if (atomic_load(&engine->phase) != STF__PHASE_SERVING) {
        return stf_error_set(error, STF_INVALID_STATE, "ENGINE", "the engine is not serving");
    }
    return STF_OK;
}

static stf_status check_text(const char *what, stf_str text, stf_error *error)
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

static stf_status check_variables(const stf_value *variables, stf_error *error)
{
    if (variables != NULL && stf_value_get_kind(variables) != STF_VALUE_CONTEXT) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE",
                             "variables are a context or nothing");
    }
    return STF_OK;
}

static stf_status post(stf_engine *engine, const stf_ctx *ctx, const stf__command_spec *spec,
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
    stf_status status = check_text("process", start->process, error);
    if (status == STF_OK) {
        status = check_text("start event", start->start_event, error);
    }
    if (status == STF_OK) {
        status = check_text("instance id", start->id, error);
    }
    return status == STF_OK ? check_variables(start->variables, error) : status;
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
    stf__command_spec spec = {.kind = STF__EVENT_START};
    stf_status status = check_engine(engine, error);
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
    spec.element = start->start_event;
    spec.variables = start->variables;
    if (spec.id.size == 0) {
        stf__id_draw(engine, drawn);
        spec.id = stf_str_of(drawn);
    }
    status = post(engine, ctx, &spec, error);
    (void)stf__definition_unref(engine, spec.definition);
    if (ret_id != NULL && (status == STF_OK || status == STF_OUTCOME_UNKNOWN)) {
        /* The id of a start whose outcome is unknown is what its caller looks up. */
        (void)!stf_buf_append_str(ret_id, spec.id);
    }
    return status;
}

/* ---- Tasks and incidents ----------------------------------------------------------------------
 */

static stf_status check_instance_id(stf_str id, stf_error *error)
{
    if (id.size == 0) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE",
                             "the id of the instance is missing");
    }
    return check_text("instance id", id, error);
}

stf_status stf_engine_complete_task(stf_engine *engine, const stf_ctx *ctx, stf_str instance,
                                    uint64_t activation, stf_str element,
                                    const stf_value *variables, stf_error *error)
{
    stf__command_spec spec = {.kind = STF__EVENT_TASK,
                              .id = instance,
                              .element = element,
                              .activation = activation,
                              .variables = variables};
    stf_status status = check_engine(engine, error);
    if (status == STF_OK) {
        status = check_instance_id(instance, error);
    }
    if (status == STF_OK && activation == 0 && element.size == 0) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE",
                             "name the task by its activation or its element");
    }
    if (status == STF_OK) {
        status = check_text("element", element, error);
    }
    if (status == STF_OK) {
        status = check_variables(variables, error);
    }
    return status == STF_OK ? post(engine, ctx, &spec, error) : status;
}

stf_status stf_engine_retry_incident(stf_engine *engine, const stf_ctx *ctx, stf_str instance,
                                     uint64_t incident, stf_error *error)
{
    stf__command_spec spec = {.kind = STF__EVENT_RETRY, .id = instance, .incident = incident};
    stf_status status = check_engine(engine, error);
    if (status == STF_OK) {
        status = check_instance_id(instance, error);
    }
    return status == STF_OK ? post(engine, ctx, &spec, error) : status;
}

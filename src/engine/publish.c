/* SPDX-License-Identifier: Apache-2.0 */
/* Publishing a message from outside: the caller's thread looks who waits and posts it straight to
 * that instance; who does not wait any more is looked for again. A message that may be kept and
 * finds nobody is committed to its queue, which looks once more (R5). */
#include "engine/send.h"

#define LOOKS_MAX 64
#define KEEP_MAX_US (INT64_C(3650) * 86400 * 1000000)

static stf_status check_message(const stf_message *message, stf_error *error)
{
    if (message == NULL || message->struct_size < sizeof(*message) ||
        message->abi != STF_MESSAGE_ABI) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE",
                             "the message is missing or was not initialised");
    }
    if (message->name.size == 0 || message->keep_us < 0) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE",
                             "a message has a name, and is kept for a time that is not negative");
    }
    if (message->keep_us > KEEP_MAX_US) {
        return stf_error_set(error, STF_LIMIT_EXCEEDED, "ENGINE",
                             "a message is kept for at most ten years");
    }
    stf_status status = stf__call_check_text("message name", message->name, error);
    if (status == STF_OK) {
        status = stf__call_check_text("correlation key", message->key, error);
    }
    return status == STF_OK ? stf__call_check_variables(message->variables, error) : status;
}

static void fill_spec(stf_engine *engine, const stf_message *message, stf__command_spec *ret_spec)
{
    *ret_spec = (stf__command_spec){.event = {.kind = STF__EVENT_MESSAGE,
                                              .name = message->name,
                                              .key = message->key,
                                              .variables = message->variables,
                                              .until = stf_wall_none()}};
    if (message->keep_us != 0) {
        ret_spec->event.until = (stf_wall){stf__engine_now(engine).us + message->keep_us};
    }
}

/* It ended, went on or was stopped between the look and the step: somebody else may wait. */
static bool is_missed(stf_status status)
{
    return status == STF_NOT_FOUND || status == STF_INVALID_STATE ||
           status == STF_CONCURRENT_UPDATE;
}

/* Gives it to whoever waits longest. NOT_FOUND: nobody does. */
static stf_status give(stf_engine *engine, const stf_ctx *ctx, const stf__aim *aim,
                       stf__command_spec *spec, stf_buf *ret_instance, stf_error *error)
{
    for (int i = 0; i < LOOKS_MAX; i++) {
        stf__waiter waiter;
        stf_status status = stf__call_check_engine(engine, error);
        if (status == STF_OK) {
            status = stf__aim_find(engine, ctx, aim, &waiter, error);
        }
        if (status != STF_OK) {
            return status;
        }
        if (waiter.id.size == 0) {
            return stf_error_set(error, STF_NOT_FOUND, "ENGINE",
                                 "nobody waits for message \"%.*s\" with key \"%.*s\"",
                                 STF_STR_ARG(aim->name), STF_STR_ARG(aim->key));
        }
        spec->id = waiter.id;
        status = stf__call_post(engine, ctx, spec, error);
        if (ret_instance != NULL && (status == STF_OK || status == STF_OUTCOME_UNKNOWN)) {
            (void)!stf_buf_append_str(ret_instance, waiter.id);
        }
        if (!is_missed(status)) {
            return status;
        }
    }
    if (aim->queue.size != 0) {
        return STF_NOT_FOUND; /* it is kept, and its queue goes on looking */
    }
    return stf_error_set(error, STF_UNAVAILABLE, "ENGINE",
                         "whoever waited for message \"%.*s\" did not any more, %d times; nothing "
                         "was done, try again",
                         STF_STR_ARG(aim->name), LOOKS_MAX);
}

stf_status stf_engine_publish(stf_engine *engine, const stf_ctx *ctx, const stf_message *message,
                              stf_buf *ret_instance, stf_error *error)
{
    stf__queue_id queue;
    stf__command_spec spec;
    stf_status status = stf__call_check_engine(engine, error);
    if (status == STF_OK) {
        status = check_message(message, error);
    }
    if (status != STF_OK) {
        return status;
    }
    stf__aim aim = {
        .tenant = stf_buf_str(&engine->tenant), .name = message->name, .key = message->key};
    if (message->keep_us != 0) {
        status = stf__queue_id_make(&queue, engine, aim.tenant, aim.name, aim.key, error);
        aim.queue = status == STF_OK ? queue.id : aim.queue;
    }
    if (status == STF_OK && ret_instance != NULL) {
        /* Room first: after the save nothing may fail. */
        status = stf_buf_reserve(ret_instance, STF_LIMIT_ID_BYTES + 1);
        if (status != STF_OK) {
            return stf_error_set(error, status, "ENGINE", "no memory for the receiver's id");
        }
    }
    if (status != STF_OK) {
        return status;
    }
    fill_spec(engine, message, &spec);
    status = give(engine, ctx, &aim, &spec, ret_instance, error);
    if (status == STF_NOT_FOUND && aim.queue.size != 0) {
        spec.id = aim.queue;
        spec.event.kind = STF__EVENT_PUBLISH;
        status = stf__call_post(engine, ctx, &spec, error);
    }
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* See handler_command.h. What the exit says is one table; nothing ambiguous is ever called a
 * failure: whoever was killed, timed out or printed rubbish may have had its effect. */
#include "handler_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <stepfast/limits.h>
#include <string.h>

#include "child.h"

enum {
    ERRORS_KEPT_BYTES = 4096,
    MESSAGE_BYTES = 4608
};

extern char **environ;

/* ---- The environment of the command ---------------------------------------------------------- */

typedef struct environment {
    char **entries;
    size_t count;
    size_t capacity;
    bool has_failed; /* out of memory */
} environment;

static void environment_done(environment *env)
{
    for (size_t i = 0; i < env->count; i++) {
        free(env->entries[i]);
    }
    free(env->entries);
}

static void add_entry(environment *env, char *entry)
{
    if (entry == NULL || env->count + 1 >= env->capacity) {
        env->has_failed = true;
        free(entry);
        return;
    }
    env->entries[env->count] = entry;
    env->count++;
    env->entries[env->count] = NULL;
}

static void add_variable(environment *env, const char *name, stf_str value)
{
    char *entry = NULL;
    if (asprintf(&entry, "%s=%.*s", name, (int)value.size, value.size != 0 ? value.data : "") < 0) {
        entry = NULL;
    }
    add_entry(env, entry);
}

/* Ours first; then what we have ourselves, but for earlier STEPFAST_ variables (a handler may run
 * this program again). */
static void environment_init(environment *env, const stf_work *work)
{
    enum {
        OWN_VARIABLES = 8
    };
    size_t inherited = 0;
    while (environ[inherited] != NULL) {
        inherited++;
    }
    *env = (environment){.capacity = inherited + OWN_VARIABLES + 1};
    env->entries = calloc(env->capacity, sizeof *env->entries);
    if (env->entries == NULL) {
        env->has_failed = true;
        return;
    }
    char attempt[16];
    char deadline[STF_WALL_TEXT_BYTES];
    snprintf(attempt, sizeof attempt, "%u", (unsigned)stf_work_attempt(work));
    stf_wall_format(stf_work_deadline(work), deadline);
    add_variable(env, "STEPFAST_INSTANCE", stf_work_instance(work));
    add_variable(env, "STEPFAST_PROCESS", stf_work_process(work));
    add_variable(env, "STEPFAST_ELEMENT", stf_work_element(work));
    add_variable(env, "STEPFAST_TOPIC", stf_work_topic(work));
    add_variable(env, "STEPFAST_KEY", stf_work_key(work));
    add_variable(env, "STEPFAST_ATTEMPT", stf_str_of(attempt));
    add_variable(env, "STEPFAST_DEADLINE", stf_str_of(deadline));
    for (size_t i = 0; i < inherited; i++) {
        if (strncmp(environ[i], "STEPFAST_", strlen("STEPFAST_")) != 0) {
            add_entry(env, strdup(environ[i]));
        }
    }
}

/* ---- What the end of the command means ---------------------------------------------------------
 */

static bool is_space(char letter)
{
    return letter == ' ' || letter == '\t' || letter == '\r' || letter == '\n';
}

static stf_str trim(stf_str text)
{
    while (text.size > 0 && is_space(text.data[0])) {
        text.data++;
        text.size--;
    }
    while (text.size > 0 && is_space(text.data[text.size - 1])) {
        text.size--;
    }
    return text;
}

static stf_str first_line(stf_str text)
{
    const char *end = text.size > 0 ? memchr(text.data, '\n', text.size) : NULL;
    if (end != NULL) {
        text.size = (size_t)(end - text.data);
    }
    return trim(text);
}

/* Bytes that are not UTF-8 become '?', so that a message can always be stored. */
static void make_utf8(stf_buf *text)
{
    if (!stf_str_is_utf8(stf_buf_str(text))) {
        for (size_t i = 0; i < text->size; i++) {
            if (text->data[i] >= 0x80 || text->data[i] == 0) {
                text->data[i] = '?';
            }
        }
    }
}

/* "exit code 3: last words of standard error"; code 0 is left out. */
static stf_str describe(char message[MESSAGE_BYTES], const char *what, int code, stf_buf *errors)
{
    make_utf8(errors);
    stf_str tail = trim(stf_buf_str(errors));
    int size = code != 0 ? snprintf(message, MESSAGE_BYTES, "%s %d", what, code)
                         : snprintf(message, MESSAGE_BYTES, "%s", what);
    if (size > 0 && tail.size > 0) {
        snprintf(message + size, MESSAGE_BYTES - (size_t)size, ": %.*s", (int)tail.size, tail.data);
    }
    return stf_str_of(message);
}

static stf_status complete(stf_work *work, cli_child_result *result, stf_error *error)
{
    stf_str text = trim(stf_buf_str(&result->output));
    if (text.size == 0) {
        return stf_work_complete(work, NULL, error);
    }
    stf_value *variables = NULL;
    stf_error reason = STF_ERROR_INIT;
    stf_status status = stf_value_parse_json(NULL, text, &variables, &reason);
    if (status == STF_OK && stf_value_get_kind(variables) == STF_VALUE_CONTEXT) {
        status = stf_work_complete(work, variables, error);
    } else {
        char message[MESSAGE_BYTES];
        snprintf(message, sizeof message,
                 "the command exited with 0 but its standard output is not a JSON object: %s",
                 status != STF_OK ? reason.message : "it is another JSON value");
        status = stf_work_unknown(work, stf_str_of(message), error);
    }
    stf_value_unref(variables);
    return status;
}

static stf_status settle_exit(stf_work *work, cli_child_result *result, stf_error *error)
{
    char message[MESSAGE_BYTES];
    if (result->code == 0) {
        return complete(work, result, error);
    }
    if (result->code == CLI_EXIT_BPMN_ERROR) {
        make_utf8(&result->output);
        stf_str code = first_line(stf_buf_str(&result->output));
        if (code.size > 0 && code.size <= STF_LIMIT_ID_BYTES) {
            make_utf8(&result->errors);
            return stf_work_bpmn_error(work, code, trim(stf_buf_str(&result->errors)), NULL, error);
        }
        return stf_work_unknown(work,
                                describe(message, "no error code on standard output with exit code",
                                         result->code, &result->errors),
                                error);
    }
    stf_str text = describe(message, "exit code", result->code, &result->errors);
    return result->code == CLI_EXIT_DEFINITIVE_FAILURE ? stf_work_fail(work, text, error)
                                                       : stf_work_unknown(work, text, error);
}

static stf_status settle(stf_work *work, cli_child_result *result, stf_error *error)
{
    static const char *const sentences[] = {
        [CLI_CHILD_SIGNALLED] = "the command was ended by signal",
        [CLI_CHILD_TIMED_OUT] = "the command ran longer than the handler timeout and was killed",
        [CLI_CHILD_CANCELLED] = "this program was stopped while the command ran; it was killed",
        [CLI_CHILD_TOO_LOUD] = "the command printed more than the limit and was killed",
        [CLI_CHILD_NOT_STARTED] = "the command could not be started: errno",
        [CLI_CHILD_LOST] = "the command ran, but its end was not seen: errno",
    };
    if (result->end == CLI_CHILD_EXITED) {
        return settle_exit(work, result, error);
    }
    char message[MESSAGE_BYTES];
    stf_str text = describe(message, sentences[result->end], result->code, &result->errors);
    return result->end == CLI_CHILD_NOT_STARTED ? stf_work_fail(work, text, error)
                                                : stf_work_unknown(work, text, error);
}

static stf_status run(void *user, const stf_ctx *ctx, stf_work *work, stf_error *error)
{
    const cli_command_handler *handler = user;
    environment env;
    stf_buf input;
    stf_buf_init(&input, NULL);
    environment_init(&env, work);
    stf_status status = stf_value_write_json(stf_work_variables(work), false, &input, error);
    if (status != STF_OK || env.has_failed) {
        status =
            stf_work_fail(work, stf_str_of("out of memory before the command was started"), error);
    } else {
        cli_child_request request = {
            .command = handler->command,
            .environment = env.entries,
            .input = stf_buf_str(&input),
            .timeout_us = handler->timeout_us,
            .output_max = STF_LIMIT_HANDLER_BYTES,
            .errors_max = ERRORS_KEPT_BYTES,
            .cancel = ctx != NULL ? ctx->cancel : NULL,
        };
        cli_child_result result;
        cli_child_run(&request, &result);
        status = settle(work, &result, error);
        cli_child_result_done(&result);
    }
    stf_buf_done(&input);
    environment_done(&env);
    return status;
}

void cli_command_handler_init(const cli_command_handler *handler, stf_handler *ret_handler)
{
    *ret_handler = (stf_handler){
        .struct_size = sizeof(stf_handler),
        .abi = STF_HANDLER_ABI,
        .user = (void *)(uintptr_t)handler, /* only read there */
        .run = run,
    };
}

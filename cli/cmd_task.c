/* SPDX-License-Identifier: Apache-2.0 */
/* stepfast task list, task complete. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "state.h"

enum {
    TASKS_MAX = 10000
};

static void print_tasks(const stf_value *tasks)
{
    printf("%-40s  %-20s  %-24s  %s\n", "TASK", "PROCESS", "ELEMENT", "NAME");
    for (size_t i = 0; i < stf_value_count(tasks); i++) {
        const stf_value *task = stf_value_peek_item(tasks, i);
        cli_print_text(cli_peek_text(task, "task"), 40);
        fputs("  ", stdout);
        cli_print_text(cli_peek_text(task, "process"), 20);
        fputs("  ", stdout);
        cli_print_text(cli_peek_text(task, "element"), 24);
        fputs("  ", stdout);
        cli_print_text(cli_peek_text(task, "name"), 0);
        fputc('\n', stdout);
    }
}

cli_exit_code cli_task_list(const cli_options *options, stf_cancel *cancel)
{
    cli_session session;
    stf_error error = STF_ERROR_INIT;
    stf_value *tasks = NULL;
    cli_exit_code code = cli_session_open(options, cancel, CLI_SESSION_READ, &session);
    if (code == CLI_EXIT_OK &&
        stf_engine_list_tasks(session.engine, &session.ctx, stf_str_of(options->element), TASKS_MAX,
                              &tasks, &error) != STF_OK) {
        code = cli_report(&error);
    }
    if (code == CLI_EXIT_OK && !options->is_json) {
        print_tasks(tasks);
    } else if (code == CLI_EXIT_OK && !cli_print_json(tasks)) {
        code = CLI_EXIT_FAILED;
    }
    if (code == CLI_EXIT_OK && stf_value_count(tasks) == TASKS_MAX) {
        cli_complain("these are the %d oldest tasks; there may be more", TASKS_MAX);
    }
    stf_value_unref(tasks);
    cli_session_close(&session);
    return code;
}

typedef struct task_address {
    stf_str instance;
    uint64_t activation; /* 0: by element */
    stf_str element;
} task_address;

/* INSTANCE:ACTIVATION; the id itself may hold colons, the number not. */
static bool parse_task(const char *text, task_address *ret_address)
{
    const char *colon = strrchr(text, ':');
    if (colon == NULL || colon == text || colon[1] < '0' || colon[1] > '9') {
        return false;
    }
    char *end = NULL;
    errno = 0;
    unsigned long long activation = strtoull(colon + 1, &end, 10);
    if (errno != 0 || *end != '\0' || activation == 0) {
        return false;
    }
    *ret_address =
        (task_address){.instance = {text, (size_t)(colon - text)}, .activation = activation};
    return true;
}

static bool find_address(const cli_options *options, task_address *ret_address)
{
    if (options->positional_count == 1) {
        if (options->instance != NULL || options->element != NULL) {
            cli_complain("give TASK, or --instance and --element, not both");
            return false;
        }
        if (!parse_task(options->positional[0], ret_address)) {
            cli_complain("\"%s\" is no task: it is INSTANCE:ACTIVATION, as `task list` prints",
                         options->positional[0]);
            return false;
        }
        return true;
    }
    if (options->instance == NULL || options->element == NULL) {
        cli_complain("which task? Give TASK, or --instance and --element");
        return false;
    }
    *ret_address = (task_address){.instance = stf_str_of(options->instance),
                                  .element = stf_str_of(options->element)};
    return true;
}

cli_exit_code cli_task_complete(const cli_options *options, stf_cancel *cancel)
{
    task_address task;
    if (!find_address(options, &task)) {
        return CLI_EXIT_USAGE;
    }
    cli_session session;
    stf_error error = STF_ERROR_INIT;
    cli_exit_code code = cli_session_open(options, cancel, CLI_SESSION_RUN, &session);
    if (code == CLI_EXIT_OK) {
        stf_ctx ctx = cli_session_patient_ctx(&session);
        if (stf_engine_complete_task(session.engine, &ctx, task.instance, task.activation,
                                     task.element, options->variables, &error) != STF_OK) {
            code = cli_session_report_call(&error);
        }
    }
    if (code == CLI_EXIT_OK) {
        code = cli_session_run(&session, task.instance);
    }
    if (code == CLI_EXIT_OK) {
        code = cli_state_show(&session, task.instance);
    }
    cli_session_close(&session);
    return code;
}

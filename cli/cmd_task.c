/* SPDX-License-Identifier: Apache-2.0 */
/* stepfast task list, task complete. */
#include <stdio.h>

#include "address.h"
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

cli_exit_code cli_task_complete(const cli_options *options, stf_cancel *cancel)
{
    cli_address task;
    if (!cli_address_find(options, "task", true, &task)) {
        return CLI_EXIT_USAGE;
    }
    cli_session session;
    stf_error error = STF_ERROR_INIT;
    cli_exit_code code = cli_session_open(options, cancel, CLI_SESSION_RUN, &session);
    if (code == CLI_EXIT_OK) {
        stf_ctx ctx = cli_session_patient_ctx(&session);
        if (stf_engine_complete_task(session.engine, &ctx, task.instance, task.number, task.element,
                                     options->variables, &error) != STF_OK) {
            code = cli_session_report_call(&error);
        }
    }
    if (code == CLI_EXIT_OK) {
        code = cli_state_run_and_show(&session, task.instance);
    }
    cli_session_close(&session);
    return code;
}

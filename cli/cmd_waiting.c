/* SPDX-License-Identifier: Apache-2.0 */
/* stepfast task list and job list: what waits for people, and for handlers that nobody has. */
#include <stdio.h>

#include "command.h"
#include "session.h"

enum {
    ROWS_MAX = 10000
};

typedef struct waiting_kind {
    const char *name; /* of the id: "task" */
    const char *plural;
    const char *head[2]; /* of the first column and the last */
    const char *last;    /* field of the last column */
    stf_status (*list)(stf_engine *engine, const stf_ctx *ctx, stf_str only, size_t limit,
                       stf_value **ret_list, stf_error *error);
} waiting_kind;

static const waiting_kind tasks = {
    "task", "tasks", {"TASK", "NAME"}, "name", stf_engine_list_tasks};
static const waiting_kind jobs = {"job", "jobs", {"JOB", "TOPIC"}, "topic", stf_engine_list_jobs};

static void print_rows(const waiting_kind *kind, const stf_value *rows)
{
    printf("%-40s  %-20s  %-24s  %s\n", kind->head[0], "PROCESS", "ELEMENT", kind->head[1]);
    for (size_t i = 0; i < stf_value_count(rows); i++) {
        const stf_value *row = stf_value_peek_item(rows, i);
        cli_print_text(cli_peek_text(row, kind->name), 40);
        fputs("  ", stdout);
        cli_print_text(cli_peek_text(row, "process"), 20);
        fputs("  ", stdout);
        cli_print_text(cli_peek_text(row, "element"), 24);
        fputs("  ", stdout);
        cli_print_text(cli_peek_text(row, kind->last), 0);
        fputc('\n', stdout);
    }
}

static cli_exit_code print_waiting(const cli_options *options, stf_cancel *cancel,
                                   const waiting_kind *kind, const char *only)
{
    cli_session session;
    stf_error error = STF_ERROR_INIT;
    stf_value *rows = NULL;
    cli_exit_code code = cli_session_open(options, cancel, CLI_SESSION_READ, &session);
    if (code == CLI_EXIT_OK && kind->list(session.engine, &session.ctx, stf_str_of(only), ROWS_MAX,
                                          &rows, &error) != STF_OK) {
        code = cli_report(&error);
    }
    if (code == CLI_EXIT_OK && !options->is_json) {
        print_rows(kind, rows);
    } else if (code == CLI_EXIT_OK && !cli_print_json(rows)) {
        code = CLI_EXIT_FAILED;
    }
    if (code == CLI_EXIT_OK && stf_value_count(rows) == ROWS_MAX) {
        cli_complain("these are the %d oldest %s; there may be more", ROWS_MAX, kind->plural);
    }
    (void)stf_value_unref(rows);
    cli_session_close(&session);
    return code;
}

cli_exit_code cli_task_list(const cli_options *options, stf_cancel *cancel)
{
    return print_waiting(options, cancel, &tasks, options->element);
}

cli_exit_code cli_job_list(const cli_options *options, stf_cancel *cancel)
{
    return print_waiting(options, cancel, &jobs, options->topic);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* stepfast job list, job answer: work that no handler has started, answered by hand or by a
 * script. */
#include <stdio.h>

#include "address.h"
#include "answer.h"
#include "command.h"
#include "state.h"

enum {
    JOBS_MAX = 10000
};

static void print_jobs(const stf_value *jobs)
{
    printf("%-40s  %-20s  %-24s  %s\n", "JOB", "PROCESS", "ELEMENT", "TOPIC");
    for (size_t i = 0; i < stf_value_count(jobs); i++) {
        const stf_value *job = stf_value_peek_item(jobs, i);
        cli_print_text(cli_peek_text(job, "job"), 40);
        fputs("  ", stdout);
        cli_print_text(cli_peek_text(job, "process"), 20);
        fputs("  ", stdout);
        cli_print_text(cli_peek_text(job, "element"), 24);
        fputs("  ", stdout);
        cli_print_text(cli_peek_text(job, "topic"), 0);
        fputc('\n', stdout);
    }
}

cli_exit_code cli_job_list(const cli_options *options, stf_cancel *cancel)
{
    cli_session session;
    stf_error error = STF_ERROR_INIT;
    stf_value *jobs = NULL;
    cli_exit_code code = cli_session_open(options, cancel, CLI_SESSION_READ, &session);
    if (code == CLI_EXIT_OK &&
        stf_engine_list_jobs(session.engine, &session.ctx, stf_str_of(options->topic), JOBS_MAX,
                             &jobs, &error) != STF_OK) {
        code = cli_report(&error);
    }
    if (code == CLI_EXIT_OK && !options->is_json) {
        print_jobs(jobs);
    } else if (code == CLI_EXIT_OK && !cli_print_json(jobs)) {
        code = CLI_EXIT_FAILED;
    }
    if (code == CLI_EXIT_OK && stf_value_count(jobs) == JOBS_MAX) {
        cli_complain("these are the %d oldest jobs; there may be more", JOBS_MAX);
    }
    (void)stf_value_unref(jobs);
    cli_session_close(&session);
    return code;
}

cli_exit_code cli_job_answer(const cli_options *options, stf_cancel *cancel)
{
    cli_address job;
    stf_answer answer;
    if (!cli_address_find(options, "job", true, &job) || !cli_answer_read(options, &answer)) {
        return CLI_EXIT_USAGE;
    }
    cli_session session;
    stf_error error = STF_ERROR_INIT;
    cli_exit_code code = cli_session_open(options, cancel, CLI_SESSION_RUN, &session);
    if (code == CLI_EXIT_OK) {
        stf_ctx ctx = cli_session_patient_ctx(&session);
        if (stf_engine_answer_job(session.engine, &ctx, job.instance, job.number, job.element,
                                  (stf_str){NULL, 0}, &answer, &error) != STF_OK) {
            code = cli_session_report_call(&error);
        }
    }
    if (code == CLI_EXIT_OK) {
        code = cli_state_run_and_show(&session, job.instance);
    }
    cli_session_close(&session);
    return code;
}

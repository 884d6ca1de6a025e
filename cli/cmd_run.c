/* SPDX-License-Identifier: Apache-2.0 */
/* stepfast run FILE, stepfast start PROCESS: both start an instance and run it. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "deployment.h"
#include "state.h"

static cli_exit_code start_and_run(cli_session *session, stf_str process, int64_t version)
{
    const cli_options *options = session->options;
    stf_start start = STF_START_INIT;
    start.process = process;
    start.version = version;
    start.start_event = stf_str_of(options->start_event);
    start.id = stf_str_of(options->instance_id);
    start.variables = options->variables;
    stf_error error = STF_ERROR_INIT;
    stf_buf id;
    stf_buf_init(&id, NULL);
    cli_exit_code code = CLI_EXIT_OK;
    stf_ctx ctx = cli_session_patient_ctx(session);
    if (stf_engine_start_instance(session->engine, &ctx, &start, &id, &error) != STF_OK) {
        code = cli_session_report_call(&error);
    } else {
        if (!options->is_json) {
            printf("started ");
            cli_print_text(stf_buf_str(&id), 0);
            fputc('\n', stdout);
            fflush(stdout);
        }
        code = cli_session_run(session, stf_buf_str(&id));
        cli_exit_code state = cli_state_show(session, stf_buf_str(&id));
        code = code == CLI_EXIT_OK ? state : code;
    }
    stf_buf_done(&id);
    return code;
}

static bool is_executable(const stf_value *process)
{
    return stf_value_is_true(stf_value_peek(process, stf_str_of("executable")));
}

/* The one that is named, else the only executable one. A process that is not marked executable runs
 * only when it is named. Empty: complained. */
static stf_str choose_process(const cli_options *options, const char *path,
                              const stf_value *processes)
{
    stf_str only = {NULL, 0};
    size_t executable_count = 0;
    for (size_t i = 0; i < stf_value_count(processes); i++) {
        const stf_value *item = stf_value_peek_item(processes, i);
        stf_str id = stf_value_peek_string(stf_value_peek(item, stf_str_of("process")));
        if (options->process != NULL && stf_str_equal(id, stf_str_of(options->process))) {
            return id;
        }
        if (is_executable(item)) {
            only = id;
            executable_count++;
        }
    }
    if (options->process == NULL && executable_count == 1) {
        return only;
    }
    if (options->process != NULL) {
        cli_complain("%s: there is no process \"%s\" in it", path, options->process);
    } else {
        cli_complain("%s: %s; name one with --process:", path,
                     executable_count == 0 ? "no process is marked executable"
                                           : "several processes are executable");
    }
    for (size_t i = 0; i < stf_value_count(processes); i++) {
        const stf_value *item = stf_value_peek_item(processes, i);
        stf_str id = stf_value_peek_string(stf_value_peek(item, stf_str_of("process")));
        fprintf(stderr, "  %.*s\n", (int)id.size, id.data);
    }
    return (stf_str){NULL, 0};
}

cli_exit_code cli_run(const cli_options *options, stf_cancel *cancel)
{
    cli_session session;
    stf_value *processes = NULL;
    cli_exit_code code = cli_session_open(options, cancel, CLI_SESSION_RUN_DEFAULT, &session);
    if (code == CLI_EXIT_OK) {
        code = cli_deployment_put(&session, options->positional[0], &processes);
    }
    if (code == CLI_EXIT_OK) {
        stf_str process = choose_process(options, options->positional[0], processes);
        code = process.size == 0 ? CLI_EXIT_USAGE : start_and_run(&session, process, 0);
    }
    stf_value_unref(processes);
    cli_session_close(&session);
    return code;
}

cli_exit_code cli_start(const cli_options *options, stf_cancel *cancel)
{
    cli_session session;
    cli_exit_code code = cli_session_open(options, cancel, CLI_SESSION_RUN, &session);
    if (code == CLI_EXIT_OK) {
        code = start_and_run(&session, stf_str_of(options->positional[0]), options->version);
    }
    cli_session_close(&session);
    return code;
}

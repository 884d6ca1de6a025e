/* SPDX-License-Identifier: Apache-2.0 */
/* stepfast cancel: ends an instance, and what it called. */
#include "command.h"
#include "state.h"

cli_exit_code cli_cancel(const cli_options *options, stf_cancel *cancel)
{
    cli_session session;
    stf_error error = STF_ERROR_INIT;
    stf_str instance = stf_str_of(options->positional[0]);
    cli_exit_code code = cli_session_open(options, cancel, CLI_SESSION_RUN, &session);
    if (code == CLI_EXIT_OK) {
        stf_ctx ctx = cli_session_patient_ctx(&session);
        if (stf_engine_cancel_instance(session.engine, &ctx, instance, stf_str_of(options->reason),
                                       &error) != STF_OK) {
            code = cli_session_report_call(&error);
        }
    }
    if (code == CLI_EXIT_OK) {
        code = cli_state_run_and_show(&session, instance);
    }
    cli_session_close(&session);
    return code;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* stepfast message: publishes a message and runs what follows. */
#include <stdio.h>

#include "command.h"
#include "state.h"

static cli_exit_code publish(cli_session *session, stf_buf *receiver)
{
    const cli_options *options = session->options;
    stf_error error = STF_ERROR_INIT;
    stf_message message = STF_MESSAGE_INIT;
    message.name = stf_str_of(options->positional[0]);
    message.key = stf_str_of(options->key);
    message.variables = options->variables;
    message.keep_us = options->keep_us;
    stf_ctx ctx = cli_session_patient_ctx(session);
    if (stf_engine_publish(session->engine, &ctx, &message, receiver, &error) != STF_OK) {
        return cli_session_report_call(&error);
    }
    stf_str id = stf_buf_str(receiver);
    if (id.size != 0) {
        return cli_state_run_and_show(session, id);
    }
    if (!options->is_json) {
        printf("nobody waits for it: kept\n");
    }
    return cli_session_run(session, id);
}

cli_exit_code cli_message(const cli_options *options, stf_cancel *cancel)
{
    cli_session session;
    stf_buf receiver;
    stf_buf_init(&receiver, NULL);
    cli_exit_code code = cli_session_open(options, cancel, CLI_SESSION_RUN, &session);
    if (code == CLI_EXIT_OK) {
        code = publish(&session, &receiver);
    }
    stf_buf_done(&receiver);
    cli_session_close(&session);
    return code;
}

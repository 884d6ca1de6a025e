/* SPDX-License-Identifier: Apache-2.0 */
/* stepfast engine: stays up and serves a store. */
#include "command.h"
#include "session.h"

/* A signal is how an engine is meant to be stopped. */
static cli_exit_code serve(cli_session *session, stf_cancel *cancel)
{
    stf_error error = STF_ERROR_INIT;
    stf_status status = stf_engine_run(session->engine, &session->ctx, STF_RUN_FOREVER, &error);
    if (status == STF_CANCELLED && stf_cancel_is_requested(cancel)) {
        cli_complain("stopping: what runs may finish, no new work is taken");
        return CLI_EXIT_OK;
    }
    return cli_report(&error);
}

cli_exit_code cli_engine(const cli_options *options, stf_cancel *cancel)
{
    cli_session session;
    /* Who joins a group that has to be there does not make a store without it. */
    cli_session_mode mode = options->existing_group != NULL ? CLI_SESSION_RUN : CLI_SESSION_RUN_NEW;
    cli_exit_code code = cli_session_open(options, cancel, mode, &session);
    if (code == CLI_EXIT_OK) {
        const char *group = options->existing_group != NULL ? options->existing_group
                            : options->group != NULL        ? options->group
                                                            : "default";
        cli_complain("serving group %s of %s; a signal stops it", group,
                     cli_store_choose(options->store, NULL));
        code = serve(&session, cancel);
    }
    cli_session_close(&session);
    return code;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What a command works with: the store, the engine and the rule when to stop. */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include <stepfast/engine.h>

#include "options.h"
#include "output.h"
#include "store.h"

typedef struct cli_session {
    const cli_options *options;
    stf_ctx ctx; /* carries the cancel token of the signals */
    cli_store store;
    stf_engine *engine;
} cli_session;

typedef enum cli_session_mode {
    CLI_SESSION_READ = 0,       /* the store must exist; nothing runs, nothing is recovered */
    CLI_SESSION_RUN = 1,        /* the store must exist; the engine starts and recovers */
    CLI_SESSION_RUN_NEW = 2,    /* as RUN, and the store is created */
    CLI_SESSION_RUN_DEFAULT = 3 /* as RUN_NEW, and without --store in memory */
} cli_session_mode;

/* Opens all; OK or the exit code of what was complained about. cli_session_close in any case. */
cli_exit_code cli_session_open(const cli_options *options, stf_cancel *cancel,
                               cli_session_mode mode, cli_session *ret_session);
void cli_session_close(cli_session *session);

/* For a call that starts or completes: what was not taken yet is given up after a while, since
 * nothing was written. (What runs already waits for its store without a limit: results would be
 * lost.) Its failure is told by report_call. */
stf_ctx cli_session_patient_ctx(const cli_session *session);
cli_exit_code cli_session_report_call(stf_error *error);

/* Runs until nothing is runnable here; with --wait-timers also while an instance waits at a timer
 * event. instance empty: all instances of the group. */
cli_exit_code cli_session_run(cli_session *session, stf_str instance);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What an instance is now, in a line or as JSON. */
#ifndef CLI_STATE_H
#define CLI_STATE_H

#include "session.h"

/* Loads the instance, prints it (JSON with --json) and answers INCIDENT when one is open. */
cli_exit_code cli_state_show(cli_session *session, stf_str instance);

/* Runs what follows a call (cli_session_run), then shows the instance. */
cli_exit_code cli_state_run_and_show(cli_session *session, stf_str instance);

/* "completed", "waits at a, b", "terminated at x", "incident at y", "retries v", "stuck at join z";
 * appends. */
void cli_state_describe(const stf_value *view, stf_buf *buf);

/* An open one; what is retried by itself is none. */
bool cli_state_has_incident(const stf_value *view);

#endif

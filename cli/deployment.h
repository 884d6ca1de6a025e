/* SPDX-License-Identifier: Apache-2.0 */
/* Deploying a file and choosing a process of it. */
#ifndef CLI_DEPLOYMENT_H
#define CLI_DEPLOYMENT_H

#include "session.h"

/* Reads and deploys the file, printing its diagnostics. ret_processes is a list of contexts
 * {process, version, new, executable}, one reference. */
cli_exit_code cli_deployment_put(cli_session *session, const char *path, stf_value **ret_processes);

#endif

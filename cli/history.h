/* SPDX-License-Identifier: Apache-2.0 */
/* The facts of an instance, as its journal has them. */
#ifndef CLI_HISTORY_H
#define CLI_HISTORY_H

#include "session.h"

/* Prints them in order (JSON: a list). Following, it stays and prints what comes until the instance
 * has ended. */
cli_exit_code cli_history_print(cli_session *session, stf_str instance, bool is_following);

#endif

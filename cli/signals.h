/* SPDX-License-Identifier: Apache-2.0 */
/* SIGINT and SIGTERM ask for a graceful stop; the second one ends the program at once. */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include <stepfast/ctx.h>

/* Once, at the start. cancel must live as long as the program. */
void cli_signals_install(stf_cancel *cancel);

#endif

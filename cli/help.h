/* SPDX-License-Identifier: Apache-2.0 */
/* Help texts, made from the tables. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "command.h"

void cli_help_print(void);
void cli_help_print_group(const char *word); /* the commands that begin with it */
void cli_help_print_command(const cli_command *command);

#endif

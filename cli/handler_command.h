/* SPDX-License-Identifier: Apache-2.0 */
/* --handler TOPIC=COMMAND: a handler that runs a shell command. Variables go in as a JSON object on
 * standard input and come back as one on standard output; the exit code says what became of the
 * effect (docs/handlers.md). */
#ifndef CLI_HANDLER_COMMAND_H
#define CLI_HANDLER_COMMAND_H

#include <stepfast/service.h>

typedef struct cli_command_handler {
    const char *command; /* for sh -c; borrowed */
    int64_t timeout_us;  /* 0: none; past it the process group is killed: outcome unknown */
} cli_command_handler;

/* The exit codes of a command that mean something (docs/handlers.md). */
enum {
    CLI_EXIT_BPMN_ERROR = 10,
    CLI_EXIT_DEFINITIVE_FAILURE = 11
};

/* Fills ret_handler; it borrows handler, which must outlive the engine. */
void cli_command_handler_init(const cli_command_handler *handler, stf_handler *ret_handler);

#endif

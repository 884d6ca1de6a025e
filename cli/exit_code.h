/* SPDX-License-Identifier: Apache-2.0 */
/* What the program's exit codes mean; man page and --help print this table. */
#ifndef CLI_EXIT_CODE_H
#define CLI_EXIT_CODE_H

#include <stepfast/status.h>

#define CLI_EXIT_MAP(X)                                                                            \
    X(OK, 0, "done; an instance ended or waits")                                                   \
    X(FAILED, 1, "any other failure")                                                              \
    X(USAGE, 2, "the command line is not right")                                                   \
    X(NOT_FOUND, 3, "no such file, process, instance or task")                                     \
    X(REFUSED_NOW, 4, "not possible in the present state, or it exists already")                   \
    X(INCIDENT, 5, "an instance has an open incident")                                             \
    X(FILE_REFUSED, 6, "the file is not acceptable, or not supported yet")                         \
    X(UNAVAILABLE, 7, "the store is not available now; nothing was written, try again")            \
    X(OUTCOME_UNKNOWN, 8,                                                                          \
      "it is not known whether the last write happened; look before you retry")                    \
    X(STORE_DAMAGED, 9, "the store has another schema, or is damaged")                             \
    X(STOPPED, 10, "stopped by a signal or a deadline")

typedef enum cli_exit_code {
#define CLI_EXIT_ENUM(name, number, text) CLI_EXIT_##name = number,
    CLI_EXIT_MAP(CLI_EXIT_ENUM)
#undef CLI_EXIT_ENUM
} cli_exit_code;

/* Exhaustive: a new status does not compile until it has an answer here. */
cli_exit_code cli_exit_code_of(stf_status status);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* One child process in a process group of its own that does not outlive us: feeds its input, keeps
 * its output and its errors up to a limit, and waits for its end, a deadline or a cancel token. */
#ifndef CLI_CHILD_H
#define CLI_CHILD_H

#include <stepfast/buf.h>
#include <stepfast/ctx.h>
#include <sys/types.h>

typedef enum cli_child_end {
    CLI_CHILD_EXITED = 0,      /* code */
    CLI_CHILD_SIGNALLED = 1,   /* code is the signal */
    CLI_CHILD_TIMED_OUT = 2,   /* killed by us */
    CLI_CHILD_CANCELLED = 3,   /* killed by us */
    CLI_CHILD_TOO_LOUD = 4,    /* wrote more than the limit to standard output; killed by us */
    CLI_CHILD_NOT_STARTED = 5, /* nothing of it ran; code is the errno */
    CLI_CHILD_LOST = 6         /* started, and then the system failed us; code is the errno */
} cli_child_end;

typedef struct cli_child_request {
    const char *command; /* for sh -c */
    char *const *environment;
    stf_str input;
    int64_t timeout_us;       /* 0: none */
    size_t output_max;        /* more than that on standard output ends the child */
    size_t errors_max;        /* of standard error only the last so many bytes are kept */
    const stf_cancel *cancel; /* may be NULL */
} cli_child_request;

typedef struct cli_child_result {
    cli_child_end end;
    int code;
    stf_buf output;
    stf_buf errors;
} cli_child_result;

/* Runs the child to its end. The caller calls cli_child_result_done in any case. Thread: any. */
void cli_child_run(const cli_child_request *request, cli_child_result *ret_result);
void cli_child_result_done(cli_child_result *result);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A repository whose calls are made by another process on its own handle of the same file: what two
 * engines on one machine are to each other. One thread at a time. */
#ifndef STF_TESTS_REMOTE_H
#define STF_TESTS_REMOTE_H

#include <stdio.h>
#include <stepfast/clock.h>
#include <stepfast/sys/repository.h>
#include <sys/types.h>

/* The first number of a message; then the time, then the arguments. */
enum remote_call {
    REMOTE_SAVE = 1,
    REMOTE_LOAD,
    REMOTE_REMOVE,
    REMOTE_LIST,
    REMOTE_REGISTER,
    REMOTE_EXISTS,
    REMOTE_HOLD,
    REMOTE_RELEASE,
    REMOTE_IS_DEAD,
    REMOTE_OWNERS
};

typedef struct remote remote;

/* Starts the program with the path. Closing the repository ends it and waits for it. */
stf_status remote_open(const char *program, const char *path, const stf_clock *clock,
                       stf_repository **ret_repository, remote **ret_remote, stf_error *error);

pid_t remote_pid(const remote *self);
/* The two halves of a save: between them the other process may be stopped. */
void remote_send_save(remote *self, const stf_save *save);
stf_status remote_receive_save(remote *self, stf_save_result *ret_result, stf_error *error);

/* The other end, in a process of its own: serves calls on in and out until in ends. */
int remote_serve(stf_repository *repository, int64_t *now_us, FILE *in, FILE *out);

#endif

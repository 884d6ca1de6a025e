/* SPDX-License-Identifier: Apache-2.0 */
/* The lock around a connection, and the one way in which this room waits. */
#ifndef STF_SQLITE_GATE_H
#define STF_SQLITE_GATE_H

#include <pthread.h>
#include <stepfast/ctx.h>

/* One holder at a time. A plain mutex would not see a deadline or a cancel token. */
typedef struct stf__sqlite_gate {
    pthread_mutex_t mutex;
    pthread_cond_t freed;
    int wake_fd; /* wakes the waiters that poll */
    unsigned pollers;
    bool is_taken;
} stf__sqlite_gate;

/* OK, UNAVAILABLE (no descriptor left). */
STF_MUST_CHECK stf_status stf__sqlite_gate_init(stf__sqlite_gate *gate, stf_error *error);
void stf__sqlite_gate_done(stf__sqlite_gate *gate);

/* OK, CANCELLED, DEADLINE_EXCEEDED. */
STF_MUST_CHECK stf_status stf__sqlite_gate_enter(stf__sqlite_gate *gate, const stf_ctx *ctx,
                                                 stf_error *error);
void stf__sqlite_gate_leave(stf__sqlite_gate *gate);

/* Sleeps so long, less when ctx is cancelled or wake_fd (-1: none) becomes readable. */
void stf__sqlite_pause(const stf_ctx *ctx, int wake_fd, int64_t pause_us);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Moves the log into the database file, beside the saves: a thread with a connection of its own. */
#ifndef STF_SQLITE_CHECKPOINT_H
#define STF_SQLITE_CHECKPOINT_H

#include <pthread.h>
#include <stdatomic.h>

#include "conn.h"
#include "gate.h"

typedef struct stf__sqlite_checkpointer {
    stf__sqlite_gate *gate; /* of the handle; entered for the short, blocking part only */
    const char *path;
    uint64_t threshold_bytes;
    int64_t page_bytes;
    uint64_t next_bytes; /* of the log, at which the next run is asked for; the writer's */
    _Atomic uint64_t log_bytes;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t asked;
    bool is_asked;
    bool is_stopping;
    bool is_running;
    _Atomic uint64_t runs;
} stf__sqlite_checkpointer;

/* Takes over the log of conn (its automatic checkpoints end) and starts the thread. OK,
 * UNAVAILABLE (no thread left). */
STF_MUST_CHECK stf_status stf__sqlite_checkpointer_start(stf__sqlite_checkpointer *checkpointer,
                                                         stf__sqlite_conn *conn,
                                                         stf__sqlite_gate *gate,
                                                         uint64_t threshold_bytes,
                                                         stf_error *error);
/* A no-op when it was not started. */
void stf__sqlite_checkpointer_stop(stf__sqlite_checkpointer *checkpointer);

/* The last checkpoint before conn is closed: as far as others allow, then an empty log. */
void stf__sqlite_checkpoint_at_close(stf__sqlite_conn *conn);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Log checkpoints off the save path. A commit only looks at the log's size and wakes the thread.
 * The thread's PASSIVE checkpoint runs beside writers; under writes that never pause it can never
 * finish, so a log of twice the threshold gets a RESTART, for which writers wait while the little
 * that is left is copied. A failing checkpoint harms nothing: the log grows, and a later run takes
 * it. */
#include "checkpoint.h"

#include <signal.h>
#include <string.h>

static void ask(stf__sqlite_checkpointer *checkpointer)
{
    pthread_mutex_lock(&checkpointer->mutex);
    checkpointer->is_asked = true;
    pthread_cond_signal(&checkpointer->asked);
    pthread_mutex_unlock(&checkpointer->mutex);
}

/* SQLite's hook after each commit, on the writer's thread. Another quarter of the threshold must
 * come before it asks again. */
static int on_commit(void *user, sqlite3 *db, const char *schema, int frames)
{
    (void)db;
    (void)schema;
    stf__sqlite_checkpointer *checkpointer = user;
    uint64_t bytes = (uint64_t)frames * (uint64_t)(checkpointer->page_bytes + 24);
    atomic_store(&checkpointer->log_bytes, bytes);
    if (bytes < checkpointer->threshold_bytes) {
        checkpointer->next_bytes = checkpointer->threshold_bytes;
    } else if (bytes >= checkpointer->next_bytes) {
        checkpointer->next_bytes = bytes + checkpointer->threshold_bytes / 4;
        ask(checkpointer);
    }
    return SQLITE_OK;
}

/* A connection that has read nothing yet does not know of the log: its checkpoint would be a no-op
 * that succeeds. */
static bool is_ready(const stf__sqlite_checkpointer *checkpointer, stf__sqlite_conn *conn)
{
    if (conn->db == NULL &&
        stf__sqlite_conn_open(conn, checkpointer->path, SQLITE_OPEN_READWRITE, 0, NULL) != STF_OK) {
        return false;
    }
    return stf__sqlite_exec(conn, "PRAGMA schema_version", NULL) == STF_OK;
}

static void run_once(stf__sqlite_checkpointer *checkpointer, stf__sqlite_conn *conn)
{
    if (!is_ready(checkpointer, conn)) {
        return;
    }
    (void)sqlite3_wal_checkpoint_v2(conn->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
    if (atomic_load(&checkpointer->log_bytes) >= 2 * checkpointer->threshold_bytes &&
        stf__sqlite_gate_enter(checkpointer->gate, NULL, NULL) == STF_OK) {
        (void)sqlite3_wal_checkpoint_v2(conn->db, NULL, SQLITE_CHECKPOINT_RESTART, NULL, NULL);
        stf__sqlite_gate_leave(checkpointer->gate);
    }
    atomic_fetch_add(&checkpointer->runs, 1);
}

static void *run(void *user)
{
    stf__sqlite_checkpointer *checkpointer = user;
    stf__sqlite_conn conn = {.db = NULL};
    pthread_mutex_lock(&checkpointer->mutex);
    for (;;) {
        while (!checkpointer->is_asked && !checkpointer->is_stopping) {
            pthread_cond_wait(&checkpointer->asked, &checkpointer->mutex);
        }
        if (checkpointer->is_stopping) {
            break;
        }
        checkpointer->is_asked = false;
        pthread_mutex_unlock(&checkpointer->mutex);
        run_once(checkpointer, &conn);
        pthread_mutex_lock(&checkpointer->mutex);
    }
    pthread_mutex_unlock(&checkpointer->mutex);
    stf__sqlite_conn_close(&conn);
    return NULL;
}

/* The host's signals are for the host's threads. */
static int start_thread(stf__sqlite_checkpointer *checkpointer)
{
    sigset_t all;
    pthread_attr_t attributes;
    sigfillset(&all);
    int code = pthread_attr_init(&attributes);
    if (code != 0) {
        return code;
    }
    code = pthread_attr_setsigmask_np(&attributes, &all);
    if (code == 0) {
        code = pthread_create(&checkpointer->thread, &attributes, run, checkpointer);
    }
    pthread_attr_destroy(&attributes);
    return code;
}

stf_status stf__sqlite_checkpointer_start(stf__sqlite_checkpointer *checkpointer,
                                          stf__sqlite_conn *conn, stf__sqlite_gate *gate,
                                          uint64_t threshold_bytes, stf_error *error)
{
    *checkpointer = (stf__sqlite_checkpointer){.gate = gate,
                                               .path = conn->path,
                                               .threshold_bytes = threshold_bytes,
                                               .next_bytes = threshold_bytes};
    stf_status status =
        stf__sqlite_pragma_int(conn, "PRAGMA page_size", &checkpointer->page_bytes, error);
    if (status != STF_OK) {
        return status;
    }
    pthread_mutex_init(&checkpointer->mutex, NULL);
    pthread_cond_init(&checkpointer->asked, NULL);
    int code = start_thread(checkpointer);
    if (code != 0) {
        pthread_cond_destroy(&checkpointer->asked);
        pthread_mutex_destroy(&checkpointer->mutex);
        return stf_error_set(error, STF_UNAVAILABLE, "SQLITE_REPO", "no thread is left: %s",
                             strerror(code));
    }
    checkpointer->is_running = true;
    (void)sqlite3_wal_hook(conn->db, on_commit, checkpointer); /* replaces the automatic one */
    return STF_OK;
}

void stf__sqlite_checkpointer_stop(stf__sqlite_checkpointer *checkpointer)
{
    if (!checkpointer->is_running) {
        return;
    }
    pthread_mutex_lock(&checkpointer->mutex);
    checkpointer->is_stopping = true;
    pthread_cond_signal(&checkpointer->asked);
    pthread_mutex_unlock(&checkpointer->mutex);
    pthread_join(checkpointer->thread, NULL);
    pthread_cond_destroy(&checkpointer->asked);
    pthread_mutex_destroy(&checkpointer->mutex);
    checkpointer->is_running = false;
}

void stf__sqlite_checkpoint_at_close(stf__sqlite_conn *conn)
{
    sqlite3_busy_handler(conn->db, NULL, NULL); /* others may go on; nobody waits for this */
    (void)sqlite3_wal_checkpoint_v2(conn->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
    (void)sqlite3_wal_checkpoint_v2(conn->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
}

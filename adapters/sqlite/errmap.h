/* SPDX-License-Identifier: Apache-2.0 */
/* The one place that turns a result of SQLite into a status. */
#ifndef STF_SQLITE_ERRMAP_H
#define STF_SQLITE_ERRMAP_H

#include <sqlite3.h>
#include <stepfast/ctx.h>

/* Where the failing call stood. After COMMIT was sent, most failures leave the outcome open. */
typedef enum stf__sqlite_phase {
    STF__SQLITE_WORK,
    STF__SQLITE_COMMIT
} stf__sqlite_phase;

typedef struct stf__sqlite_failure {
    sqlite3 *db; /* NULL: the connection was not made */
    const char *path;
    const stf_ctx *ctx; /* of the running call: a lock wait or an interrupt is explained by it */
    int code;           /* extended */
    stf__sqlite_phase phase;
} stf__sqlite_failure;

/* Never OK. */
STF_MUST_CHECK stf_status stf__sqlite_map(const stf__sqlite_failure *failure, stf_error *error);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The schema and its ledger. */
#ifndef STF_SQLITE_SCHEMA_H
#define STF_SQLITE_SCHEMA_H

#include "conn.h"

/* The texts of migrations/, made into arrays by CMake. */
extern const char stf__sqlite_migration_0001_initial[];

typedef enum stf__sqlite_schema_state {
    STF__SQLITE_SCHEMA_NONE,  /* no ledger: a new file, or somebody else's database */
    STF__SQLITE_SCHEMA_OLDER, /* migrations are missing */
    STF__SQLITE_SCHEMA_CURRENT
} stf__sqlite_schema_state;

/* Reads the ledger. SCHEMA_MISMATCH: newer than this program, or an applied migration was edited.
 */
STF_MUST_CHECK stf_status stf__sqlite_schema_look(stf__sqlite_conn *conn,
                                                  stf__sqlite_schema_state *ret_state,
                                                  stf_error *error);

/* Applies what is missing, each migration in a transaction of its own, under the write lock: two
 * programs that open a new file serialise here. A re-run changes nothing. */
STF_MUST_CHECK stf_status stf__sqlite_schema_migrate(stf__sqlite_conn *conn, stf_wall now,
                                                     stf_error *error);

/* What stepfast_schema_version records of a migration's text. */
void stf__sqlite_schema_checksum(const char *text, char ret_checksum[17]);

#endif

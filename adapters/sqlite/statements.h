/* SPDX-License-Identifier: Apache-2.0 */
/* Every statement of this store, by number. Prepared once for a connection, on first use. */
#ifndef STF_SQLITE_STATEMENTS_H
#define STF_SQLITE_STATEMENTS_H

#include <stddef.h>

/* What an update of a record's row changes beyond what every save changes. A statement that does
 * not name a column leaves that column's indexes alone; SQLite writes an index that is named even
 * when the value is the same. */
#define STF__SQLITE_SET_HEAD 1u
#define STF__SQLITE_SET_STATUS 2u
#define STF__SQLITE_SET_OWNER 4u
#define STF__SQLITE_SET_DUE 8u
#define STF__SQLITE_SET_ALL 15u

typedef enum stf__sqlite_statement {
#define STF__STATEMENT(name, text) STF__SQL_##name,
#include "statements.def"
#undef STF__STATEMENT
    STF__SQL_RECORD_UPDATE, /* the first of STF__SQLITE_SET_ALL + 1, by mask */
    STF__SQL_COUNT = STF__SQL_RECORD_UPDATE + STF__SQLITE_SET_ALL + 1
} stf__sqlite_statement;

#define STF__SQLITE_STATEMENT_BYTES 1024

/* The text of a statement; buffer is used for those that are put together. */
const char *stf__sqlite_statement_text(unsigned statement,
                                       char buffer[STF__SQLITE_STATEMENT_BYTES]);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Whole records, copied out of a statement and visited when the connection is free again. */
#ifndef STF_SQLITE_RECORDS_H
#define STF_SQLITE_RECORDS_H

#include "store.h"

/* A collection ends at so many bytes: a page of large records is read in several goes. */
#define STF__SQLITE_CHUNK_BYTES 1048576u /* 1 MiB */

typedef struct stf__sqlite_records {
    stf_buf bytes;
    stf_buf items;
    stf_buf waits;
    size_t count;
} stf__sqlite_records;

void stf__sqlite_records_init(stf__sqlite_records *records, const stf_sqlite *sqlite);
void stf__sqlite_records_done(stf__sqlite_records *records);
bool stf__sqlite_records_is_full(const stf__sqlite_records *records);

/* Copies the row that query (RECORD_LOAD, CATALOG_PAGE) stands on, with its bulk and waits. */
STF_MUST_CHECK stf_status stf__sqlite_records_add(stf__sqlite_records *records, stf_sqlite *sqlite,
                                                  const stf__sqlite_query *query, stf_error *error);

/* Visits all and keeps them; *ret_last_id (may be NULL) is a view of the last id. */
STF_MUST_CHECK stf_status stf__sqlite_records_visit(stf__sqlite_records *records,
                                                    stf_record_visitor visit, void *user,
                                                    stf_str *ret_last_id, stf_error *error);

#endif

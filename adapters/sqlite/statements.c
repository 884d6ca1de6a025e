/* SPDX-License-Identifier: Apache-2.0 */
/* The texts of the statements; the sixteen updates of a record's row are put together from their
 * mask. */
#include "statements.h"

#include <stdio.h>

static const char *const texts[] = {
#define STF__STATEMENT(name, text) text,
#include "statements.def"
#undef STF__STATEMENT
};

const char *stf__sqlite_statement_text(unsigned statement, char buffer[STF__SQLITE_STATEMENT_BYTES])
{
    if (statement < STF__SQL_RECORD_UPDATE) {
        return texts[statement];
    }
    unsigned mask = statement - STF__SQL_RECORD_UPDATE;
    (void)snprintf(buffer, STF__SQLITE_STATEMENT_BYTES,
                   "UPDATE stepfast_instances SET rec_version = ?, attempt = ?, incarnation = ?,"
                   " lease_expiry = ?, wait_count = ?, bulk_bytes = ?, label_key = ?,"
                   " label_version = ?, updated = ?%s%s%s%s WHERE instance_no = ?",
                   (mask & STF__SQLITE_SET_HEAD) != 0 ? ", head = ?" : "",
                   (mask & STF__SQLITE_SET_STATUS) != 0 ? ", status = ?" : "",
                   (mask & STF__SQLITE_SET_OWNER) != 0 ? ", owner = ?" : "",
                   (mask & STF__SQLITE_SET_DUE) != 0 ? ", due = ?" : "");
    return buffer;
}

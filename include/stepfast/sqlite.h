/* SPDX-License-Identifier: Apache-2.0 */
/* The SQLite store (library libstepfast-sqlite): one file, WAL, synchronous=FULL by default, one
 * writer per file at a time, several processes on one machine. A handle has a thread and file
 * locks: it must not be used or closed in a child after fork; a child opens its own. */
#ifndef STEPFAST_SQLITE_H
#define STEPFAST_SQLITE_H

#include <stepfast/sys/definition_store.h>
#include <stepfast/sys/repository.h>

STF_BEGIN_DECLS

typedef struct stf_sqlite stf_sqlite; /* one database file; refcounted, shared by its stores */

typedef struct stf_sqlite_options {
    size_t struct_size;
    uint32_t abi;
    uint32_t flags; /* STF_SQLITE_* */
    const stf_allocator *alloc;
    const stf_clock *clock;
    const char *path;        /* required */
    int64_t busy_timeout_us; /* 0: 5 s */
    uint64_t max_page_count; /* 0: SQLite's own; a full file is STF_UNAVAILABLE, nothing written */
    uint64_t checkpoint_bytes; /* the log is moved into the file from this size on; 0: 16 MiB */
} stf_sqlite_options;

#define STF_SQLITE_ABI 1u
#define STF_SQLITE_OPTIONS_INIT                                                                    \
    {                                                                                              \
        .struct_size = sizeof(stf_sqlite_options), .abi = STF_SQLITE_ABI                           \
    }
#define STF_SQLITE_SYNC_NORMAL 1u  /* synchronous=NORMAL: a power cut may lose the last commits */
#define STF_SQLITE_MUST_EXIST 2u   /* do not create the file: NOT_FOUND */
#define STF_SQLITE_NO_MIGRATION 4u /* open only a schema that is up to date */

/* Opens or creates the file, checks its schema: a new file is given the schema; an older one is
 * left for stf_repository_migrate. With NO_MIGRATION nothing is created: no file is NOT_FOUND, a
 * missing or older schema SCHEMA_MISMATCH. OK, INVALID_ARGUMENT, NOT_FOUND, UNAVAILABLE (path not
 * writable, locked), SCHEMA_MISMATCH (newer or edited), CORRUPT (not a database, damaged),
 * NO_MEMORY. */
STF_API STF_MUST_CHECK stf_status stf_sqlite_open(const stf_ctx *ctx,
                                                  const stf_sqlite_options *options,
                                                  stf_sqlite **ret_sqlite, stf_error *error);
STF_API stf_sqlite *stf_sqlite_ref(stf_sqlite *sqlite);
STF_API stf_sqlite *stf_sqlite_unref(stf_sqlite *sqlite);

STF_API STF_MUST_CHECK stf_status stf_sqlite_open_repository(stf_sqlite *sqlite,
                                                             stf_repository **ret_repository,
                                                             stf_error *error);
STF_API STF_MUST_CHECK stf_status stf_sqlite_open_definitions(stf_sqlite *sqlite,
                                                              stf_definition_store **ret_store,
                                                              stf_error *error);

/* The schema as SQL with comments. Static storage. */
STF_API const char *stf_sqlite_schema_sql(void);

STF_END_DECLS

#endif

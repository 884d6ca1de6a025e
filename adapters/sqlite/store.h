/* SPDX-License-Identifier: Apache-2.0 */
/* The shared handle of one database file, and what the slots of its stores are made of. */
#ifndef STF_SQLITE_STORE_H
#define STF_SQLITE_STORE_H

#include <stdatomic.h>
#include <stepfast/limits.h>
#include <stepfast/sqlite.h>
#include <stepfast/sys/repository_batch.h>
#include <stepfast/sys/repository_catalog.h>
#include <stepfast/sys/repository_journal.h>
#include <stepfast/sys/repository_liveness.h>
#include <stepfast/sys/repository_wake.h>

#include "checkpoint.h"
#include "conn.h"
#include "gate.h"

/* The last name that was found and its number. Groups and tenants are never removed, so a number
 * holds; a rollback clears it, because a tenant may have been made by the transaction. */
typedef struct stf__sqlite_name {
    char text[STF_LIMIT_ID_BYTES];
    size_t size;
    int64_t within; /* the group, for a tenant */
    int64_t number; /* 0: nothing is remembered */
} stf__sqlite_name;

struct stf_sqlite {
    atomic_size_t references;
    stf_allocator alloc;
    const stf_clock *clock;
    char *path;
    stf__sqlite_gate gate; /* guards everything below */
    stf__sqlite_conn conn;
    stf__sqlite_name group;
    stf__sqlite_name tenant;
    stf__sqlite_checkpointer checkpointer;
};

/* A call on the connection: enter, work, leave. No callback of a caller runs between them. */
STF_MUST_CHECK stf_status stf__sqlite_enter(stf_sqlite *sqlite, const stf_ctx *ctx,
                                            stf_error *error);
void stf__sqlite_leave(stf_sqlite *sqlite);

/* The same with a write transaction around the work: status is what the work came to; finish
 * commits on OK and rolls back otherwise, and leaves. */
STF_MUST_CHECK stf_status stf__sqlite_enter_write(stf_sqlite *sqlite, const stf_ctx *ctx,
                                                  stf_error *error);
STF_MUST_CHECK stf_status stf__sqlite_finish_write(stf_sqlite *sqlite, stf_status status,
                                                   stf_error *error);

stf_wall stf__sqlite_now(const stf_sqlite *sqlite);
void *stf__sqlite_alloc(const stf_sqlite *sqlite, size_t size); /* zeroed */
void stf__sqlite_free(const stf_sqlite *sqlite, void *memory);
stf_status stf__sqlite_no_memory(stf_error *error);

/* ---- names.c: inside of enter and leave ---- */

/* *ret_no is 0 where there is none. */
STF_MUST_CHECK stf_status stf__sqlite_find_group(stf_sqlite *sqlite, stf_str group, int64_t *ret_no,
                                                 stf_error *error);
/* "" is the group's default. */
STF_MUST_CHECK stf_status stf__sqlite_find_tenant(stf_sqlite *sqlite, int64_t group_no,
                                                  stf_str tenant, int64_t *ret_no,
                                                  stf_error *error);
/* Registers an unknown one, and the default as "default". Inside of a write transaction. */
STF_MUST_CHECK stf_status stf__sqlite_ensure_tenant(stf_sqlite *sqlite, int64_t group_no,
                                                    stf_str tenant, int64_t *ret_no,
                                                    stf_error *error);
STF_MUST_CHECK stf_status stf__sqlite_group_not_found(stf_str group, stf_error *error);

/* ---- the stores' slots ---- */

typedef struct stf__sqlite_hold stf__sqlite_hold;

typedef struct stf__sqlite_repository {
    stf_sqlite *sqlite; /* a reference */
    pthread_mutex_t holds_mutex;
    stf__sqlite_hold *holds; /* liveness.c */
} stf__sqlite_repository;

stf_status stf__sqlite_save(void *impl, const stf_ctx *ctx, const stf_save *save,
                            stf_save_result *ret_result, stf_error *error);
stf_status stf__sqlite_save_many(void *impl, const stf_ctx *ctx, const stf_save *saves,
                                 size_t count, stf_save_result *results, stf_error *error);
stf_status stf__sqlite_remove(void *impl, const stf_ctx *ctx, const stf_delete *request,
                              stf_error *error);
/* Deletes a record with all of its parts. Inside of a write transaction. */
STF_MUST_CHECK stf_status stf__sqlite_drop_record(stf_sqlite *sqlite, int64_t instance_no,
                                                  stf_error *error);
stf_status stf__sqlite_load(void *impl, const stf_ctx *ctx, stf_str id, stf_record_visitor visit,
                            void *user, bool *ret_found, stf_error *error);
stf_status stf__sqlite_load_many(void *impl, const stf_ctx *ctx, const stf_str *ids, size_t count,
                                 stf_wall due_before, stf_record_visitor visit, void *user,
                                 stf_error *error);
stf_status stf__sqlite_list_in_flight(void *impl, const stf_ctx *ctx,
                                      const stf_in_flight_query *request, stf_id_visitor visit,
                                      void *user, stf_error *error);
stf_status stf__sqlite_list_owners(void *impl, const stf_ctx *ctx, stf_str group,
                                   stf_id_visitor visit, void *user, stf_error *error);

extern const stf_wake_vtable stf__sqlite_wake_slots;
extern const stf_catalog_vtable stf__sqlite_catalog_slots;
extern const stf_journal_vtable stf__sqlite_journal_slots;
extern const stf_liveness_vtable stf__sqlite_liveness_slots;
void stf__sqlite_release_all_owners(stf__sqlite_repository *repository);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Capability: who is due, orphaned or waiting, found without holding anything in memory. The calls
 * below work without it, too: from an index in memory (docs/repository-contract.md). A due or
 * orphan page without a time then needs the store's clock (repository_clock.h), else UNSUPPORTED.
 */
#ifndef STEPFAST_SYS_REPOSITORY_WAKE_H
#define STEPFAST_SYS_REPOSITORY_WAKE_H

#include <stepfast/sys/repository.h>

STF_BEGIN_DECLS

#define STF_REPOSITORY_WAKE "stf.repository.wake/1"

/* Due: not terminal, due <= now, and no owner, a lapsed lease, or the owner is the asker. Suspended
 * records are included. Ordered by (due, id). */
typedef struct stf_due_query {
    stf_str group;
    stf_str asker;      /* owner string of the asking engine; may be empty */
    stf_wall now;       /* none: the store's clock */
    stf_wall after_due; /* with after_id: the last row of the page before; none: from the start */
    stf_str after_id;
    size_t limit;
} stf_due_query;

/* Orphaned: not terminal, not suspended, with an owner whose lease has lapsed or who is in
 * dead_owners, and who is not the asker. Ordered by id. */
typedef struct stf_orphan_query {
    stf_str group;
    stf_str asker;
    stf_wall now;
    const stf_str *dead_owners;
    size_t dead_owner_count;
    stf_str after_id;
    size_t limit;
} stf_orphan_query;

/* Waiting: not terminal, not suspended, with a wait of that kind and (unless empty) that key.
 * Ordered by (since, id). A record with several such waits is visited once for each; those of one
 * (since, id) are never split between pages, so a page may exceed its limit by them. */
typedef struct stf_waiting_query {
    stf_str group;
    stf_str tenant; /* empty: all */
    stf_str key;
    uint32_t kind;
    uint32_t flags;
    stf_wall after_since; /* none: from the start */
    stf_str after_id;
    size_t limit;
} stf_waiting_query;

typedef struct stf_wake_row {
    stf_str id;
    int64_t rec_version;
    stf_wall at;   /* due; the lease's expiry; since */
    stf_str owner; /* orphan pages: who holds the lapsed lease */
    stf_wait wait; /* waiting pages */
} stf_wake_row;

typedef stf_status (*stf_wake_visitor)(void *user, const stf_wake_row *row, stf_error *error);

typedef struct stf_wake_vtable {
    size_t struct_size;
    uint32_t abi;
    uint32_t flags;
    stf_status (*due_page)(void *impl, const stf_ctx *ctx, const stf_due_query *query,
                           stf_wake_visitor visit, void *user, stf_error *error);
    stf_status (*orphan_page)(void *impl, const stf_ctx *ctx, const stf_orphan_query *query,
                              stf_wake_visitor visit, void *user, stf_error *error);
    stf_status (*waiting_page)(void *impl, const stf_ctx *ctx, const stf_waiting_query *query,
                               stf_wake_visitor visit, void *user, stf_error *error);
    /* The earliest due of the group's unowned (or asker-owned) non-terminal records; none. */
    stf_status (*next_due)(void *impl, const stf_ctx *ctx, stf_str group, stf_str asker,
                           stf_wall *ret_due, stf_error *error);
} stf_wake_vtable;

#define STF_WAKE_ABI 1u

STF_API STF_MUST_CHECK stf_status stf_repository_due_page(stf_repository *repository,
                                                          const stf_ctx *ctx,
                                                          const stf_due_query *query,
                                                          stf_wake_visitor visit, void *user,
                                                          stf_error *error);
STF_API STF_MUST_CHECK stf_status stf_repository_orphan_page(stf_repository *repository,
                                                             const stf_ctx *ctx,
                                                             const stf_orphan_query *query,
                                                             stf_wake_visitor visit, void *user,
                                                             stf_error *error);
STF_API STF_MUST_CHECK stf_status stf_repository_waiting_page(stf_repository *repository,
                                                              const stf_ctx *ctx,
                                                              const stf_waiting_query *query,
                                                              stf_wake_visitor visit, void *user,
                                                              stf_error *error);
STF_API STF_MUST_CHECK stf_status stf_repository_next_due(stf_repository *repository,
                                                          const stf_ctx *ctx, stf_str group,
                                                          stf_str asker, stf_wall *ret_due,
                                                          stf_error *error);

STF_END_DECLS

#endif

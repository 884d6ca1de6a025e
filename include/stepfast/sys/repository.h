/* SPDX-License-Identifier: Apache-2.0 */
/* The repository port: one compare-and-set record per instance. Two audiences share
 * this header. Callers use stf_repository_* below; they validate, then call the store. Adapter
 * authors fill a stf_repository_vtable and hand it to stf_repository_new. Slots are called by the
 * wrappers only, with arguments that are already validated as each wrapper says.
 *
 * A store never keeps a pointer that it was given and never hands out memory: it calls a visitor
 * whose arguments live for that call, and which may call the store again. All text is UTF-8,
 * compared and ordered by bytes. All slots may be called from several threads at once. */
#ifndef STEPFAST_SYS_REPOSITORY_H
#define STEPFAST_SYS_REPOSITORY_H

#include <stepfast/buf.h>
#include <stepfast/clock.h>
#include <stepfast/ctx.h>

STF_BEGIN_DECLS

/* ---- The record ------------------------------------------------------------------------- */

/* Append-only numbers. Stores treat an unknown number as neither terminal nor suspended. */
typedef enum stf_record_status {
    STF_RECORD_ACTIVE = 0,
    STF_RECORD_COMPLETED = 1,
    STF_RECORD_TERMINATED = 2,
    STF_RECORD_SUSPENDED = 3,
    STF_RECORD_INCIDENT = 4 /* active with incidents */
} stf_record_status;

typedef struct stf_attempt {
    uint8_t bytes[16]; /* drawn at random for each save */
} stf_attempt;

typedef struct stf_lease {
    stf_str owner; /* empty: nobody */
    int64_t incarnation;
    stf_wall expiry; /* meaningful with an owner */
} stf_lease;

/* What a record waits for. docs/wait-kinds.md says what key, since and until mean for each. */
typedef enum stf_wait_kind {
    STF_WAIT_TASK = 1,    /* a user task: key = element id */
    STF_WAIT_JOB = 2,     /* work that nobody has started: key = topic */
    STF_WAIT_MESSAGE = 3, /* key = name, NUL, correlation key */
    STF_WAIT_SIGNAL = 4,  /* key = name */
    STF_WAIT_CHILD = 5,   /* key = id of the called instance */
    STF_WAIT_STUCK = 6    /* deadlocked: tokens at joins and nothing else */
} stf_wait_kind;

typedef struct stf_wait {
    uint32_t kind;
    uint32_t flags;
    stf_str key;
    stf_wall since;
    stf_wall until; /* none when not bounded */
} stf_wait;

typedef struct stf_record {
    size_t struct_size;
    uint32_t abi;
    uint32_t flags;
    stf_str id;
    stf_str group;
    stf_str tenant;
    stf_bytes head; /* small, new at each save */
    stf_bytes bulk; /* large, rarely new */
    stf_lease lease;
    int64_t rec_version;
    stf_attempt attempt;
    stf_wall due; /* none: nothing is due */
    const stf_wait *waits;
    size_t wait_count;
    stf_str label_key;     /* definition key; opaque to the store */
    int64_t label_version; /* definition version; opaque to the store */
    stf_wall created;      /* kept by the store */
    stf_wall updated;      /* kept by the store */
    uint32_t status;       /* stf_record_status */
    uint32_t reserved;
} stf_record;

#define STF_RECORD_ABI 1u
#define STF_RECORD_INIT                                                                            \
    {                                                                                              \
        .struct_size = sizeof(stf_record), .abi = STF_RECORD_ABI, .due = { STF_WALL_NONE_US }      \
    }

/* Shared by every store and by the engine. Thread: any. */
STF_API bool stf_lease_is_expired(const stf_lease *lease, stf_wall now); /* no owner: true */
STF_API bool stf_record_status_is_terminal(uint32_t status);             /* 1 and 2 */
/* Not terminal, not suspended, and no owner or expiry <= now. */
STF_API bool stf_record_is_claimable(uint32_t status, const stf_lease *lease, stf_wall now);

/* ---- Requests --------------------------------------------------------------------------- */

/* One history row that a save carries (capability journal); written only if the save wins. */
typedef struct stf_journal_row {
    uint32_t fact; /* stf_fact_kind of observer.h */
    uint32_t flags;
    uint64_t activation;
    stf_wall at;
    stf_str element;
    stf_str detail; /* names and counts, never payload */
} stf_journal_row;

typedef struct stf_save {
    size_t struct_size;
    uint32_t abi;
    uint32_t flags; /* STF_SAVE_* */
    const stf_record
        *record; /* rec_version and attempt in it are ignored; so are created, updated */
    int64_t expected_version;  /* 0 creates */
    stf_attempt attempt_seen;  /* with STF_SAVE_HAS_ATTEMPT_SEEN */
    stf_attempt attempt;       /* the new one */
    int64_t lease_duration_us; /* with STF_SAVE_LEASE_DURATION; record->lease.expiry is ignored */
    const stf_journal_row *journal;
    size_t journal_count;
} stf_save;

#define STF_SAVE_ABI 1u
#define STF_SAVE_HAS_ATTEMPT_SEEN 1u
#define STF_SAVE_KEEP_HEAD 2u      /* the head is unchanged: rewrite none of it */
#define STF_SAVE_KEEP_BULK 4u      /* the bulk is unchanged */
#define STF_SAVE_LEASE_DURATION 8u /* expiry = the store's now + lease_duration_us */
#define STF_SAVE_INIT                                                                              \
    {                                                                                              \
        .struct_size = sizeof(stf_save), .abi = STF_SAVE_ABI                                       \
    }

typedef struct stf_save_result {
    uint32_t status; /* stf_status of this record (batches) */
    uint32_t reserved;
    int64_t rec_version;   /* the new version */
    stf_attempt attempt;   /* the new attempt */
    stf_wall lease_expiry; /* as stored; none without an owner */
} stf_save_result;

typedef struct stf_delete {
    size_t struct_size;
    uint32_t abi;
    uint32_t flags; /* STF_DELETE_* */
    stf_str id;
    int64_t expected_version;
    stf_attempt attempt_seen; /* with STF_DELETE_HAS_ATTEMPT_SEEN */
} stf_delete;

#define STF_DELETE_ABI 1u
#define STF_DELETE_HAS_ATTEMPT_SEEN 1u
#define STF_DELETE_ANY 2u /* whatever version; for tools */

typedef struct stf_in_flight_query {
    stf_str group;
    stf_wall now;     /* none: the store's clock */
    stf_str after_id; /* empty: from the start */
    size_t limit;     /* 1..STF_LIMIT_PAGE */
} stf_in_flight_query;

/* The arguments live for the call. Anything but STF_OK ends the visit and is what the slot
 * returns. */
typedef stf_status (*stf_record_visitor)(void *user, const stf_record *record, stf_error *error);
typedef stf_status (*stf_id_visitor)(void *user, stf_str id, stf_error *error);

typedef struct stf_repository_facts {
    size_t struct_size;
    uint32_t abi;
    uint32_t flags;         /* STF_REPOSITORY_* */
    uint64_t payload_bytes; /* largest head + bulk that a save takes */
    char name[32];          /* "memory", "sqlite" */
    char durability[96];    /* why it is durable or not, read from the server (R19) */
} stf_repository_facts;

#define STF_REPOSITORY_DURABLE 1u
#define STF_REPOSITORY_FACTS_ABI 1u
#define STF_REPOSITORY_FACTS_INIT                                                                  \
    {                                                                                              \
        .struct_size = sizeof(stf_repository_facts), .abi = STF_REPOSITORY_FACTS_ABI               \
    }

/* ---- The port, for adapter authors ------------------------------------------------------- */

/* Every slot is required. impl is the adapter's object. */
typedef struct stf_repository_vtable {
    size_t struct_size;
    uint32_t abi;
    uint32_t flags;
    /* Compare-and-set under record->id. The wrapper has already answered EMPTY_NOT_ALLOWED (id,
     * group), LIMIT_EXCEEDED, and the INVALID_ARGUMENTs that need no look at the store. The slot
     * answers, in this order: NOT_FOUND (group not registered), INVALID_ARGUMENT (group or tenant
     * differ from the stored record's; tenant "" keeps the stored one, and on create becomes the
     * group's default in the same statement; an unknown tenant is registered), CONCURRENT_UPDATE
     * (version or attempt_seen differ; a version for an absent id). An incarnation lower than the
     * stored one is stored as the stored one. UNAVAILABLE and OUTCOME_UNKNOWN as in status.h. */
    stf_status (*save)(void *impl, const stf_ctx *ctx, const stf_save *save,
                       stf_save_result *ret_result, stf_error *error);
    /* Calls visit once with the record, or sets *ret_found = false. */
    stf_status (*load)(void *impl, const stf_ctx *ctx, stf_str id, stf_record_visitor visit,
                       void *user, bool *ret_found, stf_error *error);
    /* Absent is OK; another version or attempt is CONCURRENT_UPDATE. */
    stf_status (*remove)(void *impl, const stf_ctx *ctx, const stf_delete *request,
                         stf_error *error);
    /* Ids of the group's claimable records, ordered by id. An unregistered group is an empty
     * list. */
    stf_status (*list_in_flight)(void *impl, const stf_ctx *ctx, const stf_in_flight_query *query,
                                 stf_id_visitor visit, void *user, stf_error *error);
    stf_status (*register_group)(void *impl, const stf_ctx *ctx, stf_str group, stf_error *error);
    stf_status (*group_exists)(void *impl, const stf_ctx *ctx, stf_str group, bool *ret_exists,
                               stf_error *error);
    /* The concrete tenant: "" is the group's default, made on first use as "default"; an unknown
     * one is registered. NOT_FOUND: the group is not registered. Appends to ret_tenant. */
    stf_status (*resolve_tenant)(void *impl, const stf_ctx *ctx, stf_str group, stf_str tenant,
                                 stf_buf *ret_tenant, stf_error *error);
    stf_status (*describe)(void *impl, const stf_ctx *ctx, stf_repository_facts *ret_facts,
                           stf_error *error);
    /* A capability's vtable by its id, such as STF_REPOSITORY_WAKE, or NULL. Capabilities come
     * whole: every slot of a returned vtable is filled. */
    const void *(*extension)(void *impl, const char *id);
    void (*close)(void *impl);
} stf_repository_vtable;

#define STF_REPOSITORY_ABI 1u

/* ---- The wrapper, for callers ------------------------------------------------------------ */

typedef struct stf_repository stf_repository; /* sole owner */

/* Wraps an adapter's object and takes it: stf_repository_close calls its close slot. On failure
 * impl stays the caller's. INVALID_ARGUMENT: a slot or a capability's slot is missing. */
STF_API STF_MUST_CHECK stf_status stf_repository_new(const stf_allocator *alloc,
                                                     const stf_repository_vtable *vtable,
                                                     void *impl, stf_repository **ret_repository,
                                                     stf_error *error);
STF_API stf_repository *stf_repository_close(stf_repository *repository); /* NULL is fine */

/* OK; EMPTY_NOT_ALLOWED (id, group); LIMIT_EXCEEDED (ids over 255 bytes, payload, waits);
 * NOT_FOUND (group); INVALID_ARGUMENT (negative version or duration, KEEP_* on create, id or names
 * that are not UTF-8, another group or tenant); CONCURRENT_UPDATE. Refused in this order, but a
 * malformed struct (size, abi, a missing pointer) before all. UNSUPPORTED (journal rows without
 * that capability) is answered before the store is asked. Also UNAVAILABLE; OUTCOME_UNKNOWN;
 * CANCELLED; DEADLINE_EXCEEDED; CORRUPT; NO_MEMORY. Nothing is written unless OK or
 * OUTCOME_UNKNOWN. */
STF_API STF_MUST_CHECK stf_status stf_repository_save(stf_repository *repository,
                                                      const stf_ctx *ctx, const stf_save *save,
                                                      stf_save_result *ret_result,
                                                      stf_error *error);
/* OK with *ret_found; EMPTY_NOT_ALLOWED; LIMIT_EXCEEDED; INVALID_ARGUMENT (not UTF-8); and the
 * visitor's status. Every call below refuses in this order. A page's limit of 0 is
 * INVALID_ARGUMENT, one over STF_LIMIT_PAGE is LIMIT_EXCEEDED. */
STF_API STF_MUST_CHECK stf_status stf_repository_load(stf_repository *repository,
                                                      const stf_ctx *ctx, stf_str id,
                                                      stf_record_visitor visit, void *user,
                                                      bool *ret_found, stf_error *error);
STF_API STF_MUST_CHECK stf_status stf_repository_delete(stf_repository *repository,
                                                        const stf_ctx *ctx,
                                                        const stf_delete *request,
                                                        stf_error *error);
STF_API STF_MUST_CHECK stf_status stf_repository_list_in_flight(stf_repository *repository,
                                                                const stf_ctx *ctx,
                                                                const stf_in_flight_query *query,
                                                                stf_id_visitor visit, void *user,
                                                                stf_error *error);
STF_API STF_MUST_CHECK stf_status stf_repository_register_group(stf_repository *repository,
                                                                const stf_ctx *ctx, stf_str group,
                                                                stf_error *error);
STF_API STF_MUST_CHECK stf_status stf_repository_group_exists(stf_repository *repository,
                                                              const stf_ctx *ctx, stf_str group,
                                                              bool *ret_exists, stf_error *error);
STF_API STF_MUST_CHECK stf_status stf_repository_resolve_tenant(stf_repository *repository,
                                                                const stf_ctx *ctx, stf_str group,
                                                                stf_str tenant, stf_buf *ret_tenant,
                                                                stf_error *error);
STF_API STF_MUST_CHECK stf_status stf_repository_describe(stf_repository *repository,
                                                          const stf_ctx *ctx,
                                                          stf_repository_facts *ret_facts,
                                                          stf_error *error);
/* Is the capability there? ids are the STF_REPOSITORY_* names of the capability headers. */
STF_API bool stf_repository_has(const stf_repository *repository, const char *id);

STF_END_DECLS

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The engine: loads a record, steps the core, saves with compare-and-set, and only when the save is
 * durable releases the effects.
 *
 * Threads: one thread at a time drives the engine. Either the host calls stf_engine_step or
 * stf_engine_run, or the calls below drive it themselves while they wait for their answer. Every
 * call here may come from any thread; observers and inline handlers must not call back. */
#ifndef STEPFAST_ENGINE_H
#define STEPFAST_ENGINE_H

#include <stepfast/bpmn.h>
#include <stepfast/observer.h>
#include <stepfast/service.h>
#include <stepfast/sys/definition_store.h>
#include <stepfast/sys/repository.h>

STF_BEGIN_DECLS

typedef struct stf_engine stf_engine;

typedef struct stf_engine_options {
    size_t struct_size;
    uint32_t abi;
    uint32_t flags; /* STF_ENGINE_* */
    /* Identity. id is required and trimmed. group joins and establishes;
     * existing_group joins only; neither: the group is the id. Both: INVALID_ARGUMENT. */
    const char *id;
    const char *group;
    const char *existing_group;
    const char *tenant; /* NULL or "": the group's default */
    /* Borrowed; must outlive the engine. Both NULL: a memory store of the engine's own. */
    stf_repository *repository;
    stf_definition_store *definitions;
    const stf_allocator *alloc;
    const stf_clock *clock;
    const stf_random *random;
    const stf_observer *observer; /* copied */
    int64_t lease_us;             /* 0: 30 s; at least 1 s, at most ten years */
    int64_t poll_us;              /* 0: 1 s: the longest sleep between looks at the store */
    uint32_t workers;             /* handler threads; 0: handlers run inline on the loop thread */
    uint32_t batch_max;           /* records in one commit; 0: 256 */
    uint32_t step_budget;         /* token moves of one turn; 0: STF_LIMIT_STEP_MOVES */
    uint32_t inbox_max;           /* 0: STF_LIMIT_INBOX */
    stf_retry_policy retry;       /* of activities that have none of their own; zeros: no retries */
} stf_engine_options;

#define STF_ENGINE_ABI 1u
#define STF_ENGINE_JOURNAL 1u    /* write facts as journal rows; needs that capability */
#define STF_ENGINE_NO_MIGRATE 2u /* verify the schema instead of migrating it */

#define STF_ENGINE_OPTIONS_INIT                                                                    \
    {                                                                                              \
        .struct_size = sizeof(stf_engine_options), .abi = STF_ENGINE_ABI                           \
    }

/* Validates and makes; no I/O. OK, INVALID_ARGUMENT, EMPTY_NOT_ALLOWED, NO_MEMORY. */
STF_API STF_MUST_CHECK stf_status stf_engine_new(const stf_engine_options *options,
                                                 stf_engine **ret_engine, stf_error *error);

/* Before start. topic "*" takes what no other handler takes. handler is copied. ALREADY_EXISTS,
 * INVALID_STATE (started). */
STF_API STF_MUST_CHECK stf_status stf_engine_add_handler(stf_engine *engine, stf_str topic,
                                                         const stf_handler *handler,
                                                         stf_error *error);

/* migrate -> group -> recovery -> serving. NOT_FOUND: existing_group is not registered. */
STF_API STF_MUST_CHECK stf_status stf_engine_start(stf_engine *engine, const stf_ctx *ctx,
                                                   stf_error *error);

/* Graceful stop: no new work; results are taken until ctx's deadline; everything is saved and
 * released. Then frees. Returns NULL; NULL is fine. */
STF_API stf_engine *stf_engine_close(stf_engine *engine, const stf_ctx *ctx);

/* ---- Driving ------------------------------------------------------------------------------ */

/* Readable when a step has something to do (results of workers, posts of other threads). */
STF_API int stf_engine_fd(stf_engine *engine);
/* When the next step is due at the latest. INT64_MAX us: only when fd is readable. */
STF_API stf_mono stf_engine_next_deadline(stf_engine *engine);
/* One turn: takes what is runnable, saves it in one commit, releases the effects. Never waits. */
STF_API STF_MUST_CHECK stf_status stf_engine_step(stf_engine *engine, const stf_ctx *ctx,
                                                  bool *ret_did_something, stf_error *error);

typedef enum stf_run_until {
    STF_RUN_FOREVER = 0,  /* until ctx ends */
    STF_RUN_IDLE = 1,     /* nothing runnable here and no handler running */
    STF_RUN_NO_TIMERS = 2 /* as IDLE, and no timer of this group pending: waits for timers */
} stf_run_until;

/* Steps and sleeps until the condition holds (OK) or ctx ends (CANCELLED, DEADLINE_EXCEEDED). */
STF_API STF_MUST_CHECK stf_status stf_engine_run(stf_engine *engine, const stf_ctx *ctx,
                                                 stf_run_until until, stf_error *error);

/* ---- Definitions --------------------------------------------------------------------------- */

typedef struct stf_deployed {
    stf_str key; /* process id; borrowed for the call */
    int64_t version;
    uint32_t flags; /* STF_PROCESS_* */
    uint32_t is_new;
} stf_deployed;
typedef stf_status (*stf_deployed_visitor)(void *user, const stf_deployed *deployed,
                                           stf_error *error);

/* Loads the file, then puts every process of it. Any error refuses the file, and so does the lack
 * of a process (PARSE); an unsupported construct in a process that is marked executable refuses it
 * too (UNSUPPORTED). diagnostics and visit may be NULL. */
STF_API STF_MUST_CHECK stf_status stf_engine_deploy(stf_engine *engine, const stf_ctx *ctx,
                                                    stf_bytes file, stf_diagnostics *diagnostics,
                                                    stf_deployed_visitor visit, void *user,
                                                    stf_error *error);

/* ---- Instances ----------------------------------------------------------------------------- */

typedef struct stf_start {
    size_t struct_size;
    uint32_t abi;
    uint32_t flags;
    stf_str process;            /* definition key */
    int64_t version;            /* 0: the latest */
    stf_str start_event;        /* empty: the only none start event */
    stf_str id;                 /* empty: the engine draws a time-ordered one */
    const stf_value *variables; /* a context or NULL */
} stf_start;

#define STF_START_ABI 1u
#define STF_START_INIT                                                                             \
    {                                                                                              \
        .struct_size = sizeof(stf_start), .abi = STF_START_ABI                                     \
    }

/* Returns when the first save is durable. ret_id (may be NULL) gets the id appended. NOT_FOUND
 * (definition, start event), INVALID_ARGUMENT (several none starts and none named), UNSUPPORTED,
 * ALREADY_EXISTS (id), UNAVAILABLE (inbox full), OUTCOME_UNKNOWN. */
STF_API STF_MUST_CHECK stf_status stf_engine_start_instance(stf_engine *engine, const stf_ctx *ctx,
                                                            const stf_start *start, stf_buf *ret_id,
                                                            stf_error *error);

/* Completes a user or manual task that waits. activation 0: the only one at element. NOT_FOUND (no
 * such instance or waiting task), INVALID_STATE (ended, suspended, of another group; several wait
 * at element), INVALID_ARGUMENT. */
STF_API STF_MUST_CHECK stf_status stf_engine_complete_task(stf_engine *engine, const stf_ctx *ctx,
                                                           stf_str instance, uint64_t activation,
                                                           stf_str element,
                                                           const stf_value *variables,
                                                           stf_error *error);

/* Retries what an incident stopped: evaluates again, or runs the handler again. incident 0: the
 * only one. NOT_FOUND, INVALID_STATE. */
STF_API STF_MUST_CHECK stf_status stf_engine_retry_incident(stf_engine *engine, const stf_ctx *ctx,
                                                            stf_str instance, uint64_t incident,
                                                            stf_error *error);

/* What somebody found out about work that an incident stopped, or did instead of a handler. */
typedef enum stf_answer_kind {
    STF_ANSWER_COMPLETED = 1,
    STF_ANSWER_BPMN_ERROR = 2, /* code, message */
    STF_ANSWER_FAILED = 3      /* it is certain that the effect did not happen: message */
} stf_answer_kind;

typedef struct stf_answer {
    size_t struct_size;
    uint32_t abi;
    uint32_t flags;
    uint32_t kind;   /* stf_answer_kind */
    int32_t retries; /* FAILED: automatic retries that are left; below 0: as the policy says */
    stf_str code;
    stf_str message;
    const stf_value *variables; /* a context or NULL */
} stf_answer;

#define STF_ANSWER_ABI 1u
#define STF_ANSWER_INIT                                                                            \
    {                                                                                              \
        .struct_size = sizeof(stf_answer), .abi = STF_ANSWER_ABI, .kind = STF_ANSWER_COMPLETED,    \
        .retries = -1                                                                              \
    }

/* Settles an incident of work by what was found out: completed goes on, a BPMN error is thrown,
 * failed stays an incident of kind "failed" that may be retried with a new downstream key. incident
 * 0: the only one. NOT_FOUND, INVALID_STATE (not an incident of work), INVALID_ARGUMENT. */
STF_API STF_MUST_CHECK stf_status stf_engine_resolve_incident(stf_engine *engine,
                                                              const stf_ctx *ctx, stf_str instance,
                                                              uint64_t incident,
                                                              const stf_answer *answer,
                                                              stf_error *error);

/* Takes away the token that an incident stopped, with all that its activity holds; an instance with
 * nothing left completes. incident 0: the only one. NOT_FOUND, INVALID_STATE. */
STF_API STF_MUST_CHECK stf_status stf_engine_drop_incident(stf_engine *engine, const stf_ctx *ctx,
                                                           stf_str instance, uint64_t incident,
                                                           stf_error *error);

/* Answers work that no handler has started. activation 0: the only such work at element, or, with
 * element empty, of topic. NOT_FOUND, INVALID_STATE (ended; started; several match),
 * INVALID_ARGUMENT. */
STF_API STF_MUST_CHECK stf_status stf_engine_answer_job(stf_engine *engine, const stf_ctx *ctx,
                                                        stf_str instance, uint64_t activation,
                                                        stf_str element, stf_str topic,
                                                        const stf_answer *answer, stf_error *error);

/* Ends the instance as cancelled, with the instances that it called; handlers that run are told to
 * stop. reason (may be empty) is kept. NOT_FOUND, INVALID_STATE (ended). */
STF_API STF_MUST_CHECK stf_status stf_engine_cancel_instance(stf_engine *engine, const stf_ctx *ctx,
                                                             stf_str instance, stf_str reason,
                                                             stf_error *error);

/* Writes variables of the process, or of the scope of an active sub-process (element). NOT_FOUND,
 * INVALID_STATE (ended; several such scopes), INVALID_ARGUMENT. */
STF_API STF_MUST_CHECK stf_status stf_engine_set_variables(stf_engine *engine, const stf_ctx *ctx,
                                                           stf_str instance, stf_str element,
                                                           const stf_value *variables,
                                                           stf_error *error);

/* ---- Messages ------------------------------------------------------------------------------- */

typedef struct stf_message {
    size_t struct_size;
    uint32_t abi;
    uint32_t flags;
    stf_str name;
    stf_str key;                /* the correlation key; may be empty */
    const stf_value *variables; /* a context or NULL */
    int64_t keep_us;            /* how long it is kept while nobody waits for it; 0: not at all */
} stf_message;

#define STF_MESSAGE_ABI 1u
#define STF_MESSAGE_INIT                                                                           \
    {                                                                                              \
        .struct_size = sizeof(stf_message), .abi = STF_MESSAGE_ABI                                 \
    }

/* Gives a message to exactly one receiver: whoever has waited longest for its name and key. Returns
 * when that, or that it is kept, is durable. ret_instance (may be NULL) gets the receiver's id
 * appended, nothing when it is kept: it is then given to the first that waits, in order of
 * publication. NOT_FOUND (nobody waits, and it is not to be kept), LIMIT_EXCEEDED (too many are
 * kept; name, key and tenant are too long to be kept), OUTCOME_UNKNOWN, UNAVAILABLE. */
STF_API STF_MUST_CHECK stf_status stf_engine_publish(stf_engine *engine, const stf_ctx *ctx,
                                                     const stf_message *message,
                                                     stf_buf *ret_instance, stf_error *error);

/* ---- Looking --------------------------------------------------------------------------------- */

/* A context that says what the instance is now, as documented in docs/instance-view.md: id,
 * process, version, status, tenant, variables, waiting, incidents, due, created, updated, end.
 * NOT_FOUND. */
STF_API STF_MUST_CHECK stf_status stf_engine_get_instance(stf_engine *engine, const stf_ctx *ctx,
                                                          stf_str instance, stf_value **ret_view,
                                                          stf_error *error);

typedef struct stf_instance_query {
    stf_str process;      /* empty: all */
    uint64_t status_mask; /* bit n: status n; 0: all */
    stf_str after_id;
    size_t limit; /* 0: 1000 */
} stf_instance_query;

/* A list of such contexts, ordered by id: at most limit of them, fewer where more would not fit
 * into one value. Go on with after_id until the list is empty. query may be NULL. */
STF_API STF_MUST_CHECK stf_status stf_engine_list_instances(stf_engine *engine, const stf_ctx *ctx,
                                                            const stf_instance_query *query,
                                                            stf_value **ret_list, stf_error *error);

/* A list of contexts: task ("INSTANCE:ACTIVATION"), instance, activation, element, name, process,
 * since. element (may be empty) selects. Ordered by since. */
STF_API STF_MUST_CHECK stf_status stf_engine_list_tasks(stf_engine *engine, const stf_ctx *ctx,
                                                        stf_str element, size_t limit,
                                                        stf_value **ret_list, stf_error *error);

/* A list of contexts: job ("INSTANCE:ACTIVATION"), instance, activation, element, topic, attempt,
 * process, since: work that no handler has started. topic (may be empty) selects. Ordered by
 * since. */
STF_API STF_MUST_CHECK stf_status stf_engine_list_jobs(stf_engine *engine, const stf_ctx *ctx,
                                                       stf_str topic, size_t limit,
                                                       stf_value **ret_list, stf_error *error);

/* A list of contexts: incident ("INSTANCE:NUMBER"), instance, number, element, activation, kind,
 * message, line, opened, retry (a time or null), process, of the instances
 * that have an open one. after_id (may be empty): behind that
 * instance; ordered by instance and number; limit counts instances (0: 1000). */
STF_API STF_MUST_CHECK stf_status stf_engine_list_incidents(stf_engine *engine, const stf_ctx *ctx,
                                                            stf_str after_id, size_t limit,
                                                            stf_value **ret_list, stf_error *error);

typedef struct stf_history_query {
    int64_t after_version; /* rows with a greater (version, position) than these; 0, 0: all */
    uint64_t after_position;
    size_t limit; /* 0: 1000 */
} stf_history_query;

/* A list of contexts: version, position, fact, element, activation, at, detail; in order: at most
 * limit of them, fewer where more would not fit into one value. Go on behind the version and
 * position of the last one until the list is empty. query may be NULL. UNSUPPORTED without a
 * journal. */
STF_API STF_MUST_CHECK stf_status stf_engine_get_history(stf_engine *engine, const stf_ctx *ctx,
                                                         stf_str instance,
                                                         const stf_history_query *query,
                                                         stf_value **ret_list, stf_error *error);

STF_END_DECLS

#endif

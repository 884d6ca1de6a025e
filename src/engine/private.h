/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the engine share. Who may touch what:
 *  - the driver (the one thread that set has_driver) owns instances, flights, the lists and the
 *    wake state; nothing else needs a lock for them;
 *  - lock guards the inbox, the waiters, has_driver, the work queues and a command's refs and
 *    answer; a command's state and a run's hold_until are atomics;
 *  - definitions_lock guards the definition cache, which callers use on their own threads; the
 *    references to a definition are an atomic. */
#ifndef STF_ENGINE_PRIVATE_H
#define STF_ENGINE_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stepfast/engine.h>
#include <stepfast/limits.h>
#include <stepfast/memory.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/mem.h"
#include "core/core.h"
#include "engine/list.h"
#include "engine/random.h"

#define STF__ENGINE_LEASE_US INT64_C(30000000)
#define STF__ENGINE_POLL_US INT64_C(1000000)
#define STF__ENGINE_BATCH 256u
#define STF__OWNER_NONCE_BYTES 8u
/* Tries of one event against losing comparisons before its caller is told. */
#define STF__CONFLICT_TRIES 16u
/* A call that waits for a condition notices its cancel token within this. */
#define STF__CANCEL_SLICE_US INT64_C(10000)
/* Claims in a row without a step before an instance is stopped (R15). */
#define STF__RECOVERIES_MAX 5
/* After so many, what is taken over is stepped alone: were it what kills, nothing else dies with
 * it.
 */
#define STF__RECOVERIES_ALONE 2
#define STF__BACKOFF_FIRST_US INT64_C(20000)
#define STF__BACKOFF_LAST_US INT64_C(2000000)

typedef struct stf__instance stf__instance;
typedef struct stf__flight stf__flight;

/* ---- Definitions --------------------------------------------------------------------------- */

typedef struct stf__definition {
    _Atomic uint32_t refs;
    stf_str cache_key; /* tenant NUL key NUL version */
    stf_str key;
    int64_t version;
    stf_model *model;
    const stf__process *process; /* borrowed from the model */
    char text[];
} stf__definition;

/* ---- Handlers and their runs --------------------------------------------------------------- */

typedef struct stf__topic {
    stf__link link;
    stf_handler handler;
    uint32_t running;    /* reserved slots; driver */
    bool may_have_jobs;  /* unstarted work may wait for a slot */
    stf_str topic;       /* "*": the rest */
    stf_wall jobs_since; /* where the waiting page goes on */
    stf_str jobs_after;  /* in jobs_after_text */
    char jobs_after_text[STF_LIMIT_ID_BYTES + 1];
    char text[];
} stf__topic;

typedef enum stf__run_state {
    STF__RUN_PLANNED = 0,  /* marked started, the save is not durable yet */
    STF__RUN_LAUNCHED = 1, /* handed over */
    STF__RUN_FINISHED = 2  /* the result waits to be saved */
} stf__run_state;

/* One run of a handler; stf_work of service.h. */
struct stf_work {
    stf__link link;       /* instance->runs */
    stf__link queue_link; /* the work queue, or what has finished; under lock */
    stf_engine *engine;
    stf__instance *instance;
    stf__topic *handler;
    uint32_t state; /* stf__run_state; the driver's */
    uint32_t attempt;
    uint64_t activation;
    int64_t incarnation;
    bool is_idempotent;
    bool has_slot;
    bool is_fenced;           /* another engine owns the record: the result is an outside event */
    bool is_refused;          /* not run: the lease was over on the executing thread (R21) */
    bool is_too_large;        /* its result could not be stored and is reported as unknown */
    _Atomic bool is_unwanted; /* its activation is gone */
    _Atomic int64_t hold_until_us; /* the holder's own deadline, mono */
    _Atomic int64_t deadline_us;   /* the same as wall time, for the handler */
    stf_cancel *cancel;            /* under lock: the executing thread's, while it runs */
    stf_value *variables;
    stf_str process;
    stf_str element;
    stf_str topic;
    char key[STF__WORK_KEY_BYTES];
    /* the outcome; the executing thread's until FINISHED */
    uint32_t settled;
    uint32_t outcome; /* stf__work_outcome */
    stf_buf code;
    stf_buf message;
    stf_value *result;
    char text[]; /* process, element, topic */
};

/* ---- Commands ------------------------------------------------------------------------------- */

typedef enum stf__command_state {
    STF__COMMAND_OPEN = 0,      /* not taken by a save: may be withdrawn */
    STF__COMMAND_SAVING = 1,    /* in a save whose outcome is not known yet */
    STF__COMMAND_WITHDRAWN = 2, /* by its caller: nothing was written */
    STF__COMMAND_ABANDONED = 3, /* its caller left with OUTCOME_UNKNOWN */
    STF__COMMAND_DONE = 4
} stf__command_state;

/* Why a command did not reach the core. */
typedef enum stf__hurdle {
    STF__HURDLE_NONE = 0,
    STF__HURDLE_ABSENT,      /* no such record */
    STF__HURDLE_OTHER_GROUP, /* the record is another group's */
    STF__HURDLE_UNREADABLE,
    STF__HURDLE_SUSPENDED,
    STF__HURDLE_NO_DEFINITION
} stf__hurdle;

typedef struct stf__command {
    stf__link link;        /* the inbox, then instance->commands */
    stf__link waiter_link; /* engine->waiters */
    stf__link send_link;   /* sender->sends, with a reference */
    pthread_cond_t cond;   /* of the caller */
    const stf_allocator *alloc;
    _Atomic uint32_t state; /* stf__command_state */
    uint32_t refs;          /* under lock: the caller's or sender's, and the engine's */
    uint32_t tries;
    uint32_t hurdle;   /* stf__hurdle */
    uint64_t sequence; /* when the request came, on engine->sequence (R22) */
    bool must_load;    /* a start that has to look at what is there */
    stf_str id;
    stf_str tenant;   /* of what it creates */
    stf__event event; /* texts are the command's own */
    stf_value *variables;
    stf__definition *definition; /* START */
    stf__instance *sender;       /* whose outbox this is an entry of; NULL: from outside */
    uint64_t number;             /* the entry's */
    bool is_taken;               /* the sender's ACK step carries its answer */
    stf_status status;           /* the answer */
    stf_error error;
    char text[];
} stf__command;

/* ---- Instances in memory -------------------------------------------------------------------- */

/* What the engine itself wants of an instance, besides commands and results. */
enum {
    STF__WANT_RECOVER = 1, /* claim and settle work of a dead or lapsed owner */
    STF__WANT_WAKE = 2,    /* something is due */
    STF__WANT_JOBS = 4,    /* start unstarted work */
    STF__WANT_LOOK = 8,    /* load again: the copy lost a comparison while handlers run */
    STF__WANT_SEND = 16    /* a queue: somebody may wait for what it keeps (R5) */
};

typedef enum stf__place {
    STF__PLACE_IDLE = 0,
    STF__PLACE_READY = 1,
    STF__PLACE_DELAYED = 2,
    STF__PLACE_TURN = 3
} stf__place;

struct stf__instance {
    stf__link link;      /* ready or delayed */
    stf__link held_link; /* engine->held, while runs is not empty */
    uint32_t place;      /* stf__place */
    uint32_t wants;      /* STF__WANT_* */
    stf__list commands;
    stf__list runs;
    stf__list sends; /* commands: what it sends and its document does not know the answer of */
    size_t answered_count; /* of them */
    stf__flight *flight;   /* of this turn, or unsettled: nothing else is stepped meanwhile */
    stf_mono retry_at;
    uint32_t failures;
    /* the copy; valid while doc is there */
    stf__doc *doc;
    stf__definition *definition;
    uint64_t read_sequence; /* the copy is not older than this (R22) */
    uint64_t look_sequence; /* when WANT_SEND asked for a copy that is not older (R5) */
    int64_t version;
    stf_attempt attempt;
    uint32_t status;
    stf_wall due; /* as stored */
    stf_wall
        left_until; /* due was set by an engine that stopped; nothing is due before this. None */
    stf_wall lease_expiry;
    int64_t incarnation;
    stf_buf owner;
    stf_buf tenant;
    /* holding */
    bool is_ours;      /* the lease is this engine's, as far as it knows */
    bool is_known;     /* INSTANCE_HYDRATED was told */
    bool is_past;      /* hold_until passed, idempotent handlers were told */
    bool is_deferred;  /* CHECKPOINT_DEFERRED was told */
    bool is_recovered; /* INSTANCE_RECOVERED goes with the next save */
    bool is_suspect;   /* has a turn of its own (R15) */
    bool was_woken;    /* the last step was of what is due: what came meanwhile goes first */
    stf_mono hold_until;
    stf_mono renew_at;
    stf_str id;
    char text[];
};

/* ---- A step on its way to the store ---------------------------------------------------------- */

typedef enum stf__stage {
    STF__STAGE_LOAD = 0,      /* needs a copy */
    STF__STAGE_STEP = 1,      /* has one */
    STF__STAGE_CLAIM = 2,     /* must own the record first */
    STF__STAGE_SAVE = 3,      /* encoded */
    STF__STAGE_UNSETTLED = 4, /* sent, answer lost: the identical save is repeated */
    STF__STAGE_RESOLVE = 5,   /* a repeat lost the comparison: load and ask the save ring */
    STF__STAGE_OVER = 6
} stf__stage;

typedef enum stf__cause {
    STF__CAUSE_NONE = 0,
    STF__CAUSE_RECOVER,
    STF__CAUSE_WAKE,
    STF__CAUSE_RESULT,
    STF__CAUSE_ACK, /* answers to what it sent */
    STF__CAUSE_COMMAND,
    STF__CAUSE_SEND, /* aims what can be aimed */
    STF__CAUSE_JOBS
} stf__cause;

struct stf__flight {
    stf__link link; /* engine->spare_flights */
    stf__instance *instance;
    stf__command *command; /* CAUSE_COMMAND; the engine's reference stays with the instance */
    stf_work *result;      /* CAUSE_RESULT */
    uint32_t stage;        /* stf__stage */
    uint32_t cause;        /* stf__cause */
    bool is_found;
    bool is_due_only;  /* loaded only if it is still due (R14) */
    bool is_damaged;   /* the document cannot be decoded, and the record does not say so yet */
    bool is_sent;      /* once at least: sent and sent_sequence are the first time's */
    bool is_unsettled; /* an answer of it was lost */
    bool is_poison;    /* R15: it gets an incident instead of a step */
    bool is_current;   /* the copy is what the store has: what it sends may go out */
    uint32_t status;   /* stf_status of reading the record */
    stf_mono sent;
    uint64_t sent_sequence;
    stf__arena arena;
    stf__effects effects;
    struct stf__aimed *aimed; /* by this step; aim.c's, in the arena */
    stf_buf head;
    stf_buf bulk;
    stf_record record;
    stf_save save;
    stf_error error;
};

/* ---- Who cannot be read here ----------------------------------------------------------------- */

typedef struct stf__skip {
    stf_mono until;
    int64_t backoff_us;
    stf_str id;
    char text[];
} stf__skip;

/* ---- The engine ------------------------------------------------------------------------------ */

typedef enum stf__engine_phase {
    STF__PHASE_NEW = 0,
    STF__PHASE_STARTING = 1,
    STF__PHASE_SERVING = 2,
    STF__PHASE_CLOSING = 3
} stf__engine_phase;

/* Where in a page's order the next look goes on. */
typedef struct stf__cursor {
    stf_wall at;  /* of due pages; none: from the start */
    stf_str id;   /* in text */
    stf_str jump; /* in jump_text: a row of the last page, drawn at random */
    stf_wall jump_at;
    char text[STF_LIMIT_ID_BYTES + 1];
    char jump_text[STF_LIMIT_ID_BYTES + 1];
} stf__cursor;

typedef struct stf__wake {
    stf_mono next_poll; /* the next full look at the store */
    stf_wall due;       /* the earliest due that is known; none */
    bool is_asked;      /* look now */
    stf__cursor dues;
    stf__cursor orphans;
    uint64_t taken; /* rows since the last look that was left, and of them those that */
    uint64_t lost;  /* somebody else was faster with (R14) */
    stf_str *dead;  /* owners that are proven dead */
    size_t dead_count;
    stf__arena dead_arena;
    stf__map skips; /* id -> stf__skip */
} stf__wake;

typedef struct stf__worker {
    pthread_t thread;
    stf_engine *engine;
    stf_cancel *cancel; /* under lock */
    bool is_started;
} stf__worker;

struct stf_engine {
    const stf_allocator *alloc;
    const stf_clock *clock;
    stf__random random;
    stf_observer observer;
    uint32_t flags;
    uint32_t batch_max;
    uint32_t step_budget;
    uint32_t inbox_max;
    uint32_t worker_count;
    int64_t lease_us;
    int64_t poll_us;
    stf_retry_policy retry;
    /* identity */
    char *id;
    char *group;
    bool has_existing_group;
    char *tenant_asked;
    stf_buf tenant; /* resolved at start */
    stf_buf owner;  /* id, slash, nonce (R7) */
    bool holds_owner;
    /* stores */
    stf_memory *memory; /* the engine's own, or NULL */
    stf_repository *repository;
    stf_definition_store *definitions;
    bool has_store_clock;
    _Atomic int64_t clock_offset_us;
    _Atomic int64_t last_now_us; /* now never goes back */
    _Atomic uint64_t sequence;
    /* under lock */
    pthread_mutex_t lock;
    pthread_cond_t idle; /* has_driver fell */
    bool has_driver;
    _Atomic uint32_t phase; /* stf__engine_phase; written under lock */
    stf__list inbox;
    size_t inbox_count;
    stf__list waiters;
    stf__list work_queue;
    stf__list finished;
    pthread_cond_t work_ready;
    bool is_stopping_workers;
    bool is_signalled; /* the eventfd is readable */
    int event_fd;
    _Atomic int64_t next_deadline_us;
    /* the driver's */
    stf__map instances; /* id -> stf__instance */
    size_t instance_count;
    stf__list ready;
    stf__list delayed;
    stf__list held;
    stf__list topics;
    uint32_t running; /* reserved slots of handlers without a limit of their own */
    size_t run_count;
    uint64_t progress; /* counts what changed anything: commands, results, saves */
    stf__worker *workers;
    stf_cancel *inline_cancel;
    stf__list inline_queue;
    stf__flight **flights; /* of the turn; batch_max */
    size_t flight_count;
    stf_save *saves;
    stf_save_result *results;
    stf_str *ids;
    stf__list spare_flights;
    stf__wake wake;
    /* definitions.c */
    pthread_mutex_t definitions_lock;
    stf__map definition_cache;
};

/* options.c */
void stf__engine_free(stf_engine *engine);

/* Nothing was written, and the same may work later. */
static inline bool stf__status_is_passing(stf_status status)
{
    return status == STF_UNAVAILABLE || status == STF_CANCELLED || status == STF_DEADLINE_EXCEEDED;
}

/* time.c */
stf_wall stf__engine_now(stf_engine *engine);
stf_mono stf__engine_mono(const stf_engine *engine);
void stf__engine_refresh_clock(stf_engine *engine, const stf_ctx *ctx);
int64_t stf__engine_backoff_us(stf_engine *engine, uint32_t failures);
/* Waits on cond for at most us of real time; lock is held. */
void stf__engine_wait(stf_engine *engine, pthread_cond_t *cond, int64_t us);
/* How long a thread may sleep until a point of the engine's clock. */
int64_t stf__engine_sleep_us(const stf_engine *engine, int64_t deadline_us, const stf_ctx *ctx);
stf_status stf__engine_init_cond(pthread_cond_t *cond);

/* ids.c */
#define STF__ID_TEXT_BYTES 37
void stf__id_draw(stf_engine *engine, char ret_text[STF__ID_TEXT_BYTES]);
stf_attempt stf__attempt_draw(stf_engine *engine);
void stf__hex(const uint8_t *bytes, size_t size, char *ret_text); /* 2 * size + 1 */

/* inbox.c */
typedef struct stf__command_spec {
    stf_str id;
    stf_str tenant;              /* empty: the engine's */
    stf__event event;            /* texts are copied, variables referenced */
    stf__definition *definition; /* referenced by the command */
} stf__command_spec;
STF_MUST_CHECK stf_status stf__command_new(stf_engine *engine, const stf__command_spec *spec,
                                           stf__command **ret_command, stf_error *error);
void stf__command_unref_locked(stf_engine *engine, stf__command *command);
STF_MUST_CHECK stf_status stf__inbox_post(stf_engine *engine, stf__command *command,
                                          stf_error *error);
/* Hands a command straight to its instance. The driver's. */
void stf__inbox_hand(stf_engine *engine, stf__command *command);
/* An absent record is no obstacle to this one: it makes it. */
bool stf__command_creates(const stf__command *command);
/* Moves what was posted and what has finished to the instances; counts it. */
size_t stf__inbox_take(stf_engine *engine);
/* The next command of an instance that its caller has not taken back; NULL: none. */
stf__command *stf__inbox_first(stf_engine *engine, stf__instance *instance);
/* Answers everything CANCELLED and waits until the callers have left. */
void stf__inbox_refuse(stf_engine *engine);
void stf__command_answer(stf_engine *engine, stf__command *command, stf_status status,
                         const stf_error *error);
void stf__signal_locked(stf_engine *engine);
void stf__signal_clear_locked(stf_engine *engine);

/* drive.c */
STF_MUST_CHECK stf_status stf__drive(stf_engine *engine, const stf_ctx *ctx, stf__command *command,
                                     stf_error *error);
bool stf__drive_try_lead(stf_engine *engine);
/* Waits a moment for a thread that drives. */
bool stf__drive_lead(stf_engine *engine, const stf_ctx *ctx);
void stf__drive_leave(stf_engine *engine);

/* turn.c */
STF_MUST_CHECK stf_status stf__turn_run(stf_engine *engine, const stf_ctx *ctx, bool *ret_did,
                                        stf_error *error);

/* load.c. Gives every flight that needs one a copy. */
void stf__load_flights(stf_engine *engine, const stf_ctx *ctx);

/* call.c: what public calls share */
STF_MUST_CHECK stf_status stf__call_check_engine(stf_engine *engine, stf_error *error);
STF_MUST_CHECK stf_status stf__call_check_text(const char *what, stf_str text, stf_error *error);
STF_MUST_CHECK stf_status stf__call_check_variables(const stf_value *variables, stf_error *error);
/* Checks engine and id, then posts and drives. */
STF_MUST_CHECK stf_status stf__call_instance(stf_engine *engine, const stf_ctx *ctx,
                                             const stf__command_spec *spec, stf_error *error);
STF_MUST_CHECK stf_status stf__call_post(stf_engine *engine, const stf_ctx *ctx,
                                         const stf__command_spec *spec, stf_error *error);
/* Fills outcome, code, message, variables and retries. */
STF_MUST_CHECK stf_status stf__call_read_answer(const stf_answer *answer, stf__event *ret_event,
                                                stf_error *error);

/* step.c. Chooses what the instance does next, steps and encodes: stage SAVE, CLAIM or OVER. */
void stf__step_flight(stf_engine *engine, const stf_ctx *ctx, stf__flight *flight, stf_wall now);

/* commit.c */
STF_MUST_CHECK stf_status stf__commit_check(const stf_record *record, stf_error *error);
void stf__commit_flights(stf_engine *engine, const stf_ctx *ctx);
/* The record was loaded (or is absent: found is false): was the unsettled save written? */
void stf__commit_resolve(stf_engine *engine, stf__flight *flight, bool is_found);

/* settle.c: how a flight ends other than by its save */
/* Answers the command; drops the wish of the engine itself. */
void stf__flight_refuse(stf_engine *engine, stf__flight *flight, stf_status status,
                        const stf_error *error);
/* Nothing was written: the same event again, after a back-off. */
void stf__flight_defer(stf_engine *engine, stf__flight *flight, stf_status why);
/* The copy was stale: the same event again on a fresh one, at once. */
void stf__flight_retry(stf_engine *engine, stf__flight *flight);
/* A result that does not fit becomes an unknown outcome that says so. True: the flight is over and
 * the smaller result is tried next. */
bool stf__flight_shrink(stf_engine *engine, stf__flight *flight, stf_status why);
/* The record cannot be read here: left untouched. */
void stf__flight_skip(stf_engine *engine, stf__flight *flight);
/* The record is gone. */
void stf__flight_absent(stf_engine *engine, stf__flight *flight);
/* Its demand is met. */
void stf__flight_over(stf_engine *engine, stf__flight *flight);

/* instance.c */
STF_MUST_CHECK stf_status stf__instance_get_or_add(stf_engine *engine, stf_str id,
                                                   stf__instance **ret_instance);
stf__instance *stf__instance_find(stf_engine *engine, stf_str id);
void stf__instance_want(stf_engine *engine, stf__instance *instance, uint32_t wants);
void stf__instance_place(stf_engine *engine, stf__instance *instance);
void stf__instance_drop_copy(stf__instance *instance);
void stf__instance_free(stf_engine *engine, stf__instance *instance);
stf__flight *stf__flight_take(stf_engine *engine);
void stf__flight_give(stf_engine *engine, stf__flight *flight);
void stf__flight_free(stf_engine *engine, stf__flight *flight);

/* lease.c */
/* Somebody owns it whose lease has not lapsed and whose death is not proven. */
bool stf__lease_is_live(const stf_engine *engine, stf_str owner, stf_wall expiry, stf_wall now);
/* Another engine owns the record and may be running its work. */
bool stf__lease_is_other_live(stf_engine *engine, const stf__instance *instance, stf_wall now);
/* A save under this engine's lease that was sent at `sent` is durable. */
void stf__lease_note(stf_engine *engine, stf__instance *instance, stf_mono sent);
/* The copy was read again: whose is the record now? */
void stf__lease_note_loaded(stf_engine *engine, stf__instance *instance, const stf_lease *lease);
/* The lease is renewed before anything else happens to the instance. */
void stf__lease_hurry(stf_engine *engine, stf__instance *instance);
size_t stf__lease_renew(stf_engine *engine, const stf_ctx *ctx);
/* How many were sent. */
size_t stf__lease_claim(stf_engine *engine, const stf_ctx *ctx);
int64_t stf__lease_next_us(stf_engine *engine);
/* Lets an instance go with work left: no owner, due now. */
void stf__lease_release(stf_engine *engine, const stf_ctx *ctx, stf__instance *instance);

/* handlers.c */
stf__topic *stf__handler_find(const stf_engine *engine, stf_str topic); /* NULL: an external job */
uint32_t stf__handler_free_slots(const stf_engine *engine, const stf__topic *handler);
void stf__handler_take_slot(stf_engine *engine, stf_work *run);
void stf__handler_give_slot(stf_engine *engine, stf_work *run);

/* work.c */
STF_MUST_CHECK stf_status stf__run_new(stf_engine *engine, stf__instance *instance,
                                       stf__topic *handler, const stf__work_item *item,
                                       int64_t incarnation, stf_work **ret_run, stf_error *error);
void stf__run_free(stf_engine *engine, stf_work *run);
/* Runs the handler on the calling thread, after a look at the lease (R21). */
void stf__run_execute(stf_work *run, stf_cancel *cancel);
/* After a save or a load: launches what is marked started here and was not launched, tells the
 * handlers whose activation is gone. */
STF_MUST_CHECK stf_status stf__runs_reconcile(stf_engine *engine, stf__instance *instance,
                                              stf_error *error);
/* The save that would have started them was not written. */
void stf__runs_drop_planned(stf_engine *engine, stf__instance *instance);

/* workers.c */
STF_MUST_CHECK stf_status stf__workers_start(stf_engine *engine, stf_error *error);
void stf__workers_stop(stf_engine *engine);
void stf__workers_cancel_all(stf_engine *engine);
void stf__workers_hand(stf_engine *engine, stf_work *run);
/* Tells the handler to stop. Unless it is still wanted, one that has not begun is not run at all.
 */
void stf__workers_cancel(stf_engine *engine, stf_work *run, bool is_wanted);
/* Runs what was launched on the calling thread, the driver; counts it. */
size_t stf__workers_run_inline(stf_engine *engine);
/* The driver takes back a run that has ended or was refused. */
void stf__run_take(stf_engine *engine, stf_work *run);

/* wake.c */
size_t stf__wake_look(stf_engine *engine, const stf_ctx *ctx);
void stf__wake_note_due(stf_engine *engine, stf_wall due);
/* Another engine was faster with something that this one took from a page (R14). */
void stf__wake_note_lost(stf_engine *engine);
int64_t stf__wake_next_us(stf_engine *engine);
bool stf__wake_owner_is_dead(const stf_engine *engine, stf_str owner);
void stf__wake_free(stf_engine *engine);

/* skip.c */
bool stf__skip_has(stf_engine *engine, stf_str id);
void stf__skip_add(stf_engine *engine, stf_str id);
void stf__skip_remove(stf_engine *engine, stf_str id);
void stf__skips_free(stf_engine *engine);

/* definitions.c */
STF_MUST_CHECK stf_status stf__definition_get(stf_engine *engine, const stf_ctx *ctx,
                                              stf_str tenant, stf_str key, int64_t version,
                                              stf__definition **ret_definition, stf_error *error);
stf__definition *stf__definition_ref(stf_engine *engine, stf__definition *definition);
stf__definition *stf__definition_unref(stf_engine *engine, stf__definition *definition);
void stf__definitions_free(stf_engine *engine);

/* facts.c */
void stf__fact_tell(stf_engine *engine, const stf__instance *instance, uint32_t kind,
                    stf_str detail);
/* After the save: tells what the step did. */
void stf__facts_release(stf_engine *engine, const stf__flight *flight);
/* Before it: the same as journal rows. */
STF_MUST_CHECK stf_status stf__facts_journal(stf_engine *engine, stf__flight *flight,
                                             stf_error *error);
void stf__log(stf_engine *engine, stf_log_level level, const stf_error *error, const char *what);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The simulation: random processes under random outside events, from printed seeds, on the public
 * engine and a memory store that dies or loses a reply at a chosen save. A run that was disturbed
 * must show the same as the one that was not (README.md).
 *
 * Words: a plan is what a seed stands for (process, settings, wishes of the script); a life is one
 * run of a plan over one store, through one or more engines; a trace is what it showed whenever it
 * was at rest. */
#ifndef STF_TESTS_SIM_H
#define STF_TESTS_SIM_H

#include <stepfast/memory.h>
#include <stepfast/stepfast.h>
#include <stepfast/sys/repository.h>

/* ---- random.c: everything that is drawn comes from the seed ---------------------------------- */

typedef struct sim_random {
    uint64_t state;
} sim_random;

uint64_t sim_mix(uint64_t a, uint64_t b);        /* a hash of both */
uint64_t sim_mix_text(uint64_t a, stf_str text); /* the same with a text */
uint64_t sim_next(sim_random *random);           /* the next 64 bits */
uint32_t sim_draw(sim_random *random, uint32_t below);
bool sim_chance(sim_random *random, uint32_t percent);

/* ---- plan.c, process_gen.c: what a seed stands for ------------------------------------------- */

enum {
    SIM_INSTANCES_MAX = 2,
    SIM_STEPS_MAX = 14
};

typedef struct sim_plan {
    uint64_t seed;
    uint32_t salt;      /* counts the draws that were too long or had timers too close */
    bool is_idempotent; /* all work may run again; else a crash makes it unknown */
    bool is_sequential; /* one path at a time (but for boundary events) */
    bool takes_time;    /* handlers let time pass */
    bool has_star;      /* a handler for every topic; else "outside" is for external jobs */
    bool has_slots;     /* handlers run beside each other; else all share one place. Nothing in
                           between, where a crash may change who comes first */
    bool has_two_starts;
    unsigned instances;
    unsigned steps; /* outside events after the starts, at most */
    uint32_t step_budget;
    stf_buf text;            /* the BPMN file */
    stf_value *variables;    /* of every start */
    stf_memory *definitions; /* where it is deployed, once */
    bool is_deployed;
} sim_plan;

void sim_plan_init(sim_plan *plan, uint64_t seed, uint32_t salt);
void sim_plan_done(sim_plan *plan);
/* Writes the process for a plan whose settings are drawn. */
void sim_process_generate(sim_plan *plan, sim_random *random);

/* ---- Work that was in flight ------------------------------------------------------------------
 */

typedef struct sim_work_id {
    unsigned instance;
    uint32_t attempt;
    uint64_t activation;
    char element[16];
} sim_work_id;

enum {
    SIM_WORK_MAX = 64
};

typedef struct sim_work_set {
    size_t count;
    sim_work_id items[SIM_WORK_MAX];
} sim_work_set;

bool sim_work_set_has(const sim_work_set *set, unsigned instance, uint64_t activation,
                      uint32_t attempt);
bool sim_work_set_add(sim_work_set *set, const sim_work_id *id);       /* false: full */
bool sim_work_set_equal(const sim_work_set *a, const sim_work_set *b); /* same order */

/* ---- crash_store.c, save_checks.c: the store ---------------------------------------------------
 */

typedef enum sim_flavour {
    SIM_NONE = 0,
    SIM_DIES_BEFORE,  /* nothing is written, and nothing answers any more */
    SIM_DIES_AFTER,   /* written, but the reply is lost, and nothing answers any more */
    SIM_LOSES_SAVE,   /* the save is lost, its outcome unknown; the store goes on */
    SIM_LOSES_REPLY,  /* written, the outcome unknown; the store goes on */
    SIM_REFUSES_SAVE, /* nothing is written, and the engine is told so; the store goes on */
    SIM_FLAVOURS
} sim_flavour;

const char *sim_flavour_name(sim_flavour flavour);

typedef struct sim_fault {
    uint32_t at; /* the save that it hits, from 1; 0: none */
    sim_flavour flavour;
} sim_fault;

enum {
    SIM_TIMERS_MAX = 64
};

/* What the store holds of one instance, as its own decorator saw it. */
typedef struct sim_book {
    int64_t version; /* 0: nothing yet */
    int64_t incarnation;
    uint32_t status;
    stf_attempt attempt;
    stf_buf head;
    stf_buf bulk;
    int64_t dues[SIM_TIMERS_MAX];
    size_t due_count;
    sim_work_set started; /* work that is marked as started */
} sim_book;

typedef struct sim_store {
    stf_repository *inner; /* borrowed */
    stf_cancel *cancel;    /* requested by a fault: whoever waits gives up; borrowed */
    sim_fault fault;
    uint32_t saves;
    uint32_t last_fault_save;
    bool is_dead;
    bool is_hit; /* a fault has struck since it was last looked at */
    sim_book books[SIM_INSTANCES_MAX];
    uint32_t surplus;   /* saves with more than one token on one flow into a join */
    uint32_t yields;    /* saves in the middle of a run of tokens */
    char failure[1024]; /* the first invariant that a save broke */
} sim_store;

stf_repository *sim_store_open(sim_store *store); /* another handle for the next engine */
void sim_store_done(sim_store *store);
/* One save on its way to the store: every promise that a save makes. */
void sim_save_check(sim_store *store, const stf_save *save);
/* The store took it. */
void sim_save_note(sim_store *store, const stf_save *save, const stf_save_result *result);
void sim_store_fail(sim_store *store, const char *format, ...) STF_PRINTF(2, 3);
unsigned sim_instance_of(stf_str id); /* "i1" is 0 */

/* ---- life.c, handlers.c, script.c -------------------------------------------------------------
 */

typedef struct sim_effect {
    sim_work_id id;
    uint32_t runs;      /* of the handler, as long as its engine lived */
    uint32_t in_flight; /* crashes that it did not survive */
} sim_effect;

enum {
    SIM_EFFECTS_MAX = 512
};

typedef struct sim_trace {
    char *steps[SIM_INSTANCES_MAX + SIM_STEPS_MAX + 1]; /* the last one: the history */
    size_t count;
} sim_trace;

typedef struct sim_life {
    sim_plan *plan;
    int64_t now_us;
    stf_clock clock;
    stf_random random_port;
    sim_random random;
    stf_memory *memory;
    stf_repository *inner;
    stf_definition_store *definitions;
    stf_repository *outer;
    stf_cancel *cancel;
    stf_engine *engine;
    sim_store store;
    sim_fault second;            /* counted from the first recovery */
    unsigned faults;             /* that have struck */
    unsigned crashes;            /* of them those that killed the engine */
    const sim_work_set *unknown; /* work whose handler says "unknown" (twin runs) */
    sim_work_set lost;           /* not idempotent and in flight at a crash */
    sim_effect effects[SIM_EFFECTS_MAX];
    size_t effect_count;
    bool is_tight;   /* two instants came too close for a comparison */
    bool is_too_big; /* more than this simulation keeps */
    unsigned retries_left;
    sim_trace trace;
    char failure[2048]; /* "" as long as all is well */
} sim_life;

/* Plays the whole plan. fault and second may be empty; unknown may be NULL. */
void sim_life_play(sim_life *life, sim_plan *plan, sim_fault fault, sim_fault second,
                   const sim_work_set *unknown);
void sim_life_done(sim_life *life);
void sim_life_fail(sim_life *life, const char *format, ...) STF_PRINTF(2, 3);

/* Opens the next engine; a crash at its first saves is seen by store.is_dead. */
void sim_life_open(sim_life *life);
void sim_life_rest(sim_life *life);    /* runs until nothing is runnable, through faults */
void sim_life_close(sim_life *life);   /* gracefully */
void sim_life_recover(sim_life *life); /* after a crash */

void sim_handlers_add(sim_life *life);
void sim_effects_check(sim_life *life);
sim_effect *sim_effect_get(sim_life *life, const sim_work_id *id); /* NULL: full */
/* Timers of one instance, and what happens at rest, must lie apart by more than what a crash
 * shifts; else the comparison would compare another order of events. */
void sim_life_check_gaps(sim_life *life, int64_t fired_us);

void sim_script_play(sim_life *life);

/* ---- projection.c ------------------------------------------------------------------------------
 */

/* What the instances show, without what a crash may shift: times, numbers of saves. */
void sim_project(sim_life *life, stf_buf *text);
void sim_project_history(sim_life *life, stf_buf *text);
/* Indices of a list's entries by their activations; how many there are, at most max. */
size_t sim_order_by_activation(const stf_value *list, size_t *ret_order, size_t max);
void sim_trace_add(sim_life *life, const stf_buf *text);

/* What a whole run of seeds has seen; a simulation that never meets a thing proves nothing of it.
 */
typedef struct sim_census {
    uint64_t plans, redrawn, lives, crashes, saves, twins;
    uint64_t completed, terminated, active, incident;
    uint64_t stuck, timers, cancelled, failed, unknown, bulk, reruns, unapplied;
    uint64_t surplus, yields;
} sim_census;

#define SIM_SECONDS(n) ((int64_t)(n)*1000000)
#define SIM_MINUTES(n) SIM_SECONDS(60 * (int64_t)(n))
#define SIM_BEGIN_US INT64_C(1767571200000000) /* 2026-01-05T00:00:00Z */
#define SIM_LEASE_US SIM_SECONDS(1)
#define SIM_GAP_US SIM_SECONDS(100) /* more than all crashes of a life shift together */

#endif

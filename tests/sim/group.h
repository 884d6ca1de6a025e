/* SPDX-License-Identifier: Apache-2.0 */
/* The simulation of a group: two engines on one store play random processes that send messages,
 * call each other and fail, while saves are lost, engines die, stall past their leases and clocks
 * jump. The processes are confluent: whatever the interleaving, what they show at rest is the same
 * (README.md). One life is one run of a plan; a book is what the store holds of one record. */
#ifndef STF_TESTS_SIM_GROUP_H
#define STF_TESTS_SIM_GROUP_H

#include <stepfast/memory.h>
#include <stepfast/stepfast.h>
#include <stepfast/sys/repository.h>

#include "core/core.h"
#include "core/doc.h"
#include "sim/sim.h"

enum {
    GROUP_ENGINES = 2,
    GROUP_ROOTS = 2,
    GROUP_BOOKS_MAX = 96,
    GROUP_ACTIVATIONS_MAX = 512,
    GROUP_WORK_MAX = 512,
    GROUP_OWNERS_MAX = 64,
    GROUP_STEPS_MAX = 16,
    GROUP_RETRIES_MAX = 2 /* of any policy */
};

#define GROUP_LEASE_US SIM_SECONDS(30)
#define GROUP_STALL_US SIM_SECONDS(45) /* past a lease, and past what the clocks differ by */
#define GROUP_SKEW_US SIM_SECONDS(5)   /* of an engine's own clock, either way */
/* More than what all faults of a life shift together; timers lie on a grid of ten hours. */
#define GROUP_GAP_US SIM_MINUTES(150)

/* ---- group_process.c: what a seed stands for --------------------------------------------------
 */

typedef struct group_plan {
    uint64_t seed;
    uint32_t salt;
    bool is_idempotent;   /* all work may run again */
    bool has_wake;        /* else the wake capability is hidden, and there is one engine only */
    bool has_store_clock; /* else each engine has its own, which may jump */
    bool has_batch;
    unsigned engines;
    unsigned roots;
    unsigned steps;
    uint32_t step_budget;
    stf_retry_policy retry;
    stf_buf text;
    stf_memory *definitions;
    bool is_deployed;
} group_plan;

void group_plan_init(group_plan *plan, uint64_t seed, uint32_t salt);
void group_plan_done(group_plan *plan);
/* Appends the BPMN file. */
void group_process_write(group_plan *plan, sim_random *random);

/* ---- The life ---------------------------------------------------------------------------------
 */

typedef enum group_fault {
    GROUP_NO_FAULT = 0,
    GROUP_DIES_BEFORE,
    GROUP_DIES_AFTER,
    GROUP_LOSES_SAVE,
    GROUP_LOSES_REPLY,
    GROUP_REFUSES_SAVE,
    GROUP_STALLS_BEFORE, /* the other engine goes on past the lease, then the save arrives */
    GROUP_STALLS_AFTER,  /* the same between the save and its answer */
    GROUP_FAULTS
} group_fault;

const char *group_fault_name(group_fault fault);

/* Which faults strike: one at a save that is counted over all engines, or many at random. */
typedef struct group_fate {
    uint32_t at; /* from 1; 0: none */
    group_fault fault;
    uint32_t percent; /* of all saves */
    uint64_t seed;    /* of the order of steps and of everything else that is free */
    bool has_jumps;   /* clocks jump, handlers stall, engines pause */
} group_fate;

typedef struct group_life group_life;

typedef struct group_engine {
    group_life *life;
    unsigned index;
    stf_engine *engine; /* NULL: not there */
    stf_repository *outer;
    stf_cancel *cancel;
    stf_clock clock;
    stf_random random_port;
    char owner[64]; /* as its saves show it; "": not seen yet */
    bool is_dead;   /* its store answers nothing any more */
    bool is_hit;
    unsigned rest; /* rounds until a dead one is started again */
    int64_t wall_skew_us;
    int64_t mono_ahead_us;
    int64_t wall_shown_us; /* the latest */
} group_engine;

typedef struct group_started { /* every start of work that was ever saved */
    uint64_t activation;
    int64_t incarnation;
    uint32_t attempt;
    uint32_t runs; /* of the handler, under this incarnation */
} group_started;

typedef struct group_book {
    char id[STF_LIMIT_ID_BYTES + 1];
    char process[32];
    int64_t version; /* 0: nothing yet */
    stf_attempt attempt;
    int64_t incarnation;
    char owner[64];
    int64_t expiry_us;
    int64_t due_us;
    uint32_t status;
    bool waits_for_job;
    bool is_stuck;
    stf_buf head;
    stf_buf bulk;
    stf__doc *doc; /* decoded */
    uint8_t entered[GROUP_ACTIVATIONS_MAX];
    uint8_t ended[GROUP_ACTIVATIONS_MAX];
    uint8_t calls[GROUP_ACTIVATIONS_MAX];
    uint8_t results[GROUP_ACTIVATIONS_MAX];
    uint8_t retries[GROUP_ACTIVATIONS_MAX]; /* automatic ones in a row */
    group_started started[GROUP_WORK_MAX];
    size_t started_count;
} group_book;

/* What the provider behind the handlers knows of one activation. */
typedef struct group_job {
    char instance[STF_LIMIT_ID_BYTES + 1];
    char element[16];
    uint64_t activation;
    uint32_t rank; /* of the element's activations in the instance, from 1 */
} group_job;

typedef struct group_counts {
    uint64_t plans, redrawn, lives, saves, refused, crashes, stalls, zombies, jumps, overlaps;
    uint64_t completed, failed, terminated, cancelled, children, messages, kept, incidents, lost;
    uint64_t faults[GROUP_FAULTS];
} group_counts;

struct group_life {
    group_plan *plan;
    group_fate fate;
    sim_random chance; /* of this life: order of steps, faults, jumps */
    sim_random bytes;  /* what engines draw */
    int64_t now_us;    /* the store's */
    stf_clock clock;
    stf_memory *memory;
    stf_repository *inner;
    stf_definition_store *definitions;
    group_engine engines[GROUP_ENGINES];
    bool is_nested;  /* one engine runs inside another's stall */
    bool is_calm;    /* no more faults */
    bool is_in_call; /* time passes with every look at a clock */
    uint32_t saves;
    uint32_t faults;
    group_book *books[GROUP_BOOKS_MAX];
    size_t book_count;
    group_job jobs[GROUP_WORK_MAX];
    size_t job_count;
    uint32_t sent;
    uint32_t received;
    bool is_tight;
    bool is_too_big;
    stf_buf trace;
    group_counts counts;
    char failure[1024];
};

void group_life_play(group_life *life, group_plan *plan, group_fate fate);
void group_life_done(group_life *life);
void group_fail(group_life *life, const char *format, ...) STF_PRINTF(2, 3);
/* Until nothing moves any more in any engine. */
void group_rest(group_life *life);
/* Another engine goes on while this one stands still past its lease. */
void group_stall(group_life *life, const group_engine *stalled);
/* An engine that is there; starts one when none is. */
group_engine *group_pick(group_life *life);
int64_t group_now(const group_life *life); /* microseconds since the epoch */

/* ---- group_store.c, group_checks.c, group_sends.c
 * ------------------------------------------------------------
 */

stf_repository *group_store_open(group_engine *engine);
group_book *group_book_find(group_life *life, stf_str id); /* NULL: none */
bool group_has_ended(const group_book *book);
/* A save that the store would take, before it does. */
void group_check_save(group_engine *engine, const stf_save *save);
void group_check_sends(group_life *life, const group_book *book, const stf_save *save,
                       const stf__doc *doc);
/* It took it. */
void group_note_save(group_engine *engine, const stf_save *save, const stf_save_result *result);
/* At rest: is there something that an engine has to do now? Says what. */
const char *group_find_unrest(group_life *life);
void group_check_rest(group_life *life);
void group_check_end(group_life *life);

/* ---- group_handlers.c -------------------------------------------------------------------------
 */

void group_handlers_add(group_engine *engine);
/* What the provider says about an activation after so many definitive failures. */
typedef struct group_answer {
    stf_answer_kind kind;
    bool is_unknown;
    char json[128];
} group_answer;
group_answer group_answer_of(group_life *life, stf_str instance, stf_str element,
                             uint64_t activation, uint32_t failures);

/* ---- group_script.c, group_show.c -------------------------------------------------------------
 */

void group_script_play(group_life *life);
void group_show(group_life *life);
void group_show_history(group_life *life);
stf_str group_root_id(unsigned root);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Plays processes on an engine over a store that outlives it: a virtual clock, a seeded random
 * source, recorded facts, handlers that count their calls, and a decorator between engine and
 * store. Dropping an engine without a word is a crash: its store is cut off first. */
#ifndef STF_TESTS_ENGINE_CASE_H
#define STF_TESTS_ENGINE_CASE_H

#include <pthread.h>
#include <stepfast/engine.h>
#include <stepfast/memory.h>

#include "support/faulty_repository.h"
#include "support/stf_test.h"

#define CASE_BEGIN_US INT64_C(1767225600000000) /* 2026-01-01T00:00:00Z */
#define SECONDS(n) ((int64_t)(n)*INT64_C(1000000))
#define CASE_FACTS 8192
#define CASE_CALLS 4096

typedef struct case_clock {
    _Atomic int64_t us; /* since CASE_BEGIN_US; wall and mono move together */
    stf_clock port;
} case_clock;

void case_clock_init(case_clock *clock);

/* What a handler does with its work, by element or for all. */
typedef enum case_answer {
    CASE_COMPLETE = 0,
    CASE_FAIL,
    CASE_UNKNOWN,
    CASE_SETTLE_NOTHING,
    CASE_SETTLE_TWICE,
    CASE_RETURN_ERROR,
    CASE_BPMN_ERROR,
    CASE_BLOCK /* until it is cancelled or released */
} case_answer;

typedef struct case_call {
    char element[64];
    char instance[64];
    char key[128];
    uint32_t attempt;
    uint64_t activation;
} case_call;

typedef struct engine_case {
    case_clock clock;
    stf_random random;
    _Atomic uint64_t seed;
    /* the store, which outlives engines */
    stf_memory *memory;
    stf_repository *store;
    stf_definition_store *definitions;
    /* the engine under test and its way to the store */
    faulty_repository faulty;
    stf_repository *repository;
    stf_engine *engine;
    stf_engine_options options; /* of the next engine */
    /* what was seen */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint32_t facts[CASE_FACTS];
    char fact_texts[CASE_FACTS][48]; /* element */
    size_t fact_count;
    case_call calls[CASE_CALLS];
    size_t call_count;
    size_t running;
    size_t running_max;
    /* what handlers do */
    case_answer answer;
    const char *answer_json;  /* variables of a completion */
    int64_t handler_us;       /* virtual time that a handler takes */
    uint32_t concurrency_max; /* of each topic; 0: as many as there are workers */
    bool is_released;
    void (*on_call)(struct engine_case *c, stf_work *work);
    void (*on_fact)(struct engine_case *c, uint32_t kind);
    void *user; /* of those two */
    stf_error error;
} engine_case;

engine_case *engine_case_new(void);
/* Another engine of that id on the store of c, with a clock of its own; not made yet. */
engine_case *engine_case_neighbour(engine_case *c, const char *id);
/* The same, started. */
engine_case *engine_case_join(engine_case *c, const char *id, const char *const *topics);
/* Other stores than memory; the case takes them. */
void engine_case_use(engine_case *c, stf_repository *store, stf_definition_store *definitions);
void engine_case_free(engine_case *c);

/* An engine with c->options, its handlers (topics, NULL at the end; "" for none) and a fresh
 * decorator; started. */
void engine_case_open(engine_case *c, const char *const *topics);
void engine_case_make(engine_case *c, const char *const *topics); /* not started */
void engine_case_close(engine_case *c);                           /* graceful */
/* Nothing of the engine reaches the store any more, then it is dropped. */
void engine_case_crash(engine_case *c);

/* body: what stands inside <process id="p" isExecutable="true">. Returns the version. */
int64_t engine_case_deploy(engine_case *c, const char *body);
/* roots: what stands inside <definitions>. Returns the version of its last process. */
int64_t engine_case_deploy_file(engine_case *c, const char *roots);
/* Starts "p" under that id (NULL: drawn); json may be NULL. */
void engine_case_start(engine_case *c, const char *id, const char *json);
void engine_case_start_of(engine_case *c, const char *process, const char *id, const char *json);
/* The answer of stf_engine_publish; ret_id (may be NULL): the receiver, "" when it is kept. */
stf_status engine_case_publish(engine_case *c, const char *name, const char *key, const char *json,
                               int64_t keep_us, char ret_id[256]);
void engine_case_idle(engine_case *c);                /* runs until idle */
void engine_case_advance(engine_case *c, int64_t us); /* moves the clock, stopping at each due */
void engine_case_task(engine_case *c, const char *id, const char *element, const char *json);

stf_value *engine_case_view(engine_case *c, const char *id);
/* The status's name, "?" when absent; static storage. */
const char *engine_case_status(engine_case *c, const char *id);
bool engine_case_waits_at(engine_case *c, const char *id, const char *element);
size_t engine_case_calls_of(engine_case *c, const char *element);
size_t engine_case_facts_of(engine_case *c, uint32_t kind);
/* Instances of a process in the store, whatever their status; counts those with that status's
 * name, NULL: all. */
size_t engine_case_count(engine_case *c, const char *process, const char *status);
/* A variable of the instance as JSON; static storage. */
const char *engine_case_variable(engine_case *c, const char *id, const char *name);
/* The record as it is in the store. */
typedef struct case_record {
    bool is_found;
    uint32_t status;
    int64_t version;
    char owner[300];
    int64_t incarnation;
    stf_wall due;
    stf_wall expiry;
    size_t head_size;
} case_record;
case_record engine_case_record(engine_case *c, const char *id);

/* Processes that many tests use, all "p". */
extern const char case_work[];  /* start -> service "work" -> end */
extern const char case_timer[]; /* start -> PT1H -> end */
extern const char case_task[];  /* start -> user task "approve" -> end */
extern const char case_order[]; /* start -> service -> timer -> user task -> end */

#endif

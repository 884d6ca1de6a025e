/* SPDX-License-Identifier: Apache-2.0 */
/* Plays seeds: each plan once undisturbed, then once for every save and every flavour of fault, and
 * compares what they show. Usage: test_sim [SEED | FIRST COUNT]; without arguments SIM_SEEDS seeds,
 * ten times as many with STF_LONG=1. A failing seed is printed with all that is needed to see it,
 * and `test_sim SEED` plays it alone. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/sim.h"

enum {
    SAVES_MAX = 45,
    SALTS_MAX = 100,
    TWINS_MAX = 64,
    FAILURES_MAX = 3
};

/* An undisturbed run in which the handlers of some work answered "unknown". */
typedef struct twin {
    sim_work_set unknown;
    sim_trace trace;
    bool is_comparable;
} twin;

typedef struct seed_run {
    sim_plan plan;
    sim_trace reference;
    uint32_t saves;
    twin twins[TWINS_MAX];
    size_t twin_count;
    bool is_verbose;
} seed_run;

static sim_census census;

/* ---- Reports --------------------------------------------------------------------------------- */

static void print_plan(const sim_plan *plan)
{
    printf("seed %" PRIu64 " (draw %u): %u instance(s), %s, step budget %u%s%s%s\n%.*s", plan->seed,
           plan->salt, plan->instances,
           plan->is_idempotent ? "idempotent work" : "work that must not be repeated",
           plan->step_budget, plan->takes_time ? ", handlers take time" : "",
           plan->has_star ? ", all topics" : ", topic outside is external",
           plan->has_slots ? ", handlers run beside each other" : "", (int)plan->text.size,
           (const char *)plan->text.data);
    stf_buf json;
    stf_buf_init(&json, NULL);
    if (stf_value_write_json(plan->variables, false, &json, NULL) == STF_OK) {
        printf("%.*s\n", (int)json.size, (const char *)json.data);
    }
    stf_buf_done(&json);
}

static void print_trace(const char *what, const sim_trace *trace, size_t from)
{
    printf("==== %s\n", what);
    for (size_t i = from; i < trace->count; i++) {
        printf("%s", trace->steps[i]);
    }
}

static size_t first_difference(const sim_trace *a, const sim_trace *b)
{
    size_t i = 0;
    while (i < a->count && i < b->count && strcmp(a->steps[i], b->steps[i]) == 0) {
        i++;
    }
    return i;
}

static void report(const seed_run *run, const sim_life *life, const sim_trace *expected,
                   sim_fault fault, sim_fault second)
{
    printf("\nFAILED: seed %" PRIu64 ", save %u, store %s", run->plan.seed, fault.at,
           sim_flavour_name(fault.flavour));
    if (second.at != 0) {
        printf(", then at save %u after the recovery: %s", second.at,
               sim_flavour_name(second.flavour));
    }
    printf("\n%s\n", life->failure[0] != '\0' ? life->failure : "shows something else");
    print_plan(&run->plan);
    if (expected != NULL) {
        size_t from = run->is_verbose ? 0 : first_difference(expected, &life->trace);
        print_trace("undisturbed", expected, from);
        print_trace("disturbed", &life->trace, from);
    }
    fflush(stdout);
}

/* ---- Census ---------------------------------------------------------------------------------- */

static void count_plan(const seed_run *run, const sim_life *life)
{
    const char *history = life->trace.steps[life->trace.count - 1];
    const char *last = life->trace.steps[life->trace.count - 2];
    census.plans++;
    census.redrawn += run->plan.salt;
    census.completed += strstr(last, "status \"completed\"") != NULL;
    census.terminated += strstr(last, "status \"terminated\"") != NULL;
    census.incident += strstr(last, "status \"incident\"") != NULL;
    census.active += strstr(last, "status \"active\"") != NULL;
    census.stuck += strstr(last, "status \"active\" waiting []") != NULL;
    census.timers += strstr(history, "TIMER_FIRED") != NULL;
    census.cancelled += strstr(history, "NODE_CANCELLED") != NULL;
    census.failed += strstr(history, "WORK_FAILED") != NULL;
    census.surplus += life->store.surplus != 0;
    census.yields += life->store.yields != 0;
    census.bulk += life->store.books[0].bulk.size != 0;
}

static void count_life(const sim_life *life)
{
    census.lives++;
    census.saves += life->store.saves;
    census.crashes += life->crashes;
    census.unknown += life->lost.count != 0;
    for (size_t i = 0; i < life->effect_count; i++) {
        census.reruns += life->effects[i].runs > 1;
    }
}

/* ---- One seed -------------------------------------------------------------------------------- */

/* Draws until the plan is one that can be compared. False: it failed by itself. */
static bool begin(seed_run *run, uint64_t seed, bool is_verbose)
{
    const sim_fault none = {0, SIM_NONE};
    memset(run, 0, sizeof(*run));
    run->is_verbose = is_verbose;
    for (uint32_t salt = 0; salt < SALTS_MAX; salt++) {
        static sim_life life;
        sim_plan_init(&run->plan, seed, salt);
        sim_life_play(&life, &run->plan, none, none, NULL);
        run->saves = life.store.saves;
        bool has_failed = life.failure[0] != '\0';
        bool is_fine = !life.is_tight && !life.is_too_big && run->saves <= SAVES_MAX;
        if (has_failed) {
            report(run, &life, NULL, none, none);
        } else if (is_fine) {
            count_plan(run, &life);
            run->reference = life.trace;
            life.trace.count = 0;
        }
        sim_life_done(&life);
        if (has_failed || is_fine) {
            return !has_failed;
        }
        sim_plan_done(&run->plan);
    }
    printf("seed %" PRIu64 ": no plan that can be compared\n", seed);
    exit(EXIT_FAILURE);
}

static void free_trace(sim_trace *trace)
{
    for (size_t i = 0; i < trace->count; i++) {
        free(trace->steps[i]);
    }
    trace->count = 0;
}

static void end(seed_run *run)
{
    free_trace(&run->reference);
    for (size_t i = 0; i < run->twin_count; i++) {
        free_trace(&run->twins[i].trace);
    }
    sim_plan_done(&run->plan);
}

/* What a run that lost this work must show. NULL: nothing can be said. */
static const sim_trace *expect(seed_run *run, const sim_work_set *lost)
{
    const sim_fault none = {0, SIM_NONE};
    static sim_life life;
    if (lost->count == 0) {
        return &run->reference;
    }
    for (size_t i = 0; i < run->twin_count; i++) {
        if (sim_work_set_equal(&run->twins[i].unknown, lost)) {
            return run->twins[i].is_comparable ? &run->twins[i].trace : NULL;
        }
    }
    if (run->twin_count == TWINS_MAX) {
        return NULL;
    }
    twin *made = &run->twins[run->twin_count++];
    made->unknown = *lost;
    sim_life_play(&life, &run->plan, none, none, &made->unknown);
    if (life.failure[0] != '\0') {
        report(run, &life, NULL, none, none);
        exit(EXIT_FAILURE);
    }
    made->is_comparable = !life.is_tight && !life.is_too_big;
    made->trace = life.trace;
    life.trace.count = 0;
    sim_life_done(&life);
    census.twins++;
    return made->is_comparable ? &made->trace : NULL;
}

static bool play_disturbed(seed_run *run, sim_fault fault, sim_fault second)
{
    static sim_life life;
    sim_life_play(&life, &run->plan, fault, second, NULL);
    count_life(&life);
    if (life.failure[0] == '\0' && life.faults == 0) {
        sim_life_fail(&life, "the fault never struck");
    }
    const sim_trace *expected = expect(run, &life.lost);
    bool is_same = expected == NULL || (expected->count == life.trace.count &&
                                        first_difference(expected, &life.trace) == expected->count);
    census.unapplied += expected == NULL;
    bool is_ok = life.failure[0] == '\0' && is_same;
    if (!is_ok) {
        report(run, &life, expected, fault, second);
    }
    sim_life_done(&life);
    return is_ok;
}

static bool play_seed(uint64_t seed, bool is_verbose)
{
    static seed_run run;
    bool is_ok = begin(&run, seed, is_verbose);
    if (is_ok && is_verbose) {
        print_plan(&run.plan);
        print_trace("undisturbed", &run.reference, 0);
    }
    for (uint32_t at = 1; is_ok && at <= run.saves; at++) {
        for (int flavour = SIM_DIES_BEFORE; is_ok && flavour < SIM_FLAVOURS; flavour++) {
            sim_fault fault = {at, (sim_flavour)flavour};
            sim_fault second = {0, SIM_NONE};
            uint64_t drawn = sim_mix(sim_mix(seed, at), (uint64_t)flavour);
            if (flavour <= SIM_DIES_AFTER && drawn % 3 == 0) {
                second.at = 1 + (uint32_t)(drawn / 3 % 3);
                second.flavour = drawn / 9 % 2 == 0 ? SIM_DIES_BEFORE : SIM_DIES_AFTER;
            }
            is_ok = play_disturbed(&run, fault, second);
        }
    }
    end(&run);
    return is_ok;
}

/* ---- Many seeds ------------------------------------------------------------------------------ */

static void print_census(void)
{
    printf("plans %" PRIu64 " (%" PRIu64 " redrawn), disturbed runs %" PRIu64 ", crashes %" PRIu64
           ", saves %" PRIu64 ", twins %" PRIu64 ", not comparable %" PRIu64 "\n",
           census.plans, census.redrawn, census.lives, census.crashes, census.saves, census.twins,
           census.unapplied);
    printf("plans that ended completed %" PRIu64 ", terminated %" PRIu64 ", active %" PRIu64
           " (stuck %" PRIu64 "), with incidents %" PRIu64 "; with timers %" PRIu64
           ", cancellations %" PRIu64 ", failures %" PRIu64 ", bulk %" PRIu64 ", yields %" PRIu64
           ", surplus tokens %" PRIu64 "\n",
           census.completed, census.terminated, census.active, census.stuck, census.incident,
           census.timers, census.cancelled, census.failed, census.bulk, census.yields,
           census.surplus);
    printf("runs that lost work %" PRIu64 ", effects that were repeated %" PRIu64 "\n",
           census.unknown, census.reruns);
}

/* A run that never meets a thing proves nothing of it. */
static bool has_seen_all(void)
{
    const uint64_t seen[] = {census.completed, census.terminated, census.active, census.stuck,
                             census.incident,  census.timers,     census.failed, census.cancelled,
                             census.yields,    census.surplus,    census.bulk,   census.unknown,
                             census.reruns,    census.twins};
    for (size_t i = 0; i < sizeof(seen) / sizeof(seen[0]); i++) {
        if (seen[i] * 200 < census.plans) {
            printf("the seeds do not cover what they should (%zu)\n", i);
            return false;
        }
    }
    return true;
}

static bool is_long(void)
{
    const char *text = getenv("STF_LONG");
    return text != NULL && strcmp(text, "1") == 0;
}

int main(int argc, char **argv)
{
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    unsigned failures = 0;
    if (argc == 1) {
        count = SIM_SEEDS;
    }
    if (argc != 2 && is_long()) {
        first = (first - 1) * 10 + 1;
        count *= 10;
    }
    printf("seeds %" PRIu64 " to %" PRIu64 "\n", first, first + count - 1);
    for (uint64_t seed = first; seed < first + count && failures < FAILURES_MAX; seed++) {
        failures += play_seed(seed, argc == 2) ? 0 : 1;
    }
    print_census();
    bool is_ok = failures == 0 && (count < 100 || has_seen_all());
    printf("%s\n", is_ok ? "ok" : "FAILED");
    return is_ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

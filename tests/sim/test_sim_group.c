/* SPDX-License-Identifier: Apache-2.0 */
/* Plays seeds of the group: each plan once undisturbed, once more in another order, then with a
 * fault at every save, then with many faults at random, and compares what they show. Usage:
 * test_sim_group [SEED | FIRST COUNT]. A failing seed is printed with all that is needed to see
 * it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/group.h"

enum {
    SAVES_MAX = 90,
    SALTS_MAX = 60,
    CHAOS_LIVES = 6,
    FAILURES_MAX = 3
};

static group_counts counts;

/* ---- Reports --------------------------------------------------------------------------------- */

static void print_plan(const group_plan *plan)
{
    printf("seed %" PRIu64 " (draw %u): %u root(s), %s, %u engine(s), wake %d, store clock %d, "
           "batch %d, step budget %u, retries %u\n%.*s",
           plan->seed, plan->salt, plan->roots,
           plan->is_idempotent ? "idempotent work" : "work that must not be repeated",
           plan->engines, plan->has_wake, plan->has_store_clock, plan->has_batch, plan->step_budget,
           plan->retry.retries, (int)plan->text.size, (const char *)plan->text.data);
}

/* From the line in which they differ. */
static void print_difference(stf_buf *expected, stf_buf *actual)
{
    const char *a = stf_buf_c_str(expected);
    const char *b = stf_buf_c_str(actual);
    size_t at = 0;
    size_t line = 0;
    size_t step = 0;
    for (; a[at] != '\0' && a[at] == b[at]; at++) {
        line = a[at] == '\n' ? at + 1 : line;
        step = a[at] == '\n' && a[at + 1] == '-' ? at + 1 : step;
    }
    printf("==== after %.60s\n==== expected\n%.700s\n==== shown\n%.700s\n", a + step, a + line,
           b + line);
}

static void report(const group_plan *plan, group_life *life, group_fate fate, stf_buf *expected)
{
    printf("\nFAILED: seed %" PRIu64 ", save %u: %s; %u%% faults, order %" PRIu64 "%s\n%s\n",
           plan->seed, fate.at, group_fault_name(fate.fault), fate.percent, fate.seed,
           fate.has_jumps ? ", jumps" : "",
           life->failure[0] != '\0' ? life->failure : "shows something else");
    print_plan(plan);
    if (expected != NULL && life->failure[0] == '\0') {
        print_difference(expected, &life->trace);
    }
    fflush(stdout);
}

static void add_counts(const group_life *life)
{
    const uint64_t *from = (const uint64_t *)(const void *)&life->counts;
    uint64_t *to = (uint64_t *)(void *)&counts;
    for (size_t i = 0; i < sizeof(counts) / sizeof(uint64_t); i++) {
        to[i] += from[i];
    }
    counts.lives++;
}

/* ---- One seed -------------------------------------------------------------------------------- */

static void count_plan(group_life *life)
{
    counts.plans++;
    counts.redrawn += life->plan->salt;
    for (unsigned i = 0; i < life->plan->roots; i++) {
        const group_book *book = group_book_find(life, group_root_id(i));
        uint32_t how = book->doc->end_how;
        counts.completed += how == STF__END_COMPLETED;
        counts.terminated += how == STF__END_TERMINATED;
        counts.failed += how == STF__END_FAILED;
        counts.cancelled += how == STF__END_CANCELLED;
    }
}

/* Draws until the plan is one that can be compared. False: it failed by itself. */
static bool begin(group_plan *plan, uint64_t seed, stf_buf *ret_trace, uint32_t *ret_saves)
{
    static group_life life;
    const group_fate none = {.seed = 1};
    for (uint32_t salt = 0; salt < SALTS_MAX; salt++) {
        group_plan_init(plan, seed, salt);
        group_life_play(&life, plan, none);
        add_counts(&life);
        *ret_saves = life.saves;
        bool has_failed = life.failure[0] != '\0';
        bool is_fine = !life.is_tight && !life.is_too_big && life.saves <= SAVES_MAX;
        if (has_failed) {
            report(plan, &life, none, NULL);
        } else if (is_fine) {
            count_plan(&life);
            if (stf_buf_append_str(ret_trace, stf_buf_str(&life.trace)) != STF_OK) {
                abort();
            }
        }
        group_life_done(&life);
        if (has_failed || is_fine) {
            return !has_failed;
        }
        group_plan_done(plan);
    }
    printf("seed %" PRIu64 ": no plan that can be compared\n", seed);
    exit(EXIT_FAILURE);
}

static bool play(group_plan *plan, group_fate fate, stf_buf *expected)
{
    static group_life life;
    group_life_play(&life, plan, fate);
    add_counts(&life);
    bool is_same = stf_str_equal(stf_buf_str(expected), stf_buf_str(&life.trace));
    bool is_ok = life.failure[0] == '\0' && (is_same || life.is_too_big);
    if (!is_ok) {
        report(plan, &life, fate, expected);
    }
    group_life_done(&life);
    return is_ok;
}

static bool play_seed(uint64_t seed, bool is_verbose)
{
    group_plan plan;
    stf_buf expected;
    uint32_t saves = 0;
    stf_buf_init(&expected, NULL);
    bool is_ok = begin(&plan, seed, &expected, &saves);
    if (is_ok && is_verbose) {
        print_plan(&plan);
        printf("%s", stf_buf_c_str(&expected));
    }
    for (uint32_t at = 1; is_ok && at <= saves; at++) {
        uint64_t drawn = sim_mix(seed, at);
        group_fate death = {.at = at, .fault = GROUP_DIES_BEFORE + drawn % 2, .seed = 1};
        group_fate other = {
            .at = at, .fault = (group_fault)(GROUP_LOSES_SAVE + drawn / 2 % 5), .seed = 1};
        is_ok = play(&plan, drawn / 10 % 4 == 0 ? other : death, &expected);
    }
    for (uint32_t i = 0; is_ok && i < CHAOS_LIVES; i++) {
        group_fate chaos = {.percent = i == 0 ? 0 : 3 * i, .seed = 2 + i, .has_jumps = i > 0};
        is_ok = play(&plan, chaos, &expected);
    }
    stf_buf_done(&expected);
    group_plan_done(&plan);
    return is_ok;
}

/* ---- Many seeds ------------------------------------------------------------------------------ */

static void print_counts(void)
{
    printf("plans %" PRIu64 " (%" PRIu64 " redrawn), runs %" PRIu64 ", saves %" PRIu64
           " (refused %" PRIu64 "), crashes %" PRIu64 ", stalls %" PRIu64 " (of handlers %" PRIu64
           "), jumps %" PRIu64 "\n",
           counts.plans, counts.redrawn, counts.lives, counts.saves, counts.refused, counts.crashes,
           counts.stalls, counts.zombies, counts.jumps);
    printf("roots completed %" PRIu64 ", terminated %" PRIu64 ", failed %" PRIu64
           ", cancelled %" PRIu64 "; calls %" PRIu64 ", messages %" PRIu64 " (kept %" PRIu64
           "), incidents %" PRIu64 "\n",
           counts.completed, counts.terminated, counts.failed, counts.cancelled, counts.children,
           counts.messages, counts.kept, counts.incidents);
    for (int i = 1; i < GROUP_FAULTS; i++) {
        printf("%s %" PRIu64 "%s", group_fault_name((group_fault)i), counts.faults[i],
               i + 1 < GROUP_FAULTS ? ", " : "\n");
    }
}

/* A run that never meets a thing proves nothing of it. */
static bool has_seen_all(void)
{
    const uint64_t seen[] = {counts.completed, counts.terminated, counts.failed,  counts.cancelled,
                             counts.children,  counts.messages,   counts.kept,    counts.incidents,
                             counts.crashes,   counts.stalls,     counts.zombies, counts.refused};
    for (size_t i = 0; i < sizeof(seen) / sizeof(seen[0]); i++) {
        if (seen[i] * 200 < counts.plans) {
            printf("the seeds do not cover what they should (%zu)\n", i);
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : argc > 1 ? 1 : SIM_SEEDS;
    unsigned failures = 0;
    printf("group seeds %" PRIu64 " to %" PRIu64 "\n", first, first + count - 1);
    for (uint64_t seed = first; seed < first + count && failures < FAILURES_MAX; seed++) {
        failures += play_seed(seed, argc == 2) ? 0 : 1;
    }
    print_counts();
    bool is_ok = failures == 0 && (count < 100 || has_seen_all());
    printf("%s\n", is_ok ? "ok" : "FAILED");
    return is_ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

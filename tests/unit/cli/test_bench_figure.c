/* SPDX-License-Identifier: Apache-2.0 */
/* Goals are judged by the figures of the run, and only by those that were taken. */
#include "bench_figure.h"

#include <string.h>

#include "support/stf_test.h"

static const bench_goal *goal_of(const char *id, const char *store, const char *part_of_text)
{
    for (size_t i = 0; i < bench_goal_count(); i++) {
        const bench_goal *goal = bench_goal_at(i);
        if (strcmp(goal->id, id) == 0 && strcmp(goal->store, store) == 0 &&
            strstr(goal->text, part_of_text) != NULL) {
            return goal;
        }
    }
    ck_abort_msg("no goal %s", id);
}

static void add(bench_report *report, bench_figure figure)
{
    ck_assert(bench_report_add(report, &figure, NULL, NULL, NULL));
}

STF_TEST(a_goal_without_its_figure_is_not_judged)
{
    bench_report report = {.count = 0};
    double value = 0;
    bool is_met = false;
    for (size_t i = 0; i < bench_goal_count(); i++) {
        ck_assert(!bench_goal_judge(bench_goal_at(i), &report, &value, &is_met));
    }
}

STF_TEST(goals_are_met_at_their_limit_and_not_past_it)
{
    static const struct {
        const char *id;
        const char *store;
        const char *text;
        bench_figure figure;
        double value;
        bool is_met;
    } rows[] = {
        {"S1",
         "sqlite",
         "p50",
         {.name = "port.save", .p50_us = 105, .raw_p50_us = 100},
         1.05,
         true},
        {"S1",
         "sqlite",
         "p50",
         {.name = "port.save", .p50_us = 106, .raw_p50_us = 100},
         1.06,
         false},
        {"S2",
         "sqlite",
         "raw batches",
         {.name = "port.save_batch", .rate = 85, .raw_rate = 100},
         0.85,
         true},
        {"S2",
         "sqlite",
         "raw batches",
         {.name = "port.save_batch", .rate = 84, .raw_rate = 100},
         0.84,
         false},
        {"M1", "memory", "time", {.name = "port.save", .rate = 50, .raw_rate = 100}, 2, false},
        {"E1", "memory", "floor", {.name = "engine.service", .rate = 200000}, 200000, true},
        {"E1", "memory", "goal", {.name = "engine.service", .rate = 200000}, 200000, false},
        {"E3", "memory", "task", {.name = "engine.parked_task", .rate = 512}, 512, true},
        {"E4", "memory", "recovery", {.name = "engine.recovery", .rate = 1000000}, 0.01, true},
        {"P8", "sqlite", "park", {.name = "engine.timer", .saves_each = 3}, 3, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bench_report report = {.count = 0};
        double value = 0;
        bool is_met = !rows[i].is_met;
        bench_figure figure = rows[i].figure;
        figure.store = rows[i].store;
        add(&report, figure);
        const bench_goal *goal = goal_of(rows[i].id, rows[i].store, rows[i].text);
        ck_assert(bench_goal_judge(goal, &report, &value, &is_met));
        ck_assert_double_eq_tol(value, rows[i].value, 1e-9);
        ck_assert_msg(is_met == rows[i].is_met, "row %zu", i);
    }
}

STF_TEST(batches_are_held_against_single_saves_of_the_same_store)
{
    bench_report report = {.count = 0};
    double value = 0;
    bool is_met = false;
    add(&report, (bench_figure){.store = "memory", .name = "port.save", .raw_rate = 1});
    add(&report, (bench_figure){.store = "sqlite", .name = "port.save", .raw_rate = 10});
    add(&report, (bench_figure){.store = "sqlite", .name = "port.save_batch", .rate = 60});
    ck_assert(bench_goal_judge(goal_of("S2", "sqlite", "single"), &report, &value, &is_met));
    ck_assert_double_eq(value, 6);
    ck_assert(is_met);
}

STF_TEST(a_report_that_is_full_refuses_a_figure)
{
    bench_report report = {.count = 0};
    bench_figure figure = {.store = "memory", .name = "x"};
    for (int i = 0; i < BENCH_FIGURES_MAX; i++) {
        add(&report, figure);
    }
    ck_assert(!bench_report_add(&report, &figure, NULL, NULL, NULL));
}

STF_TEST(a_figure_holds_what_both_sides_measured_and_what_was_counted)
{
    bench_report report = {.count = 0};
    bench_side ours;
    bench_side raw;
    const cli_store_totals counted = {
        .commits = 10, .saves = 20, .head_bytes = 4000, .bulk_bytes = 200};
    const bench_figure figure = {.store = "memory", .name = "x", .count = 10};
    bench_side_init(&ours);
    bench_side_init(&raw);
    ck_assert(bench_side_add(&ours, 3000, 1));
    ck_assert(bench_side_add(&raw, 2000, 1));
    bench_side_end_round(&ours, 1000000000, 5);
    bench_side_end_round(&raw, 1000000000, 7);
    ck_assert(bench_report_add(&report, &figure, &ours, &raw, &counted));
    const bench_figure *found = bench_report_find(&report, "memory", "x");
    ck_assert_ptr_nonnull(found);
    ck_assert_ptr_null(bench_report_find(&report, "sqlite", "x"));
    ck_assert_double_eq(found->rate, 5);
    ck_assert_double_eq(found->raw_rate, 7);
    ck_assert_double_eq(found->p50_us, 3);
    ck_assert_double_eq(found->raw_p99_us, 2);
    ck_assert_double_eq(found->saves_each, 2);
    ck_assert_double_eq(found->commits_each, 1);
    ck_assert_double_eq(found->head_bytes, 200);
    ck_assert_double_eq(found->bulk_bytes, 10);
    bench_side_done(&ours);
    bench_side_done(&raw);
}

static const stf_test_case cases[] = {
    STF_CASE(a_goal_without_its_figure_is_not_judged),
    STF_CASE(goals_are_met_at_their_limit_and_not_past_it),
    STF_CASE(batches_are_held_against_single_saves_of_the_same_store),
    STF_CASE(a_report_that_is_full_refuses_a_figure),
    STF_CASE(a_figure_holds_what_both_sides_measured_and_what_was_counted),
};

STF_TEST_MAIN("bench_figure", cases)

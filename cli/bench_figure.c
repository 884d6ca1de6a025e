/* SPDX-License-Identifier: Apache-2.0 */
/* See bench_figure.h. The goals are a table; docs/bench.md explains it. */
#include "bench_figure.h"

#include <inttypes.h>
#include <string.h>

#include <stepfast/stepfast.h>

bool bench_report_add(bench_report *report, const bench_figure *figure, bench_side *ours,
                      bench_side *raw, const cli_store_totals *counted)
{
    if (report->count == BENCH_FIGURES_MAX) {
        return false;
    }
    bench_figure *added = &report->figures[report->count++];
    *added = *figure;
    if (ours != NULL) {
        added->rate = bench_side_rate(ours);
        added->p50_us = bench_side_percentile_us(ours, 50);
        added->p99_us = bench_side_percentile_us(ours, 99);
    }
    if (raw != NULL) {
        added->raw_rate = bench_side_rate(raw);
        added->raw_p50_us = bench_side_percentile_us(raw, 50);
        added->raw_p99_us = bench_side_percentile_us(raw, 99);
    }
    if (counted != NULL && counted->saves != 0) {
        double saves = (double)counted->saves;
        added->head_bytes = (double)counted->head_bytes / saves;
        added->bulk_bytes = (double)counted->bulk_bytes / saves;
        added->saves_each = saves / (double)figure->count;
        added->commits_each = (double)counted->commits / (double)figure->count;
    }
    return true;
}

const bench_figure *bench_report_find(const bench_report *report, const char *store,
                                      const char *name)
{
    for (size_t i = 0; i < report->count; i++) {
        if (strcmp(report->figures[i].store, store) == 0 &&
            strcmp(report->figures[i].name, name) == 0) {
            return &report->figures[i];
        }
    }
    return NULL;
}

/* ---- Goals ----------------------------------------------------------------------------------- */

static double over(double a, double b)
{
    return b > 0 ? a / b : 0;
}

static const bench_figure *of(const bench_report *report, const bench_goal *goal)
{
    return bench_report_find(report, goal->store, goal->figure);
}

static double median_over_raw(const bench_report *report, const bench_goal *goal)
{
    const bench_figure *figure = of(report, goal);
    return figure != NULL ? over(figure->p50_us, figure->raw_p50_us) : 0;
}

static double rate_over_raw(const bench_report *report, const bench_goal *goal)
{
    const bench_figure *figure = of(report, goal);
    return figure != NULL ? over(figure->rate, figure->raw_rate) : 0;
}

static double time_over_raw(const bench_report *report, const bench_goal *goal)
{
    const bench_figure *figure = of(report, goal);
    return figure != NULL ? over(figure->raw_rate, figure->rate) : 0;
}

static double rate_over_raw_singles(const bench_report *report, const bench_goal *goal)
{
    const bench_figure *figure = of(report, goal);
    const bench_figure *single = bench_report_find(report, goal->store, "port.save");
    return figure != NULL && single != NULL ? over(figure->rate, single->raw_rate) : 0;
}

static double rate(const bench_report *report, const bench_goal *goal)
{
    const bench_figure *figure = of(report, goal);
    return figure != NULL ? figure->rate : 0;
}

static double saves_each(const bench_report *report, const bench_goal *goal)
{
    const bench_figure *figure = of(report, goal);
    return figure != NULL ? figure->saves_each : 0;
}

static double seconds_of_ten_thousand(const bench_report *report, const bench_goal *goal)
{
    const bench_figure *figure = of(report, goal);
    return figure != NULL ? over(10000, figure->rate) : 0;
}

static const bench_goal goals[] = {
    {"S1", "sqlite", "a lone save: p50 over raw", "port.save", median_over_raw, 1.05, true},
    {"S2", "sqlite", "batches of 100 over raw single saves", "port.save_batch",
     rate_over_raw_singles, 6, false},
    {"S2", "sqlite", "batches of 100 over raw batches", "port.save_batch", rate_over_raw, 0.85,
     false},
    {"M1", "memory", "a save: time over a plain hash table's", "port.save", time_over_raw, 1.5,
     true},
    {"E1", "memory", "start, service, end: instances/s, the goal", "engine.service", rate, 500000,
     false},
    {"E1", "memory", "start, service, end: instances/s, the floor", "engine.service", rate, 200000,
     false},
    {"E3", "memory", "bytes at a user task beside the payload", "engine.parked_task", rate, 512,
     true},
    {"E3", "memory", "bytes at a timer beside the payload", "engine.parked_timer", rate, 512, true},
    {"E4", "memory", "recovery of 10,000: seconds", "engine.recovery", seconds_of_ten_thousand,
     0.012, true},
    {"P8", "memory", "saves of start, service, end", "engine.service", saves_each, 2, true},
    {"P8", "memory", "saves of park and wake", "engine.timer", saves_each, 2, true},
    {"P8", "sqlite", "saves of start, service, end", "engine.service", saves_each, 2, true},
    {"P8", "sqlite", "saves of park and wake", "engine.timer", saves_each, 2, true},
};

size_t bench_goal_count(void)
{
    return sizeof goals / sizeof goals[0];
}

const bench_goal *bench_goal_at(size_t index)
{
    return &goals[index];
}

bool bench_goal_judge(const bench_goal *goal, const bench_report *report, double *ret_value,
                      bool *ret_is_met)
{
    double value = goal->measure(report, goal);
    if (value <= 0) {
        return false;
    }
    *ret_value = value;
    *ret_is_met = goal->is_at_most ? value <= goal->limit : value >= goal->limit;
    return true;
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void print_number(FILE *file, int width, double number)
{
    if (number <= 0) {
        fprintf(file, "%*s", width, "-");
    } else if (number < 100) {
        fprintf(file, "%*.2f", width, number);
    } else {
        fprintf(file, "%*.0f", width, number);
    }
}

static void print_figure(const bench_figure *figure, FILE *file)
{
    fprintf(file, "%-7s %-20s %-9s", figure->store, figure->name, figure->unit);
    print_number(file, 11, figure->rate);
    print_number(file, 11, figure->raw_rate);
    print_number(file, 7, over(figure->rate, figure->raw_rate));
    print_number(file, 9, figure->p50_us);
    print_number(file, 9, figure->p99_us);
    print_number(file, 9, figure->raw_p50_us);
    print_number(file, 9, figure->raw_p99_us);
    print_number(file, 7, figure->saves_each);
    print_number(file, 7, figure->head_bytes);
    print_number(file, 6, figure->bulk_bytes);
    fputc('\n', file);
}

void bench_report_print_text(const bench_report *report, FILE *file)
{
    fprintf(file, "%-7s %-20s %-9s%11s%11s%7s%9s%9s%9s%9s%7s%7s%6s\n", "store", "figure", "of",
            "a second", "raw", "ratio", "p50 us", "p99 us", "raw p50", "raw p99", "saves", "head",
            "bulk");
    for (size_t i = 0; i < report->count; i++) {
        print_figure(&report->figures[i], file);
    }
    fputs("\ngoal  store\n", file);
    for (size_t i = 0; i < bench_goal_count(); i++) {
        double value = 0;
        bool is_met = false;
        if (bench_goal_judge(&goals[i], report, &value, &is_met)) {
            fprintf(file, "%-4s  %-7s %-46s %s ", goals[i].id, goals[i].store, goals[i].text,
                    goals[i].is_at_most ? "at most " : "at least");
            fprintf(file, "%8g", goals[i].limit);
            fprintf(file, "  is %10.5g  %s\n", value, is_met ? "met" : "not met");
        }
    }
}

/* ---- JSON: docs/bench.md has the format ------------------------------------------------------ */

static void put_number(FILE *file, const char *key, double number)
{
    fprintf(file, ", \"%s\": ", key);
    if (number > 0) {
        fprintf(file, "%.6g", number);
    } else {
        fputs("null", file);
    }
}

static void put_figure(const bench_figure *figure, FILE *file)
{
    fprintf(file, "    {\"store\": \"%s\", \"name\": \"%s\", \"unit\": \"%s\", \"count\": %" PRIu64,
            figure->store, figure->name, figure->unit, figure->count);
    put_number(file, "value", figure->rate);
    put_number(file, "raw", figure->raw_rate);
    put_number(file, "ratio", over(figure->rate, figure->raw_rate));
    put_number(file, "p50_us", figure->p50_us);
    put_number(file, "p99_us", figure->p99_us);
    put_number(file, "raw_p50_us", figure->raw_p50_us);
    put_number(file, "raw_p99_us", figure->raw_p99_us);
    put_number(file, "saves_each", figure->saves_each);
    put_number(file, "commits_each", figure->commits_each);
    put_number(file, "head_bytes", figure->head_bytes);
    fprintf(file, ", \"bulk_bytes\": %.6g}", figure->bulk_bytes);
}

void bench_report_print_json(const bench_report *report, FILE *file)
{
    fprintf(file, "{\"version\": \"%s\",\n  \"figures\": [", stf_version());
    for (size_t i = 0; i < report->count; i++) {
        fputs(i != 0 ? ",\n" : "\n", file);
        put_figure(&report->figures[i], file);
    }
    fputs("\n  ],\n  \"goals\": [", file);
    bool is_first = true;
    for (size_t i = 0; i < bench_goal_count(); i++) {
        double value = 0;
        bool is_met = false;
        if (bench_goal_judge(&goals[i], report, &value, &is_met)) {
            fprintf(file,
                    "%s\n    {\"goal\": \"%s\", \"store\": \"%s\", \"figure\": \"%s\", \"text\": "
                    "\"%s\", \"limit\": %g, \"is_at_most\": %s, \"value\": %.6g, \"is_met\": %s}",
                    is_first ? "" : ",", goals[i].id, goals[i].store, goals[i].figure,
                    goals[i].text, goals[i].limit, goals[i].is_at_most ? "true" : "false", value,
                    is_met ? "true" : "false");
            is_first = false;
        }
    }
    fputs("\n  ]}\n", file);
}

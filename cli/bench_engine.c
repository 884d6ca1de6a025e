/* SPDX-License-Identifier: Apache-2.0 */
/* Lives of instances through the engine: one thread that starts them one after the other and drives
 * the engine with it. Beside each stand the raw writes that such lives need. */
#include <stdlib.h>
#include <sys/stat.h>

#include "bench_host.h"
#include "bench_model.h"

/* One shape of process. */
typedef struct shape {
    const char *name;
    const char *model;
    const char *process;
    uint64_t saves;   /* of one life */
    uint64_t handled; /* runs of the handler in one life */
    int64_t ahead_us; /* how far the clock moves on before the second half */
    uint64_t memory_count;
    uint64_t sqlite_count;
} shape;

/* Both sides of a shape. */
typedef struct lives {
    const bench_run *run;
    const shape *shape;
    bench_store store;
    bench_host host;
    bench_raw *raw;
    char raw_path[544];
    uint64_t raw_next;
    cli_store_totals before;
    bench_side ours_side;
    bench_side raw_side;
} lives;

static stf_status run_ours(lives *self, uint64_t count, stf_error *error)
{
    uint64_t began = bench_now_ns();
    stf_status status = bench_host_start(self->run, &self->host, count, &self->ours_side, error);
    if (self->shape->ahead_us != 0) {
        bench_store_advance(&self->store, self->shape->ahead_us);
    }
    if (status == STF_OK) {
        status = stf_engine_run(self->host.engine, self->run->ctx, STF_RUN_IDLE, error);
    }
    bench_side_end_round(&self->ours_side, bench_now_ns() - began, count);
    return status;
}

static stf_status run_rounds(lives *self, uint64_t count, stf_error *error)
{
    stf_status status = STF_OK;
    for (uint64_t round = 0; round < BENCH_ROUNDS && status == STF_OK; round++) {
        uint64_t each = count * (round + 1) / BENCH_ROUNDS - count * round / BENCH_ROUNDS;
        status = run_ours(self, each, error);
        cli_store_totals counted = cli_store_totals_since(&self->store.totals, &self->before);
        if (status == STF_OK && counted.saves != 0) {
            status = bench_raw_lives(
                self->run, self->raw, &self->raw_next, each, self->shape->saves,
                (size_t)(counted.head_bytes / counted.saves), &self->raw_side, error);
        }
    }
    return status;
}

static stf_status finish(lives *self, uint64_t count, stf_error *error)
{
    const shape *form = self->shape;
    cli_store_totals counted = cli_store_totals_since(&self->store.totals, &self->before);
    stf_status status =
        cli_store_totals_check(form->name, &counted, count, form->saves, count, error);
    if (status == STF_OK && self->host.handled != count * form->handled) {
        status = stf_error_set(error, STF_INTERNAL, "BENCH",
                               "%s: the handler ran %llu times, expected %llu", form->name,
                               (unsigned long long)self->host.handled,
                               (unsigned long long)(count * form->handled));
    }
    bench_figure figure = {
        .store = self->run->place->name, .name = form->name, .unit = "instances", .count = count};
    if (status == STF_OK && !bench_report_add(self->run->report, &figure, &self->ours_side,
                                              &self->raw_side, &counted)) {
        status = stf_error_set(error, STF_INTERNAL, "BENCH", "no room for another figure");
    }
    return status;
}

static stf_status run_shape(const bench_run *run, const shape *form, stf_error *error)
{
    lives *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return stf_error_set(error, STF_NO_MEMORY, "BENCH", "no memory for a bench");
    }
    self->run = run;
    self->shape = form;
    uint64_t count = run->place->path[0] == '\0' ? form->memory_count : form->sqlite_count;
    count = run->count != 0 ? run->count : count;
    bench_side_init(&self->ours_side);
    bench_side_init(&self->raw_side);
    stf_status status = bench_store_open(run->place, false, &self->store, error);
    if (status == STF_OK) {
        status = bench_store_open_raw(run->place, self->raw_path, &self->raw, error);
    }
    if (status == STF_OK) {
        status = bench_host_open(run, &self->store, "bench", form->model, form->process,
                                 &self->host, error);
    }
    self->before = self->store.totals;
    if (status == STF_OK) {
        status = run_rounds(self, count, error);
    }
    if (status == STF_OK) {
        status = finish(self, count, error);
    }
    bench_host_close(&self->host);
    bench_raw_close(self->raw);
    bench_remove(self->raw_path);
    bench_store_close(&self->store);
    bench_side_done(&self->ours_side);
    bench_side_done(&self->raw_side);
    free(self);
    return status;
}

stf_status bench_run_service(const bench_run *run, stf_error *error)
{
    static const shape form = {.name = "engine.service",
                               .model = BENCH_MODEL_SERVICE,
                               .process = "service",
                               .saves = 2,
                               .handled = 1,
                               .memory_count = 500000,
                               .sqlite_count = 10000};
    return run_shape(run, &form, error);
}

stf_status bench_run_services(const bench_run *run, stf_error *error)
{
    static const shape form = {.name = "engine.services",
                               .model = BENCH_MODEL_SERVICES,
                               .process = "services",
                               .saves = 4,
                               .handled = 3,
                               .memory_count = 200000,
                               .sqlite_count = 5000};
    return run_shape(run, &form, error);
}

/* The instances of a round are parked; then their hour passes at once, and they are found due. */
stf_status bench_run_timer(const bench_run *run, stf_error *error)
{
    static const shape form = {.name = "engine.timer",
                               .model = BENCH_MODEL_TIMER,
                               .process = "timer",
                               .saves = 2,
                               .ahead_us = INT64_C(3600) * 1000000 + 1,
                               .memory_count = 200000,
                               .sqlite_count = 10000};
    return run_shape(run, &form, error);
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

/* What a parked instance takes beside its payload: in the memory store by what the allocator gave,
 * in a file by its size. */
static double bytes_kept(bench_store *store, uint64_t before)
{
    struct stat file = {.st_size = 0};
    if (store->path[0] == '\0') {
        return (double)(atomic_load(&store->live_bytes) - before);
    }
    bench_store_close_handles(store); /* moves the log into the file */
    return stat(store->path, &file) == 0 ? (double)file.st_size : 0;
}

/* Where instances are parked. */
typedef struct parking {
    const char *name;
    const char *model;
    const char *process;
} parking;

static stf_status add_parked(const bench_run *run, const parking *at, uint64_t count, double kept,
                             const cli_store_totals *counted, stf_error *error)
{
    double payload = (double)(counted->head_bytes + counted->bulk_bytes);
    bench_figure figure = {.store = run->place->name,
                           .name = at->name,
                           .unit = "bytes",
                           .count = count,
                           .rate = (kept - payload) / (double)count,
                           .raw_rate = payload / (double)count};
    if (!bench_report_add(run->report, &figure, NULL, NULL, counted)) {
        return stf_error_set(error, STF_INTERNAL, "BENCH", "no room for another figure");
    }
    return STF_OK;
}

static stf_status park(const bench_run *run, const parking *at, stf_error *error)
{
    bench_store *store = calloc(1, sizeof *store);
    bench_host host = {.engine = NULL};
    uint64_t count = run->place->path[0] == '\0' ? 100000 : 10000;
    count = run->count != 0 ? run->count : count;
    if (store == NULL) {
        return stf_error_set(error, STF_NO_MEMORY, "BENCH", "no memory for a bench");
    }
    stf_status status = bench_store_open(run->place, true, store, error);
    if (status == STF_OK) {
        status = bench_host_open(run, store, "bench", at->model, at->process, &host, error);
    }
    cli_store_totals before = store->totals;
    uint64_t live_before = atomic_load(&store->live_bytes);
    if (status == STF_OK) {
        status = bench_host_start(run, &host, count, NULL, error);
    }
    cli_store_totals counted = cli_store_totals_since(&store->totals, &before);
    bench_host_close(&host);
    if (status == STF_OK) {
        status = cli_store_totals_check(at->name, &counted, count, 1, count, error);
    }
    if (status == STF_OK) {
        status = add_parked(run, at, count, bytes_kept(store, live_before), &counted, error);
    }
    bench_store_close(store);
    free(store);
    return status;
}

stf_status bench_run_parked_task(const bench_run *run, stf_error *error)
{
    static const parking at = {"engine.parked_task", BENCH_MODEL_TASK, "task"};
    return park(run, &at, error);
}

stf_status bench_run_parked_timer(const bench_run *run, stf_error *error)
{
    static const parking at = {"engine.parked_timer", BENCH_MODEL_TIMER, "timer"};
    return park(run, &at, error);
}

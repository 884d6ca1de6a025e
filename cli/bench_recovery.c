/* SPDX-License-Identifier: Apache-2.0 */
/* Recovery: ten thousand instances whose work had started under another engine, which is gone and
 * whose leases have lapsed. Another engine of the group takes them over and settles each as
 * unknown. Beside it stand the raw reads and writes of as many rows in batches. */
#include <stdlib.h>
#include <time.h>

#include "bench_host.h"
#include "bench_model.h"

enum {
    ORPHANS = 10000,
    ROUNDS = 3,
    SAVES = 2, /* the claim, and the settlement */
    BATCH = 100
};

#define PAST_THE_LEASE_US (INT64_C(3600) * 1000000)

typedef struct recovery {
    const bench_run *run;
    bench_store store;
    bench_raw *raw;
    char raw_path[544];
    uint64_t raw_next;
    atomic_bool is_released;
    cli_store_totals counted;
    bench_side ours_side;
    bench_side raw_side;
} recovery;

/* The handler of the engine that goes: it runs until the engine is about to close. */
static stf_status hang(void *user, const stf_ctx *ctx, stf_work *work, stf_error *error)
{
    recovery *self = user;
    struct timespec pause = {.tv_nsec = 1000000};
    (void)work;
    (void)error;
    while (!atomic_load(&self->is_released) && !stf_cancel_is_requested(ctx->cancel)) {
        (void)nanosleep(&pause, NULL);
    }
    return STF_OK;
}

/* An engine that leaves count instances behind with started work. */
static stf_status leave_orphans(recovery *self, uint64_t count, stf_error *error)
{
    stf_engine *engine = NULL;
    stf_engine_options options = STF_ENGINE_OPTIONS_INIT;
    options.id = "gone";
    options.group = "bench";
    options.workers = 1;
    options.repository = self->store.counted;
    options.definitions = self->store.definitions;
    options.clock = &self->store.clock;
    const stf_handler handler = {.struct_size = sizeof handler,
                                 .abi = STF_HANDLER_ABI,
                                 .user = self,
                                 .run = hang,
                                 .concurrency_max = ORPHANS};
    stf_bytes file = {(const uint8_t *)BENCH_MODEL_SERVICE, sizeof BENCH_MODEL_SERVICE - 1};
    stf_start start = STF_START_INIT;
    start.process = stf_str_of("service");
    atomic_store(&self->is_released, false);
    stf_status status = stf_engine_new(&options, &engine, error);
    if (status == STF_OK) {
        status = stf_engine_add_handler(engine, stf_str_of("work"), &handler, error);
    }
    if (status == STF_OK) {
        status = stf_engine_start(engine, self->run->ctx, error);
    }
    if (status == STF_OK) {
        status = stf_engine_deploy(engine, self->run->ctx, file, NULL, NULL, NULL, error);
    }
    for (uint64_t i = 0; i < count && status == STF_OK; i++) {
        status = stf_engine_start_instance(engine, self->run->ctx, &start, NULL, error);
    }
    /* A deadline that has passed: nothing more is saved, as after a crash. */
    stf_ctx over = STF_CTX_INIT;
    over.flags = STF_CTX_HAS_DEADLINE;
    over.deadline = (stf_mono){0};
    atomic_store(&self->is_released, true);
    (void)stf_engine_close(engine, &over);
    return status;
}

static stf_status recover(recovery *self, uint64_t count, stf_error *error)
{
    bench_host host;
    cli_store_totals before = self->store.totals;
    uint64_t began = bench_now_ns();
    stf_status status = bench_host_open(self->run, &self->store, "heir", BENCH_MODEL_SERVICE,
                                        "service", &host, error);
    if (status == STF_OK) {
        status = stf_engine_run(host.engine, self->run->ctx, STF_RUN_IDLE, error);
    }
    uint64_t ns = bench_now_ns() - began;
    bench_host_close(&host);
    if (status == STF_OK && host.handled != 0) {
        status = stf_error_set(error, STF_INTERNAL, "BENCH",
                               "engine.recovery: work of an unknown outcome ran again");
    }
    cli_store_totals counted = cli_store_totals_since(&self->store.totals, &before);
    if (status == STF_OK) {
        status = cli_store_totals_check("engine.recovery", &counted, count, SAVES, 0, error);
    }
    self->counted.commits += counted.commits;
    self->counted.saves += counted.saves;
    self->counted.loads += counted.loads;
    self->counted.head_bytes += counted.head_bytes;
    self->counted.bulk_bytes += counted.bulk_bytes;
    bench_side_end_round(&self->ours_side, ns, count);
    return status;
}

/* A batch of rows: made, then (timed) read and written as often as a recovery saves. */
static stf_status recover_raw_batch(recovery *self, bench_row *rows, uint64_t count,
                                    uint64_t *timed_ns, stf_error *error)
{
    static const uint8_t head[256];
    size_t size = 0;
    for (uint64_t i = 0; i < count; i++) {
        bench_row_name(&rows[i], self->raw_next++);
        rows[i].version = 1;
        rows[i].head = (stf_bytes){head, sizeof head};
    }
    stf_status status = self->raw->vtable->write(self->raw, rows, count, error);
    uint64_t began = bench_now_ns();
    for (uint64_t i = 0; i < count && status == STF_OK; i++) {
        status = self->raw->vtable->read(self->raw, &rows[i], &size, error);
    }
    for (uint64_t k = 0; k < SAVES && status == STF_OK; k++) {
        for (uint64_t i = 0; i < count; i++) {
            rows[i].version++;
        }
        status = self->raw->vtable->write(self->raw, rows, count, error);
    }
    *timed_ns += bench_now_ns() - began;
    return status;
}

static stf_status recover_raw(recovery *self, uint64_t count, stf_error *error)
{
    bench_row rows[BATCH];
    uint64_t ns = 0;
    stf_status status = STF_OK;
    for (uint64_t left = count; left != 0 && status == STF_OK;) {
        uint64_t batch = left < BATCH ? left : BATCH;
        status = recover_raw_batch(self, rows, batch, &ns, error);
        left -= batch;
    }
    bench_side_end_round(&self->raw_side, ns, count);
    return status;
}

static stf_status run_rounds(recovery *self, uint64_t count, stf_error *error)
{
    stf_status status = STF_OK;
    for (uint64_t round = 0; round < ROUNDS && status == STF_OK; round++) {
        status = recover_raw(self, count, error);
        if (status == STF_OK) {
            status = leave_orphans(self, count, error);
        }
        bench_store_advance(&self->store, PAST_THE_LEASE_US);
        if (status == STF_OK) {
            status = recover(self, count, error);
        }
    }
    return status;
}

stf_status bench_run_recovery(const bench_run *run, stf_error *error)
{
    recovery *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return stf_error_set(error, STF_NO_MEMORY, "BENCH", "no memory for a bench");
    }
    uint64_t count = run->count != 0 && run->count < ORPHANS ? run->count : ORPHANS;
    self->run = run;
    bench_side_init(&self->ours_side);
    bench_side_init(&self->raw_side);
    stf_status status = bench_store_open(run->place, false, &self->store, error);
    if (status == STF_OK) {
        status = bench_store_open_raw(run->place, self->raw_path, &self->raw, error);
    }
    if (status == STF_OK) {
        status = run_rounds(self, count, error);
    }
    bench_figure figure = {.store = run->place->name,
                           .name = "engine.recovery",
                           .unit = "instances",
                           .count = count * ROUNDS};
    if (status == STF_OK && !bench_report_add(run->report, &figure, &self->ours_side,
                                              &self->raw_side, &self->counted)) {
        status = stf_error_set(error, STF_INTERNAL, "BENCH", "no room for another figure");
    }
    bench_raw_close(self->raw);
    bench_remove(self->raw_path);
    bench_store_close(&self->store);
    bench_side_done(&self->ours_side);
    bench_side_done(&self->raw_side);
    free(self);
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* See bench_host.h. */
#include "bench_host.h"

#include <string.h>

#include "bench_model.h"

/* Work that finds no free slot waits in its record, which is another save. Where a start and the
 * next task of an instance before it meet in one turn, one slot is not enough. */
enum {
    HANDLED_AT_ONCE = 16
};

static stf_status handle(void *user, const stf_ctx *ctx, stf_work *work, stf_error *error)
{
    bench_host *host = user;
    (void)ctx;
    host->handled++;
    return stf_work_complete(work, NULL, error);
}

stf_status bench_host_open(const bench_run *run, bench_store *store, const char *id,
                           const char *model, const char *process, bench_host *ret_host,
                           stf_error *error)
{
    stf_engine_options options = STF_ENGINE_OPTIONS_INIT;
    *ret_host = (bench_host){.store = store, .start = STF_START_INIT};
    ret_host->start.process = stf_str_of(process);
    options.id = id;
    options.group = "bench";
    options.repository = store->counted;
    options.definitions = store->definitions;
    options.clock = &store->clock;
    const stf_handler handler = {.struct_size = sizeof handler,
                                 .abi = STF_HANDLER_ABI,
                                 .user = ret_host,
                                 .run = handle,
                                 .concurrency_max = HANDLED_AT_ONCE};
    stf_bytes file = {(const uint8_t *)model, strlen(model)};
    stf_status status = stf_engine_new(&options, &ret_host->engine, error);
    if (status == STF_OK) {
        status = stf_engine_add_handler(ret_host->engine, stf_str_of("work"), &handler, error);
    }
    if (status == STF_OK) {
        status = stf_engine_start(ret_host->engine, run->ctx, error);
    }
    if (status == STF_OK) {
        status = stf_engine_deploy(ret_host->engine, run->ctx, file, NULL, NULL, NULL, error);
    }
    return status;
}

void bench_host_close(bench_host *host)
{
    host->engine = stf_engine_close(host->engine, NULL);
}

stf_status bench_host_start(const bench_run *run, bench_host *host, uint64_t count,
                            bench_side *side, stf_error *error)
{
    stf_status status = STF_OK;
    uint64_t before = bench_now_ns();
    for (uint64_t i = 0; i < count && status == STF_OK; i++) {
        status = stf_engine_start_instance(host->engine, run->ctx, &host->start, NULL, error);
        uint64_t now = bench_now_ns();
        if (side != NULL && !bench_side_add(side, now - before, 1)) {
            status = stf_error_set(error, STF_NO_MEMORY, "BENCH", "no memory for samples");
        }
        before = now;
    }
    return status;
}

stf_status bench_raw_lives(const bench_run *run, bench_raw *raw, uint64_t *next, uint64_t count,
                           uint64_t writes, size_t bytes, bench_side *side, stf_error *error)
{
    static uint8_t head[65536];
    stf_status status = stf_ctx_check(run->ctx, error);
    uint64_t began = bench_now_ns();
    uint64_t before = began;
    bytes = bytes < sizeof head ? bytes : sizeof head;
    for (uint64_t i = 0; i < count && status == STF_OK; i++) {
        bench_row row = {.head = {head, bytes}};
        bench_row_name(&row, (*next)++);
        memcpy(head, next, sizeof *next);
        while (row.version < (int64_t)writes && status == STF_OK) {
            row.version++;
            status = raw->vtable->write(raw, &row, 1, error);
        }
        uint64_t now = bench_now_ns();
        if (!bench_side_add(side, now - before, 1)) {
            status = stf_error_set(error, STF_NO_MEMORY, "BENCH", "no memory for samples");
        }
        before = now;
    }
    bench_side_end_round(side, bench_now_ns() - began, count);
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Figures at the port: the repository called as the engine calls it, on the caller's thread, beside
 * the raw reference. Rounds of both sides take turns. That a save was done is read from its result,
 * and from the record: each load compares the version. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <stepfast/sys/repository_batch.h>

#include "bench_run.h"

enum {
    HEAD_BYTES = 512,
    BATCH = 100,
    STRIDE = 1000003 /* a prime over the largest count: each row once, in no order that a cache
                        likes */
};

typedef enum port_kind {
    PORT_CREATE,
    PORT_SAVE,
    PORT_LOAD
} port_kind;

/* One of the figures. */
typedef struct port_figure {
    const char *name;
    const char *unit;
    port_kind kind;
    uint64_t batch;
    uint64_t memory_count;
    uint64_t sqlite_count;
} port_figure;

typedef struct port {
    const bench_run *run;
    bench_store store;
    bench_raw *raw;
    char raw_path[544];
    uint64_t row_count;
    int64_t *ours; /* versions by row */
    int64_t *raws;
    uint64_t drawn;  /* for attempts and heads */
    uint64_t sample; /* operations that are timed together */
    cli_store_totals totals;
    uint8_t head[HEAD_BYTES];
    bench_row rows[BATCH];
    stf_record records[BATCH];
    stf_save saves[BATCH];
    stf_save_result results[BATCH];
} port;

static uint64_t row_at(const port *self, port_kind kind, uint64_t n)
{
    uint64_t rows = self->row_count;
    if (kind == PORT_CREATE) {
        return n;
    }
    return rows > 1 ? n * STRIDE % rows : 0;
}

/* ---- Writing --------------------------------------------------------------------------------- */

static void fill_save(port *self, uint64_t slot, uint64_t number)
{
    stf_record *record = &self->records[slot];
    stf_save *save = &self->saves[slot];
    bench_row_name(&self->rows[slot], number);
    *record = (stf_record)STF_RECORD_INIT;
    record->id = (stf_str){self->rows[slot].id, BENCH_ID_BYTES};
    record->group = stf_str_of("bench");
    record->label_key = stf_str_of("bench");
    record->label_version = 1;
    record->head = (stf_bytes){self->head, sizeof self->head};
    *save = (stf_save)STF_SAVE_INIT;
    save->record = record;
    save->expected_version = self->ours[number];
    self->drawn++;
    memcpy(save->attempt.bytes, &self->drawn, sizeof self->drawn);
    save->flags = self->ours[number] != 0 ? STF_SAVE_KEEP_BULK : 0;
}

static stf_status save_ours(port *self, port_kind kind, uint64_t first, uint64_t count,
                            stf_error *error)
{
    stf_status status;
    for (uint64_t i = 0; i < count; i++) {
        fill_save(self, i, row_at(self, kind, first + i));
    }
    memcpy(self->head, &self->drawn, sizeof self->drawn);
    if (count == 1) {
        status = stf_repository_save(self->store.plain, self->run->ctx, &self->saves[0],
                                     &self->results[0], error);
        self->results[0].status = (uint32_t)status;
    } else {
        status = stf_repository_save_many(self->store.plain, self->run->ctx, self->saves, count,
                                          self->results, error);
    }
    self->totals.commits++;
    for (uint64_t i = 0; i < count && status == STF_OK; i++) {
        int64_t *version = &self->ours[row_at(self, kind, first + i)];
        bool is_done =
            self->results[i].status == STF_OK && self->results[i].rec_version == *version + 1;
        self->totals.saves += is_done ? 1 : 0;
        self->totals.refused += is_done ? 0 : 1;
        self->totals.creates += is_done && *version == 0 ? 1 : 0;
        self->totals.head_bytes += is_done ? self->records[i].head.size : 0;
        *version += is_done ? 1 : 0;
    }
    return status;
}

static stf_status save_raw(port *self, port_kind kind, uint64_t first, uint64_t count,
                           stf_error *error)
{
    self->drawn++;
    memcpy(self->head, &self->drawn, sizeof self->drawn);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t number = row_at(self, kind, first + i);
        bench_row_name(&self->rows[i], number);
        self->rows[i].version = ++self->raws[number];
        self->rows[i].head = (stf_bytes){self->head, sizeof self->head};
    }
    return self->raw->vtable->write(self->raw, self->rows, count, error);
}

/* ---- Reading --------------------------------------------------------------------------------- */

typedef struct loaded {
    int64_t version;
    uint8_t head[HEAD_BYTES];
    size_t size;
} loaded;

static stf_status visit(void *user, const stf_record *record, stf_error *error)
{
    loaded *copy = user;
    copy->version = record->rec_version;
    copy->size = record->head.size;
    if (copy->size > sizeof copy->head) {
        return stf_error_set(error, STF_INTERNAL, "BENCH", "a head of %zu bytes", copy->size);
    }
    memcpy(copy->head, record->head.data, copy->size);
    return STF_OK;
}

static stf_status load_ours(port *self, uint64_t n, stf_error *error)
{
    uint64_t number = row_at(self, PORT_LOAD, n);
    bool is_found = false;
    loaded copy = {.version = 0};
    bench_row_name(&self->rows[0], number);
    stf_str id = {self->rows[0].id, BENCH_ID_BYTES};
    stf_status status =
        stf_repository_load(self->store.plain, self->run->ctx, id, visit, &copy, &is_found, error);
    if (status == STF_OK && (!is_found || copy.version != self->ours[number])) {
        status = stf_error_set(error, STF_INTERNAL, "BENCH",
                               "record %s has version %" PRId64 ", expected %" PRId64,
                               self->rows[0].id, copy.version, self->ours[number]);
    }
    self->totals.loads += status == STF_OK && copy.size == HEAD_BYTES ? 1 : 0;
    return status;
}

static stf_status load_raw(port *self, uint64_t n, stf_error *error)
{
    size_t size = 0;
    bench_row_name(&self->rows[0], row_at(self, PORT_LOAD, n));
    return self->raw->vtable->read(self->raw, &self->rows[0], &size, error);
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

static stf_status work(port *self, const port_figure *figure, bool is_raw, uint64_t first,
                       uint64_t count, stf_error *error)
{
    if (figure->kind == PORT_LOAD) {
        return is_raw ? load_raw(self, first, error) : load_ours(self, first, error);
    }
    return is_raw ? save_raw(self, figure->kind, first, count, error)
                  : save_ours(self, figure->kind, first, count, error);
}

/* Operations first to last, by batches; samples of a few batches each. */
static stf_status run_round(port *self, const port_figure *figure, bool is_raw, uint64_t first,
                            uint64_t last, bench_side *side, stf_error *error)
{
    uint64_t sample = figure->batch > 1 ? figure->batch : self->sample;
    uint64_t began = bench_now_ns();
    uint64_t before = began;
    uint64_t timed = 0;
    stf_status status = STF_OK;
    for (uint64_t n = first; n < last && status == STF_OK;) {
        uint64_t count = last - n < figure->batch ? last - n : figure->batch;
        status = work(self, figure, is_raw, n, count, error);
        n += count;
        timed += count;
        if (timed >= sample || n == last) {
            uint64_t now = bench_now_ns();
            if (!bench_side_add(side, now - before, timed)) {
                return stf_error_set(error, STF_NO_MEMORY, "BENCH", "no memory for samples");
            }
            before = now;
            timed = 0;
        }
    }
    bench_side_end_round(side, bench_now_ns() - began, last - first);
    return status == STF_OK ? stf_ctx_check(self->run->ctx, error) : status;
}

static stf_status check(port *self, const port_figure *figure, uint64_t count, stf_error *error)
{
    if (figure->kind != PORT_LOAD) {
        return cli_store_totals_check(figure->name, &self->totals, count, 1,
                                      figure->kind == PORT_CREATE ? count : 0, error);
    }
    if (self->totals.loads != count) {
        return stf_error_set(error, STF_INTERNAL, "BENCH",
                             "%s: counted %" PRIu64 " loads, expected %" PRIu64, figure->name,
                             self->totals.loads, count);
    }
    return STF_OK;
}

static stf_status take_figure(port *self, const port_figure *figure, uint64_t count,
                              stf_error *error)
{
    bench_side ours;
    bench_side raw;
    stf_status status = STF_OK;
    bench_side_init(&ours);
    bench_side_init(&raw);
    memset(&self->totals, 0, sizeof self->totals);
    for (uint64_t round = 0; round < BENCH_ROUNDS && status == STF_OK; round++) {
        uint64_t first = count * round / BENCH_ROUNDS;
        uint64_t last = count * (round + 1) / BENCH_ROUNDS;
        status = run_round(self, figure, true, first, last, &raw, error);
        if (status == STF_OK) {
            status = run_round(self, figure, false, first, last, &ours, error);
        }
    }
    if (status == STF_OK) {
        status = check(self, figure, count, error);
    }
    bench_figure added = {.store = self->run->place->name,
                          .name = figure->name,
                          .unit = figure->unit,
                          .count = count};
    if (status == STF_OK &&
        !bench_report_add(self->run->report, &added, &ours, &raw, &self->totals)) {
        status = stf_error_set(error, STF_INTERNAL, "BENCH", "no room for another figure");
    }
    bench_side_done(&ours);
    bench_side_done(&raw);
    return status;
}

static stf_status open_port(port *self, stf_error *error)
{
    self->ours = calloc(self->row_count, sizeof *self->ours);
    self->raws = calloc(self->row_count, sizeof *self->raws);
    if (self->ours == NULL || self->raws == NULL) {
        return stf_error_set(error, STF_NO_MEMORY, "BENCH", "no memory for the rows");
    }
    uint64_t state = 1;
    for (size_t i = 0; i < sizeof self->head; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        self->head[i] = (uint8_t)(state >> 56);
    }
    stf_status status = bench_store_open(self->run->place, false, &self->store, error);
    return status == STF_OK
               ? bench_store_open_raw(self->run->place, self->raw_path, &self->raw, error)
               : status;
}

static const port_figure figures[] = {
    {"port.create_batch", "saves", PORT_CREATE, BATCH, 100000, 20000},
    {"port.save", "saves", PORT_SAVE, 1, 500000, 15000},
    {"port.save_batch", "saves", PORT_SAVE, BATCH, 500000, 100000},
    {"port.load", "loads", PORT_LOAD, 1, 500000, 100000},
};

stf_status bench_run_port(const bench_run *run, stf_error *error)
{
    bool is_memory = run->place->path[0] == '\0';
    port *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return stf_error_set(error, STF_NO_MEMORY, "BENCH", "no memory for a bench");
    }
    self->run = run;
    self->sample = is_memory ? 32 : 1; /* shorter ones than the clock's own time are not timed */
    self->row_count = is_memory ? figures[0].memory_count : figures[0].sqlite_count;
    self->row_count = run->count != 0 ? run->count : self->row_count;
    stf_status status = open_port(self, error);
    for (size_t i = 0; i < sizeof figures / sizeof figures[0] && status == STF_OK; i++) {
        uint64_t count = is_memory ? figures[i].memory_count : figures[i].sqlite_count;
        port_figure figure = figures[i];
        figure.batch = figure.batch < self->row_count ? figure.batch : self->row_count;
        status = take_figure(self, &figure, run->count != 0 ? run->count : count, error);
    }
    bench_raw_close(self->raw);
    bench_remove(self->raw_path);
    bench_store_close(&self->store);
    free(self->ours);
    free(self->raws);
    free(self);
    return status;
}

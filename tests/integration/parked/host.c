/* SPDX-License-Identifier: Apache-2.0 */
/* The two processes of parked.py: one lets the engine park instances in a SQLite store, the other
 * starts on what is there and says what that took.
 *   host make PATH COUNT DUE   COUNT instances wait at user tasks and at timers of a year; DUE of
 *                              them at timers of half an hour
 *   host wake PATH             half an hour later by its clock: starts, runs until nothing is
 * runnable, prints what it loaded and saved, how long the start took, and the most memory that it
 * ever had */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stepfast/engine.h>
#include <stepfast/sqlite.h>

#include "bench_sample.h"
#include "store_count.h"

enum {
    CALLERS = 64 /* the starts of several callers share a commit */
};

#define HOUR_US (INT64_C(3600) * 1000000)
#define FLOWS_                                                                                     \
    "<sequenceFlow id=\"f1\" sourceRef=\"start\" targetRef=\"wait\"/>"                             \
    "<sequenceFlow id=\"f2\" sourceRef=\"wait\" targetRef=\"end\"/>"
#define MODEL_(id, wait)                                                                           \
    "<definitions xmlns=\"http://www.omg.org/spec/BPMN/20100524/MODEL\" id=\"parked\""             \
    " targetNamespace=\"parked\"><process id=\"" id "\" isExecutable=\"true\">"                    \
    "<startEvent id=\"start\"/>" wait "<endEvent id=\"end\"/>" FLOWS_ "</process></definitions>"
#define TIMER_(duration)                                                                           \
    "<intermediateCatchEvent id=\"wait\"><timerEventDefinition><timeDuration>" duration            \
    "</timeDuration></timerEventDefinition></intermediateCatchEvent>"

static const char *const models[] = {MODEL_("soon", TIMER_("PT30M")),
                                     MODEL_("year", TIMER_("P365D")),
                                     MODEL_("task", "<userTask id=\"wait\"/>")};

typedef struct host {
    cli_store_totals totals;
    stf_sqlite *sqlite;
    stf_repository *repository;
    stf_definition_store *definitions;
    stf_engine *engine;
    uint64_t count;
    uint64_t due;
    atomic_uint_least64_t next;
    atomic_bool has_failed;
} host;

static int64_t ahead_us;

static stf_wall moved_wall(void *user)
{
    (void)user;
    return (stf_wall){stf_clock_system()->wall(NULL).us + ahead_us};
}

static stf_mono moved_mono(void *user)
{
    (void)user;
    return stf_clock_system()->mono(NULL);
}

static const stf_clock moved = {
    .struct_size = sizeof moved, .abi = STF_CLOCK_ABI, .wall = moved_wall, .mono = moved_mono};

static void fail(const stf_error *error)
{
    fprintf(stderr, "host: %s (%s)\n", error->message, stf_status_name((stf_status)error->status));
}

static stf_status complete(void *user, const stf_ctx *ctx, stf_work *work, stf_error *error)
{
    (void)user;
    (void)ctx;
    return stf_work_complete(work, NULL, error);
}

static stf_status open_stores(host *self, const char *path, stf_error *error)
{
    stf_sqlite_options options = STF_SQLITE_OPTIONS_INIT;
    stf_repository *inner = NULL;
    options.path = path;
    options.clock = &moved;
    stf_status status = stf_sqlite_open(NULL, &options, &self->sqlite, error);
    if (status == STF_OK) {
        status = stf_sqlite_open_repository(self->sqlite, &inner, error);
    }
    if (status == STF_OK) {
        status = stf_sqlite_open_definitions(self->sqlite, &self->definitions, error);
    }
    return status == STF_OK ? cli_store_count(inner, &self->totals, &self->repository, error)
                            : status;
}

static stf_status open_engine(host *self, const char *id, stf_error *error)
{
    stf_engine_options options = STF_ENGINE_OPTIONS_INIT;
    const stf_handler handler = {
        .struct_size = sizeof handler, .abi = STF_HANDLER_ABI, .run = complete};
    options.id = id;
    options.group = "parked";
    options.repository = self->repository;
    options.definitions = self->definitions;
    options.clock = &moved;
    options.workers = 1;
    options.lease_us =
        HOUR_US; /* what is overdue by more is claimed first, which is another save */
    stf_status status = stf_engine_new(&options, &self->engine, error);
    if (status == STF_OK) {
        status = stf_engine_add_handler(self->engine, stf_str_of("*"), &handler, error);
    }
    return status == STF_OK ? stf_engine_start(self->engine, NULL, error) : status;
}

static void close_host(host *self)
{
    self->engine = stf_engine_close(self->engine, NULL);
    self->repository = stf_repository_close(self->repository);
    self->definitions = stf_definition_store_close(self->definitions);
    self->sqlite = stf_sqlite_unref(self->sqlite);
}

/* ---- make ------------------------------------------------------------------------------------ */

/* The due ones lie between the others. */
static const char *process_of(const host *self, uint64_t number)
{
    uint64_t step = self->count / self->due;
    if (number % step == step / 2 && number / step < self->due) {
        return "soon";
    }
    return number % 2 == 0 ? "year" : "task";
}

static void *call(void *user)
{
    host *self = user;
    stf_error error = STF_ERROR_INIT;
    for (;;) {
        uint64_t number = atomic_fetch_add(&self->next, 1);
        if (number >= self->count || atomic_load(&self->has_failed)) {
            return NULL;
        }
        stf_start start = STF_START_INIT;
        start.process = stf_str_of(process_of(self, number));
        if (stf_engine_start_instance(self->engine, NULL, &start, NULL, &error) != STF_OK) {
            atomic_store(&self->has_failed, true);
            fail(&error);
        }
    }
}

static int make(host *self, const char *path)
{
    pthread_t callers[CALLERS];
    stf_error error = STF_ERROR_INIT;
    stf_status status = open_stores(self, path, &error);
    if (status == STF_OK) {
        status = open_engine(self, "maker", &error);
    }
    for (size_t i = 0; i < sizeof models / sizeof models[0] && status == STF_OK; i++) {
        stf_bytes file = {(const uint8_t *)models[i], strlen(models[i])};
        status = stf_engine_deploy(self->engine, NULL, file, NULL, NULL, NULL, &error);
    }
    if (status != STF_OK) {
        fail(&error);
        return 1;
    }
    uint64_t began = bench_now_ns();
    int started = 0;
    while (started < CALLERS && pthread_create(&callers[started], NULL, call, self) == 0) {
        started++;
    }
    for (int i = 0; i < started; i++) {
        (void)pthread_join(callers[i], NULL);
    }
    uint64_t ms = (bench_now_ns() - began) / 1000000;
    printf("{\"saves\": %" PRIu64 ", \"commits\": %" PRIu64 ", \"milliseconds\": %" PRIu64 "}\n",
           self->totals.saves, self->totals.commits, ms);
    return atomic_load(&self->has_failed) || started == 0 ? 1 : 0;
}

/* ---- wake ------------------------------------------------------------------------------------ */

/* In KiB; 0 where the kernel does not say. */
static unsigned long most_memory_kib(void)
{
    char line[256];
    unsigned long kib = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "VmHWM:", 6) == 0) {
            kib = strtoul(line + 6, NULL, 10);
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return kib;
}

static int wake(host *self, const char *path)
{
    stf_error error = STF_ERROR_INIT;
    uint64_t began = bench_now_ns();
    ahead_us = HOUR_US / 2;
    stf_status status = open_stores(self, path, &error);
    if (status == STF_OK) {
        status = open_engine(self, "heir", &error);
    }
    uint64_t start_ms = (bench_now_ns() - began) / 1000000;
    if (status == STF_OK) {
        status = stf_engine_run(self->engine, NULL, STF_RUN_IDLE, &error);
    }
    uint64_t all_ms = (bench_now_ns() - began) / 1000000;
    if (status != STF_OK) {
        fail(&error);
        return 1;
    }
    printf("{\"loads\": %" PRIu64 ", \"saves\": %" PRIu64 ", \"refused\": %" PRIu64
           ", \"start_milliseconds\": %" PRIu64 ", \"milliseconds\": %" PRIu64
           ", \"most_memory_kib\": %lu}\n",
           self->totals.loads, self->totals.saves, self->totals.refused, start_ms, all_ms,
           most_memory_kib());
    return 0;
}

int main(int argc, char **argv)
{
    static host self;
    int code = 2;
    if (argc == 5 && strcmp(argv[1], "make") == 0) {
        self.count = strtoull(argv[3], NULL, 10);
        self.due = strtoull(argv[4], NULL, 10);
        code = self.due != 0 && self.count >= 2 * self.due ? make(&self, argv[2]) : 2;
    } else if (argc == 3 && strcmp(argv[1], "wake") == 0) {
        code = wake(&self, argv[2]);
    }
    close_host(&self);
    if (code == 2) {
        fputs("usage: host make PATH COUNT DUE | host wake PATH\n", stderr);
    }
    return code;
}

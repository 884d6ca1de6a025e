/* SPDX-License-Identifier: Apache-2.0 */
/* stepfast bench: measures stores and engine on this machine, beside what the same work costs
 * without them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench_run.h"
#include "command.h"
#include "output.h"
#include "store.h"

static const struct {
    const char *name; /* of one figure, or of several with that beginning and a point */
    stf_status (*run)(const bench_run *run, stf_error *error);
} groups[] = {
    {"port", bench_run_port},
    {"engine.service", bench_run_service},
    {"engine.services", bench_run_services},
    {"engine.timer", bench_run_timer},
    {"engine.parked_task", bench_run_parked_task},
    {"engine.parked_timer", bench_run_parked_timer},
    {"engine.recovery", bench_run_recovery},
};

/* "engine" names all of engine.*. */
static bool is_chosen(const char *name, const char *only)
{
    size_t size = only != NULL ? strlen(only) : 0;
    return only == NULL ||
           (strncmp(name, only, size) == 0 && (name[size] == '\0' || name[size] == '.'));
}

static bool is_known(const char *only)
{
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        if (is_chosen(groups[i].name, only)) {
            return true;
        }
    }
    return false;
}

/* The files get a folder that nobody else uses: beside the named one, or where temporary files go.
 */
static stf_status make_folder(const char *path, char *ret_folder, size_t size, stf_error *error)
{
    const char *temporary = getenv("TMPDIR");
    int written = path != NULL
                      ? snprintf(ret_folder, size, "%s-bench-XXXXXX", path)
                      : snprintf(ret_folder, size, "%s/stepfast-bench-XXXXXX",
                                 temporary != NULL && temporary[0] != '\0' ? temporary : "/tmp");
    if (written < 0 || (size_t)written >= size) {
        return stf_error_set(error, STF_LIMIT_EXCEEDED, "CLI", "the path is too long");
    }
    if (mkdtemp(ret_folder) == NULL) {
        return stf_error_set(error, STF_UNAVAILABLE, "CLI", "%s: %s", ret_folder, strerror(errno));
    }
    return STF_OK;
}

static stf_status run_groups(bench_run *run, const char *only, stf_error *error)
{
    stf_status status = STF_OK;
    for (size_t i = 0; i < sizeof groups / sizeof groups[0] && status == STF_OK; i++) {
        if (is_chosen(groups[i].name, only)) {
            fprintf(stderr, "stepfast: %s: %s ...\n", run->place->name, groups[i].name);
            status = groups[i].run(run, error);
        }
    }
    return status;
}

static stf_status run_memory(bench_run *run, const char *only, stf_error *error)
{
    bench_place place = {.name = "memory"};
    run->place = &place;
    return run_groups(run, only, error);
}

static stf_status run_sqlite(bench_run *run, const char *path, const char *only, stf_error *error)
{
    bench_place place = {.name = "sqlite"};
    char folder[480];
    stf_status status = make_folder(path, folder, sizeof folder, error);
    if (status != STF_OK) {
        return status;
    }
    (void)snprintf(place.path, sizeof place.path, "%s/bench", folder);
    run->place = &place;
    status = run_groups(run, only, error);
    (void)rmdir(folder);
    return status;
}

cli_exit_code cli_bench(const cli_options *options, stf_cancel *cancel)
{
    stf_ctx ctx = STF_CTX_INIT;
    stf_error error = STF_ERROR_INIT;
    bench_report report = {.count = 0};
    bench_run run = {.report = &report, .ctx = &ctx, .count = (uint64_t)options->count};
    const char *path = options->store != NULL ? cli_store_sqlite_path(options->store) : NULL;
    bool is_memory = options->store == NULL || strcmp(options->store, "memory:") == 0;
    bool is_sqlite = options->store == NULL || (path != NULL && path[0] != '\0');
    ctx.cancel = cancel;
    if (!is_known(options->only)) {
        cli_complain("--only %s names no figure; see: stepfast bench --help", options->only);
        return CLI_EXIT_USAGE;
    }
    if (!is_memory && !is_sqlite) {
        cli_complain("\"%s\" names no store: use memory: or sqlite:PATH", options->store);
        return CLI_EXIT_USAGE;
    }
    stf_status status = is_memory ? run_memory(&run, options->only, &error) : STF_OK;
    if (status == STF_OK && is_sqlite) {
        status = run_sqlite(&run, path, options->only, &error);
    }
    if (status != STF_OK) {
        return cli_report(&error);
    }
    if (options->is_json) {
        bench_report_print_json(&report, stdout);
    } else {
        bench_report_print_text(&report, stdout);
    }
    return CLI_EXIT_OK;
}

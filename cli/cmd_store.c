/* SPDX-License-Identifier: Apache-2.0 */
/* stepfast migrate, conformance and version. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <stepfast/conformance.h>
#include <stepfast/stepfast.h>
#include <stepfast/sys/repository_migrator.h>

#include "command.h"
#include "output.h"
#include "store.h"

cli_exit_code cli_migrate(const cli_options *options, stf_cancel *cancel)
{
    const char *url = cli_store_choose(options->store, NULL);
    if (url == NULL) {
        return CLI_EXIT_USAGE;
    }
    stf_ctx ctx = STF_CTX_INIT;
    ctx.cancel = cancel;
    stf_error error = STF_ERROR_INIT;
    cli_store store;
    stf_status status = cli_store_open(&ctx, url, 0, &store, &error);
    const char *outcome = "up to date";
    if (status == STF_OK && stf_repository_has(store.repository, STF_REPOSITORY_MIGRATOR)) {
        status = stf_repository_migrate(store.repository, &ctx, &error);
    } else if (status == STF_OK) {
        outcome = "no schema needed";
    }
    cli_store_close(&store);
    if (status != STF_OK) {
        return cli_report(&error);
    }
    printf(options->is_json ? "{\"schema\": \"%s\"}\n" : "schema: %s\n", outcome);
    return CLI_EXIT_OK;
}

cli_exit_code cli_version(const cli_options *options, stf_cancel *cancel)
{
    (void)cancel;
    printf(options->is_json ? "{\"version\": \"%s\"}\n" : "stepfast %s\n", stf_version());
    return CLI_EXIT_OK;
}

/* ---- conformance ------------------------------------------------------------------------------
 */

/* A store of the suite's own: in memory, or a new file beside the one that was named. */
typedef struct suite {
    char *path; /* NULL: memory */
    stf_memory *memory;
} suite;

static stf_status open_sqlite(suite *self, const stf_clock *clock, stf_sqlite **ret_sqlite,
                              stf_error *error)
{
    stf_sqlite_options options = STF_SQLITE_OPTIONS_INIT;
    options.path = self->path;
    options.clock = clock;
    return stf_sqlite_open(NULL, &options, ret_sqlite, error);
}

static stf_status open_repository(void *user, const stf_clock *clock,
                                  stf_repository **ret_repository, stf_error *error)
{
    suite *self = user;
    if (self->path == NULL) {
        return stf_memory_open_repository(self->memory, ret_repository, error);
    }
    stf_sqlite *sqlite = NULL;
    stf_status status = open_sqlite(self, clock, &sqlite, error);
    if (status == STF_OK) {
        status = stf_sqlite_open_repository(sqlite, ret_repository, error);
    }
    stf_sqlite_unref(sqlite);
    return status;
}

static stf_status open_definitions(void *user, const stf_clock *clock,
                                   stf_definition_store **ret_store, stf_error *error)
{
    suite *self = user;
    if (self->path == NULL) {
        return stf_memory_open_definitions(self->memory, ret_store, error);
    }
    stf_sqlite *sqlite = NULL;
    stf_status status = open_sqlite(self, clock, &sqlite, error);
    if (status == STF_OK) {
        status = stf_sqlite_open_definitions(sqlite, ret_store, error);
    }
    stf_sqlite_unref(sqlite);
    return status;
}

static void destroy(void *user)
{
    static const char *const endings[] = {"", "-wal", "-shm", "-owners", "-journal"};
    suite *self = user;
    self->memory = stf_memory_unref(self->memory);
    for (size_t i = 0; self->path != NULL && i < sizeof endings / sizeof endings[0]; i++) {
        char *name = NULL;
        if (asprintf(&name, "%s%s", self->path, endings[i]) >= 0) {
            unlink(name);
            free(name);
        }
    }
}

static stf_status make_fresh(void *user, const stf_clock *clock, stf_repository **ret_repository,
                             stf_error *error)
{
    suite *self = user;
    destroy(self);
    stf_memory_options options = {
        .struct_size = sizeof options, .abi = STF_MEMORY_ABI, .clock = clock};
    stf_status status =
        self->path == NULL ? stf_memory_new(&options, &self->memory, error) : STF_OK;
    return status == STF_OK ? open_repository(self, clock, ret_repository, error) : status;
}

static stf_status reopen(void *user, const stf_clock *clock, stf_repository **ret_repository,
                         stf_error *error)
{
    suite *self = user;
    if (self->path == NULL) {
        return stf_error_set(error, STF_UNSUPPORTED, "CLI", "nothing survives in memory");
    }
    return open_repository(self, clock, ret_repository, error);
}

/* The suite never touches the file that was named; the new name is drawn by the system. */
static cli_exit_code choose_path(const char *url, suite *self)
{
    const char *path = cli_store_sqlite_path(url);
    if (path == NULL && strcmp(url, "memory:") != 0) {
        cli_complain("\"%s\" names no store: use memory: or sqlite:PATH", url);
        return CLI_EXIT_USAGE;
    }
    if (path == NULL) {
        return CLI_EXIT_OK;
    }
    if (asprintf(&self->path, "%s-conformance-XXXXXX", path) < 0) {
        self->path = NULL;
        return CLI_EXIT_FAILED;
    }
    int file = mkstemp(self->path);
    if (file < 0) {
        cli_complain("%s: a file beside it cannot be made: %s", path, strerror(errno));
        free(self->path);
        self->path = NULL;
        return CLI_EXIT_UNAVAILABLE;
    }
    close(file);
    return CLI_EXIT_OK;
}

cli_exit_code cli_conformance(const cli_options *options, stf_cancel *cancel)
{
    (void)cancel;
    suite self = {.path = NULL};
    const char *url = cli_store_choose(options->store, NULL);
    cli_exit_code code = url == NULL ? CLI_EXIT_USAGE : choose_path(url, &self);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    stf_conformance_factory factory = {
        .struct_size = sizeof factory,
        .abi = STF_CONFORMANCE_ABI,
        .user = &self,
        .fresh = make_fresh,
        .second_handle = open_repository,
        .reopen = reopen,
        .definitions = open_definitions,
        .destroy = destroy,
    };
    stf_error error = STF_ERROR_INIT;
    stf_status status =
        stf_conformance_run(&factory, NULL, stf_conformance_report_tap, NULL, &error);
    destroy(&self);
    free(self.path);
    return status == STF_OK ? CLI_EXIT_OK : cli_report(&error);
}

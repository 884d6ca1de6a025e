/* SPDX-License-Identifier: Apache-2.0 */
/* See store.h. */
#include "store.h"

#include <stdlib.h>
#include <string.h>

#include "output.h"

const char *cli_store_sqlite_path(const char *url)
{
    static const char prefix[] = "sqlite:";
    return strncmp(url, prefix, sizeof prefix - 1) == 0 ? url + sizeof prefix - 1 : NULL;
}

const char *cli_store_choose(const char *option, const char *otherwise)
{
    const char *from_environment = getenv("STEPFAST_STORE");
    if (option != NULL) {
        return option;
    }
    if (from_environment != NULL && from_environment[0] != '\0') {
        return from_environment;
    }
    if (otherwise == NULL) {
        cli_complain("which store? Give --store sqlite:PATH, or set STEPFAST_STORE");
    }
    return otherwise;
}

static stf_status open_memory(const stf_clock *clock, cli_store *store, stf_error *error)
{
    stf_memory_options options = {
        .struct_size = sizeof options, .abi = STF_MEMORY_ABI, .clock = clock};
    stf_status status = stf_memory_new(&options, &store->memory, error);
    if (status == STF_OK) {
        status = stf_memory_open_repository(store->memory, &store->repository, error);
    }
    if (status == STF_OK) {
        status = stf_memory_open_definitions(store->memory, &store->definitions, error);
    }
    return status;
}

static stf_status open_sqlite(const stf_ctx *ctx, const char *path, uint32_t flags,
                              const stf_clock *clock, cli_store *store, stf_error *error)
{
    stf_sqlite_options options = STF_SQLITE_OPTIONS_INIT;
    options.path = path;
    options.flags = flags;
    options.clock = clock;
    stf_status status = stf_sqlite_open(ctx, &options, &store->sqlite, error);
    if (status == STF_OK) {
        status = stf_sqlite_open_repository(store->sqlite, &store->repository, error);
    }
    if (status == STF_OK) {
        status = stf_sqlite_open_definitions(store->sqlite, &store->definitions, error);
    }
    return status;
}

stf_status cli_store_open(const stf_ctx *ctx, const char *url, uint32_t sqlite_flags,
                          cli_store *ret_store, stf_error *error)
{
    return cli_store_open_at(ctx, url, sqlite_flags, NULL, ret_store, error);
}

stf_status cli_store_open_at(const stf_ctx *ctx, const char *url, uint32_t sqlite_flags,
                             const stf_clock *clock, cli_store *ret_store, stf_error *error)
{
    memset(ret_store, 0, sizeof *ret_store);
    const char *path = cli_store_sqlite_path(url);
    if (path != NULL && path[0] != '\0') {
        return open_sqlite(ctx, path, sqlite_flags, clock, ret_store, error);
    }
    if (strcmp(url, "memory:") == 0) {
        return open_memory(clock, ret_store, error);
    }
    return stf_error_set(error, STF_INVALID_ARGUMENT, "CLI",
                         "\"%s\" names no store: use memory: or sqlite:PATH", url);
}

void cli_store_close(cli_store *store)
{
    store->definitions = stf_definition_store_close(store->definitions);
    store->repository = stf_repository_close(store->repository);
    store->sqlite = stf_sqlite_unref(store->sqlite);
    store->memory = stf_memory_unref(store->memory);
}

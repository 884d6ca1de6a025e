/* SPDX-License-Identifier: Apache-2.0 */
/* Stores by URL: "memory:" and "sqlite:PATH". */
#ifndef CLI_STORE_H
#define CLI_STORE_H

#include <stepfast/memory.h>
#include <stepfast/sqlite.h>

typedef struct cli_store {
    stf_memory *memory;
    stf_sqlite *sqlite;
    stf_repository *repository;
    stf_definition_store *definitions;
} cli_store;

/* The path of a "sqlite:PATH" URL, or NULL. Borrowed from url. */
const char *cli_store_sqlite_path(const char *url);

/* --store, else STEPFAST_STORE, else otherwise (NULL: complained). Borrowed. */
const char *cli_store_choose(const char *option, const char *otherwise);

/* Opens what url names; sqlite_flags are STF_SQLITE_*. INVALID_ARGUMENT: no such kind of store.
 * cli_store_close in any case. */
STF_MUST_CHECK stf_status cli_store_open(const stf_ctx *ctx, const char *url, uint32_t sqlite_flags,
                                         cli_store *ret_store, stf_error *error);
/* The same with a clock of the caller's (NULL: the system's), which must outlive the store. */
STF_MUST_CHECK stf_status cli_store_open_at(const stf_ctx *ctx, const char *url,
                                            uint32_t sqlite_flags, const stf_clock *clock,
                                            cli_store *ret_store, stf_error *error);
void cli_store_close(cli_store *store);

#endif

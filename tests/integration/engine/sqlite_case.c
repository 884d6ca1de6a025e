/* SPDX-License-Identifier: Apache-2.0 */
/* See sqlite_case.h. */
#include "sqlite_case.h"

#include <stepfast/sqlite.h>

static char folder[32];
static char path[64];

void sqlite_case_make_folder(void)
{
    (void)snprintf(folder, sizeof(folder), "/tmp/stepfast-engine-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    (void)snprintf(path, sizeof(path), "%s/store.db", folder);
}

void sqlite_case_remove_folder(void)
{
    char command[64];
    (void)snprintf(command, sizeof(command), "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

void sqlite_case_use(engine_case *c)
{
    stf_sqlite *sqlite = NULL;
    stf_repository *store = NULL;
    stf_definition_store *definitions = NULL;
    stf_sqlite_options options = STF_SQLITE_OPTIONS_INIT;
    options.flags = STF_SQLITE_SYNC_NORMAL;
    options.clock = &c->clock.port;
    options.path = path;
    STF_CHECK_OK(stf_sqlite_open(NULL, &options, &sqlite, &c->error), &c->error);
    STF_CHECK_OK(stf_sqlite_open_repository(sqlite, &store, &c->error), &c->error);
    STF_CHECK_OK(stf_sqlite_open_definitions(sqlite, &definitions, &c->error), &c->error);
    stf_sqlite_unref(sqlite);
    engine_case_use(c, store, definitions);
}

engine_case *sqlite_case_open(const char *id, const char *const *topics)
{
    engine_case *c = engine_case_new();
    sqlite_case_use(c);
    c->options.id = id;
    atomic_store(&c->seed, (uint64_t)id[0]); /* two engines draw different bytes */
    engine_case_open(c, topics);
    return c;
}

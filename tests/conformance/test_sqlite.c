/* SPDX-License-Identifier: Apache-2.0 */
/* The SQLite store against the whole suite: each case has a file of its own in a directory of the
 * test, and a second handle is a connection of its own. */
#include <dirent.h>
#include <stepfast/conformance.h>
#include <stepfast/sqlite.h>
#include <unistd.h>

#include "support/stf_test.h"

typedef struct sqlite_factory {
    stf_conformance_factory factory;
    char dir[64];
    char path[96];
} sqlite_factory;

static void empty_dir(const sqlite_factory *self)
{
    DIR *dir = opendir(self->dir);
    ck_assert_ptr_nonnull(dir);
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        char path[400];
        snprintf(path, sizeof(path), "%s/%s", self->dir, entry->d_name);
        (void)unlink(path);
    }
    closedir(dir);
}

static stf_status open_handle(const sqlite_factory *self, const stf_clock *clock,
                              stf_sqlite **ret_sqlite, stf_error *error)
{
    stf_sqlite_options options = STF_SQLITE_OPTIONS_INIT;
    options.clock = clock;
    options.path = self->path;
    return stf_sqlite_open(NULL, &options, ret_sqlite, error);
}

static stf_status open_repository(void *user, const stf_clock *clock,
                                  stf_repository **ret_repository, stf_error *error)
{
    stf_sqlite *sqlite = NULL;
    stf_status status = open_handle(user, clock, &sqlite, error);
    if (status == STF_OK) {
        status = stf_sqlite_open_repository(sqlite, ret_repository, error);
        stf_sqlite_unref(sqlite);
    }
    return status;
}

static stf_status fresh(void *user, const stf_clock *clock, stf_repository **ret_repository,
                        stf_error *error)
{
    empty_dir(user);
    return open_repository(user, clock, ret_repository, error);
}

static stf_status open_definitions(void *user, const stf_clock *clock,
                                   stf_definition_store **ret_store, stf_error *error)
{
    stf_sqlite *sqlite = NULL;
    stf_status status = open_handle(user, clock, &sqlite, error);
    if (status == STF_OK) {
        status = stf_sqlite_open_definitions(sqlite, ret_store, error);
        stf_sqlite_unref(sqlite);
    }
    return status;
}

static void destroy(void *user)
{
    empty_dir(user);
}

static void init_factory(sqlite_factory *self)
{
    *self = (sqlite_factory){.dir = "/tmp/stf-conformance-XXXXXX"};
    ck_assert_ptr_nonnull(mkdtemp(self->dir));
    snprintf(self->path, sizeof(self->path), "%s/store.db", self->dir);
    self->factory = (stf_conformance_factory){.struct_size = sizeof(self->factory),
                                              .abi = STF_CONFORMANCE_ABI,
                                              .user = self,
                                              .fresh = fresh,
                                              .second_handle = open_repository,
                                              .reopen = open_repository,
                                              .definitions = open_definitions,
                                              .destroy = destroy};
}

static void report(void *user, const stf_conformance_result *result)
{
    ck_assert_msg(result->outcome != STF_CONFORMANCE_FAILED, "%s: %s", result->id, result->reason);
    /* The one capability that this store does not have. */
    ck_assert_msg(result->outcome == STF_CONFORMANCE_OK || strcmp(result->id, "facts.clock") == 0,
                  "%s was skipped: %s", result->id, result->reason);
    ++*(size_t *)user;
}

STF_TEST(sqlite_store_passes_every_case)
{
    sqlite_factory factory;
    size_t seen = 0;
    stf_error error = STF_ERROR_INIT;
    init_factory(&factory);
    STF_CHECK_OK(stf_conformance_run(&factory.factory, NULL, report, &seen, &error), &error);
    ck_assert_uint_eq(seen, stf_conformance_case_count());
    (void)rmdir(factory.dir);
}

static const stf_test_case cases[] = {STF_CASE(sqlite_store_passes_every_case)};

STF_TEST_MAIN("conformance/sqlite", cases)

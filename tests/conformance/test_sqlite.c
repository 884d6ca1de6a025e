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
    uint32_t flags; /* of the options */
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
    options.flags = self->flags;
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

static void init_factory(sqlite_factory *self, uint32_t flags)
{
    *self = (sqlite_factory){.dir = "/tmp/stf-conformance-XXXXXX", .flags = flags};
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

static void check_suite(uint32_t flags, uint32_t race_saves)
{
    sqlite_factory factory;
    size_t seen = 0;
    stf_error error = STF_ERROR_INIT;
    stf_conformance_options options = {
        .struct_size = sizeof(options), .abi = STF_CONFORMANCE_ABI, .race_saves = race_saves};
    init_factory(&factory, flags);
    STF_CHECK_OK(stf_conformance_run(&factory.factory, &options, report, &seen, &error), &error);
    ck_assert_uint_eq(seen, stf_conformance_case_count());
    (void)rmdir(factory.dir);
}

/* Fewer saves race here: each waits for the disk, and a disk may be slow. */
STF_TEST(sqlite_store_passes_every_case)
{
    check_suite(0, 1000);
}

STF_TEST(sqlite_store_passes_every_case_without_waiting_for_the_disk)
{
    check_suite(STF_SQLITE_SYNC_NORMAL, 10000);
}

static const stf_test_case cases[] = {
    STF_CASE(sqlite_store_passes_every_case),
    STF_CASE(sqlite_store_passes_every_case_without_waiting_for_the_disk),
};

STF_TEST_MAIN("conformance/sqlite", cases)

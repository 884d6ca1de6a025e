/* SPDX-License-Identifier: Apache-2.0 */
/* See sqlite_factory.h. */
#include "conformance/sqlite_factory.h"

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

#include "support/stf_test.h"

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

stf_status sqlite_factory_open(void *user, const stf_clock *clock, stf_repository **ret_repository,
                               stf_error *error)
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
    return sqlite_factory_open(user, clock, ret_repository, error);
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

void sqlite_factory_init(sqlite_factory *self, uint32_t flags)
{
    *self = (sqlite_factory){.dir = "/tmp/stf-conformance-XXXXXX", .flags = flags};
    ck_assert_ptr_nonnull(mkdtemp(self->dir));
    snprintf(self->path, sizeof(self->path), "%s/store.db", self->dir);
    self->factory = (stf_conformance_factory){.struct_size = sizeof(self->factory),
                                              .abi = STF_CONFORMANCE_ABI,
                                              .user = self,
                                              .fresh = fresh,
                                              .second_handle = sqlite_factory_open,
                                              .reopen = sqlite_factory_open,
                                              .definitions = open_definitions,
                                              .destroy = destroy};
}

void sqlite_factory_done(sqlite_factory *self)
{
    empty_dir(self);
    (void)rmdir(self->dir);
}

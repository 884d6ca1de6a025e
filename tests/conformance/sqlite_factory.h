/* SPDX-License-Identifier: Apache-2.0 */
/* A conformance factory over SQLite files: each case has a file of its own in a directory of the
 * test, and a second handle is a connection of its own. */
#ifndef STF_TESTS_SQLITE_FACTORY_H
#define STF_TESTS_SQLITE_FACTORY_H

#include <stepfast/conformance.h>
#include <stepfast/sqlite.h>

typedef struct sqlite_factory {
    stf_conformance_factory factory;
    char dir[64];
    char path[96];
    uint32_t flags; /* of the options */
} sqlite_factory;

void sqlite_factory_init(sqlite_factory *self, uint32_t flags);
void sqlite_factory_done(sqlite_factory *self);
/* Another handle on the file; user is the factory. */
stf_status sqlite_factory_open(void *user, const stf_clock *clock, stf_repository **ret_repository,
                               stf_error *error);

#endif

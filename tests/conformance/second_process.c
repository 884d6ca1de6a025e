/* SPDX-License-Identifier: Apache-2.0 */
/* The second process: opens the SQLite file that it is given and makes the calls that come in. Its
 * clock is the caller's, which comes with each call. */
#include <stepfast/sqlite.h>

#include "conformance/remote.h"

static int64_t now_us;

static stf_wall read_wall(void *user)
{
    (void)user;
    return (stf_wall){now_us};
}

static stf_mono read_mono(void *user)
{
    (void)user;
    return (stf_mono){now_us};
}

int main(int argc, char **argv)
{
    static const stf_clock clock = {
        .struct_size = sizeof(clock), .abi = STF_CLOCK_ABI, .wall = read_wall, .mono = read_mono};
    stf_sqlite *sqlite = NULL;
    stf_repository *repository = NULL;
    stf_error error = STF_ERROR_INIT;
    stf_sqlite_options options = STF_SQLITE_OPTIONS_INIT;
    options.clock = &clock;
    options.path = argc == 2 ? argv[1] : NULL;
    options.flags = STF_SQLITE_MUST_EXIST;
    if (stf_sqlite_open(NULL, &options, &sqlite, &error) != STF_OK ||
        stf_sqlite_open_repository(sqlite, &repository, &error) != STF_OK) {
        (void)fprintf(stderr, "the second process: %s\n", error.message);
        return 1;
    }
    int status = remote_serve(repository, &now_us, stdin, stdout);
    stf_repository_close(repository);
    stf_sqlite_unref(sqlite);
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* See failpoint.h. The variable is read once; passes are counted by all threads together. */
#include "engine/failpoint.h"

#ifdef STF_FAILPOINTS

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME_BYTES 32

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char armed_name[NAME_BYTES];
static atomic_long left;

static void read_environment(void)
{
    const char *text = getenv("STEPFAST_FAILPOINT");
    const char *colon = text != NULL ? strchr(text, ':') : NULL;
    size_t size = colon != NULL ? (size_t)(colon - text) : 0;
    if (size == 0 || size >= NAME_BYTES) {
        return;
    }
    memcpy(armed_name, text, size);
    atomic_store(&left, strtol(colon + 1, NULL, 10));
}

void stf__failpoint_hit(const char *name)
{
    (void)pthread_once(&once, read_environment);
    if (strcmp(name, armed_name) == 0 && atomic_fetch_sub(&left, 1) == 1) {
        (void)kill(getpid(), SIGKILL);
    }
}

#else

typedef int stf__failpoint_none; /* a translation unit is not empty */

#endif

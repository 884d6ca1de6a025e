/* SPDX-License-Identifier: Apache-2.0 */
/* The system's clock and random source. Nothing else in the library reads a clock or draws a
 * number. CLOCK_BOOTTIME counts through suspend, which leases need: a machine that slept has lost
 * them. */
#include <stepfast/clock.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/random.h>
#include <time.h>

static int64_t read_clock_us(clockid_t id)
{
    struct timespec now = {0};
    (void)clock_gettime(id, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static stf_wall system_wall(void *user)
{
    (void)user;
    return (stf_wall){read_clock_us(CLOCK_REALTIME)};
}

static stf_mono system_mono(void *user)
{
    (void)user;
    return (stf_mono){read_clock_us(CLOCK_BOOTTIME)};
}

/* getrandom blocks only before the kernel's pool is ready at boot, and fails only by a signal (on
 * requests over 256 bytes). The contract has no failure: ids and fences must never be guessable, so
 * this waits rather than filling with something weaker. */
static void system_fill(void *user, void *bytes, size_t size)
{
    (void)user;
    uint8_t *at = bytes;
    while (size > 0) {
        ssize_t got = getrandom(at, size, 0);
        if (got > 0) {
            at += got;
            size -= (size_t)got;
        }
    }
}

const stf_clock *stf_clock_system(void)
{
    static const stf_clock clock = {
        .struct_size = sizeof(stf_clock),
        .abi = STF_CLOCK_ABI,
        .wall = system_wall,
        .mono = system_mono,
    };
    return &clock;
}

const stf_random *stf_random_system(void)
{
    static const stf_random source = {
        .struct_size = sizeof(stf_random),
        .abi = STF_RANDOM_ABI,
        .fill = system_fill,
    };
    return &source;
}

stf_wall stf_wall_none(void)
{
    return (stf_wall){STF_WALL_NONE_US};
}

bool stf_wall_is_none(stf_wall time)
{
    return time.us == STF_WALL_NONE_US;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* See virtual_clock.h. The clock of waits runs with the wall clock, from one second on. */
#include "virtual_clock.h"

static stf_wall read_wall(void *user)
{
    const cli_virtual_clock *clock = user;
    return (stf_wall){atomic_load(&clock->wall_us)};
}

static stf_mono read_mono(void *user)
{
    const cli_virtual_clock *clock = user;
    return (stf_mono){1000000 + atomic_load(&clock->wall_us) - clock->start_us};
}

void cli_virtual_clock_init(cli_virtual_clock *clock, stf_wall start)
{
    clock->port = (stf_clock){.struct_size = sizeof(stf_clock),
                              .abi = STF_CLOCK_ABI,
                              .user = clock,
                              .wall = read_wall,
                              .mono = read_mono};
    clock->start_us = start.us;
    atomic_init(&clock->wall_us, start.us);
}

void cli_virtual_clock_set(cli_virtual_clock *clock, stf_wall now)
{
    atomic_store(&clock->wall_us, now.us);
}

stf_wall cli_virtual_clock_now(const cli_virtual_clock *clock)
{
    return (stf_wall){atomic_load(&clock->wall_us)};
}

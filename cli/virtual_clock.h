/* SPDX-License-Identifier: Apache-2.0 */
/* A clock that moves only when it is told to. */
#ifndef CLI_VIRTUAL_CLOCK_H
#define CLI_VIRTUAL_CLOCK_H

#include <stdatomic.h>
#include <stepfast/clock.h>

typedef struct cli_virtual_clock {
    stf_clock port; /* what engines and stores get; borrows this struct */
    _Atomic int64_t wall_us;
    int64_t start_us;
} cli_virtual_clock;

void cli_virtual_clock_init(cli_virtual_clock *clock, stf_wall start);
void cli_virtual_clock_set(cli_virtual_clock *clock, stf_wall now);
stf_wall cli_virtual_clock_now(const cli_virtual_clock *clock);

#endif

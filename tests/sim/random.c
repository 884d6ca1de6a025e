/* SPDX-License-Identifier: Apache-2.0 */
/* The seeded generator (splitmix64) and a hash made of it, so that what is drawn for a thing does
 * not depend on what was drawn before. */
#include "sim/sim.h"

static uint64_t scramble(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

uint64_t sim_mix(uint64_t a, uint64_t b)
{
    return scramble(scramble(a + UINT64_C(0x9e3779b97f4a7c15)) ^
                    (b + UINT64_C(0x632be59bd9b4e019)));
}

uint64_t sim_mix_text(uint64_t a, stf_str text)
{
    for (size_t i = 0; i < text.size; i++) {
        a = sim_mix(a, (uint8_t)text.data[i]);
    }
    return a;
}

uint64_t sim_next(sim_random *random)
{
    random->state += UINT64_C(0x9e3779b97f4a7c15);
    return scramble(random->state);
}

uint32_t sim_draw(sim_random *random, uint32_t below)
{
    return (uint32_t)((sim_next(random) >> 33) % below);
}

bool sim_chance(sim_random *random, uint32_t percent)
{
    return sim_draw(random, 100) < percent;
}

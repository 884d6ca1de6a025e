/* SPDX-License-Identifier: Apache-2.0 */
/* Time and randomness are ports: nothing else in the library reads a clock or draws a number.
 * stf_wall persists, stf_mono measures waits; they are different types so that one is never passed
 * for the other. */
#ifndef STEPFAST_CLOCK_H
#define STEPFAST_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stepfast/buf.h>

STF_BEGIN_DECLS

/* Microseconds since the Unix epoch, UTC. */
typedef struct stf_wall {
    int64_t us;
} stf_wall;

/* Microseconds of a clock that never goes back and counts through suspend (CLOCK_BOOTTIME). */
typedef struct stf_mono {
    int64_t us;
} stf_mono;

/* "No time": what a record's due holds when nothing is due. */
#define STF_WALL_NONE_US INT64_MIN

typedef struct stf_clock {
    size_t struct_size;
    uint32_t abi;
    uint32_t flags;
    void *user;
    stf_wall (*wall)(void *user); /* Thread: any */
    stf_mono (*mono)(void *user); /* Thread: any */
} stf_clock;

typedef struct stf_random {
    size_t struct_size;
    uint32_t abi;
    uint32_t flags;
    void *user;
    void (*fill)(void *user, void *bytes, size_t size); /* Thread: any */
} stf_random;

#define STF_CLOCK_ABI 1u
#define STF_RANDOM_ABI 1u

/* The system's clock and random source (getrandom). Static. Thread: any. */
STF_API const stf_clock *stf_clock_system(void);
STF_API const stf_random *stf_random_system(void);

STF_API stf_wall stf_wall_none(void);
STF_API bool stf_wall_is_none(stf_wall time);

/* ISO 8601 date-time with "Z" or an offset, fraction to the microsecond: "2026-01-01T00:00:00Z".
 * A text without zone is PARSE. OK or PARSE. */
STF_API STF_MUST_CHECK stf_status stf_wall_parse(stf_str text, stf_wall *ret_time,
                                                 stf_error *error);

/* Writes "2026-01-01T00:00:00Z", with ".ffffff" only when there is a fraction. Years outside
 * 0001..9999 are clamped. */
#define STF_WALL_TEXT_BYTES 40
STF_API void stf_wall_format(stf_wall time, char ret_text[STF_WALL_TEXT_BYTES]);

STF_END_DECLS

#endif

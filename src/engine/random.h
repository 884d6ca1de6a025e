/* SPDX-License-Identifier: Apache-2.0 */
/* The engine's random bytes: any thread draws. random.c says how. */
#ifndef STF_ENGINE_RANDOM_H
#define STF_ENGINE_RANDOM_H

#include <pthread.h>
#include <stepfast/clock.h>

typedef struct stf__random_page stf__random_page;

typedef struct stf__random {
    const stf_random *source;
    pthread_mutex_t lock; /* of the page */
    stf__random_page *page;
} stf__random;

void stf__random_init(stf__random *random, const stf_random *source);
void stf__random_done(stf__random *random);
void stf__random_fill(stf__random *random, void *bytes, size_t size);

#endif

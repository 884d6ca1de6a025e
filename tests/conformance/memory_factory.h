/* SPDX-License-Identifier: Apache-2.0 */
/* A conformance factory over the memory store, with an optional decorator around each repository
 * (for the broken ones). */
#ifndef STF_TESTS_MEMORY_FACTORY_H
#define STF_TESTS_MEMORY_FACTORY_H

#include <stepfast/conformance.h>
#include <stepfast/memory.h>

typedef struct memory_factory {
    stf_conformance_factory factory; /* hand this to stf_conformance_run */
    stf_memory *memory;
    /* Takes the inner store and gives the one that is tested; NULL: the inner one. */
    stf_status (*wrap)(void *user, stf_repository *inner, stf_repository **ret_outer,
                       stf_error *error);
    void *user;
    uint64_t max_terminal;
} memory_factory;

void memory_factory_init(memory_factory *factory);

#endif

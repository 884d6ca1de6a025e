/* SPDX-License-Identifier: Apache-2.0 */
/* The memory store: value copies, nothing durable; for tests and volatile engines. */
#ifndef STEPFAST_MEMORY_H
#define STEPFAST_MEMORY_H

#include <stepfast/sys/definition_store.h>
#include <stepfast/sys/repository.h>

STF_BEGIN_DECLS

typedef struct stf_memory
    stf_memory; /* the shared state; refcounted, so that stores may share it */

typedef struct stf_memory_options {
    size_t struct_size;
    uint32_t abi;
    uint32_t flags;
    const stf_allocator *alloc; /* NULL: the default */
    const stf_clock *clock;     /* NULL: the system's */
    uint64_t max_terminal;      /* ended records that are kept; 0: 1024. The oldest goes first, with
                                   a call of on_evict */
    void (*on_evict)(void *user, stf_str id); /* may be NULL; no call back into the store */
    void *user;
} stf_memory_options;

#define STF_MEMORY_ABI 1u

/* options may be NULL. OK, INVALID_ARGUMENT, NO_MEMORY. */
STF_API STF_MUST_CHECK stf_status stf_memory_new(const stf_memory_options *options,
                                                 stf_memory **ret_memory, stf_error *error);
STF_API stf_memory *stf_memory_ref(stf_memory *memory);
STF_API stf_memory *stf_memory_unref(stf_memory *memory);

/* Stores over the shared state; each holds a reference. Two repositories over one stf_memory are
 * two handles on one store. */
STF_API STF_MUST_CHECK stf_status stf_memory_open_repository(stf_memory *memory,
                                                             stf_repository **ret_repository,
                                                             stf_error *error);
STF_API STF_MUST_CHECK stf_status stf_memory_open_definitions(stf_memory *memory,
                                                              stf_definition_store **ret_store,
                                                              stf_error *error);

STF_END_DECLS

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Capability: may engines on several machines share this store, and why. */
#ifndef STEPFAST_SYS_REPOSITORY_CLUSTER_H
#define STEPFAST_SYS_REPOSITORY_CLUSTER_H

#include <stepfast/sys/repository.h>

STF_BEGIN_DECLS

#define STF_REPOSITORY_CLUSTER "stf.repository.cluster/1"

typedef struct stf_cluster_vtable {
    size_t struct_size;
    uint32_t abi;
    uint32_t flags;
    bool (*compatible)(void *impl);
    const char *(*reason)(void *impl); /* a sentence; static storage */
} stf_cluster_vtable;

#define STF_CLUSTER_ABI 1u

STF_API STF_MUST_CHECK stf_status stf_repository_is_cluster_compatible(stf_repository *repository,
                                                                       bool *ret_compatible,
                                                                       const char **ret_reason,
                                                                       stf_error *error);

STF_END_DECLS

#endif

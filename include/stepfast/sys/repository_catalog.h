/* SPDX-License-Identifier: Apache-2.0 */
/* Capability: listing and counting for people and tools, and pruning of what has ended. */
#ifndef STEPFAST_SYS_REPOSITORY_CATALOG_H
#define STEPFAST_SYS_REPOSITORY_CATALOG_H

#include <stepfast/sys/repository.h>

STF_BEGIN_DECLS

#define STF_REPOSITORY_CATALOG "stf.repository.catalog/1"

typedef struct stf_catalog_query {
    stf_str group;
    stf_str tenant;        /* empty: all */
    stf_str label_key;     /* empty: all */
    int64_t label_version; /* 0: all */
    uint64_t status_mask;  /* bit n: status n; 0: all */
    stf_str after_id;
    size_t limit;
} stf_catalog_query;

typedef struct stf_prune_request {
    stf_str group;
    stf_str tenant; /* empty: all */
    stf_wall ended_before;
    size_t limit; /* at most so many rows in this call */
} stf_prune_request;

typedef struct stf_catalog_vtable {
    size_t struct_size;
    uint32_t abi;
    uint32_t flags;
    /* Whole records ordered by id, heads included. */
    stf_status (*page)(void *impl, const stf_ctx *ctx, const stf_catalog_query *query,
                       stf_record_visitor visit, void *user, stf_error *error);
    stf_status (*count)(void *impl, const stf_ctx *ctx, const stf_catalog_query *query,
                        uint64_t *ret_count, stf_error *error);
    /* Deletes terminal records (status tested again in the statement) with their journal rows. */
    stf_status (*prune)(void *impl, const stf_ctx *ctx, const stf_prune_request *request,
                        uint64_t *ret_count, stf_error *error);
} stf_catalog_vtable;

#define STF_CATALOG_ABI 1u

STF_API STF_MUST_CHECK stf_status stf_repository_page(stf_repository *repository,
                                                      const stf_ctx *ctx,
                                                      const stf_catalog_query *query,
                                                      stf_record_visitor visit, void *user,
                                                      stf_error *error);
STF_API STF_MUST_CHECK stf_status stf_repository_count(stf_repository *repository,
                                                       const stf_ctx *ctx,
                                                       const stf_catalog_query *query,
                                                       uint64_t *ret_count, stf_error *error);
STF_API STF_MUST_CHECK stf_status stf_repository_prune(stf_repository *repository,
                                                       const stf_ctx *ctx,
                                                       const stf_prune_request *request,
                                                       uint64_t *ret_count, stf_error *error);

STF_END_DECLS

#endif

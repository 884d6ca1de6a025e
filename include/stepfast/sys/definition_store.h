/* SPDX-License-Identifier: Apache-2.0 */
/* The definition store port: deployed files by group, tenant, key and version. The same bytes as
 * the latest version are that version; other bytes are the next one, gap-free under races. */
#ifndef STEPFAST_SYS_DEFINITION_STORE_H
#define STEPFAST_SYS_DEFINITION_STORE_H

#include <stepfast/sys/repository.h>

STF_BEGIN_DECLS

typedef struct stf_definition {
    stf_str group;
    stf_str tenant;  /* concrete */
    stf_str key;     /* process id */
    int64_t version; /* from 1 */
    stf_bytes file;
    stf_wall deployed;
} stf_definition;

/* The argument lives for the call. */
typedef stf_status (*stf_definition_visitor)(void *user, const stf_definition *definition,
                                             stf_error *error);

typedef struct stf_definition_query {
    stf_str group;
    stf_str tenant;    /* empty: all */
    stf_str key;       /* empty: all */
    stf_str after_key; /* with after_tenant, after_version: the last row of the page before */
    stf_str after_tenant;
    int64_t after_version;
    size_t limit;
} stf_definition_query;

/* Every slot is required. */
typedef struct stf_definition_store_vtable {
    size_t struct_size;
    uint32_t abi;
    uint32_t flags;
    /* version and deployed of the argument are ignored. NOT_FOUND: the group is not registered. The
     * tenant is resolved as a repository's save does. A number is never given twice. */
    stf_status (*put)(void *impl, const stf_ctx *ctx, const stf_definition *definition,
                      int64_t *ret_version, bool *ret_is_new, stf_error *error);
    /* version 0: the latest; tenant "": the group's default. Nothing is registered; what is not
     * known is not found. */
    stf_status (*get)(void *impl, const stf_ctx *ctx, stf_str group, stf_str tenant, stf_str key,
                      int64_t version, stf_definition_visitor visit, void *user, bool *ret_found,
                      stf_error *error);
    /* Ordered by (tenant, key, version); files included. */
    stf_status (*list)(void *impl, const stf_ctx *ctx, const stf_definition_query *query,
                       stf_definition_visitor visit, void *user, stf_error *error);
    /* INVALID_STATE while a non-terminal record of the group and tenant has this label. Absent is
     * OK. */
    stf_status (*remove)(void *impl, const stf_ctx *ctx, stf_str group, stf_str tenant, stf_str key,
                         int64_t version, stf_error *error);
    void (*close)(void *impl);
} stf_definition_store_vtable;

#define STF_DEFINITION_STORE_ABI 1u

typedef struct stf_definition_store stf_definition_store; /* sole owner */

STF_API STF_MUST_CHECK stf_status
stf_definition_store_new(const stf_allocator *alloc, const stf_definition_store_vtable *vtable,
                         void *impl, stf_definition_store **ret_store, stf_error *error);
STF_API stf_definition_store *stf_definition_store_close(stf_definition_store *store);

/* The wrappers validate as repository.h does: EMPTY_NOT_ALLOWED (group, key, file),
 * LIMIT_EXCEEDED, INVALID_ARGUMENT (negative version, not UTF-8), then the slot's own answers. */
STF_API STF_MUST_CHECK stf_status stf_definition_store_put(stf_definition_store *store,
                                                           const stf_ctx *ctx,
                                                           const stf_definition *definition,
                                                           int64_t *ret_version, bool *ret_is_new,
                                                           stf_error *error);
STF_API STF_MUST_CHECK stf_status stf_definition_store_get(
    stf_definition_store *store, const stf_ctx *ctx, stf_str group, stf_str tenant, stf_str key,
    int64_t version, stf_definition_visitor visit, void *user, bool *ret_found, stf_error *error);
STF_API STF_MUST_CHECK stf_status stf_definition_store_list(stf_definition_store *store,
                                                            const stf_ctx *ctx,
                                                            const stf_definition_query *query,
                                                            stf_definition_visitor visit,
                                                            void *user, stf_error *error);
STF_API STF_MUST_CHECK stf_status stf_definition_store_delete(stf_definition_store *store,
                                                              const stf_ctx *ctx, stf_str group,
                                                              stf_str tenant, stf_str key,
                                                              int64_t version, stf_error *error);

STF_END_DECLS

#endif

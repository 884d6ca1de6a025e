/* SPDX-License-Identifier: Apache-2.0 */
/* The wrapper of a definition store: registration and validation, as for a repository. */
#include "base/mem.h"
#include "port/private.h"

struct stf_definition_store {
    const stf_allocator *alloc;
    stf_definition_store_vtable vtable;
    void *impl;
};

static const char *const slot_names[] = {"put", "get", "list", "remove", "close"};

_Static_assert(sizeof(stf_definition_store_vtable) ==
                   sizeof(size_t) + 2 * sizeof(uint32_t) +
                       STF_COUNT_OF(slot_names) * sizeof(void (*)(void)),
               "a slot of the definition store has no name");

stf_status stf_definition_store_new(const stf_allocator *alloc,
                                    const stf_definition_store_vtable *vtable, void *impl,
                                    stf_definition_store **ret_store, stf_error *error)
{
    if (vtable == NULL || ret_store == NULL || vtable->struct_size < sizeof(*vtable) ||
        vtable->abi != STF_DEFINITION_STORE_ABI) {
        return stf__port_missing("vtable or ret_store", error);
    }
    stf_status status = stf__port_check_slots("stf_definition_store_vtable", vtable, slot_names,
                                              STF_COUNT_OF(slot_names), error);
    if (status != STF_OK) {
        return status;
    }
    alloc = stf__alloc_or_default(alloc);
    stf_definition_store *store = stf__mem_zalloc(alloc, sizeof(*store));
    if (store == NULL) {
        return stf_error_set(error, STF_NO_MEMORY, "PORT", "no memory for a definition store");
    }
    store->alloc = alloc;
    store->vtable = *vtable;
    store->impl = impl;
    *ret_store = store;
    return STF_OK;
}

stf_definition_store *stf_definition_store_close(stf_definition_store *store)
{
    if (store != NULL) {
        /* The adapter may own the allocator's struct, so it is copied before that goes. */
        const stf_allocator alloc = *store->alloc;
        store->vtable.close(store->impl);
        stf__mem_free(&alloc, store);
    }
    return NULL;
}

static stf_status check_file(stf_bytes file, const stf__text *texts, size_t count, stf_error *error)
{
    stf_status status = stf__port_check_well_formed(texts, count, error);
    if (status == STF_OK && file.data == NULL && file.size != 0) {
        status = stf__port_missing("file", error);
    }
    if (status == STF_OK) {
        status = stf__port_check_not_empty(texts, count, error);
    }
    if (status == STF_OK && file.size == 0) {
        status = stf_error_set(error, STF_EMPTY_NOT_ALLOWED, "PORT", "the file must not be empty");
    }
    if (status == STF_OK) {
        status = stf__port_check_limits(texts, count, error);
    }
    if (status == STF_OK && file.size > STF_LIMIT_XML_BYTES) {
        status = stf_error_set(error, STF_LIMIT_EXCEEDED, "PORT",
                               "the file has %zu bytes; at most %u are allowed", file.size,
                               STF_LIMIT_XML_BYTES);
    }
    return status == STF_OK ? stf__port_check_utf8(texts, count, error) : status;
}

stf_status stf_definition_store_put(stf_definition_store *store, const stf_ctx *ctx,
                                    const stf_definition *definition, int64_t *ret_version,
                                    bool *ret_is_new, stf_error *error)
{
    if (store == NULL || definition == NULL || ret_version == NULL || ret_is_new == NULL) {
        return stf__port_missing("store, definition or an output", error);
    }
    stf__text texts[] = {{"group", definition->group, true},
                         {"tenant", definition->tenant, false},
                         {"key", definition->key, true}};
    stf_status status = check_file(definition->file, texts, STF_COUNT_OF(texts), error);
    if (status == STF_OK) {
        status = stf_ctx_check(ctx, error);
    }
    int64_t version = 0;
    bool is_new = false;
    if (status == STF_OK) {
        status = store->vtable.put(store->impl, ctx, definition, &version, &is_new, error);
    }
    if (status == STF_OK) {
        *ret_version = version;
        *ret_is_new = is_new;
    }
    return status;
}

static stf_status check_identity(stf_str group, stf_str tenant, stf_str key, int64_t version,
                                 const stf_ctx *ctx, stf_error *error)
{
    stf__text texts[] = {{"group", group, true}, {"tenant", tenant, false}, {"key", key, true}};
    stf_status status = stf__port_check_texts(texts, STF_COUNT_OF(texts), error);
    if (status == STF_OK && version < 0) {
        status = stf_error_set(error, STF_INVALID_ARGUMENT, "PORT", "the version is negative");
    }
    return status == STF_OK ? stf_ctx_check(ctx, error) : status;
}

stf_status stf_definition_store_get(stf_definition_store *store, const stf_ctx *ctx, stf_str group,
                                    stf_str tenant, stf_str key, int64_t version,
                                    stf_definition_visitor visit, void *user, bool *ret_found,
                                    stf_error *error)
{
    if (store == NULL || visit == NULL || ret_found == NULL) {
        return stf__port_missing("store, visit or ret_found", error);
    }
    stf_status status = check_identity(group, tenant, key, version, ctx, error);
    bool is_found = true;
    if (status == STF_OK) {
        status = store->vtable.get(store->impl, ctx, group, tenant, key, version, visit, user,
                                   &is_found, error);
    }
    if (status == STF_OK) {
        *ret_found = is_found;
    }
    return status;
}

stf_status stf_definition_store_list(stf_definition_store *store, const stf_ctx *ctx,
                                     const stf_definition_query *query,
                                     stf_definition_visitor visit, void *user, stf_error *error)
{
    if (store == NULL || query == NULL || visit == NULL) {
        return stf__port_missing("store, query or visit", error);
    }
    stf__text texts[] = {{"group", query->group, true},
                         {"tenant", query->tenant, false},
                         {"key", query->key, false},
                         {"after_key", query->after_key, false},
                         {"after_tenant", query->after_tenant, false}};
    stf_status status = stf__port_check_page(texts, STF_COUNT_OF(texts), query->limit, error);
    if (status == STF_OK && query->after_version < 0) {
        status = stf_error_set(error, STF_INVALID_ARGUMENT, "PORT", "the version is negative");
    }
    if (status == STF_OK) {
        status = stf_ctx_check(ctx, error);
    }
    return status == STF_OK ? store->vtable.list(store->impl, ctx, query, visit, user, error)
                            : status;
}

stf_status stf_definition_store_delete(stf_definition_store *store, const stf_ctx *ctx,
                                       stf_str group, stf_str tenant, stf_str key, int64_t version,
                                       stf_error *error)
{
    if (store == NULL) {
        return stf__port_missing("store", error);
    }
    stf_status status = check_identity(group, tenant, key, version, ctx, error);
    return status == STF_OK
               ? store->vtable.remove(store->impl, ctx, group, tenant, key, version, error)
               : status;
}

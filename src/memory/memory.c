/* SPDX-License-Identifier: Apache-2.0 */
/* The shared state of the memory store and the vtables over it. */
#include "memory/private.h"

#include <string.h>

stf_wall stf__memory_now(const stf_memory *memory)
{
    return memory->clock.wall(memory->clock.user);
}

/* A plain mutex that is used as it should be cannot fail. */
void stf__memory_lock(stf_memory *memory)
{
    (void)pthread_mutex_lock(&memory->mutex);
}

void stf__memory_unlock(stf_memory *memory)
{
    (void)pthread_mutex_unlock(&memory->mutex);
}

stf_status stf__memory_no_memory(stf_error *error)
{
    return stf_error_set(error, STF_NO_MEMORY, "MEMORY_REPO", "out of memory");
}

/* ---- Life -------------------------------------------------------------------------------- */

stf_status stf_memory_new(const stf_memory_options *options, stf_memory **ret_memory,
                          stf_error *error)
{
    static const stf_memory_options defaults = {.struct_size = sizeof(defaults),
                                                .abi = STF_MEMORY_ABI};
    options = options != NULL ? options : &defaults;
    if (ret_memory == NULL || options->struct_size < sizeof(*options) ||
        options->abi != STF_MEMORY_ABI) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "MEMORY_REPO",
                             "the options or ret_memory are missing or malformed");
    }
    const stf_allocator *alloc = stf__alloc_or_default(options->alloc);
    stf_memory *memory = stf__mem_zalloc(alloc, sizeof(*memory));
    if (memory == NULL) {
        return stf__memory_no_memory(error);
    }
    if (pthread_mutex_init(&memory->mutex, NULL) != 0) {
        stf__mem_free(alloc, memory);
        return stf__memory_no_memory(error);
    }
    memory->alloc = *alloc;
    memory->clock = options->clock != NULL ? *options->clock : *stf_clock_system();
    memory->max_terminal = options->max_terminal != 0 ? options->max_terminal : 1024;
    memory->on_evict = options->on_evict;
    memory->user = options->user;
    atomic_init(&memory->references, 1);
    stf__map_init(&memory->groups, &memory->alloc);
    stf__map_init(&memory->records, &memory->alloc);
    *ret_memory = memory;
    return STF_OK;
}

stf_memory *stf_memory_ref(stf_memory *memory)
{
    atomic_fetch_add_explicit(&memory->references, 1, memory_order_relaxed);
    return memory;
}

static bool free_row(void *user, stf_str key, void *value)
{
    (void)key;
    stf__row_free(user, value);
    return true;
}

stf_memory *stf_memory_unref(stf_memory *memory)
{
    if (memory == NULL ||
        atomic_fetch_sub_explicit(&memory->references, 1, memory_order_acq_rel) != 1) {
        return NULL;
    }
    stf__map_each(&memory->records, free_row, memory);
    stf__map_done(&memory->records);
    stf__memory_free_groups(memory);
    (void)pthread_mutex_destroy(&memory->mutex);
    stf_allocator alloc = memory->alloc;
    stf__mem_free(&alloc, memory);
    return NULL;
}

/* ---- The repository ---------------------------------------------------------------------- */

static stf_status describe(void *impl, const stf_ctx *ctx, stf_repository_facts *ret_facts,
                           stf_error *error)
{
    (void)impl;
    (void)ctx;
    (void)error;
    static const stf_repository_facts facts = {
        .struct_size = sizeof(facts),
        .abi = STF_REPOSITORY_FACTS_ABI,
        .payload_bytes = STF_LIMIT_PAYLOAD_BYTES,
        .name = "memory",
        .durability = "in-memory; nothing survives the process",
    };
    *ret_facts = facts;
    return STF_OK;
}

static bool is_cluster_compatible(void *impl)
{
    (void)impl;
    return false;
}

static const char *cluster_reason(void *impl)
{
    (void)impl;
    return "in-memory; state is not shared across nodes";
}

static const stf_cluster_vtable cluster_slots = {
    .struct_size = sizeof(stf_cluster_vtable),
    .abi = STF_CLUSTER_ABI,
    .compatible = is_cluster_compatible,
    .reason = cluster_reason,
};

static const stf_batch_vtable batch_slots = {
    .struct_size = sizeof(stf_batch_vtable),
    .abi = STF_BATCH_ABI,
    .save_many = stf__memory_save_many,
    .load_many = stf__memory_load_many,
};

static const stf_catalog_vtable catalog_slots = {
    .struct_size = sizeof(stf_catalog_vtable),
    .abi = STF_CATALOG_ABI,
    .page = stf__memory_page,
    .count = stf__memory_count,
    .prune = stf__memory_prune,
};

static const stf_journal_vtable journal_slots = {
    .struct_size = sizeof(stf_journal_vtable),
    .abi = STF_JOURNAL_ABI,
    .page = stf__memory_journal_page,
};

static const void *extension(void *impl, const char *id)
{
    static const struct {
        const char *id;
        const void *vtable;
    } capabilities[] = {
        {STF_REPOSITORY_BATCH, &batch_slots},     {STF_REPOSITORY_CATALOG, &catalog_slots},
        {STF_REPOSITORY_CLUSTER, &cluster_slots}, {STF_REPOSITORY_JOURNAL, &journal_slots},
        {STF_REPOSITORY_WAKE, &stf__memory_wake},
    };
    (void)impl;
    for (size_t i = 0; i < STF_COUNT_OF(capabilities); i++) {
        if (strcmp(capabilities[i].id, id) == 0) {
            return capabilities[i].vtable;
        }
    }
    return NULL;
}

static void close_repository(void *impl)
{
    stf_memory_unref(impl);
}

static const stf_repository_vtable repository_slots = {
    .struct_size = sizeof(stf_repository_vtable),
    .abi = STF_REPOSITORY_ABI,
    .save = stf__memory_save,
    .load = stf__memory_load,
    .remove = stf__memory_remove,
    .list_in_flight = stf__memory_list_in_flight,
    .register_group = stf__memory_register_group,
    .group_exists = stf__memory_group_exists,
    .resolve_tenant = stf__memory_resolve_tenant,
    .describe = describe,
    .extension = extension,
    .close = close_repository,
};

stf_status stf_memory_open_repository(stf_memory *memory, stf_repository **ret_repository,
                                      stf_error *error)
{
    if (memory == NULL) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "MEMORY_REPO", "memory is missing");
    }
    stf_status status =
        stf_repository_new(&memory->alloc, &repository_slots, memory, ret_repository, error);
    if (status == STF_OK) {
        stf_memory_ref(memory);
    }
    return status;
}

stf_status stf_memory_open_definitions(stf_memory *memory, stf_definition_store **ret_store,
                                       stf_error *error)
{
    if (memory == NULL) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "MEMORY_REPO", "memory is missing");
    }
    stf_status status = stf_definition_store_new(&memory->alloc, &stf__memory_definitions, memory,
                                                 ret_store, error);
    if (status == STF_OK) {
        stf_memory_ref(memory);
    }
    return status;
}

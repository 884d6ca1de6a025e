/* SPDX-License-Identifier: Apache-2.0 */
/* Taking a store in: its vtable and those of its capabilities are checked here, once, and whole or
 * not at all, so that no call ever meets an empty slot. */
#include "base/mem.h"
#include "port/index.h"

#include <string.h>

/* How every vtable of the ports begins; slots follow without gaps. */
typedef struct vtable_head {
    size_t struct_size;
    uint32_t abi;
    uint32_t flags;
} vtable_head;

typedef void (*any_slot)(void);

typedef struct capability_row {
    const char *id;
    size_t struct_size;
    const char *const *names;
    size_t name_count;
    uint32_t abi;
} capability_row;

static const char *const base_names[] = {
    "save",         "load",           "remove",   "list_in_flight", "register_group",
    "group_exists", "resolve_tenant", "describe", "extension",      "close"};
static const char *const migrator_names[] = {"migrate", "check_schema"};
static const char *const cluster_names[] = {"compatible", "reason"};
static const char *const batch_names[] = {"save_many", "load_many"};
static const char *const wake_names[] = {"due_page", "orphan_page", "waiting_page", "next_due"};
static const char *const catalog_names[] = {"page", "count", "prune"};
static const char *const clock_names[] = {"now"};
static const char *const journal_names[] = {"page"};
static const char *const liveness_names[] = {"hold_owner", "release_owner", "owner_is_dead",
                                             "list_owners"};

/* A slot without a name, or the other way round, does not compile. */
#define CHECK_NAMES(vtable, names)                                                                 \
    _Static_assert(sizeof(vtable) == sizeof(vtable_head) + STF_COUNT_OF(names) * sizeof(any_slot), \
                   #vtable " and " #names " differ")
CHECK_NAMES(stf_repository_vtable, base_names);
CHECK_NAMES(stf_migrator_vtable, migrator_names);
CHECK_NAMES(stf_cluster_vtable, cluster_names);
CHECK_NAMES(stf_batch_vtable, batch_names);
CHECK_NAMES(stf_wake_vtable, wake_names);
CHECK_NAMES(stf_catalog_vtable, catalog_names);
CHECK_NAMES(stf_store_clock_vtable, clock_names);
CHECK_NAMES(stf_journal_vtable, journal_names);
CHECK_NAMES(stf_liveness_vtable, liveness_names);

#define CAPABILITY(id_text, vtable, names_array, abi_number)                                       \
    {                                                                                              \
        .id = (id_text), .struct_size = sizeof(vtable), .names = (names_array),                    \
        .name_count = STF_COUNT_OF(names_array), .abi = (abi_number)                               \
    }

static const capability_row capability_table[STF__CAPABILITY_COUNT] = {
    [STF__CAPABILITY_MIGRATOR] =
        CAPABILITY(STF_REPOSITORY_MIGRATOR, stf_migrator_vtable, migrator_names, STF_MIGRATOR_ABI),
    [STF__CAPABILITY_CLUSTER] =
        CAPABILITY(STF_REPOSITORY_CLUSTER, stf_cluster_vtable, cluster_names, STF_CLUSTER_ABI),
    [STF__CAPABILITY_BATCH] =
        CAPABILITY(STF_REPOSITORY_BATCH, stf_batch_vtable, batch_names, STF_BATCH_ABI),
    [STF__CAPABILITY_WAKE] =
        CAPABILITY(STF_REPOSITORY_WAKE, stf_wake_vtable, wake_names, STF_WAKE_ABI),
    [STF__CAPABILITY_CATALOG] =
        CAPABILITY(STF_REPOSITORY_CATALOG, stf_catalog_vtable, catalog_names, STF_CATALOG_ABI),
    [STF__CAPABILITY_CLOCK] =
        CAPABILITY(STF_REPOSITORY_CLOCK, stf_store_clock_vtable, clock_names, STF_STORE_CLOCK_ABI),
    [STF__CAPABILITY_JOURNAL] =
        CAPABILITY(STF_REPOSITORY_JOURNAL, stf_journal_vtable, journal_names, STF_JOURNAL_ABI),
    [STF__CAPABILITY_LIVENESS] =
        CAPABILITY(STF_REPOSITORY_LIVENESS, stf_liveness_vtable, liveness_names, STF_LIVENESS_ABI),
};

stf_status stf__port_check_slots(const char *vtable_name, const void *vtable,
                                 const char *const *names, size_t count, stf_error *error)
{
    for (size_t i = 0; i < count; i++) {
        any_slot slot;
        memcpy(&slot, (const char *)vtable + sizeof(vtable_head) + i * sizeof(slot), sizeof(slot));
        if (slot == NULL) {
            return stf_error_set(error, STF_INVALID_ARGUMENT, "PORT", "%s: the slot %s is missing",
                                 vtable_name, names[i]);
        }
    }
    return STF_OK;
}

static stf_status check_vtable(const char *vtable_name, const void *vtable, size_t struct_size,
                               uint32_t abi, const char *const *names, size_t count,
                               stf_error *error)
{
    vtable_head head;
    memcpy(&head, vtable, sizeof(head));
    if (head.struct_size < struct_size || head.abi != abi) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "PORT",
                             "%s: size %zu and abi %u instead of %zu and %u", vtable_name,
                             head.struct_size, head.abi, struct_size, abi);
    }
    return stf__port_check_slots(vtable_name, vtable, names, count, error);
}

static stf_status ask_capabilities(stf_repository *repository, stf_error *error)
{
    for (size_t i = 0; i < STF__CAPABILITY_COUNT; i++) {
        const capability_row *row = &capability_table[i];
        const void *vtable = repository->vtable.extension(repository->impl, row->id);
        if (vtable == NULL) {
            continue;
        }
        stf_status status = check_vtable(row->id, vtable, row->struct_size, row->abi, row->names,
                                         row->name_count, error);
        if (status != STF_OK) {
            return status;
        }
        repository->capabilities[i] = vtable;
    }
    return STF_OK;
}

stf_status stf_repository_new(const stf_allocator *alloc, const stf_repository_vtable *vtable,
                              void *impl, stf_repository **ret_repository, stf_error *error)
{
    if (vtable == NULL || ret_repository == NULL) {
        return stf__port_missing(vtable == NULL ? "vtable" : "ret_repository", error);
    }
    stf_status status =
        check_vtable("stf_repository_vtable", vtable, sizeof(*vtable), STF_REPOSITORY_ABI,
                     base_names, STF_COUNT_OF(base_names), error);
    if (status != STF_OK) {
        return status;
    }
    alloc = stf__alloc_or_default(alloc);
    stf_repository *repository = stf__mem_zalloc(alloc, sizeof(*repository));
    if (repository == NULL) {
        return stf_error_set(error, STF_NO_MEMORY, "PORT", "no memory for a repository");
    }
    repository->alloc = alloc;
    repository->vtable = *vtable;
    repository->impl = impl;
    status = ask_capabilities(repository, error);
    if (status == STF_OK && repository->capabilities[STF__CAPABILITY_WAKE] == NULL) {
        status = stf__index_new(alloc, &repository->index, error);
    }
    if (status != STF_OK) {
        stf__mem_free(alloc, repository);
        return status;
    }
    *ret_repository = repository;
    return STF_OK;
}

stf_repository *stf_repository_close(stf_repository *repository)
{
    if (repository != NULL) {
        /* The adapter may own the allocator's struct, so it is copied before that goes. */
        const stf_allocator alloc = *repository->alloc;
        stf__index_free(repository->index);
        repository->vtable.close(repository->impl);
        stf__mem_free(&alloc, repository);
    }
    return NULL;
}

bool stf_repository_has(const stf_repository *repository, const char *id)
{
    if (repository == NULL || id == NULL) {
        return false;
    }
    for (size_t i = 0; i < STF__CAPABILITY_COUNT; i++) {
        if (strcmp(capability_table[i].id, id) == 0) {
            return repository->capabilities[i] != NULL;
        }
    }
    return false;
}

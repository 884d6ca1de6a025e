/* SPDX-License-Identifier: Apache-2.0 */
/* The groups and tenants that the store knows. A group's default tenant is designated by a pointer,
 * not by its name, and made as "default" on first use. Nothing is ever taken out. */
#include "memory/private.h"

#include <string.h>

stf__group *stf__memory_find_group(const stf_memory *memory, stf_str name)
{
    return stf__map_get(&memory->groups, name);
}

stf_status stf__memory_need_group(const stf_memory *memory, stf_str name, stf__group **ret_group,
                                  stf_error *error)
{
    stf__group *group = stf__memory_find_group(memory, name);
    if (group == NULL) {
        return stf_error_set(error, STF_NOT_FOUND, "MEMORY_REPO",
                             "the group \"%.*s\" is not registered", STF_STR_ARG(name));
    }
    *ret_group = group;
    return STF_OK;
}

/* A zeroed struct with the name's bytes behind it. */
static void *new_named(const stf_memory *memory, size_t size, stf_str name, stf_str *ret_name)
{
    char *block = stf__mem_zalloc(&memory->alloc, size + name.size);
    if (block != NULL) {
        memcpy(block + size, name.data, name.size);
        *ret_name = (stf_str){block + size, name.size};
    }
    return block;
}

static stf__group *establish_group(stf_memory *memory, stf_str name)
{
    stf__group *group = stf__memory_find_group(memory, name);
    if (group != NULL) {
        return group;
    }
    stf_str own_name;
    group = new_named(memory, sizeof(*group), name, &own_name);
    if (group == NULL) {
        return NULL;
    }
    group->name = own_name;
    stf__map_init(&group->tenants, &memory->alloc);
    stf__wake_set_init(&group->set);
    stf__tree_init(&group->definitions, stf__definition_compare);
    if (stf__map_put(&memory->groups, group->name, group) != STF_OK) {
        stf__mem_free(&memory->alloc, group);
        return NULL;
    }
    return group;
}

stf__tenant *stf__memory_find_tenant(const stf__group *group, stf_str name)
{
    return name.size == 0 ? group->default_tenant : stf__map_get(&group->tenants, name);
}

stf__tenant *stf__memory_establish_tenant(stf_memory *memory, stf__group *group, stf_str name)
{
    bool is_default = name.size == 0;
    if (is_default && group->default_tenant != NULL) {
        return group->default_tenant;
    }
    stf_str wanted = is_default ? STF_STR("default") : name;
    stf__tenant *tenant = stf__map_get(&group->tenants, wanted);
    if (tenant == NULL) {
        stf_str own_name;
        tenant = new_named(memory, sizeof(*tenant), wanted, &own_name);
        if (tenant == NULL) {
            return NULL;
        }
        tenant->name = own_name;
        if (stf__map_put(&group->tenants, tenant->name, tenant) != STF_OK) {
            stf__mem_free(&memory->alloc, tenant);
            return NULL;
        }
    }
    if (is_default) {
        group->default_tenant = tenant;
    }
    return tenant;
}

static bool free_tenant(void *user, stf_str key, void *value)
{
    (void)key;
    stf__mem_free(user, value);
    return true;
}

static bool free_group(void *user, stf_str key, void *value)
{
    (void)key;
    stf_memory *memory = user;
    stf__group *group = value;
    stf__memory_free_definitions(memory, group);
    stf__map_each(&group->tenants, free_tenant, &memory->alloc);
    stf__map_done(&group->tenants);
    stf__mem_free(&memory->alloc, group);
    return true;
}

void stf__memory_free_groups(stf_memory *memory)
{
    stf__map_each(&memory->groups, free_group, memory);
    stf__map_done(&memory->groups);
}

/* ---- The slots --------------------------------------------------------------------------- */

stf_status stf__memory_register_group(void *impl, const stf_ctx *ctx, stf_str group,
                                      stf_error *error)
{
    (void)ctx;
    stf_memory *memory = impl;
    stf__memory_lock(memory);
    bool is_there = establish_group(memory, group) != NULL;
    stf__memory_unlock(memory);
    return is_there ? STF_OK : stf__memory_no_memory(error);
}

stf_status stf__memory_group_exists(void *impl, const stf_ctx *ctx, stf_str group, bool *ret_exists,
                                    stf_error *error)
{
    (void)ctx;
    (void)error;
    stf_memory *memory = impl;
    stf__memory_lock(memory);
    *ret_exists = stf__memory_find_group(memory, group) != NULL;
    stf__memory_unlock(memory);
    return STF_OK;
}

stf_status stf__memory_resolve_tenant(void *impl, const stf_ctx *ctx, stf_str group, stf_str tenant,
                                      stf_buf *ret_tenant, stf_error *error)
{
    (void)ctx;
    stf_memory *memory = impl;
    stf__group *found = NULL;
    const stf__tenant *concrete = NULL;
    stf__memory_lock(memory);
    stf_status status = stf__memory_need_group(memory, group, &found, error);
    if (status == STF_OK) {
        concrete = stf__memory_establish_tenant(memory, found, tenant);
    }
    stf__memory_unlock(memory);
    if (status != STF_OK) {
        return status;
    }
    /* Tenants live as long as the store, so the name may be read without the mutex. */
    if (concrete == NULL || stf_buf_append_str(ret_tenant, concrete->name) != STF_OK) {
        return stf__memory_no_memory(error);
    }
    return STF_OK;
}

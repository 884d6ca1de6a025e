/* SPDX-License-Identifier: Apache-2.0 */
/* The base calls of a repository: validate, ask ctx, call the slot, hand out outputs on success
 * only. The only callers of the slots are here and in the files beside this one. */
#include "base/mem.h"
#include "port/index.h"

#include <string.h>

stf_status stf_repository_save(stf_repository *repository, const stf_ctx *ctx, const stf_save *save,
                               stf_save_result *ret_result, stf_error *error)
{
    if (repository == NULL || ret_result == NULL) {
        return stf__port_missing(repository == NULL ? "repository" : "ret_result", error);
    }
    stf_status status = stf__port_check_save(repository, ctx, save, error);
    if (status == STF_OK) {
        status = stf_ctx_check(ctx, error);
    }
    stf_save_result result = {0};
    if (status == STF_OK) {
        status = repository->vtable.save(repository->impl, ctx, save, &result, error);
        stf__index_note_save(repository->index, save, status, &result);
    }
    if (status == STF_OK) {
        result.status = STF_OK;
        *ret_result = result;
    }
    return status;
}

stf_status stf_repository_load(stf_repository *repository, const stf_ctx *ctx, stf_str id,
                               stf_record_visitor visit, void *user, bool *ret_found,
                               stf_error *error)
{
    if (repository == NULL || visit == NULL || ret_found == NULL) {
        return stf__port_missing("repository, visit or ret_found", error);
    }
    stf__text text = {"id", id, true};
    stf_status status = stf__port_check_texts(&text, 1, error);
    if (status == STF_OK) {
        status = stf_ctx_check(ctx, error);
    }
    bool is_found = true;
    if (status == STF_OK) {
        stf__index_load load = {repository->index, visit, user};
        status = repository->vtable.load(repository->impl, ctx, id, stf__index_visit, &load,
                                         &is_found, error);
    }
    if (status == STF_OK && !is_found) {
        stf__index_note_absent(repository->index, id);
    }
    if (status == STF_OK) {
        *ret_found = is_found;
    }
    return status;
}

stf_status stf_repository_delete(stf_repository *repository, const stf_ctx *ctx,
                                 const stf_delete *request, stf_error *error)
{
    const uint32_t known_flags = STF_DELETE_HAS_ATTEMPT_SEEN | STF_DELETE_ANY;
    if (repository == NULL || request == NULL || request->struct_size < sizeof(*request) ||
        request->abi != STF_DELETE_ABI || (request->flags & ~known_flags) != 0) {
        return stf__port_missing("repository or stf_delete", error);
    }
    stf__text text = {"id", request->id, true};
    stf_status status = stf__port_check_texts(&text, 1, error);
    if (status == STF_OK && request->expected_version < 0) {
        status = stf_error_set(error, STF_INVALID_ARGUMENT, "PORT", "the version is negative");
    }
    if (status == STF_OK) {
        status = stf_ctx_check(ctx, error);
    }
    if (status == STF_OK) {
        status = repository->vtable.remove(repository->impl, ctx, request, error);
        stf__index_note_delete(repository->index, request->id, status);
    }
    return status;
}

stf_status stf_repository_list_in_flight(stf_repository *repository, const stf_ctx *ctx,
                                         const stf_in_flight_query *query, stf_id_visitor visit,
                                         void *user, stf_error *error)
{
    if (repository == NULL || query == NULL || visit == NULL) {
        return stf__port_missing("repository, query or visit", error);
    }
    stf__text texts[] = {{"group", query->group, true}, {"after_id", query->after_id, false}};
    stf_status status = stf__port_check_page(texts, STF_COUNT_OF(texts), query->limit, error);
    if (status == STF_OK) {
        status = stf_ctx_check(ctx, error);
    }
    return status == STF_OK
               ? repository->vtable.list_in_flight(repository->impl, ctx, query, visit, user, error)
               : status;
}

stf_status stf_repository_register_group(stf_repository *repository, const stf_ctx *ctx,
                                         stf_str group, stf_error *error)
{
    if (repository == NULL) {
        return stf__port_missing("repository", error);
    }
    stf__text text = {"group", group, true};
    stf_status status = stf__port_check_texts(&text, 1, error);
    if (status == STF_OK) {
        status = stf_ctx_check(ctx, error);
    }
    return status == STF_OK ? repository->vtable.register_group(repository->impl, ctx, group, error)
                            : status;
}

stf_status stf_repository_group_exists(stf_repository *repository, const stf_ctx *ctx,
                                       stf_str group, bool *ret_exists, stf_error *error)
{
    if (repository == NULL || ret_exists == NULL) {
        return stf__port_missing("repository or ret_exists", error);
    }
    stf__text text = {"group", group, true};
    stf_status status = stf__port_check_texts(&text, 1, error);
    if (status == STF_OK) {
        status = stf_ctx_check(ctx, error);
    }
    bool exists = false;
    if (status == STF_OK) {
        status = repository->vtable.group_exists(repository->impl, ctx, group, &exists, error);
    }
    if (status == STF_OK) {
        *ret_exists = exists;
    }
    return status;
}

stf_status stf_repository_resolve_tenant(stf_repository *repository, const stf_ctx *ctx,
                                         stf_str group, stf_str tenant, stf_buf *ret_tenant,
                                         stf_error *error)
{
    if (repository == NULL || ret_tenant == NULL) {
        return stf__port_missing("repository or ret_tenant", error);
    }
    stf__text texts[] = {{"group", group, true}, {"tenant", tenant, false}};
    stf_status status = stf__port_check_texts(texts, STF_COUNT_OF(texts), error);
    if (status == STF_OK) {
        status = stf_ctx_check(ctx, error);
    }
    if (status != STF_OK) {
        return status;
    }
    size_t size_before = ret_tenant->size;
    status =
        repository->vtable.resolve_tenant(repository->impl, ctx, group, tenant, ret_tenant, error);
    if (status != STF_OK) {
        ret_tenant->size = size_before;
    }
    return status;
}

stf_status stf_repository_describe(stf_repository *repository, const stf_ctx *ctx,
                                   stf_repository_facts *ret_facts, stf_error *error)
{
    if (repository == NULL || ret_facts == NULL || ret_facts->struct_size < sizeof(*ret_facts) ||
        ret_facts->abi != STF_REPOSITORY_FACTS_ABI) {
        return stf__port_missing("repository or stf_repository_facts", error);
    }
    stf_status status = stf_ctx_check(ctx, error);
    stf_repository_facts facts = STF_REPOSITORY_FACTS_INIT;
    if (status == STF_OK) {
        status = repository->vtable.describe(repository->impl, ctx, &facts, error);
    }
    if (status == STF_OK) {
        facts.struct_size = ret_facts->struct_size;
        facts.name[sizeof(facts.name) - 1] = '\0';
        facts.durability[sizeof(facts.durability) - 1] = '\0';
        memcpy(ret_facts, &facts, sizeof(facts));
    }
    return status;
}

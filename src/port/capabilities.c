/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of the small optional capabilities: schema, cluster, clock, journal, liveness.
 * UNSUPPORTED where the store has no such capability; a malformed call comes before that. */
#include "base/mem.h"
#include "port/private.h"

/* ---- Migrator ---------------------------------------------------------------------------- */

stf_status stf_repository_migrate(stf_repository *repository, const stf_ctx *ctx, stf_error *error)
{
    if (repository == NULL) {
        return stf__port_missing("repository", error);
    }
    const stf_migrator_vtable *capability = repository->capabilities[STF__CAPABILITY_MIGRATOR];
    if (capability == NULL) {
        return stf__port_unsupported(STF_REPOSITORY_MIGRATOR, error);
    }
    stf_status status = stf_ctx_check(ctx, error);
    return status == STF_OK ? capability->migrate(repository->impl, ctx, error) : status;
}

stf_status stf_repository_check_schema(stf_repository *repository, const stf_ctx *ctx,
                                       stf_error *error)
{
    if (repository == NULL) {
        return stf__port_missing("repository", error);
    }
    const stf_migrator_vtable *capability = repository->capabilities[STF__CAPABILITY_MIGRATOR];
    if (capability == NULL) {
        return stf__port_unsupported(STF_REPOSITORY_MIGRATOR, error);
    }
    stf_status status = stf_ctx_check(ctx, error);
    return status == STF_OK ? capability->check_schema(repository->impl, ctx, error) : status;
}

/* ---- Cluster ----------------------------------------------------------------------------- */

stf_status stf_repository_is_cluster_compatible(stf_repository *repository, bool *ret_compatible,
                                                const char **ret_reason, stf_error *error)
{
    if (repository == NULL || ret_compatible == NULL || ret_reason == NULL) {
        return stf__port_missing("repository, ret_compatible or ret_reason", error);
    }
    const stf_cluster_vtable *capability = repository->capabilities[STF__CAPABILITY_CLUSTER];
    if (capability == NULL) {
        return stf__port_unsupported(STF_REPOSITORY_CLUSTER, error);
    }
    *ret_compatible = capability->compatible(repository->impl);
    *ret_reason = capability->reason(repository->impl);
    return STF_OK;
}

/* ---- Clock ------------------------------------------------------------------------------- */

stf_status stf_repository_now(stf_repository *repository, const stf_ctx *ctx, stf_wall *ret_now,
                              stf_error *error)
{
    if (repository == NULL || ret_now == NULL) {
        return stf__port_missing("repository or ret_now", error);
    }
    const stf_store_clock_vtable *capability = repository->capabilities[STF__CAPABILITY_CLOCK];
    if (capability == NULL) {
        return stf__port_unsupported(STF_REPOSITORY_CLOCK, error);
    }
    stf_status status = stf_ctx_check(ctx, error);
    stf_wall now = stf_wall_none();
    if (status == STF_OK) {
        status = capability->now(repository->impl, ctx, &now, error);
    }
    if (status == STF_OK) {
        *ret_now = now;
    }
    return status;
}

/* ---- Journal ----------------------------------------------------------------------------- */

stf_status stf_repository_journal_page(stf_repository *repository, const stf_ctx *ctx,
                                       const stf_journal_query *query, stf_journal_visitor visit,
                                       void *user, stf_error *error)
{
    if (repository == NULL || query == NULL || visit == NULL) {
        return stf__port_missing("repository, query or visit", error);
    }
    const stf_journal_vtable *capability = repository->capabilities[STF__CAPABILITY_JOURNAL];
    if (capability == NULL) {
        return stf__port_unsupported(STF_REPOSITORY_JOURNAL, error);
    }
    stf__text text = {"id", query->id, true};
    stf_status status = stf__port_check_page(&text, 1, query->limit, error);
    if (status == STF_OK && query->after_version < 0) {
        status = stf_error_set(error, STF_INVALID_ARGUMENT, "PORT", "the version is negative");
    }
    if (status == STF_OK) {
        status = stf_ctx_check(ctx, error);
    }
    return status == STF_OK ? capability->page(repository->impl, ctx, query, visit, user, error)
                            : status;
}

/* ---- Liveness ---------------------------------------------------------------------------- */

static stf_status find_liveness(stf_repository *repository, const stf_liveness_vtable **ret_slots,
                                stf_error *error)
{
    if (repository == NULL) {
        return stf__port_missing("repository", error);
    }
    *ret_slots = repository->capabilities[STF__CAPABILITY_LIVENESS];
    return *ret_slots != NULL ? STF_OK : stf__port_unsupported(STF_REPOSITORY_LIVENESS, error);
}

static stf_status check_name(const char *what, stf_str name, const stf_ctx *ctx, stf_error *error)
{
    stf__text text = {what, name, true};
    stf_status status = stf__port_check_texts(&text, 1, error);
    return status == STF_OK ? stf_ctx_check(ctx, error) : status;
}

stf_status stf_repository_hold_owner(stf_repository *repository, const stf_ctx *ctx, stf_str owner,
                                     stf_error *error)
{
    const stf_liveness_vtable *capability = NULL;
    stf_status status = find_liveness(repository, &capability, error);
    if (status == STF_OK) {
        status = check_name("owner", owner, ctx, error);
    }
    return status == STF_OK ? capability->hold_owner(repository->impl, ctx, owner, error) : status;
}

void stf_repository_release_owner(stf_repository *repository, stf_str owner)
{
    const stf_liveness_vtable *capability = NULL;
    if (find_liveness(repository, &capability, NULL) == STF_OK &&
        check_name("owner", owner, NULL, NULL) == STF_OK) {
        capability->release_owner(repository->impl, owner);
    }
}

stf_status stf_repository_owner_is_dead(stf_repository *repository, const stf_ctx *ctx,
                                        stf_str owner, bool *ret_dead, stf_error *error)
{
    if (ret_dead == NULL) {
        return stf__port_missing("ret_dead", error);
    }
    const stf_liveness_vtable *capability = NULL;
    stf_status status = find_liveness(repository, &capability, error);
    if (status == STF_OK) {
        status = check_name("owner", owner, ctx, error);
    }
    bool is_dead = false;
    if (status == STF_OK) {
        status = capability->owner_is_dead(repository->impl, ctx, owner, &is_dead, error);
    }
    if (status == STF_OK) {
        *ret_dead = is_dead;
    }
    return status;
}

stf_status stf_repository_list_owners(stf_repository *repository, const stf_ctx *ctx, stf_str group,
                                      stf_id_visitor visit, void *user, stf_error *error)
{
    if (visit == NULL) {
        return stf__port_missing("visit", error);
    }
    const stf_liveness_vtable *capability = NULL;
    stf_status status = find_liveness(repository, &capability, error);
    if (status == STF_OK) {
        status = check_name("group", group, ctx, error);
    }
    return status == STF_OK
               ? capability->list_owners(repository->impl, ctx, group, visit, user, error)
               : status;
}

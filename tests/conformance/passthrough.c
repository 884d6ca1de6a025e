/* SPDX-License-Identifier: Apache-2.0 */
/* The slots that hand every call on, through the inner store's wrappers. */
#include "conformance/passthrough.h"

#include <stdlib.h>
#include <string.h>

static stf_repository *inner_of(void *impl)
{
    return ((passthrough *)impl)->inner;
}

stf_status passthrough_save(void *impl, const stf_ctx *ctx, const stf_save *request,
                            stf_save_result *ret_result, stf_error *error)
{
    return stf_repository_save(inner_of(impl), ctx, request, ret_result, error);
}

static stf_status load(void *impl, const stf_ctx *ctx, stf_str id, stf_record_visitor visit,
                       void *user, bool *ret_found, stf_error *error)
{
    return stf_repository_load(inner_of(impl), ctx, id, visit, user, ret_found, error);
}

static stf_status remove_record(void *impl, const stf_ctx *ctx, const stf_delete *request,
                                stf_error *error)
{
    return stf_repository_delete(inner_of(impl), ctx, request, error);
}

static stf_status list_in_flight(void *impl, const stf_ctx *ctx, const stf_in_flight_query *query,
                                 stf_id_visitor visit, void *user, stf_error *error)
{
    return stf_repository_list_in_flight(inner_of(impl), ctx, query, visit, user, error);
}

static stf_status register_group(void *impl, const stf_ctx *ctx, stf_str group, stf_error *error)
{
    return stf_repository_register_group(inner_of(impl), ctx, group, error);
}

static stf_status group_exists(void *impl, const stf_ctx *ctx, stf_str group, bool *ret_exists,
                               stf_error *error)
{
    return stf_repository_group_exists(inner_of(impl), ctx, group, ret_exists, error);
}

static stf_status resolve_tenant(void *impl, const stf_ctx *ctx, stf_str group, stf_str tenant,
                                 stf_buf *ret_tenant, stf_error *error)
{
    return stf_repository_resolve_tenant(inner_of(impl), ctx, group, tenant, ret_tenant, error);
}

static stf_status describe(void *impl, const stf_ctx *ctx, stf_repository_facts *ret_facts,
                           stf_error *error)
{
    return stf_repository_describe(inner_of(impl), ctx, ret_facts, error);
}

const void *passthrough_extension(void *impl, const char *id)
{
    passthrough *self = impl;
    const struct {
        const char *id;
        const void *vtable;
    } rows[] = {{STF_REPOSITORY_BATCH, &self->batch},
                {STF_REPOSITORY_WAKE, &self->wake},
                {STF_REPOSITORY_CATALOG, &self->catalog},
                {STF_REPOSITORY_JOURNAL, &self->journal},
                {STF_REPOSITORY_CLUSTER, &self->cluster}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (strcmp(rows[i].id, id) == 0 && stf_repository_has(self->inner, id)) {
            return rows[i].vtable;
        }
    }
    return NULL;
}

static void close_store(void *impl)
{
    passthrough *self = impl;
    stf_repository_close(self->inner);
    free(self);
}

static stf_status save_many(void *impl, const stf_ctx *ctx, const stf_save *saves, size_t count,
                            stf_save_result *results, stf_error *error)
{
    return stf_repository_save_many(inner_of(impl), ctx, saves, count, results, error);
}

static stf_status load_many(void *impl, const stf_ctx *ctx, const stf_str *ids, size_t count,
                            stf_wall due_before, stf_record_visitor visit, void *user,
                            stf_error *error)
{
    return stf_repository_load_many(inner_of(impl), ctx, ids, count, due_before, visit, user,
                                    error);
}

static stf_status due_page(void *impl, const stf_ctx *ctx, const stf_due_query *query,
                           stf_wake_visitor visit, void *user, stf_error *error)
{
    return stf_repository_due_page(inner_of(impl), ctx, query, visit, user, error);
}

static stf_status orphan_page(void *impl, const stf_ctx *ctx, const stf_orphan_query *query,
                              stf_wake_visitor visit, void *user, stf_error *error)
{
    return stf_repository_orphan_page(inner_of(impl), ctx, query, visit, user, error);
}

static stf_status waiting_page(void *impl, const stf_ctx *ctx, const stf_waiting_query *query,
                               stf_wake_visitor visit, void *user, stf_error *error)
{
    return stf_repository_waiting_page(inner_of(impl), ctx, query, visit, user, error);
}

static stf_status next_due(void *impl, const stf_ctx *ctx, stf_str group, stf_str asker,
                           stf_wall *ret_due, stf_error *error)
{
    return stf_repository_next_due(inner_of(impl), ctx, group, asker, ret_due, error);
}

static stf_status page(void *impl, const stf_ctx *ctx, const stf_catalog_query *query,
                       stf_record_visitor visit, void *user, stf_error *error)
{
    return stf_repository_page(inner_of(impl), ctx, query, visit, user, error);
}

static stf_status count(void *impl, const stf_ctx *ctx, const stf_catalog_query *query,
                        uint64_t *ret_count, stf_error *error)
{
    return stf_repository_count(inner_of(impl), ctx, query, ret_count, error);
}

static stf_status prune(void *impl, const stf_ctx *ctx, const stf_prune_request *request,
                        uint64_t *ret_count, stf_error *error)
{
    return stf_repository_prune(inner_of(impl), ctx, request, ret_count, error);
}

static stf_status journal_page(void *impl, const stf_ctx *ctx, const stf_journal_query *query,
                               stf_journal_visitor visit, void *user, stf_error *error)
{
    return stf_repository_journal_page(inner_of(impl), ctx, query, visit, user, error);
}

static bool is_compatible(void *impl)
{
    (void)impl;
    return false;
}

static const char *reason(void *impl)
{
    (void)impl;
    return "a decorator for tests";
}

static const stf_repository_vtable base_slots = {
    .struct_size = sizeof(stf_repository_vtable),
    .abi = STF_REPOSITORY_ABI,
    .save = passthrough_save,
    .load = load,
    .remove = remove_record,
    .list_in_flight = list_in_flight,
    .register_group = register_group,
    .group_exists = group_exists,
    .resolve_tenant = resolve_tenant,
    .describe = describe,
    .extension = passthrough_extension,
    .close = close_store,
};

static void fill(passthrough *self)
{
    self->batch = (stf_batch_vtable){sizeof(self->batch), STF_BATCH_ABI, 0, save_many, load_many};
    self->wake = (stf_wake_vtable){sizeof(self->wake), STF_WAKE_ABI, 0,       due_page,
                                   orphan_page,        waiting_page, next_due};
    self->catalog =
        (stf_catalog_vtable){sizeof(self->catalog), STF_CATALOG_ABI, 0, page, count, prune};
    self->journal = (stf_journal_vtable){sizeof(self->journal), STF_JOURNAL_ABI, 0, journal_page};
    self->cluster =
        (stf_cluster_vtable){sizeof(self->cluster), STF_CLUSTER_ABI, 0, is_compatible, reason};
}

stf_status passthrough_new(passthrough_breaker break_it, stf_repository *inner,
                           stf_repository **ret_outer, stf_error *error)
{
    return passthrough_new_with(NULL, break_it, inner, NULL, ret_outer, error);
}

stf_status passthrough_new_with(const stf_allocator *alloc, passthrough_breaker break_it,
                                stf_repository *inner, const stf_clock *clock,
                                stf_repository **ret_outer, stf_error *error)
{
    passthrough *self = calloc(1, sizeof(*self));
    if (self == NULL) {
        return STF_NO_MEMORY;
    }
    stf_repository_vtable vtable = base_slots;
    self->inner = inner;
    self->clock = clock;
    fill(self);
    if (break_it != NULL) {
        break_it(&vtable, self);
    }
    return stf_repository_new(alloc, &vtable, self, ret_outer, error);
}

/* ---- For the broken ones ----------------------------------------------------------------- */

static stf_status note_version(void *user, const stf_record *record, stf_error *error)
{
    (void)error;
    *(int64_t *)user = record->rec_version;
    return STF_OK;
}

int64_t passthrough_stored_version(void *impl, stf_str id)
{
    int64_t version = 0;
    bool is_found = false;
    (void)!stf_repository_load(((passthrough *)impl)->inner, NULL, id, note_version, &version,
                               &is_found, NULL);
    return version;
}

stf_status passthrough_save_over_anything(void *impl, const stf_ctx *ctx, const stf_save *save,
                                          stf_save_result *ret_result, stf_error *error)
{
    stf_save any = *save;
    stf_status status;
    do {
        any.expected_version = passthrough_stored_version(impl, save->record->id);
        any.flags &= ~STF_SAVE_HAS_ATTEMPT_SEEN;
        status = passthrough_save(impl, ctx, &any, ret_result, error);
    } while (status == STF_CONCURRENT_UPDATE);
    return status;
}

/* A load whose record is changed on its way to the visitor. */
typedef struct changed_load {
    passthrough *self;
    void (*change)(passthrough *self, stf_record *record);
    stf_record_visitor visit;
    void *user;
} changed_load;

static stf_status visit_changed(void *user, const stf_record *record, stf_error *error)
{
    const changed_load *load = user;
    stf_record copy = *record;
    load->change(load->self, &copy);
    return load->visit(load->user, &copy, error);
}

stf_status passthrough_load_changed(void *impl, const stf_ctx *ctx, stf_str id,
                                    void (*change)(passthrough *, stf_record *),
                                    stf_record_visitor visit, void *user, bool *ret_found,
                                    stf_error *error)
{
    changed_load load = {impl, change, visit, user};
    return stf_repository_load(load.self->inner, ctx, id, visit_changed, &load, ret_found, error);
}

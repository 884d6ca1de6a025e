/* SPDX-License-Identifier: Apache-2.0 */
/* The slots of the store that keeps nothing. */
#include "unit/port/fake.h"

#include "support/stf_test.h"

static stf_status answer(fake *self, stf_error *error)
{
    self->calls++;
    if (self->answer != STF_OK) {
        return stf_error_set(error, self->answer, "FAKE", "as the test said");
    }
    return STF_OK;
}

static void note_id(fake *self, stf_str id)
{
    size_t used = strlen(self->ids_seen);
    ck_assert_uint_lt(used + id.size + 1, sizeof(self->ids_seen));
    memcpy(self->ids_seen + used, id.data, id.size);
    self->ids_seen[used + id.size] = ' ';
}

/* ---- Base -------------------------------------------------------------------------------- */

static stf_status save(void *impl, const stf_ctx *ctx, const stf_save *request,
                       stf_save_result *ret_result, stf_error *error)
{
    (void)ctx;
    fake *self = impl;
    note_id(self, request->record->id);
    ret_result->rec_version = request->expected_version + 1; /* even when it fails */
    return answer(self, error);
}

static stf_status load(void *impl, const stf_ctx *ctx, stf_str id, stf_record_visitor visit,
                       void *user, bool *ret_found, stf_error *error)
{
    (void)ctx;
    fake *self = impl;
    note_id(self, id);
    *ret_found = true;
    stf_status status = answer(self, error);
    stf_record record = fake_record();
    record.id = id;
    record.due = self->due;
    return status == STF_OK ? visit(user, &record, error) : status;
}

static stf_status remove_record(void *impl, const stf_ctx *ctx, const stf_delete *request,
                                stf_error *error)
{
    (void)ctx;
    (void)request;
    return answer(impl, error);
}

static stf_status list_in_flight(void *impl, const stf_ctx *ctx, const stf_in_flight_query *query,
                                 stf_id_visitor visit, void *user, stf_error *error)
{
    (void)ctx;
    ((fake *)impl)->limit_seen = query->limit;
    stf_status status = answer(impl, error);
    return status == STF_OK ? visit(user, query->group, error) : status;
}

static stf_status register_group(void *impl, const stf_ctx *ctx, stf_str group, stf_error *error)
{
    (void)ctx;
    (void)group;
    return answer(impl, error);
}

static stf_status group_exists(void *impl, const stf_ctx *ctx, stf_str group, bool *ret_exists,
                               stf_error *error)
{
    (void)ctx;
    (void)group;
    fake *self = impl;
    self->group_lookups++;
    *ret_exists = self->group_is_there;
    return self->answer == STF_OK ? STF_OK : stf_error_set(error, self->answer, "FAKE", "no");
}

static stf_status resolve_tenant(void *impl, const stf_ctx *ctx, stf_str group, stf_str tenant,
                                 stf_buf *ret_tenant, stf_error *error)
{
    (void)ctx;
    (void)group;
    (void)tenant;
    ck_assert(stf_buf_append_str(ret_tenant, stf_str_of("concrete")) == STF_OK);
    return answer(impl, error);
}

static stf_status describe(void *impl, const stf_ctx *ctx, stf_repository_facts *ret_facts,
                           stf_error *error)
{
    (void)ctx;
    memset(ret_facts->name, 'n', sizeof(ret_facts->name));
    memset(ret_facts->durability, 'd', sizeof(ret_facts->durability));
    return answer(impl, error);
}

static const void *extension(void *impl, const char *id)
{
    static const char *const ids[STF__CAPABILITY_COUNT] = {
        STF_REPOSITORY_MIGRATOR, STF_REPOSITORY_CLUSTER, STF_REPOSITORY_BATCH,
        STF_REPOSITORY_WAKE,     STF_REPOSITORY_CATALOG, STF_REPOSITORY_CLOCK,
        STF_REPOSITORY_JOURNAL,  STF_REPOSITORY_LIVENESS};
    fake *self = impl;
    for (size_t i = 0; i < STF__CAPABILITY_COUNT; i++) {
        if (strcmp(ids[i], id) == 0) {
            self->asked[i]++;
            return self->capabilities[i];
        }
    }
    return NULL;
}

static void close_store(void *impl)
{
    ((fake *)impl)->closes++;
}

/* ---- Capabilities ------------------------------------------------------------------------ */

static stf_status migrate(void *impl, const stf_ctx *ctx, stf_error *error)
{
    (void)ctx;
    return answer(impl, error);
}

static bool is_compatible(void *impl)
{
    (void)impl;
    return true;
}

static const char *reason(void *impl)
{
    (void)impl;
    return "because";
}

static stf_status save_many(void *impl, const stf_ctx *ctx, const stf_save *saves, size_t count,
                            stf_save_result *results, stf_error *error)
{
    fake *self = impl;
    stf_status status = self->answer;
    for (size_t i = 0; i < count; i++) {
        self->answer = STF_OK;
        (void)!save(impl, ctx, &saves[i], &results[i], NULL);
        results[i].status = STF_OK;
    }
    self->answer = status;
    return answer(self, error);
}

static stf_status load_many(void *impl, const stf_ctx *ctx, const stf_str *ids, size_t count,
                            stf_wall due_before, stf_record_visitor visit, void *user,
                            stf_error *error)
{
    (void)due_before;
    stf_status status = STF_OK;
    for (size_t i = 0; i < count && status == STF_OK; i++) {
        bool is_found = false;
        status = load(impl, ctx, ids[i], visit, user, &is_found, error);
    }
    return status;
}

static stf_status due_page(void *impl, const stf_ctx *ctx, const stf_due_query *query,
                           stf_wake_visitor visit, void *user, stf_error *error)
{
    (void)ctx;
    stf_wake_row row = {.id = query->group};
    stf_status status = answer(impl, error);
    return status == STF_OK ? visit(user, &row, error) : status;
}

static stf_status orphan_page(void *impl, const stf_ctx *ctx, const stf_orphan_query *query,
                              stf_wake_visitor visit, void *user, stf_error *error)
{
    (void)ctx;
    stf_wake_row row = {.id = query->group};
    stf_status status = answer(impl, error);
    return status == STF_OK ? visit(user, &row, error) : status;
}

static stf_status waiting_page(void *impl, const stf_ctx *ctx, const stf_waiting_query *query,
                               stf_wake_visitor visit, void *user, stf_error *error)
{
    (void)ctx;
    stf_wake_row row = {.id = query->group};
    stf_status status = answer(impl, error);
    return status == STF_OK ? visit(user, &row, error) : status;
}

static stf_status next_due(void *impl, const stf_ctx *ctx, stf_str group, stf_str asker,
                           stf_wall *ret_due, stf_error *error)
{
    (void)ctx;
    (void)group;
    (void)asker;
    ret_due->us = 42;
    return answer(impl, error);
}

static stf_status page(void *impl, const stf_ctx *ctx, const stf_catalog_query *query,
                       stf_record_visitor visit, void *user, stf_error *error)
{
    (void)ctx;
    (void)query;
    stf_record record = fake_record();
    stf_status status = answer(impl, error);
    return status == STF_OK ? visit(user, &record, error) : status;
}

static stf_status count(void *impl, const stf_ctx *ctx, const stf_catalog_query *query,
                        uint64_t *ret_count, stf_error *error)
{
    (void)ctx;
    ck_assert_uint_eq(query->after_id.size, 0);
    *ret_count = 42;
    return answer(impl, error);
}

static stf_status prune(void *impl, const stf_ctx *ctx, const stf_prune_request *request,
                        uint64_t *ret_count, stf_error *error)
{
    (void)ctx;
    (void)request;
    *ret_count = 42;
    return answer(impl, error);
}

static stf_status now(void *impl, const stf_ctx *ctx, stf_wall *ret_now, stf_error *error)
{
    (void)ctx;
    ret_now->us = 42;
    return answer(impl, error);
}

static stf_status journal_page(void *impl, const stf_ctx *ctx, const stf_journal_query *query,
                               stf_journal_visitor visit, void *user, stf_error *error)
{
    (void)ctx;
    (void)query;
    (void)visit;
    (void)user;
    return answer(impl, error);
}

static stf_status hold_owner(void *impl, const stf_ctx *ctx, stf_str owner, stf_error *error)
{
    (void)ctx;
    (void)owner;
    return answer(impl, error);
}

static void release_owner(void *impl, stf_str owner)
{
    (void)owner;
    ((fake *)impl)->calls++;
}

static stf_status owner_is_dead(void *impl, const stf_ctx *ctx, stf_str owner, bool *ret_dead,
                                stf_error *error)
{
    (void)ctx;
    (void)owner;
    *ret_dead = true;
    return answer(impl, error);
}

static stf_status list_owners(void *impl, const stf_ctx *ctx, stf_str group, stf_id_visitor visit,
                              void *user, stf_error *error)
{
    (void)ctx;
    stf_status status = answer(impl, error);
    return status == STF_OK ? visit(user, group, error) : status;
}

const stf_migrator_vtable fake_migrator = {sizeof(fake_migrator), STF_MIGRATOR_ABI, 0, migrate,
                                           migrate};
const stf_cluster_vtable fake_cluster = {sizeof(fake_cluster), STF_CLUSTER_ABI, 0, is_compatible,
                                         reason};
const stf_batch_vtable fake_batch = {sizeof(fake_batch), STF_BATCH_ABI, 0, save_many, load_many};
const stf_wake_vtable fake_wake = {sizeof(fake_wake), STF_WAKE_ABI, 0,       due_page,
                                   orphan_page,       waiting_page, next_due};
const stf_catalog_vtable fake_catalog = {
    sizeof(fake_catalog), STF_CATALOG_ABI, 0, page, count, prune};
const stf_store_clock_vtable fake_clock = {sizeof(fake_clock), STF_STORE_CLOCK_ABI, 0, now};
const stf_journal_vtable fake_journal = {sizeof(fake_journal), STF_JOURNAL_ABI, 0, journal_page};
const stf_liveness_vtable fake_liveness = {
    sizeof(fake_liveness), STF_LIVENESS_ABI, 0,          hold_owner,
    release_owner,         owner_is_dead,    list_owners};

void fake_init(fake *self)
{
    static const stf_repository_vtable slots = {
        .struct_size = sizeof(slots),
        .abi = STF_REPOSITORY_ABI,
        .save = save,
        .load = load,
        .remove = remove_record,
        .list_in_flight = list_in_flight,
        .register_group = register_group,
        .group_exists = group_exists,
        .resolve_tenant = resolve_tenant,
        .describe = describe,
        .extension = extension,
        .close = close_store,
    };
    *self = (fake){.vtable = slots,
                   .capabilities = {&fake_migrator, &fake_cluster, &fake_batch, &fake_wake,
                                    &fake_catalog, &fake_clock, &fake_journal, &fake_liveness},
                   .group_is_there = true,
                   .due = stf_wall_none()};
}

stf_repository *fake_open(fake *self)
{
    stf_repository *repository = NULL;
    stf_error error = STF_ERROR_INIT;
    STF_CHECK_OK(stf_repository_new(NULL, &self->vtable, self, &repository, &error), &error);
    return repository;
}

stf_record fake_record(void)
{
    stf_record record = STF_RECORD_INIT;
    record.id = stf_str_of("a");
    record.group = stf_str_of("g");
    return record;
}

stf_save fake_save(const stf_record *record)
{
    stf_save request = STF_SAVE_INIT;
    request.record = record;
    return request;
}

stf_status fake_visit_record(void *user, const stf_record *record, stf_error *error)
{
    (void)record;
    (void)error;
    ++*(size_t *)user;
    return STF_OK;
}

stf_status fake_visit_id(void *user, stf_str id, stf_error *error)
{
    (void)id;
    (void)error;
    ++*(size_t *)user;
    return STF_OK;
}

stf_status fake_visit_row(void *user, const stf_wake_row *row, stf_error *error)
{
    (void)row;
    (void)error;
    ++*(size_t *)user;
    return STF_OK;
}

stf_str fake_long_text(void)
{
    static char text[STF_LIMIT_ID_BYTES + 1];
    memset(text, 'x', sizeof(text));
    return (stf_str){text, sizeof(text)};
}

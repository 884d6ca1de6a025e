/* SPDX-License-Identifier: Apache-2.0 */
/* See store_count.h. */
#include "store_count.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <stepfast/sys/repository_batch.h>
#include <stepfast/sys/repository_catalog.h>
#include <stepfast/sys/repository_clock.h>
#include <stepfast/sys/repository_cluster.h>
#include <stepfast/sys/repository_journal.h>
#include <stepfast/sys/repository_liveness.h>
#include <stepfast/sys/repository_migrator.h>
#include <stepfast/sys/repository_wake.h>

typedef struct counter {
    stf_repository *inner;
    cli_store_totals *totals;
} counter;

static stf_repository *inner_of(void *impl)
{
    return ((counter *)impl)->inner;
}

/* ---- Counted --------------------------------------------------------------------------------- */

static void count_save(cli_store_totals *totals, const stf_save *save, stf_status status)
{
    if (status != STF_OK) {
        totals->refused++;
        return;
    }
    totals->saves++;
    totals->creates += save->expected_version == 0 ? 1 : 0;
    totals->head_bytes += save->record->head.size;
    totals->bulk_bytes += save->record->bulk.size;
}

static stf_status save_one(void *impl, const stf_ctx *ctx, const stf_save *save,
                           stf_save_result *ret_result, stf_error *error)
{
    counter *self = impl;
    stf_status status = stf_repository_save(self->inner, ctx, save, ret_result, error);
    self->totals->commits++;
    count_save(self->totals, save, status);
    return status;
}

static stf_status save_many(void *impl, const stf_ctx *ctx, const stf_save *saves, size_t count,
                            stf_save_result *results, stf_error *error)
{
    counter *self = impl;
    stf_status status = stf_repository_save_many(self->inner, ctx, saves, count, results, error);
    self->totals->commits++;
    for (size_t i = 0; i < count; i++) {
        count_save(self->totals, &saves[i],
                   status == STF_OK ? (stf_status)results[i].status : status);
    }
    return status;
}

typedef struct counted_visit {
    cli_store_totals *totals;
    stf_record_visitor visit;
    void *user;
} counted_visit;

static stf_status visit_counted(void *user, const stf_record *record, stf_error *error)
{
    counted_visit *counted = user;
    counted->totals->loads++;
    return counted->visit(counted->user, record, error);
}

static stf_status load(void *impl, const stf_ctx *ctx, stf_str id, stf_record_visitor visit,
                       void *user, bool *ret_found, stf_error *error)
{
    counted_visit counted = {((counter *)impl)->totals, visit, user};
    return stf_repository_load(inner_of(impl), ctx, id, visit_counted, &counted, ret_found, error);
}

static stf_status load_many(void *impl, const stf_ctx *ctx, const stf_str *ids, size_t count,
                            stf_wall due_before, stf_record_visitor visit, void *user,
                            stf_error *error)
{
    counted_visit counted = {((counter *)impl)->totals, visit, user};
    return stf_repository_load_many(inner_of(impl), ctx, ids, count, due_before, visit_counted,
                                    &counted, error);
}

/* ---- Handed on ------------------------------------------------------------------------------- */

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

static stf_status count_records(void *impl, const stf_ctx *ctx, const stf_catalog_query *query,
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

static stf_status hold_owner(void *impl, const stf_ctx *ctx, stf_str owner, stf_error *error)
{
    return stf_repository_hold_owner(inner_of(impl), ctx, owner, error);
}

static void release_owner(void *impl, stf_str owner)
{
    stf_repository_release_owner(inner_of(impl), owner);
}

static stf_status owner_is_dead(void *impl, const stf_ctx *ctx, stf_str owner, bool *ret_dead,
                                stf_error *error)
{
    return stf_repository_owner_is_dead(inner_of(impl), ctx, owner, ret_dead, error);
}

static stf_status list_owners(void *impl, const stf_ctx *ctx, stf_str group, stf_id_visitor visit,
                              void *user, stf_error *error)
{
    return stf_repository_list_owners(inner_of(impl), ctx, group, visit, user, error);
}

static stf_status now(void *impl, const stf_ctx *ctx, stf_wall *ret_now, stf_error *error)
{
    return stf_repository_now(inner_of(impl), ctx, ret_now, error);
}

static stf_status migrate(void *impl, const stf_ctx *ctx, stf_error *error)
{
    return stf_repository_migrate(inner_of(impl), ctx, error);
}

static stf_status check_schema(void *impl, const stf_ctx *ctx, stf_error *error)
{
    return stf_repository_check_schema(inner_of(impl), ctx, error);
}

static const stf_batch_vtable batch_slots = {sizeof batch_slots, STF_BATCH_ABI, 0, save_many,
                                             load_many};
static const stf_wake_vtable wake_slots = {sizeof wake_slots, STF_WAKE_ABI, 0,       due_page,
                                           orphan_page,       waiting_page, next_due};
static const stf_catalog_vtable catalog_slots = {
    sizeof catalog_slots, STF_CATALOG_ABI, 0, page, count_records, prune};
static const stf_journal_vtable journal_slots = {sizeof journal_slots, STF_JOURNAL_ABI, 0,
                                                 journal_page};
static const stf_liveness_vtable liveness_slots = {
    sizeof liveness_slots, STF_LIVENESS_ABI, 0,          hold_owner,
    release_owner,         owner_is_dead,    list_owners};
static const stf_store_clock_vtable clock_slots = {sizeof clock_slots, STF_STORE_CLOCK_ABI, 0, now};
static const stf_migrator_vtable migrator_slots = {sizeof migrator_slots, STF_MIGRATOR_ABI, 0,
                                                   migrate, check_schema};

static const void *extension(void *impl, const char *id)
{
    static const struct {
        const char *id;
        const void *vtable;
    } rows[] = {
        {STF_REPOSITORY_BATCH, &batch_slots},       {STF_REPOSITORY_WAKE, &wake_slots},
        {STF_REPOSITORY_CATALOG, &catalog_slots},   {STF_REPOSITORY_JOURNAL, &journal_slots},
        {STF_REPOSITORY_LIVENESS, &liveness_slots}, {STF_REPOSITORY_CLOCK, &clock_slots},
        {STF_REPOSITORY_MIGRATOR, &migrator_slots},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].id, id) == 0 && stf_repository_has(inner_of(impl), id)) {
            return rows[i].vtable;
        }
    }
    return NULL;
}

static void close_counter(void *impl)
{
    stf_repository_close(inner_of(impl));
    free(impl);
}

stf_status cli_store_count(stf_repository *inner, cli_store_totals *totals,
                           stf_repository **ret_repository, stf_error *error)
{
    static const stf_repository_vtable slots = {
        .struct_size = sizeof slots,
        .abi = STF_REPOSITORY_ABI,
        .save = save_one,
        .load = load,
        .remove = remove_record,
        .list_in_flight = list_in_flight,
        .register_group = register_group,
        .group_exists = group_exists,
        .resolve_tenant = resolve_tenant,
        .describe = describe,
        .extension = extension,
        .close = close_counter,
    };
    counter *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return stf_error_set(error, STF_NO_MEMORY, "BENCH", "no memory for a counting store");
    }
    self->inner = inner;
    self->totals = totals;
    stf_status status = stf_repository_new(NULL, &slots, self, ret_repository, error);
    if (status != STF_OK) {
        free(self);
    }
    return status;
}

/* ---- Judged ---------------------------------------------------------------------------------- */

cli_store_totals cli_store_totals_since(const cli_store_totals *totals,
                                        const cli_store_totals *before)
{
    return (cli_store_totals){
        .commits = totals->commits - before->commits,
        .saves = totals->saves - before->saves,
        .refused = totals->refused - before->refused,
        .creates = totals->creates - before->creates,
        .loads = totals->loads - before->loads,
        .head_bytes = totals->head_bytes - before->head_bytes,
        .bulk_bytes = totals->bulk_bytes - before->bulk_bytes,
    };
}

stf_status cli_store_totals_check(const char *what, const cli_store_totals *counted, uint64_t count,
                                  uint64_t saves_each, uint64_t creates, stf_error *error)
{
    const struct {
        const char *name;
        uint64_t counted;
        uint64_t expected;
    } rows[] = {
        {"saves", counted->saves, count * saves_each},
        {"created records", counted->creates, creates},
        {"refused saves", counted->refused, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].counted != rows[i].expected) {
            return stf_error_set(error, STF_INTERNAL, "BENCH",
                                 "%s: counted %" PRIu64 " %s, expected %" PRIu64
                                 "; the figure would not be of this work and is not printed",
                                 what, rows[i].counted, rows[i].name, rows[i].expected);
        }
    }
    if (counted->commits > counted->saves || (counted->saves != 0 && counted->commits == 0)) {
        return stf_error_set(error, STF_INTERNAL, "BENCH",
                             "%s: counted %" PRIu64 " commits of %" PRIu64 " saves", what,
                             counted->commits, counted->saves);
    }
    if (counted->head_bytes < counted->saves) {
        return stf_error_set(error, STF_INTERNAL, "BENCH",
                             "%s: counted %" PRIu64 " encoded bytes in %" PRIu64 " saves", what,
                             counted->head_bytes, counted->saves);
    }
    return STF_OK;
}

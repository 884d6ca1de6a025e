/* SPDX-License-Identifier: Apache-2.0 */
/* Stores that are broken in their pages: listing, catalog, journal. */
#include "conformance/passthrough.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static stf_status list_inner(void *impl, const stf_ctx *ctx, const stf_in_flight_query *query,
                             stf_id_visitor visit, void *user, stf_error *error)
{
    return stf_repository_list_in_flight(((passthrough *)impl)->inner, ctx, query, visit, user,
                                         error);
}

/* ---- What is in flight ------------------------------------------------------------------- */

typedef struct known_only {
    passthrough *self;
    stf_id_visitor visit;
    void *user;
} known_only;

static stf_status note_status(void *user, const stf_record *record, stf_error *error)
{
    (void)error;
    *(uint32_t *)user = record->status;
    return STF_OK;
}

static stf_status visit_known(void *user, stf_str id, stf_error *error)
{
    const known_only *filter = user;
    uint32_t status = 0;
    bool is_found = false;
    (void)!stf_repository_load(filter->self->inner, NULL, id, note_status, &status, &is_found,
                               NULL);
    return status <= STF_RECORD_INCIDENT ? filter->visit(filter->user, id, error) : STF_OK;
}

static stf_status list_known(void *impl, const stf_ctx *ctx, const stf_in_flight_query *query,
                             stf_id_visitor visit, void *user, stf_error *error)
{
    known_only filter = {impl, visit, user};
    return list_inner(impl, ctx, query, visit_known, &filter, error);
}

static void statuses_enumerated(stf_repository_vtable *vtable, passthrough *self)
{
    (void)self;
    vtable->list_in_flight = list_known;
}

static stf_status list_at(void *impl, const stf_ctx *ctx, const stf_in_flight_query *query,
                          stf_wall now, stf_id_visitor visit, void *user, stf_error *error)
{
    stf_in_flight_query other = *query;
    other.now = now;
    return list_inner(impl, ctx, &other, visit, user, error);
}

static stf_status list_whatever_lease(void *impl, const stf_ctx *ctx,
                                      const stf_in_flight_query *query, stf_id_visitor visit,
                                      void *user, stf_error *error)
{
    return list_at(impl, ctx, query, (stf_wall){INT64_MAX}, visit, user, error);
}

static void lease_ignored(stf_repository_vtable *vtable, passthrough *self)
{
    (void)self;
    vtable->list_in_flight = list_whatever_lease;
}

static stf_status list_before(void *impl, const stf_ctx *ctx, const stf_in_flight_query *query,
                              stf_id_visitor visit, void *user, stf_error *error)
{
    return list_at(impl, ctx, query, (stf_wall){query->now.us - 1}, visit, user, error);
}

static void expiry_exclusive(stf_repository_vtable *vtable, passthrough *self)
{
    (void)self;
    vtable->list_in_flight = list_before;
}

typedef struct by_catalog {
    stf_id_visitor visit;
    void *user;
} by_catalog;

static stf_status visit_record(void *user, const stf_record *record, stf_error *error)
{
    const by_catalog *target = user;
    return target->visit(target->user, record->id, error);
}

static stf_status list_with_mask(void *impl, const stf_ctx *ctx, const stf_in_flight_query *query,
                                 uint64_t mask, stf_id_visitor visit, void *user, stf_error *error)
{
    by_catalog target = {visit, user};
    stf_catalog_query all = {.group = query->group,
                             .status_mask = mask,
                             .after_id = query->after_id,
                             .limit = query->limit};
    return stf_repository_page(((passthrough *)impl)->inner, ctx, &all, visit_record, &target,
                               error);
}

static stf_status list_suspended_too(void *impl, const stf_ctx *ctx,
                                     const stf_in_flight_query *query, stf_id_visitor visit,
                                     void *user, stf_error *error)
{
    return list_with_mask(impl, ctx, query, 1u << 0 | 1u << 3 | 1u << 4, visit, user, error);
}

static void suspended_listed(stf_repository_vtable *vtable, passthrough *self)
{
    (void)self;
    vtable->list_in_flight = list_suspended_too;
}

static stf_status list_ended_too(void *impl, const stf_ctx *ctx, const stf_in_flight_query *query,
                                 stf_id_visitor visit, void *user, stf_error *error)
{
    return list_with_mask(impl, ctx, query, 0, visit, user, error);
}

static void ended_listed(stf_repository_vtable *vtable, passthrough *self)
{
    (void)self;
    vtable->list_in_flight = list_ended_too;
}

/* ---- Order and pages --------------------------------------------------------------------- */

typedef struct id_list {
    char ids[64][64];
    size_t count;
} id_list;

static stf_status collect(void *user, stf_str id, stf_error *error)
{
    (void)error;
    id_list *list = user;
    if (list->count < COUNT_OF(list->ids) && id.size < sizeof(list->ids[0])) {
        memcpy(list->ids[list->count], id.data, id.size);
        list->ids[list->count][id.size] = '\0';
        list->count++;
    }
    return STF_OK;
}

static int compare_without_case(const void *a, const void *b)
{
    return strcasecmp(a, b);
}

static stf_status list_without_case(void *impl, const stf_ctx *ctx,
                                    const stf_in_flight_query *query, stf_id_visitor visit,
                                    void *user, stf_error *error)
{
    id_list list = {.count = 0};
    stf_status status = list_inner(impl, ctx, query, collect, &list, error);
    qsort(list.ids, list.count, sizeof(list.ids[0]), compare_without_case);
    for (size_t i = 0; i < list.count && status == STF_OK; i++) {
        status = visit(user, stf_str_of(list.ids[i]), error);
    }
    return status;
}

static void order_without_case(stf_repository_vtable *vtable, passthrough *self)
{
    (void)self;
    vtable->list_in_flight = list_without_case;
}

static stf_status list_both_groups(void *impl, const stf_ctx *ctx, const stf_in_flight_query *query,
                                   stf_id_visitor visit, void *user, stf_error *error)
{
    static const char *const groups[] = {"g", "h"};
    stf_status status = STF_OK;
    for (size_t i = 0; i < 2 && status == STF_OK; i++) {
        stf_in_flight_query other = *query;
        other.group = stf_str_of(groups[i]);
        status = list_inner(impl, ctx, &other, visit, user, error);
    }
    return status;
}

static void group_forgotten(stf_repository_vtable *vtable, passthrough *self)
{
    (void)self;
    vtable->list_in_flight = list_both_groups;
}

/* Counts its pages by rows before the filter, so that a page with an ended record is short. */
static stf_status list_limit_first(void *impl, const stf_ctx *ctx, const stf_in_flight_query *query,
                                   stf_id_visitor visit, void *user, stf_error *error)
{
    stf_in_flight_query other = *query;
    if (query->after_id.size != 0 && query->limit > 1) {
        other.limit--;
    }
    return list_inner(impl, ctx, &other, visit, user, error);
}

static void pages_short(stf_repository_vtable *vtable, passthrough *self)
{
    (void)self;
    vtable->list_in_flight = list_limit_first;
}

/* ---- Catalog ----------------------------------------------------------------------------- */

static stf_status count_page(void *impl, const stf_ctx *ctx, const stf_catalog_query *query,
                             uint64_t *ret_count, stf_error *error)
{
    stf_status status =
        stf_repository_count(((passthrough *)impl)->inner, ctx, query, ret_count, error);
    if (status == STF_OK && *ret_count > query->limit) {
        *ret_count = query->limit;
    }
    return status;
}

static void counts_stop_at_the_page(stf_repository_vtable *vtable, passthrough *self)
{
    (void)vtable;
    self->catalog.count = count_page;
}

typedef struct old_ones {
    id_list ids;
    stf_wall before;
} old_ones;

static stf_status collect_old(void *user, const stf_record *record, stf_error *error)
{
    old_ones *old = user;
    return record->updated.us < old->before.us ? collect(&old->ids, record->id, error) : STF_OK;
}

static stf_status prune_by_age(void *impl, const stf_ctx *ctx, const stf_prune_request *request,
                               uint64_t *ret_count, stf_error *error)
{
    stf_repository *inner = ((passthrough *)impl)->inner;
    old_ones old = {.before = request->ended_before};
    stf_catalog_query all = {.group = request->group, .tenant = request->tenant, .limit = 64};
    stf_status status = stf_repository_page(inner, ctx, &all, collect_old, &old, error);
    for (size_t i = 0; i < old.ids.count && status == STF_OK; i++) {
        stf_delete gone = {.struct_size = sizeof(gone),
                           .abi = STF_DELETE_ABI,
                           .flags = STF_DELETE_ANY,
                           .id = stf_str_of(old.ids.ids[i])};
        status = stf_repository_delete(inner, ctx, &gone, error);
    }
    *ret_count = old.ids.count;
    return status;
}

static void prune_takes_the_living(stf_repository_vtable *vtable, passthrough *self)
{
    (void)vtable;
    self->catalog.prune = prune_by_age;
}

static stf_status page_of_label_key(void *impl, const stf_ctx *ctx, const stf_catalog_query *query,
                                    stf_record_visitor visit, void *user, stf_error *error)
{
    stf_catalog_query other = *query;
    other.label_version = 0;
    return stf_repository_page(((passthrough *)impl)->inner, ctx, &other, visit, user, error);
}

static void label_version_ignored(stf_repository_vtable *vtable, passthrough *self)
{
    (void)vtable;
    self->catalog.page = page_of_label_key;
}

/* ---- Journal ----------------------------------------------------------------------------- */

static stf_status save_noting_loss(void *impl, const stf_ctx *ctx, const stf_save *save,
                                   stf_save_result *ret_result, stf_error *error)
{
    passthrough *self = impl;
    stf_status status = stf_repository_save(self->inner, ctx, save, ret_result, error);
    if (status == STF_CONCURRENT_UPDATE && save->journal_count != 0) {
        self->memory.lost_fact = save->journal[0].fact;
    }
    return status;
}

static stf_status journal_with_losses(void *impl, const stf_ctx *ctx,
                                      const stf_journal_query *query, stf_journal_visitor visit,
                                      void *user, stf_error *error)
{
    passthrough *self = impl;
    stf_status status = stf_repository_journal_page(self->inner, ctx, query, visit, user, error);
    if (status == STF_OK && self->memory.lost_fact != 0) {
        stf_journal_row row = {.fact = self->memory.lost_fact};
        status = visit(user, 99, 1, &row, error);
    }
    return status;
}

static void journal_of_losers(stf_repository_vtable *vtable, passthrough *self)
{
    vtable->save = save_noting_loss;
    self->journal.page = journal_with_losses;
}

static stf_status journal_by_version(void *impl, const stf_ctx *ctx, const stf_journal_query *query,
                                     stf_journal_visitor visit, void *user, stf_error *error)
{
    stf_journal_query other = *query;
    other.after_position = 0;
    return stf_repository_journal_page(((passthrough *)impl)->inner, ctx, &other, visit, user,
                                       error);
}

static void journal_positions_ignored(stf_repository_vtable *vtable, passthrough *self)
{
    (void)vtable;
    self->journal.page = journal_by_version;
}

const broken_store broken_pages[] = {
    {"statuses are enumerated", "listing.unknown-status", statuses_enumerated},
    {"the lease is ignored", "listing.live-lease", lease_ignored},
    {"a lease lives at its expiry", "listing.lapsed-lease", expiry_exclusive},
    {"suspended records are listed", "listing.suspended", suspended_listed},
    {"ended records are listed", "listing.terminal", ended_listed},
    {"the order is a locale's", "listing.order-by-bytes", order_without_case},
    {"the group filter is forgotten", "listing.groups-never-cross", group_forgotten},
    {"later pages are short", "listing.pages", pages_short},
    {"counts stop at the page", "catalog.pages", counts_stop_at_the_page},
    {"prune takes the living", "catalog.prune-spares-the-living", prune_takes_the_living},
    {"the label's version is ignored", "catalog.filters", label_version_ignored},
    {"losers write the journal", "journal.only-when-won", journal_of_losers},
    {"positions are ignored", "journal.pages", journal_positions_ignored},
};
const size_t broken_pages_count = COUNT_OF(broken_pages);

/* SPDX-License-Identifier: Apache-2.0 */
/* Stores that are broken in their wake pages: wrong rows, wrong edges, an index that is not kept.
 */
#include <string.h>

#include "conformance/passthrough.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

typedef struct noted_page {
    passthrough *self;
    stf_wake_visitor visit;
    void *user;
    size_t count;
} noted_page;

static stf_status due_without_asker(void *impl, const stf_ctx *ctx, const stf_due_query *query,
                                    stf_wake_visitor visit, void *user, stf_error *error)
{
    stf_due_query other = *query;
    other.asker = stf_str_of("");
    return stf_repository_due_page(((passthrough *)impl)->inner, ctx, &other, visit, user, error);
}

static void asker_forgotten(stf_repository_vtable *vtable, passthrough *self)
{
    (void)vtable;
    self->wake.due_page = due_without_asker;
}

/* Goes on behind the due instead of behind (due, id). */
static stf_status due_by_time(void *impl, const stf_ctx *ctx, const stf_due_query *query,
                              stf_wake_visitor visit, void *user, stf_error *error)
{
    stf_due_query other = *query;
    if (other.after_id.size != 0) {
        other.after_due.us++;
        other.after_id = stf_str_of("");
    }
    return stf_repository_due_page(((passthrough *)impl)->inner, ctx, &other, visit, user, error);
}

static void due_ties_lost(stf_repository_vtable *vtable, passthrough *self)
{
    (void)vtable;
    self->wake.due_page = due_by_time;
}

static stf_status orphans_by_time(void *impl, const stf_ctx *ctx, const stf_orphan_query *query,
                                  stf_wake_visitor visit, void *user, stf_error *error)
{
    stf_orphan_query other = *query;
    other.dead_owner_count = 0;
    return stf_repository_orphan_page(((passthrough *)impl)->inner, ctx, &other, visit, user,
                                      error);
}

static void dead_owners_ignored(stf_repository_vtable *vtable, passthrough *self)
{
    (void)vtable;
    self->wake.orphan_page = orphans_by_time;
}

typedef struct cut_page {
    stf_wake_visitor visit;
    void *user;
    size_t left;
} cut_page;

static stf_status visit_cut(void *user, const stf_wake_row *row, stf_error *error)
{
    cut_page *page = user;
    if (page->left == 0) {
        return STF_OK;
    }
    page->left--;
    return page->visit(page->user, row, error);
}

static stf_status waiting_cut(void *impl, const stf_ctx *ctx, const stf_waiting_query *query,
                              stf_wake_visitor visit, void *user, stf_error *error)
{
    cut_page page = {visit, user, query->limit};
    return stf_repository_waiting_page(((passthrough *)impl)->inner, ctx, query, visit_cut, &page,
                                       error);
}

static void waiting_ties_split(stf_repository_vtable *vtable, passthrough *self)
{
    (void)vtable;
    self->wake.waiting_page = waiting_cut;
}

static stf_status next_due_of_anybody(void *impl, const stf_ctx *ctx, stf_str group, stf_str asker,
                                      stf_wall *ret_due, stf_error *error)
{
    (void)asker;
    return stf_repository_next_due(((passthrough *)impl)->inner, ctx, group, stf_str_of("me"),
                                   ret_due, error);
}

static void next_due_wrong_asker(stf_repository_vtable *vtable, passthrough *self)
{
    (void)vtable;
    self->wake.next_due = next_due_of_anybody;
}

/* An index beside the records: what a save changes is noted too late, or never. */
static stf_status save_noting_due(void *impl, const stf_ctx *ctx, const stf_save *save,
                                  stf_save_result *ret_result, stf_error *error)
{
    passthrough *self = impl;
    stf_record record = *save->record;
    stf_save other = *save;
    if (save->expected_version != 0) {
        record.due = self->memory.due; /* the one of the creation */
    } else {
        self->memory.due = record.due;
    }
    other.record = &record;
    return stf_repository_save(self->inner, ctx, &other, ret_result, error);
}

static void due_stale(stf_repository_vtable *vtable, passthrough *self)
{
    (void)self;
    vtable->save = save_noting_due;
}

static stf_status save_without_new_waits(void *impl, const stf_ctx *ctx, const stf_save *save,
                                         stf_save_result *ret_result, stf_error *error)
{
    stf_record record = *save->record;
    stf_save other = *save;
    if (save->expected_version != 0) {
        record.wait_count = 0;
    }
    other.record = &record;
    return stf_repository_save(((passthrough *)impl)->inner, ctx, &other, ret_result, error);
}

static void waits_forgotten(stf_repository_vtable *vtable, passthrough *self)
{
    (void)self;
    vtable->save = save_without_new_waits;
}

/* Knows of nothing but what this handle saved. */
static stf_status save_noting_it(void *impl, const stf_ctx *ctx, const stf_save *save,
                                 stf_save_result *ret_result, stf_error *error)
{
    ((passthrough *)impl)->memory.lost_fact = 1;
    return passthrough_save(impl, ctx, save, ret_result, error);
}

static stf_status due_of_own(void *impl, const stf_ctx *ctx, const stf_due_query *query,
                             stf_wake_visitor visit, void *user, stf_error *error)
{
    passthrough *self = impl;
    return self->memory.lost_fact == 0
               ? STF_OK
               : stf_repository_due_page(self->inner, ctx, query, visit, user, error);
}

static void own_saves_only(stf_repository_vtable *vtable, passthrough *self)
{
    vtable->save = save_noting_it;
    self->wake.due_page = due_of_own;
}

/* Keeps what it has seen: a row whose record went is still visited. */
static stf_status note_row(void *user, const stf_wake_row *row, stf_error *error)
{
    noted_page *page = user;
    if (row->id.size < sizeof(page->self->memory.lost_id)) {
        memcpy(page->self->memory.lost_id, row->id.data, row->id.size);
        page->self->memory.lost_id[row->id.size] = '\0';
    }
    page->count++;
    return page->visit(page->user, row, error);
}

static stf_status due_with_ghosts(void *impl, const stf_ctx *ctx, const stf_due_query *query,
                                  stf_wake_visitor visit, void *user, stf_error *error)
{
    noted_page page = {impl, visit, user, 0};
    stf_status status =
        stf_repository_due_page(page.self->inner, ctx, query, note_row, &page, error);
    if (status == STF_OK && page.count == 0 && page.self->memory.lost_id[0] != '\0') {
        stf_wake_row row = {.id = stf_str_of(page.self->memory.lost_id), .at = query->now};
        status = visit(user, &row, error);
    }
    return status;
}

static void due_of_the_gone(stf_repository_vtable *vtable, passthrough *self)
{
    (void)vtable;
    self->wake.due_page = due_with_ghosts;
}

static stf_status orphans_with_asker(void *impl, const stf_ctx *ctx, const stf_orphan_query *query,
                                     stf_wake_visitor visit, void *user, stf_error *error)
{
    stf_orphan_query other = *query;
    other.asker = stf_str_of("");
    return stf_repository_orphan_page(((passthrough *)impl)->inner, ctx, &other, visit, user,
                                      error);
}

static void own_records_orphaned(stf_repository_vtable *vtable, passthrough *self)
{
    (void)vtable;
    self->wake.orphan_page = orphans_with_asker;
}

static stf_status waiting_of_any_key(void *impl, const stf_ctx *ctx, const stf_waiting_query *query,
                                     stf_wake_visitor visit, void *user, stf_error *error)
{
    stf_waiting_query other = *query;
    other.key = stf_str_of("");
    return stf_repository_waiting_page(((passthrough *)impl)->inner, ctx, &other, visit, user,
                                       error);
}

static void keys_ignored(stf_repository_vtable *vtable, passthrough *self)
{
    (void)vtable;
    self->wake.waiting_page = waiting_of_any_key;
}

static stf_status waiting_of_any_tenant(void *impl, const stf_ctx *ctx,
                                        const stf_waiting_query *query, stf_wake_visitor visit,
                                        void *user, stf_error *error)
{
    stf_waiting_query other = *query;
    other.tenant = stf_str_of("");
    return stf_repository_waiting_page(((passthrough *)impl)->inner, ctx, &other, visit, user,
                                       error);
}

static void tenants_mixed(stf_repository_vtable *vtable, passthrough *self)
{
    (void)vtable;
    self->wake.waiting_page = waiting_of_any_tenant;
}

const broken_store broken_wake[] = {
    {"the asker is forgotten", "wake.due-owners", asker_forgotten},
    {"pages lose records of one due", "wake.due-pages", due_ties_lost},
    {"dead owners are ignored", "wake.dead-owners", dead_owners_ignored},
    {"the due of the first save stays", "wake.due-follows-saves", due_stale},
    {"what is gone stays due", "wake.due-follows-saves", due_of_the_gone},
    {"only its own saves are due", "wake.second-handle", own_saves_only},
    {"own records are orphans", "wake.orphans", own_records_orphaned},
    {"waits of later saves are forgotten", "waiting.follows-saves", waits_forgotten},
    {"keys are ignored", "waiting.by-kind-and-key", keys_ignored},
    {"tenants are mixed", "waiting.groups-and-tenants", tenants_mixed},
    {"pages split equal waits", "waiting.pages", waiting_ties_split},
    {"the next due is another's", "wake.next-due", next_due_wrong_asker},
};
const size_t broken_wake_count = COUNT_OF(broken_wake);

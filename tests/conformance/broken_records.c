/* SPDX-License-Identifier: Apache-2.0 */
/* Stores that are broken in what they do with single records, batches and the registries. */
#include "conformance/passthrough.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* ---- Comparison -------------------------------------------------------------------------- */

static void no_comparison(stf_repository_vtable *vtable, passthrough *self)
{
    (void)self;
    vtable->save = passthrough_save_over_anything;
}

/* The first to look waits for the other racer's look, so that the race is lost whatever the machine
 * is busy with. Bounded: without a second racer it goes on. */
static void wait_for_the_other(void)
{
    static atomic_uint looks;
    unsigned mine = atomic_fetch_add(&looks, 1) + 1;
    unsigned both = mine + mine % 2;
    for (unsigned i = 0; i < 1000000 && atomic_load(&looks) < both; i++) {
        (void)sched_yield();
    }
}

/* Right as long as nobody comes between the look and the save. */
static stf_status look_then_save(void *impl, const stf_ctx *ctx, const stf_save *save,
                                 stf_save_result *ret_result, stf_error *error)
{
    if (passthrough_stored_version(impl, save->record->id) != save->expected_version) {
        return stf_error_set(error, STF_CONCURRENT_UPDATE, "TEST", "stale");
    }
    wait_for_the_other();
    return passthrough_save_over_anything(impl, ctx, save, ret_result, error);
}

static void check_then_act(stf_repository_vtable *vtable, passthrough *self)
{
    (void)self;
    vtable->save = look_then_save;
}

static stf_status save_without_attempt(void *impl, const stf_ctx *ctx, const stf_save *save,
                                       stf_save_result *ret_result, stf_error *error)
{
    stf_save other = *save;
    other.flags &= ~STF_SAVE_HAS_ATTEMPT_SEEN;
    return passthrough_save(impl, ctx, &other, ret_result, error);
}

static void attempt_ignored(stf_repository_vtable *vtable, passthrough *self)
{
    (void)self;
    vtable->save = save_without_attempt;
}

static stf_status save_as_creation(void *impl, const stf_ctx *ctx, const stf_save *save,
                                   stf_save_result *ret_result, stf_error *error)
{
    stf_save other = *save;
    if (passthrough_stored_version(impl, save->record->id) == 0) {
        other.expected_version = 0;
        other.flags &= ~STF_SAVE_HAS_ATTEMPT_SEEN;
    }
    return passthrough_save(impl, ctx, &other, ret_result, error);
}

static void absent_is_created(stf_repository_vtable *vtable, passthrough *self)
{
    (void)self;
    vtable->save = save_as_creation;
}

static stf_status save_wrong_attempt(void *impl, const stf_ctx *ctx, const stf_save *save,
                                     stf_save_result *ret_result, stf_error *error)
{
    stf_save other = *save;
    if (save->expected_version != 0) {
        other.attempt.bytes[15] ^= 1;
    }
    return passthrough_save(impl, ctx, &other, ret_result, error);
}

static void attempt_cut(stf_repository_vtable *vtable, passthrough *self)
{
    (void)self;
    vtable->save = save_wrong_attempt;
}

/* ---- Group, tenant, lease ---------------------------------------------------------------- */

static stf_status save_and_register(void *impl, const stf_ctx *ctx, const stf_save *save,
                                    stf_save_result *ret_result, stf_error *error)
{
    stf_status status = stf_repository_register_group(((passthrough *)impl)->inner, ctx,
                                                      save->record->group, error);
    return status == STF_OK ? passthrough_save(impl, ctx, save, ret_result, error) : status;
}

static void any_group(stf_repository_vtable *vtable, passthrough *self)
{
    (void)self;
    vtable->save = save_and_register;
}

static stf_status find_any_group(void *impl, const stf_ctx *ctx, stf_str group, bool *ret_exists,
                                 stf_error *error)
{
    (void)impl;
    (void)ctx;
    (void)group;
    (void)error;
    *ret_exists = true;
    return STF_OK;
}

static void every_group_exists(stf_repository_vtable *vtable, passthrough *self)
{
    (void)self;
    vtable->group_exists = find_any_group;
}

static stf_status save_in_stored_group(void *impl, const stf_ctx *ctx, const stf_save *save,
                                       stf_save_result *ret_result, stf_error *error)
{
    stf_record record = *save->record;
    stf_save other = *save;
    if (save->expected_version != 0) {
        record.group = stf_str_of("g");
    }
    other.record = &record;
    return passthrough_save(impl, ctx, &other, ret_result, error);
}

static void group_not_compared(stf_repository_vtable *vtable, passthrough *self)
{
    (void)self;
    vtable->save = save_in_stored_group;
}

static stf_status save_in_stored_tenant(void *impl, const stf_ctx *ctx, const stf_save *save,
                                        stf_save_result *ret_result, stf_error *error)
{
    stf_record record = *save->record;
    stf_save other = *save;
    if (save->expected_version != 0) {
        record.tenant = stf_str_of("");
    }
    other.record = &record;
    return passthrough_save(impl, ctx, &other, ret_result, error);
}

static void tenant_not_compared(stf_repository_vtable *vtable, passthrough *self)
{
    (void)self;
    vtable->save = save_in_stored_tenant;
}

static stf_status save_with_own_expiry(void *impl, const stf_ctx *ctx, const stf_save *save,
                                       stf_save_result *ret_result, stf_error *error)
{
    stf_save other = *save;
    other.lease_duration_us -= other.lease_duration_us % 1000000 + 1000000;
    return passthrough_save(impl, ctx, &other, ret_result, error);
}

static void lease_cut_short(stf_repository_vtable *vtable, passthrough *self)
{
    (void)self;
    vtable->save = save_with_own_expiry;
}

/* ---- Fidelity ---------------------------------------------------------------------------- */

static stf_status save_milliseconds(void *impl, const stf_ctx *ctx, const stf_save *save,
                                    stf_save_result *ret_result, stf_error *error)
{
    stf_record record = *save->record;
    stf_save other = *save;
    if (!stf_wall_is_none(record.due)) {
        record.due.us -= record.due.us % 1000;
    }
    other.record = &record;
    return passthrough_save(impl, ctx, &other, ret_result, error);
}

static void milliseconds(stf_repository_vtable *vtable, passthrough *self)
{
    (void)self;
    vtable->save = save_milliseconds;
}

static stf_status save_c_strings(void *impl, const stf_ctx *ctx, const stf_save *save,
                                 stf_save_result *ret_result, stf_error *error)
{
    stf_wait waits[4];
    stf_record record = *save->record;
    stf_save other = *save;
    for (size_t i = 0; i < record.wait_count && i < COUNT_OF(waits); i++) {
        waits[i] = record.waits[i];
        const char *nul =
            waits[i].key.size != 0 ? memchr(waits[i].key.data, '\0', waits[i].key.size) : NULL;
        if (nul != NULL) {
            waits[i].key.size = (size_t)(nul - waits[i].key.data);
        }
    }
    record.waits = waits;
    other.record = &record;
    return passthrough_save(impl, ctx, &other, ret_result, error);
}

static void keys_end_at_nul(stf_repository_vtable *vtable, passthrough *self)
{
    (void)self;
    vtable->save = save_c_strings;
}

static void lose_default_tenant(passthrough *self, stf_record *record)
{
    (void)self;
    if (stf_str_equal(record->tenant, stf_str_of("default"))) {
        record->tenant = stf_str_of("");
    }
}

static stf_status load_raw_tenant(void *impl, const stf_ctx *ctx, stf_str id,
                                  stf_record_visitor visit, void *user, bool *ret_found,
                                  stf_error *error)
{
    return passthrough_load_changed(impl, ctx, id, lose_default_tenant, visit, user, ret_found,
                                    error);
}

static void tenant_not_concrete(stf_repository_vtable *vtable, passthrough *self)
{
    (void)self;
    vtable->load = load_raw_tenant;
}

static void move_created(passthrough *self, stf_record *record)
{
    (void)self;
    record->created = record->updated;
}

static stf_status load_moved_created(void *impl, const stf_ctx *ctx, stf_str id,
                                     stf_record_visitor visit, void *user, bool *ret_found,
                                     stf_error *error)
{
    return passthrough_load_changed(impl, ctx, id, move_created, visit, user, ret_found, error);
}

static void created_moves(stf_repository_vtable *vtable, passthrough *self)
{
    (void)self;
    vtable->load = load_moved_created;
}

static stf_status save_noting_incarnation(void *impl, const stf_ctx *ctx, const stf_save *save,
                                          stf_save_result *ret_result, stf_error *error)
{
    stf_status status = passthrough_save(impl, ctx, save, ret_result, error);
    if (status == STF_OK) {
        ((passthrough *)impl)->memory.incarnation = save->record->lease.incarnation;
    }
    return status;
}

static void take_noted_incarnation(passthrough *self, stf_record *record)
{
    record->lease.incarnation = self->memory.incarnation;
}

static stf_status load_noted_incarnation(void *impl, const stf_ctx *ctx, stf_str id,
                                         stf_record_visitor visit, void *user, bool *ret_found,
                                         stf_error *error)
{
    return passthrough_load_changed(impl, ctx, id, take_noted_incarnation, visit, user, ret_found,
                                    error);
}

static void incarnation_goes_down(stf_repository_vtable *vtable, passthrough *self)
{
    (void)self;
    vtable->save = save_noting_incarnation;
    vtable->load = load_noted_incarnation;
}

/* ---- Payload ----------------------------------------------------------------------------- */

static stf_status save_noting_head(void *impl, const stf_ctx *ctx, const stf_save *save,
                                   stf_save_result *ret_result, stf_error *error)
{
    stf_status status = passthrough_save(impl, ctx, save, ret_result, error);
    if (status == STF_OK) {
        ((passthrough *)impl)->memory.alias = save->record->head;
    }
    return status;
}

static void take_noted_head(passthrough *self, stf_record *record)
{
    record->head = self->memory.alias;
}

static stf_status load_noted_head(void *impl, const stf_ctx *ctx, stf_str id,
                                  stf_record_visitor visit, void *user, bool *ret_found,
                                  stf_error *error)
{
    return passthrough_load_changed(impl, ctx, id, take_noted_head, visit, user, ret_found, error);
}

static void payload_aliased(stf_repository_vtable *vtable, passthrough *self)
{
    (void)self;
    vtable->save = save_noting_head;
    vtable->load = load_noted_head;
}

static stf_status save_losing(void *impl, const stf_ctx *ctx, const stf_save *save, uint32_t flag,
                              stf_save_result *ret_result, stf_error *error)
{
    stf_record record = *save->record;
    stf_save other = *save;
    if ((save->flags & flag) != 0) {
        *(flag == STF_SAVE_KEEP_BULK ? &record.bulk : &record.head) = (stf_bytes){NULL, 0};
        other.flags &= ~flag;
    }
    other.record = &record;
    return passthrough_save(impl, ctx, &other, ret_result, error);
}

static stf_status save_losing_bulk(void *impl, const stf_ctx *ctx, const stf_save *save,
                                   stf_save_result *ret_result, stf_error *error)
{
    return save_losing(impl, ctx, save, STF_SAVE_KEEP_BULK, ret_result, error);
}

static void kept_bulk_emptied(stf_repository_vtable *vtable, passthrough *self)
{
    (void)self;
    vtable->save = save_losing_bulk;
}

static stf_status save_losing_head(void *impl, const stf_ctx *ctx, const stf_save *save,
                                   stf_save_result *ret_result, stf_error *error)
{
    return save_losing(impl, ctx, save, STF_SAVE_KEEP_HEAD, ret_result, error);
}

static void kept_head_emptied(stf_repository_vtable *vtable, passthrough *self)
{
    (void)self;
    vtable->save = save_losing_head;
}

/* ---- Delete ------------------------------------------------------------------------------ */

static stf_status delete_with(void *impl, const stf_ctx *ctx, const stf_delete *request,
                              uint32_t set, uint32_t clear, stf_error *error)
{
    stf_delete other = *request;
    other.flags = (other.flags | set) & ~clear;
    return stf_repository_delete(((passthrough *)impl)->inner, ctx, &other, error);
}

static stf_status delete_any(void *impl, const stf_ctx *ctx, const stf_delete *request,
                             stf_error *error)
{
    return delete_with(impl, ctx, request, STF_DELETE_ANY, 0, error);
}

static void delete_not_compared(stf_repository_vtable *vtable, passthrough *self)
{
    (void)self;
    vtable->remove = delete_any;
}

static stf_status delete_by_version(void *impl, const stf_ctx *ctx, const stf_delete *request,
                                    stf_error *error)
{
    return delete_with(impl, ctx, request, 0, STF_DELETE_HAS_ATTEMPT_SEEN, error);
}

static void delete_ignores_attempt(stf_repository_vtable *vtable, passthrough *self)
{
    (void)self;
    vtable->remove = delete_by_version;
}

static stf_status delete_existing(void *impl, const stf_ctx *ctx, const stf_delete *request,
                                  stf_error *error)
{
    if (passthrough_stored_version(impl, request->id) == 0) {
        return stf_error_set(error, STF_NOT_FOUND, "TEST", "absent");
    }
    return delete_with(impl, ctx, request, 0, 0, error);
}

static void delete_of_absent_fails(stf_repository_vtable *vtable, passthrough *self)
{
    (void)self;
    vtable->remove = delete_existing;
}

/* ---- Batches ----------------------------------------------------------------------------- */

static stf_status save_until_refused(void *impl, const stf_ctx *ctx, const stf_save *saves,
                                     size_t count, stf_save_result *results, stf_error *error)
{
    stf_status status = STF_OK;
    for (size_t i = 0; i < count; i++) {
        if (status == STF_OK) {
            status = passthrough_save(impl, ctx, &saves[i], &results[i], error);
        }
        results[i].status = (uint32_t)status;
    }
    return STF_OK;
}

static void batch_half_done(stf_repository_vtable *vtable, passthrough *self)
{
    (void)vtable;
    self->batch.save_many = save_until_refused;
}

static stf_status load_everything(void *impl, const stf_ctx *ctx, const stf_str *ids, size_t count,
                                  stf_wall due_before, stf_record_visitor visit, void *user,
                                  stf_error *error)
{
    (void)due_before;
    return stf_repository_load_many(((passthrough *)impl)->inner, ctx, ids, count, stf_wall_none(),
                                    visit, user, error);
}

static void due_not_filtered(stf_repository_vtable *vtable, passthrough *self)
{
    (void)vtable;
    self->batch.load_many = load_everything;
}

const broken_store broken_records[] = {
    {"no comparison", "save.stale-version", no_comparison},
    {"no comparison on create", "save.create-existing", no_comparison},
    {"the zombie deletes", "fencing.zombie-delete", delete_not_compared},
    {"a release takes the incarnation down", "fencing.incarnation", incarnation_goes_down},
    {"repeats are taken for new", "settlement.applied", no_comparison},
    {"attempts are not stored", "settlement.not-applied", attempt_cut},
    {"a repeated delete fails", "settlement.delete", delete_of_absent_fails},
    {"looks, then saves", "races.saves", check_then_act},
    {"attempt ignored", "save.stale-attempt", attempt_ignored},
    {"absent ids are created at any version", "save.version-for-absent-id", absent_is_created},
    {"attempts are not stored as given", "save.update", attempt_cut},
    {"saves register their group", "save.unregistered-group", any_group},
    {"every group exists", "groups.exists-before-and-after", every_group_exists},
    {"the group is not compared", "save.group-immutable", group_not_compared},
    {"the tenant is not compared", "save.tenant-immutable", tenant_not_compared},
    {"leases end early", "save.lease-duration", lease_cut_short},
    {"times are cut to milliseconds", "load.fidelity", milliseconds},
    {"keys end at NUL", "waiting.key-with-nul", keys_end_at_nul},
    {"the default tenant loads as \"\"", "tenants.default-by-save", tenant_not_concrete},
    {"the time of creation moves", "load.created-and-updated", created_moves},
    {"the incarnation goes down", "save.incarnation-never-down", incarnation_goes_down},
    {"the payload is the caller's memory", "payload.isolated-from-caller", payload_aliased},
    {"an unchanged bulk is emptied", "payload.keep-bulk", kept_bulk_emptied},
    {"an unchanged head is emptied", "payload.keep-head", kept_head_emptied},
    {"deletes are not compared", "delete.compares-version", delete_not_compared},
    {"deletes ignore the attempt", "delete.compares-attempt", delete_ignores_attempt},
    {"deleting what is absent fails", "delete.idempotent", delete_of_absent_fails},
    {"a batch stops at its first loser", "batch.losing-row", batch_half_done},
    {"load_many ignores the due", "batch.load-many-due", due_not_filtered},
};
const size_t broken_records_count = COUNT_OF(broken_records);

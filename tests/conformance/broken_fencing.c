/* SPDX-License-Identifier: Apache-2.0 */
/* Stores that are broken where engines meet: an earlier holder gets through, a repeat is taken for
 * something else. */
#include <string.h>

#include "conformance/passthrough.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static stf_status note_result(void *user, const stf_record *record, stf_error *error)
{
    (void)error;
    stf_save_result *result = user;
    *result = (stf_save_result){.status = STF_OK,
                                .rec_version = record->rec_version,
                                .attempt = record->attempt,
                                .lease_expiry = record->lease.expiry};
    return STF_OK;
}

/* What the stored record's save answered. */
static bool load_result(void *impl, stf_str id, stf_save_result *ret_result)
{
    bool is_found = false;
    (void)!stf_repository_load(((passthrough *)impl)->inner, NULL, id, note_result, ret_result,
                               &is_found, NULL);
    return is_found;
}

/* Takes the repeat of a save for an answer that is still owed. */
static stf_status save_or_repeat(void *impl, const stf_ctx *ctx, const stf_save *save,
                                 stf_save_result *ret_result, stf_error *error)
{
    stf_save_result stored;
    stf_status status = passthrough_save(impl, ctx, save, ret_result, error);
    if (status == STF_CONCURRENT_UPDATE && load_result(impl, save->record->id, &stored) &&
        memcmp(stored.attempt.bytes, save->attempt.bytes, sizeof(stored.attempt.bytes)) == 0) {
        *ret_result = stored;
        return STF_OK;
    }
    return status;
}

static void repeats_are_ok(stf_repository_vtable *vtable, passthrough *self)
{
    (void)self;
    vtable->save = save_or_repeat;
}

/* Knows each caller by the attempt that it has seen, and lets it save over whatever came since. */
static stf_status save_by_attempt_seen(void *impl, const stf_ctx *ctx, const stf_save *save,
                                       stf_save_result *ret_result, stf_error *error)
{
    stf_save any = *save;
    if (save->expected_version != 0) {
        any.expected_version = passthrough_stored_version(impl, save->record->id);
        any.flags &= ~STF_SAVE_HAS_ATTEMPT_SEEN;
    }
    return passthrough_save(impl, ctx, &any, ret_result, error);
}

static void fence_forgotten(stf_repository_vtable *vtable, passthrough *self)
{
    (void)self;
    vtable->save = save_by_attempt_seen;
}

/* Refuses the save and keeps its bytes. */
static stf_status save_head_anyway(void *impl, const stf_ctx *ctx, const stf_save *save,
                                   stf_save_result *ret_result, stf_error *error)
{
    stf_status status = passthrough_save(impl, ctx, save, ret_result, error);
    if (status == STF_CONCURRENT_UPDATE && save->expected_version != 0) {
        ((passthrough *)impl)->memory.alias = save->record->head;
    }
    return status;
}

static void take_refused_head(passthrough *self, stf_record *record)
{
    if (self->memory.alias.size != 0) {
        record->head = self->memory.alias;
    }
}

static stf_status load_refused_head(void *impl, const stf_ctx *ctx, stf_str id,
                                    stf_record_visitor visit, void *user, bool *ret_found,
                                    stf_error *error)
{
    return passthrough_load_changed(impl, ctx, id, take_refused_head, visit, user, ret_found,
                                    error);
}

static void refused_bytes_show(stf_repository_vtable *vtable, passthrough *self)
{
    (void)self;
    vtable->save = save_head_anyway;
    vtable->load = load_refused_head;
}

static stf_status save_many_over_anything(void *impl, const stf_ctx *ctx, const stf_save *saves,
                                          size_t count, stf_save_result *results, stf_error *error)
{
    for (size_t i = 0; i < count; i++) {
        results[i].status =
            (uint32_t)passthrough_save_over_anything(impl, ctx, &saves[i], &results[i], error);
    }
    return STF_OK;
}

static void batch_not_compared(stf_repository_vtable *vtable, passthrough *self)
{
    (void)vtable;
    self->batch.save_many = save_many_over_anything;
}

const broken_store broken_fencing[] = {
    {"the zombie is not compared", "fencing.zombie", fence_forgotten},
    {"refused bytes show", "fencing.zombie", refused_bytes_show},
    {"the zombie is not compared in a batch", "fencing.zombie-batch", batch_not_compared},
    {"repeats are answered OK", "settlement.applied", repeats_are_ok},
    {"repeated creations are answered OK", "settlement.applied-create", repeats_are_ok},
    {"a repeat wins over a later save", "settlement.overtaken", fence_forgotten},
    {"a repeated batch is not compared", "settlement.batch", batch_not_compared},
};
const size_t broken_fencing_count = COUNT_OF(broken_fencing);

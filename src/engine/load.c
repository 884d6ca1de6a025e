/* SPDX-License-Identifier: Apache-2.0 */
/* Loading: all missing copies of a turn in one exchange. The schema is checked first; what cannot
 * be read here, or belongs to another group, stays untouched. */
#include "engine/send.h"

#include <stepfast/sys/repository_batch.h>

static stf_status copy_text(stf_buf *buf, stf_str text)
{
    stf_buf_clear(buf);
    return stf_buf_append_str(buf, text);
}

static stf_status check_group(stf_engine *engine, const stf_record *record, stf_error *error)
{
    if (stf_str_equal(record->group, stf_str_of(engine->group))) {
        return STF_OK;
    }
    return stf_error_set(error, STF_INVALID_STATE, "ENGINE",
                         "the instance %.*s belongs to group \"%.*s\"; this engine serves group "
                         "\"%s\"",
                         STF_STR_ARG(record->id), STF_STR_ARG(record->group), engine->group);
}

static stf_status take_record(stf_engine *engine, stf__instance *instance, const stf_record *record,
                              stf_error *error)
{
    stf__doc *doc = NULL;
    stf_status status = check_group(engine, record, error);
    if (status == STF_OK) {
        status = stf__doc_check(record->head, error);
    }
    if (status == STF_OK) {
        status = stf__doc_decode(engine->alloc, record->head, record->bulk, &doc, error);
    }
    if (status == STF_OK && (copy_text(&instance->owner, record->lease.owner) != STF_OK ||
                             copy_text(&instance->tenant, record->tenant) != STF_OK)) {
        doc = stf__doc_free(doc);
        status = stf_error_set(error, STF_NO_MEMORY, "ENGINE", "no memory for a record");
    }
    if (status != STF_OK) {
        stf_error_context(error, "loading instance %.*s", STF_STR_ARG(record->id));
        return status;
    }
    instance->doc = doc;
    instance->version = record->rec_version;
    instance->attempt = record->attempt;
    instance->status = record->status;
    instance->due = record->due;
    instance->left_until = stf_wall_none();
    stf__lease_note_loaded(engine, instance, &record->lease);
    return STF_OK;
}

/* A damaged document: the record stays as it is, but is an incident and wakes nobody any more. What
 * that save needs is copied while the record is there. Not while its owner lives: it may know
 * better. */
static stf_status plan_mark(stf_engine *engine, stf__flight *flight, const stf_record *record)
{
    stf_record *mark = &flight->record;
    bool is_owned = stf__lease_is_live(engine, record->lease.owner, record->lease.expiry,
                                       stf__engine_now(engine));
    bool is_marked = record->status == STF_RECORD_INCIDENT && record->lease.owner.size == 0 &&
                     stf_wall_is_none(record->due) && record->wait_count == 0;
    if (is_owned || is_marked || stf_record_status_is_terminal(record->status)) {
        return STF_OK;
    }
    *mark = (stf_record)STF_RECORD_INIT;
    stf_status status = stf__arena_copy_str(&flight->arena, record->tenant, &mark->tenant);
    if (status == STF_OK) {
        status = stf__arena_copy_str(&flight->arena, record->label_key, &mark->label_key);
    }
    if (status != STF_OK) {
        return status;
    }
    mark->id = flight->instance->id;
    mark->group = stf_str_of(engine->group);
    mark->label_version = record->label_version;
    mark->lease.incarnation = record->lease.incarnation;
    mark->status = STF_RECORD_INCIDENT;
    flight->save = (stf_save)STF_SAVE_INIT;
    flight->save.record = mark;
    flight->save.flags = STF_SAVE_KEEP_HEAD | STF_SAVE_KEEP_BULK | STF_SAVE_HAS_ATTEMPT_SEEN;
    flight->save.expected_version = record->rec_version;
    flight->save.attempt_seen = record->attempt;
    flight->save.attempt = stf__attempt_draw(engine);
    flight->is_damaged = true;
    return STF_OK;
}

static void mark_damaged(stf_engine *engine, const stf_ctx *ctx, stf__flight *flight)
{
    stf_save_result result;
    stf_error error = STF_ERROR_INIT;
    stf_status status =
        stf_repository_save(engine->repository, ctx, &flight->save, &result, &error);
    if (status == STF_OK) {
        stf__fact_tell(engine, flight->instance, STF_FACT_RECORD_CORRUPT, STF_STR(""));
    } else if (status != STF_CONCURRENT_UPDATE) {
        stf__log(engine, STF_LOG_WARNING, &error, "a damaged record was not marked");
    }
}

/* Pure work only: the store is in the middle of an exchange. */
static stf_status visit_record(void *user, const stf_record *record, stf_error *error)
{
    stf_engine *engine = user;
    (void)error;
    stf__instance *instance = stf__instance_find(engine, record->id);
    if (instance == NULL || instance->flight == NULL) {
        return STF_OK;
    }
    stf__flight *flight = instance->flight;
    flight->is_found = true;
    stf__instance_drop_copy(instance);
    stf_status status = take_record(engine, instance, record, &flight->error);
    if (status == STF_CORRUPT && plan_mark(engine, flight, record) != STF_OK) {
        status = STF_NO_MEMORY;
    }
    flight->status = (uint32_t)status;
    if (flight->command != NULL && !stf_str_equal(record->group, stf_str_of(engine->group))) {
        flight->command->hurdle = STF__HURDLE_OTHER_GROUP;
    }
    return STF_OK;
}

/* The model that the document is pinned to. */
static stf_status find_definition(stf_engine *engine, const stf_ctx *ctx, stf__instance *instance,
                                  stf_error *error)
{
    const stf__doc_identity *identity = stf__doc_peek_identity(instance->doc);
    stf__definition *known = instance->definition;
    if (identity->process.size == 0) {
        instance->definition = known != NULL ? stf__definition_unref(engine, known) : NULL;
        return STF_OK; /* a queue, or an instance that ended before it began */
    }
    if (known != NULL && known->version == identity->version &&
        stf_str_equal(known->key, identity->process)) {
        return STF_OK;
    }
    if (known != NULL) {
        instance->definition = stf__definition_unref(engine, known);
    }
    return stf__definition_get(engine, ctx, stf_buf_str(&instance->tenant), identity->process,
                               identity->version, &instance->definition, error);
}

/* A caller waits for a store that is away, but not for what waiting does not mend. */
static void fail_load(stf_engine *engine, stf__flight *flight, stf_status status)
{
    stf__instance_drop_copy(flight->instance);
    if (flight->command != NULL && !flight->is_unsettled && !stf__status_is_passing(status)) {
        stf__flight_refuse(engine, flight, status, &flight->error);
    } else {
        stf__flight_defer(engine, flight, status);
    }
}

static void take_loaded(stf_engine *engine, const stf_ctx *ctx, stf__flight *flight)
{
    stf__instance *instance = flight->instance;
    stf_status status = (stf_status)flight->status;
    bool is_resolving = flight->stage == STF__STAGE_RESOLVE;
    if (!flight->is_found && flight->is_due_only) {
        instance->wants &= ~(uint32_t)STF__WANT_WAKE;
        stf__wake_note_lost(engine);
        flight->stage = STF__STAGE_OVER;
        return;
    }
    if (!flight->is_found) {
        if (is_resolving) {
            stf__commit_resolve(engine, flight, false);
        } else {
            stf__flight_absent(engine, flight);
        }
        return;
    }
    if (status == STF_OK) {
        status = find_definition(engine, ctx, instance, &flight->error);
    }
    if (status == STF_OK && is_resolving) {
        stf__commit_resolve(engine, flight, true);
    } else if (status == STF_OK) {
        flight->stage = STF__STAGE_STEP;
        stf__skip_remove(engine, instance->id);
        if (!instance->is_known && !stf__id_is_own(instance->id)) {
            instance->is_known = true;
            stf__fact_tell(engine, instance, STF_FACT_INSTANCE_HYDRATED, STF_STR(""));
        }
    } else {
        stf__instance_drop_copy(instance);
        flight->status = (uint32_t)status;
        if (stf__status_is_passing(status) || status == STF_NO_MEMORY) {
            fail_load(engine, flight, status);
        } else {
            if (flight->is_damaged) {
                mark_damaged(engine, ctx, flight);
            }
            stf__flight_skip(engine, flight);
        }
    }
}

static bool needs_load(const stf__flight *flight)
{
    return flight->stage == STF__STAGE_LOAD || flight->stage == STF__STAGE_RESOLVE;
}

/* R14: nothing is wanted of it but that it is due; whoever was faster has moved that on. */
static bool is_due_only(const stf__flight *flight)
{
    const stf__instance *instance = flight->instance;
    return flight->stage == STF__STAGE_LOAD && instance->wants == STF__WANT_WAKE &&
           stf__list_is_empty(&instance->commands) && stf__list_is_empty(&instance->runs) &&
           stf__list_is_empty(&instance->sends);
}

/* One exchange for those that are due only, one for the others. */
static void load_some(stf_engine *engine, const stf_ctx *ctx, bool due_only)
{
    size_t count = 0;
    for (size_t i = 0; i < engine->flight_count; i++) {
        stf__flight *flight = engine->flights[i];
        if (needs_load(flight) && flight->is_due_only == due_only) {
            flight->is_found = false;
            flight->status = STF_OK;
            engine->ids[count++] = flight->instance->id;
        }
    }
    if (count == 0) {
        return;
    }
    stf_error error = STF_ERROR_INIT;
    uint64_t sequence = atomic_load(&engine->sequence);
    stf_wall due_before = due_only ? stf__engine_now(engine) : stf_wall_none();
    stf_status status = stf_repository_load_many(engine->repository, ctx, engine->ids, count,
                                                 due_before, visit_record, engine, &error);
    if (status != STF_OK) {
        stf__log(engine, STF_LOG_WARNING, &error, "records were not loaded");
    }
    for (size_t i = 0; i < engine->flight_count; i++) {
        stf__flight *flight = engine->flights[i];
        if (!needs_load(flight) || flight->is_due_only != due_only) {
            continue;
        }
        flight->instance->read_sequence = sequence;
        if (status == STF_OK) {
            take_loaded(engine, ctx, flight);
        } else {
            flight->error = error;
            fail_load(engine, flight, status);
        }
    }
}

void stf__load_flights(stf_engine *engine, const stf_ctx *ctx)
{
    for (size_t i = 0; i < engine->flight_count; i++) {
        engine->flights[i]->is_due_only = is_due_only(engine->flights[i]);
    }
    load_some(engine, ctx, true);
    load_some(engine, ctx, false);
}

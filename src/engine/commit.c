/* SPDX-License-Identifier: Apache-2.0 */
/* The durability argument, in one file.
 *
 *  1. A step changes a copy in memory and nothing else.
 *  2. All steps of a turn go to the store in one save_many; each is a compare-and-set on the
 * version and attempt that its copy was loaded with.
 *  3. Only after the store has answered OK for a record are its effects released: facts to the
 *     observer, handlers to the workers, the answer to the caller.
 *  4. A lost comparison discards the step: its effects never happened. It is stepped again on a
 *     fresh copy.
 *  5. A lost answer (R3) is settled by repeating the identical save (same bytes, version, attempt)
 *     until the store answers; the record takes no other step here meanwhile. A repeat that loses
 *     the comparison is decided by the save ring in the loaded head: ours is in it: it was written;
 *     the ring is past it: nobody can know, so the caller gets OUTCOME_UNKNOWN and nothing is
 *     applied again; else it was not written.
 *  6. A record that nothing would ever find again is never saved (R8). */
#include "engine/send.h"

#include "engine/failpoint.h"

#include <stepfast/sys/repository_batch.h>

/* R8: an active record has an owner, a due time or a wait. */
stf_status stf__commit_check(const stf_record *record, stf_error *error)
{
    if (record->status == STF_RECORD_ACTIVE && record->lease.owner.size == 0 &&
        stf_wall_is_none(record->due) && record->wait_count == 0) {
        return stf_error_set(error, STF_INTERNAL, "ENGINE",
                             "refused to save the active instance %.*s without owner, due time and "
                             "wait: nothing would find it again",
                             STF_STR_ARG(record->id));
    }
    return STF_OK;
}

static void answer(stf_engine *engine, stf__flight *flight, stf_status status,
                   const stf_error *error)
{
    stf__command *command = flight->command;
    if (command != NULL) {
        STF__FAILPOINT("before_ack");
        flight->command = NULL;
        stf__command_answer(engine, command, status, error);
    }
}

/* After the save, and only then. */
static void release(stf_engine *engine, stf__flight *flight)
{
    stf__instance *instance = flight->instance;
    if (instance->is_recovered) {
        stf__fact_tell(engine, instance, STF_FACT_INSTANCE_RECOVERED, STF_STR(""));
        instance->is_recovered = false;
    }
    engine->progress++;
    instance->is_known = !stf__id_is_own(instance->id);
    stf__facts_release(engine, flight);
    if (stf__runs_reconcile(engine, instance, NULL) != STF_OK) {
        stf__instance_drop_copy(instance);
        instance->wants |= STF__WANT_LOOK;
    }
    stf__send_look(engine, flight);
    answer(engine, flight, STF_OK, NULL);
    flight->is_unsettled = false;
    flight->is_current = true;
    stf__flight_over(engine, flight);
}

static void apply(stf_engine *engine, stf__flight *flight, const stf_save_result *result)
{
    stf__instance *instance = flight->instance;
    const stf_record *record = &flight->record;
    stf__doc_saved(instance->doc);
    instance->version = result->rec_version;
    instance->attempt = result->attempt;
    instance->status = record->status;
    instance->due = record->due;
    instance->left_until = stf_wall_none();
    instance->incarnation = record->lease.incarnation;
    instance->lease_expiry = result->lease_expiry;
    instance->read_sequence = flight->sent_sequence;
    instance->is_ours = (flight->save.flags & STF_SAVE_LEASE_DURATION) != 0;
    if (instance->is_ours || record->lease.owner.size == 0) {
        /* Whose it is is known by is_ours; the text matters for other owners only. */
        stf_buf_clear(&instance->owner);
    }
    if (instance->is_ours) {
        stf__lease_note(engine, instance, flight->sent);
    } else {
        stf__list_remove(&instance->held_link);
    }
    stf__wake_note_due(engine, record->due);
    release(engine, flight);
}

static void conflict(stf_engine *engine, stf__flight *flight)
{
    stf__instance *instance = flight->instance;
    if (flight->is_unsettled) {
        flight->stage = STF__STAGE_RESOLVE; /* perhaps it lost to itself */
        return;
    }
    stf__fact_tell(engine, instance, STF_FACT_SAVE_CONFLICTED, STF_STR(""));
    if (flight->cause == STF__CAUSE_WAKE || flight->cause == STF__CAUSE_RECOVER) {
        stf__wake_note_lost(engine);
    }
    bool is_start = flight->command != NULL && flight->command->event.kind == STF__EVENT_START;
    if (flight->save.expected_version == 0 && is_start) {
        stf__instance_drop_copy(instance);
        stf_status status =
            stf_error_set(&flight->error, STF_ALREADY_EXISTS, "ENGINE",
                          "there is an instance %.*s already", STF_STR_ARG(instance->id));
        stf__flight_refuse(engine, flight, status, &flight->error);
    } else {
        stf__flight_retry(engine, flight);
    }
}

void stf__commit_resolve(stf_engine *engine, stf__flight *flight, bool is_found)
{
    stf__instance *instance = flight->instance;
    int64_t version = flight->save.expected_version + 1;
    stf__ring_answer ring = is_found
                                ? stf__doc_find_save(instance->doc, version, flight->save.attempt)
                                : STF__RING_PAST; /* it was there: somebody deleted it */
    if (ring == STF__RING_FOUND) {
        bool is_own = (flight->save.flags & STF_SAVE_LEASE_DURATION) != 0 && instance->is_ours &&
                      instance->incarnation == flight->record.lease.incarnation;
        if (is_own) {
            stf__lease_note(engine, instance, flight->sent);
        }
        stf__wake_note_due(engine, instance->due);
        release(engine, flight);
        return;
    }
    flight->is_unsettled = false;
    /* What another record sent may be applied again: the receiver remembers its sequence. */
    bool may_repeat = flight->command == NULL || (flight->command->sender != NULL && is_found);
    if (ring == STF__RING_PAST && !may_repeat) {
        stf_status status = stf_error_set(
            &flight->error, STF_OUTCOME_UNKNOWN, "ENGINE",
            "the answer of a save of %.*s was lost and the record has moved on too far to tell",
            STF_STR_ARG(instance->id));
        stf__runs_drop_planned(engine, instance);
        answer(engine, flight, status, &flight->error);
        flight->stage = STF__STAGE_OVER;
        return;
    }
    /* Results and wishes of the engine may be stepped again: the document shows whether they still
     * apply. */
    if (is_found && flight->save.expected_version == 0) {
        conflict(engine, flight);
        return;
    }
    stf__flight_retry(engine, flight);
}

/* The store refused this one record, nothing of it was written. */
static void refused(stf_engine *engine, stf__flight *flight, stf_status status)
{
    stf__instance *instance = flight->instance;
    stf__command *command = flight->command;
    if (flight->error.status != (uint32_t)status) {
        (void)stf_error_set(&flight->error, status, "ENGINE", "the save of instance %.*s: %s",
                            STF_STR_ARG(instance->id), stf_status_text(status));
    }
    if (stf__flight_shrink(engine, flight, status)) {
        return;
    }
    bool is_start = command != NULL && command->event.kind == STF__EVENT_START;
    if (is_start && status == STF_INVALID_ARGUMENT && !command->must_load) {
        /* The id may be another group's: look, and say so. */
        command->must_load = true;
        stf__flight_retry(engine, flight);
        return;
    }
    stf__runs_drop_planned(engine, instance);
    stf__instance_drop_copy(instance);
    if (command != NULL) {
        stf__flight_refuse(engine, flight, status, &flight->error);
    } else {
        stf__log(engine, STF_LOG_ERROR, &flight->error, "a save was refused");
        stf__flight_defer(engine, flight, status);
    }
}

static void take_outcome(stf_engine *engine, stf__flight *flight, const stf_save_result *result)
{
    stf_status status = (stf_status)result->status;
    if (status == STF_OK) {
        apply(engine, flight, result);
    } else if (status == STF_CONCURRENT_UPDATE) {
        conflict(engine, flight);
    } else if (status == STF_OUTCOME_UNKNOWN) {
        flight->is_unsettled = true;
        flight->stage = STF__STAGE_UNSETTLED;
        stf__flight_defer(engine, flight, status);
    } else if (flight->is_unsettled || stf__status_is_passing(status)) {
        stf__flight_defer(engine, flight, status);
    } else {
        refused(engine, flight, status);
    }
}

/* May this flight be sent? A command that was taken back meanwhile may not. */
static bool prepare(stf_engine *engine, stf__flight *flight, stf_mono now)
{
    stf__instance *instance = flight->instance;
    uint32_t state = STF__COMMAND_OPEN;
    if (flight->is_sent) {
        return true;
    }
    stf_status status = stf__commit_check(&flight->record, &flight->error);
    if (status != STF_OK) {
        refused(engine, flight, status);
        return false;
    }
    if (flight->command != NULL &&
        !atomic_compare_exchange_strong(&flight->command->state, &state, STF__COMMAND_SAVING)) {
        stf__runs_drop_planned(engine, instance);
        stf__instance_drop_copy(instance);
        flight->stage = STF__STAGE_OVER;
        return false;
    }
    flight->is_sent = true;
    flight->sent = now;
    flight->sent_sequence = atomic_load(&engine->sequence);
    return true;
}

/* One record is sent alone, so that its caller gets the store's own words. */
static void send(stf_engine *engine, const stf_ctx *ctx, stf__flight **sent, size_t count)
{
    stf_error error;
    stf_status status;
    stf_error_init(&error);
    if (count == 1) {
        status = stf_repository_save(engine->repository, ctx, &engine->saves[0],
                                     &engine->results[0], &error);
        engine->results[0].status = (uint32_t)status;
        status = STF_OK;
    } else {
        status = stf_repository_save_many(engine->repository, ctx, engine->saves, count,
                                          engine->results, &error);
    }
    for (size_t i = 0; i < count; i++) {
        if (status != STF_OK) {
            engine->results[i].status = (uint32_t)status;
        }
        if (error.status == engine->results[i].status && error.status != STF_OK) {
            sent[i]->error = error;
        }
    }
    /* A lost comparison is the ordinary course of things and told as a fact. */
    if (error.status != STF_OK && error.status != STF_CONCURRENT_UPDATE) {
        stf__log(engine, STF_LOG_WARNING, &error, "a commit failed");
    }
}

static bool is_to_send(const stf__flight *flight)
{
    return flight->stage == STF__STAGE_SAVE || flight->stage == STF__STAGE_UNSETTLED;
}

/* The sent flights move to the front of the turn's list, so that saves, results and flights share
 * their places. */
void stf__commit_flights(stf_engine *engine, const stf_ctx *ctx)
{
    size_t count = 0;
    stf_mono now = stf__engine_mono(engine);
    for (size_t i = 0; i < engine->flight_count; i++) {
        stf__flight *flight = engine->flights[i];
        if (is_to_send(flight) && prepare(engine, flight, now)) {
            engine->flights[i] = engine->flights[count];
            engine->flights[count] = flight;
            engine->saves[count++] = flight->save;
        }
    }
    if (count == 0) {
        return;
    }
    STF__FAILPOINT("before_save");
    send(engine, ctx, engine->flights, count);
    STF__FAILPOINT("after_save");
    for (size_t i = 0; i < count; i++) {
        take_outcome(engine, engine->flights[i], &engine->results[i]);
    }
}

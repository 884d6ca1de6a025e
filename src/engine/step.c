/* SPDX-License-Identifier: Apache-2.0 */
/* One instance's step: what it does next (one event), the pure core, work marked as started where a
 * handler and a slot are there, and the record that the next save writes. Touches the copy in
 * memory only. */
#include "engine/send.h"

#include <stepfast/limits.h>
#include <string.h>

static bool has_started_work(const stf__doc *doc)
{
    stf__work_item item;
    for (uint64_t after = 0; stf__doc_next_work(doc, after, &item); after = item.activation) {
        if (item.is_started) {
            return true;
        }
    }
    return false;
}

static stf_work *first_result(const stf__instance *instance)
{
    STF__LIST_EACH(link, following, &instance->runs)
    {
        stf_work *run = STF__LIST_ENTRY(link, stf_work, link);
        if (run->state == STF__RUN_FINISHED) {
            return run;
        }
    }
    return NULL;
}

/* Drops wishes that the fresh copy shows to be void. */
static void review_wants(stf_engine *engine, stf__instance *instance, stf_wall now)
{
    bool is_other_live = stf__lease_is_other_live(engine, instance, now);
    bool is_over = stf_record_status_is_terminal(instance->status);
    bool has_started = has_started_work(instance->doc);
    if (has_started && !instance->is_ours && !is_other_live) {
        instance->wants |= STF__WANT_RECOVER;
    }
    bool is_due = !stf_wall_is_none(instance->due) && instance->due.us <= now.us;
    if ((instance->wants & STF__WANT_RECOVER) != 0 && !has_started && instance->is_ours && is_due) {
        /* Claimed, and no handler was running: the dead engine was at what is due. That step, not a
         * save of its own, is what ends the claim, so that claims without a step add up (R15). */
        instance->wants = (instance->wants & ~(uint32_t)STF__WANT_RECOVER) | STF__WANT_WAKE;
    }
    if (is_over || is_other_live || (!has_started && instance->owner.size == 0)) {
        instance->wants &= ~(uint32_t)STF__WANT_RECOVER;
    }
    if (is_over || is_other_live || !is_due) {
        instance->wants &= ~(uint32_t)STF__WANT_WAKE;
    }
    if (is_over || instance->status == STF_RECORD_SUSPENDED) {
        instance->wants = 0;
    }
}

/* R1: a record with an expired owner and started work is claimed for recovery before anything
 * else; then what was due before what came. An instance that is due again at once, and always, does
 * not keep what came waiting: each is let in by turns. */
static stf__cause choose_cause(stf_engine *engine, stf__flight *flight, stf_wall now)
{
    stf__instance *instance = flight->instance;
    stf__command *command = stf__inbox_first(engine, instance);
    flight->command = NULL;
    if (instance->doc == NULL) { /* absent: only what makes it makes sense of it */
        flight->command = command != NULL && stf__command_creates(command) ? command : NULL;
        return flight->command != NULL ? STF__CAUSE_COMMAND : STF__CAUSE_NONE;
    }
    review_wants(engine, instance, now);
    if ((instance->wants & STF__WANT_RECOVER) != 0) {
        return STF__CAUSE_RECOVER;
    }
    bool is_due = (instance->wants & STF__WANT_WAKE) != 0;
    if (is_due && !instance->was_woken) {
        return STF__CAUSE_WAKE;
    }
    flight->result = first_result(instance);
    if (flight->result != NULL) {
        return STF__CAUSE_RESULT;
    }
    stf__send_review(engine, instance);
    if (instance->answered_count != 0) {
        return STF__CAUSE_ACK;
    }
    flight->command = command;
    if (command != NULL) {
        return STF__CAUSE_COMMAND;
    }
    if (is_due) {
        return STF__CAUSE_WAKE;
    }
    if ((instance->wants & STF__WANT_SEND) != 0) {
        return STF__CAUSE_SEND;
    }
    return instance->wants != 0 ? STF__CAUSE_JOBS : STF__CAUSE_NONE;
}

static stf_status fill_event(stf__flight *flight, stf__event *event)
{
    const stf_work *run = flight->result;
    memset(event, 0, sizeof(*event));
    if (flight->cause == STF__CAUSE_ACK) {
        return stf__send_fill_acks(flight, event);
    }
    if (flight->is_poison || flight->cause == STF__CAUSE_RECOVER) {
        event->kind = flight->is_poison ? STF__EVENT_POISON : STF__EVENT_RECOVER;
        event->incarnation = flight->instance->incarnation;
        event->message = stf_str_of("it was taken over again and again without getting on: it may "
                                    "be what stops its engines");
    } else if (flight->cause == STF__CAUSE_WAKE) {
        event->kind = STF__EVENT_WAKE;
    } else if (run != NULL) {
        event->kind = STF__EVENT_WORK;
        event->activation = run->activation;
        event->attempt = run->attempt;
        event->incarnation = run->incarnation;
        event->outcome = (stf__work_outcome)run->outcome;
        event->code = stf_buf_str(&run->code);
        event->message = stf_buf_str(&run->message);
        event->variables = run->result;
    } else {
        *event = flight->command->event;
    }
    return STF_OK;
}

/* A queue has no definition, and neither has an instance that is told to end before it begins: its
 * record keeps a late creation from starting it (R18). */
static stf_status create_doc(stf_engine *engine, stf__flight *flight, stf_wall now,
                             stf_error *error)
{
    stf__instance *instance = flight->instance;
    stf__command *command = flight->command;
    bool is_queue = command->event.kind == STF__EVENT_PUBLISH;
    stf__doc_identity identity = {
        .id = instance->id, .kind = is_queue ? STF__DOC_QUEUE : STF__DOC_INSTANCE, .created = now};
    stf__random_fill(&engine->random, identity.nonce, sizeof(identity.nonce));
    stf_buf_clear(&instance->owner);
    stf_buf_clear(&instance->tenant);
    if (stf_buf_append_str(&instance->tenant, command->tenant) != STF_OK) {
        return stf_error_set(error, STF_NO_MEMORY, "ENGINE", "no memory for an instance");
    }
    if (instance->definition != NULL) {
        instance->definition = stf__definition_unref(engine, instance->definition);
    }
    if (command->definition != NULL) {
        identity.process = command->definition->key;
        identity.version = command->definition->version;
        instance->definition = stf__definition_ref(engine, command->definition);
    }
    instance->version = 0;
    instance->status = STF_RECORD_ACTIVE;
    instance->is_ours = false;
    instance->incarnation = 0;
    return stf__doc_new(engine->alloc, &identity, &instance->doc, error);
}

/* ---- Starting work --------------------------------------------------------------------------- */

/* Under which incarnation this engine may start work of the record now; 0: it may not. */
static int64_t own_incarnation(stf_engine *engine, const stf__instance *instance, stf_wall now)
{
    if (atomic_load(&engine->phase) == STF__PHASE_CLOSING ||
        instance->status == STF_RECORD_SUSPENDED || stf__doc_is_stopped(instance->doc) ||
        stf__lease_is_other_live(engine, instance, now)) {
        return 0;
    }
    return instance->is_ours ? instance->incarnation : instance->incarnation + 1;
}

static stf_status start_item(stf_engine *engine, stf__flight *flight, const stf__work_item *item,
                             int64_t incarnation, stf_wall now, bool *ret_started)
{
    stf__instance *instance = flight->instance;
    stf__topic *handler = stf__handler_find(engine, item->topic);
    stf_work *run = NULL;
    if (handler == NULL) {
        return STF_OK; /* an external job */
    }
    if (stf__handler_free_slots(engine, handler) == 0) {
        handler->may_have_jobs = true;
        return STF_OK;
    }
    stf_status status =
        stf__run_new(engine, instance, handler, item, incarnation, &run, &flight->error);
    if (status == STF_OK) {
        bool is_idempotent = (handler->handler.flags & STF_HANDLER_IDEMPOTENT) != 0;
        status = stf__doc_mark_started(instance->doc, run->activation, incarnation, is_idempotent,
                                       now, &flight->effects, &flight->error);
        *ret_started = status == STF_OK;
    }
    return status;
}

static stf_status start_work(stf_engine *engine, stf__flight *flight, stf_wall now,
                             bool *ret_started)
{
    stf__instance *instance = flight->instance;
    int64_t incarnation = own_incarnation(engine, instance, now);
    stf_status status = STF_OK;
    stf__work_item item;
    for (uint64_t after = 0; incarnation != 0 && status == STF_OK; after = item.activation) {
        if (!stf__doc_next_work(instance->doc, after, &item)) {
            break;
        }
        if (!item.is_started) {
            status = start_item(engine, flight, &item, incarnation, now, ret_started);
        }
    }
    return status;
}

/* ---- The record ------------------------------------------------------------------------------ */

static void fill_lease(stf_engine *engine, stf__flight *flight, bool has_started, stf_wall now)
{
    stf__instance *instance = flight->instance;
    stf_lease *lease = &flight->record.lease;
    lease->incarnation = instance->incarnation;
    if (stf__lease_is_other_live(engine, instance, now)) {
        lease->owner = stf_buf_str(&instance->owner); /* R1: left untouched */
        lease->expiry = instance->lease_expiry;
    } else if (has_started) {
        lease->owner = stf_buf_str(&engine->owner);
        lease->incarnation += instance->is_ours ? 0 : 1;
        flight->save.flags |= STF_SAVE_LEASE_DURATION;
        flight->save.lease_duration_us = engine->lease_us;
    }
}

static stf_status fill_record(stf_engine *engine, stf__flight *flight, stf_wall now)
{
    stf__instance *instance = flight->instance;
    const stf__doc_identity *identity = stf__doc_peek_identity(instance->doc);
    stf__doc_summary summary;
    stf_status status = stf__doc_summarise(instance->doc, &flight->arena, &summary, &flight->error);
    if (status != STF_OK) {
        return status;
    }
    flight->record = (stf_record)STF_RECORD_INIT;
    flight->save = (stf_save)STF_SAVE_INIT;
    fill_lease(engine, flight, summary.has_started, now);
    flight->record.id = instance->id;
    flight->record.group = stf_str_of(engine->group);
    flight->record.tenant = stf_buf_str(&instance->tenant);
    flight->record.status = summary.status;
    flight->record.due = summary.due;
    flight->record.waits = summary.waits;
    flight->record.wait_count = summary.wait_count;
    flight->record.label_key = identity->process;
    flight->record.label_version = identity->version;
    if (summary.has_unstarted && stf__lease_is_other_live(engine, instance, now)) {
        flight->record.due = now; /* R1: its holder starts it */
    }
    flight->save.record = &flight->record;
    flight->save.expected_version = instance->version;
    flight->save.attempt = stf__attempt_draw(engine);
    if (instance->version != 0) {
        flight->save.attempt_seen = instance->attempt;
        flight->save.flags |= STF_SAVE_HAS_ATTEMPT_SEEN;
    }
    return STF_OK;
}

static stf_status encode(stf_engine *engine, stf__flight *flight, stf_wall now)
{
    stf__instance *instance = flight->instance;
    bool is_bulk_changed = true;
    stf_status status = fill_record(engine, flight, now);
    if (status != STF_OK) {
        return status;
    }
    /* R15: what recovery itself saves is no step, so the claims before it still count. */
    bool is_step = flight->is_poison || flight->cause != STF__CAUSE_RECOVER;
    stf__doc_note_save(
        instance->doc, instance->version + 1, flight->save.attempt, stf_buf_str(&engine->owner),
        is_step ? flight->record.lease.incarnation : stf__doc_get_incarnation(instance->doc), now);
    stf_buf_clear(&flight->head);
    stf_buf_clear(&flight->bulk);
    status = stf__doc_encode_head(instance->doc, &flight->head, &is_bulk_changed, &flight->error);
    bool keeps_bulk = !is_bulk_changed && instance->version != 0;
    if (status == STF_OK && !keeps_bulk) {
        status = stf__doc_encode_bulk(instance->doc, &flight->bulk, &flight->error);
    }
    if (status != STF_OK) {
        return status;
    }
    flight->record.head = stf_buf_bytes(&flight->head);
    flight->record.bulk = stf_buf_bytes(&flight->bulk);
    if (keeps_bulk) {
        flight->save.flags |= STF_SAVE_KEEP_BULK;
        flight->record.bulk = (stf_bytes){NULL, 0};
    }
    return stf__facts_journal(engine, flight, &flight->error);
}

/* ---- The step -------------------------------------------------------------------------------- */

/* What the core refuses without having touched the document. */
static bool is_refusal(stf_status status)
{
    return status == STF_NOT_FOUND || status == STF_INVALID_STATE ||
           status == STF_INVALID_ARGUMENT || status == STF_ALREADY_EXISTS ||
           status == STF_LIMIT_EXCEEDED;
}

/* R22: a refusal saves nothing, so it needs a copy that was loaded after the request came. */
static bool is_copy_older(const stf__flight *flight)
{
    return flight->command != NULL && flight->instance->version != 0 &&
           flight->instance->read_sequence < flight->command->sequence;
}

/* The step failed. is_untouched: the core refused it. */
static void fail_step(stf_engine *engine, stf__flight *flight, stf_status status, bool is_untouched)
{
    stf__instance *instance = flight->instance;
    if (is_untouched && is_copy_older(flight)) {
        stf__runs_drop_planned(engine, instance);
        stf__instance_drop_copy(instance);
        flight->stage = STF__STAGE_OVER;
        return;
    }
    if (!is_untouched || instance->version == 0) {
        stf__instance_drop_copy(instance);
    }
    if (stf__flight_shrink(engine, flight, status)) {
        return;
    }
    if (flight->command != NULL && !stf__status_is_passing(status)) {
        stf__flight_refuse(engine, flight, status, &flight->error);
    } else {
        stf__log(engine, stf__status_is_passing(status) ? STF_LOG_WARNING : STF_LOG_ERROR,
                 &flight->error, "a step failed");
        stf__flight_defer(engine, flight, status);
    }
}

/* What the result would change is gone for good: told, not saved. */
static bool drop_late_result(stf_engine *engine, stf__flight *flight)
{
    stf__instance *instance = flight->instance;
    if (flight->cause != STF__CAUSE_RESULT || !stf_record_status_is_terminal(instance->status)) {
        return false;
    }
    stf__fact_tell(engine, instance, STF_FACT_RESULT_DROPPED, flight->result->element);
    stf__flight_over(engine, flight);
    return true;
}

/* Whether the command may be stepped at all, and the document that it makes. */
static stf_status prepare_command(stf_engine *engine, stf__flight *flight, stf_wall now)
{
    stf__instance *instance = flight->instance;
    stf__command *command = flight->command;
    if (command == NULL) {
        return STF_OK;
    }
    if (instance->doc == NULL) {
        return create_doc(engine, flight, now, &flight->error);
    }
    if (command->event.kind == STF__EVENT_START) {
        return stf_error_set(&flight->error, STF_ALREADY_EXISTS, "ENGINE",
                             "there is an instance %.*s already", STF_STR_ARG(instance->id));
    }
    if (instance->status == STF_RECORD_SUSPENDED) {
        command->hurdle = STF__HURDLE_SUSPENDED;
        return stf_error_set(&flight->error, STF_INVALID_STATE, "ENGINE",
                             "the instance %.*s is suspended", STF_STR_ARG(instance->id));
    }
    return STF_OK;
}

static stf_status run_core(stf_engine *engine, stf__flight *flight, stf_wall now)
{
    stf__instance *instance = flight->instance;
    stf__core_inputs inputs = {.now = now, .step_budget = engine->step_budget};
    stf__event event;
    if (flight->cause == STF__CAUSE_JOBS || flight->cause == STF__CAUSE_SEND) {
        return STF_OK;
    }
    inputs.retry = engine->retry.retries != 0 ? &engine->retry : NULL;
    stf__random_fill(&engine->random, &inputs.random, sizeof(inputs.random));
    stf_status status = prepare_command(engine, flight, now);
    if (status == STF_OK) {
        status = fill_event(flight, &event);
    }
    if (status == STF_OK) {
        const stf__process *process =
            instance->definition != NULL ? instance->definition->process : NULL;
        status = stf__core_step(instance->doc, process, &event, &inputs, &flight->effects,
                                &flight->error);
    }
    return status;
}

/* An old copy says nothing about whether the id is taken now. */
static bool must_look_first(const stf__flight *flight)
{
    return flight->cause == STF__CAUSE_COMMAND && flight->command->event.kind == STF__EVENT_START &&
           flight->instance->doc != NULL && is_copy_older(flight);
}

/* R5: nor about what another engine has put into a queue since. */
static bool must_look_into_queue(const stf__instance *instance)
{
    return (instance->wants & STF__WANT_SEND) != 0 && instance->doc != NULL &&
           instance->read_sequence < instance->look_sequence;
}

/* Steps without an event that change nothing are not saved. */
static bool is_idle_step(const stf__flight *flight, bool has_changed)
{
    return !has_changed && (flight->cause == STF__CAUSE_JOBS || flight->cause == STF__CAUSE_SEND);
}

/* A record whose `due` has come although nothing in its document is due: an engine that stopped
 * left it to the others, with something to deliver. Nothing needs to be saved for that. */
static bool is_left_to_deliver(stf__flight *flight, stf_wall now)
{
    stf__instance *instance = flight->instance;
    stf__doc_summary summary;
    if (flight->cause != STF__CAUSE_WAKE || !stf__send_is_ready(instance) ||
        stf__doc_summarise(instance->doc, &flight->arena, &summary, NULL) != STF_OK) {
        return false;
    }
    if (!summary.has_outbox || (!stf_wall_is_none(summary.due) && summary.due.us <= now.us)) {
        return false;
    }
    instance->left_until = stf_wall_is_none(summary.due) ? (stf_wall){INT64_MAX} : summary.due;
    return true;
}

/* What a dead engine held, and what has been due for so long that an engine may have died of it, is
 * claimed before it is stepped: the claim is what the next one counts (R15). */
static bool must_claim(const stf_engine *engine, const stf__flight *flight, stf_wall now)
{
    const stf__instance *instance = flight->instance;
    if (instance->is_ours) {
        return false;
    }
    bool is_overdue =
        flight->cause == STF__CAUSE_WAKE && now.us - instance->due.us > engine->lease_us;
    return flight->cause == STF__CAUSE_RECOVER || is_overdue;
}

/* Claims since the last step that was saved. */
static int64_t count_recoveries(const stf__instance *instance)
{
    return instance->incarnation - stf__doc_get_incarnation(instance->doc);
}

static bool is_poison(const stf__flight *flight)
{
    const stf__instance *instance = flight->instance;
    bool is_taken_over = flight->cause == STF__CAUSE_RECOVER || flight->cause == STF__CAUSE_WAKE;
    return is_taken_over && instance->is_ours && !stf__doc_is_stopped(instance->doc) &&
           stf__doc_peek_identity(instance->doc)->kind != STF__DOC_QUEUE &&
           count_recoveries(instance) > STF__RECOVERIES_MAX;
}

static void step_and_encode(stf_engine *engine, const stf_ctx *ctx, stf__flight *flight,
                            stf_wall now)
{
    bool has_started = false;
    bool has_aimed = false;
    stf_status status = run_core(engine, flight, now);
    bool is_untouched = status != STF_OK && is_refusal(status);
    if (status == STF_OK) {
        status = stf__aim_doc(engine, ctx, flight, now, &has_aimed);
    }
    if (status == STF_OK) {
        status = start_work(engine, flight, now, &has_started);
    }
    if (status == STF_OK && is_idle_step(flight, has_started || has_aimed)) {
        stf__flight_over(engine, flight);
        return;
    }
    if (status == STF_OK) {
        status = encode(engine, flight, now);
    }
    if (status != STF_OK) {
        fail_step(engine, flight, status, is_untouched);
        return;
    }
    flight->stage = STF__STAGE_SAVE;
}

void stf__step_flight(stf_engine *engine, const stf_ctx *ctx, stf__flight *flight, stf_wall now)
{
    stf__instance *instance = flight->instance;
    if (must_look_into_queue(instance)) {
        stf__instance_drop_copy(instance);
        flight->stage = STF__STAGE_OVER;
        return;
    }
    flight->cause = choose_cause(engine, flight, now);
    if (flight->cause == STF__CAUSE_NONE || drop_late_result(engine, flight)) {
        flight->stage = STF__STAGE_OVER;
        return;
    }
    if (must_look_first(flight)) {
        stf__instance_drop_copy(instance);
        flight->stage = STF__STAGE_OVER;
        return;
    }
    if (must_claim(engine, flight, now)) {
        instance->is_suspect =
            engine->flight_count > 1 && count_recoveries(instance) >= STF__RECOVERIES_ALONE;
        flight->stage = instance->is_suspect ? STF__STAGE_OVER : STF__STAGE_CLAIM;
        return;
    }
    flight->is_poison = is_poison(flight);
    if (flight->cause == STF__CAUSE_SEND) {
        /* Now, not at the end: who begins to wait during the save asks again. */
        instance->wants &= ~(uint32_t)STF__WANT_SEND;
    }
    if (is_left_to_deliver(flight, now)) {
        flight->is_current = true;
        stf__flight_over(engine, flight);
        return;
    }
    stf__effects_init(&flight->effects, &flight->arena);
    flight->effects.is_silent =
        engine->observer.on_fact == NULL && (engine->flags & STF_ENGINE_JOURNAL) == 0;
    step_and_encode(engine, ctx, flight, now);
}

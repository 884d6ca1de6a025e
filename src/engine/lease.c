/* SPDX-License-Identifier: Apache-2.0 */
/* Leases guard running work (docs/rules.md, R1, R21): work with outside effects is saved under one
 * before it starts; the holder counts its own deadline from before that save was sent, renews at a
 * third and starts no effect past it. Claims and renewals are payload-free saves in batches of
 * their own (R16). */
#include "engine/private.h"

#include <stepfast/sys/repository_batch.h>

bool stf__lease_is_live(const stf_engine *engine, stf_str owner, stf_wall expiry, stf_wall now)
{
    return owner.size != 0 && expiry.us > now.us && !stf__wake_owner_is_dead(engine, owner);
}

bool stf__lease_is_other_live(stf_engine *engine, const stf__instance *instance, stf_wall now)
{
    stf_str owner = stf_buf_str(&instance->owner);
    return !stf_str_equal(owner, stf_buf_str(&engine->owner)) &&
           stf__lease_is_live(engine, owner, instance->lease_expiry, now);
}

/* The runs of an instance that is held carry its deadline to their threads. */
static void pass_on(stf_engine *engine, stf__instance *instance)
{
    int64_t wall = stf__engine_now(engine).us - stf__engine_mono(engine).us;
    STF__LIST_EACH(link, following, &instance->runs)
    {
        stf_work *run = STF__LIST_ENTRY(link, stf_work, link);
        if (!run->is_fenced) {
            atomic_store(&run->hold_until_us, instance->hold_until.us);
            atomic_store(&run->deadline_us, wall + instance->hold_until.us);
        }
    }
}

static int64_t renewal_of(stf__link *link)
{
    return STF__LIST_ENTRY(link, const stf__instance, held_link)->renew_at.us;
}

/* The held are in the order of their renewals, so that a turn looks at those that are due and not
 * at thousands whose handlers run. What was noted last comes last, and what is urgent first; both
 * find their place at once. */
static void hold(stf_engine *engine, stf__instance *instance)
{
    stf__list_remove(&instance->held_link);
    if (!instance->is_ours) {
        return;
    }
    stf__link *before = engine->held.prev;
    if (!stf__list_is_empty(&engine->held) &&
        instance->renew_at.us < renewal_of(engine->held.next)) {
        before = &engine->held;
    }
    while (before != &engine->held && renewal_of(before) > instance->renew_at.us) {
        before = before->prev;
    }
    stf__list_insert(before, &instance->held_link);
}

static void set_renewal(stf_engine *engine, stf__instance *instance, int64_t us)
{
    instance->renew_at = (stf_mono){us};
    hold(engine, instance);
}

void stf__lease_hurry(stf_engine *engine, stf__instance *instance)
{
    set_renewal(engine, instance, INT64_MIN);
}

void stf__lease_note(stf_engine *engine, stf__instance *instance, stf_mono sent)
{
    instance->hold_until = (stf_mono){sent.us + engine->lease_us};
    instance->renew_at = (stf_mono){sent.us + engine->lease_us / 3};
    instance->is_past = false;
    hold(engine, instance);
    pass_on(engine, instance);
}

/* Another owner or incarnation took the record over: it starts nothing and keeps only the results
 * of what runs, to offer them as outside events (R12). */
static void fence(stf_engine *engine, stf__instance *instance)
{
    bool is_told = false;
    STF__LIST_EACH(link, following, &instance->runs)
    {
        stf_work *run = STF__LIST_ENTRY(link, stf_work, link);
        if (!run->is_fenced) {
            run->is_fenced = true;
            atomic_store(&run->hold_until_us, INT64_MIN);
            is_told = true;
        }
        if (run->state == STF__RUN_PLANNED) {
            stf__run_free(engine, run);
        }
    }
    if (is_told) {
        stf__fact_tell(engine, instance, STF_FACT_LEASE_LOST, STF_STR(""));
    }
}

void stf__lease_note_loaded(stf_engine *engine, stf__instance *instance, const stf_lease *lease)
{
    bool was_ours = instance->is_ours;
    bool is_ours =
        lease->owner.size != 0 && stf_str_equal(lease->owner, stf_buf_str(&engine->owner));
    bool is_same = is_ours && was_ours && lease->incarnation == instance->incarnation;
    instance->is_ours = is_ours;
    instance->incarnation = lease->incarnation;
    instance->lease_expiry = lease->expiry;
    if (was_ours && !is_same) {
        fence(engine, instance);
    }
    if (is_ours && !is_same) {
        /* When that save was sent is not known any more: renew before anything starts. */
        instance->hold_until = (stf_mono){INT64_MIN};
        instance->renew_at = (stf_mono){INT64_MIN};
    }
    hold(engine, instance);
}

/* ---- Payload-free saves ---------------------------------------------------------------------- */

static stf_status fill_bare(stf_engine *engine, stf__flight *flight, int64_t incarnation)
{
    stf__instance *instance = flight->instance;
    const stf__doc_identity *identity = stf__doc_peek_identity(instance->doc);
    stf__doc_summary summary;
    stf_status status = stf__doc_summarise(instance->doc, &flight->arena, &summary, &flight->error);
    if (status != STF_OK) {
        return status;
    }
    flight->record = (stf_record)STF_RECORD_INIT;
    flight->record.id = instance->id;
    flight->record.group = stf_str_of(engine->group);
    flight->record.tenant = stf_buf_str(&instance->tenant);
    flight->record.lease.owner = stf_buf_str(&engine->owner);
    flight->record.lease.incarnation = incarnation;
    flight->record.status = instance->status;
    flight->record.due = instance->due;
    flight->record.waits = summary.waits;
    flight->record.wait_count = summary.wait_count;
    flight->record.label_key = identity->process;
    flight->record.label_version = identity->version;
    flight->save = (stf_save)STF_SAVE_INIT;
    flight->save.record = &flight->record;
    flight->save.flags = STF_SAVE_KEEP_HEAD | STF_SAVE_KEEP_BULK | STF_SAVE_LEASE_DURATION |
                         STF_SAVE_HAS_ATTEMPT_SEEN;
    flight->save.expected_version = instance->version;
    flight->save.attempt_seen = instance->attempt;
    flight->save.attempt = stf__attempt_draw(engine);
    flight->save.lease_duration_us = engine->lease_us;
    return STF_OK;
}

static void take_bare(stf_engine *engine, stf__flight *flight, const stf_save_result *result)
{
    engine->progress++;
    stf__instance *instance = flight->instance;
    instance->version = result->rec_version;
    instance->attempt = result->attempt;
    instance->lease_expiry = result->lease_expiry;
    instance->incarnation = flight->record.lease.incarnation;
    instance->is_ours = true;
}

/* Sends what is at stage CLAIM in the turn's list; results share the flights' places. */
static size_t send_bare(stf_engine *engine, const stf_ctx *ctx)
{
    stf_error error; /* two kilobytes: not filled where nothing is sent */
    size_t count = 0;
    for (size_t i = 0; i < engine->flight_count; i++) {
        stf__flight *flight = engine->flights[i];
        if (flight->stage == STF__STAGE_CLAIM) {
            flight->sent = stf__engine_mono(engine);
            engine->flights[i] = engine->flights[count];
            engine->flights[count] = flight;
            engine->saves[count++] = flight->save;
        }
    }
    if (count == 0) {
        return 0;
    }
    stf_error_init(&error);
    stf_status status = stf_repository_save_many(engine->repository, ctx, engine->saves, count,
                                                 engine->results, &error);
    for (size_t i = 0; status != STF_OK && i < count; i++) {
        engine->results[i].status = (uint32_t)status;
    }
    if (status != STF_OK) {
        stf__log(engine, STF_LOG_WARNING, &error, "leases were not saved");
    }
    return count;
}

/* ---- Claims ---------------------------------------------------------------------------------- */

static void take_claim(stf_engine *engine, stf__flight *flight, const stf_save_result *result)
{
    stf__instance *instance = flight->instance;
    stf_status status = (stf_status)result->status;
    if (status == STF_OK &&
        (stf_buf_clear(&instance->owner),
         stf_buf_append_str(&instance->owner, flight->record.lease.owner)) == STF_OK) {
        take_bare(engine, flight, result);
        stf__lease_note(engine, instance, flight->sent);
        instance->is_recovered = true;
        flight->stage = STF__STAGE_STEP;
    } else if (status == STF_OK || status == STF_CONCURRENT_UPDATE ||
               status == STF_OUTCOME_UNKNOWN) {
        if (status == STF_CONCURRENT_UPDATE) {
            stf__wake_note_lost(engine);
        }
        stf__flight_retry(engine, flight); /* the fresh copy shows whose it is */
    } else {
        stf__flight_defer(engine, flight, status);
    }
}

/* Claims the records that need recovery: this owner, the next incarnation, nothing else. */
size_t stf__lease_claim(stf_engine *engine, const stf_ctx *ctx)
{
    for (size_t i = 0; i < engine->flight_count; i++) {
        stf__flight *flight = engine->flights[i];
        if (flight->stage == STF__STAGE_CLAIM) {
            stf_status status = fill_bare(engine, flight, flight->instance->incarnation + 1);
            if (status != STF_OK) {
                stf__flight_defer(engine, flight, status);
            }
        }
    }
    size_t count = send_bare(engine, ctx);
    for (size_t i = 0; i < count; i++) {
        take_claim(engine, engine->flights[i], &engine->results[i]);
    }
    return count;
}

/* ---- Renewals -------------------------------------------------------------------------------- */

/* Past the deadline only what may run beside itself is told to stop: nothing else is ever run
 * twice, and its result is still worth having. */
static void stop_idempotent(stf_engine *engine, stf__instance *instance)
{
    instance->is_past = true;
    STF__LIST_EACH(link, following, &instance->runs)
    {
        stf_work *run = STF__LIST_ENTRY(link, stf_work, link);
        if (run->is_idempotent && run->state == STF__RUN_LAUNCHED) {
            stf__workers_cancel(engine, run, true);
        }
    }
}

static bool is_due_for_renewal(stf_engine *engine, stf__instance *instance, stf_mono now)
{
    if (instance->flight != NULL) {
        return false;
    }
    if (!instance->is_past && instance->hold_until.us != INT64_MIN &&
        now.us >= instance->hold_until.us) {
        stop_idempotent(engine, instance);
    }
    if (instance->doc == NULL) {
        stf__instance_want(engine, instance, STF__WANT_LOOK);
        return false;
    }
    /* Its next save carries the lease anyway, unless that is late already. */
    bool is_late =
        instance->renew_at.us == INT64_MIN || now.us - instance->renew_at.us > engine->lease_us / 3;
    return instance->place != STF__PLACE_READY || is_late;
}

static void take_renewal(stf_engine *engine, stf__flight *flight, const stf_save_result *result)
{
    stf__instance *instance = flight->instance;
    stf_status status = (stf_status)result->status;
    if (status == STF_OK) {
        take_bare(engine, flight, result);
        instance->is_deferred = false;
        stf__lease_note(engine, instance, flight->sent);
        status = stf__runs_reconcile(engine, instance, &flight->error);
    } else if (status == STF_CONCURRENT_UPDATE || status == STF_OUTCOME_UNKNOWN) {
        stf__instance_drop_copy(instance);
        instance->wants |= STF__WANT_LOOK;
        return;
    }
    if (status != STF_OK) {
        set_renewal(engine, instance, stf__engine_mono(engine).us + STF__BACKOFF_FIRST_US);
        if (!instance->is_deferred) {
            instance->is_deferred = true;
            stf__fact_tell(engine, instance, STF_FACT_CHECKPOINT_DEFERRED,
                           stf_str_of(stf_status_name(status)));
        }
    }
}

static size_t collect_renewals(stf_engine *engine)
{
    stf_mono now = stf__engine_mono(engine);
    engine->flight_count = 0;
    STF__LIST_EACH(link, following, &engine->held)
    {
        stf__instance *instance = STF__LIST_ENTRY(link, stf__instance, held_link);
        if (engine->flight_count == engine->batch_max || instance->renew_at.us > now.us) {
            break;
        }
        if (!is_due_for_renewal(engine, instance, now)) {
            continue;
        }
        stf__flight *flight = stf__flight_take(engine);
        if (flight == NULL) {
            break;
        }
        flight->instance = instance;
        flight->stage = STF__STAGE_CLAIM;
        if (fill_bare(engine, flight, instance->incarnation) != STF_OK) {
            set_renewal(engine, instance, now.us + STF__BACKOFF_FIRST_US);
            stf__flight_give(engine, flight);
            continue;
        }
        engine->flights[engine->flight_count++] = flight;
    }
    return engine->flight_count;
}

/* Before the turn collects its own flights. */
size_t stf__lease_renew(stf_engine *engine, const stf_ctx *ctx)
{
    if (collect_renewals(engine) == 0) {
        return 0;
    }
    size_t count = send_bare(engine, ctx);
    for (size_t i = 0; i < count; i++) {
        stf__flight *flight = engine->flights[i];
        take_renewal(engine, flight, &engine->results[i]);
        stf__instance *instance = flight->instance;
        stf__flight_give(engine, flight);
        stf__instance_place(engine, instance);
    }
    engine->flight_count = 0;
    return count;
}

int64_t stf__lease_next_us(stf_engine *engine)
{
    STF__LIST_EACH(link, following, &engine->held)
    {
        const stf__instance *instance = STF__LIST_ENTRY(link, stf__instance, held_link);
        /* Without a copy it is loaded first, at its own time. */
        if (instance->flight == NULL && instance->doc != NULL) {
            return instance->renew_at.us;
        }
    }
    return INT64_MAX;
}

void stf__lease_release(stf_engine *engine, const stf_ctx *ctx, stf__instance *instance)
{
    stf_error error = STF_ERROR_INIT;
    stf_save_result result;
    stf__flight *flight = stf__flight_take(engine);
    if (flight == NULL) {
        return;
    }
    flight->instance = instance;
    stf_status status = fill_bare(engine, flight, instance->incarnation);
    if (status == STF_OK) {
        flight->save.flags &= ~STF_SAVE_LEASE_DURATION;
        flight->record.lease.owner = (stf_str){NULL, 0};
        flight->record.due = stf__engine_now(engine);
        status = stf_repository_save(engine->repository, ctx, &flight->save, &result, &error);
    }
    if (status != STF_OK) {
        stf__log(engine, STF_LOG_WARNING, &error, "a lease was not released");
    }
    stf__flight_give(engine, flight);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* How a flight ends other than by its save. Commands are answered here or stay with the instance;
 * nothing was written by any of these. */
#include "engine/send.h"

/* The flight needs nothing more in this turn; what it wanted stays as the caller left it. */
static void end_flight(stf__flight *flight)
{
    flight->stage = STF__STAGE_OVER;
}

/* The same once more. May the command be taken back again? False: its caller has left, so it is
 * dropped. */
static bool reopen(stf_engine *engine, stf__flight *flight)
{
    stf__command *command = flight->command;
    uint32_t state = STF__COMMAND_SAVING;
    if (flight->cause == STF__CAUSE_SEND) {
        flight->instance->wants |= STF__WANT_SEND;
    }
    if (command == NULL) {
        return true;
    }
    (void)atomic_compare_exchange_strong(&command->state, &state, STF__COMMAND_OPEN);
    state = atomic_load(&command->state);
    if (state == STF__COMMAND_ABANDONED || state == STF__COMMAND_WITHDRAWN) {
        flight->command = NULL;
        stf__command_answer(engine, command, STF_OUTCOME_UNKNOWN, NULL);
        return false;
    }
    return true;
}

static uint32_t wanted_bits(stf__cause cause)
{
    static const uint32_t bits[] = {
        [STF__CAUSE_RECOVER] = STF__WANT_RECOVER,
        [STF__CAUSE_WAKE] = STF__WANT_WAKE,
        [STF__CAUSE_JOBS] = STF__WANT_JOBS | STF__WANT_LOOK,
    };
    return cause < STF_COUNT_OF(bits) ? bits[cause] : 0;
}

void stf__flight_over(stf_engine *engine, stf__flight *flight)
{
    stf__instance *instance = flight->instance;
    instance->wants &= ~wanted_bits((stf__cause)flight->cause);
    instance->failures = 0;
    instance->is_deferred = false;
    instance->was_woken = flight->cause == STF__CAUSE_WAKE && !flight->effects.has_yielded;
    if (flight->result != NULL) {
        stf__run_free(engine, flight->result);
        flight->result = NULL;
    }
    if (flight->cause == STF__CAUSE_ACK) {
        stf__send_forget(engine, instance, false);
    }
    end_flight(flight);
}

void stf__flight_refuse(stf_engine *engine, stf__flight *flight, stf_status status,
                        const stf_error *error)
{
    stf__command *command = flight->command;
    stf__runs_drop_planned(engine, flight->instance);
    if (command != NULL) {
        flight->command = NULL;
        stf__command_answer(engine, command, status, error);
        end_flight(flight);
        return;
    }
    stf__log(engine, STF_LOG_ERROR, error, "a step was refused");
    stf__flight_over(engine, flight);
}

void stf__flight_defer(stf_engine *engine, stf__flight *flight, stf_status why)
{
    stf__instance *instance = flight->instance;
    if (flight->is_unsettled) {
        /* Only the store's answer to the same bytes ends it. */
        flight->stage =
            flight->stage == STF__STAGE_RESOLVE ? STF__STAGE_RESOLVE : STF__STAGE_UNSETTLED;
    } else {
        stf__runs_drop_planned(engine, instance);
        stf__instance_drop_copy(instance);
        (void)reopen(engine, flight);
        end_flight(flight);
    }
    if (why == STF_CANCELLED || why == STF_DEADLINE_EXCEEDED) {
        return; /* the driver's own limit, not the store's: the next driver tries at once */
    }
    instance->failures++;
    instance->retry_at = (stf_mono){stf__engine_mono(engine).us +
                                    stf__engine_backoff_us(engine, instance->failures)};
    if (!instance->is_deferred) {
        instance->is_deferred = true;
        stf__fact_tell(engine, instance, STF_FACT_CHECKPOINT_DEFERRED,
                       stf_str_of(stf_status_name(why)));
    }
}

void stf__flight_retry(stf_engine *engine, stf__flight *flight)
{
    stf__instance *instance = flight->instance;
    stf__runs_drop_planned(engine, instance);
    stf__instance_drop_copy(instance);
    if (reopen(engine, flight) && flight->command != NULL) {
        flight->command->tries++;
        if (flight->command->tries >= STF__CONFLICT_TRIES) {
            stf_error report = STF_ERROR_INIT;
            stf_status status =
                stf_error_set(&report, STF_CONCURRENT_UPDATE, "ENGINE",
                              "the instance %.*s changed under the step %u times; nothing was done",
                              STF_STR_ARG(instance->id), STF__CONFLICT_TRIES);
            stf__flight_refuse(engine, flight, status, &report);
            return;
        }
    }
    instance->failures++;
    if (instance->failures > 3) {
        instance->retry_at = (stf_mono){stf__engine_mono(engine).us +
                                        stf__engine_backoff_us(engine, instance->failures - 3)};
    }
    end_flight(flight);
}

bool stf__flight_shrink(stf_engine *engine, stf__flight *flight, stf_status why)
{
    stf_work *run = flight->result;
    if (run == NULL || why != STF_LIMIT_EXCEEDED || run->is_too_large) {
        return false;
    }
    run->is_too_large = true;
    run->outcome = STF__WORK_UNKNOWN;
    run->result = stf_value_unref(run->result);
    stf_buf_clear(&run->code);
    stf_buf_clear(&run->message);
    if (stf_buf_printf(&run->message, "the result of the handler could not be stored: %s",
                       flight->error.message) != STF_OK) {
        stf_buf_clear(&run->message); /* the incident has no text; the outcome stays right */
    }
    stf__runs_drop_planned(engine, flight->instance);
    stf__instance_drop_copy(flight->instance);
    end_flight(flight);
    return true;
}

static bool has_finished_run(const stf__instance *instance)
{
    STF__LIST_EACH(link, following, &instance->runs)
    {
        if (STF__LIST_ENTRY(link, const stf_work, link)->state == STF__RUN_FINISHED) {
            return true;
        }
    }
    return false;
}

void stf__flight_skip(stf_engine *engine, stf__flight *flight)
{
    stf__instance *instance = flight->instance;
    stf_status status = (stf_status)flight->status;
    stf__skip_add(engine, instance->id);
    stf__fact_tell(engine, instance, STF_FACT_RECORD_SKIPPED, stf_str_of(stf_status_name(status)));
    if (flight->is_unsettled && flight->command != NULL) {
        status = stf_error_set(&flight->error, STF_OUTCOME_UNKNOWN, "ENGINE",
                               "the answer of a save was lost and the record of %.*s cannot be "
                               "read any more",
                               STF_STR_ARG(instance->id));
    }
    flight->is_unsettled = false;
    instance->wants = 0;
    stf__send_forget(engine, instance, true);
    if (flight->command != NULL) {
        if (flight->command->hurdle == STF__HURDLE_NONE) {
            flight->command->hurdle = STF__HURDLE_UNREADABLE;
        }
        stf__flight_refuse(engine, flight, status, &flight->error);
    } else {
        stf__log(engine, STF_LOG_WARNING, &flight->error, "a record was skipped");
    }
    if (has_finished_run(instance)) {
        instance->failures++;
        instance->retry_at = (stf_mono){stf__engine_mono(engine).us +
                                        stf__engine_backoff_us(engine, instance->failures)};
    }
    end_flight(flight);
}

/* Results of a record that does not exist any more have nowhere to go. */
static void drop_results(stf_engine *engine, stf__instance *instance)
{
    STF__LIST_EACH(link, following, &instance->runs)
    {
        stf_work *run = STF__LIST_ENTRY(link, stf_work, link);
        if (run->state == STF__RUN_FINISHED) {
            stf__fact_tell(engine, instance, STF_FACT_RESULT_DROPPED, run->element);
        }
        if (run->state == STF__RUN_LAUNCHED) {
            stf__workers_cancel(engine, run, false);
        } else {
            stf__run_free(engine, run);
        }
    }
}

void stf__flight_absent(stf_engine *engine, stf__flight *flight)
{
    stf__instance *instance = flight->instance;
    stf__command *command = flight->command;
    stf__instance_drop_copy(instance);
    instance->is_ours = false;
    stf_buf_clear(&instance->owner);
    instance->incarnation = 0;
    instance->wants = 0;
    drop_results(engine, instance);
    stf__send_forget(engine, instance, true);
    flight->result = NULL;
    if (command == NULL) {
        end_flight(flight);
    } else if (stf__command_creates(command)) {
        flight->stage = STF__STAGE_STEP;
    } else {
        command->hurdle = STF__HURDLE_ABSENT;
        stf_status status = stf_error_set(&flight->error, STF_NOT_FOUND, "ENGINE",
                                          "there is no instance %.*s", STF_STR_ARG(instance->id));
        stf__flight_refuse(engine, flight, status, &flight->error);
    }
}

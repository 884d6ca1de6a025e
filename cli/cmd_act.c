/* SPDX-License-Identifier: Apache-2.0 */
/* Commands that do something to one instance, then run what follows and show what it is now: task
 * complete, job answer, incident retry, resolve and drop, cancel. */
#include "address.h"
#include "answer.h"
#include "command.h"
#include "state.h"

/* What is acted on, and with what. */
typedef struct act_on {
    const cli_options *options;
    cli_address address;
    stf_answer answer;
} act_on;

typedef stf_status (*act_call)(stf_engine *engine, const stf_ctx *ctx, const act_on *act,
                               stf_error *error);

static cli_exit_code do_act(const act_on *act, stf_cancel *cancel, act_call call)
{
    cli_session session;
    stf_error error = STF_ERROR_INIT;
    cli_exit_code code = cli_session_open(act->options, cancel, CLI_SESSION_RUN, &session);
    if (code == CLI_EXIT_OK) {
        stf_ctx ctx = cli_session_patient_ctx(&session);
        if (call(session.engine, &ctx, act, &error) != STF_OK) {
            code = cli_session_report_call(&error);
        }
    }
    if (code == CLI_EXIT_OK) {
        code = cli_state_run_and_show(&session, act->address.instance);
    }
    cli_session_close(&session);
    return code;
}

/* ---- Tasks and jobs ---------------------------------------------------------------------------
 */

static stf_status complete_task(stf_engine *engine, const stf_ctx *ctx, const act_on *act,
                                stf_error *error)
{
    return stf_engine_complete_task(engine, ctx, act->address.instance, act->address.number,
                                    act->address.element, act->options->variables, error);
}

cli_exit_code cli_task_complete(const cli_options *options, stf_cancel *cancel)
{
    act_on act = {.options = options};
    if (!cli_address_find(options, "task", true, &act.address)) {
        return CLI_EXIT_USAGE;
    }
    return do_act(&act, cancel, complete_task);
}

static stf_status answer_job(stf_engine *engine, const stf_ctx *ctx, const act_on *act,
                             stf_error *error)
{
    return stf_engine_answer_job(engine, ctx, act->address.instance, act->address.number,
                                 act->address.element, (stf_str){NULL, 0}, &act->answer, error);
}

cli_exit_code cli_job_answer(const cli_options *options, stf_cancel *cancel)
{
    act_on act = {.options = options};
    if (!cli_address_find(options, "job", true, &act.address) ||
        !cli_answer_read(options, &act.answer)) {
        return CLI_EXIT_USAGE;
    }
    return do_act(&act, cancel, answer_job);
}

/* ---- Incidents --------------------------------------------------------------------------------
 */

static stf_status retry(stf_engine *engine, const stf_ctx *ctx, const act_on *act, stf_error *error)
{
    return stf_engine_retry_incident(engine, ctx, act->address.instance, act->address.number,
                                     error);
}

static stf_status resolve(stf_engine *engine, const stf_ctx *ctx, const act_on *act,
                          stf_error *error)
{
    return stf_engine_resolve_incident(engine, ctx, act->address.instance, act->address.number,
                                       &act->answer, error);
}

static stf_status drop(stf_engine *engine, const stf_ctx *ctx, const act_on *act, stf_error *error)
{
    return stf_engine_drop_incident(engine, ctx, act->address.instance, act->address.number, error);
}

static cli_exit_code act_on_incident(const cli_options *options, stf_cancel *cancel, act_call call)
{
    act_on act = {.options = options};
    if (!cli_address_find(options, "incident", false, &act.address) ||
        !cli_answer_read(options, &act.answer)) {
        return CLI_EXIT_USAGE;
    }
    return do_act(&act, cancel, call);
}

cli_exit_code cli_incident_retry(const cli_options *options, stf_cancel *cancel)
{
    return act_on_incident(options, cancel, retry);
}

cli_exit_code cli_incident_resolve(const cli_options *options, stf_cancel *cancel)
{
    return act_on_incident(options, cancel, resolve);
}

cli_exit_code cli_incident_drop(const cli_options *options, stf_cancel *cancel)
{
    return act_on_incident(options, cancel, drop);
}

/* ---- Instances --------------------------------------------------------------------------------
 */

static stf_status cancel_instance(stf_engine *engine, const stf_ctx *ctx, const act_on *act,
                                  stf_error *error)
{
    return stf_engine_cancel_instance(engine, ctx, act->address.instance,
                                      stf_str_of(act->options->reason), error);
}

cli_exit_code cli_cancel(const cli_options *options, stf_cancel *cancel)
{
    act_on act = {.options = options, .address = {.instance = stf_str_of(options->positional[0])}};
    return do_act(&act, cancel, cancel_instance);
}

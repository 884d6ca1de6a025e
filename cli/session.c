/* SPDX-License-Identifier: Apache-2.0 */
/* See session.h. */
#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "listing.h"

enum {
    STOP_GRACE_US = 10 * 1000 * 1000,
    /* What a dead engine held is taken over within a second: half of it to notice, half to save. */
    POLL_US = 500 * 1000,
    PATIENCE_S = 10,
    WORKERS = 4
};

/* ---- Facts for --verbose ------------------------------------------------------------------ */

static void print_fact(void *user, const stf_fact *fact)
{
    (void)user;
    char at[STF_WALL_TEXT_BYTES];
    stf_wall_format(fact->at, at);
    fprintf(stderr, "%s %s %.*s", at, stf_fact_name(fact->kind), (int)fact->instance.size,
            fact->instance.size != 0 ? fact->instance.data : "");
    if (fact->element.size != 0) {
        fprintf(stderr, " %.*s", (int)fact->element.size, fact->element.data);
    }
    if (fact->detail.size != 0) {
        fprintf(stderr, " (%.*s)", (int)fact->detail.size, fact->detail.data);
    }
    fputc('\n', stderr);
}

static void print_log(void *user, stf_log_level level, stf_str message)
{
    const bool *is_verbose = user;
    if (*is_verbose || level <= STF_LOG_WARNING) {
        cli_complain("%.*s", (int)message.size, message.data);
    }
}

/* ---- Opening -------------------------------------------------------------------------------- */

static stf_status add_handlers(cli_session *session, stf_error *error)
{
    const cli_handlers *handlers = &session->options->handlers;
    for (size_t i = 0; i < handlers->count; i++) {
        stf_handler handler;
        cli_command_handler_init(&handlers->items[i].command, &handler);
        stf_status status =
            stf_engine_add_handler(session->engine, handlers->items[i].topic, &handler, error);
        if (status != STF_OK) {
            return status;
        }
    }
    return STF_OK;
}

static stf_status open_engine(cli_session *session, bool is_starting, stf_error *error)
{
    const cli_options *options = session->options;
    stf_observer observer = {
        .struct_size = sizeof observer,
        .abi = STF_OBSERVER_ABI,
        .user = (void *)(uintptr_t)&options->is_verbose, /* only read there */
        .on_fact = options->is_verbose ? print_fact : NULL,
        .on_log = print_log,
    };
    stf_engine_options engine_options = STF_ENGINE_OPTIONS_INIT;
    engine_options.flags = STF_ENGINE_JOURNAL;
    engine_options.id = options->id != NULL ? options->id : "cli";
    engine_options.existing_group = options->existing_group;
    engine_options.group = options->group;
    if (options->group == NULL && options->existing_group == NULL) {
        engine_options.group = "default"; /* so that commands meet */
    }
    engine_options.tenant = options->tenant;
    engine_options.repository = session->store.repository;
    engine_options.definitions = session->store.definitions;
    engine_options.observer = &observer;
    engine_options.lease_us = options->lease_us;
    engine_options.poll_us = POLL_US;
    engine_options.workers = options->workers != 0 ? (uint32_t)options->workers : WORKERS;
    stf_status status = stf_engine_new(&engine_options, &session->engine, error);
    if (status == STF_OK) {
        status = add_handlers(session, error);
    }
    if (status == STF_OK && is_starting) {
        status = stf_engine_start(session->engine, &session->ctx, error);
    }
    return status;
}

cli_exit_code cli_session_open(const cli_options *options, stf_cancel *cancel,
                               cli_session_mode mode, cli_session *ret_session)
{
    *ret_session = (cli_session){.options = options, .ctx = STF_CTX_INIT};
    ret_session->ctx.cancel = cancel;
    const char *url =
        cli_store_choose(options->store, mode == CLI_SESSION_RUN_DEFAULT ? "memory:" : NULL);
    if (url == NULL) {
        return CLI_EXIT_USAGE;
    }
    stf_error error = STF_ERROR_INIT;
    bool must_exist = mode == CLI_SESSION_READ || mode == CLI_SESSION_RUN;
    stf_status status =
        cli_store_open(&ret_session->ctx, url, must_exist ? STF_SQLITE_MUST_EXIST : 0,
                       &ret_session->store, &error);
    if (status == STF_OK) {
        status = open_engine(ret_session, mode != CLI_SESSION_READ, &error);
    }
    return status == STF_OK ? CLI_EXIT_OK : cli_report(&error);
}

void cli_session_close(cli_session *session)
{
    stf_ctx grace = STF_CTX_INIT;
    grace.flags = STF_CTX_HAS_DEADLINE;
    grace.deadline = stf_clock_system()->mono(stf_clock_system()->user);
    grace.deadline.us += STOP_GRACE_US;
    session->engine = stf_engine_close(session->engine, &grace);
    cli_store_close(&session->store);
}

/* ---- Calls that may be given up ----------------------------------------------------------------
 */

stf_ctx cli_session_patient_ctx(const cli_session *session)
{
    const stf_clock *clock = stf_clock_system();
    stf_ctx ctx = session->ctx;
    ctx.flags |= STF_CTX_HAS_DEADLINE;
    ctx.deadline.us = clock->mono(clock->user).us + INT64_C(1000000) * PATIENCE_S;
    return ctx;
}

cli_exit_code cli_session_report_call(stf_error *error)
{
    if (error->status == STF_DEADLINE_EXCEEDED) {
        (void)stf_error_set(error, STF_UNAVAILABLE, "CLI",
                            "the store took nothing for %d seconds; nothing was written",
                            PATIENCE_S);
    }
    return cli_report(error);
}

/* ---- The rule when to stop --------------------------------------------------------------------
 */

static bool list_has(const stf_value *list, stf_str text)
{
    for (size_t i = 0; i < stf_value_count(list); i++) {
        if (stf_str_equal(stf_value_peek_string(stf_value_peek_item(list, i)), text)) {
            return true;
        }
    }
    return false;
}

/* The earliest deadline of a timer event that the instance waits at: an armed timer whose element
 * is among those that wait. Boundary timers of a task are armed too, but nobody waits at them. */
static bool find_timer(void *user, const stf_value *view)
{
    stf_wall *earliest = user;
    const stf_value *waiting = stf_value_peek(view, stf_str_of("waiting"));
    const stf_value *timers = stf_value_peek(view, stf_str_of("timers"));
    for (size_t i = 0; i < stf_value_count(timers); i++) {
        const stf_value *timer = stf_value_peek_item(timers, i);
        stf_str element = stf_value_peek_string(stf_value_peek(timer, stf_str_of("element")));
        stf_str due = stf_value_peek_string(stf_value_peek(timer, stf_str_of("due")));
        stf_wall at;
        if (list_has(waiting, element) && stf_wall_parse(due, &at, NULL) == STF_OK &&
            (stf_wall_is_none(*earliest) || at.us < earliest->us)) {
            *earliest = at;
        }
    }
    return true;
}

/* None: nobody waits at a timer event. */
static cli_exit_code find_next_timer(cli_session *session, stf_str instance, stf_wall *ret_earliest)
{
    stf_value *found = NULL;
    *ret_earliest = stf_wall_none();
    if (instance.size == 0) {
        return cli_listing_visit(session, CLI_IN_FLIGHT, NULL, find_timer, ret_earliest);
    }
    stf_error error = STF_ERROR_INIT;
    if (stf_engine_get_instance(session->engine, &session->ctx, instance, &found, &error) !=
        STF_OK) {
        return cli_report(&error);
    }
    (void)find_timer(ret_earliest, found);
    stf_value_unref(found);
    return CLI_EXIT_OK;
}

/* Serves the store until that time. */
static stf_status run_until(cli_session *session, stf_wall until, stf_error *error)
{
    const stf_clock *clock = stf_clock_system();
    stf_ctx ctx = session->ctx;
    ctx.flags |= STF_CTX_HAS_DEADLINE;
    ctx.deadline.us = clock->mono(clock->user).us + (until.us - clock->wall(clock->user).us);
    stf_status status = stf_engine_run(session->engine, &ctx, STF_RUN_FOREVER, error);
    return status == STF_DEADLINE_EXCEEDED ? STF_OK : status;
}

cli_exit_code cli_session_run(cli_session *session, stf_str instance)
{
    stf_error error = STF_ERROR_INIT;
    for (;;) {
        stf_wall timer = stf_wall_none();
        if (stf_engine_run(session->engine, &session->ctx, STF_RUN_IDLE, &error) != STF_OK) {
            return cli_report(&error);
        }
        if (!session->options->is_waiting_timers) {
            return CLI_EXIT_OK;
        }
        cli_exit_code code = find_next_timer(session, instance, &timer);
        if (code != CLI_EXIT_OK || stf_wall_is_none(timer)) {
            return code;
        }
        if (run_until(session, timer, &error) != STF_OK) {
            return cli_report(&error);
        }
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* stepfast incident list, retry, resolve and drop. */
#include <stdio.h>

#include "address.h"
#include "answer.h"
#include "command.h"
#include "state.h"

enum {
    PAGE = 500
};

static void print_incident(const stf_value *incident)
{
    stf_str retry = cli_peek_text(incident, "retry");
    cli_print_text(cli_peek_text(incident, "incident"), 40);
    fputs("  ", stdout);
    cli_print_text(cli_peek_text(incident, "element"), 20);
    fputs("  ", stdout);
    cli_print_text(cli_peek_text(incident, "kind"), 12);
    fputs("  ", stdout);
    if (retry.size != 0) {
        printf("(retried at %.*s) ", (int)retry.size, retry.data);
    }
    cli_print_text(cli_peek_text(incident, "message"), 0);
    fputc('\n', stdout);
}

/* Prints a page; *count is over all. False: complained. */
static bool print_page(const cli_options *options, const stf_value *page, size_t *count)
{
    for (size_t i = 0; i < stf_value_count(page); i++) {
        const stf_value *incident = stf_value_peek_item(page, i);
        ++*count;
        if (!options->is_json) {
            print_incident(incident);
        } else if (!cli_print_json_item(incident, *count)) {
            return false;
        }
    }
    return true;
}

static cli_exit_code print_all(cli_session *session)
{
    cli_exit_code code = CLI_EXIT_OK;
    size_t count = 0;
    stf_value *page = NULL; /* the last one, which holds the id to go on behind */
    for (bool is_over = false; code == CLI_EXIT_OK && !is_over;) {
        size_t rows = stf_value_count(page);
        const stf_value *last = rows != 0 ? stf_value_peek_item(page, rows - 1) : NULL;
        stf_value *next = NULL;
        stf_error error = STF_ERROR_INIT;
        if (stf_engine_list_incidents(session->engine, &session->ctx,
                                      cli_peek_text(last, "instance"), PAGE, &next,
                                      &error) != STF_OK) {
            code = cli_report(&error);
        } else if (!print_page(session->options, next, &count)) {
            code = CLI_EXIT_FAILED;
        }
        (void)stf_value_unref(page);
        page = next;
        is_over = stf_value_count(page) == 0;
    }
    (void)stf_value_unref(page);
    if (code == CLI_EXIT_OK && session->options->is_json) {
        cli_print_json_end(count);
    }
    return code;
}

cli_exit_code cli_incident_list(const cli_options *options, stf_cancel *cancel)
{
    cli_session session;
    cli_exit_code code = cli_session_open(options, cancel, CLI_SESSION_READ, &session);
    if (code == CLI_EXIT_OK && !options->is_json) {
        printf("%-40s  %-20s  %-12s  %s\n", "INCIDENT", "ELEMENT", "KIND", "MESSAGE");
    }
    if (code == CLI_EXIT_OK) {
        code = print_all(&session);
    }
    cli_session_close(&session);
    return code;
}

/* ---- Acts on one ------------------------------------------------------------------------------
 */

typedef stf_status (*incident_act)(stf_engine *engine, const stf_ctx *ctx,
                                   const cli_address *incident, const stf_answer *answer,
                                   stf_error *error);

static stf_status retry(stf_engine *engine, const stf_ctx *ctx, const cli_address *incident,
                        const stf_answer *answer, stf_error *error)
{
    (void)answer;
    return stf_engine_retry_incident(engine, ctx, incident->instance, incident->number, error);
}

static stf_status resolve(stf_engine *engine, const stf_ctx *ctx, const cli_address *incident,
                          const stf_answer *answer, stf_error *error)
{
    return stf_engine_resolve_incident(engine, ctx, incident->instance, incident->number, answer,
                                       error);
}

static stf_status drop(stf_engine *engine, const stf_ctx *ctx, const cli_address *incident,
                       const stf_answer *answer, stf_error *error)
{
    (void)answer;
    return stf_engine_drop_incident(engine, ctx, incident->instance, incident->number, error);
}

static cli_exit_code act_on(const cli_options *options, stf_cancel *cancel, incident_act act)
{
    cli_address incident;
    stf_answer answer;
    if (!cli_address_find(options, "incident", false, &incident) ||
        !cli_answer_read(options, &answer)) {
        return CLI_EXIT_USAGE;
    }
    cli_session session;
    stf_error error = STF_ERROR_INIT;
    cli_exit_code code = cli_session_open(options, cancel, CLI_SESSION_RUN, &session);
    if (code == CLI_EXIT_OK) {
        stf_ctx ctx = cli_session_patient_ctx(&session);
        if (act(session.engine, &ctx, &incident, &answer, &error) != STF_OK) {
            code = cli_session_report_call(&error);
        }
    }
    if (code == CLI_EXIT_OK) {
        code = cli_state_run_and_show(&session, incident.instance);
    }
    cli_session_close(&session);
    return code;
}

cli_exit_code cli_incident_retry(const cli_options *options, stf_cancel *cancel)
{
    return act_on(options, cancel, retry);
}

cli_exit_code cli_incident_resolve(const cli_options *options, stf_cancel *cancel)
{
    return act_on(options, cancel, resolve);
}

cli_exit_code cli_incident_drop(const cli_options *options, stf_cancel *cancel)
{
    return act_on(options, cancel, drop);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* stepfast ps, show and resume: what the instances of the group are now. */
#include <stdio.h>

#include "command.h"
#include "listing.h"
#include "state.h"

static void print_table(const stf_value *list)
{
    stf_buf text;
    stf_buf_init(&text, NULL);
    printf("%-36s  %-20s  %-7s  %s\n", "ID", "PROCESS", "VERSION", "STATE");
    for (size_t i = 0; i < stf_value_count(list); i++) {
        const stf_value *view = stf_value_peek_item(list, i);
        int64_t version = 0;
        stf_value_get_int(stf_value_peek(view, stf_str_of("version")), &version);
        cli_print_text(cli_peek_text(view, "id"), 36);
        fputs("  ", stdout);
        cli_print_text(cli_peek_text(view, "process"), 20);
        printf("  %-7lld  ", (long long)version);
        stf_buf_clear(&text);
        cli_state_describe(view, &text);
        cli_print_text(stf_buf_str(&text), 0);
        fputc('\n', stdout);
    }
    stf_buf_done(&text);
}

static cli_exit_code print_list(const cli_options *options, const stf_value *list)
{
    if (options->is_json) {
        return cli_print_json(list) ? CLI_EXIT_OK : CLI_EXIT_FAILED;
    }
    print_table(list);
    return CLI_EXIT_OK;
}

cli_exit_code cli_ps(const cli_options *options, stf_cancel *cancel)
{
    cli_session session;
    stf_value *list = NULL;
    cli_exit_code code = cli_session_open(options, cancel, CLI_SESSION_READ, &session);
    if (code == CLI_EXIT_OK) {
        code = cli_listing_load(&session, options->is_active_only ? CLI_IN_FLIGHT : 0,
                                options->process, &list);
    }
    if (code == CLI_EXIT_OK) {
        code = print_list(options, list);
    }
    stf_value_unref(list);
    cli_session_close(&session);
    return code;
}

/* ---- show ----------------------------------------------------------------------------------- */

static void print_history(const stf_value *rows)
{
    for (size_t i = 0; i < stf_value_count(rows); i++) {
        const stf_value *row = stf_value_peek_item(rows, i);
        cli_print_text(cli_peek_text(row, "at"), 28);
        fputs("  ", stdout);
        cli_print_text(cli_peek_text(row, "fact"), 20);
        fputs("  ", stdout);
        cli_print_text(cli_peek_text(row, "element"), 20);
        fputs("  ", stdout);
        cli_print_text(cli_peek_text(row, "detail"), 0);
        fputc('\n', stdout);
    }
}

static cli_exit_code show_history(cli_session *session, stf_str instance)
{
    stf_error error = STF_ERROR_INIT;
    stf_value *rows = NULL;
    cli_exit_code code = CLI_EXIT_OK;
    if (stf_engine_get_history(session->engine, &session->ctx, instance, &rows, &error) != STF_OK) {
        code = cli_report(&error);
    } else if (!session->options->is_json) {
        print_history(rows);
    } else if (!cli_print_json(rows)) {
        code = CLI_EXIT_FAILED;
    }
    stf_value_unref(rows);
    return code;
}

static cli_exit_code show_instance(cli_session *session, stf_str instance)
{
    cli_exit_code code = cli_state_show(session, instance);
    if (session->options->is_json || (code != CLI_EXIT_OK && code != CLI_EXIT_INCIDENT)) {
        return code;
    }
    stf_error error = STF_ERROR_INIT;
    stf_value *view = NULL;
    if (stf_engine_get_instance(session->engine, &session->ctx, instance, &view, &error) !=
        STF_OK) {
        return cli_report(&error);
    }
    fputs("variables:\n", stdout);
    bool is_printed = cli_print_json(stf_value_peek(view, stf_str_of("variables")));
    stf_value_unref(view);
    return is_printed ? code : CLI_EXIT_FAILED;
}

cli_exit_code cli_show(const cli_options *options, stf_cancel *cancel)
{
    cli_session session;
    stf_str instance = stf_str_of(options->positional[0]);
    cli_exit_code code = cli_session_open(options, cancel, CLI_SESSION_READ, &session);
    if (code == CLI_EXIT_OK) {
        code = options->is_history ? show_history(&session, instance)
                                   : show_instance(&session, instance);
    }
    cli_session_close(&session);
    return code;
}

/* ---- resume ---------------------------------------------------------------------------------- */

static bool has_incidents(const stf_value *list)
{
    for (size_t i = 0; i < stf_value_count(list); i++) {
        if (cli_state_has_incident(stf_value_peek_item(list, i))) {
            return true;
        }
    }
    return false;
}

cli_exit_code cli_resume(const cli_options *options, stf_cancel *cancel)
{
    cli_session session;
    stf_value *list = NULL;
    cli_exit_code code = cli_session_open(options, cancel, CLI_SESSION_RUN, &session);
    if (code == CLI_EXIT_OK) {
        code = cli_session_run(&session, (stf_str){NULL, 0});
    }
    if (code == CLI_EXIT_OK) {
        code = cli_listing_load(&session, 0, NULL, &list);
    }
    if (code == CLI_EXIT_OK) {
        code = print_list(options, list);
    }
    if (code == CLI_EXIT_OK && has_incidents(list)) {
        code = CLI_EXIT_INCIDENT;
    }
    stf_value_unref(list);
    cli_session_close(&session);
    return code;
}

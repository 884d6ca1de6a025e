/* SPDX-License-Identifier: Apache-2.0 */
/* stepfast ps, show and resume: what the instances of the group are now. */
#include <stdio.h>

#include "command.h"
#include "history.h"
#include "listing.h"
#include "state.h"

/* Prints the list while it is read: a store may hold more than fits into memory. */
typedef struct list_printer {
    const cli_options *options;
    size_t count;
    bool has_incident;
} list_printer;

static void print_row(const stf_value *view)
{
    stf_buf text;
    int64_t version = 0;
    stf_buf_init(&text, NULL);
    stf_value_get_int(stf_value_peek(view, stf_str_of("version")), &version);
    cli_print_text(cli_peek_text(view, "id"), 36);
    fputs("  ", stdout);
    cli_print_text(cli_peek_text(view, "process"), 20);
    printf("  %-7lld  ", (long long)version);
    cli_state_describe(view, &text);
    cli_print_text(stf_buf_str(&text), 0);
    fputc('\n', stdout);
    stf_buf_done(&text);
}

static bool print_item(void *user, const stf_value *view)
{
    list_printer *printer = user;
    printer->has_incident = printer->has_incident || cli_state_has_incident(view);
    printer->count++;
    if (printer->options->is_json) {
        return cli_print_json_item(view, printer->count);
    }
    print_row(view);
    return true;
}

static cli_exit_code print_list(cli_session *session, uint64_t status_mask, const char *process,
                                list_printer *printer)
{
    if (!printer->options->is_json) {
        printf("%-36s  %-20s  %-7s  %s\n", "ID", "PROCESS", "VERSION", "STATE");
    }
    cli_exit_code code = cli_listing_visit(session, status_mask, process, print_item, printer);
    if (code == CLI_EXIT_OK && printer->options->is_json) {
        cli_print_json_end(printer->count);
    }
    return code;
}

cli_exit_code cli_ps(const cli_options *options, stf_cancel *cancel)
{
    cli_session session;
    list_printer printer = {.options = options};
    cli_exit_code code = cli_session_open(options, cancel, CLI_SESSION_READ, &session);
    if (code == CLI_EXIT_OK) {
        code = print_list(&session, options->is_active_only ? CLI_IN_FLIGHT : 0, options->process,
                          &printer);
    }
    cli_session_close(&session);
    return code;
}

/* ---- show ----------------------------------------------------------------------------------- */

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
        code = options->is_history ? cli_history_print(&session, instance, options->is_following)
                                   : show_instance(&session, instance);
    }
    cli_session_close(&session);
    return code;
}

/* ---- resume ---------------------------------------------------------------------------------- */

cli_exit_code cli_resume(const cli_options *options, stf_cancel *cancel)
{
    cli_session session;
    list_printer printer = {.options = options};
    cli_exit_code code = cli_session_open(options, cancel, CLI_SESSION_RUN, &session);
    if (code == CLI_EXIT_OK) {
        code = cli_session_run(&session, (stf_str){NULL, 0});
    }
    if (code == CLI_EXIT_OK) {
        code = print_list(&session, 0, NULL, &printer);
    }
    if (code == CLI_EXIT_OK && printer.has_incident) {
        code = CLI_EXIT_INCIDENT;
    }
    cli_session_close(&session);
    return code;
}

/* ---- facts ----------------------------------------------------------------------------------- */

cli_exit_code cli_facts(const cli_options *options, stf_cancel *cancel)
{
    cli_session session;
    cli_exit_code code = cli_session_open(options, cancel, CLI_SESSION_READ, &session);
    if (code == CLI_EXIT_OK) {
        code =
            cli_history_print(&session, stf_str_of(options->positional[0]), options->is_following);
    }
    cli_session_close(&session);
    return code;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* stepfast incident list: what stopped, and why, page by page. */
#include <stdio.h>

#include "command.h"
#include "session.h"

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

/* SPDX-License-Identifier: Apache-2.0 */
/* See history.h. The journal is the store's, so whichever engine runs the instance is followed. */
#include "history.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>

enum {
    HISTORY_PAGE = 1000,
    LOOK_EVERY_MS = 200
};

static void print_history_row(const stf_value *row)
{
    cli_print_text(cli_peek_text(row, "at"), 28);
    fputs("  ", stdout);
    cli_print_text(cli_peek_text(row, "fact"), 20);
    fputs("  ", stdout);
    cli_print_text(cli_peek_text(row, "element"), 20);
    fputs("  ", stdout);
    cli_print_text(cli_peek_text(row, "detail"), 0);
    fputc('\n', stdout);
}

/* Prints a page; what the query goes on behind is its last row. */
static bool print_history_page(const cli_options *options, const stf_value *rows, size_t *count,
                               stf_history_query *query)
{
    for (size_t i = 0; i < stf_value_count(rows); i++) {
        const stf_value *row = stf_value_peek_item(rows, i);
        int64_t position = 0;
        stf_value_get_int(stf_value_peek(row, stf_str_of("version")), &query->after_version);
        stf_value_get_int(stf_value_peek(row, stf_str_of("position")), &position);
        query->after_position = (uint64_t)position;
        ++*count;
        if (!options->is_json) {
            print_history_row(row);
        } else if (!cli_print_json_item(row, *count)) {
            return false;
        }
    }
    return true;
}

/* Prints what there is behind the query, page by page. */
static cli_exit_code print_new(cli_session *session, stf_str instance, stf_history_query *query,
                               size_t *count)
{
    for (bool is_over = false; !is_over;) {
        stf_error error = STF_ERROR_INIT;
        stf_value *rows = NULL;
        if (stf_engine_get_history(session->engine, &session->ctx, instance, query, &rows,
                                   &error) != STF_OK) {
            return cli_report(&error);
        }
        bool is_printed = print_history_page(session->options, rows, count, query);
        is_over = stf_value_count(rows) == 0;
        (void)stf_value_unref(rows);
        if (!is_printed) {
            return CLI_EXIT_FAILED;
        }
    }
    return CLI_EXIT_OK;
}

static cli_exit_code find_whether_ended(cli_session *session, stf_str instance, bool *ret_ended)
{
    stf_error error = STF_ERROR_INIT;
    stf_value *view = NULL;
    if (stf_engine_get_instance(session->engine, &session->ctx, instance, &view, &error) !=
        STF_OK) {
        return cli_report(&error);
    }
    stf_str status = cli_peek_text(view, "status");
    *ret_ended = stf_str_equal(status, stf_str_of("completed")) ||
                 stf_str_equal(status, stf_str_of("terminated"));
    (void)stf_value_unref(view);
    return CLI_EXIT_OK;
}

/* False: a signal came. */
static bool sleep_a_while(const cli_session *session)
{
    struct pollfd stop = {.fd = stf_cancel_fd(session->ctx.cancel), .events = POLLIN};
    return poll(&stop, 1, LOOK_EVERY_MS) == 0 || errno == EINTR;
}

cli_exit_code cli_history_print(cli_session *session, stf_str instance, bool is_following)
{
    stf_history_query query = {.limit = HISTORY_PAGE};
    size_t count = 0;
    cli_exit_code code = CLI_EXIT_OK;
    for (bool is_over = false; code == CLI_EXIT_OK && !is_over;) {
        bool has_ended = !is_following;
        /* Asked before the rows are read: what ended it is among them. */
        if (is_following) {
            code = find_whether_ended(session, instance, &has_ended);
        }
        if (code == CLI_EXIT_OK) {
            code = print_new(session, instance, &query, &count);
            fflush(stdout);
        }
        is_over = has_ended || (code == CLI_EXIT_OK && !sleep_a_while(session));
    }
    if (code == CLI_EXIT_OK && session->options->is_json) {
        cli_print_json_end(count);
    }
    return code;
}

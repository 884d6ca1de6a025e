/* SPDX-License-Identifier: Apache-2.0 */
/* See state.h. */
#include "state.h"

#include <stdio.h>
#include <string.h>

/* What is retried by itself waits for nobody. */
static bool is_open(const stf_value *incident)
{
    return cli_peek_text(incident, "retry").size == 0;
}

bool cli_state_has_incident(const stf_value *view)
{
    const stf_value *incidents = stf_value_peek(view, stf_str_of("incidents"));
    for (size_t i = 0; i < stf_value_count(incidents); i++) {
        if (is_open(stf_value_peek_item(incidents, i))) {
            return true;
        }
    }
    return false;
}

static bool append(stf_buf *buf, const char *what, stf_str text)
{
    return stf_buf_append_str(buf, stf_str_of(what)) == STF_OK &&
           stf_buf_append_str(buf, text) == STF_OK;
}

/* Tokens that wait at joins alone: others would have to come. Each join once: its tokens are listed
 * by flow, side by side. False: nothing is stuck, or no memory. */
static bool describe_stuck(const stf_value *joins, stf_buf *buf)
{
    stf_str last = {NULL, 0};
    for (size_t i = 0; i < stf_value_count(joins); i++) {
        stf_str element = cli_peek_text(stf_value_peek_item(joins, i), "element");
        if (i > 0 && stf_str_equal(element, last)) {
            continue;
        }
        if (!append(buf, i == 0 ? "stuck at join " : ", ", element)) {
            return false;
        }
        last = element;
    }
    return stf_value_count(joins) > 0;
}

/* The elements of those that are open, or of those that are retried by themselves, behind that
 * word; *separator stands before it and is "; " once there was one. */
static bool describe_incidents(const stf_value *incidents, bool are_open, const char *word,
                               const char **separator, stf_buf *buf)
{
    bool is_first = true;
    for (size_t i = 0; i < stf_value_count(incidents); i++) {
        const stf_value *incident = stf_value_peek_item(incidents, i);
        if (is_open(incident) != are_open) {
            continue;
        }
        if (is_first && !append(buf, *separator, stf_str_of(word))) {
            return false;
        }
        if (!append(buf, is_first ? "" : ", ", cli_peek_text(incident, "element"))) {
            return false;
        }
        is_first = false;
        *separator = "; ";
    }
    return true;
}

void cli_state_describe(const stf_value *view, stf_buf *buf)
{
    stf_str unreadable = cli_peek_text(view, "unreadable");
    if (unreadable.size > 0) {
        (void)append(buf, "unreadable: ", unreadable);
        return;
    }
    const stf_value *waiting = stf_value_peek(view, stf_str_of("waiting"));
    const stf_value *incidents = stf_value_peek(view, stf_str_of("incidents"));
    const char *separator = "";
    /* Out of memory leaves the text short. */
    bool is_whole = describe_incidents(incidents, true, "incident at ", &separator, buf) &&
                    describe_incidents(incidents, false, "retries ", &separator, buf);
    if (is_whole && stf_value_count(waiting) > 0) {
        if (append(buf, separator, stf_str_of("waits at "))) {
            cli_join(waiting, buf);
        }
        return;
    }
    if (is_whole && stf_value_count(incidents) == 0 &&
        !describe_stuck(stf_value_peek(view, stf_str_of("joins")), buf)) {
        const stf_value *end = stf_value_peek(view, stf_str_of("end"));
        is_whole = append(buf, "", cli_peek_text(view, "status"));
        if (is_whole && cli_peek_text(end, "element").size > 0) {
            (void)append(buf, " at ", cli_peek_text(end, "element"));
        }
    }
}

static void print_incidents(const stf_value *view)
{
    const stf_value *incidents = stf_value_peek(view, stf_str_of("incidents"));
    for (size_t i = 0; i < stf_value_count(incidents); i++) {
        const stf_value *incident = stf_value_peek_item(incidents, i);
        fputs("  ", stdout);
        cli_print_text(cli_peek_text(incident, "element"), 0);
        fputs(" (", stdout);
        cli_print_text(cli_peek_text(incident, "kind"), 0);
        fputs("): ", stdout);
        cli_print_text(cli_peek_text(incident, "message"), 0);
        if (!is_open(incident)) {
            fputs("; retried at ", stdout);
            cli_print_text(cli_peek_text(incident, "retry"), 0);
        }
        fputc('\n', stdout);
    }
}

/* "ID  PROCESS  waits at approve". Incidents follow, a line each. */
static void print_state(const stf_value *view)
{
    stf_buf text;
    stf_buf_init(&text, NULL);
    cli_print_text(cli_peek_text(view, "id"), 36);
    fputs("  ", stdout);
    cli_print_text(cli_peek_text(view, "process"), 0);
    fputs("  ", stdout);
    cli_state_describe(view, &text);
    cli_print_text(stf_buf_str(&text), 0);
    fputc('\n', stdout);
    print_incidents(view);
    stf_buf_done(&text);
}

cli_exit_code cli_state_show(cli_session *session, stf_str instance)
{
    stf_error error = STF_ERROR_INIT;
    stf_value *view = NULL;
    if (stf_engine_get_instance(session->engine, &session->ctx, instance, &view, &error) !=
        STF_OK) {
        return cli_report(&error);
    }
    cli_exit_code code = cli_state_has_incident(view) ? CLI_EXIT_INCIDENT : CLI_EXIT_OK;
    if (!session->options->is_json) {
        print_state(view);
    } else if (!cli_print_json(view)) {
        code = CLI_EXIT_FAILED;
    }
    stf_value_unref(view);
    return code;
}

cli_exit_code cli_state_run_and_show(cli_session *session, stf_str instance)
{
    cli_exit_code code = cli_session_run(session, instance);
    return code == CLI_EXIT_OK ? cli_state_show(session, instance) : code;
}

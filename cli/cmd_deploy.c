/* SPDX-License-Identifier: Apache-2.0 */
/* stepfast deploy FILE... */
#include <stdio.h>

#include "command.h"
#include "deployment.h"

static void print_processes(const stf_value *processes)
{
    for (size_t i = 0; i < stf_value_count(processes); i++) {
        const stf_value *item = stf_value_peek_item(processes, i);
        int64_t version = 0;
        stf_value_get_int(stf_value_peek(item, stf_str_of("version")), &version);
        cli_print_text(stf_value_peek_string(stf_value_peek(item, stf_str_of("process"))), 0);
        printf("  version %lld%s\n", (long long)version,
               stf_value_is_true(stf_value_peek(item, stf_str_of("new"))) ? "" : " (unchanged)");
    }
}

cli_exit_code cli_deploy(const cli_options *options, stf_cancel *cancel)
{
    cli_session session;
    cli_exit_code code = cli_session_open(options, cancel, CLI_SESSION_RUN_NEW, &session);
    stf_value *all[CLI_POSITIONAL_MAX] = {NULL};
    for (size_t i = 0; code == CLI_EXIT_OK && i < options->positional_count; i++) {
        code = cli_deployment_put(&session, options->positional[i], &all[i]);
        if (code == CLI_EXIT_OK && !options->is_json) {
            print_processes(all[i]);
        }
    }
    if (code == CLI_EXIT_OK && options->is_json) {
        stf_error error = STF_ERROR_INIT;
        stf_value *list = NULL;
        if (stf_value_new_list(NULL, all, options->positional_count, &list, &error) != STF_OK) {
            code = cli_report(&error);
        } else if (!cli_print_json(list)) {
            code = CLI_EXIT_FAILED;
        }
        stf_value_unref(list);
    }
    for (size_t i = 0; i < options->positional_count; i++) {
        stf_value_unref(all[i]);
    }
    cli_session_close(&session);
    return code;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* See deployment.h. */
#include "deployment.h"

#include "file.h"

enum {
    PROCESSES_MAX = 1000
};

typedef struct collected {
    stf_value *items[PROCESSES_MAX];
    size_t count;
} collected;

static stf_status collect(void *user, const stf_deployed *deployed, stf_error *error)
{
    collected *list = user;
    if (list->count == PROCESSES_MAX) {
        return stf_error_set(error, STF_LIMIT_EXCEEDED, "CLI", "more than %d processes in a file",
                             PROCESSES_MAX);
    }
    stf_str keys[] = {stf_str_of("executable"), stf_str_of("new"), stf_str_of("process"),
                      stf_str_of("version")};
    stf_value *values[] = {stf_value_bool((deployed->flags & STF_PROCESS_EXECUTABLE) != 0),
                           stf_value_bool(deployed->is_new != 0), NULL, NULL};
    stf_status status = stf_value_new_string(NULL, deployed->key, &values[2], error);
    if (status == STF_OK) {
        status = stf_value_new_int(NULL, deployed->version, &values[3], error);
    }
    if (status == STF_OK) {
        status = stf_value_new_context(NULL, keys, values, 4, &list->items[list->count], error);
        list->count += status == STF_OK ? 1 : 0;
    }
    stf_value_unref(values[2]);
    stf_value_unref(values[3]);
    return status;
}

/* Did the diagnostics say why the file is refused? */
static bool has_refusal(const stf_diagnostics *diagnostics)
{
    return diagnostics != NULL &&
           (stf_diagnostics_count_of(diagnostics, STF_SEVERITY_ERROR) > 0 ||
            stf_diagnostics_count_of(diagnostics, STF_SEVERITY_UNSUPPORTED) > 0);
}

static cli_exit_code deploy(cli_session *session, const char *path, stf_bytes file,
                            stf_value **ret_processes)
{
    stf_error error = STF_ERROR_INIT;
    stf_diagnostics *diagnostics = NULL;
    collected list = {.count = 0};
    stf_status status = stf_diagnostics_new(NULL, &diagnostics, &error);
    if (status == STF_OK) {
        status = stf_engine_deploy(session->engine, &session->ctx, file, diagnostics, collect,
                                   &list, &error);
        cli_print_diagnostics(path, diagnostics);
    }
    if (status == STF_OK) {
        status = stf_value_new_list(NULL, list.items, list.count, ret_processes, &error);
    }
    for (size_t i = 0; i < list.count; i++) {
        stf_value_unref(list.items[i]);
    }
    bool is_explained = has_refusal(diagnostics);
    stf_diagnostics_free(diagnostics);
    if (status == STF_OK) {
        return CLI_EXIT_OK;
    }
    if (!is_explained) {
        return cli_report(&error);
    }
    cli_complain("%s is refused: %s", path, stf_status_text(status));
    return cli_exit_code_of(status);
}

cli_exit_code cli_deployment_put(cli_session *session, const char *path, stf_value **ret_processes)
{
    stf_buf file;
    stf_buf_init(&file, NULL);
    cli_exit_code code = cli_file_read(path, STF_LIMIT_XML_BYTES, &file);
    if (code == CLI_EXIT_OK) {
        code = deploy(session, path, stf_buf_bytes(&file), ret_processes);
    }
    stf_buf_done(&file);
    return code;
}

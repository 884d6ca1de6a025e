/* SPDX-License-Identifier: Apache-2.0 */
/* See scenario.h. */
#include "scenario.h"

#include <string.h>

#include "file.h"
#include "output.h"

enum {
    FILE_MAX = STF_LIMIT_VALUE_BYTES
};

static const stf_value *peek(const stf_value *context, const char *key)
{
    return stf_value_peek(context, stf_str_of(key));
}

static size_t case_count(const cli_scenario_file *file)
{
    const stf_value *cases = peek(file->root, "cases");
    return cases != NULL ? stf_value_count(cases) : 1;
}

static const stf_value *case_at(const cli_scenario_file *file, size_t index)
{
    const stf_value *cases = peek(file->root, "cases");
    return cases != NULL ? stf_value_peek_item(cases, index) : file->root;
}

/* Cases of other classes ("refuse", "lint", "load") are for the loader and have no steps. */
static bool is_to_run(const stf_value *scenario)
{
    stf_str kind = cli_peek_text(scenario, "class");
    return kind.size == 0 || stf_str_equal(kind, stf_str_of("run"));
}

stf_str cli_scenario_step_kind(const stf_value *step, const stf_value **ret_argument)
{
    for (size_t i = 0; i < stf_value_count(step); i++) {
        stf_str key = stf_value_peek_key(step, i);
        if (!stf_str_equal(key, stf_str_of("expect"))) {
            *ret_argument = stf_value_peek(step, key);
            return key;
        }
    }
    *ret_argument = NULL;
    return (stf_str){NULL, 0};
}

/* ---- Shape ------------------------------------------------------------------------------------
 */

static bool check_steps(const char *path, stf_str id, const stf_value *run)
{
    const stf_value *steps = peek(run, "steps");
    if (stf_value_get_kind(steps) != STF_VALUE_LIST) {
        cli_complain("%s: case %.*s has no list of steps", path, CLI_STR_ARG(id));
        return false;
    }
    for (size_t i = 0; i < stf_value_count(steps); i++) {
        const stf_value *step = stf_value_peek_item(steps, i);
        size_t kinds = stf_value_count(step) - (peek(step, "expect") != NULL ? 1 : 0);
        if (stf_value_get_kind(step) != STF_VALUE_CONTEXT || kinds != 1) {
            cli_complain("%s: case %.*s: step %zu is not one step with, at most, what to expect of "
                         "it",
                         path, CLI_STR_ARG(id), i + 1);
            return false;
        }
    }
    return true;
}

static bool check_case(const char *path, const stf_value *scenario, size_t index)
{
    stf_str id = cli_peek_text(scenario, "id");
    if (id.size == 0) {
        cli_complain("%s: case %zu has no id", path, index + 1);
        return false;
    }
    if (!is_to_run(scenario)) {
        return true;
    }
    if (cli_peek_text(scenario, "file").size == 0) {
        cli_complain("%s: case %.*s names no file", path, CLI_STR_ARG(id));
        return false;
    }
    const stf_value *variants = peek(scenario, "variants");
    bool is_right = check_steps(path, id, scenario);
    for (size_t i = 0; is_right && i < stf_value_count(variants); i++) {
        const stf_value *variant = stf_value_peek_item(variants, i);
        is_right = check_steps(path, id, variant);
        if (is_right && cli_peek_text(variant, "name").size == 0) {
            cli_complain("%s: case %.*s: variant %zu has no name", path, CLI_STR_ARG(id), i + 1);
            is_right = false;
        }
    }
    return is_right;
}

cli_exit_code cli_scenario_open(const char *path, cli_scenario_file *ret_file)
{
    stf_buf text;
    stf_error error = STF_ERROR_INIT;
    const char *slash = strrchr(path, '/');
    *ret_file = (cli_scenario_file){
        .root = NULL, .directory = {path, slash != NULL ? (size_t)(slash - path) + 1 : 0}};
    stf_buf_init(&text, NULL);
    cli_exit_code code = cli_file_read(path, FILE_MAX, &text);
    if (code == CLI_EXIT_OK &&
        stf_value_parse_json(NULL, stf_buf_str(&text), &ret_file->root, &error) != STF_OK) {
        cli_complain("%s: %s", path, error.message);
        code = CLI_EXIT_FILE_REFUSED;
    }
    stf_buf_done(&text);
    for (size_t i = 0; code == CLI_EXIT_OK && i < case_count(ret_file); i++) {
        code = check_case(path, case_at(ret_file, i), i) ? CLI_EXIT_OK : CLI_EXIT_FILE_REFUSED;
    }
    return code;
}

void cli_scenario_close(cli_scenario_file *file)
{
    file->root = stf_value_unref(file->root);
}

/* ---- Runs -------------------------------------------------------------------------------------
 */

bool cli_scenario_get(const cli_scenario_file *file, size_t index, cli_scenario_run *ret_run)
{
    for (size_t i = 0; i < case_count(file); i++) {
        const stf_value *scenario = case_at(file, i);
        const stf_value *variants = peek(scenario, "variants");
        size_t runs = is_to_run(scenario) ? 1 + stf_value_count(variants) : 0;
        if (index >= runs) {
            index -= runs;
            continue;
        }
        const stf_value *run = index == 0 ? scenario : stf_value_peek_item(variants, index - 1);
        *ret_run = (cli_scenario_run){.file = file,
                                      .scenario = scenario,
                                      .run = run,
                                      .id = cli_peek_text(scenario, "id"),
                                      .name = index == 0 ? stf_str_of("main")
                                                         : cli_peek_text(run, "name")};
        return true;
    }
    return false;
}

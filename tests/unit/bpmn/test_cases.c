/* SPDX-License-Identifier: Apache-2.0 */
/* Loads every file of a folder of cases (CASES.json and the files that it names) and compares what
 * the loader says with what the cases ask for. The folder is not part of this project: the variable
 * STEPFAST_CASES names it, by default it is looked for beside the source tree, and without it the
 * test passes and says so. */
#include <stepfast/bpmn.h>
#include <stepfast/value.h>
#include <unistd.h>

#include "support/stf_test.h"

static const char *cases_folder(void)
{
    const char *folder = getenv("STEPFAST_CASES");
    return folder != NULL ? folder : STF_SOURCE_DIR "/../shared/data";
}

static void path_of(char *path, size_t size, stf_str name)
{
    (void)snprintf(path, size, "%s/%.*s", cases_folder(), (int)name.size, name.data);
}

/* NULL: the folder is not there. */
static stf_value *read_cases(void)
{
    char path[4096];
    path_of(path, sizeof(path), stf_str_of("CASES.json"));
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return NULL;
    }
    stf_buf buf;
    stf_buf_init(&buf, NULL);
    char piece[4096];
    size_t size;
    while ((size = fread(piece, 1, sizeof(piece), file)) > 0) {
        ck_assert_int_eq(stf_buf_append(&buf, piece, size), STF_OK);
    }
    (void)fclose(file);
    stf_value *value = NULL;
    stf_error error = STF_ERROR_INIT;
    STF_CHECK_OK(stf_value_parse_json(NULL, stf_buf_str(&buf), &value, &error), &error);
    stf_buf_done(&buf);
    return value;
}

typedef struct loaded {
    stf_diagnostics *list;
    stf_model *model;
    stf_status status;
} loaded;

static loaded load_case(const stf_value *test_case)
{
    char path[4096];
    path_of(path, sizeof(path),
            stf_value_peek_string(stf_value_peek(test_case, stf_str_of("file"))));
    loaded result = {.list = NULL};
    ck_assert_int_eq(stf_diagnostics_new(NULL, &result.list, NULL), STF_OK);
    result.status = stf_bpmn_load_file(NULL, path, result.list, &result.model, NULL, NULL);
    ck_assert(result.status == STF_OK || stf_diagnostics_count_of(result.list, 0) > 0);
    return result;
}

static void release(loaded *result)
{
    stf_model_unref(result->model);
    stf_diagnostics_free(result->list);
}

/* All failures are shown before the test fails. */
static int complain(const stf_value *test_case, const char *what, const loaded *result)
{
    stf_str id = stf_value_peek_string(stf_value_peek(test_case, stf_str_of("id")));
    printf("%.*s: %s (%s)\n", (int)id.size, id.data, what, stf_status_name(result->status));
    for (size_t i = 0; i < stf_diagnostics_count(result->list); i++) {
        const stf_diagnostic *item = stf_diagnostics_at(result->list, i);
        printf("    %u %u:%u \"%.*s\" %.*s\n", (unsigned)item->severity, (unsigned)item->line,
               (unsigned)item->column, (int)item->element.size, item->element.data,
               (int)item->message.size, item->message.data);
    }
    return 1;
}

static bool is_said(const stf_value *say, const stf_diagnostic *item, bool as_error)
{
    int64_t line = 0;
    const stf_value *element = stf_value_peek(say, stf_str_of("element"));
    bool is_element = stf_value_get_kind(element) != STF_VALUE_STRING ||
                      stf_str_equal(stf_value_peek_string(element), item->element);
    bool is_line = !stf_value_get_int(stf_value_peek(say, stf_str_of("line")), &line) ||
                   line == (int64_t)item->line;
    return is_element && is_line && (!as_error || item->severity == STF_SEVERITY_ERROR);
}

/* Each sentence that is asked for has a diagnostic of its own. */
static bool is_all_said(const stf_value *test_case, const stf_diagnostics *list, bool as_error)
{
    static bool used[2000];
    memset(used, 0, sizeof(used));
    const stf_value *says = stf_value_peek(test_case, stf_str_of("says"));
    for (size_t i = 0; i < stf_value_count(says); i++) {
        bool is_found = false;
        for (size_t k = 0; k < stf_diagnostics_count(list) && !is_found; k++) {
            is_found = !used[k] &&
                       is_said(stf_value_peek_item(says, i), stf_diagnostics_at(list, k), as_error);
            used[k] = used[k] || is_found;
        }
        if (!is_found) {
            return false;
        }
    }
    return true;
}

static bool is_counted(const stf_value *test_case, const stf_model *model)
{
    int64_t nodes = 0;
    int64_t flows = 0;
    for (size_t i = 0; i < stf_model_process_count(model); i++) {
        stf_process_info info;
        ck_assert_int_eq(stf_model_get_process(model, i, &info), STF_OK);
        nodes += info.flow_node_count;
        flows += info.sequence_flow_count;
    }
    const struct {
        const char *name;
        int64_t count;
    } counts[] = {{"flow_nodes", nodes},
                  {"sequence_flows", flows},
                  {"processes", (int64_t)stf_model_process_count(model)}};
    const stf_value *expected = stf_value_peek(test_case, stf_str_of("counts"));
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        int64_t count = 0;
        if (stf_value_get_int(stf_value_peek(expected, stf_str_of(counts[i].name)), &count) &&
            count != counts[i].count) {
            return false;
        }
    }
    return true;
}

/* What the model cannot run is said with a line, and what is said is why it cannot run. */
static bool is_honest(const loaded *result)
{
    bool is_runnable = true;
    for (size_t i = 0; i < stf_model_process_count(result->model); i++) {
        stf_process_info info;
        ck_assert_int_eq(stf_model_get_process(result->model, i, &info), STF_OK);
        is_runnable = is_runnable && (info.flags & STF_PROCESS_RUNNABLE) != 0;
    }
    size_t named = 0;
    for (size_t i = 0; i < stf_diagnostics_count(result->list); i++) {
        const stf_diagnostic *item = stf_diagnostics_at(result->list, i);
        if (item->severity == STF_SEVERITY_UNSUPPORTED) {
            ck_assert_uint_gt(item->line, 0);
            named++;
        }
    }
    return named == 0 || !is_runnable;
}

static int judge_refuse(const stf_value *test_case, const loaded *result)
{
    if (result->status != STF_PARSE && result->status != STF_LIMIT_EXCEEDED) {
        return complain(test_case, "not refused", result);
    }
    return is_all_said(test_case, result->list, true)
               ? 0
               : complain(test_case, "something is not said", result);
}

static int judge_lint(const stf_value *test_case, const loaded *result)
{
    return is_all_said(test_case, result->list, false)
               ? 0
               : complain(test_case, "something is not said", result);
}

static int judge_load(const stf_value *test_case, const loaded *result)
{
    if (result->status != STF_OK) {
        return complain(test_case, "not accepted", result);
    }
    if (!is_counted(test_case, result->model)) {
        return complain(test_case, "the counts differ", result);
    }
    if (!is_honest(result)) {
        return complain(test_case, "runnable, although something is not supported", result);
    }
    return judge_lint(test_case, result);
}

static int judge_run(const stf_value *test_case, const loaded *result)
{
    if (result->status != STF_OK) {
        return complain(test_case, "not accepted", result);
    }
    return is_counted(test_case, result->model) ? 0
                                                : complain(test_case, "the counts differ", result);
}

typedef int (*judge)(const stf_value *test_case, const loaded *result);

static void check_class(const char *class_name, judge judge_one)
{
    stf_value *cases = read_cases();
    if (cases == NULL) {
        printf("no cases in %s (set STEPFAST_CASES): nothing to compare\n", cases_folder());
        return;
    }
    const stf_value *list = stf_value_peek(cases, stf_str_of("cases"));
    int failed = 0;
    int judged = 0;
    for (size_t i = 0; i < stf_value_count(list); i++) {
        const stf_value *one = stf_value_peek_item(list, i);
        stf_str file = stf_value_peek_string(stf_value_peek(one, stf_str_of("file")));
        bool is_bpmn = file.size > 5 && memcmp(file.data + file.size - 5, ".bpmn", 5) == 0;
        if (!is_bpmn ||
            !stf_str_equal(stf_value_peek_string(stf_value_peek(one, stf_str_of("class"))),
                           stf_str_of(class_name))) {
            continue;
        }
        loaded result = load_case(one);
        failed += judge_one(one, &result);
        if (getenv("STEPFAST_CASES_VERBOSE") != NULL) {
            (void)complain(one, class_name, &result);
        }
        judged++;
        release(&result);
    }
    printf("%s: %d files, %d differ\n", class_name, judged, failed);
    (void)fflush(stdout); /* a failing assertion ends the process at once */
    stf_value_unref(cases);
    ck_assert_int_gt(judged, 0);
    ck_assert_int_eq(failed, 0);
}

STF_TEST(files_to_refuse_are_refused_with_the_reasons)
{
    check_class("refuse", judge_refuse);
}

STF_TEST(files_with_something_to_say_say_it)
{
    check_class("lint", judge_lint);
}

STF_TEST(files_to_load_are_accepted_and_nothing_is_dropped)
{
    check_class("load", judge_load);
}

STF_TEST(files_to_run_have_no_errors)
{
    check_class("run", judge_run);
}

static const stf_test_case cases[] = {
    STF_CASE(files_to_refuse_are_refused_with_the_reasons),
    STF_CASE(files_with_something_to_say_say_it),
    STF_CASE(files_to_load_are_accepted_and_nothing_is_dropped),
    STF_CASE(files_to_run_have_no_errors),
};

STF_TEST_MAIN("bpmn/cases", cases)

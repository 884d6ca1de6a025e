/* SPDX-License-Identifier: Apache-2.0 */
/* stepfast test: plays the cases of scenario files, prints TAP. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "output.h"
#include "scenario_player.h"

typedef struct cli_tally {
    size_t runs;
    size_t counts[CLI_VERDICT_BROKEN + 1];
} cli_tally;

/* "3", "2-5", "4-": false when it is nothing of the kind. */
static bool parse_steps(const char *text, size_t *ret_first, size_t *ret_last)
{
    char *end = NULL;
    unsigned long first = strtoul(text, &end, 10);
    if (end == text || first == 0 || first > 1000000) {
        return false;
    }
    unsigned long last = first;
    if (*end == '-') {
        const char *rest = end + 1;
        last = strtoul(rest, &end, 10);
        if (end == rest) {
            last = 0; /* up to the end */
        } else if (last < first) {
            return false;
        }
    }
    *ret_first = first;
    *ret_last = last;
    return *end == '\0';
}

static bool is_wanted(const cli_options *options, const cli_scenario_run *run)
{
    if (options->only == NULL) {
        return true;
    }
    stf_str only = stf_str_of(options->only);
    if (stf_str_equal(only, run->id)) {
        return true;
    }
    /* CASE/RUN */
    return only.size == run->id.size + 1 + run->name.size && only.data[run->id.size] == '/' &&
           memcmp(only.data, run->id.data, run->id.size) == 0 &&
           memcmp(only.data + run->id.size + 1, run->name.data, run->name.size) == 0;
}

static void print_report(const stf_buf *report)
{
    stf_str rest = stf_buf_str(report);
    while (rest.size != 0) {
        const char *end = memchr(rest.data, '\n', rest.size);
        size_t size = end != NULL ? (size_t)(end - rest.data) : rest.size;
        printf("# %.*s\n", (int)size, rest.data);
        size += end != NULL ? 1 : 0;
        rest = (stf_str){rest.data + size, rest.size - size};
    }
}

static void print_result(const cli_tally *tally, const cli_scenario_run *run, cli_verdict verdict,
                         const stf_buf *report)
{
    stf_str first = stf_buf_str(report);
    const char *end = first.size != 0 ? memchr(first.data, '\n', first.size) : NULL;
    first.size = end != NULL ? (size_t)(end - first.data) : first.size;
    printf("%sok %zu - %.*s/%.*s", verdict == CLI_VERDICT_PASSED ? "" : "not ", tally->runs,
           CLI_STR_ARG(run->id), CLI_STR_ARG(run->name));
    if (verdict == CLI_VERDICT_UNSUPPORTED) {
        printf(" # TODO not supported yet: %.*s", CLI_STR_ARG(first));
    }
    putchar('\n');
    if (verdict != CLI_VERDICT_PASSED) {
        print_report(report);
    }
    fflush(stdout);
}

static cli_exit_code play_file(const cli_options *options, const cli_play_options *play,
                               const char *path, cli_tally *tally)
{
    cli_scenario_file file;
    cli_scenario_run run;
    stf_buf report;
    cli_exit_code code = cli_scenario_open(path, &file);
    stf_buf_init(&report, NULL);
    for (size_t i = 0; code == CLI_EXIT_OK && cli_scenario_get(&file, i, &run); i++) {
        if (!is_wanted(options, &run)) {
            continue;
        }
        stf_buf_clear(&report);
        cli_verdict verdict = cli_scenario_play(play, &run, &report);
        if (stf_cancel_is_requested(play->cancel)) {
            code = CLI_EXIT_STOPPED;
            break;
        }
        tally->runs++;
        tally->counts[verdict]++;
        print_result(tally, &run, verdict, &report);
    }
    stf_buf_done(&report);
    cli_scenario_close(&file);
    return code;
}

/* What cannot be played yet fails the test, unless that was asked for: nobody should take it for
 * tested. */
static cli_exit_code conclude(const cli_options *options, const cli_tally *tally)
{
    size_t passed = tally->counts[CLI_VERDICT_PASSED];
    size_t unsupported = tally->counts[CLI_VERDICT_UNSUPPORTED];
    printf("1..%zu\n# %zu passed, %zu failed, %zu not supported yet\n", tally->runs, passed,
           tally->runs - passed - unsupported, unsupported);
    if (tally->runs == 0) {
        cli_complain("no case was played");
        return CLI_EXIT_NOT_FOUND;
    }
    if (passed + unsupported != tally->runs) {
        return CLI_EXIT_FAILED;
    }
    return unsupported == 0 || options->is_allowing_unsupported ? CLI_EXIT_OK
                                                                : CLI_EXIT_FILE_REFUSED;
}

cli_exit_code cli_test(const cli_options *options, stf_cancel *cancel)
{
    cli_tally tally = {.runs = 0};
    cli_play_options play = {.store = options->store != NULL ? options->store : "memory:",
                             .is_restoring = options->is_restoring,
                             .first_step = 1,
                             .cancel = cancel};
    if (options->steps != NULL && !parse_steps(options->steps, &play.first_step, &play.last_step)) {
        cli_complain("--steps needs a number or a range such as 1-3 or 4-, not \"%s\"",
                     options->steps);
        return CLI_EXIT_USAGE;
    }
    cli_exit_code code = CLI_EXIT_OK;
    printf("TAP version 13\n");
    for (size_t i = 0; code == CLI_EXIT_OK && i < options->positional_count; i++) {
        code = play_file(options, &play, options->positional[i], &tally);
    }
    return code == CLI_EXIT_OK ? conclude(options, &tally) : code;
}

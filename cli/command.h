/* SPDX-License-Identifier: Apache-2.0 */
/* The commands as one table, which help and the manual follow. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stepfast/ctx.h>

#include "exit_code.h"
#include "options.h"

typedef struct cli_command {
    const char *name;      /* "run", "task list" */
    const char *arguments; /* "FILE..." or "" */
    const char *summary;
    const char *details; /* paragraphs for --help; may be NULL */
    uint64_t options;    /* CLI_BITs */
    uint32_t positional_min;
    uint32_t positional_max;
    cli_exit_code (*run)(const cli_options *options, stf_cancel *cancel);
} cli_command;

size_t cli_command_count(void);
const cli_command *cli_command_at(size_t index);

/* The command that the words name (one or two of them), and how many words that took; NULL: none.
 */
const cli_command *cli_command_find(int count, char *const *words, int *ret_taken);
/* Is it the first word of commands of two, such as task? */
bool cli_command_is_group(const char *word);

cli_exit_code cli_run(const cli_options *options, stf_cancel *cancel);
cli_exit_code cli_deploy(const cli_options *options, stf_cancel *cancel);
cli_exit_code cli_start(const cli_options *options, stf_cancel *cancel);
cli_exit_code cli_resume(const cli_options *options, stf_cancel *cancel);
cli_exit_code cli_ps(const cli_options *options, stf_cancel *cancel);
cli_exit_code cli_show(const cli_options *options, stf_cancel *cancel);
cli_exit_code cli_task_list(const cli_options *options, stf_cancel *cancel);
cli_exit_code cli_task_complete(const cli_options *options, stf_cancel *cancel);
cli_exit_code cli_facts(const cli_options *options, stf_cancel *cancel);
cli_exit_code cli_engine(const cli_options *options, stf_cancel *cancel);
cli_exit_code cli_message(const cli_options *options, stf_cancel *cancel);
cli_exit_code cli_cancel(const cli_options *options, stf_cancel *cancel);
cli_exit_code cli_job_list(const cli_options *options, stf_cancel *cancel);
cli_exit_code cli_job_answer(const cli_options *options, stf_cancel *cancel);
cli_exit_code cli_incident_list(const cli_options *options, stf_cancel *cancel);
cli_exit_code cli_incident_retry(const cli_options *options, stf_cancel *cancel);
cli_exit_code cli_incident_resolve(const cli_options *options, stf_cancel *cancel);
cli_exit_code cli_incident_drop(const cli_options *options, stf_cancel *cancel);
cli_exit_code cli_test(const cli_options *options, stf_cancel *cancel);
cli_exit_code cli_conformance(const cli_options *options, stf_cancel *cancel);
cli_exit_code cli_migrate(const cli_options *options, stf_cancel *cancel);
cli_exit_code cli_bench(const cli_options *options, stf_cancel *cancel);
cli_exit_code cli_version(const cli_options *options, stf_cancel *cancel);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Scenario files: cases that say how a process model behaves (docs/scenarios.md). Read here, played
 * by scenario_player.h. */
#ifndef CLI_SCENARIO_H
#define CLI_SCENARIO_H

#include <stepfast/value.h>

#include "exit_code.h"

#define CLI_STR_ARG(str) (int)(str).size, ((str).size != 0 ? (str).data : "")

/* A scenario file: a list of cases, or one case alone. */
typedef struct cli_scenario_file {
    stf_value *root;
    stf_str directory; /* where its models are looked for; ends in a slash, or empty */
} cli_scenario_file;

/* One way through a case: its own steps, or one of its variants. Borrowed from the file. */
typedef struct cli_scenario_run {
    const cli_scenario_file *file;
    const stf_value *scenario; /* the case */
    const stf_value *run;      /* the case or the variant: steps, expect */
    stf_str id;                /* of the case */
    stf_str name;              /* "main", or the variant's */
} cli_scenario_run;

/* Reads and checks the shape of a file; complains about what is wrong, with the case and the step.
 * cli_scenario_close in any case. */
cli_exit_code cli_scenario_open(const char *path, cli_scenario_file *ret_file);
void cli_scenario_close(cli_scenario_file *file);

/* Runs in the order of the file; false: no more. Cases that are not run are left out. */
bool cli_scenario_get(const cli_scenario_file *file, size_t index, cli_scenario_run *ret_run);

/* The kind of a step ("start") and its argument. */
stf_str cli_scenario_step_kind(const stf_value *step, const stf_value **ret_argument);

#endif

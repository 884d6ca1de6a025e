/* SPDX-License-Identifier: Apache-2.0 */
/* What people and programs read: complaints on standard error, results on standard output. Text
 * from files and stores is printed with its control characters made visible. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stepfast/bpmn.h>
#include <stepfast/error.h>
#include <stepfast/value.h>

#include "exit_code.h"

/* "stepfast: ..." and a newline, to standard error. */
void cli_complain(const char *format, ...) STF_PRINTF(1, 2);

/* Complains about a failed call, with its details and context, and gives its exit code. */
cli_exit_code cli_report(const stf_error *error);

/* As a compiler does: FILE:LINE:COLUMN: error: [element] sentence. To standard error. */
void cli_print_diagnostics(const char *file, const stf_diagnostics *diagnostics);

/* To standard output; false (complained) when memory or the output fails. */
bool cli_print_json(const stf_value *value);

/* A list that is printed item by item: number counts from 1. End prints what closes it. */
bool cli_print_json_item(const stf_value *value, size_t number);
void cli_print_json_end(size_t count);

/* Text in a column of that width (0: as it is), cut with "..." when longer. */
void cli_print_text(stf_str text, size_t width);

/* The text under a key of a context; empty when there is none. Borrowed. */
stf_str cli_peek_text(const stf_value *context, const char *key);

/* "a, b, b": the strings of a list. Appends. */
void cli_join(const stf_value *list, stf_buf *buf);

#endif

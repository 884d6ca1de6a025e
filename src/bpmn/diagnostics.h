/* SPDX-License-Identifier: Apache-2.0 */
/* How the rooms' rules speak: adding to a list of diagnostics. Adding never fails visibly; running
 * out of memory is remembered and asked for once, at the end of each stage. */
#ifndef STF_BPMN_DIAGNOSTICS_H
#define STF_BPMN_DIAGNOSTICS_H

#include <stepfast/bpmn.h>

/* Where something is: its element's id (may be empty) and its position, from 1. */
typedef struct stf__place {
    uint32_t line;
    uint32_t column;
    stf_str element;
} stf__place;

/* Warnings and "not supported yet" leave these places of the list free; the last place is for the
 * limit that ends a pass (rules named "limit.*"). */
#define STF__DIAGNOSTICS_KEPT_FOR_ERRORS 100u

void stf__diagnostics_add(stf_diagnostics *list, stf_severity severity, const char *rule,
                          stf__place place, const char *format, ...) STF_PRINTF(5, 6);
void stf__diagnostics_clear(stf_diagnostics *list);
/* True when an entry was lost to a lack of memory. */
bool stf__diagnostics_is_out_of_memory(const stf_diagnostics *list);
/* True when there is an error, listed or not. */
bool stf__diagnostics_has_errors(const stf_diagnostics *list);
/* Reports the error of the list that explains the status, the first or the limit, with its place as
 * details; returns status. */
stf_status stf__diagnostics_fill_error(const stf_diagnostics *list, stf_status status,
                                       stf_error *error);

/* Two arguments for "%.*s": text of the file, cut so that no message grows with it. */
stf_str stf__diagnostics_cut(stf_str text);
#define STF__CUT(text) (int)stf__diagnostics_cut(text).size, ((text).size != 0 ? (text).data : "")

#endif

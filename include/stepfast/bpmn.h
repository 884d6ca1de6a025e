/* SPDX-License-Identifier: Apache-2.0 */
/* The BPMN 2.0 loader: bytes in; a model and diagnostics out. No DTD, no external entity, bounded
 * memory, every problem in one pass. */
#ifndef STEPFAST_BPMN_H
#define STEPFAST_BPMN_H

#include <stepfast/model.h>

STF_BEGIN_DECLS

typedef enum stf_severity {
    STF_SEVERITY_ERROR = 0,       /* the file is refused */
    STF_SEVERITY_UNSUPPORTED = 1, /* legal BPMN that this version does not execute */
    STF_SEVERITY_WARNING = 2
} stf_severity;

/* Strings are borrowed from the list. line and column count from 1, 0 when not known; column counts
 * characters. */
typedef struct stf_diagnostic {
    uint32_t severity; /* stf_severity */
    uint32_t line;
    uint32_t column;
    uint32_t flags;
    stf_str element; /* id of the element, or empty: the file */
    stf_str rule;    /* short stable name, such as "flow.target-unknown" */
    stf_str message; /* a sentence for the person who drew the model */
} stf_diagnostic;

typedef struct stf_diagnostics stf_diagnostics; /* sole owner: the caller */

STF_API STF_MUST_CHECK stf_status stf_diagnostics_new(const stf_allocator *alloc,
                                                      stf_diagnostics **ret_list, stf_error *error);
STF_API stf_diagnostics *stf_diagnostics_free(stf_diagnostics *list);
STF_API size_t stf_diagnostics_count(const stf_diagnostics *list);
STF_API size_t stf_diagnostics_count_of(const stf_diagnostics *list, stf_severity severity);
/* In file order. NULL out of range. */
STF_API const stf_diagnostic *stf_diagnostics_at(const stf_diagnostics *list, size_t index);

/* Loads a file. diagnostics (may be NULL) is emptied and receives every problem, ordered by line
 * (at most STF_LIMIT_DIAGNOSTICS; warnings give way to errors). OK: a model, perhaps with
 * unsupported constructs (STF_PROCESS_RUNNABLE tells per process) and warnings. PARSE: at least one
 * error; error repeats the first one with line, column and element as details. LIMIT_EXCEEDED: a
 * limit of limits.h. NO_MEMORY. Thread: any. */
STF_API STF_MUST_CHECK stf_status stf_bpmn_load(const stf_allocator *alloc, stf_bytes file,
                                                stf_diagnostics *diagnostics, stf_model **ret_model,
                                                stf_error *error);

/* The same from a file: read in pieces, so a file over the limit is refused in bounded memory.
 * Also NOT_FOUND and UNAVAILABLE (I/O). ret_bytes (may be NULL) receives what was read. */
STF_API STF_MUST_CHECK stf_status stf_bpmn_load_file(const stf_allocator *alloc, const char *path,
                                                     stf_diagnostics *diagnostics,
                                                     stf_model **ret_model, stf_buf *ret_bytes,
                                                     stf_error *error);

STF_END_DECLS

#endif

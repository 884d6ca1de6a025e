/* SPDX-License-Identifier: Apache-2.0 */
/* What a loaded BPMN file contains. Immutable, refcounted, one arena per model. */
#ifndef STEPFAST_MODEL_H
#define STEPFAST_MODEL_H

#include <stepfast/expr.h>

STF_BEGIN_DECLS

typedef struct stf_model stf_model;

/* One process of the file; strings are borrowed from the model. */
typedef struct stf_process_info {
    stf_str id;
    stf_str name;
    uint32_t line;
    uint32_t flags;
    uint32_t flow_node_count; /* at any depth */
    uint32_t sequence_flow_count;
} stf_process_info;

#define STF_PROCESS_EXECUTABLE 1u /* isExecutable="true" */
#define STF_PROCESS_RUNNABLE 2u   /* every construct in it is supported */

STF_API stf_model *stf_model_ref(const stf_model *model);
STF_API stf_model *stf_model_unref(stf_model *model);
STF_API size_t stf_model_process_count(const stf_model *model);
/* OK or NOT_FOUND (index out of range). */
STF_API STF_MUST_CHECK stf_status stf_model_get_process(const stf_model *model, size_t index,
                                                        stf_process_info *ret_info);

STF_END_DECLS

#endif

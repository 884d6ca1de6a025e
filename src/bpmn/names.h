/* SPDX-License-Identifier: Apache-2.0 */
/* The element names of BPMN 2.0 and what the loader does with each. */
#ifndef STF_BPMN_NAMES_H
#define STF_BPMN_NAMES_H

#include <stepfast/buf.h>

typedef enum stf__bpmn_class {
    STF__BPMN_PLAIN = 0, /* tolerated: its content is read like any other */
    STF__BPMN_OPAQUE,    /* tolerated: its content is free text or means nothing to a process */
    STF__BPMN_DEFINITIONS,
    STF__BPMN_PROCESS,
    STF__BPMN_NODE, /* the flow nodes of element.def */
    STF__BPMN_FLOW,
    STF__BPMN_CONDITION,
    STF__BPMN_EVENT_DEFINITION,
    STF__BPMN_EVENT_REF,
    STF__BPMN_TIME,
    STF__BPMN_DATA,
    STF__BPMN_EXTENSIONS,
    STF__BPMN_MESSAGE, /* root elements that event definitions refer to */
    STF__BPMN_ERROR,
    STF__BPMN_OPERATION_REF, /* of a message event definition; a task has an attribute */
    STF__BPMN_LOOP_INPUT,
    STF__BPMN_CLASS_COUNT
} stf__bpmn_class;

typedef struct stf__bpmn_name {
    const char *text;
    stf__bpmn_class name_class;
} stf__bpmn_name;

/* NULL: no element of BPMN 2.0. Static storage. */
const stf__bpmn_name *stf__bpmn_find_name(stf_str text);
/* NULL at the end. */
const stf__bpmn_name *stf__bpmn_get_name(size_t index);

bool stf__bpmn_name_is(const stf__bpmn_name *name, const char *text);

#endif

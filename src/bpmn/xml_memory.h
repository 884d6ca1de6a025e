/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of one XML parser: the caller's allocator under a budget. expat's memory hooks have no
 * context argument, so the scope in use is set for the thread while a call into expat lasts. */
#ifndef STF_BPMN_XML_MEMORY_H
#define STF_BPMN_XML_MEMORY_H

#include <expat.h>
#include <stdbool.h>
#include <stepfast/alloc.h>

typedef struct stf__xml_memory {
    const stf_allocator *alloc;
    size_t used;
    size_t budget;
    bool is_over_budget; /* a request was refused because of the budget */
} stf__xml_memory;

extern const XML_Memory_Handling_Suite stf__xml_memory_suite;

/* Around each call into expat; scopes nest. Returns what leave wants back. */
stf__xml_memory *stf__xml_memory_enter(stf__xml_memory *memory);
void stf__xml_memory_leave(stf__xml_memory *previous);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The reader's insides, shared by xml.c and xml_error.c. */
#ifndef STF_BPMN_XML_PRIVATE_H
#define STF_BPMN_XML_PRIVATE_H

#include <expat.h>

#include "bpmn/namespace.h"
#include "bpmn/xml_memory.h"

struct stf__xml {
    const stf_allocator *alloc;
    stf_diagnostics *diagnostics;
    stf__xml_handler handler;
    XML_Parser parser;
    stf__xml_memory memory;
    stf__ns_stack names;
    stf__xml_attribute *attributes; /* STF_LIMIT_XML_ATTRIBUTES of them */
    char encoding[32];              /* as declared; empty: none */
    size_t fed;
    stf_status status;
};

stf__place stf__xml_place(const stf__xml *xml);

/* Ends the pass: a diagnostic at the current position and the status. */
void stf__xml_stop(stf__xml *xml, stf_status status);
#define STF__XML_FAIL(xml, fail_status, rule, ...)                                                 \
    do {                                                                                           \
        stf__diagnostics_add((xml)->diagnostics, STF_SEVERITY_ERROR, (rule), stf__xml_place(xml),  \
                             __VA_ARGS__);                                                         \
        stf__xml_stop((xml), (fail_status));                                                       \
    } while (0)

/* Turns expat's last error into a diagnostic and a status. */
void stf__xml_fail_parse(stf__xml *xml);

/* expat's callback for encodings that it does not know. */
int stf__xml_find_encoding(void *data, const XML_Char *name, XML_Encoding *encoding);

#endif

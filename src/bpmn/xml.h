/* SPDX-License-Identifier: Apache-2.0 */
/* A guarded, namespace-aware XML reader over expat: elements, attributes and text as UTF-8, fed in
 * pieces. No DTD; size, depth, tag, attribute and memory limits; what is wrong with the file
 * becomes a diagnostic with its line. */
#ifndef STF_BPMN_XML_H
#define STF_BPMN_XML_H

#include <stepfast/buf.h>

#include "bpmn/diagnostics.h"

/* The namespaces that mean something to the loader. */
typedef enum stf__ns {
    STF__NS_NONE = 0, /* no namespace: ordinary attributes */
    STF__NS_OTHER,
    STF__NS_BPMN,
    STF__NS_STEPFAST,
    STF__NS_ZEEBE,
    STF__NS_CAMUNDA,
    STF__NS_FLOWABLE
} stf__ns;

#define STF__NS_BPMN_URI "http://www.omg.org/spec/BPMN/20100524/MODEL"
#define STF__NS_STEPFAST_URI "https://stepfast.dev/bpmn"

typedef struct stf__xml_attribute {
    stf__ns ns;
    stf_str name;
    stf_str value;
} stf__xml_attribute;

/* Borrowed for the call. */
typedef struct stf__xml_element {
    stf__ns ns;
    stf_str uri;
    stf_str name; /* without prefix */
    uint32_t line;
    uint32_t column;
    const stf__xml_attribute *attributes;
    size_t attribute_count;
} stf__xml_element;

/* A status other than OK ends the pass with that status. */
typedef struct stf__xml_handler {
    void *user;
    stf_status (*start)(void *user, const stf__xml_element *element);
    stf_status (*end)(void *user);
    stf_status (*text)(void *user, stf_str text);
} stf__xml_handler;

typedef struct stf__xml stf__xml;

/* handler and diagnostics are borrowed until free. OK, NO_MEMORY. */
STF_MUST_CHECK stf_status stf__xml_new(const stf_allocator *alloc, stf__xml_handler handler,
                                       stf_diagnostics *diagnostics, stf__xml **ret_xml,
                                       stf_error *error);
stf__xml *stf__xml_free(stf__xml *xml);

/* Pieces of any size; the last call has is_final. OK, PARSE or LIMIT_EXCEEDED (the diagnostics say
 * why), NO_MEMORY, or what a handler returned. After a failure the same status is returned again.
 */
STF_MUST_CHECK stf_status stf__xml_feed(stf__xml *xml, stf_bytes piece, bool is_final);

/* The value of an attribute; false: absent. */
bool stf__xml_get(const stf__xml_element *element, stf__ns ns, const char *name,
                  stf_str *ret_value);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Loading inline XML and asking what was said about it. */
#ifndef STF_TESTS_BPMN_SUPPORT_H
#define STF_TESTS_BPMN_SUPPORT_H

#include <stepfast/bpmn.h>

#include "model/private.h"
#include "support/stf_test.h"

typedef struct fixture {
    stf_diagnostics *list;
    stf_model *model; /* NULL: refused */
    stf_status status;
    stf_error error;
} fixture;

/* A whole file, as it is. */
void fixture_load(fixture *file, const char *xml);
void fixture_load_bytes(fixture *file, const void *data, size_t size);
/* The content of an executable process "p"; its first line is line 3. */
void fixture_load_body(fixture *file, const char *body);
/* The same for a process that is not marked executable. */
void fixture_load_drawing(fixture *file, const char *body);
void fixture_done(fixture *file);

/* There is one diagnostic of this rule at this line and element, with that severity; its message.
 */
const char *fixture_expect(const fixture *file, stf_severity severity, uint32_t line,
                           const char *element, const char *rule);
/* How many diagnostics of a rule there are. */
size_t fixture_count(const fixture *file, const char *rule);
void fixture_expect_silence(const fixture *file);
const stf__process *fixture_process(const fixture *file, const char *id);
const stf__node *fixture_node(const fixture *file, const char *id);
const stf__flow *fixture_flow(const fixture *file, const char *id);

/* One rule over a table: each body gives that one diagnostic and no other of severity error. */
typedef struct rule_row {
    const char *body;
    stf_severity severity;
    uint32_t line;
    const char *element;
    const char *rule;
    const char *says; /* a part of the message */
} rule_row;
void fixture_check_rows(const rule_row *rows, size_t count);

/* An allocator that counts what is live and fails one call. */
typedef struct counting_alloc {
    stf_allocator alloc;
    size_t calls;
    size_t fail_at; /* 0: never */
    size_t live;
    size_t live_bytes;
    size_t peak_bytes;
} counting_alloc;
void counting_init(counting_alloc *counting);

#define BPMN_NS "xmlns=\"http://www.omg.org/spec/BPMN/20100524/MODEL\""
#define BPMN_HEAD                                                                                  \
    "<definitions " BPMN_NS " xmlns:stepfast=\"https://stepfast.dev/bpmn\" "                       \
    "xmlns:zeebe=\"http://camunda.org/schema/zeebe/1.0\" "                                         \
    "xmlns:camunda=\"http://camunda.org/schema/1.0/bpmn\" "                                        \
    "xmlns:flowable=\"http://flowable.org/bpmn\" xmlns:v=\"urn:v\">\n"
#define BPMN_TAIL "\n</process></definitions>"

#endif

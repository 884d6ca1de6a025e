/* SPDX-License-Identifier: Apache-2.0 */
/* From XML events to a draft: which element may stand where, and what is kept of it. */
#ifndef STF_BPMN_PARSE_H
#define STF_BPMN_PARSE_H

#include <stepfast/limits.h>

#include "bpmn/draft.h"
#include "bpmn/xml.h"

/* An open element and what its children belong to; inherited from the element around it. */
typedef struct stf__frame {
    const stf__bpmn_name *name;
    stf__draft_process *process;
    stf__draft_node *scope; /* the sub-process whose content this is */
    stf__draft_node *node;  /* the flow node that this is or is part of */
    stf__draft_flow *flow;
    stf__draft_event *event;
    stf__draft_message *message; /* the message of the file that this is or is part of */
    stf__draft_text *captured;   /* where this element's text goes; NULL: nowhere */
    stf__draft_entry *entry;     /* this element's id; NULL: it has none */
    bool is_skipped;             /* this element's content is not looked at */
    bool is_mapping_list;        /* zeebe:ioMapping: its children are mappings */
} stf__frame;

typedef struct stf__parser {
    stf__draft *draft;
    stf__frame frames[STF_LIMIT_XML_DEPTH + 1]; /* [0]: outside the root */
    size_t depth;
    size_t skipped_depth; /* elements open below a skipped one */
    stf_buf text;         /* of the captured element that is open */
} stf__parser;

void stf__parser_init(stf__parser *parser, stf__draft *draft, const stf_allocator *alloc);
void stf__parser_done(stf__parser *parser);
/* user is the stf__parser. */
stf__xml_handler stf__parser_get_handler(stf__parser *parser);

/* For the element handlers. An object of the draft, zeroed; NULL: out of memory (remembered). */
void *stf__parser_new(stf__parser *parser, size_t size);
stf_str stf__parser_copy(stf__parser *parser, const stf__xml_element *element, stf__ns ns,
                         const char *name);
bool stf__parser_is_true(const stf__xml_element *element, stf__ns ns, const char *name,
                         bool is_default);
stf__place stf__parser_place(const stf__xml_element *element, stf_str id);

/* What the element's start does to the draft and its frame; frame[-1] is the element around it. */
typedef void (*stf__element_handler)(stf__parser *parser, stf__frame *frame,
                                     const stf__xml_element *element);
/* NULL: nothing but to read on. */
stf__element_handler stf__parser_find_handler(stf__bpmn_class name_class);

/* Elements and attributes of a flow node that other files decide: what each reads at parse time is
 * in the file of its name, with what build makes of it. */
void stf__feature_check_child(stf__parser *parser, const stf__frame *frame,
                              const stf__xml_element *element);
void stf__feature_check_attributes(stf__parser *parser, const stf__draft_node *node,
                                   const stf__xml_element *element);
void stf__topic_read_attributes(stf__parser *parser, stf__draft_topics *topics,
                                const stf__xml_element *element);
void stf__call_read_attributes(stf__parser *parser, stf__draft_node *node,
                               const stf__xml_element *element);
void stf__retry_read_attributes(stf__parser *parser, stf__draft_node *node,
                                const stf__xml_element *element);
void stf__message_read(stf__parser *parser, stf__frame *frame, const stf__xml_element *element);

/* Children of a flow node's extensionElements; each takes what it knows. frame is the child's and
 * around it the node is frame->node. */
void stf__topic_read_extension(stf__parser *parser, stf__frame *frame,
                               const stf__xml_element *element);
void stf__call_read_extension(stf__parser *parser, stf__frame *frame,
                              const stf__xml_element *element);
void stf__mapping_read_extension(stf__parser *parser, stf__frame *frame,
                                 const stf__xml_element *element);
void stf__retry_read_extension(stf__parser *parser, stf__frame *frame,
                               const stf__xml_element *element);
/* Children of zeebe:ioMapping. */
void stf__mapping_read_item(stf__parser *parser, stf__frame *frame,
                            const stf__xml_element *element);
/* Children of the extensionElements of frame->message. */
void stf__message_read_extension(stf__parser *parser, stf__frame *frame,
                                 const stf__xml_element *element);

#endif

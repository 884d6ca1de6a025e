/* SPDX-License-Identifier: Apache-2.0 */
/* From a draft to a model: references to indices, texts to expressions and times. A lack of memory
 * is remembered in the draft. */
#ifndef STF_BPMN_BUILD_H
#define STF_BPMN_BUILD_H

#include "bpmn/draft.h"

/* One process at work. */
typedef struct stf__builder {
    const stf_allocator *alloc;
    stf__draft *draft;
    stf__draft_process *from;
    stf_model *model;
    stf__process *process;
    stf__node *nodes; /* what process->nodes points to, still open */
    stf__flow *flows;
    uint32_t flow_count; /* valid ones */
} stf__builder;

/* Fills an empty model. OK, NO_MEMORY; problems are diagnostics. */
STF_MUST_CHECK stf_status stf__build_model(const stf_allocator *alloc, stf__draft *draft,
                                           stf_model *model);

/* The steps, each in the file of its name. */
void stf__event_decide(stf__builder *builder, const stf__draft_node *from, stf__node *node);
void stf__event_read(stf__builder *builder, const stf__draft_node *from, stf__node *node);
void stf__resolve_flows(stf__builder *builder); /* the ends; which flows are valid */
void stf__resolve_nodes(stf__builder *builder); /* defaults, attachments */
void stf__condition_compile(stf__builder *builder, const stf__draft_flow *from, stf__flow *flow);
void stf__timer_read(stf__builder *builder, const stf__draft_node *from,
                     const stf__draft_event *event, stf__node *node);
void stf__message_read_event(stf__builder *builder, const stf__draft_node *from,
                             const stf__draft_event *event, stf__node *node);
void stf__message_read_task(stf__builder *builder, const stf__draft_node *from, stf__node *node);
void stf__error_read(stf__builder *builder, const stf__draft_node *from,
                     const stf__draft_event *event, stf__node *node);
void stf__call_resolve(stf__builder *builder, const stf__draft_node *from, stf__node *node);
void stf__mapping_resolve(stf__builder *builder, const stf__draft_node *from, stf__node *node);
void stf__retry_resolve(stf__builder *builder, const stf__draft_node *from, stf__node *node);
void stf__starts_find(stf__builder *builder); /* where runs of process and sub-processes begin */
void stf__check_process(stf__builder *builder);
/* One of the rules of check.c, in a file of its own. */
void stf__gateway_check(stf__builder *builder);

/* Whether a task or message event says that it is work; event: its definition, NULL: none. */
bool stf__topic_is_given(const stf__draft_node *from, const stf__draft_event *event);
/* The topic of what is work. */
void stf__topic_resolve(stf__builder *builder, const stf__draft_node *from,
                        const stf__draft_event *event, stf__node *node);

/* A text that is an expression by its form: "=...", or "${" or "#{" somewhere. */
bool stf__expression_is(stf_str text);
/* NULL: it does not compile, which has been reported with `what` (such as "condition"), or there is
 * no memory. language: a name or URI; empty: told by the text and the file. */
stf_expr *stf__expression_compile(stf__builder *builder, stf__place place, const char *what,
                                  stf_str text, stf_str language);

/* Reads a variable by its name. NULL: as above. */
stf_expr *stf__expression_of_variable(stf__builder *builder, stf__place place, stf_str name);
/* A text that stands for itself, apart from ${...} in it. */
stf_expr *stf__expression_of_text(stf__builder *builder, stf__place place, const char *what,
                                  stf_str text);

/* A length of time in microseconds: exact (no months) and not negative. */
bool stf__timer_parse_length(stf_str text, int64_t *ret_us);

/* A copy in the model's arena. */
stf_str stf__build_copy(stf__builder *builder, stf_str text);
void *stf__build_new(stf__builder *builder, size_t count, size_t size);

#endif

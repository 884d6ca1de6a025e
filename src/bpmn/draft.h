/* SPDX-License-Identifier: Apache-2.0 */
/* The file as it was read, before references are resolved: lists in file order, in one arena that
 * goes when the model is built. */
#ifndef STF_BPMN_DRAFT_H
#define STF_BPMN_DRAFT_H

#include "base/arena.h"
#include "base/map.h"
#include "bpmn/diagnostics.h"
#include "bpmn/names.h"
#include "model/private.h"

typedef struct stf__draft_process stf__draft_process;
typedef struct stf__draft_node stf__draft_node;
typedef struct stf__draft_flow stf__draft_flow;

/* Whatever has an id. */
typedef struct stf__draft_entry {
    const stf__bpmn_name *name; /* NULL: an unknown element, about which enough has been said */
    stf_str id;
    stf_str label; /* the attribute "name" of an operation */
    uint32_t line;
    void *object; /* the draft of its class, where there is one; else NULL */
} stf__draft_entry;

/* A text with the place where it begins. */
typedef struct stf__draft_text {
    stf_str text; /* trimmed */
    uint32_t line;
    uint32_t column;
    bool is_given;
} stf__draft_text;

/* Where a topic may come from, in the order in which they are asked. */
typedef enum stf__topic_source {
    STF__TOPIC_STEPFAST = 0,
    STF__TOPIC_STEPFAST_TOPIC,
    STF__TOPIC_ZEEBE,
    STF__TOPIC_CAMUNDA,
    STF__TOPIC_FLOWABLE,
    STF__TOPIC_OPERATION,
    STF__TOPIC_SOURCE_COUNT
} stf__topic_source;

/* What an element says about the work that it is. */
typedef struct stf__draft_topics {
    stf_str names[STF__TOPIC_SOURCE_COUNT]; /* the operation as reference */
    bool has_implementation;                /* a class, an expression or the like */
} stf__draft_topics;

typedef struct stf__draft_message {
    stf__place place;
    stf_str name;
    stf_str key;  /* an expression; empty: none */
    stf_str keep; /* empty: not given */
    const stf__draft_process *resolved_for;
    const stf__message_ref *resolved; /* NULL: it is of no use, which has been reported */
} stf__draft_message;

typedef struct stf__draft_error {
    stf_str code;
} stf__draft_error;

typedef struct stf__draft_event {
    const stf__bpmn_name *name;
    uint32_t line;
    uint32_t column;
    stf__timer_kind timer_kind; /* the last time child that was read */
    uint32_t time_count;
    stf__draft_text time;
    stf_str error_ref;
    stf_str code_variable;
    stf_str message_variable;
    stf_str message_ref;
    stf__draft_topics topics;
    stf__draft_text operation; /* operationRef */
    struct stf__draft_event *next;
} stf__draft_event;

typedef struct stf__draft_reference { /* eventDefinitionRef */
    stf__draft_text text;
    struct stf__draft_reference *next;
} stf__draft_reference;

/* One in or out, as it is written. */
typedef struct stf__draft_mapping {
    stf_str variable;   /* source: the name of a variable */
    stf_str expression; /* sourceExpression, or a source of Zeebe, which is one or a plain text */
    stf_str target;
    uint32_t line;
    uint32_t column;
    bool is_output;
    bool is_all;
    bool is_plain_text; /* expression is a text that stands for itself */
    struct stf__draft_mapping *next;
} stf__draft_mapping;

typedef struct stf__draft_call {
    stf_str element;
    stf_str binding;
    stf_str version;
    bool takes_all_in;
    bool takes_all_out;
    bool has_mapper; /* a class that maps the variables */
} stf__draft_call;

typedef struct stf__draft_retry {
    stf_str retries; /* the attributes of Stepfast's namespace */
    stf_str delay;
    stf_str factor;
    stf_str max;
    stf_str jitter;
    stf_str tries;         /* of zeebe:taskDefinition */
    stf__draft_text cycle; /* failedJobRetryTimeCycle */
} stf__draft_retry;

struct stf__draft_node {
    const stf__bpmn_name *name;
    stf__draft_process *process;
    stf__draft_node *scope; /* the sub-process around it; NULL: the process */
    uint32_t index;
    stf__place place; /* its element is the id */
    stf_str label;
    stf_str default_ref;
    stf_str attached_to_ref;
    stf_str message_ref;
    stf__draft_topics topics;
    stf__draft_call *call;   /* call activities */
    stf__draft_retry *retry; /* NULL: nothing is said */
    stf__draft_mapping *mappings;
    stf__draft_mapping *last_mapping;
    stf__draft_event *events;
    stf__draft_event *last_event;
    stf__draft_reference *event_refs;
    stf__draft_text *loop_input; /* loopDataInputRef; NULL: none */
    bool is_scope;
    bool is_event_sub_process;
    bool is_for_compensation;
    bool is_interrupting;
    bool is_idempotent;
    stf__draft_node *next;
};

struct stf__draft_flow {
    stf__draft_process *process;
    stf__place place;
    stf_str source_ref;
    stf_str target_ref;
    stf__draft_text condition;
    stf_str condition_language;
    stf__draft_node *source; /* set by resolve.c; NULL: dangling */
    stf__draft_node *target;
    uint32_t index; /* in the model; STF__NONE: not in it */
    stf__draft_flow *next;
};

typedef struct stf__draft_data {
    stf_str id;
    stf_str label;
    uint32_t line;
    stf__draft_node *scope;
    struct stf__draft_data *next;
} stf__draft_data;

struct stf__draft_process {
    stf__place place;
    stf_str label;
    bool is_executable;
    bool is_executable_given;
    stf__draft_node *nodes;
    stf__draft_node *last_node;
    stf__draft_flow *flows;
    stf__draft_flow *last_flow;
    stf__draft_data *data;
    stf__draft_data *last_data;
    uint32_t node_count;
    uint32_t flow_count;
    uint32_t data_count;
    const char
        *blocked_by; /* why it cannot run: the message with the smallest line; NULL: it can */
    uint32_t blocked_line;
    bool has_unsupported; /* something legal that is not executed */
    stf__draft_process *next;
};

typedef struct stf__draft {
    stf__arena arena;
    stf__map entries;  /* id -> stf__draft_entry */
    stf__map made_ids; /* ends of flows without an id -> uint32_t, how many */
    stf__draft_process *processes;
    stf__draft_process *last_process;
    uint32_t process_count;
    uint32_t element_count; /* against STF_LIMIT_MODEL_ELEMENTS */
    stf_str expression_language;
    stf_diagnostics *diagnostics;
    bool is_out_of_memory;
} stf__draft;

void stf__draft_init(stf__draft *draft, const stf_allocator *alloc, stf_diagnostics *diagnostics);
void stf__draft_done(stf__draft *draft);

/* A copy in the draft's arena; a lack of memory is remembered and gives the empty text. */
stf_str stf__draft_copy(stf__draft *draft, stf_str text);
/* The same without the white space around. */
stf_str stf__draft_trim(stf_str text);

/* What a reference names: its exact text, else trimmed, else without a prefix. NULL: nothing. */
stf__draft_entry *stf__draft_find(const stf__draft *draft, stf_str reference);
/* The same, when it is an element of that class; its object. */
void *stf__draft_find_object(const stf__draft *draft, stf_str reference, stf__bpmn_class wanted);

/* Legal BPMN that is not executed yet: the process is not runnable. */
void stf__draft_report_unsupported(stf__draft *draft, stf__draft_process *process, stf__place place,
                                   const char *label);

/* What a run would need and cannot use. The process is not runnable with it. */
typedef enum stf__fault {
    STF__FAULT_UNSUPPORTED, /* legal, for a later version */
    STF__FAULT_MISSING,     /* empty or absent: an error where everything else would run, else a
                               warning:     a drawing may be unfinished */
    STF__FAULT_WRONG        /* an error, in a process that is not marked executable a warning */
} stf__fault;
void stf__draft_report(stf__draft *draft, stf__draft_process *process, stf__fault fault,
                       const char *rule, stf__place place, const char *format, ...)
    STF_PRINTF(6, 7);
/* A reference that names nothing: WRONG where it is needed, a warning where nothing follows it yet.
 */
void stf__draft_report_reference(stf__draft *draft, stf__draft_process *process, bool is_needed,
                                 const char *rule, stf__place place, const char *format, ...)
    STF_PRINTF(6, 7);

#endif

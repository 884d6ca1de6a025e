/* SPDX-License-Identifier: Apache-2.0 */
/* The model as the loader builds it and core/ reads it. Everything is borrowed from the model's
 * arena and never changes once the loader has given it away. Nodes and flows refer to each other by
 * index. */
#ifndef STF_MODEL_PRIVATE_H
#define STF_MODEL_PRIVATE_H

#include <stepfast/model.h>
#include <stepfast/service.h>

#include "base/arena.h"
#include "base/iso8601.h"
#include "base/map.h"

#define STF__NONE UINT32_MAX

typedef enum stf__element_kind {
#define STF_ELEMENT(kind, xml, event, traits, family, label) STF__##kind,
#include "model/element.def"
#undef STF_ELEMENT
    STF__ELEMENT_COUNT
} stf__element_kind;

enum { /* traits */
    STF__TRAIT_START = 1,
    STF__TRAIT_END = 2,
    STF__TRAIT_CATCH = 4,
    STF__TRAIT_THROW = 8,
    STF__TRAIT_BOUNDARY = 16,
    STF__TRAIT_ACTIVITY = 32,
    STF__TRAIT_WORK = 64, /* calls a handler */
    STF__TRAIT_SCOPE = 128,
    STF__TRAIT_GATEWAY = 256
};

/* The facts of a kind, from element.def. */
typedef struct stf__element_info {
    const char *xml;
    const char *event;
    const char *label;
    uint32_t traits;
    bool is_supported;
} stf__element_info;

const stf__element_info *stf__element_get_info(stf__element_kind kind);
/* The kind of an XML element with an event definition ("" for none, "*" for several); false: there
 * is no such combination in BPMN. */
bool stf__element_find(stf_str xml, stf_str event, stf__element_kind *ret_kind);

typedef enum stf__timer_kind {
    STF__TIMER_NONE = 0,
    STF__TIMER_DATE = 1,
    STF__TIMER_DURATION = 2,
    STF__TIMER_CYCLE = 3
} stf__timer_kind;

typedef struct stf__flow {
    uint32_t index;
    uint32_t source; /* node index */
    uint32_t target;
    uint32_t line;
    stf_str id;
    stf_expr *condition; /* NULL: none */
} stf__flow;

/* Where a run of a process or sub-process begins. */
typedef struct stf__starts {
    const uint32_t *nodes; /* node indices: the none start events, or */
    uint32_t count;
    bool are_implicit; /* without any start event, the nodes without an incoming flow: it begins at
                          all of them (BPMN 2.0.2, 13.2) */
} stf__starts;

/* What a message event, receive task or send task refers to. */
typedef struct stf__message_ref {
    stf_str name;
    stf_expr *name_expr; /* NULL: name */
    stf_expr *key;       /* the correlation key; NULL: the empty key */
    int64_t keep_us;     /* sent: how long it is kept while nobody waits for it; 0: not at all */
    uint32_t line;
} stf__message_ref;

/* What an error end event throws or an error boundary event catches. */
typedef struct stf__error_ref {
    stf_str code;             /* empty: catches every error */
    stf_str code_variable;    /* a caught error's code and message are written to these; */
    stf_str message_variable; /* empty: not written */
} stf__error_ref;

/* A variable that goes into a called process or a message, or out of a call; in file order. */
typedef struct stf__mapping {
    stf_str target;   /* empty with is_all */
    stf_expr *source; /* NULL with is_all */
    uint32_t line;
    bool is_all; /* every variable that is visible there, by its own name */
} stf__mapping;

typedef struct stf__mappings {
    const stf__mapping *items;
    uint32_t count;
} stf__mappings;

typedef struct stf__call {
    stf_str process;
    stf_expr *process_expr; /* NULL: process */
    int64_t version;        /* 0: the latest at the time of the call */
} stf__call;

typedef struct stf__node {
    uint32_t index;
    uint32_t kind;  /* stf__element_kind */
    uint32_t scope; /* node index of the sub-process around it; STF__NONE: the process */
    uint32_t line;
    uint32_t column;
    stf_str id;
    stf_str name;
    const uint32_t *incoming; /* flow indices, in file order */
    uint32_t incoming_count;
    uint32_t outgoing_count;
    const uint32_t *outgoing;
    uint32_t default_flow;      /* flow index or STF__NONE */
    uint32_t attached_to;       /* boundary events: node index; else STF__NONE */
    const uint32_t *boundaries; /* activities: node indices of their boundary events */
    uint32_t boundary_count;
    uint32_t timer_kind;             /* stf__timer_kind */
    stf_str timer_text;              /* a literal time, validated; empty when timer_expr is set */
    stf_expr *timer_expr;            /* evaluated when armed; NULL: timer_text */
    stf_str topic;                   /* work: resolved as documented in docs/handlers.md */
    stf_expr *topic_expr;            /* a topic that is an expression; NULL: topic */
    stf__starts starts;              /* sub-processes */
    const stf__message_ref *message; /* NULL: none (a send task or message event with a topic is
                                        work and has none) */
    const stf__error_ref *error;     /* error events; never NULL there */
    const stf__call *call;           /* call activities; never NULL there */
    stf__mappings inputs;            /* calls and sent messages: without any, nothing goes in */
    stf__mappings outputs;           /* calls: without any, nothing comes out */
    const stf_retry_policy *retry;   /* work: NULL: the engine's */
    bool is_interrupting;            /* boundary: cancelActivity, default true */
    bool is_idempotent;              /* stepfast:idempotent="true" */
} stf__node;

typedef struct stf__data_item { /* a data object or property: a variable of its scope */
    stf_str id;
    stf_str name;   /* the variable's name: the name, else the id */
    uint32_t scope; /* as stf__node.scope */
    uint32_t line;
} stf__data_item;

typedef struct stf__process {
    stf_str id;
    stf_str name;
    uint32_t line;
    uint32_t flags; /* STF_PROCESS_* */
    const stf__node *nodes;
    uint32_t node_count;
    uint32_t flow_count;
    const stf__flow *flows;
    const stf__data_item *data_items;
    uint32_t data_item_count;
    stf__starts starts;        /* where a run without a named start event begins */
    stf__map nodes_by_id;      /* stf_str -> const stf__node * */
    stf__map flows_by_id;      /* stf_str -> const stf__flow * */
    stf_str first_unsupported; /* the message of the first unsupported construct; empty: runnable */
} stf__process;

/* The expressions of a model: several places may borrow one. */
typedef struct stf__model_expr {
    stf_expr *expr;
    struct stf__model_expr *next;
} stf__model_expr;

struct stf_model {
    _Atomic uint32_t refs;
    uint32_t process_count;
    stf__arena arena;
    const stf__process *processes;
    stf__model_expr *exprs;
};

/* NULL: none. Borrowed from the model. */
const stf__process *stf__model_find_process(const stf_model *model, stf_str id);
const stf__node *stf__process_find_node(const stf__process *process, stf_str id);

/* An empty model with one reference; the loader fills it. */
STF_MUST_CHECK stf_status stf__model_new(const stf_allocator *alloc, stf_model **ret_model,
                                         stf_error *error);
/* The model takes the reference, also when it fails. OK, NO_MEMORY. */
STF_MUST_CHECK stf_status stf__model_take_expr(stf_model *model, stf_expr *expr);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The model as the loader builds it and core/ reads it. Everything is borrowed from the model's
 * arena and never changes once the loader has given it away. Nodes and flows refer to each other by
 * index. */
#ifndef STF_MODEL_PRIVATE_H
#define STF_MODEL_PRIVATE_H

#include <stepfast/model.h>

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
    uint32_t timer_kind;  /* stf__timer_kind */
    stf_str timer_text;   /* a literal time, validated; empty when timer_expr is set */
    stf_expr *timer_expr; /* evaluated when armed; NULL: timer_text */
    stf_str topic;        /* work: resolved as documented in docs/handlers.md */
    stf_expr *topic_expr; /* a topic that is an expression; NULL: topic */
    bool is_interrupting; /* boundary: cancelActivity, default true */
    bool is_idempotent;   /* stepfast:idempotent="true" */
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
    uint32_t start_count;      /* where a run without a named start event begins */
    const uint32_t *starts;    /* node indices: the none start events at the top, or */
    bool starts_are_implicit;  /* without any start event, the nodes without an incoming flow: a run
                                  begins at all of them (BPMN 2.0.2, 13.2) */
    stf__map nodes_by_id;      /* stf_str -> const stf__node * */
    stf__map flows_by_id;      /* stf_str -> const stf__flow * */
    stf_str first_unsupported; /* the message of the first unsupported construct; empty: runnable */
} stf__process;

struct stf_model {
    _Atomic uint32_t refs;
    uint32_t process_count;
    stf__arena arena;
    const stf__process *processes;
};

/* NULL: none. Borrowed from the model. */
const stf__process *stf__model_find_process(const stf_model *model, stf_str id);
const stf__node *stf__process_find_node(const stf__process *process, stf_str id);

/* An empty model with one reference; the loader fills it. */
STF_MUST_CHECK stf_status stf__model_new(const stf_allocator *alloc, stf_model **ret_model,
                                         stf_error *error);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The document of an instance: everything that a crash must not lose.
 *
 * Invariants between steps, which the decoder enforces too:
 * - lists are in canonical order: scopes, activations, timers, subscriptions, incidents and outbox
 *   by number, parked tokens by (scope, node, flow), variables by the bytes of their names, senders
 *   heard by nonce; ready tokens in their own order;
 * - scope 0 is the process; every other scope has the number of the activation that opened it, a
 *   sub-process that is ACTIVE for its scope, and lives in that activation's own scope;
 * - tokens, activations and variables belong to a scope that exists;
 * - exactly the activations that wait for a called instance have a child;
 * - nodes and flows are named by their ids, never by index: a model may be loaded anew;
 * - an activation that is not ACTIVE has exactly one incident; an ACTIVE one has an incident only
 *   when its work failed or its outcome is unknown;
 * - a timer or subscription belongs to an activation, which is ACTIVE or has yet to start;
 * - an incident of the instance itself has activation 0, and there is at most one;
 * - an ended document has no tokens, timers, subscriptions, activations, scopes but 0, or
 * incidents; it may have an outbox, and its record ends only when that is empty;
 * - a queue has nothing but an outbox of messages of one name and key.
 *
 * Fields that later issues fill (iterations, compensation ledger and sweep) have their places in
 * the encoding now, empty; see codec.h. */
#ifndef STF_CORE_DOC_H
#define STF_CORE_DOC_H

#include "base/map.h"
#include "base/mem.h"
#include "core/core.h"
#include "durable/durable.h"

#include <stepfast/limits.h>

typedef struct stf__variable {
    stf_str name;
    stf_value *value;
    size_t encoded_bytes; /* 0: not known yet */
} stf__variable;

#define STF__BULK_BYTES_OVER 256u /* a larger encoding is in bulk */

static inline bool stf__variable_is_in_bulk(const stf__variable *variable)
{
    return variable->encoded_bytes > STF__BULK_BYTES_OVER;
}

typedef struct stf__scope {
    uint64_t number; /* 0: the process itself; else the sub-process's activation */
    uint64_t parent;
    stf__variable *variables;
    size_t variable_count;
    size_t variable_capacity;
} stf__scope;

/* A token on its way into a node (ready), or tokens kept at a join (parked, with a count). */
typedef struct stf__token {
    uint64_t scope;
    stf_str node;
    stf_str flow; /* empty: the node began without a flow */
    uint64_t count;
    stf_wall since;
} stf__token;

typedef enum stf__wait_kind { /* append-only: stored */
    STF__WAIT_TIMER = 1,
    STF__WAIT_CYCLE = 2, /* a timer that repeats */
    STF__WAIT_MESSAGE = 3
} stf__wait_kind;

/* Elements of timers and subscriptions: the boundary event, the catch event behind an event-based
 * gateway, or the activation's own element. Numbers are the order of arming, one row for both. */
typedef struct stf__timer {
    uint64_t number;
    uint64_t activation;
    stf_str element;
    stf_wall due;    /* absolute */
    stf_str cycle;   /* interned; empty: it does not repeat */
    stf_wall anchor; /* with cycle: the time of arming */
    uint64_t index;  /* with cycle: which firing due is */
} stf__timer;

typedef struct stf__subscription {
    uint64_t number;
    uint64_t activation;
    stf_str element;
    stf_str name; /* interned */
    stf_str key;  /* interned */
    stf_wall since;
} stf__subscription;

typedef enum stf__phase {    /* append-only: stored */
    STF__PHASE_HELD = 1,     /* the token was stopped before it entered; flow is kept */
    STF__PHASE_ARMING = 2,   /* boundary events are not armed yet */
    STF__PHASE_STARTING = 3, /* armed; the node's own start is to come */
    STF__PHASE_ACTIVE = 4,   /* waits for the outside, as reason says */
    STF__PHASE_LEAVING = 5   /* done; the outgoing flows are not taken yet */
} stf__phase;

typedef enum stf__active_for { /* append-only: stored. What an ACTIVE activation waits for */
    STF__FOR_NOTHING = 0,
    STF__FOR_TASK = 1,
    STF__FOR_WORK = 2,
    STF__FOR_TIMER = 3,
    STF__FOR_MESSAGE = 4,
    STF__FOR_EVENTS = 5, /* an event-based gateway: the first of several */
    STF__FOR_SCOPE = 6,  /* a sub-process: what is in its scope */
    STF__FOR_CHILD = 7   /* a called instance */
} stf__active_for;

/* A durable operation embedded in its activation (R2). */
typedef struct stf__work {
    uint32_t state;               /* stf__durable_state; ABSENT: no work */
    uint32_t attempt;             /* grows by saved retries only, never by recovery (R6) */
    uint32_t definitive_failures; /* part of the downstream key (R6) */
    bool is_started;
    bool is_idempotent_task;    /* the model says so */
    bool is_idempotent_handler; /* the handler that started it says so */
    int64_t incarnation;        /* of the lease that last owned it */
    uint32_t retries;           /* automatic ones since the start or the last manual retry */
    char *topic;                /* owned */
} stf__work;

typedef struct stf__activation {
    uint64_t number;
    uint64_t scope;
    stf_str element;
    stf_str flow; /* HELD only */
    uint32_t phase;
    uint32_t active_for;
    stf_wall since;
    stf__work work;
    stf_str child; /* FOR_CHILD: the called instance's id, interned; else empty */
} stf__activation;

typedef enum stf__incident_kind { /* append-only: stored */
    STF__INCIDENT_EXPRESSION = 1,
    STF__INCIDENT_NO_FLOW = 2,
    STF__INCIDENT_TIMER = 3,
    STF__INCIDENT_FAILED = 4,
    STF__INCIDENT_UNKNOWN = 5,
    STF__INCIDENT_BPMN_ERROR = 6,
    STF__INCIDENT_LOOP = 7,
    STF__INCIDENT_LIMIT = 8,
    STF__INCIDENT_UNSUPPORTED = 9,
    STF__INCIDENT_CALL = 10,   /* the called instance could not be made, or was cancelled */
    STF__INCIDENT_POISON = 11, /* of the instance: recovered too often without a step (R15) */
    STF__INCIDENT_KIND_LAST = STF__INCIDENT_POISON
} stf__incident_kind;

const char *stf__incident_kind_name(uint32_t kind);

typedef struct stf__incident {
    uint64_t number;
    uint64_t activation; /* 0: the instance itself */
    uint32_t kind;
    uint32_t line; /* of the model; 0: none */
    stf_wall opened;
    stf_wall retry_at; /* a retry by itself is scheduled; none: it is open and waits for people */
    char *code;        /* owned; "" unless BPMN_ERROR */
    char *message;     /* owned */
} stf__incident;

#define STF__MESSAGE_BYTES_MAX 4096u /* of an incident; longer ones are cut */

typedef enum stf__end_how { /* append-only: stored */
    STF__END_NOT = 0,
    STF__END_COMPLETED = 1,
    STF__END_TERMINATED = 2, /* by a terminate end event */
    STF__END_FAILED = 3,     /* by an error that nobody catches: end_code */
    STF__END_CANCELLED = 4   /* from outside */
} stf__end_how;

/* An entry of the outbox; stf__send_item of core.h says what the fields mean. */
typedef struct stf__send {
    uint64_t number;
    uint64_t sequence;
    uint32_t kind;
    uint32_t how;
    uint64_t activation;
    uint64_t target_activation;
    int64_t version;
    bool is_to_queue;
    stf_str element; /* texts are interned but message */
    stf_str target;
    stf_str name;
    stf_str key;
    stf_str code;
    char *message;        /* owned; never NULL */
    stf_value *variables; /* one reference; NULL: none */
    stf_wall until;
    stf_wall since;
} stf__send;

/* A sender heard within the last day, and its last sequence (R5). */
typedef struct stf__heard {
    uint8_t nonce[16];
    uint64_t sequence;
    stf_wall at;
} stf__heard;

#define STF__HEARD_US INT64_C(86400000000)
#define STF__OUTBOX_FIRST_US INT64_C(2000000)  /* until others may deliver; doubles */
#define STF__OUTBOX_LAST_US INT64_C(300000000) /* at most */

/* Who called this instance; without an id nobody did. */
typedef struct stf__caller {
    stf_str id;
    uint64_t activation;
    uint64_t depth; /* the calls above the caller itself */
} stf__caller;

#define STF__RING_SAVES 16u

typedef struct stf__ring_entry {
    int64_t version;
    stf_attempt attempt;
} stf__ring_entry;

typedef struct stf__doc_counters {
    uint64_t activation; /* the last number given */
    uint64_t incident;
    uint64_t timer;    /* of timers and subscriptions */
    uint64_t sequence; /* of sends (R5, R18): the last one drawn */
    uint64_t send;     /* entries of the outbox */
    uint32_t yields;   /* in a row, without coming to rest */
} stf__doc_counters;

struct stf__doc {
    const stf_allocator *alloc;
    stf__doc_identity identity; /* texts are interned */

    stf__arena texts; /* ids and names, each once */
    stf__map text_index;

    uint32_t end_how; /* stf__end_how */
    stf_str end_element;
    stf_str end_code;  /* END_FAILED */
    char *end_message; /* END_FAILED, END_CANCELLED; owned; NULL: none */
    stf_wall end_at;
    stf__doc_counters counters;

    stf__scope *scopes; /* [0] is the process; never empty */
    size_t scope_count;
    size_t scope_capacity;
    stf__token *ready; /* a queue; [ready_first, ready_first + ready_count) */
    size_t ready_first;
    size_t ready_count;
    size_t ready_capacity;
    stf__token *parked;
    size_t parked_count;
    size_t parked_capacity;
    stf__timer *timers;
    size_t timer_count;
    size_t timer_capacity;
    stf__subscription *subscriptions;
    size_t subscription_count;
    size_t subscription_capacity;
    stf__activation **activations; /* each its own block: pointers stay valid while others come */
    size_t activation_count;
    size_t activation_capacity;
    stf__incident *incidents;
    size_t incident_count;
    size_t incident_capacity;
    stf__caller caller;
    stf__send *outbox;
    size_t outbox_count;
    size_t outbox_capacity;
    stf_wall outbox_due;   /* with an outbox: when anybody may deliver it; else none */
    uint32_t outbox_tries; /* how often that has passed */
    stf__heard *heard;
    size_t heard_count;
    size_t heard_capacity;

    char writer[STF_LIMIT_ID_BYTES]; /* who saved last */
    size_t writer_bytes;
    int64_t writer_incarnation;
    stf_wall written;
    stf__ring_entry ring[STF__RING_SAVES]; /* oldest first */
    size_t ring_count;

    /* Not stored: which bulk is durable. */
    uint64_t bulk_version;
    uint64_t bulk_encoded;
    uint64_t bulk_saved; /* 0: none */
};

/* Room for one more item: the array (moved or not), or NULL when out of memory. */
void *stf__doc_grow(const stf_allocator *alloc, void *items, size_t count, size_t *capacity,
                    size_t item_size);
/* The document's own copy of a text; equal texts share one. */
STF_MUST_CHECK stf_status stf__doc_intern(stf__doc *doc, stf_str text, stf_str *ret_text,
                                          stf_error *error);
stf_status stf__doc_no_memory(stf_error *error);

/* "hex of the creation nonce-first-second": texts that no other instance makes (R6, R18). */
stf_str stf__doc_format_key(const stf__doc *doc, uint64_t first, uint64_t second,
                            char ret_text[STF__WORK_KEY_BYTES]);

static inline bool stf__doc_has_ended(const stf__doc *doc)
{
    return doc->end_how != STF__END_NOT;
}

/* ---- tokens */
STF_MUST_CHECK stf_status stf__doc_push_ready(stf__doc *doc, const stf__token *token,
                                              stf_error *error);
bool stf__doc_take_ready(stf__doc *doc, stf__token *ret_token); /* false: none */
/* Adds one token at its place; takes one from each of the flows, which must all have one. */
STF_MUST_CHECK stf_status stf__doc_park(stf__doc *doc, const stf__token *token, stf_error *error);
uint64_t stf__doc_count_parked(const stf__doc *doc, uint64_t scope, stf_str node, stf_str flow);
void stf__doc_unpark(stf__doc *doc, uint64_t scope, stf_str node, stf_str flow);
/* Tokens and activations: what STF_LIMIT_TOKENS bounds. */
uint64_t stf__doc_count_live(const stf__doc *doc);

/* ---- activations */
STF_MUST_CHECK stf_status stf__doc_add_activation(stf__doc *doc, uint64_t number,
                                                  stf__activation **ret_activation,
                                                  stf_error *error);
/* Where the number is in the list or belongs. */
size_t stf__doc_find_place(const stf__doc *doc, uint64_t number);
stf__activation *stf__doc_find_activation(const stf__doc *doc, uint64_t number); /* NULL: none */
void stf__doc_remove_activation(stf__doc *doc, stf__activation *activation);

/* ---- scopes */
stf__scope *stf__doc_find_scope(const stf__doc *doc, uint64_t number); /* NULL: none */
/* Opens the scope of an activation inside the activation's own. Pointers to scopes are stale after
 * this and after a removal. OK, NO_MEMORY, LIMIT_EXCEEDED (nested too deeply). */
STF_MUST_CHECK stf_status stf__doc_add_scope(stf__doc *doc, const stf__activation *activation,
                                             stf_error *error);
/* With its variables, ready and parked tokens; activations in it must be gone. */
void stf__doc_remove_scope(stf__doc *doc, uint64_t number);
/* An empty scope at its place; ALREADY_EXISTS when the number has one. */
STF_MUST_CHECK stf_status stf__doc_insert_scope(stf__doc *doc, uint64_t number, uint64_t parent,
                                                stf_error *error);
/* Where the number is in the list or belongs. */
size_t stf__doc_find_scope_place(const stf__doc *doc, uint64_t number);
/* Tokens and activations directly in this scope. */
uint64_t stf__doc_count_in_scope(const stf__doc *doc, uint64_t scope);

/* ---- subscriptions (waits.c): texts are interned by the caller; LIMIT_EXCEEDED: too many, or a
 * text is too long or no UTF-8. */
STF_MUST_CHECK stf_status stf__doc_add_subscription(stf__doc *doc,
                                                    const stf__subscription *subscription,
                                                    stf_error *error);
void stf__doc_remove_subscription(stf__doc *doc, size_t index);
/* The oldest (since, number) for a name and key; false: nobody waits for it. */
bool stf__doc_find_subscription(const stf__doc *doc, stf_str name, stf_str key, size_t *ret_index);

/* ---- outbox and senders heard (outbox.c) */
/* Copies the entry; gives it the next number, and a sequence when it has a target. LIMIT_EXCEEDED
 * changes nothing: too many messages and calls, or a text that is too long or no UTF-8. */
STF_MUST_CHECK stf_status stf__doc_add_send(stf__doc *doc, const stf__send_item *item, stf_wall now,
                                            stf_error *error);
/* The entry as it is, numbers included: what a stored document says. */
STF_MUST_CHECK stf_status stf__doc_insert_send(stf__doc *doc, const stf__send_item *item,
                                               stf_error *error);
stf__send *stf__doc_find_send(const stf__doc *doc, uint64_t number); /* NULL: none */
void stf__doc_remove_send(stf__doc *doc, uint64_t number);
void stf__doc_clear_outbox(stf__doc *doc);
/* Others may have had their chance: with the outbox overdue, when they may have the next one. */
void stf__doc_postpone_outbox(stf__doc *doc, stf_wall now);
/* As it is, behind all others: CORRUPT when that is not its place. */
STF_MUST_CHECK stf_status stf__doc_append_heard(stf__doc *doc, const stf__heard *heard);
bool stf__doc_has_heard(const stf__doc *doc, const stf__sender *sender);
/* Remembers the sender's sequence and forgets whom it has not heard for a day. */
STF_MUST_CHECK stf_status stf__doc_hear(stf__doc *doc, const stf__sender *sender, stf_wall now,
                                        stf_error *error);

/* ---- timers (waits.c) */
STF_MUST_CHECK stf_status stf__doc_add_timer(stf__doc *doc, const stf__timer *timer,
                                             stf_error *error);
void stf__doc_remove_timer(stf__doc *doc, size_t index);
/* Timers and subscriptions. */
void stf__doc_remove_waits_of(stf__doc *doc, uint64_t activation);

/* ---- incidents */
STF_MUST_CHECK stf_status stf__doc_add_incident(stf__doc *doc, const stf__incident *incident,
                                                stf_str code, stf_str message, stf_error *error);
void stf__doc_remove_incident(stf__doc *doc, size_t index);

/* Drops all tokens, timers, subscriptions, activations, incidents and scopes but the process's,
 * whose variables stay. */
void stf__doc_clear_flow(stf__doc *doc);

/* OK, CORRUPT or NO_MEMORY: what the head of this file promises about the lists. */
STF_MUST_CHECK stf_status stf__doc_check_invariants(const stf__doc *doc);

/* ---- variables (variables.c) */
/* The nearest from that scope outward; NULL: none. */
const stf_value *stf__doc_peek_variable(const stf__doc *doc, uint64_t scope, stf_str name);
/* Writes to that scope. */
STF_MUST_CHECK stf_status stf__doc_set_variable(stf__doc *doc, uint64_t scope, stf_str name,
                                                const stf_value *value, stf_error *error);
/* All that are visible from a scope, inner ones hiding outer ones, as one context. One reference.
 */
STF_MUST_CHECK stf_status stf__doc_copy_scope_variables(const stf__doc *doc, uint64_t scope,
                                                        stf_value **ret_variables,
                                                        stf_error *error);
/* Writes each entry of a context (NULL: none) to the nearest scope that has the name, else to the
 * process. */
STF_MUST_CHECK stf_status stf__doc_merge_variables(stf__doc *doc, uint64_t scope,
                                                   const stf_value *variables, stf_error *error);
void stf__scope_done(stf__scope *scope, const stf_allocator *alloc);

#endif

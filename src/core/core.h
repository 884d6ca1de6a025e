/* SPDX-License-Identifier: Apache-2.0 */
/* The pure core: one event and a document in; the new document and a list of effects out. No I/O,
 * no clock, no threads, no randomness of its own. The engine saves the document and only then
 * releases the effects.
 *
 * A step that fails with anything but OK leaves the document unchanged when it says so (refusals
 * are decided before anything is touched); after any other the document must be dropped and loaded
 * again. */
#ifndef STF_CORE_CORE_H
#define STF_CORE_CORE_H

#include <stepfast/observer.h>
#include <stepfast/service.h>
#include <stepfast/sys/repository.h>
#include <stepfast/value.h>

#include "base/arena.h"
#include "model/private.h"

typedef struct stf__doc stf__doc; /* sole owner; core/doc.h */

/* ---- Identity and the document ------------------------------------------------------------ */

/* Everything durable is a record whose document is stepped by this core. A queue has no process: it
 * holds messages of one name and key that nobody waits for yet, as entries of its outbox. */
typedef enum stf__doc_kind { /* append-only: stored */
    STF__DOC_INSTANCE = 1,
    STF__DOC_QUEUE = 2
} stf__doc_kind;

typedef struct stf__doc_identity {
    stf_str id;
    stf_str process;   /* definition key; a queue: empty */
    int64_t version;   /* pinned; a queue: 0 */
    uint32_t kind;     /* stf__doc_kind; 0 is taken for an instance */
    uint8_t nonce[16]; /* creation nonce, random */
    stf_wall created;
} stf__doc_identity;

STF_MUST_CHECK stf_status stf__doc_new(const stf_allocator *alloc,
                                       const stf__doc_identity *identity, stf__doc **ret_doc,
                                       stf_error *error);
stf__doc *stf__doc_free(stf__doc *doc);
const stf__doc_identity *stf__doc_peek_identity(const stf__doc *doc);
/* How many calls are above this instance: 0 when nobody called it. */
uint64_t stf__doc_get_call_depth(const stf__doc *doc);

#define STF__DOC_SCHEMA 2u /* 1 is read, too */

/* The head starts with the magic "STFD" and the schema number in plain bytes. OK, SCHEMA_MISMATCH
 * (newer: leave the record untouched), CORRUPT, NO_MEMORY. */
STF_MUST_CHECK stf_status stf__doc_decode(const stf_allocator *alloc, stf_bytes head,
                                          stf_bytes bulk, stf__doc **ret_doc, stf_error *error);
/* Checks magic and schema alone, before anything is claimed. OK, SCHEMA_MISMATCH, CORRUPT. */
STF_MUST_CHECK stf_status stf__doc_check(stf_bytes head, stf_error *error);
/* Canonical: equal documents give equal bytes. Values over 256 encoded bytes go to bulk. Appends.
 * *ret_bulk_changed: since the decode or the last encode with stf__doc_saved. */
STF_MUST_CHECK stf_status stf__doc_encode(stf__doc *doc, stf_buf *head, stf_buf *bulk,
                                          bool *ret_bulk_changed, stf_error *error);
/* The same in two parts: without a change the saved bulk still belongs to the new head, and nobody
 * need encode it. Bulk is asked for after the head. */
STF_MUST_CHECK stf_status stf__doc_encode_head(stf__doc *doc, stf_buf *head, bool *ret_bulk_changed,
                                               stf_error *error);
STF_MUST_CHECK stf_status stf__doc_encode_bulk(const stf__doc *doc, stf_buf *bulk,
                                               stf_error *error);
/* Tells the document that its last encoding is durable. */
void stf__doc_saved(stf__doc *doc);

/* The save ring (R3): notes the version and attempt that the next save will produce, and asks
 * whether a save is among the last 16. A ring that has moved past the version answers PAST. */
typedef enum stf__ring_answer {
    STF__RING_ABSENT = 0,
    STF__RING_FOUND = 1,
    STF__RING_PAST = 2
} stf__ring_answer;
void stf__doc_note_save(stf__doc *doc, int64_t version, stf_attempt attempt, stf_str writer,
                        int64_t incarnation, stf_wall at);
/* The lease incarnation noted by the last save that wrote the head (R15: recoveries = the lease's
 * incarnation minus this one). */
int64_t stf__doc_get_incarnation(const stf__doc *doc);
stf__ring_answer stf__doc_find_save(const stf__doc *doc, int64_t version, stf_attempt attempt);

/* ---- Events ------------------------------------------------------------------------------- */

typedef enum stf__event_kind {
    STF__EVENT_START = 1, /* element (start event id or empty), variables */
    STF__EVENT_WAKE = 2, /* goes on after a yield, then fires every timer with a deadline <= now, in
                            order of deadline */
    STF__EVENT_TASK = 3, /* user task done: activation (0: the only one at element), variables */
    STF__EVENT_WORK = 4, /* a handler's result: activation, attempt, outcome, ... */
    STF__EVENT_RECOVER = 5, /* incarnation: settles work started under an older one */
    STF__EVENT_RETRY = 6,   /* incident (0: the only open one) */
    STF__EVENT_RESOLVE =
        7,                 /* incident (0: the only open one), outcome COMPLETED, BPMN_ERROR or
                              FAILED, ...: what somebody found out about the work that it stopped */
    STF__EVENT_DROP = 8,   /* incident (0: the only open one): the token is taken away */
    STF__EVENT_CANCEL = 9, /* the instance ends as cancelled; message says why */
    STF__EVENT_JOB = 10,   /* somebody answers work that nobody has started: activation, or the only
                              one at element or of topic (element empty); outcome, ..., retries */
    STF__EVENT_VARIABLES = 11, /* variables; element: of that sub-process's scope (the only one
                                  active), empty: of the process */
    STF__EVENT_MESSAGE = 12,   /* name, key, variables: to the oldest subscription */
    STF__EVENT_CHILD = 13,   /* a called instance (sender.id) ended: activation, how, code, message,
                                variables */
    STF__EVENT_ACK = 14,     /* acks: what became of entries of the outbox */
    STF__EVENT_PUBLISH = 15, /* a queue takes a message: name, key, variables, until */
    STF__EVENT_POISON = 16   /* incarnation, message: recovered too often without a step (R15); the
                                instance stops   with an incident of its own */
} stf__event_kind;

/* Who sent a MESSAGE, CHILD, CANCEL, PUBLISH, or the START of a called instance. With a sender, an
 * event whose sequence was heard before is ALREADY_EXISTS and changes nothing (R5). */
typedef struct stf__sender {
    bool is_given;
    uint8_t nonce[16]; /* the sender's creation nonce */
    uint64_t sequence;
    uint64_t activation; /* START: the call activity's */
    uint64_t depth;      /* START: the calls above the sender (stf__doc_get_call_depth) */
    stf_str id;          /* the sender's record */
} stf__sender;

typedef enum stf__child_how { /* append-only: stored */
    STF__CHILD_COMPLETED = 1, /* also by a terminate end event of its own */
    STF__CHILD_ERROR = 2,     /* by an error end event that nothing in it catches: code, message */
    STF__CHILD_CANCELLED = 3, /* from outside: message */
    STF__CHILD_WORK_ERROR = 4 /* as ERROR, but thrown by work: where nobody at the caller catches it
                                 either, the caller has an incident and does not end */
} stf__child_how;

/* What the receiver's side answered, as the engine sees it. core/send.c has the table of what is
 * done for each kind of entry. */
typedef enum stf__ack_answer {
    STF__ACK_DELIVERED = 1,   /* taken, or taken before */
    STF__ACK_NOT_WAITING = 2, /* it runs and does not wait for this */
    STF__ACK_ABSENT = 3,      /* there is no such record */
    STF__ACK_ENDED = 4,
    STF__ACK_OTHER_GROUP = 5,
    STF__ACK_NO_DEFINITION = 6, /* CREATE */
    STF__ACK_REFUSED = 7        /* anything else that trying again does not mend; message */
} stf__ack_answer;

typedef struct stf__ack {
    uint64_t number;
    uint64_t sequence;
    uint32_t answer; /* stf__ack_answer */
    stf_str message;
} stf__ack;

typedef enum stf__work_outcome {
    STF__WORK_COMPLETED = 1,
    STF__WORK_BPMN_ERROR = 2, /* code, message */
    STF__WORK_FAILED = 3,     /* definitive: message */
    STF__WORK_UNKNOWN = 4     /* message */
} stf__work_outcome;

typedef struct stf__event {
    stf__event_kind kind;
    stf__work_outcome outcome;
    uint64_t activation;
    uint64_t incident;
    uint32_t attempt;
    int64_t incarnation; /* RECOVER: the lease's now; WORK: under which it ran, 0: not told */
    stf_str element;
    stf_str topic;
    stf_str name;
    stf_str key;
    stf_str code;
    stf_str message;
    const stf_value *variables; /* a context or NULL */
    stf__sender sender;
    const stf__ack *acks;
    size_t ack_count;
    stf_wall until;  /* PUBLISH */
    uint32_t how;    /* CHILD: stf__child_how */
    int32_t retries; /* JOB: automatic retries that are left; below 0: as the policy says */
} stf__event;

typedef struct stf__core_inputs {
    stf_wall now;
    uint32_t step_budget;          /* token moves; 0: STF_LIMIT_STEP_MOVES */
    uint32_t expr_step_budget;     /* 0: STF_LIMIT_EXPR_STEPS */
    uint64_t random;               /* one draw for this step: jitter */
    const stf_retry_policy *retry; /* where the activity has none; NULL: no retries */
} stf__core_inputs;

/* ---- Effects ------------------------------------------------------------------------------ */

/* Everything is borrowed from the arena given to stf__effects_init, values from the document. */
typedef struct stf__fact_row {
    uint32_t kind; /* stf_fact_kind */
    uint64_t activation;
    stf_wall at;
    stf_str element;
    stf_str detail;
} stf__fact_row;

typedef struct stf__subscribed { /* a message that somebody waits for since this step */
    stf_str name;
    stf_str key;
} stf__subscribed;

typedef struct stf__effects {
    stf__arena *arena;
    stf__fact_row *facts;
    size_t fact_count;
    size_t fact_capacity;
    uint64_t *cancelled; /* activations whose running handler is no longer wanted */
    size_t cancelled_count;
    size_t cancelled_capacity;
    stf__subscribed *subscribed; /* after the save the engine looks into the queues of these (R5) */
    size_t subscribed_count;
    size_t subscribed_capacity;
    bool is_silent;   /* nobody hears the facts: none are kept */
    bool has_yielded; /* the budget ran out: save, then post STF__EVENT_WAKE */
} stf__effects;

void stf__effects_init(stf__effects *effects, stf__arena *arena);

/* Steps. OK; NOT_FOUND (no such activation, task, incident or start event), INVALID_STATE (ended,
 * or several match), INVALID_ARGUMENT (several none starts and none named; variables not a
 * context), ALREADY_EXISTS (heard before), CONFLICT (called by somebody else), LIMIT_EXCEEDED (a
 * full queue): all of these leave the document unchanged. process is NULL for a queue, which takes
 * PUBLISH, WAKE and ACK. A WORK event whose activation or attempt is gone is OK with a
 * RESULT_DROPPED fact. CORRUPT: the document names what the process does not have, or holds what
 * its nodes cannot have. Errors of the model (expressions, no flow, BPMN errors that nobody
 * catches) are incidents in the document, not statuses. */
STF_MUST_CHECK stf_status stf__core_step(stf__doc *doc, const stf__process *process,
                                         const stf__event *event, const stf__core_inputs *inputs,
                                         stf__effects *effects, stf_error *error);

/* ---- Work: between a step and its save ------------------------------------------------------ */

typedef struct stf__work_item {
    uint64_t activation;
    uint32_t attempt; /* the current one, from 1 */
    uint32_t definitive_failures;
    stf_str element;
    stf_str topic;
    bool is_idempotent;
    bool is_started;
    int64_t incarnation; /* under which it was started */
    stf_wall since;
} stf__work_item;

/* Has it stopped as a whole, with an open incident of its own (R15)? Nothing of it is started then.
 */
bool stf__doc_is_stopped(const stf__doc *doc);

/* The pending work of the first activation after that one; from 0. False: no more. Borrowed from
 * the document until it changes. */
bool stf__doc_next_work(const stf__doc *doc, uint64_t after, stf__work_item *ret_item);

/* Marks pending work as started under incarnation: the engine has the handler and a slot, and will
 * save under a lease with that incarnation before it runs it. OK, NOT_FOUND, INVALID_STATE. The
 * fact WORK_STARTED is added. */
STF_MUST_CHECK stf_status stf__doc_mark_started(stf__doc *doc, uint64_t activation,
                                                int64_t incarnation, bool is_idempotent_handler,
                                                stf_wall now, stf__effects *effects,
                                                stf_error *error);

/* The variables that are visible at an activation, as one context with one reference; activation 0:
 * the process's. */
STF_MUST_CHECK stf_status stf__doc_copy_variables(const stf__doc *doc, uint64_t activation,
                                                  stf_value **ret_variables, stf_error *error);

/* The downstream idempotency key: hex of nonce, activation and number of definitive failures. */
#define STF__WORK_KEY_BYTES 96
STF_MUST_CHECK stf_status stf__doc_format_work_key(const stf__doc *doc, uint64_t activation,
                                                   char ret_key[STF__WORK_KEY_BYTES],
                                                   stf_error *error);

/* ---- The outbox: between a step and its save, and after it (R5, R18) ---------------------------
 */

typedef enum stf__send_kind { /* append-only: stored */
    STF__SEND_MESSAGE = 1,    /* to whoever waits for name and key, or, kept, to their queue */
    STF__SEND_CREATE = 2,     /* a called instance: target is its id */
    STF__SEND_RESULT = 3,     /* to the caller */
    STF__SEND_CANCEL = 4      /* to a called instance */
} stf__send_kind;

typedef struct stf__send_item {
    uint64_t number;     /* its name within the outbox, in order of creation */
    uint64_t sequence;   /* drawn when it is aimed; what a receiver remembers. 0: not aimed */
    uint32_t kind;       /* stf__send_kind */
    uint32_t how;        /* RESULT: stf__child_how */
    uint64_t activation; /* the sender's: call activity or throwing event; 0 once it is gone */
    uint64_t target_activation; /* RESULT: the caller's */
    int64_t version;            /* CREATE: 0: the latest */
    bool is_to_queue; /* MESSAGE: the target is the queue of its name and key: deliver as PUBLISH */
    stf_str element;
    stf_str target; /* a record's id; empty: not aimed */
    stf_str name;   /* MESSAGE; CREATE: the definition key */
    stf_str key;    /* MESSAGE */
    stf_str code;   /* RESULT */
    stf_str message;
    const stf_value *variables; /* a context or NULL */
    stf_wall until;             /* MESSAGE: kept until then; none: not kept */
    stf_wall since;
} stf__send_item;

/* Entries in order of number; index from 0. False: no more. Borrowed until the document changes. */
bool stf__doc_get_send(const stf__doc *doc, size_t index, stf__send_item *ret_item);

/* May this entry go out now? Aimed, and no entry with a smaller sequence goes to the same target: a
 * receiver remembers only the last sequence of a sender, so order matters. */
bool stf__doc_may_send(const stf__doc *doc, const stf__send_item *item);

/* Is this a message that should be aimed now? Not aimed, and no earlier one of its name and key is
 * in the outbox: publication order is kept per key. */
bool stf__doc_may_aim(const stf__doc *doc, const stf__send_item *item);

/* Fixes the receiver before the save that makes it durable, so that a delivery that is repeated
 * after a crash reaches the same one: draws the sequence. target empty: nobody waits; a message
 * that is not kept any more is dropped with a fact, in an instance a kept one goes to queue_id, in
 * a queue it stays. OK, NOT_FOUND, NO_MEMORY. */
STF_MUST_CHECK stf_status stf__doc_aim(stf__doc *doc, uint64_t number, stf_str target,
                                       stf_str queue_id, stf_wall now, stf__effects *effects,
                                       stf_error *error);

/* ---- What the record shows ------------------------------------------------------------------ */

/* The key of a wait for a message: name, NUL, correlation key; ret_key has room for both and one.
 */
void stf__message_wait_key(stf_str name, stf_str key, char *ret_key);

typedef struct stf__doc_summary {
    uint32_t status;    /* stf_record_status */
    bool has_started;   /* work runs: the record needs an owner */
    bool has_unstarted; /* work waits for a handler */
    bool has_outbox;    /* something waits to be delivered */
    stf_wall due;       /* earliest deadline; now when it has yielded; none */
    stf_wait *waits;    /* from the arena: TASK, JOB (unstarted only), MESSAGE, CHILD, STUCK */
    size_t wait_count;
} stf__doc_summary;

/* Keeps R8: an active record has an owner's work, a due or a wait. INTERNAL when not. */
STF_MUST_CHECK stf_status stf__doc_summarise(const stf__doc *doc, stf__arena *arena,
                                             stf__doc_summary *ret_summary, stf_error *error);

/* A context for people and JSON, with the keys process, version, variables, waiting (list of
 * element ids as a multiset in the sense of the scenario vocabulary: user tasks, jobs, timer
 * catches; not armed boundary timers, not tokens at joins), tasks (list of {activation, element,
 * since}), timers (list of {element, activation, due}), jobs (list of {activation, element, topic,
 * attempt, started}), joins (list of {element, flow, count}), incidents (list of {incident,
 * element, activation, kind, message, line, opened, retry (a time or null)}), messages (list of
 * {element, activation, name, key, since}), calls (list of {element, activation, instance}), scopes
 * (list of {element, activation, variables}), outbox (list of {kind, element, target, name, key,
 * since}), caller ({instance, activation} or null), end ({how, element, at, code} or null). */
STF_MUST_CHECK stf_status stf__doc_view(const stf__doc *doc, const stf__process *process,
                                        stf_value **ret_view, stf_error *error);

#endif

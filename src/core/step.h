/* SPDX-License-Identifier: Apache-2.0 */
/* What the element files may do to the document during one step. An element never touches lists
 * itself: it starts waits, finishes activations, opens incidents, and step.c, lifecycle.c,
 * incident.c and timer.c keep the invariants.
 *
 * Every call returns OK, or NO_MEMORY or CORRUPT, after which the document is dropped. */
#ifndef STF_CORE_STEP_H
#define STF_CORE_STEP_H

#include "core/doc.h"
#include "core/element/element.h"

struct stf__step {
    stf__doc *doc;
    const stf__process *process;
    stf_wall now;
    uint32_t budget; /* moves of a turn */
    uint32_t moves_left;
    uint32_t expr_steps;
    uint64_t random;
    const stf_retry_policy *retry;   /* the engine's; NULL: none */
    bool is_by_caller;               /* whoever called this instance ends it: it needs no result */
    struct stf__join_scratch *joins; /* join.c's, from the step's arena; NULL: not needed yet */
    stf__effects *effects;
    stf_error *error;
};

/* ---- step.c */

/* Moves tokens until nothing moves any more: the queue, then sub-processes with nothing left in
 * them, then inclusive joins that need not wait; again until none of these did anything or the
 * budget of the turn is used up. */
STF_MUST_CHECK stf_status stf__step_come_to_rest(stf__step *step);

/* ---- wake.c */

/* Goes on after a yield; then fires what is due (timers, scheduled retries) in order of deadline,
 * then arming; each one's consequences come to rest before the next. Moves an outbox's due on. */
STF_MUST_CHECK stf_status stf__step_wake(stf__step *step);

/* ---- lifecycle.c: an activation's way through its phases */

/* A token enters a node: a new activation, its boundary events, its start. */
STF_MUST_CHECK stf_status stf__step_enter(stf__step *step, const stf__node *node, uint64_t scope);
/* A token enters a node and has what it came for already: nothing is armed, it goes on at once. */
STF_MUST_CHECK stf_status stf__step_pass(stf__step *step, const stf__node *node, uint64_t scope);
/* The node's own work is over: boundary events are disarmed, the outgoing flows are taken. */
STF_MUST_CHECK stf_status stf__step_finish(stf__step *step, stf__activation *activation,
                                           const stf__node *node);
/* From now on the activation waits for the outside. */
void stf__step_wait(stf__activation *activation, stf__active_for reason);
/* Goes on where an incident had stopped the activation. */
STF_MUST_CHECK stf_status stf__step_resume(stf__step *step, stf__activation *activation,
                                           const stf__node *node);
/* Ends an activation without its outgoing flows, with all that belongs to it: its timers and
 * subscriptions, what is in its scope, the instance that it called (which is told). Not recursive
 * beyond the nesting of scopes. */
STF_MUST_CHECK stf_status stf__step_cancel(stf__step *step, stf__activation *activation);
/* A token that is stopped before it enters, with an incident at the node. */
STF_MUST_CHECK stf_status stf__step_hold(stf__step *step, const stf__token *token,
                                         const stf__node *node, stf__incident_kind kind,
                                         stf_str message);
/* Its own (sub-)process instance ends now at this end event; whatever else is in it is cancelled
 * and dropped. A sub-process then goes on by its outgoing flows. */
STF_MUST_CHECK stf_status stf__step_terminate(stf__step *step, stf__activation *activation,
                                              const stf__node *node);

/* How the whole instance ends, whatever is left in it: cancelled and dropped; a caller is told. */
typedef struct stf__ending {
    stf__end_how how;
    stf_str element; /* empty: none */
    stf_str code;    /* END_FAILED */
    stf_str message;
    bool is_of_work; /* END_FAILED in a called instance: no error end event threw it */
} stf__ending;
STF_MUST_CHECK stf_status stf__step_end_instance(stf__step *step, const stf__ending *ending);

/* ---- scope.c: sub-processes */

/* Opens the activation's scope, declares its data, and puts tokens at its starts; element empty:
 * the only none start, or all implicit ones. NULL activation: the process itself. */
STF_MUST_CHECK stf_status stf__step_open_scope(stf__step *step, stf__activation *activation,
                                               const stf__node *node);
/* Finishes sub-processes in which nothing is left, innermost first; *ret_did when there was one. */
STF_MUST_CHECK stf_status stf__step_close_scopes(stf__step *step, bool *ret_did);
/* Cancels and drops everything in the scope of an activation, and the scope. Fine without one. */
STF_MUST_CHECK stf_status stf__step_cancel_scope(stf__step *step,
                                                 const stf__activation *activation);

/* ---- throw.c: errors */

/* A BPMN error on its way outward. It begins at an activity that failed (its own boundary events
 * are asked first) or at an error end event. */
typedef struct stf__thrown {
    stf_str code;
    stf_str message;
    bool is_from_end_event; /* nobody catches it: the instance ends with the code. Else: an incident
                               at the activity, or, in a called instance, it ends and the caller is
                               asked */
} stf__thrown;
/* Innermost scope first, within it the specific code before the catch-all. Whoever
 * catches is entered after what it guards was cancelled; else as is_from_end_event says. The
 * activation may be gone afterwards. */
STF_MUST_CHECK stf_status stf__step_throw(stf__step *step, stf__activation *activation,
                                          const stf__thrown *thrown);

/* ---- join.c: inclusive gateways */

/* Opens one inclusive gateway whose parked tokens need not wait any longer: no other token of its
 * scope can still reach it (BPMN 2.0.2, 13.4.3). Asked whenever the queue is empty, so also after
 * tokens died. *ret_did when one opened. */
STF_MUST_CHECK stf_status stf__step_open_joins(stf__step *step, bool *ret_did);

/* ---- trigger.c: what timers and messages do */

/* Arms what a node waits for (its timer, its subscription), owned by an activation: the node's own,
 * the activity that a boundary event guards, or an event-based gateway. *ret_is_ok false: an
 * incident at the activation says why not, and nothing is armed. */
STF_MUST_CHECK stf_status stf__step_arm_node(stf__step *step, const stf__activation *activation,
                                             const stf__node *node, bool *ret_is_ok);
/* The same for several nodes: all or none. */
STF_MUST_CHECK stf_status stf__step_arm_nodes(stf__step *step, const stf__activation *activation,
                                              const stf__node *const *nodes, size_t count,
                                              bool *ret_is_ok);
/* Arms the boundary events of an activity that wait for something (error events do not), all or
 * none. */
STF_MUST_CHECK stf_status stf__step_arm_boundaries(stf__step *step, stf__activation *activation,
                                                   const stf__node *node, bool *ret_is_ok);
/* The name and key of a message now; *ret_is_ok false: an incident. Texts from the step's arena. */
STF_MUST_CHECK stf_status stf__step_get_message(stf__step *step, const stf__activation *activation,
                                                const stf__node *node, bool *ret_is_ok,
                                                stf_str *ret_name, stf_str *ret_key);
/* A message has come for that subscription: it triggers what waits for it, once. The subscription
 * of a non-interrupting boundary event stays, behind all others that wait now; any other goes.
 * Variables are merged already. */
STF_MUST_CHECK stf_status stf__step_receive(stf__step *step, size_t subscription_index);
/* Something that a node armed has happened: an event of its own goes on, a boundary event triggers,
 * an event-based gateway has decided. */
STF_MUST_CHECK stf_status stf__step_trigger(stf__step *step, stf__activation *activation,
                                            const stf__node *node);

/* ---- send.c: messages and calls leave (R5, R18) */

/* Puts an entry of the activation's into the outbox. *ret_is_ok false: an incident, because the
 * outbox is full or a text is too long. */
STF_MUST_CHECK stf_status stf__step_send(stf__step *step, const stf__activation *activation,
                                         const stf__node *node, const stf__send_item *item,
                                         bool *ret_is_ok);
/* Puts a message, with its input mappings as variables, into the outbox. *ret_is_ok false: an
 * incident. */
STF_MUST_CHECK stf_status stf__step_send_message(stf__step *step, const stf__activation *activation,
                                                 const stf__node *node, bool *ret_is_ok);
/* The instance that a call activity called is to end: an entry of the outbox. */
STF_MUST_CHECK stf_status stf__step_send_cancel(stf__step *step, const stf__activation *activation);
/* The activity waits no longer for what it called; it has to call anew. */
void stf__step_stop_call(stf__activation *activation);
/* An instance that was called tells its caller how it ended; nothing without a caller. Before the
 * flow is cleared. */
STF_MUST_CHECK stf_status stf__step_send_result(stf__step *step, const stf__ending *ending);
/* The node that an element id of the document names; CORRUPT when the model has none. */
STF_MUST_CHECK stf_status stf__step_find_node(const stf__step *step, stf_str element,
                                              const stf__node **ret_node);

/* ---- incident.c */

typedef struct stf__trouble {
    stf__incident_kind kind;
    uint32_t line;
    stf_str code; /* BPMN errors */
    stf_str message;
} stf__trouble;

/* NULL activation: of the instance itself. */
STF_MUST_CHECK stf_status stf__step_open_incident(stf__step *step,
                                                  const stf__activation *activation,
                                                  const stf__trouble *trouble);
/* As open, but nobody has to look: it is retried by itself at retry_at. */
STF_MUST_CHECK stf_status stf__step_schedule_retry(stf__step *step,
                                                   const stf__activation *activation,
                                                   const stf__trouble *trouble, stf_wall retry_at);
/* The same for a sentence that is put together here, as printf does. */
STF_MUST_CHECK STF_PRINTF(5, 6) stf_status
    stf__step_open_incident_of(stf__step *step, const stf__activation *activation,
                               stf__incident_kind kind, uint32_t line, const char *format, ...);
/* Text from outside, made fit to be stored: valid UTF-8 of at most bytes_max. From the step's
 * arena. */
STF_MUST_CHECK stf_status stf__step_clean_text(stf__step *step, stf_str text, size_t bytes_max,
                                               stf_str *ret_text);
/* Closes the incident of an activation, if it has one, with that fact; one that is to be retried by
 * itself was never told to be open and closes without a fact. */
STF_MUST_CHECK stf_status stf__step_close_incident(stf__step *step, uint64_t activation,
                                                   stf_fact_kind fact);

/* ---- retry.c: automatic retries */

/* Work failed, or is unknown and idempotent: a retry by itself is scheduled as the policy (the
 * activity's, else the engine's) and retries_left (below 0: not told) say, else the incident is
 * open. */
STF_MUST_CHECK stf_status stf__step_fail_work(stf__step *step, stf__activation *activation,
                                              const stf__node *node, const stf__trouble *trouble,
                                              int32_t retries_left);
/* The scheduled retry that is due first; false: none is. */
bool stf__step_find_retry(const stf__step *step, size_t *ret_incident_index);
/* Runs it: its incident closes, the work begins a new attempt. */
STF_MUST_CHECK stf_status stf__step_run_retry(stf__step *step, size_t incident_index);

/* ---- map.c: variables that go into calls and messages, and come out of calls */

/* Evaluates mappings where the activation is. *ret_is_ok false: an incident. One reference; NULL:
 * there are none. */
STF_MUST_CHECK stf_status stf__step_map(stf__step *step, const stf__activation *activation,
                                        const stf__mappings *mappings, bool *ret_is_ok,
                                        stf_value **ret_variables);
/* Evaluates mappings where only these variables (a context or NULL) are visible. Those that fail
 * are left out; with *ret_is_ok false an incident names the first of them. */
STF_MUST_CHECK stf_status stf__step_map_from(stf__step *step, const stf__activation *activation,
                                             const stf_value *variables,
                                             const stf__mappings *mappings, bool *ret_is_ok,
                                             stf_value **ret_variables);

/* ---- expression.c: an expression's failure is an incident, told through *ret_is_ok = false */

/* Names the owner: condition of flow "f2", topic of "task". */
typedef struct stf__expr_site {
    const char *what; /* "condition of flow" */
    stf_str id;
    uint32_t line;
} stf__expr_site;

STF_MUST_CHECK stf_status stf__step_eval_condition(stf__step *step,
                                                   const stf__activation *activation,
                                                   const stf_expr *expr, const stf__expr_site *site,
                                                   bool *ret_is_ok, bool *ret_is_true);
/* Any value. One reference. */
STF_MUST_CHECK stf_status stf__step_eval(stf__step *step, const stf__activation *activation,
                                         const stf_expr *expr, const stf__expr_site *site,
                                         stf__incident_kind kind, bool *ret_is_ok,
                                         stf_value **ret_value);
/* The result is a text; another kind is an incident of that kind. One reference. */
STF_MUST_CHECK stf_status stf__step_eval_text(stf__step *step, const stf__activation *activation,
                                              const stf_expr *expr, const stf__expr_site *site,
                                              stf__incident_kind kind, bool *ret_is_ok,
                                              stf_value **ret_text);

/* The text of a result that is a text or a number, as correlation keys and message names are; at
 * most STF_LIMIT_ID_BYTES, not empty; anything else is an EXPRESSION incident. From the step's
 * arena. */
STF_MUST_CHECK stf_status stf__step_eval_key(stf__step *step, const stf__activation *activation,
                                             const stf_expr *expr, const stf__expr_site *site,
                                             bool *ret_is_ok, stf_str *ret_key);

/* ---- timer.c */

/* The timer of a node, were it armed now for that activation; its number comes with
 * stf__step_arm_timer. due is none when its repetition has no time left. *ret_is_ok false: an
 * incident at the activation says why not. */
STF_MUST_CHECK stf_status stf__step_get_timer(stf__step *step, const stf__activation *activation,
                                              const stf__node *node, bool *ret_is_ok,
                                              stf__timer *ret_timer);
STF_MUST_CHECK stf_status stf__step_arm_timer(stf__step *step, const stf__timer *timer);
/* A repeating timer that has just fired is armed for its next time on the grid, unless there is
 * none. What was missed meanwhile does not fire. */
STF_MUST_CHECK stf_status stf__step_arm_again(stf__step *step, const stf__timer *fired);

/* ---- flow.c: choosing among the outgoing flows */

/* The flows that a token leaves by, from the step's arena. */
typedef struct stf__choice {
    const stf__flow **flows;
    size_t count;
    bool is_stopped; /* an incident was opened instead */
} stf__choice;

/* Unconditional flows always, conditional ones that hold, the default when no conditional one does;
 * nothing at all is an incident. */
STF_MUST_CHECK stf_status stf__step_choose_inclusive(stf__step *step,
                                                     const stf__activation *activation,
                                                     const stf__node *node, stf__choice *choice);
/* The first that holds, in file order, else the default; nothing is an incident. */
STF_MUST_CHECK stf_status stf__step_choose_exclusive(stf__step *step,
                                                     const stf__activation *activation,
                                                     const stf__node *node, stf__choice *choice);
/* All, whatever conditions say. */
STF_MUST_CHECK stf_status stf__step_choose_all(stf__step *step, const stf__activation *activation,
                                               const stf__node *node, stf__choice *choice);

/* ---- effects.c */

STF_MUST_CHECK stf_status stf__effects_add_fact(stf__effects *effects, const stf__fact_row *row,
                                                stf_error *error);
STF_MUST_CHECK stf_status stf__effects_add_subscribed(stf__effects *effects, stf_str name,
                                                      stf_str key, stf_error *error);
STF_MUST_CHECK stf_status stf__effects_add_cancelled(stf__effects *effects, uint64_t activation,
                                                     stf_error *error);
/* A fact of now. */
STF_MUST_CHECK stf_status stf__step_tell(stf__step *step, stf_fact_kind kind, uint64_t activation,
                                         stf_str element, stf_str detail);

#endif

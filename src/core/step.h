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
    stf__effects *effects;
    stf_error *error;
};

/* ---- lifecycle.c: an activation's way through its phases */

/* A token enters a node: a new activation, its boundary events, its start. */
STF_MUST_CHECK stf_status stf__step_enter(stf__step *step, const stf__node *node, uint64_t scope);
/* The node's own work is over: boundary events are disarmed, the outgoing flows are taken. */
STF_MUST_CHECK stf_status stf__step_finish(stf__step *step, stf__activation *activation,
                                           const stf__node *node);
/* From now on the activation waits for the outside. */
void stf__step_wait(stf__activation *activation, stf__active_for reason);
/* Goes on where an incident had stopped the activation. */
STF_MUST_CHECK stf_status stf__step_resume(stf__step *step, stf__activation *activation,
                                           const stf__node *node);
/* Ends an activation without its outgoing flows, with all that belongs to it. */
STF_MUST_CHECK stf_status stf__step_cancel(stf__step *step, stf__activation *activation);
/* A token that is stopped before it enters, with an incident at the node. */
STF_MUST_CHECK stf_status stf__step_hold(stf__step *step, const stf__token *token,
                                         const stf__node *node, stf__incident_kind kind,
                                         stf_str message);
/* The instance ends now at this end event; whatever else is left is cancelled and dropped. */
STF_MUST_CHECK stf_status stf__step_terminate(stf__step *step, stf__activation *activation,
                                              const stf__node *node);

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

STF_MUST_CHECK stf_status stf__step_open_incident(stf__step *step,
                                                  const stf__activation *activation,
                                                  const stf__trouble *trouble);
/* Text from outside, made fit to be stored: valid UTF-8 of at most bytes_max. From the step's
 * arena. */
STF_MUST_CHECK stf_status stf__step_clean_text(stf__step *step, stf_str text, size_t bytes_max,
                                               stf_str *ret_text);
/* Closes the incident of an activation, if it has one, with that fact. */
STF_MUST_CHECK stf_status stf__step_close_incident(stf__step *step, uint64_t activation,
                                                   stf_fact_kind fact);

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
/* The result is a text; another kind is an incident of that kind. One reference. */
STF_MUST_CHECK stf_status stf__step_eval_text(stf__step *step, const stf__activation *activation,
                                              const stf_expr *expr, const stf__expr_site *site,
                                              stf__incident_kind kind, bool *ret_is_ok,
                                              stf_value **ret_text);

/* ---- timer.c */

/* The absolute deadline of a timer event, were it armed now. *ret_is_ok false: an incident at the
 * activation says why not. */
STF_MUST_CHECK stf_status stf__step_get_deadline(stf__step *step, const stf__activation *activation,
                                                 const stf__node *node, bool *ret_is_ok,
                                                 stf_wall *ret_due);
STF_MUST_CHECK stf_status stf__step_arm(stf__step *step, const stf__activation *activation,
                                        const stf__node *node, stf_wall due);
/* Arms all boundary timers of an activity, or none and opens an incident. */
STF_MUST_CHECK stf_status stf__step_arm_boundaries(stf__step *step, stf__activation *activation,
                                                   const stf__node *node, bool *ret_is_ok);

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
STF_MUST_CHECK stf_status stf__effects_add_cancelled(stf__effects *effects, uint64_t activation,
                                                     stf_error *error);
/* A fact of now. */
STF_MUST_CHECK stf_status stf__step_tell(stf__step *step, stf_fact_kind kind, uint64_t activation,
                                         stf_str element, stf_str detail);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that send to each other, for the tests of sends and messages. */
#ifndef STF_TESTS_MESSAGE_CASE_H
#define STF_TESTS_MESSAGE_CASE_H

#include "unit/engine/engine_case.h"

/* "w": waits for message "paid" with its variable key, then for a person at "after". "s": throws it
 * with its variable key, kept for an hour, and amount. "n": throws "lost", which is not kept. "l":
 * "go" first, a user task, then as "w". */
extern const char case_messages[];

/* "top" calls "mid", that calls "low", which has a user task "work" and then ends normally, or with
 * error E7 where fails is true. "top" takes x of "mid" as y, and has a boundary event for E7 that
 * leads to the user task "caught". */
extern const char case_calls[];

/* Crashes the engine of c after each of its saves in turn: opens it, lets play do what it does up
 * to the n-th save, drops the engine, goes on with a new one until nothing is due, and lets check
 * look. Ends at the first n that play does not reach. */
typedef struct crash_plan {
    const char *roots;
    void (*before)(engine_case *c); /* saves that never fail */
    void (*play)(engine_case *c);   /* may fail at any call */
    void (*again)(engine_case *c);  /* with the new engine; NULL: nothing */
    void (*check)(engine_case *c, long n);
} crash_plan;
void message_case_crash_at_each_save(const crash_plan *plan);

/* For a call that a failing store or allocation may keep for ever, because only the virtual clock
 * would let it go on: a limit that passes by looking at it, soon once the store has failed. However
 * slow the machine is, the same calls pass. Valid until the next one. */
stf_ctx message_case_patience(engine_case *c);

/* Starts "w" with key k; time goes on a little, so that the next one waits for less long. */
void message_case_wait(engine_case *c, const char *id);
/* The id of the one instance of a process; static storage. */
const char *message_case_only_id(engine_case *c, const char *process);

/* How two engines meet. The sender's engine died right after the save of the step that sends; the
 * first one delivers for some turns until the store is away for it; when the outbox is due again,
 * the second one delivers for some turns; then the first one has its store back. */
typedef struct message_case_meeting {
    const char *process; /* "s" or "top" */
    const char *json;
    int first_turns;
    int second_turns;
    stf_status status; /* of the first one's saves meanwhile */
    bool applies;
} message_case_meeting;
void message_case_meet(engine_case *c, engine_case *other, const message_case_meeting *plan);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Sends (docs/rules.md, R5, R18): a document's outbox is aimed before the save that makes it
 * durable and delivered after it, as commands to the receivers; their answers become one step of
 * the sender. Any engine delivers what the sender's could not, because the record is due. */
#ifndef STF_ENGINE_SEND_H
#define STF_ENGINE_SEND_H

#include "engine/private.h"

/* ---- aim.c: who gets a message */

/* Ids that begin so are the engine's own records, never an instance's. */
#define STF__OWN_IDS "stf:"

/* The record that keeps messages of one tenant, name and key while nobody waits. */
typedef struct stf__queue_id {
    stf_str id; /* in text */
    char text[STF_LIMIT_ID_BYTES + 1];
} stf__queue_id;

bool stf__id_is_own(stf_str id);
/* LIMIT_EXCEEDED: the names are too long to be kept. */
STF_MUST_CHECK stf_status stf__queue_id_make(stf__queue_id *ret_id, const stf_engine *engine,
                                             stf_str tenant, stf_str name, stf_str key,
                                             stf_error *error);

typedef struct stf__waiter {
    stf_str id; /* in text; empty: nobody waits */
    char text[STF_LIMIT_ID_BYTES + 1];
} stf__waiter;

/* A message on its way to somebody. */
typedef struct stf__aim {
    stf_str tenant;
    stf_str name;
    stf_str key;
    stf_str queue;   /* its queue's id where it is to be kept; else empty */
    bool is_of_turn; /* the driver asks: others of its turn may be on their way to the oldest */
} stf__aim;

/* Who has waited longest. Nobody does as long as earlier ones of its name and key are kept: they
 * come first. Asks the store; any thread. */
STF_MUST_CHECK stf_status stf__aim_find(stf_engine *engine, const stf_ctx *ctx, const stf__aim *aim,
                                        stf__waiter *ret_waiter, stf_error *error);
/* Aims what a stepped document may aim; *ret_did when that changed it. */
STF_MUST_CHECK stf_status stf__aim_doc(stf_engine *engine, const stf_ctx *ctx, stf__flight *flight,
                                       stf_wall now, bool *ret_did);

/* ---- send.c */

/* The copy is what the store has: hands over what may go out and is not on its way. */
void stf__send_deliver(stf_engine *engine, const stf_ctx *ctx, stf__instance *instance);
/* Is there an entry that may go out now? */
bool stf__send_is_ready(const stf__instance *instance);
/* After a save: looks into the queues of what the instance waits for since then, and at who waits
 * for what a queue has just taken (R5). */
void stf__send_look(stf_engine *engine, const stf__flight *flight);
/* Forgets answers that say nothing: trying again may help, or the entry is gone. */
void stf__send_review(stf_engine *engine, stf__instance *instance);
/* All answers that are there, as one event. */
STF_MUST_CHECK stf_status stf__send_fill_acks(stf__flight *flight, stf__event *event);
/* The step with those answers is durable, or there is no sender any more: all answered. */
void stf__send_forget(stf_engine *engine, stf__instance *instance, bool all);
void stf__send_free(stf_engine *engine, stf__instance *instance);
/* The engine stops: what it cannot deliver any more, or look into, is due now for the others. Best
 * effort; what is missed is due by itself later. */
void stf__send_leave(stf_engine *engine, const stf_ctx *ctx);

#endif

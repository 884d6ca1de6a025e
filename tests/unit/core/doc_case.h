/* SPDX-License-Identifier: Apache-2.0 */
/* Documents made by hand or by chance, without a process: something in every list, and all promises
 * of doc.h kept. For what tests the document itself. */
#ifndef STF_TESTS_CORE_DOC_CASE_H
#define STF_TESTS_CORE_DOC_CASE_H

#include "core/doc.h"
#include "support/stf_test.h"

#define DOC_CASE_NOW_US INT64_C(1767225600000000) /* 2026-01-01T00:00:00Z */

stf__doc *doc_case_new(uint32_t kind);

/* A running instance:
 *    1 "sub"    a sub-process, with variables; in it
 *    2 "task"   a user task with a boundary timer "late" that repeats, and a boundary message
 * "stop" 3 "gate"   an event-based gateway before timer "soon" and message "news" 4 "inner"  a
 * sub-process in it, with a token at join "j" 5 "call"   waits for instance "child-1" 6 "wait"
 * waits for message "paid" with key "o-1" 7 "again"  failed work that is retried by itself 8
 * "pause"  waits for a timer 9 "run"    started work a token on its way, big and small variables,
 * an outbox of all kinds, a caller, two senders. */
stf__doc *doc_case_rich(void);
/* A queue of three messages, the first of which is aimed. */
stf__doc *doc_case_queue(void);
/* Any instance or queue. */
stf__doc *doc_case_random(uint64_t seed);

/* Small parts. */
stf__activation *doc_case_add(stf__doc *doc, uint64_t scope, const char *element,
                              stf__active_for reason);
stf__activation *doc_case_find(stf__doc *doc, const char *element);
void doc_case_add_timer(stf__doc *doc, uint64_t activation, const char *element, const char *cycle,
                        int64_t due_us);
void doc_case_add_subscription(stf__doc *doc, uint64_t activation, const char *element,
                               const char *name, const char *key, int64_t since_us);
void doc_case_add_incident(stf__doc *doc, uint64_t activation, stf__incident_kind kind,
                           stf_wall retry_at);
void doc_case_set(stf__doc *doc, uint64_t scope, const char *name, const char *json);
stf__sender doc_case_sender(uint8_t number, uint64_t sequence);

/* Its invariants hold, and it comes back from its stored form as the same bytes. */
void doc_case_check(stf__doc *doc);

#endif

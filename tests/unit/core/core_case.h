/* SPDX-License-Identifier: Apache-2.0 */
/* Plays processes on the core alone. After every step the document is checked, encoded, decoded and
 * replaced by its decoded copy, whose encoding must be the same bytes: so every test here also
 * shows that nothing of the state lives outside the stored form. */
#ifndef STF_TESTS_CORE_CASE_H
#define STF_TESTS_CORE_CASE_H

#include "core/doc.h"
#include "core/step.h"
#include "support/stf_test.h"

#define CORE_CASE_FACTS 65536u
#define CORE_CASE_BEGIN_US INT64_C(1767225600000000) /* 2026-01-01T00:00:00Z */
#define SECONDS(n) ((int64_t)(n)*INT64_C(1000000))

typedef struct core_fact {
    uint32_t kind;
    uint64_t activation;
    char element[64];
    char detail[64];
} core_fact;

typedef struct core_case {
    stf_model *model;
    const stf__process *process;
    stf__doc *doc;
    stf__arena arena; /* of the last step */
    stf__effects effects;
    stf_wall now;
    uint32_t step_budget;
    const char *label; /* of the run, for messages; may be NULL */
    uint64_t random;
    const stf_retry_policy *retry;
    bool keeps_document; /* is not replaced by its decoded copy */
    int64_t incarnation;
    core_fact *facts; /* of all steps */
    size_t fact_count;
    stf_error error; /* of the last refused step */
} core_case;

/* body: what stands inside <process id="p">. */
core_case *core_case_load(const char *body);
/* around: what stands before the process: messages, errors, other processes. */
core_case *core_case_load_in(const char *around, const char *body);
/* A queue of messages instead of an instance. */
core_case *core_case_queue(void);
void core_case_free(core_case *c);

/* Any event; on OK the checks above. Other statuses must leave the document's bytes as they were,
 * except NO_MEMORY. */
stf_status core_case_step(core_case *c, const stf__event *event);

/* Steps that must succeed. json may be NULL. */
void core_case_event(core_case *c, stf__event event, const char *json);
void core_case_start(core_case *c, const char *json);
void core_case_task(core_case *c, const char *element, const char *json);
void core_case_wake(core_case *c);
void core_case_message(core_case *c, const char *name, const char *key, const char *json);
/* Stops the clock at each due time in between. */
void core_case_advance(core_case *c, int64_t us);
void core_case_retry(core_case *c);                 /* the only incident */
void core_case_set(core_case *c, const char *json); /* variables from outside */
/* Pending work at an element: starts it, or answers for it. */
stf__work_item core_case_find_work(core_case *c, const char *element);
void core_case_start_work(core_case *c, const char *element);
void core_case_answer(core_case *c, const char *element, stf__work_outcome outcome,
                      const char *text_or_json);
/* start_work and a completed answer. */
void core_case_work(core_case *c, const char *element, const char *json);

/* ---- other records */

/* Whom a document hears: its nonce is all ones, its id "other". */
stf__sender core_case_sender(uint64_t sequence);
/* The only entry of a kind in the outbox. */
stf__send_item core_case_find_send(core_case *c, stf__send_kind kind);
size_t core_case_count_sends(const core_case *c, stf__send_kind kind);
/* What became of it. */
void core_case_ack(core_case *c, const stf__send_item *item, stf__ack_answer answer);
/* The instance called at an element has ended. */
stf_status core_case_try_child(core_case *c, const char *element, stf__event event);
void core_case_child(core_case *c, const char *element, stf__child_how how, const char *code,
                     const char *json);

/* ---- expectations */

/* Nobody waits for such a message. */
void core_case_expect_nobody(core_case *c, const char *name, const char *key);

/* "a b b": ids, as a multiset. */
void core_case_expect_waiting(core_case *c, const char *ids);
void core_case_expect_completed(core_case *c, const char *id, size_t times);
void core_case_expect_incident(core_case *c, const char *element, const char *kind,
                               const char *message_part); /* exactly one is open */
void core_case_expect_status(core_case *c, stf_record_status status);
void core_case_expect_variable(core_case *c, const char *name, const char *json);
size_t core_case_count(const core_case *c, stf_fact_kind kind, const char *element);
/* Each entered activation of an ended instance was told exactly one end. */
void core_case_expect_one_end_each(core_case *c);
stf__doc_summary core_case_summary(core_case *c); /* from the arena of the last step */

/* The stored form, into buffers that are initialised here. */
void core_case_encode(core_case *c, stf_buf *head, stf_buf *bulk);
/* Are the bytes of both the same? */
void core_case_expect_same(const stf_buf *a, const stf_buf *b);

stf_value *core_case_json(const char *json);

#endif

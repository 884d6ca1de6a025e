/* SPDX-License-Identifier: Apache-2.0 */
/* Handlers: the code that a service, send, script or business rule task calls, found by topic. The
 * engine has saved that the work started before a handler runs, so an outcome that gets lost is
 * known to be unknown (docs/rules.md, R2). An effect is not exactly-once by itself: hand the key of
 * stf_work_key to the provider. */
#ifndef STEPFAST_SERVICE_H
#define STEPFAST_SERVICE_H

#include <stepfast/ctx.h>
#include <stepfast/value.h>

STF_BEGIN_DECLS

typedef struct stf_work stf_work; /* one run of a handler; borrowed, valid during the call */

/* Borrowed for the call. */
STF_API stf_str stf_work_instance(const stf_work *work);
STF_API stf_str stf_work_process(const stf_work *work);
STF_API stf_str stf_work_element(const stf_work *work);
STF_API stf_str stf_work_topic(const stf_work *work);
/* The downstream idempotency key: the same for a retry after an unknown outcome, new after a
 * definitive failure. */
STF_API stf_str stf_work_key(const stf_work *work);
STF_API uint64_t stf_work_activation(const stf_work *work);
STF_API uint32_t stf_work_attempt(const stf_work *work); /* from 1 */
/* Until when this engine holds the instance unless it renews; past it start no effect. */
STF_API stf_wall stf_work_deadline(const stf_work *work);
STF_API const stf_value *stf_work_variables(const stf_work *work); /* a context */

/* Exactly one of these settles the work; without any, or with a second one, the outcome is unknown.
 * variables (a context or NULL) is referenced. OK, INVALID_ARGUMENT (not a context, empty code),
 * INVALID_STATE (settled before), NO_MEMORY. */
STF_API STF_MUST_CHECK stf_status stf_work_complete(stf_work *work, const stf_value *variables,
                                                    stf_error *error);
STF_API STF_MUST_CHECK stf_status stf_work_bpmn_error(stf_work *work, stf_str code, stf_str message,
                                                      const stf_value *variables, stf_error *error);
/* Definitive: it is certain that the effect did not happen, so a retry is safe. */
STF_API STF_MUST_CHECK stf_status stf_work_fail(stf_work *work, stf_str message, stf_error *error);
STF_API STF_MUST_CHECK stf_status stf_work_unknown(stf_work *work, stf_str message,
                                                   stf_error *error);

typedef struct stf_handler {
    size_t struct_size;
    uint32_t abi;
    uint32_t flags;
    void *user;
    /* Runs on a worker thread (on the loop thread when the engine has none). ctx carries the
     * engine's cancel token. What it returns matters only when it settled nothing: OK settles
     * nothing either (unknown); another status is unknown with that text. */
    stf_status (*run)(void *user, const stf_ctx *ctx, stf_work *work, stf_error *error);
    uint32_t concurrency_max; /* runs at the same time; 0: as many as there are workers */
    uint32_t reserved;
} stf_handler;

#define STF_HANDLER_ABI 1u
#define STF_HANDLER_IDEMPOTENT 1u /* as stepfast:idempotent on every task that it serves */

/* When the engine runs failed work again by itself. Only what is certain not to have taken effect
 * (stf_work_fail), and idempotent work whose outcome is unknown, is retried; each retry is a saved
 * decision, so restarts neither lose nor repeat it (docs/rules.md, R6). Delay n (from 0) is
 * first_us * (factor_percent / 100)^n, at most cap_us, less up to jitter_percent of itself. */
typedef struct stf_retry_policy {
    uint32_t retries;        /* after the first try; 0: none. At most 1000 */
    uint32_t factor_percent; /* 0 or 100: fixed; 200 doubles. At most 10000 */
    uint32_t jitter_percent; /* 0 to 100 */
    uint32_t reserved;
    int64_t first_us;
    int64_t cap_us; /* 0: none but a year */
} stf_retry_policy;

STF_END_DECLS

#endif

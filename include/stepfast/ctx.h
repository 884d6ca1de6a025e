/* SPDX-License-Identifier: Apache-2.0 */
/* What a call that may block is allowed to take: a deadline, a cancel token, a trace id. NULL means
 * no limit. CANCELLED and DEADLINE_EXCEEDED both promise that nothing was written. */
#ifndef STEPFAST_CTX_H
#define STEPFAST_CTX_H

#include <stepfast/alloc.h>
#include <stepfast/clock.h>

STF_BEGIN_DECLS

typedef struct stf_cancel stf_cancel; /* refcounted, one atomic flag and an eventfd */

typedef struct stf_ctx {
    size_t struct_size;
    uint32_t abi;
    uint32_t flags;
    stf_mono deadline;      /* meaningful with STF_CTX_HAS_DEADLINE */
    const stf_clock *clock; /* what deadline is measured by; NULL is the system's */
    stf_cancel *cancel;     /* borrowed; NULL is none */
    stf_str trace_id;       /* borrowed; may be empty */
} stf_ctx;

#define STF_CTX_ABI 1u
#define STF_CTX_HAS_DEADLINE 1u

#define STF_CTX_INIT                                                                               \
    {                                                                                              \
        .struct_size = sizeof(stf_ctx), .abi = STF_CTX_ABI                                         \
    }

/* OK or NO_MEMORY, UNAVAILABLE (no descriptor left). */
STF_API STF_MUST_CHECK stf_status stf_cancel_new(const stf_allocator *alloc,
                                                 stf_cancel **ret_cancel, stf_error *error);
STF_API stf_cancel *stf_cancel_ref(stf_cancel *cancel);
STF_API stf_cancel *stf_cancel_unref(stf_cancel *cancel); /* NULL is fine; returns NULL */

/* Idempotent, async-signal-safe. Thread: any. */
STF_API void stf_cancel_request(stf_cancel *cancel);
STF_API bool stf_cancel_is_requested(const stf_cancel *cancel);
STF_API int stf_cancel_fd(const stf_cancel *cancel); /* readable once requested; do not read it */

/* OK, CANCELLED or DEADLINE_EXCEEDED; ctx may be NULL. Thread: any. */
STF_API STF_MUST_CHECK stf_status stf_ctx_check(const stf_ctx *ctx, stf_error *error);

/* Microseconds left: INT64_MAX without a deadline, 0 when it passed. */
STF_API int64_t stf_ctx_left_us(const stf_ctx *ctx);

STF_END_DECLS

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What is left of a call's allowance. A deadline is measured by the clock that the context names,
 * because a test's clock and the system's have nothing in common. */
#include <stepfast/ctx.h>

int64_t stf_ctx_left_us(const stf_ctx *ctx)
{
    if (ctx == NULL || (ctx->flags & STF_CTX_HAS_DEADLINE) == 0) {
        return INT64_MAX;
    }
    const stf_clock *clock = ctx->clock != NULL ? ctx->clock : stf_clock_system();
    int64_t now_us = clock->mono(clock->user).us;
    int64_t left_us;
    if (ctx->deadline.us <= now_us) {
        return 0;
    }
    return __builtin_sub_overflow(ctx->deadline.us, now_us, &left_us) ? INT64_MAX : left_us;
}

stf_status stf_ctx_check(const stf_ctx *ctx, stf_error *error)
{
    if (ctx == NULL) {
        return STF_OK;
    }
    if (stf_cancel_is_requested(ctx->cancel)) {
        return stf_error_set(error, STF_CANCELLED, "BASE", "the call was cancelled");
    }
    if (stf_ctx_left_us(ctx) == 0) {
        return stf_error_set(error, STF_DEADLINE_EXCEEDED, "BASE", "the deadline has passed");
    }
    return STF_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Deadlines are measured by the context's own clock. */
#include "support/stf_test.h"

#include <stepfast/ctx.h>

static stf_mono read_fake(void *user)
{
    return *(stf_mono *)user;
}

STF_TEST(no_context_and_an_empty_one_are_no_limit)
{
    stf_ctx ctx = STF_CTX_INIT;
    ck_assert_int_eq(stf_ctx_check(NULL, NULL), STF_OK);
    ck_assert_int_eq(stf_ctx_check(&ctx, NULL), STF_OK);
    ck_assert_int_eq(stf_ctx_left_us(NULL), INT64_MAX);
    ck_assert_int_eq(stf_ctx_left_us(&ctx), INT64_MAX);
}

STF_TEST(a_deadline_passes_by_the_named_clock)
{
    stf_error error = STF_ERROR_INIT;
    stf_mono now = {1000};
    stf_clock clock = {.struct_size = sizeof(clock), .user = &now, .mono = read_fake};
    stf_ctx ctx = STF_CTX_INIT;
    ctx.flags = STF_CTX_HAS_DEADLINE;
    ctx.clock = &clock;
    ctx.deadline.us = 1500;
    ck_assert_int_eq(stf_ctx_left_us(&ctx), 500);
    STF_CHECK_OK(stf_ctx_check(&ctx, &error), &error);
    now.us = 1499;
    ck_assert_int_eq(stf_ctx_left_us(&ctx), 1);
    now.us = 1500;
    ck_assert_int_eq(stf_ctx_left_us(&ctx), 0);
    STF_CHECK_STATUS(stf_ctx_check(&ctx, &error), STF_DEADLINE_EXCEEDED, &error);
    now.us = INT64_MAX;
    ck_assert_int_eq(stf_ctx_left_us(&ctx), 0);
}

STF_TEST(a_far_deadline_does_not_overflow)
{
    stf_mono now = {-5};
    stf_clock clock = {.struct_size = sizeof(clock), .user = &now, .mono = read_fake};
    stf_ctx ctx = STF_CTX_INIT;
    ctx.flags = STF_CTX_HAS_DEADLINE;
    ctx.clock = &clock;
    ctx.deadline.us = INT64_MAX;
    ck_assert_int_eq(stf_ctx_left_us(&ctx), INT64_MAX);
}

STF_TEST(without_a_clock_the_system_measures)
{
    stf_ctx ctx = STF_CTX_INIT;
    ctx.flags = STF_CTX_HAS_DEADLINE;
    const stf_clock *clock = stf_clock_system();
    ctx.deadline.us = clock->mono(clock->user).us + INT64_C(3600000000);
    ck_assert_int_gt(stf_ctx_left_us(&ctx), INT64_C(3000000000));
    ctx.deadline = clock->mono(clock->user);
    ck_assert_int_eq(stf_ctx_check(&ctx, NULL), STF_DEADLINE_EXCEEDED);
}

STF_TEST(a_cancelled_call_says_so_even_past_its_deadline)
{
    stf_error error = STF_ERROR_INIT;
    stf_cancel *cancel;
    STF_CHECK_OK(stf_cancel_new(NULL, &cancel, &error), &error);
    stf_ctx ctx = STF_CTX_INIT;
    ctx.flags = STF_CTX_HAS_DEADLINE; /* at 0: long past */
    ctx.cancel = cancel;
    STF_CHECK_STATUS(stf_ctx_check(&ctx, &error), STF_DEADLINE_EXCEEDED, &error);
    stf_cancel_request(cancel);
    STF_CHECK_STATUS(stf_ctx_check(&ctx, &error), STF_CANCELLED, &error);
    (void)stf_cancel_unref(cancel);
}

static const stf_test_case cases[] = {
    STF_CASE(no_context_and_an_empty_one_are_no_limit),
    STF_CASE(a_deadline_passes_by_the_named_clock),
    STF_CASE(a_far_deadline_does_not_overflow),
    STF_CASE(without_a_clock_the_system_measures),
    STF_CASE(a_cancelled_call_says_so_even_past_its_deadline),
};

STF_TEST_MAIN("base/ctx", cases)

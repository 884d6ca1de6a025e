/* SPDX-License-Identifier: Apache-2.0 */
/* One holder at a time; waiters with limits and without get their turn or leave in time. */
#include "gate.h"

#include "fixture.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

typedef struct gate_contest {
    stf__sqlite_gate gate;
    int64_t inside; /* not atomic on purpose: the gate guards it */
    int64_t total;
} gate_contest;

typedef struct contender {
    gate_contest *contest;
    stf_cancel *cancel; /* NULL: without limits */
    pthread_t thread;
} contender;

enum {
    ROUNDS = 2000,
    CONTENDERS = 4
};

static void *contend(void *user)
{
    contender *self = user;
    stf_ctx ctx = STF_CTX_INIT;
    ctx.cancel = self->cancel;
    for (int i = 0; i < ROUNDS; i++) {
        stf_status status =
            stf__sqlite_gate_enter(&self->contest->gate, self->cancel != NULL ? &ctx : NULL, NULL);
        ck_assert_int_eq(status, STF_OK);
        self->contest->inside++;
        ck_assert_int_eq(self->contest->inside, 1);
        self->contest->total++;
        self->contest->inside--;
        stf__sqlite_gate_leave(&self->contest->gate);
    }
    return NULL;
}

STF_TEST(one_is_inside_whether_waiters_have_limits_or_not)
{
    stf_error error = STF_ERROR_INIT;
    gate_contest contest = {.inside = 0};
    STF_CHECK_OK(stf__sqlite_gate_init(&contest.gate, &error), &error);
    contender contenders[CONTENDERS];
    for (int i = 0; i < CONTENDERS; i++) {
        contenders[i] = (contender){.contest = &contest};
        if (i % 2 == 0) {
            STF_CHECK_OK(stf_cancel_new(NULL, &contenders[i].cancel, &error), &error);
        }
    }
    for (int i = 0; i < CONTENDERS; i++) {
        pthread_create(&contenders[i].thread, NULL, contend, &contenders[i]);
    }
    for (int i = 0; i < CONTENDERS; i++) {
        pthread_join(contenders[i].thread, NULL);
        stf_cancel_unref(contenders[i].cancel);
    }
    ck_assert_int_eq(contest.total, (int64_t)ROUNDS * CONTENDERS);
    stf__sqlite_gate_done(&contest.gate);
}

STF_TEST(a_waiter_leaves_at_its_deadline_and_the_gate_stays_usable)
{
    stf_error error = STF_ERROR_INIT;
    stf__sqlite_gate gate;
    STF_CHECK_OK(stf__sqlite_gate_init(&gate, &error), &error);
    STF_CHECK_OK(stf__sqlite_gate_enter(&gate, NULL, &error), &error);
    const stf_clock *clock = stf_clock_system();
    stf_ctx ctx = STF_CTX_INIT;
    ctx.flags = STF_CTX_HAS_DEADLINE;
    ctx.deadline.us = clock->mono(clock->user).us + 30000;
    STF_CHECK_STATUS(stf__sqlite_gate_enter(&gate, &ctx, &error), STF_DEADLINE_EXCEEDED, &error);
    ck_assert_int_ge(clock->mono(clock->user).us, ctx.deadline.us);
    stf__sqlite_gate_leave(&gate);
    STF_CHECK_OK(stf__sqlite_gate_enter(&gate, NULL, &error), &error);
    stf__sqlite_gate_leave(&gate);
    stf__sqlite_gate_done(&gate);
}

static void *cancel_soon(void *user)
{
    usleep(20000);
    stf_cancel_request(user);
    return NULL;
}

STF_TEST(a_cancel_wakes_a_waiter)
{
    stf_error error = STF_ERROR_INIT;
    stf__sqlite_gate gate;
    stf_cancel *cancel = NULL;
    STF_CHECK_OK(stf__sqlite_gate_init(&gate, &error), &error);
    STF_CHECK_OK(stf_cancel_new(NULL, &cancel, &error), &error);
    STF_CHECK_OK(stf__sqlite_gate_enter(&gate, NULL, &error), &error);
    stf_ctx ctx = STF_CTX_INIT;
    ctx.cancel = cancel;
    pthread_t thread;
    pthread_create(&thread, NULL, cancel_soon, cancel);
    STF_CHECK_STATUS(stf__sqlite_gate_enter(&gate, &ctx, &error), STF_CANCELLED, &error);
    pthread_join(thread, NULL);
    stf_cancel_unref(cancel);
    stf__sqlite_gate_leave(&gate);
    stf__sqlite_gate_done(&gate);
}

typedef struct handover {
    stf__sqlite_gate gate;
    const stf_ctx *ctx;
    _Atomic int turns;
} handover;

enum {
    HANDOVERS = 200
};

static void *take_turns(void *user)
{
    handover *self = user;
    for (int i = 0; i < HANDOVERS; i++) {
        ck_assert_int_eq(stf__sqlite_gate_enter(&self->gate, self->ctx, NULL), STF_OK);
        stf__sqlite_gate_leave(&self->gate);
        self->turns++;
        while (self->turns % 2 != 0) { /* until the other side has the gate again */
            sched_yield();
        }
    }
    return NULL;
}

static unsigned waiting(handover *self)
{
    pthread_mutex_lock(&self->gate.mutex);
    unsigned pollers = self->gate.pollers;
    pthread_mutex_unlock(&self->gate.mutex);
    return pollers;
}

/* A waiter that had to wait out its slice would take ten seconds. */
STF_TEST(a_waiter_with_limits_is_woken_when_the_gate_is_left)
{
    stf_error error = STF_ERROR_INIT;
    stf_cancel *cancel = NULL;
    STF_CHECK_OK(stf_cancel_new(NULL, &cancel, &error), &error);
    stf_ctx ctx = STF_CTX_INIT;
    ctx.cancel = cancel;
    handover shared = {.ctx = &ctx};
    STF_CHECK_OK(stf__sqlite_gate_init(&shared.gate, &error), &error);
    STF_CHECK_OK(stf__sqlite_gate_enter(&shared.gate, NULL, &error), &error);
    const stf_clock *clock = stf_clock_system();
    int64_t start = clock->mono(clock->user).us;
    pthread_t thread;
    pthread_create(&thread, NULL, take_turns, &shared);
    for (int i = 0; i < HANDOVERS; i++) {
        while (waiting(&shared) == 0) {
            sched_yield();
        }
        stf__sqlite_gate_leave(&shared.gate);
        while (shared.turns % 2 == 0) {
            sched_yield();
        }
        STF_CHECK_OK(stf__sqlite_gate_enter(&shared.gate, NULL, &error), &error);
        shared.turns++;
    }
    ck_assert_int_lt(clock->mono(clock->user).us - start, 5000000);
    stf__sqlite_gate_leave(&shared.gate);
    pthread_join(thread, NULL);
    stf_cancel_unref(cancel);
    stf__sqlite_gate_done(&shared.gate);
}

static const stf_test_case cases[] = {
    STF_CASE(one_is_inside_whether_waiters_have_limits_or_not),
    STF_CASE(a_waiter_leaves_at_its_deadline_and_the_gate_stays_usable),
    STF_CASE(a_cancel_wakes_a_waiter),
    STF_CASE(a_waiter_with_limits_is_woken_when_the_gate_is_left),
};

STF_TEST_MAIN("sqlite gate", cases)

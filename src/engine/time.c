/* SPDX-License-Identifier: Apache-2.0 */
/* The engine's one "now" (the store's clock where it offers one, never going back), its back-off,
 * and how long threads sleep. Times come from the clock port; only the sleep of a condition
 * variable needs an absolute point of the kernel's own clock, which is used for nothing else. */
#include "engine/private.h"

#include <stepfast/sys/repository_clock.h>
#include <time.h>

/* A clock that is not the system's moves by somebody's hand: look again soon. */
#define FOREIGN_CLOCK_SLICE_US INT64_C(2000)
#define SLEEP_MAX_US INT64_C(60000000)

stf_wall stf__engine_now(stf_engine *engine)
{
    int64_t now = engine->clock->wall(engine->clock->user).us;
    if (engine->has_store_clock) {
        now += atomic_load(&engine->clock_offset_us);
    }
    int64_t last = atomic_load(&engine->last_now_us);
    while (now > last && !atomic_compare_exchange_weak(&engine->last_now_us, &last, now)) {
    }
    return (stf_wall){now > last ? now : last};
}

stf_mono stf__engine_mono(const stf_engine *engine)
{
    return engine->clock->mono(engine->clock->user);
}

/* An exchange that fails leaves the offset as it is: time goes on with the local clock. */
void stf__engine_refresh_clock(stf_engine *engine, const stf_ctx *ctx)
{
    stf_wall now;
    if (!engine->has_store_clock) {
        return;
    }
    if (stf_repository_now(engine->repository, ctx, &now, NULL) == STF_OK) {
        atomic_store(&engine->clock_offset_us,
                     now.us - engine->clock->wall(engine->clock->user).us);
    }
}

/* Doubling, with up to a quarter of jitter so that engines do not come back together. */
int64_t stf__engine_backoff_us(stf_engine *engine, uint32_t failures)
{
    int64_t us = STF__BACKOFF_FIRST_US;
    for (uint32_t i = 1; i < failures && us < STF__BACKOFF_LAST_US; i++) {
        us *= 2;
    }
    us = us < STF__BACKOFF_LAST_US ? us : STF__BACKOFF_LAST_US;
    uint16_t draw = 0;
    stf__random_fill(&engine->random, &draw, sizeof(draw));
    return us + us / 4 * (int64_t)draw / UINT16_MAX;
}

int64_t stf__engine_sleep_us(const stf_engine *engine, int64_t deadline_us, const stf_ctx *ctx)
{
    int64_t us = SLEEP_MAX_US;
    int64_t now = stf__engine_mono(engine).us;
    if (deadline_us <= now) {
        return 0;
    }
    us = deadline_us - now < us ? deadline_us - now : us;
    int64_t left = stf_ctx_left_us(ctx);
    us = left < us ? left : us;
    bool has_foreign_clock = engine->clock != stf_clock_system() ||
                             (ctx != NULL && ctx->clock != NULL && ctx->clock != engine->clock);
    if (has_foreign_clock && us > FOREIGN_CLOCK_SLICE_US) {
        us = FOREIGN_CLOCK_SLICE_US;
    } else if (ctx != NULL && ctx->cancel != NULL && us > STF__CANCEL_SLICE_US) {
        us = STF__CANCEL_SLICE_US;
    }
    return us;
}

stf_status stf__engine_init_cond(pthread_cond_t *cond)
{
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes) != 0) {
        return STF_NO_MEMORY;
    }
    int failed = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    if (failed == 0) {
        failed = pthread_cond_init(cond, &attributes);
    }
    (void)pthread_condattr_destroy(&attributes);
    return failed == 0 ? STF_OK : STF_NO_MEMORY;
}

void stf__engine_wait(stf_engine *engine, pthread_cond_t *cond, int64_t us)
{
    struct timespec until;
    us = us > SLEEP_MAX_US ? SLEEP_MAX_US : us;
    if (us <= 0) {
        return;
    }
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    int64_t ns = (int64_t)until.tv_nsec + us * 1000;
    until.tv_sec += (time_t)(ns / 1000000000);
    until.tv_nsec = (long)(ns % 1000000000);
    (void)pthread_cond_timedwait(cond, &engine->lock, &until);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The lock around a connection. Waiters without limits sleep on a condition; waiters with a
 * deadline or a cancel token poll a descriptor, in slices, because their clock may be injected and
 * says nothing about real time. */
#include "gate.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define SLICE_US 50000

stf_status stf__sqlite_gate_init(stf__sqlite_gate *gate, stf_error *error)
{
    *gate = (stf__sqlite_gate){.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    if (gate->wake_fd < 0) {
        return stf_error_set(error, STF_UNAVAILABLE, "SQLITE_REPO", "no descriptor is left: %s",
                             strerror(errno));
    }
    pthread_mutex_init(&gate->mutex, NULL);
    pthread_cond_init(&gate->freed, NULL);
    return STF_OK;
}

void stf__sqlite_gate_done(stf__sqlite_gate *gate)
{
    close(gate->wake_fd);
    pthread_cond_destroy(&gate->freed);
    pthread_mutex_destroy(&gate->mutex);
}

static bool has_limits(const stf_ctx *ctx)
{
    return ctx != NULL && (ctx->cancel != NULL || (ctx->flags & STF_CTX_HAS_DEADLINE) != 0);
}

static void drain(int wake_fd)
{
    uint64_t count = 0;
    ssize_t got = read(wake_fd, &count, sizeof(count));
    (void)got; /* empty when another waiter was faster */
}

void stf__sqlite_pause(const stf_ctx *ctx, int wake_fd, int64_t pause_us)
{
    struct pollfd fds[2];
    nfds_t count = 0;
    if (ctx != NULL && ctx->cancel != NULL) {
        fds[count++] = (struct pollfd){.fd = stf_cancel_fd(ctx->cancel), .events = POLLIN};
    }
    if (wake_fd >= 0) {
        fds[count++] = (struct pollfd){.fd = wake_fd, .events = POLLIN};
    }
    struct timespec timeout = {.tv_sec = (time_t)(pause_us / 1000000),
                               .tv_nsec = (long)(pause_us % 1000000) * 1000};
    (void)ppoll(fds, count, &timeout, NULL);
}

stf_status stf__sqlite_gate_enter(stf__sqlite_gate *gate, const stf_ctx *ctx, stf_error *error)
{
    stf_status status = STF_OK;
    pthread_mutex_lock(&gate->mutex);
    while (gate->is_taken && status == STF_OK) {
        if (!has_limits(ctx)) {
            pthread_cond_wait(&gate->freed, &gate->mutex);
            continue;
        }
        gate->pollers++;
        pthread_mutex_unlock(&gate->mutex);
        int64_t left_us = stf_ctx_left_us(ctx);
        stf__sqlite_pause(ctx, gate->wake_fd, left_us < SLICE_US ? left_us : SLICE_US);
        drain(gate->wake_fd);
        status = stf_ctx_check(ctx, error);
        pthread_mutex_lock(&gate->mutex);
        gate->pollers--;
    }
    if (status == STF_OK) {
        gate->is_taken = true;
    }
    pthread_mutex_unlock(&gate->mutex);
    return status;
}

void stf__sqlite_gate_leave(stf__sqlite_gate *gate)
{
    pthread_mutex_lock(&gate->mutex);
    gate->is_taken = false;
    if (gate->pollers != 0) {
        uint64_t one = 1;
        ssize_t put = write(gate->wake_fd, &one, sizeof(one));
        (void)put; /* only fails when it is readable anyway */
    }
    pthread_cond_signal(&gate->freed);
    pthread_mutex_unlock(&gate->mutex);
}

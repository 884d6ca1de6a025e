/* SPDX-License-Identifier: Apache-2.0 */
/* The cancel token: one atomic flag for those who ask, one eventfd for those who poll. The eventfd
 * is written once and never read, so it stays readable. Requesting is async-signal-safe: an atomic
 * exchange and a write, with errno put back. */
#include <stepfast/ctx.h>

#include "base/mem.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct stf_cancel {
    const stf_allocator *alloc;
    atomic_uint refs;
    atomic_bool is_requested;
    int fd;
};

stf_status stf_cancel_new(const stf_allocator *alloc, stf_cancel **ret_cancel, stf_error *error)
{
    alloc = stf__alloc_or_default(alloc);
    stf_cancel *cancel = stf__mem_zalloc(alloc, sizeof(*cancel));
    if (cancel == NULL) {
        return stf_error_set(error, STF_NO_MEMORY, "BASE", "no memory for a cancel token");
    }
    cancel->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (cancel->fd < 0) {
        stf__mem_free(alloc, cancel);
        return stf_error_set(error, STF_UNAVAILABLE, "BASE",
                             "no file descriptor is left for a cancel token");
    }
    cancel->alloc = alloc;
    atomic_init(&cancel->refs, 1);
    atomic_init(&cancel->is_requested, false);
    *ret_cancel = cancel;
    return STF_OK;
}

stf_cancel *stf_cancel_ref(stf_cancel *cancel)
{
    if (cancel != NULL) {
        atomic_fetch_add_explicit(&cancel->refs, 1, memory_order_relaxed);
    }
    return cancel;
}

stf_cancel *stf_cancel_unref(stf_cancel *cancel)
{
    if (cancel != NULL && atomic_fetch_sub_explicit(&cancel->refs, 1, memory_order_acq_rel) == 1) {
        (void)close(cancel->fd);
        stf__mem_free(cancel->alloc, cancel);
    }
    return NULL;
}

void stf_cancel_request(stf_cancel *cancel)
{
    if (cancel == NULL || atomic_exchange(&cancel->is_requested, true)) {
        return;
    }
    int saved = errno;
    const uint64_t one = 1;
    ssize_t written;
    do {
        written = write(cancel->fd, &one, sizeof(one));
    } while (written < 0 && errno == EINTR);
    errno = saved;
}

bool stf_cancel_is_requested(const stf_cancel *cancel)
{
    return cancel != NULL && atomic_load(&cancel->is_requested);
}

int stf_cancel_fd(const stf_cancel *cancel)
{
    return cancel != NULL ? cancel->fd : -1;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* See without_wake.h: the passthrough store with the capability left out, and a clock on request.
 */
#include "conformance/without_wake.h"

#include <stepfast/sys/repository_clock.h>
#include <string.h>

#include "conformance/passthrough.h"

static stf_status tell_time(void *impl, const stf_ctx *ctx, stf_wall *ret_now, stf_error *error)
{
    (void)ctx;
    (void)error;
    const stf_clock *clock = ((passthrough *)impl)->clock;
    *ret_now = clock->wall(clock->user);
    return STF_OK;
}

static const void *extension_without_wake(void *impl, const char *id)
{
    static const stf_store_clock_vtable clock = {sizeof(clock), STF_STORE_CLOCK_ABI, 0, tell_time};
    passthrough *self = impl;
    if (strcmp(id, STF_REPOSITORY_WAKE) == 0) {
        return NULL;
    }
    if (strcmp(id, STF_REPOSITORY_CLOCK) == 0) {
        return self->clock != NULL ? &clock : NULL;
    }
    return passthrough_extension(impl, id);
}

static void hide_wake(stf_repository_vtable *vtable, passthrough *self)
{
    (void)self;
    vtable->extension = extension_without_wake;
}

stf_status without_wake_new(const stf_allocator *alloc, stf_repository *inner,
                            const stf_clock *clock, stf_repository **ret_outer, stf_error *error)
{
    return passthrough_new_with(alloc, hide_wake, inner, clock, ret_outer, error);
}

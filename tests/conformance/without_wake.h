/* SPDX-License-Identifier: Apache-2.0 */
/* A store that hides the wake capability of the one below, so that the port's index answers. */
#ifndef STF_TESTS_WITHOUT_WAKE_H
#define STF_TESTS_WITHOUT_WAKE_H

#include <stepfast/clock.h>
#include <stepfast/sys/repository.h>

/* Takes inner. alloc NULL: the default. With a clock it has the capability of the store's clock. */
stf_status without_wake_new(const stf_allocator *alloc, stf_repository *inner,
                            const stf_clock *clock, stf_repository **ret_outer, stf_error *error);

#endif

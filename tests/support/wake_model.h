/* SPDX-License-Identifier: Apache-2.0 */
/* The wake pages against a plain model: after any series of saves and deletes each page is what a
 * look at every record would give. For every store that answers wake calls, by itself or through
 * the port's index. */
#ifndef STF_WAKE_MODEL_H
#define STF_WAKE_MODEL_H

#include <stepfast/sys/repository.h>

/* An empty store. Fails the test at the first page that differs. */
void wake_model_check(stf_repository *store, size_t rounds, uint32_t seed);

#endif

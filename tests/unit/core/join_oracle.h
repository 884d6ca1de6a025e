/* SPDX-License-Identifier: Apache-2.0 */
/* The standard's rule for inclusive joins a second time, as naively as it is written: paths are
 * walked forwards from each token. For documents at rest. */
#ifndef STF_TESTS_JOIN_ORACLE_H
#define STF_TESTS_JOIN_ORACLE_H

#include "core_case.h"

/* Every inclusive gateway at which tokens wait must wait: another token of its scope can still come
 * to a flow without a token and not to one with a token. Fails the test otherwise. Returns how many
 * gateways wait. */
size_t join_oracle_check(const core_case *c, const char *label);

#endif

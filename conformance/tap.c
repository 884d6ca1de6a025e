/* SPDX-License-Identifier: Apache-2.0 */
/* The reporter that prints TAP version 13: the one place of the library that prints. */
#include "harness.h"

#include <stdio.h>

void stf_conformance_report_tap(void *user, const stf_conformance_result *result)
{
    (void)user;
    if (result->number == 1) {
        (void)printf("TAP version 13\n1..%zu\n", stf_conformance_case_count());
    }
    bool is_ok = result->outcome != STF_CONFORMANCE_FAILED;
    (void)printf("%s %u - %s", is_ok ? "ok" : "not ok", result->number, result->id);
    if (result->outcome == STF_CONFORMANCE_SKIPPED) {
        (void)printf(" # SKIP %s", result->reason);
    }
    (void)printf("\n");
    if (!is_ok) {
        (void)printf("# %s\n# contract: %s\n", result->reason, result->contract);
    }
    (void)fflush(stdout);
}

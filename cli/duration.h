/* SPDX-License-Identifier: Apache-2.0 */
/* Durations as people type them. */
#ifndef CLI_DURATION_H
#define CLI_DURATION_H

#include <stdbool.h>
#include <stdint.h>

/* "500ms", "30s", "5m", "2h", "1d", or ISO 8601 without years and months ("PT1M30S", "P1DT2H").
 * Whole numbers, greater than 0, at most 3650 days. */
bool cli_duration_parse(const char *text, int64_t *ret_duration_us);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* ISO 8601 repetitions: "R3/PT10S", "R/2026-01-01T00:00:00Z/P1D", "R5/PT1H/2026-02-01T00:00:00Z".
 * The n-th time is always start + n x period, never step by step, so nothing drifts: with a start
 * in the text that is the first time; without one the first is one period after the anchor, the
 * time of arming. Calendar parts move in the offset of the start's text. */
#ifndef STF_BASE_CYCLE_H
#define STF_BASE_CYCLE_H

#include "base/iso8601.h"

typedef struct stf__cycle {
    uint64_t count; /* how many times; UINT64_MAX: without end ("R/") */
    stf__duration period;
    stf__date_time start; /* with has_start */
    stf_wall end; /* no time after it; none: not bounded. An end without a start only ends */
    bool has_start;
} stf__cycle;

/* OK, PARSE (a period that is not positive too), LIMIT_EXCEEDED. The message quotes the text. */
STF_MUST_CHECK stf_status stf__cycle_parse(stf_str text, stf__cycle *ret_cycle, stf_error *error);

/* The time of firing index (from 0), anchored where the text has no start. *ret_time is none when
 * the repetition is over. OK or LIMIT_EXCEEDED. */
STF_MUST_CHECK stf_status stf__cycle_time(const stf__cycle *cycle, stf_wall anchor, uint64_t index,
                                          stf_wall *ret_time, stf_error *error);

/* The first index, from `from` on, whose time is later than now: where an overdue repetition goes
 * on after it has fired once. OK or LIMIT_EXCEEDED; bounded work however far now is. */
STF_MUST_CHECK stf_status stf__cycle_index_after(const stf__cycle *cycle, stf_wall anchor,
                                                 uint64_t from, stf_wall now, uint64_t *ret_index,
                                                 stf_error *error);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What goes through the repository port, counted by a store that hands every call to another one:
 * for the saves that a scenario reports, and for the bench, which prints no figure whose count is
 * off: a figure of work that was not done is worse than none. */
#ifndef CLI_STORE_COUNT_H
#define CLI_STORE_COUNT_H

#include <stepfast/sys/repository.h>

typedef struct cli_store_totals {
    uint64_t commits;    /* calls that save */
    uint64_t saves;      /* records that were saved */
    uint64_t refused;    /* records that were not */
    uint64_t creates;    /* of the saves, those that made a record */
    uint64_t loads;      /* records that were loaded */
    uint64_t head_bytes; /* of all saves */
    uint64_t bulk_bytes;
} cli_store_totals;

/* Takes inner: the new store closes it. totals is the caller's and outlives the store; one thread
 * at a time may save and load. Every capability of inner is offered. */
STF_MUST_CHECK stf_status cli_store_count(stf_repository *inner, cli_store_totals *totals,
                                          stf_repository **ret_repository, stf_error *error);

/* What was counted since before. */
cli_store_totals cli_store_totals_since(const cli_store_totals *totals,
                                        const cli_store_totals *before);

/* INTERNAL, naming what and both numbers, unless exactly saves_each saves went through for each of
 * count instances, each of which was made once, with bytes in each, and none was refused. creates
 * is count, or 0 where the records were there before. */
STF_MUST_CHECK stf_status cli_store_totals_check(const char *what, const cli_store_totals *counted,
                                                 uint64_t count, uint64_t saves_each,
                                                 uint64_t creates, stf_error *error);

#endif

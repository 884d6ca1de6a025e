/* SPDX-License-Identifier: Apache-2.0 */
/* Walks over the instances of a group, page by page. */
#ifndef CLI_LISTING_H
#define CLI_LISTING_H

#include "session.h"

/* The instances whose status is in the mask (0: all), of one process (NULL: all), as one list with
 * one reference, ordered by id. */
cli_exit_code cli_listing_load(cli_session *session, uint64_t status_mask, const char *process,
                               stf_value **ret_list);

#define CLI_IN_FLIGHT                                                                              \
    (UINT64_C(1) << STF_RECORD_ACTIVE | UINT64_C(1) << STF_RECORD_SUSPENDED |                      \
     UINT64_C(1) << STF_RECORD_INCIDENT)

#endif

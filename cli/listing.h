/* SPDX-License-Identifier: Apache-2.0 */
/* Walks over the instances of a group, page by page. */
#ifndef CLI_LISTING_H
#define CLI_LISTING_H

#include "session.h"

/* False ends the walk: the visitor has complained. */
typedef bool (*cli_listing_visitor)(void *user, const stf_value *view);

/* Visits the instances whose status is in the mask (0: all), of one process (NULL: all), ordered by
 * id. One page is in memory at a time. */
cli_exit_code cli_listing_visit(cli_session *session, uint64_t status_mask, const char *process,
                                cli_listing_visitor visit, void *user);

#define CLI_IN_FLIGHT                                                                              \
    (UINT64_C(1) << STF_RECORD_ACTIVE | UINT64_C(1) << STF_RECORD_SUSPENDED |                      \
     UINT64_C(1) << STF_RECORD_INCIDENT)

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The questions about a record that every store and the engine must answer alike. Pure. */
#include <stepfast/sys/repository.h>

bool stf_lease_is_expired(const stf_lease *lease, stf_wall now)
{
    return lease->owner.size == 0 || lease->expiry.us <= now.us;
}

bool stf_record_status_is_terminal(uint32_t status)
{
    return status == STF_RECORD_COMPLETED || status == STF_RECORD_TERMINATED;
}

/* By exclusion: a status that this version has never heard of is claimable, so that a newer
 * engine's record is never hidden from everybody. */
bool stf_record_is_claimable(uint32_t status, const stf_lease *lease, stf_wall now)
{
    return !stf_record_status_is_terminal(status) && status != STF_RECORD_SUSPENDED &&
           stf_lease_is_expired(lease, now);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The questions about a record that every store answers alike. */
#include <stepfast/sys/repository.h>

#include "support/stf_test.h"

static const stf_wall now = {100};

STF_TEST(a_lease_is_over_at_its_expiry_and_nobody_has_none)
{
    stf_lease lease = {{"e", 1}, 0, {101}};
    ck_assert(!stf_lease_is_expired(&lease, now));
    lease.expiry.us = 100;
    ck_assert(stf_lease_is_expired(&lease, now));
    lease.expiry.us = 99;
    ck_assert(stf_lease_is_expired(&lease, now));
    lease = (stf_lease){{NULL, 0}, 7, {1000}};
    ck_assert(stf_lease_is_expired(&lease, now));
}

STF_TEST(only_completed_and_terminated_are_terminal)
{
    for (uint32_t status = 0; status < 200; status++) {
        ck_assert_int_eq(stf_record_status_is_terminal(status), status == 1 || status == 2);
    }
}

STF_TEST(claimable_excludes_ended_suspended_and_live_and_nothing_else)
{
    stf_lease free = {{NULL, 0}, 0, {STF_WALL_NONE_US}};
    stf_lease live = {{"e", 1}, 0, {101}};
    for (uint32_t status = 0; status < 200; status++) {
        ck_assert_int_eq(stf_record_is_claimable(status, &free, now), status < 1 || status > 3);
        ck_assert(!stf_record_is_claimable(status, &live, now));
    }
}

static const stf_test_case cases[] = {
    STF_CASE(a_lease_is_over_at_its_expiry_and_nobody_has_none),
    STF_CASE(only_completed_and_terminated_are_terminal),
    STF_CASE(claimable_excludes_ended_suspended_and_live_and_nothing_else),
};

STF_TEST_MAIN("port/record", cases)

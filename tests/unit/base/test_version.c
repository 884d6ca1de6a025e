/* SPDX-License-Identifier: Apache-2.0 */
/* The linked library is the one of the headers. */
#include "support/stf_test.h"

#include <stepfast/stepfast.h>

STF_TEST(the_library_says_the_version_of_its_headers)
{
    ck_assert_str_eq(stf_version(), STEPFAST_VERSION);
}

static const stf_test_case cases[] = {
    STF_CASE(the_library_says_the_version_of_its_headers),
};

STF_TEST_MAIN("base/version", cases)

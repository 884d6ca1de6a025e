/* SPDX-License-Identifier: Apache-2.0 */
/* Statuses have a name and a sentence, and their numbers are part of the ABI. */
#include "support/stf_test.h"

STF_TEST(every_status_has_its_own_name_and_a_sentence)
{
    for (int i = 0; i <= STF_INTERNAL; i++) {
        ck_assert_str_ne(stf_status_name((stf_status)i), "?");
        ck_assert_str_ne(stf_status_text((stf_status)i), "?");
        for (int j = 0; j < i; j++) {
            ck_assert_str_ne(stf_status_name((stf_status)i), stf_status_name((stf_status)j));
        }
    }
    ck_assert_str_eq(stf_status_name(STF_CONCURRENT_UPDATE), "CONCURRENT_UPDATE");
    ck_assert_int_eq(STF_OK, 0);
    ck_assert_int_eq(STF_INTERNAL, 21);
}

STF_TEST(an_unknown_number_is_a_question_mark)
{
    ck_assert_str_eq(stf_status_name((stf_status)9999), "?");
    ck_assert_str_eq(stf_status_text((stf_status)9999), "?");
}

static const stf_test_case cases[] = {
    STF_CASE(every_status_has_its_own_name_and_a_sentence),
    STF_CASE(an_unknown_number_is_a_question_mark),
};

STF_TEST_MAIN("base/status", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* Facts have names, and their numbers are stored in journals. */
#include "support/stf_test.h"

#include <stepfast/observer.h>

STF_TEST(every_fact_has_its_name)
{
#define CHECK_NAME(name, number, text)                                                             \
    ck_assert_str_eq(stf_fact_name(number), #name);                                                \
    ck_assert_uint_eq(STF_FACT_##name, number);
    STF_FACT_MAP(CHECK_NAME)
#undef CHECK_NAME
    ck_assert_str_eq(stf_fact_name(10), "NODE_ENTERED");
}

STF_TEST(an_unknown_fact_is_a_question_mark)
{
    ck_assert_str_eq(stf_fact_name(0), "?");
    ck_assert_str_eq(stf_fact_name(UINT32_MAX), "?");
}

static const stf_test_case cases[] = {
    STF_CASE(every_fact_has_its_name),
    STF_CASE(an_unknown_fact_is_a_question_mark),
};

STF_TEST_MAIN("base/fact", cases)

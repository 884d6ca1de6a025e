/* SPDX-License-Identifier: Apache-2.0 */
/* The stages of validation: all arguments pass one before the next begins. */
#include "port/private.h"
#include "unit/port/fake.h"

#include "support/stf_test.h"

static stf_status check_pair(stf_str first, stf_str second, size_t limit)
{
    stf__text texts[] = {{"first", first, true}, {"second", second, true}};
    return stf__port_check_page(texts, 2, limit, NULL);
}

STF_TEST(an_earlier_stage_wins_whichever_argument_has_it)
{
    static const stf_str hollow = {NULL, 3};
    static const stf_str bad = {"\xff", 1};
    const stf_str empty = {NULL, 0};
    const stf_str over = fake_long_text();
    const stf_str good = {"good", 4};
    ck_assert_uint_eq(check_pair(good, good, 1), STF_OK);
    /* In the order of the stages: malformed, empty, limit, UTF-8. */
    const stf_str faults[] = {hollow, empty, over, bad};
    static const stf_status statuses[] = {STF_INVALID_ARGUMENT, STF_EMPTY_NOT_ALLOWED,
                                          STF_LIMIT_EXCEEDED, STF_INVALID_ARGUMENT};
    for (size_t i = 0; i < 4; i++) {
        ck_assert_uint_eq(check_pair(good, faults[i], 1), statuses[i]);
        for (size_t k = i; k < 4; k++) {
            ck_assert_uint_eq(check_pair(faults[k], faults[i], 1), statuses[i]);
            ck_assert_uint_eq(check_pair(faults[i], faults[k], 1), statuses[i]);
        }
    }
}

STF_TEST(a_page_has_at_least_one_and_at_most_so_many_rows)
{
    const stf_str good = {"good", 4};
    const stf_str bad = {"\xff", 1};
    ck_assert_uint_eq(check_pair(good, good, STF_LIMIT_PAGE), STF_OK);
    ck_assert_uint_eq(check_pair(good, bad, STF_LIMIT_PAGE + 1), STF_LIMIT_EXCEEDED);
    ck_assert_uint_eq(check_pair(good, good, 0), STF_INVALID_ARGUMENT);
    ck_assert_uint_eq(check_pair(good, fake_long_text(), 0), STF_LIMIT_EXCEEDED);
}

STF_TEST(the_message_names_the_argument)
{
    stf__text text = {"group", {NULL, 0}, true};
    stf_error error = STF_ERROR_INIT;
    STF_CHECK_STATUS(stf__port_check_texts(&text, 1, &error), STF_EMPTY_NOT_ALLOWED, &error);
    ck_assert_ptr_nonnull(strstr(error.message, "group"));
    ck_assert_str_eq(error.origin, "PORT");
    text.is_required = false;
    STF_CHECK_OK(stf__port_check_texts(&text, 1, &error), &error);
}

static const stf_test_case cases[] = {
    STF_CASE(an_earlier_stage_wins_whichever_argument_has_it),
    STF_CASE(a_page_has_at_least_one_and_at_most_so_many_rows),
    STF_CASE(the_message_names_the_argument),
};

STF_TEST_MAIN("port/check", cases)

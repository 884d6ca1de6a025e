/* SPDX-License-Identifier: Apache-2.0 */
/* The error report: complete, bounded, optional. */
#include "support/stf_test.h"

STF_TEST(setting_answers_the_status_and_replaces_what_was_there)
{
    stf_error error = STF_ERROR_INIT;
    (void)stf_error_set(&error, STF_PARSE, "OLD", "old");
    stf_error_add_detail(&error, "k", "v");
    stf_error_set_native(&error, "23505");
    stf_error_context(&error, "while %s", "loading");
    ck_assert_int_eq(stf_error_set(&error, STF_CONFLICT, "ENGINE", "%d things", 3), STF_CONFLICT);
    ck_assert_uint_eq(error.status, STF_CONFLICT);
    ck_assert_str_eq(error.origin, "ENGINE");
    ck_assert_str_eq(error.message, "3 things");
    ck_assert_str_eq(error.native_code, "");
    ck_assert_uint_eq(error.detail_count, 0);
    ck_assert_str_eq(error.trail[0], "");
    ck_assert_uint_eq(error.struct_size, sizeof(error));
}

STF_TEST(nobody_needs_to_want_the_report)
{
    ck_assert_int_eq(stf_error_set(NULL, STF_INTERNAL, "X", "x"), STF_INTERNAL);
    stf_error_add_detail(NULL, "k", "v");
    stf_error_set_native(NULL, "1");
    stf_error_context(NULL, "c");
    stf_error_init(NULL);
    ck_assert_ptr_null(stf_error_get_detail(NULL, "k"));
}

STF_TEST(a_message_may_quote_the_report_that_it_replaces)
{
    stf_error error = STF_ERROR_INIT;
    (void)stf_error_set(&error, STF_PARSE, "A", "inner");
    (void)stf_error_set(&error, STF_PARSE, error.origin, "outer: %s", error.message);
    ck_assert_str_eq(error.message, "outer: inner");
    ck_assert_str_eq(error.origin, "A");
}

STF_TEST(long_texts_are_cut_between_characters_and_marked)
{
    stf_error error = STF_ERROR_INIT;
    char text[2000];
    for (size_t shift = 0; shift < 3; shift++) {
        memset(text, 'x', shift);
        for (size_t i = shift; i + 3 < sizeof(text); i += 3) {
            memcpy(text + i, "\xe2\x82\xac", 4);
        }
        (void)stf_error_set(&error, STF_PARSE, text, "%s", text);
        stf_error_add_detail(&error, text, "%s", text);
        stf_error_set_native(&error, "%s", text);
        stf_error_context(&error, "%s", text);
        const char *const all[] = {error.origin,           error.message,     error.details[0].key,
                                   error.details[0].value, error.native_code, error.trail[0]};
        for (size_t i = 0; i < 6; i++) {
            size_t size = strlen(all[i]);
            ck_assert_uint_ge(size, 18);
            ck_assert_str_eq(all[i] + size - 3, "...");
            ck_assert(stf_str_is_utf8(stf_str_of(all[i])));
        }
        ck_assert_uint_ge(strlen(error.message), sizeof(error.message) - 4);
    }
}

STF_TEST(a_text_that_just_fits_is_not_cut)
{
    stf_error error = STF_ERROR_INIT;
    char text[sizeof(error.message)];
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    (void)stf_error_set(&error, STF_PARSE, "1234567890123456789012345678901", "%s", text);
    ck_assert_str_eq(error.message, text);
    ck_assert_str_eq(error.origin, "1234567890123456789012345678901");
}

STF_TEST(the_ninth_detail_and_the_fourth_context_are_dropped)
{
    stf_error error = STF_ERROR_INIT;
    for (int i = 0; i < 9; i++) {
        char key[8];
        snprintf(key, sizeof(key), "k%d", i);
        stf_error_add_detail(&error, key, "%d", i);
        stf_error_context(&error, "c%d", i);
    }
    ck_assert_uint_eq(error.detail_count, 8);
    ck_assert_str_eq(stf_error_get_detail(&error, "k7"), "7");
    ck_assert_ptr_null(stf_error_get_detail(&error, "k8"));
    ck_assert_str_eq(error.trail[0], "c0");
    ck_assert_str_eq(error.trail[2], "c2");
}

static const stf_test_case cases[] = {
    STF_CASE(setting_answers_the_status_and_replaces_what_was_there),
    STF_CASE(nobody_needs_to_want_the_report),
    STF_CASE(a_message_may_quote_the_report_that_it_replaces),
    STF_CASE(long_texts_are_cut_between_characters_and_marked),
    STF_CASE(a_text_that_just_fits_is_not_cut),
    STF_CASE(the_ninth_detail_and_the_fourth_context_are_dropped),
};

STF_TEST_MAIN("base/error", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* Characters, white space and case without a locale. */
#include "expr/utf8.h"

#include "support/stf_test.h"

static const uint32_t boundaries[] = {0x1,    0x7F,   0x80,   0x7FF,   0x800,
                                      0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF};

STF_TEST(every_size_of_character_survives_encoding_and_decoding)
{
    for (size_t i = 0; i < sizeof(boundaries) / sizeof(boundaries[0]); i++) {
        char bytes[4];
        size_t size = stf__utf8_encode(boundaries[i], bytes);
        uint32_t code = 0;
        ck_assert(stf_str_is_utf8((stf_str){bytes, size}));
        ck_assert_uint_eq(stf__utf8_decode((stf_str){bytes, size}, 0, &code), size);
        ck_assert_uint_eq(code, boundaries[i]);
    }
}

STF_TEST(surrogates_nul_and_codes_beyond_unicode_are_no_scalars)
{
    ck_assert(!stf__utf8_is_scalar(0));
    ck_assert(!stf__utf8_is_scalar(0xD800));
    ck_assert(!stf__utf8_is_scalar(0xDFFF));
    ck_assert(!stf__utf8_is_scalar(0x110000));
    ck_assert(stf__utf8_is_scalar(0xD7FF));
    ck_assert(stf__utf8_is_scalar(0x10FFFF));
}

STF_TEST(lengths_and_offsets_count_characters)
{
    stf_str text = stf_str_of("a\xC3\xA9\xF0\x9F\x90\x8Ez");
    ck_assert_uint_eq(stf__utf8_length(text), 4);
    ck_assert_uint_eq(stf__utf8_offset(text, 0), 0);
    ck_assert_uint_eq(stf__utf8_offset(text, 2), 3);
    ck_assert_uint_eq(stf__utf8_offset(text, 3), 7);
    ck_assert_uint_eq(stf__utf8_offset(text, 99), text.size);
}

STF_TEST(trimming_takes_every_white_space_of_feel_and_only_that)
{
    STF_CHECK_STR(stf__utf8_trim(stf_str_of("\xEF\xBB\xBF \t\xC2\xA0x\xC2\xA0y\xE3\x80\x80\n")),
                  "x\xC2\xA0y");
    STF_CHECK_STR(stf__utf8_trim(stf_str_of(" \xC2\xA0 ")), "");
    STF_CHECK_STR(stf__utf8_trim(stf_str_of("\xC3\xA0")), "\xC3\xA0");
}

STF_TEST(case_mapping_is_its_own_inverse_on_letters_and_leaves_the_rest)
{
    static const struct {
        uint32_t lower, upper;
    } pairs[] = {{'a', 'A'},     {'z', 'Z'},     {0xE9, 0xC9},    {0xFE, 0xDE},
                 {0x101, 0x100}, {0x17E, 0x17D}, {0x3B1, 0x391},  {0x3C9, 0x3A9},
                 {0x434, 0x414}, {0x451, 0x401}, {0x1EF9, 0x1EF8}};
    static const uint32_t others[] = {'0', '_', 0xD7, 0xF7, 0xDF, 0x3C2, 0x20AC, 0x1F40E};
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        ck_assert_uint_eq(stf__utf8_upper(pairs[i].lower), pairs[i].upper);
        ck_assert_uint_eq(stf__utf8_lower(pairs[i].upper), pairs[i].lower);
        ck_assert_uint_eq(stf__utf8_upper(pairs[i].upper), pairs[i].upper);
        ck_assert_uint_eq(stf__utf8_lower(pairs[i].lower), pairs[i].lower);
    }
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        ck_assert_uint_eq(stf__utf8_upper(others[i]), others[i]);
        ck_assert_uint_eq(stf__utf8_lower(others[i]), others[i]);
    }
}

static const stf_test_case cases[] = {
    STF_CASE(every_size_of_character_survives_encoding_and_decoding),
    STF_CASE(surrogates_nul_and_codes_beyond_unicode_are_no_scalars),
    STF_CASE(lengths_and_offsets_count_characters),
    STF_CASE(trimming_takes_every_white_space_of_feel_and_only_that),
    STF_CASE(case_mapping_is_its_own_inverse_on_letters_and_leaves_the_rest),
};

STF_TEST_MAIN("expr_utf8", cases)

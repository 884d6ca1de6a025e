/* SPDX-License-Identifier: Apache-2.0 */
/* Borrowed text: equality, order by bytes, and what counts as UTF-8. */
#include "base/mem.h"
#include "support/stf_test.h"

#include <string.h>

STF_TEST(a_view_of_no_text_is_empty)
{
    ck_assert_uint_eq(stf_str_of(NULL).size, 0);
    ck_assert(stf_str_equal(stf_str_of(NULL), stf_str_of("")));
    ck_assert_int_eq(stf_str_compare(stf_str_of(NULL), stf_str_of("")), 0);
    ck_assert(stf_str_is_utf8(stf_str_of(NULL)));
}

STF_TEST(order_is_by_unsigned_bytes_with_the_shorter_first)
{
    static const char *const ascending[] = {"", "A", "Z", "a", "aa", "ab", "b", "\xc3\xa4"};
    for (size_t i = 0; i < STF_COUNT_OF(ascending); i++) {
        for (size_t j = 0; j < STF_COUNT_OF(ascending); j++) {
            stf_str a = stf_str_of(ascending[i]);
            stf_str b = stf_str_of(ascending[j]);
            ck_assert_int_eq(stf_str_compare(a, b), (i > j) - (i < j));
            ck_assert(stf_str_equal(a, b) == (i == j));
        }
    }
}

STF_TEST(every_character_of_unicode_is_utf8_and_surrogates_are_not)
{
    for (unsigned point = 1; point <= 0x10FFFF; point++) {
        char bytes[4];
        size_t size = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
        unsigned rest = point;
        for (size_t i = size - 1; i > 0; i--) {
            bytes[i] = (char)(0x80u | (rest & 0x3Fu));
            rest >>= 6;
        }
        static const unsigned leads[] = {0, 0, 0xC0u, 0xE0u, 0xF0u};
        bytes[0] = (char)(leads[size] | rest);
        bool is_character = point < 0xD800 || point > 0xDFFF;
        if (stf_str_is_utf8((stf_str){bytes, size}) != is_character) {
            ck_abort_msg("U+%04X", point);
        }
        for (size_t cut = 1; cut < size; cut++) {
            if (stf_str_is_utf8((stf_str){bytes, cut})) {
                ck_abort_msg("U+%04X cut", point);
            }
        }
    }
}

STF_TEST(one_bad_byte_anywhere_in_a_long_text_is_found)
{
    static const char bad[] = {'\0', '\x80', '\xff', '\xc3'};
    char text[27];
    for (size_t i = 0; i < sizeof(text); i++) {
        for (size_t j = 0; j < sizeof(bad); j++) {
            memset(text, i % 2 == 0 ? 'a' : '\x01', sizeof(text));
            ck_assert(stf_str_is_utf8((stf_str){text, sizeof(text)}));
            text[i] = bad[j];
            ck_assert_msg(!stf_str_is_utf8((stf_str){text, sizeof(text)}), "%zu, %zu", i, j);
        }
    }
}

STF_TEST(what_only_looks_like_utf8_is_refused)
{
    const stf_str bad[] = {
        STF_STR("\0"),               /* NUL */
        STF_STR("a\0b"),             /* NUL inside */
        STF_STR("\x80"),             /* continuation alone */
        STF_STR("\xbf"),             /* continuation alone */
        STF_STR("\xc0\x80"),         /* overlong NUL */
        STF_STR("\xc1\xbf"),         /* overlong */
        STF_STR("\xe0\x9f\xbf"),     /* overlong */
        STF_STR("\xf0\x8f\xbf\xbf"), /* overlong */
        STF_STR("\xf4\x90\x80\x80"), /* over U+10FFFF */
        STF_STR("\xf5\x80\x80\x80"), /* over U+10FFFF */
        STF_STR("\xff"),             /* never */
        STF_STR("\xc3("),            /* broken off */
        STF_STR("\xe2\x82("),        /* broken off */
        STF_STR("\xf0\x9f\x92("),    /* broken off */
        STF_STR("\xe4"),             /* Latin-1 */
    };
    for (size_t i = 0; i < STF_COUNT_OF(bad); i++) {
        ck_assert_msg(!stf_str_is_utf8(bad[i]), "case %zu", i);
    }
}

static const stf_test_case cases[] = {
    STF_CASE(a_view_of_no_text_is_empty),
    STF_CASE(order_is_by_unsigned_bytes_with_the_shorter_first),
    STF_CASE(every_character_of_unicode_is_utf8_and_surrogates_are_not),
    STF_CASE(one_bad_byte_anywhere_in_a_long_text_is_found),
    STF_CASE(what_only_looks_like_utf8_is_refused),
};

STF_TEST_MAIN("base/str", cases)

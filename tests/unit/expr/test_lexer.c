/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens, escapes, and what is said of unreadable texts. */
#include "expr/lexer.h"

#include "rows.h"

static stf__lexer lexer_of(const char *text, stf_expr_language language, stf_error *error)
{
    return (stf__lexer){.source = {.text = stf_str_of(text), .error = error}, .language = language};
}

static void check_kinds(const char *text, stf_expr_language language, const stf__token_kind *kinds,
                        size_t count)
{
    stf_error error = STF_ERROR_INIT;
    stf__lexer lexer = lexer_of(text, language, &error);
    for (size_t i = 0; i < count; i++) {
        stf__token token;
        STF_CHECK_OK(stf__lexer_next(&lexer, &token), &error);
        ck_assert_msg(token.kind == kinds[i], "%s: token %zu is %d instead of %d", text, i,
                      (int)token.kind, (int)kinds[i]);
    }
}

#define CHECK_KINDS(text, language, ...)                                                           \
    do {                                                                                           \
        static const stf__token_kind kinds_[] = {__VA_ARGS__, STF__TOKEN_END};                     \
        check_kinds((text), (language), kinds_, sizeof(kinds_) / sizeof(kinds_[0]));               \
    } while (0)

STF_TEST(the_longest_symbol_wins)
{
    CHECK_KINDS("** * .. . <= < == = != ! && ||", STF_EXPR_FEEL, STF__TOKEN_STAR_STAR,
                STF__TOKEN_STAR, STF__TOKEN_DOT_DOT, STF__TOKEN_DOT, STF__TOKEN_LESS_EQUAL,
                STF__TOKEN_LESS, STF__TOKEN_EQUAL_EQUAL, STF__TOKEN_EQUAL, STF__TOKEN_NOT_EQUAL,
                STF__TOKEN_BANG, STF__TOKEN_AND_AND, STF__TOKEN_OR_OR);
}

STF_TEST(a_dot_belongs_to_a_number_only_before_a_digit)
{
    CHECK_KINDS("1..5", STF_EXPR_FEEL, STF__TOKEN_NUMBER, STF__TOKEN_DOT_DOT, STF__TOKEN_NUMBER);
    CHECK_KINDS("1.5 .5", STF_EXPR_FEEL, STF__TOKEN_NUMBER, STF__TOKEN_NUMBER);
    CHECK_KINDS("1.a", STF_EXPR_FEEL, STF__TOKEN_NUMBER, STF__TOKEN_DOT, STF__TOKEN_NAME);
    CHECK_KINDS("2e10 2E-3 2e 2else", STF_EXPR_FEEL, STF__TOKEN_NUMBER, STF__TOKEN_NUMBER,
                STF__TOKEN_NUMBER, STF__TOKEN_NAME, STF__TOKEN_NUMBER, STF__TOKEN_ELSE);
}

STF_TEST(each_language_has_its_own_words)
{
    CHECK_KINDS("and or not between eq empty", STF_EXPR_FEEL, STF__TOKEN_AND, STF__TOKEN_OR,
                STF__TOKEN_NOT, STF__TOKEN_BETWEEN, STF__TOKEN_NAME, STF__TOKEN_NAME);
    CHECK_KINDS("and or not eq ne lt gt le ge div mod empty between $x", STF_EXPR_JUEL,
                STF__TOKEN_AND_AND, STF__TOKEN_OR_OR, STF__TOKEN_BANG, STF__TOKEN_EQUAL_EQUAL,
                STF__TOKEN_NOT_EQUAL, STF__TOKEN_LESS, STF__TOKEN_GREATER, STF__TOKEN_LESS_EQUAL,
                STF__TOKEN_GREATER_EQUAL, STF__TOKEN_SLASH, STF__TOKEN_PERCENT, STF__TOKEN_EMPTY,
                STF__TOKEN_NAME, STF__TOKEN_NAME);
}

STF_TEST(comments_and_foreign_blanks_separate_tokens_in_feel)
{
    CHECK_KINDS("a // one\n/* two\n * three */ + \xC2\xA0"
                "b",
                STF_EXPR_FEEL, STF__TOKEN_NAME, STF__TOKEN_PLUS, STF__TOKEN_NAME);
    CHECK_KINDS("a /* b", STF_EXPR_JUEL, STF__TOKEN_NAME, STF__TOKEN_SLASH, STF__TOKEN_STAR,
                STF__TOKEN_NAME);
    CHECK_KINDS("a // to the end", STF_EXPR_FEEL, STF__TOKEN_NAME);
}

STF_TEST(letters_of_every_script_make_names)
{
    CHECK_KINDS("prix_\xC3\xA9t\xC3\xA9_2 \xE4\xBE\xA1\xE6\xA0\xBC", STF_EXPR_FEEL, STF__TOKEN_NAME,
                STF__TOKEN_NAME);
}

static void check_string(const char *text, stf_expr_language language, const char *expected)
{
    stf_error error = STF_ERROR_INIT;
    stf__lexer lexer = lexer_of(text, language, &error);
    stf__token token;
    stf_buf buf;
    stf_buf_init(&buf, NULL);
    STF_CHECK_OK(stf__lexer_next(&lexer, &token), &error);
    ck_assert_int_eq(token.kind, STF__TOKEN_STRING);
    STF_CHECK_OK(stf__lexer_append_string(&lexer, token, &buf), &error);
    STF_CHECK_STR(stf_buf_str(&buf), expected);
    stf_buf_done(&buf);
}

STF_TEST(escapes_stand_for_their_characters)
{
    check_string("\"a\\n\\t\\r\\\"\\'\\\\b\"", STF_EXPR_FEEL, "a\n\t\r\"'\\b");
    check_string("\"\\u00e9\\U01F40E\\uD83D\\uDC0E\"", STF_EXPR_FEEL,
                 "\xC3\xA9\xF0\x9F\x90\x8E\xF0\x9F\x90\x8E");
    check_string("'it\\'s \"q\" \\\\'", STF_EXPR_JUEL, "it's \"q\" \\");
    check_string("\"two\nlines\"", STF_EXPR_FEEL, "two\nlines");
    check_string("''", STF_EXPR_JUEL, "");
}

static const error_row feel_errors[] = {
    {"\"\\q\"", NULL, 2, "no escape"},
    {"\"a\\u12\"", NULL, 3, "no escape"},
    {"\"\\uD83D\"", NULL, 2, "no escape"},
    {"\"\\uD83D\\u0041\"", NULL, 2, "no escape"},
    {"\"\\uDC0E\"", NULL, 2, "no escape"},
    {"\"\\U110000\"", NULL, 2, "no escape"},
    {"\"\\u0000\"", NULL, 2, "no escape"},
    {"x + \"abc", NULL, 5, "no end"},
    {"\"abc\\", NULL, 1, "no end"},
    {"\"abc\\\"", NULL, 1, "no end"},
    {"1 + /* x", NULL, 5, "comment has no end"},
    {"x = 'a'", NULL, 5, "use \"...\" instead of '...'"},
    {"\xC3\xA9t\xC3\xA9 # x", NULL, 5, "\"#\" has no meaning"},
    {"1 + \x01", NULL, 5, "no meaning"},
    {"$x", NULL, 1, "\"$\" has no meaning"},
};

static const error_row juel_errors[] = {
    {"${'a\\n'}", NULL, 5, "no escape"},
    {"${'a}", NULL, 3, "no end"},
    {"${a ~ b}", NULL, 5, "\"~\" has no meaning"},
};

STF_TEST(unreadable_texts_are_told_by_column)
{
    ROWS_CHECK_ERRORS(STF_EXPR_FEEL, feel_errors);
    ROWS_CHECK_ERRORS(STF_EXPR_JUEL, juel_errors);
}

static const stf_test_case cases[] = {
    STF_CASE(the_longest_symbol_wins),
    STF_CASE(a_dot_belongs_to_a_number_only_before_a_digit),
    STF_CASE(each_language_has_its_own_words),
    STF_CASE(comments_and_foreign_blanks_separate_tokens_in_feel),
    STF_CASE(letters_of_every_script_make_names),
    STF_CASE(escapes_stand_for_their_characters),
    STF_CASE(unreadable_texts_are_told_by_column),
};

STF_TEST_MAIN("expr_lexer", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts a text into tokens. The two languages share the symbols; their words, their quotes, their
 * escapes and FEEL's comments differ. A symbol that the language does not have is still a token:
 * the parser can then say what to write instead. */
#include "expr/lexer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "expr/utf8.h"

static const struct symbol {
    stf_str text;
    stf__token_kind kind;
} symbols[] = {
#define SYMBOL_ROW(name, literal) {{literal, sizeof(literal) - 1}, STF__TOKEN_##name},
    STF__SYMBOL_MAP(SYMBOL_ROW)
#undef SYMBOL_ROW
};

static const struct word {
    stf_str text;
    stf_expr_language language;
    stf__token_kind kind;
} words[] = {
#define WORD(literal, language, kind)                                                              \
    {                                                                                              \
        {literal, sizeof(literal) - 1}, STF_EXPR_##language, STF__TOKEN_##kind                     \
    }
    WORD("true", FEEL, TRUE),       WORD("false", FEEL, FALSE),
    WORD("null", FEEL, NULL),       WORD("and", FEEL, AND),
    WORD("or", FEEL, OR),           WORD("not", FEEL, NOT),
    WORD("if", FEEL, IF),           WORD("then", FEEL, THEN),
    WORD("else", FEEL, ELSE),       WORD("in", FEEL, IN),
    WORD("between", FEEL, BETWEEN), WORD("for", FEEL, LATER),
    WORD("some", FEEL, LATER),      WORD("every", FEEL, LATER),
    WORD("return", FEEL, LATER),    WORD("satisfies", FEEL, LATER),
    WORD("instance", FEEL, LATER),  WORD("function", FEEL, LATER),
    WORD("true", JUEL, TRUE),       WORD("false", JUEL, FALSE),
    WORD("null", JUEL, NULL),       WORD("and", JUEL, AND_AND),
    WORD("or", JUEL, OR_OR),        WORD("not", JUEL, BANG),
    WORD("eq", JUEL, EQUAL_EQUAL),  WORD("ne", JUEL, NOT_EQUAL),
    WORD("lt", JUEL, LESS),         WORD("gt", JUEL, GREATER),
    WORD("le", JUEL, LESS_EQUAL),   WORD("ge", JUEL, GREATER_EQUAL),
    WORD("div", JUEL, SLASH),       WORD("mod", JUEL, PERCENT),
    WORD("empty", JUEL, EMPTY),     WORD("instanceof", JUEL, LATER),
#undef WORD
};

stf_status stf__source_fail(const stf__source *source, stf_status status, size_t offset,
                            const char *format, ...)
{
    if (source->error == NULL) {
        return status;
    }
    char message[400];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    stf_str before = {source->text.data, offset};
    unsigned long column = (unsigned long)stf__utf8_length(before) + 1;
    (void)stf_error_set(source->error, status, "EXPR", "column %lu: %s", column, message);
    stf_error_add_detail(source->error, "column", "%lu", column);
    stf_error_add_detail(source->error, "expression", "%.*s", STF_STR_ARG(source->text));
    return status;
}

static char peek(const stf__lexer *lexer, size_t ahead)
{
    size_t at = lexer->at + ahead;
    return at < lexer->source.text.size ? lexer->source.text.data[at] : '\0';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name_part(const stf__lexer *lexer, size_t at)
{
    stf_str text = lexer->source.text;
    if (at >= text.size) {
        return false;
    }
    char c = text.data[at];
    if (((uint8_t)c & 0x80u) != 0) {
        return stf__utf8_space(text, at) == 0; /* every letter of every script */
    }
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c) ||
           (c == '$' && lexer->language == STF_EXPR_JUEL);
}

/* Moves over white space and, in FEEL, comments. */
static stf_status skip_blanks(stf__lexer *lexer)
{
    stf_str text = lexer->source.text;
    for (;;) {
        size_t space = stf__utf8_space(text, lexer->at);
        if (space != 0) {
            lexer->at += space;
            continue;
        }
        if (lexer->language != STF_EXPR_FEEL || peek(lexer, 0) != '/') {
            return STF_OK;
        }
        if (peek(lexer, 1) == '/') {
            const char *end = memchr(text.data + lexer->at, '\n', text.size - lexer->at);
            lexer->at = end != NULL ? (size_t)(end - text.data) : text.size;
        } else if (peek(lexer, 1) == '*') {
            size_t start = lexer->at;
            lexer->at += 2;
            const char *end = memmem(text.data + lexer->at, text.size - lexer->at, "*/", 2);
            if (end == NULL) {
                return stf__source_fail(&lexer->source, STF_EXPRESSION, start,
                                        "this comment has no end: expected */");
            }
            lexer->at = (size_t)(end - text.data) + 2;
        } else {
            return STF_OK;
        }
    }
}

/* 12, 1.5, .5, 2e10; "1..5" is a range and "1.a" no number with a dot. */
static void scan_number(stf__lexer *lexer)
{
    while (is_digit(peek(lexer, 0))) {
        lexer->at++;
    }
    if (peek(lexer, 0) == '.' && is_digit(peek(lexer, 1))) {
        lexer->at++;
        while (is_digit(peek(lexer, 0))) {
            lexer->at++;
        }
    }
    char e = peek(lexer, 0);
    if (e == 'e' || e == 'E') {
        size_t sign = peek(lexer, 1) == '+' || peek(lexer, 1) == '-' ? 1 : 0;
        if (is_digit(peek(lexer, 1 + sign))) {
            lexer->at += 2 + sign;
            while (is_digit(peek(lexer, 0))) {
                lexer->at++;
            }
        }
    }
}

static stf_status scan_string(stf__lexer *lexer)
{
    size_t start = lexer->at;
    char quote = peek(lexer, 0);
    if (quote == '\'' && lexer->language == STF_EXPR_FEEL) {
        return stf__source_fail(&lexer->source, STF_EXPRESSION, start,
                                "FEEL writes text in double quotes: use \"...\" instead of '...', "
                                "or write the whole expression as ${...}");
    }
    for (lexer->at++; lexer->at < lexer->source.text.size; lexer->at++) {
        char c = peek(lexer, 0);
        if (c == quote) {
            lexer->at++;
            return STF_OK;
        }
        if (c == '\\') {
            lexer->at++;
        }
    }
    lexer->at = lexer->source.text.size;
    return stf__source_fail(&lexer->source, STF_EXPRESSION, start,
                            "this text has no end: expected a closing %c", quote);
}

static stf__token_kind kind_of_word(const stf__lexer *lexer, stf_str text)
{
    for (size_t i = 0; i < STF_COUNT_OF(words); i++) {
        if (words[i].language == lexer->language && stf_str_equal(words[i].text, text)) {
            return words[i].kind;
        }
    }
    return STF__TOKEN_NAME;
}

static bool scan_symbol(stf__lexer *lexer, stf__token *token)
{
    stf_str rest = {lexer->source.text.data + lexer->at, lexer->source.text.size - lexer->at};
    for (size_t i = 0; i < STF_COUNT_OF(symbols); i++) {
        stf_str text = symbols[i].text;
        if (text.size <= rest.size && memcmp(rest.data, text.data, text.size) == 0) {
            token->kind = symbols[i].kind;
            lexer->at += text.size;
            return true;
        }
    }
    return false;
}

stf_status stf__lexer_next(stf__lexer *lexer, stf__token *ret_token)
{
    stf_status status = skip_blanks(lexer);
    if (status != STF_OK) {
        return status;
    }
    stf__token token = {.kind = STF__TOKEN_END, .start = lexer->at};
    char c = peek(lexer, 0);
    if (lexer->at == lexer->source.text.size) {
        /* END */
    } else if (is_digit(c) || (c == '.' && is_digit(peek(lexer, 1)))) {
        scan_number(lexer);
        token.kind = STF__TOKEN_NUMBER;
    } else if (is_name_part(lexer, lexer->at)) {
        while (is_name_part(lexer, lexer->at)) {
            lexer->at++;
        }
        stf_str text = {lexer->source.text.data + token.start, lexer->at - token.start};
        token.kind = kind_of_word(lexer, text);
        token.is_word = true;
    } else if (c == '"' || c == '\'') {
        status = scan_string(lexer);
        token.kind = STF__TOKEN_STRING;
    } else if (!scan_symbol(lexer, &token)) {
        bool is_printable = c > ' ' && c < 0x7F;
        status =
            stf__source_fail(&lexer->source, STF_EXPRESSION, lexer->at,
                             "the character \"%c\" has no meaning here", is_printable ? c : ' ');
    }
    if (status != STF_OK) {
        return status;
    }
    token.end = lexer->at;
    *ret_token = token;
    return STF_OK;
}

/* Hexadecimal digits at an offset; false when one of them is none. */
static bool read_hex(stf_str text, size_t at, size_t digits, uint32_t *ret_code)
{
    uint32_t code = 0;
    if (at + digits > text.size) {
        return false;
    }
    for (size_t i = 0; i < digits; i++) {
        char c = text.data[at + i];
        uint32_t digit = is_digit(c)              ? (uint32_t)(c - '0')
                         : (c >= 'a' && c <= 'f') ? (uint32_t)(c - 'a') + 10
                         : (c >= 'A' && c <= 'F') ? (uint32_t)(c - 'A') + 10
                                                  : 16;
        if (digit == 16) {
            return false;
        }
        code = code << 4 | digit;
    }
    *ret_code = code;
    return true;
}

/* \uXXXX, a surrogate pair of two of them, or \UXXXXXX. Gives the bytes read, 0: not well-formed.
 */
static size_t read_unicode_escape(stf_str text, size_t at, uint32_t *ret_code)
{
    bool is_long = text.data[at + 1] == 'U';
    size_t size = is_long ? 8 : 6;
    uint32_t code = 0;
    if (!read_hex(text, at + 2, is_long ? 6 : 4, &code)) {
        return 0;
    }
    uint32_t low = 0;
    if (!is_long && code >= 0xD800 && code <= 0xDBFF && at + 12 <= text.size &&
        text.data[at + 6] == '\\' && text.data[at + 7] == 'u' && read_hex(text, at + 8, 4, &low) &&
        low >= 0xDC00 && low <= 0xDFFF) {
        code = 0x10000 + ((code - 0xD800) << 10 | (low - 0xDC00));
        size = 12;
    }
    *ret_code = code;
    return stf__utf8_is_scalar(code) ? size : 0;
}

/* Appends what an escape stands for; gives the bytes that it takes. */
static stf_status append_escape(const stf__lexer *lexer, size_t at, stf_buf *buf, size_t *ret_size)
{
    static const char feel_escapes[][2] = {{'n', '\n'}, {'t', '\t'},  {'r', '\r'},
                                           {'"', '"'},  {'\'', '\''}, {'\\', '\\'}};
    stf_str text = lexer->source.text;
    bool is_feel = lexer->language == STF_EXPR_FEEL;
    char c = text.data[at + 1];
    for (size_t i = is_feel ? 0 : 3; i < STF_COUNT_OF(feel_escapes); i++) {
        if (feel_escapes[i][0] == c) {
            *ret_size = 2;
            return stf_buf_append(buf, &feel_escapes[i][1], 1);
        }
    }
    uint32_t code = 0;
    size_t size = is_feel && (c == 'u' || c == 'U') ? read_unicode_escape(text, at, &code) : 0;
    if (size == 0) {
        return stf__source_fail(&lexer->source, STF_EXPRESSION, at,
                                "this is no escape of a text: write \\\\ for a backslash");
    }
    char bytes[4];
    *ret_size = size;
    return stf_buf_append(buf, bytes, stf__utf8_encode(code, bytes));
}

stf_status stf__lexer_append_string(const stf__lexer *lexer, stf__token token, stf_buf *buf)
{
    const char *data = lexer->source.text.data;
    size_t end = token.end - 1;
    for (size_t at = token.start + 1; at < end;) {
        size_t size = 0;
        stf_status status = STF_OK;
        if (data[at] == '\\') {
            status = append_escape(lexer, at, buf, &size);
        } else {
            const char *escape = memchr(data + at, '\\', end - at);
            size = escape != NULL ? (size_t)(escape - data) - at : end - at;
            status = stf_buf_append(buf, data + at, size);
        }
        if (status != STF_OK) {
            return status;
        }
        at += size;
    }
    return STF_OK;
}

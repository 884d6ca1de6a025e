/* SPDX-License-Identifier: Apache-2.0 */
/* The tokens of both languages. A token is a piece of the text; nothing is copied here. */
#ifndef STF_EXPR_LEXER_H
#define STF_EXPR_LEXER_H

#include <stepfast/expr.h>
#include <stepfast/limits.h>

/* Leaves the function with the status of a call that failed. */
#define STF__TRY(call)                                                                             \
    do {                                                                                           \
        stf_status stf_try_status_ = (call);                                                       \
        if (stf_try_status_ != STF_OK) {                                                           \
            return stf_try_status_;                                                                \
        }                                                                                          \
    } while (0)

/* The text and where its problems are reported. */
typedef struct stf__source {
    stf_str text;
    stf_error *error;
} stf__source;

/* Reports a problem at a byte offset as "column N: ..." with the details column and expression, and
 * returns the status. */
stf_status stf__source_fail(const stf__source *source, stf_status status, size_t offset,
                            const char *format, ...) STF_PRINTF(4, 5);

/* Symbols, longest first, with their text; then words that are operators or keywords. */
#define STF__SYMBOL_MAP(X)                                                                         \
    X(STAR_STAR, "**")                                                                             \
    X(DOT_DOT, "..")                                                                               \
    X(EQUAL_EQUAL, "==")                                                                           \
    X(NOT_EQUAL, "!=")                                                                             \
    X(LESS_EQUAL, "<=")                                                                            \
    X(GREATER_EQUAL, ">=")                                                                         \
    X(AND_AND, "&&")                                                                               \
    X(OR_OR, "||")                                                                                 \
    X(LESS, "<")                                                                                   \
    X(GREATER, ">")                                                                                \
    X(EQUAL, "=")                                                                                  \
    X(BANG, "!")                                                                                   \
    X(PLUS, "+")                                                                                   \
    X(MINUS, "-")                                                                                  \
    X(STAR, "*")                                                                                   \
    X(SLASH, "/")                                                                                  \
    X(PERCENT, "%")                                                                                \
    X(LEFT_PAREN, "(")                                                                             \
    X(RIGHT_PAREN, ")")                                                                            \
    X(LEFT_BRACKET, "[")                                                                           \
    X(RIGHT_BRACKET, "]")                                                                          \
    X(LEFT_BRACE, "{")                                                                             \
    X(RIGHT_BRACE, "}")                                                                            \
    X(COMMA, ",")                                                                                  \
    X(COLON, ":")                                                                                  \
    X(DOT, ".")                                                                                    \
    X(QUESTION, "?")                                                                               \
    X(AT, "@")

typedef enum stf__token_kind {
    STF__TOKEN_END,
    STF__TOKEN_NAME, /* one word that is no keyword of the language */
    STF__TOKEN_NUMBER,
    STF__TOKEN_STRING, /* with its quotes */
#define STF__TOKEN_ENUM(name, text) STF__TOKEN_##name,
    STF__SYMBOL_MAP(STF__TOKEN_ENUM)
#undef STF__TOKEN_ENUM
    STF__TOKEN_TRUE,
    STF__TOKEN_FALSE,
    STF__TOKEN_NULL,
    STF__TOKEN_AND,
    STF__TOKEN_OR,
    STF__TOKEN_NOT,
    STF__TOKEN_IF,
    STF__TOKEN_THEN,
    STF__TOKEN_ELSE,
    STF__TOKEN_IN,
    STF__TOKEN_BETWEEN,
    STF__TOKEN_EMPTY,
    STF__TOKEN_LATER /* a keyword of the language that this version does not know */
} stf__token_kind;

typedef struct stf__token {
    stf__token_kind kind;
    bool is_word; /* looks like a name: may follow a dot whatever its kind */
    size_t start; /* byte offsets into the text */
    size_t end;
} stf__token;

typedef struct stf__lexer {
    stf__source source;
    stf_expr_language language; /* FEEL or JUEL */
    size_t at;
} stf__lexer;

/* OK or EXPRESSION. */
STF_MUST_CHECK stf_status stf__lexer_next(stf__lexer *lexer, stf__token *ret_token);

/* The characters of a STRING token, escapes resolved, appended. OK, EXPRESSION, NO_MEMORY. */
STF_MUST_CHECK stf_status stf__lexer_append_string(const stf__lexer *lexer, stf__token token,
                                                   stf_buf *buf);

#endif

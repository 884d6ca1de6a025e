/* SPDX-License-Identifier: Apache-2.0 */
/* What the two parsers share: the current token, making nodes, chains of operators, messages.
 * Parsing is recursive descent. The recursion is bounded: every way into a nested expression goes
 * through stf__parse_enter, which counts to STF_LIMIT_EXPR_DEPTH. */
#ifndef STF_EXPR_PARSE_H
#define STF_EXPR_PARSE_H

#include "expr/tree.h"

/* What to say for a token that people bring from another language. */
typedef struct stf__hint {
    stf__token_kind kind;
    const char *text;
} stf__hint;

typedef struct stf__parser {
    stf_expr *expr;
    stf__lexer lexer;
    stf__token token; /* the current one */
    const stf__hint *hints;
    size_t hint_count;
    uint32_t depth;
    bool is_range_end; /* FEEL: inside the end of a range, where [ closes */
} stf__parser;

typedef stf_status (*stf__parse_fn)(stf__parser *parser, stf__node **ret_node);

/* A row of a table of operators. */
typedef struct stf__operator {
    stf__token_kind token;
    stf__op op;
} stf__operator;

/* Moves to the next token. */
STF_MUST_CHECK stf_status stf__parse_advance(stf__parser *parser);
/* Takes a token of this kind, or says what was expected. */
STF_MUST_CHECK stf_status stf__parse_expect(stf__parser *parser, stf__token_kind kind,
                                            const char *expected);
/* "expected ..., found ...", or the hint for the current token. Gives EXPRESSION. */
stf_status stf__parse_unexpected(stf__parser *parser, const char *expected);
stf_str stf__parse_text(const stf__parser *parser, stf__token token);

/* One nesting deeper, or LIMIT_EXCEEDED; undone by stf__parse_leave. */
STF_MUST_CHECK stf_status stf__parse_enter(stf__parser *parser);
void stf__parse_leave(stf__parser *parser);

/* NO_MEMORY or LIMIT_EXCEEDED (depth). */
STF_MUST_CHECK stf_status stf__parse_new_node(stf__parser *parser, stf__node_kind kind,
                                              size_t offset, stf__node **ret_node);
stf_status stf__parse_no_memory(stf__parser *parser);
/* Passes a node on, unless it is a range, which only x in ... takes. */
STF_MUST_CHECK stf_status stf__parse_use(stf__parser *parser, stf__node *node,
                                         stf__node **ret_node);
/* Refuses a range under anything but IN. */
STF_MUST_CHECK stf_status stf__parse_add_child(stf__parser *parser, stf__node *parent,
                                               stf__node *child);
STF_MUST_CHECK stf_status stf__parse_child(stf__parser *parser, stf__parse_fn parse,
                                           stf__node *parent);
/* A node that holds one child. */
STF_MUST_CHECK stf_status stf__parse_wrap(stf__parser *parser, stf__node_kind kind, size_t offset,
                                          stf__node *child, stf__node **ret_node);
/* Takes the value's reference, also on failure. */
STF_MUST_CHECK stf_status stf__parse_new_literal(stf__parser *parser, size_t offset,
                                                 stf_value *value, stf__node **ret_node);
/* The current token is a number, text, true, false or null: a literal of it, and moves on. */
STF_MUST_CHECK stf_status stf__parse_literal(stf__parser *parser, stf__node **ret_node);
bool stf__parse_at_literal(const stf__parser *parser);

/* operand (operator operand)*, left to right, as one node FOLD, or the operand alone. */
STF_MUST_CHECK stf_status stf__parse_fold(stf__parser *parser, stf__parse_fn operand,
                                          const stf__operator *operators, size_t count,
                                          stf__node **ret_node);
/* The same for and, or: one node of that kind. */
STF_MUST_CHECK stf_status stf__parse_logic(stf__parser *parser, stf__parse_fn operand,
                                           stf__token_kind token, stf__node_kind kind,
                                           stf__node **ret_node);

/* Whole texts: set expr->root. */
STF_MUST_CHECK stf_status stf__parse_feel(stf_expr *expr, stf_error *error);
STF_MUST_CHECK stf_status stf__parse_juel(stf_expr *expr, stf_error *error);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The ${...} form of Camunda and Flowable files (Jakarta Expression Language without calls), and
 * texts that mix it with literal parts. One function per level, weakest operator first. */
#include "base/mem.h"
#include "expr/parse.h"

static stf_status parse_expression(stf__parser *parser, stf__node **ret_node);

static const stf__hint hints[] = {
    {STF__TOKEN_EQUAL, "use == instead of ="},
    {STF__TOKEN_STAR_STAR, "there is no ** in ${...}"},
    {STF__TOKEN_LATER, "instanceof is not supported"},
};

static stf_status fail_call(stf__parser *parser, stf_str name, size_t offset)
{
    return stf__source_fail(&parser->lexer.source, STF_EXPRESSION, offset,
                            "calls such as %.*s(...) are not supported: give the value to a "
                            "variable and use that",
                            STF_STR_ARG(name));
}

static stf_status parse_name(stf__parser *parser, stf__node **ret_node)
{
    size_t offset = parser->token.start;
    stf_str name = stf__parse_text(parser, parser->token);
    STF__TRY(stf__parse_advance(parser));
    if (parser->token.kind == STF__TOKEN_LEFT_PAREN) {
        return fail_call(parser, name, offset);
    }
    stf__node *node = NULL;
    STF__TRY(stf__parse_new_node(parser, STF__NODE_NAME, offset, &node));
    node->name = name;
    *ret_node = node;
    return STF_OK;
}

static stf_status parse_primary(stf__parser *parser, stf__node **ret_node)
{
    if (stf__parse_at_literal(parser)) {
        return stf__parse_literal(parser, ret_node);
    }
    if (parser->token.kind == STF__TOKEN_NAME) {
        return parse_name(parser, ret_node);
    }
    if (parser->token.kind != STF__TOKEN_LEFT_PAREN) {
        return stf__parse_unexpected(parser, "a value");
    }
    STF__TRY(stf__parse_advance(parser));
    STF__TRY(parse_expression(parser, ret_node));
    return stf__parse_expect(parser, STF__TOKEN_RIGHT_PAREN, "an operator or \")\"");
}

static stf_status parse_member(stf__parser *parser, stf__node *base, stf__node **ret_node)
{
    STF__TRY(stf__parse_advance(parser));
    size_t offset = parser->token.start;
    if (!parser->token.is_word) {
        return stf__parse_unexpected(parser, "a name after \".\"");
    }
    stf__node *member = NULL;
    STF__TRY(stf__parse_wrap(parser, STF__NODE_MEMBER, offset, base, &member));
    member->name = stf__parse_text(parser, parser->token);
    STF__TRY(stf__parse_advance(parser));
    if (parser->token.kind == STF__TOKEN_LEFT_PAREN) {
        return fail_call(parser, member->name, offset);
    }
    *ret_node = member;
    return STF_OK;
}

static stf_status parse_postfix(stf__parser *parser, stf__node **ret_node)
{
    stf__node *node = NULL;
    STF__TRY(parse_primary(parser, &node));
    for (;;) {
        if (parser->token.kind == STF__TOKEN_DOT) {
            STF__TRY(parse_member(parser, node, &node));
        } else if (parser->token.kind == STF__TOKEN_LEFT_BRACKET) {
            stf__node *index = NULL;
            STF__TRY(stf__parse_wrap(parser, STF__NODE_INDEX, parser->token.start, node, &index));
            STF__TRY(stf__parse_advance(parser));
            STF__TRY(stf__parse_child(parser, parse_expression, index));
            STF__TRY(stf__parse_expect(parser, STF__TOKEN_RIGHT_BRACKET, "an operator or \"]\""));
            node = index;
        } else {
            *ret_node = node;
            return STF_OK;
        }
    }
}

static stf_status parse_unary(stf__parser *parser, /* NOLINT(misc-no-recursion) */
                              stf__node **ret_node)
{
    static const struct {
        stf__token_kind token;
        stf__node_kind kind;
    } operators[] = {
        {STF__TOKEN_MINUS, STF__NODE_NEGATE},
        {STF__TOKEN_BANG, STF__NODE_NOT},
        {STF__TOKEN_EMPTY, STF__NODE_EMPTY},
    };
    for (size_t i = 0; i < STF_COUNT_OF(operators); i++) {
        if (operators[i].token != parser->token.kind) {
            continue;
        }
        size_t offset = parser->token.start;
        stf__node *operand = NULL;
        STF__TRY(stf__parse_enter(parser));
        STF__TRY(stf__parse_advance(parser));
        STF__TRY(parse_unary(parser, &operand));
        stf__parse_leave(parser);
        return stf__parse_wrap(parser, operators[i].kind, offset, operand, ret_node);
    }
    return parse_postfix(parser, ret_node);
}

/* A level of operators that are read from left to right. */
#define FOLD_LEVEL(function, operand, ...)                                                         \
    static stf_status function(stf__parser *parser, stf__node **ret_node)                          \
    {                                                                                              \
        static const stf__operator operators[] = {__VA_ARGS__};                                    \
        return stf__parse_fold(parser, operand, operators, STF_COUNT_OF(operators), ret_node);     \
    }

FOLD_LEVEL(parse_multiplicative, parse_unary, {STF__TOKEN_STAR, STF__OP_MULTIPLY},
           {STF__TOKEN_SLASH, STF__OP_DIVIDE}, {STF__TOKEN_PERCENT, STF__OP_MODULO})
FOLD_LEVEL(parse_additive, parse_multiplicative, {STF__TOKEN_PLUS, STF__OP_ADD},
           {STF__TOKEN_MINUS, STF__OP_SUBTRACT})
FOLD_LEVEL(parse_relation, parse_additive, {STF__TOKEN_LESS, STF__OP_LESS},
           {STF__TOKEN_LESS_EQUAL, STF__OP_LESS_EQUAL}, {STF__TOKEN_GREATER, STF__OP_GREATER},
           {STF__TOKEN_GREATER_EQUAL, STF__OP_GREATER_EQUAL})
FOLD_LEVEL(parse_equality, parse_relation, {STF__TOKEN_EQUAL_EQUAL, STF__OP_EQUAL},
           {STF__TOKEN_NOT_EQUAL, STF__OP_NOT_EQUAL})

static stf_status parse_and(stf__parser *parser, stf__node **ret_node)
{
    return stf__parse_logic(parser, parse_equality, STF__TOKEN_AND_AND, STF__NODE_AND, ret_node);
}

/* condition ? then : else, or the condition alone. */
static stf_status parse_ternary(stf__parser *parser, stf__node **ret_node)
{
    stf__node *condition = NULL;
    STF__TRY(stf__parse_logic(parser, parse_and, STF__TOKEN_OR_OR, STF__NODE_OR, &condition));
    if (parser->token.kind != STF__TOKEN_QUESTION) {
        *ret_node = condition;
        return STF_OK;
    }
    stf__node *node = NULL;
    STF__TRY(stf__parse_wrap(parser, STF__NODE_IF, parser->token.start, condition, &node));
    STF__TRY(stf__parse_advance(parser));
    STF__TRY(stf__parse_child(parser, parse_expression, node));
    STF__TRY(stf__parse_expect(parser, STF__TOKEN_COLON, "an operator or \":\""));
    STF__TRY(stf__parse_child(parser, parse_expression, node));
    *ret_node = node;
    return STF_OK;
}

static stf_status parse_expression(stf__parser *parser, stf__node **ret_node)
{
    STF__TRY(stf__parse_enter(parser));
    STF__TRY(parse_ternary(parser, ret_node));
    stf__parse_leave(parser);
    return STF_OK;
}

static bool starts_part(stf_str text, size_t at)
{
    return at + 1 < text.size && (text.data[at] == '$' || text.data[at] == '#') &&
           text.data[at + 1] == '{';
}

/* The literal text up to the next ${ or the end, as a part; none when it is empty. A backslash
 * before $ or # keeps it from starting an expression. */
static stf_status parse_plain(stf__parser *parser, stf__node *concat)
{
    stf_str text = parser->expr->text;
    size_t start = parser->lexer.at;
    STF_CLEANUP(stf_buf_done) stf_buf buf;
    stf_buf_init(&buf, parser->expr->alloc);
    size_t at = start;
    for (; at < text.size && !starts_part(text, at); at++) {
        if (text.data[at] == '\\' && starts_part(text, at + 1)) {
            at++;
        }
        if (stf_buf_append(&buf, text.data + at, 1) != STF_OK) {
            return stf__parse_no_memory(parser);
        }
    }
    parser->lexer.at = at;
    if (buf.size == 0) {
        return STF_OK;
    }
    stf_value *value = NULL;
    stf__node *literal = NULL;
    STF__TRY(stf_value_new_string(parser->expr->alloc, stf_buf_str(&buf), &value,
                                  parser->lexer.source.error));
    STF__TRY(stf__parse_new_literal(parser, start, value, &literal));
    return stf__parse_add_child(parser, concat, literal);
}

/* ${...}: the lexer stands before it and, afterwards, behind it. */
static stf_status parse_part(stf__parser *parser, stf__node *concat)
{
    parser->lexer.at += 2;
    STF__TRY(stf__parse_advance(parser));
    STF__TRY(stf__parse_child(parser, parse_expression, concat));
    if (parser->token.kind != STF__TOKEN_RIGHT_BRACE) {
        return stf__parse_unexpected(parser, "an operator or \"}\"");
    }
    parser->lexer.at = parser->token.end;
    return STF_OK;
}

stf_status stf__parse_juel(stf_expr *expr, stf_error *error)
{
    stf__parser parser = {
        .expr = expr,
        .lexer = {.source = {.text = expr->text, .error = error}, .language = STF_EXPR_JUEL},
        .hints = hints,
        .hint_count = STF_COUNT_OF(hints),
    };
    stf__node *concat = NULL;
    STF__TRY(stf__parse_new_node(&parser, STF__NODE_CONCAT, 0, &concat));
    while (parser.lexer.at < expr->text.size) {
        STF__TRY(parse_plain(&parser, concat));
        if (starts_part(expr->text, parser.lexer.at)) {
            STF__TRY(parse_part(&parser, concat));
        }
    }
    /* "${x}" is the value of x, whatever it is; every mixture is a text. */
    expr->root = concat->count == 1 ? concat->first : concat;
    return STF_OK;
}

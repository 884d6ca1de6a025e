/* SPDX-License-Identifier: Apache-2.0 */
/* The common half of the parsers. */
#include "expr/parse.h"

#include "base/mem.h"

stf_str stf__parse_text(const stf__parser *parser, stf__token token)
{
    return (stf_str){parser->expr->text.data + token.start, token.end - token.start};
}

stf_status stf__parse_advance(stf__parser *parser)
{
    return stf__lexer_next(&parser->lexer, &parser->token);
}

stf_status stf__parse_unexpected(stf__parser *parser, const char *expected)
{
    const stf__source *source = &parser->lexer.source;
    size_t at = parser->token.start;
    stf_str text = stf__parse_text(parser, parser->token);
    for (size_t i = 0; i < parser->hint_count; i++) {
        if (parser->hints[i].kind == parser->token.kind) {
            return stf__source_fail(source, STF_EXPRESSION, at, "found \"%.*s\": %s",
                                    STF_STR_ARG(text), parser->hints[i].text);
        }
    }
    if (parser->token.kind == STF__TOKEN_END) {
        return stf__source_fail(source, STF_EXPRESSION, at,
                                "expected %s, but the expression ends here", expected);
    }
    size_t shown = text.size < 60 ? text.size : 60;
    return stf__source_fail(source, STF_EXPRESSION, at, "expected %s, found %s%.*s%s", expected,
                            parser->token.kind == STF__TOKEN_STRING ? "the text " : "\"",
                            (int)shown, text.data,
                            parser->token.kind == STF__TOKEN_STRING ? "" : "\"");
}

stf_status stf__parse_expect(stf__parser *parser, stf__token_kind kind, const char *expected)
{
    if (parser->token.kind != kind) {
        return stf__parse_unexpected(parser, expected);
    }
    return stf__parse_advance(parser);
}

static stf_status fail_depth(stf__parser *parser, size_t offset)
{
    return stf__source_fail(&parser->lexer.source, STF_LIMIT_EXCEEDED, offset,
                            "the expression is nested more than %u deep", STF_LIMIT_EXPR_DEPTH);
}

stf_status stf__parse_enter(stf__parser *parser)
{
    if (parser->depth >= STF_LIMIT_EXPR_DEPTH) {
        return fail_depth(parser, parser->token.start);
    }
    parser->depth++;
    return STF_OK;
}

void stf__parse_leave(stf__parser *parser)
{
    parser->depth--;
}

stf_status stf__parse_no_memory(stf__parser *parser)
{
    (void)stf_error_set(parser->lexer.source.error, STF_NO_MEMORY, "EXPR",
                        "no memory to compile an expression");
    return STF_NO_MEMORY;
}

stf_status stf__parse_use(stf__parser *parser, stf__node *node, stf__node **ret_node)
{
    if (node->kind == STF__NODE_RANGE) {
        return stf__source_fail(&parser->lexer.source, STF_EXPRESSION, node->offset,
                                "a range is only possible after in, such as x in [1..5]");
    }
    *ret_node = node;
    return STF_OK;
}

stf_status stf__parse_child(stf__parser *parser, stf__parse_fn parse, stf__node *parent)
{
    stf__node *child = NULL;
    STF__TRY(parse(parser, &child));
    return stf__parse_add_child(parser, parent, child);
}

stf_status stf__parse_new_node(stf__parser *parser, stf__node_kind kind, size_t offset,
                               stf__node **ret_node)
{
    stf__node *node = stf__arena_zalloc(&parser->expr->arena, sizeof(*node));
    if (node == NULL) {
        return stf__parse_no_memory(parser);
    }
    node->kind = kind;
    node->offset = offset;
    node->depth = 1;
    if (kind == STF__NODE_NAME) {
        parser->expr->has_names = true;
    }
    *ret_node = node;
    return STF_OK;
}

stf_status stf__parse_add_child(stf__parser *parser, stf__node *parent, stf__node *child)
{
    if (parent->kind != STF__NODE_IN || parent->first == NULL) {
        STF__TRY(stf__parse_use(parser, child, &child));
    }
    if (child->depth >= STF_LIMIT_EXPR_DEPTH) {
        return fail_depth(parser, child->offset);
    }
    if (parent->depth <= child->depth) {
        parent->depth = child->depth + 1;
    }
    if (parent->last != NULL) {
        parent->last->next = child;
    } else {
        parent->first = child;
    }
    parent->last = child;
    parent->count++;
    return STF_OK;
}

stf_status stf__parse_wrap(stf__parser *parser, stf__node_kind kind, size_t offset,
                           stf__node *child, stf__node **ret_node)
{
    stf__node *node = NULL;
    stf_status status = stf__parse_new_node(parser, kind, offset, &node);
    if (status == STF_OK) {
        status = stf__parse_add_child(parser, node, child);
    }
    if (status == STF_OK) {
        *ret_node = node;
    }
    return status;
}

stf_status stf__parse_new_literal(stf__parser *parser, size_t offset, stf_value *value,
                                  stf__node **ret_node)
{
    stf__node *node = NULL;
    stf_status status = stf__parse_new_node(parser, STF__NODE_LITERAL, offset, &node);
    if (status != STF_OK) {
        stf_value_unref(value);
        return status;
    }
    node->value = value;
    node->next_literal = parser->expr->literals;
    parser->expr->literals = node;
    *ret_node = node;
    return STF_OK;
}

static stf_status number_value(stf__parser *parser, stf_value **ret_value)
{
    const stf__source *source = &parser->lexer.source;
    stf_decimal number;
    stf_status status = stf_decimal_parse(stf__parse_text(parser, parser->token), &number, NULL);
    if (status != STF_OK) {
        return stf__source_fail(source, status, parser->token.start,
                                status == STF_LIMIT_EXCEEDED ? "numbers have at most 34 digits"
                                                             : "this is not a number");
    }
    return stf_value_new_number(parser->expr->alloc, number, ret_value, source->error);
}

static stf_status string_value(stf__parser *parser, stf_value **ret_value)
{
    STF_CLEANUP(stf_buf_done) stf_buf buf;
    stf_buf_init(&buf, parser->expr->alloc);
    stf_status status = stf__lexer_append_string(&parser->lexer, parser->token, &buf);
    if (status == STF_NO_MEMORY) {
        return stf__parse_no_memory(parser);
    }
    if (status != STF_OK) {
        return status;
    }
    return stf_value_new_string(parser->expr->alloc, stf_buf_str(&buf), ret_value,
                                parser->lexer.source.error);
}

bool stf__parse_at_literal(const stf__parser *parser)
{
    stf__token_kind kind = parser->token.kind;
    return kind == STF__TOKEN_NUMBER || kind == STF__TOKEN_STRING || kind == STF__TOKEN_TRUE ||
           kind == STF__TOKEN_FALSE || kind == STF__TOKEN_NULL;
}

stf_status stf__parse_literal(stf__parser *parser, stf__node **ret_node)
{
    stf_value *value = NULL;
    stf_status status = STF_OK;
    if (parser->token.kind == STF__TOKEN_NUMBER) {
        status = number_value(parser, &value);
    } else if (parser->token.kind == STF__TOKEN_STRING) {
        status = string_value(parser, &value);
    } else if (parser->token.kind == STF__TOKEN_NULL) {
        value = stf_value_null();
    } else {
        value = stf_value_bool(parser->token.kind == STF__TOKEN_TRUE);
    }
    if (status == STF_OK) {
        status = stf__parse_new_literal(parser, parser->token.start, value, ret_node);
    }
    return status != STF_OK ? status : stf__parse_advance(parser);
}

static const stf__operator *find_operator(const stf__parser *parser, const stf__operator *operators,
                                          size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (operators[i].token == parser->token.kind) {
            return &operators[i];
        }
    }
    return NULL;
}

stf_status stf__parse_fold(stf__parser *parser, stf__parse_fn operand,
                           const stf__operator *operators, size_t count, stf__node **ret_node)
{
    stf__node *node = NULL;
    STF__TRY(operand(parser, &node));
    const stf__operator *found = find_operator(parser, operators, count);
    if (found == NULL) {
        *ret_node = node;
        return STF_OK;
    }
    stf__node *fold = NULL;
    STF__TRY(stf__parse_wrap(parser, STF__NODE_FOLD, node->offset, node, &fold));
    for (; found != NULL; found = find_operator(parser, operators, count)) {
        size_t op_offset = parser->token.start;
        STF__TRY(stf__parse_advance(parser));
        STF__TRY(operand(parser, &node));
        node->op = found->op;
        node->op_offset = op_offset;
        STF__TRY(stf__parse_add_child(parser, fold, node));
    }
    *ret_node = fold;
    return STF_OK;
}

stf_status stf__parse_logic(stf__parser *parser, stf__parse_fn operand, stf__token_kind token,
                            stf__node_kind kind, stf__node **ret_node)
{
    stf__node *node = NULL;
    STF__TRY(operand(parser, &node));
    if (parser->token.kind != token) {
        *ret_node = node;
        return STF_OK;
    }
    stf__node *logic = NULL;
    STF__TRY(stf__parse_wrap(parser, kind, node->offset, node, &logic));
    while (parser->token.kind == token) {
        STF__TRY(stf__parse_advance(parser));
        STF__TRY(stf__parse_child(parser, operand, logic));
    }
    *ret_node = logic;
    return STF_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* FEEL (DMN 1.4 clause 10.3.1.2), the part that conditions and mappings use. One function per level
 * of the grammar, weakest operator first; unary minus binds tighter than **, as in the grammar. */
#include "base/map.h"
#include "base/mem.h"
#include "expr/builtins.h"
#include "expr/parse.h"

static stf_status parse_expression(stf__parser *parser, stf__node **ret_node);
static stf_status parse_additive(stf__parser *parser, stf__node **ret_node);

static const stf__hint hints[] = {
    {STF__TOKEN_EQUAL_EQUAL, "use = instead of ==, or write the whole expression as ${...}"},
    {STF__TOKEN_AND_AND, "use and instead of &&, or write the whole expression as ${...}"},
    {STF__TOKEN_OR_OR, "use or instead of ||, or write the whole expression as ${...}"},
    {STF__TOKEN_BANG, "use not(...) instead of !, or write the whole expression as ${...}"},
    {STF__TOKEN_PERCENT, "use modulo(a, b) instead of %"},
    {STF__TOKEN_QUESTION, "use if ... then ... else ..., or write the whole expression as ${...}"},
    {STF__TOKEN_AT, "dates, times and durations are not supported yet"},
    {STF__TOKEN_LATER, "for, some, every, instance of and function are not supported yet"},
    {STF__TOKEN_COLON, "a colon only follows the name of an entry; XPath is not supported"},
    {STF__TOKEN_DOT_DOT, "a range is only possible after in, such as x in [1..5]"},
};

static const stf__operator comparisons[] = {
    {STF__TOKEN_EQUAL, STF__OP_EQUAL},     {STF__TOKEN_NOT_EQUAL, STF__OP_NOT_EQUAL},
    {STF__TOKEN_LESS, STF__OP_LESS},       {STF__TOKEN_LESS_EQUAL, STF__OP_LESS_EQUAL},
    {STF__TOKEN_GREATER, STF__OP_GREATER}, {STF__TOKEN_GREATER_EQUAL, STF__OP_GREATER_EQUAL},
};

static const stf__operator *peek_comparison(const stf__parser *parser)
{
    for (size_t i = 0; i < STF_COUNT_OF(comparisons); i++) {
        if (comparisons[i].token == parser->token.kind) {
            return &comparisons[i];
        }
    }
    return NULL;
}

/* ---- Names and calls. */

/* Words that follow each other are one name: two values never stand side by side in FEEL. The first
 * word may be a keyword where a name must stand (after a dot, as a key). */
static stf_status parse_words(stf__parser *parser, stf_str *ret_name)
{
    STF_CLEANUP(stf_buf_done) stf_buf buf;
    stf_buf_init(&buf, parser->expr->alloc);
    stf_status status = STF_OK;
    do {
        if (buf.size != 0) {
            status = stf_buf_append(&buf, " ", 1);
        }
        if (status == STF_OK) {
            status = stf_buf_append_str(&buf, stf__parse_text(parser, parser->token));
        }
        if (status != STF_OK) {
            return stf__parse_no_memory(parser);
        }
        STF__TRY(stf__parse_advance(parser));
    } while (parser->token.kind == STF__TOKEN_NAME);
    status = stf__arena_copy_str(&parser->expr->arena, stf_buf_str(&buf), ret_name);
    return status == STF_OK ? STF_OK : stf__parse_no_memory(parser);
}

static stf_status check_arguments(stf__parser *parser, const stf__node *call)
{
    const stf__builtin *builtin = call->builtin;
    if (call->count >= builtin->count_min &&
        (call->count <= builtin->count_max || builtin->count_max == STF__BUILTIN_ANY)) {
        return STF_OK;
    }
    bool is_few = call->count < builtin->count_min;
    uint32_t bound = is_few ? builtin->count_min : builtin->count_max;
    return stf__source_fail(&parser->lexer.source, STF_EXPRESSION, call->offset,
                            "%.*s needs %s %u value%s, %zu given", STF_STR_ARG(builtin->name),
                            builtin->count_min == builtin->count_max ? "exactly"
                            : is_few                                 ? "at least"
                                                                     : "at most",
                            bound, bound == 1 ? "" : "s", call->count);
}

/* name(...): the current token is the parenthesis. */
static stf_status parse_call(stf__parser *parser, stf_str name, size_t offset, stf__node **ret_node)
{
    const stf__builtin *builtin = stf__builtin_find(name);
    if (builtin == NULL) {
        return stf__source_fail(&parser->lexer.source, STF_EXPRESSION, offset,
                                "there is no function \"%.*s\" in this version", STF_STR_ARG(name));
    }
    stf__node *call = NULL;
    STF__TRY(stf__parse_new_node(parser, STF__NODE_CALL, offset, &call));
    call->builtin = builtin;
    do {
        STF__TRY(stf__parse_advance(parser));
        if (call->count == 0 && parser->token.kind == STF__TOKEN_RIGHT_PAREN) {
            break;
        }
        STF__TRY(stf__parse_child(parser, parse_expression, call));
    } while (parser->token.kind == STF__TOKEN_COMMA);
    if (parser->token.kind == STF__TOKEN_COLON) {
        return stf__source_fail(&parser->lexer.source, STF_EXPRESSION, parser->token.start,
                                "naming the arguments of a function is not supported yet");
    }
    STF__TRY(stf__parse_expect(parser, STF__TOKEN_RIGHT_PAREN, "\",\" or \")\""));
    STF__TRY(check_arguments(parser, call));
    *ret_node = call;
    return STF_OK;
}

static stf_status parse_name(stf__parser *parser, stf__node **ret_node)
{
    size_t offset = parser->token.start;
    stf_str name;
    STF__TRY(parse_words(parser, &name));
    if (parser->token.kind == STF__TOKEN_LEFT_PAREN) {
        return parse_call(parser, name, offset, ret_node);
    }
    stf__node *node = NULL;
    STF__TRY(stf__parse_new_node(parser, STF__NODE_NAME, offset, &node));
    node->name = name;
    *ret_node = node;
    return STF_OK;
}

static stf_status parse_not(stf__parser *parser, stf__node **ret_node)
{
    size_t offset = parser->token.start;
    STF__TRY(stf__parse_advance(parser));
    if (parser->token.kind != STF__TOKEN_LEFT_PAREN) {
        return stf__parse_unexpected(parser, "\"(\" after not, such as not(approved)");
    }
    return parse_call(parser, STF_STR("not"), offset, ret_node);
}

/* ---- Brackets: groups, ranges, lists, contexts. */

/* "..": the current token. The end of a range is no filter's base, so that [a..b[ can be told. */
static stf_status parse_range(stf__parser *parser, stf__node *start, size_t offset, uint32_t flags,
                              stf__node **ret_node)
{
    stf__node *range = NULL;
    STF__TRY(stf__parse_wrap(parser, STF__NODE_RANGE, offset, start, &range));
    STF__TRY(stf__parse_advance(parser));
    bool was_range_end = parser->is_range_end;
    parser->is_range_end = true;
    STF__TRY(stf__parse_child(parser, parse_additive, range));
    parser->is_range_end = was_range_end;
    range->flags = flags;
    if (parser->token.kind == STF__TOKEN_RIGHT_PAREN ||
        parser->token.kind == STF__TOKEN_LEFT_BRACKET) {
        range->flags |= STF__RANGE_OPEN_END;
    } else if (parser->token.kind != STF__TOKEN_RIGHT_BRACKET) {
        return stf__parse_unexpected(parser, "\"]\" or \")\" at the end of the range");
    }
    *ret_node = range;
    return stf__parse_advance(parser);
}

static stf_status parse_group(stf__parser *parser, stf__node **ret_node)
{
    size_t offset = parser->token.start;
    stf__node *node = NULL;
    STF__TRY(stf__parse_advance(parser));
    STF__TRY(parse_expression(parser, &node));
    if (parser->token.kind == STF__TOKEN_DOT_DOT) {
        return parse_range(parser, node, offset, STF__RANGE_OPEN_START, ret_node);
    }
    STF__TRY(stf__parse_expect(parser, STF__TOKEN_RIGHT_PAREN, "an operator or \")\""));
    return stf__parse_use(parser, node, ret_node);
}

static stf_status parse_list(stf__parser *parser, stf__node **ret_node)
{
    stf__node *list = NULL;
    STF__TRY(stf__parse_new_node(parser, STF__NODE_LIST, parser->token.start, &list));
    do {
        STF__TRY(stf__parse_advance(parser));
        if (list->count == 0 && parser->token.kind == STF__TOKEN_RIGHT_BRACKET) {
            break;
        }
        stf__node *item = NULL;
        STF__TRY(parse_expression(parser, &item));
        if (list->count == 0 && parser->token.kind == STF__TOKEN_DOT_DOT) {
            return parse_range(parser, item, list->offset, 0, ret_node);
        }
        STF__TRY(stf__parse_add_child(parser, list, item));
    } while (parser->token.kind == STF__TOKEN_COMMA);
    *ret_node = list;
    return stf__parse_expect(parser, STF__TOKEN_RIGHT_BRACKET, "\",\" or \"]\"");
}

static stf_status parse_key(stf__parser *parser, stf_str *ret_key)
{
    if (parser->token.is_word) {
        return parse_words(parser, ret_key);
    }
    if (parser->token.kind != STF__TOKEN_STRING) {
        return stf__parse_unexpected(parser, "the name of an entry");
    }
    stf__node *literal = NULL;
    STF__TRY(stf__parse_literal(parser, &literal));
    *ret_key = stf_value_peek_string(literal->value);
    return STF_OK;
}

static stf_status parse_entry(stf__parser *parser, stf__node *context, stf__map *keys)
{
    size_t offset = parser->token.start;
    stf_str key;
    STF__TRY(parse_key(parser, &key));
    if (stf__map_get(keys, key) != NULL) {
        return stf__source_fail(&parser->lexer.source, STF_EXPRESSION, offset,
                                "the context has two entries \"%.*s\"", STF_STR_ARG(key));
    }
    STF__TRY(stf__parse_expect(parser, STF__TOKEN_COLON, "\":\" after the name of the entry"));
    stf__node *value = NULL;
    stf__node *entry = NULL;
    STF__TRY(parse_expression(parser, &value));
    STF__TRY(stf__parse_wrap(parser, STF__NODE_ENTRY, offset, value, &entry));
    entry->name = key;
    if (stf__map_put(keys, key, entry) != STF_OK) {
        return stf__parse_no_memory(parser);
    }
    return stf__parse_add_child(parser, context, entry);
}

static stf_status parse_context(stf__parser *parser, stf__node **ret_node)
{
    STF_CLEANUP(stf__map_done) stf__map keys;
    stf__map_init(&keys, parser->expr->alloc);
    stf__node *context = NULL;
    STF__TRY(stf__parse_new_node(parser, STF__NODE_CONTEXT, parser->token.start, &context));
    do {
        STF__TRY(stf__parse_advance(parser));
        if (context->count == 0 && parser->token.kind == STF__TOKEN_RIGHT_BRACE) {
            break;
        }
        STF__TRY(parse_entry(parser, context, &keys));
    } while (parser->token.kind == STF__TOKEN_COMMA);
    *ret_node = context;
    return stf__parse_expect(parser, STF__TOKEN_RIGHT_BRACE, "\",\" or \"}\"");
}

static stf_status parse_if(stf__parser *parser, stf__node **ret_node)
{
    stf__node *node = NULL;
    STF__TRY(stf__parse_new_node(parser, STF__NODE_IF, parser->token.start, &node));
    STF__TRY(stf__parse_advance(parser));
    STF__TRY(stf__parse_child(parser, parse_expression, node));
    STF__TRY(stf__parse_expect(parser, STF__TOKEN_THEN, "an operator or then"));
    STF__TRY(stf__parse_child(parser, parse_expression, node));
    STF__TRY(stf__parse_expect(parser, STF__TOKEN_ELSE, "an operator or else"));
    STF__TRY(stf__parse_child(parser, parse_expression, node));
    *ret_node = node;
    return STF_OK;
}

static stf_status parse_primary(stf__parser *parser, stf__node **ret_node)
{
    static const struct {
        stf__token_kind kind;
        stf__parse_fn parse;
    } starts[] = {
        {STF__TOKEN_NAME, parse_name},
        {STF__TOKEN_NOT, parse_not},
        {STF__TOKEN_IF, parse_if},
        {STF__TOKEN_LEFT_PAREN, parse_group},
        {STF__TOKEN_LEFT_BRACKET, parse_list},
        {STF__TOKEN_LEFT_BRACE, parse_context},
    };
    if (stf__parse_at_literal(parser)) {
        return stf__parse_literal(parser, ret_node);
    }
    for (size_t i = 0; i < STF_COUNT_OF(starts); i++) {
        if (starts[i].kind == parser->token.kind) {
            return starts[i].parse(parser, ret_node);
        }
    }
    return stf__parse_unexpected(parser, "a value");
}

/* ---- Operators, the strongest first. */

static stf_status parse_member(stf__parser *parser, stf__node *base, stf__node **ret_node)
{
    STF__TRY(stf__parse_advance(parser));
    size_t offset = parser->token.start;
    if (!parser->token.is_word) {
        return stf__parse_unexpected(parser, "a name after \".\"");
    }
    stf__node *member = NULL;
    STF__TRY(stf__parse_wrap(parser, STF__NODE_MEMBER, offset, base, &member));
    STF__TRY(parse_words(parser, &member->name));
    if (parser->token.kind == STF__TOKEN_LEFT_PAREN) {
        return stf__source_fail(&parser->lexer.source, STF_EXPRESSION, offset,
                                "calls of methods such as .%.*s() are not supported",
                                STF_STR_ARG(member->name));
    }
    *ret_node = member;
    return STF_OK;
}

static stf_status parse_filter(stf__parser *parser, stf__node *base, stf__node **ret_node)
{
    stf__node *filter = NULL;
    STF__TRY(stf__parse_wrap(parser, STF__NODE_FILTER, parser->token.start, base, &filter));
    STF__TRY(stf__parse_advance(parser));
    STF__TRY(stf__parse_child(parser, parse_expression, filter));
    *ret_node = filter;
    return stf__parse_expect(parser, STF__TOKEN_RIGHT_BRACKET, "an operator or \"]\"");
}

static stf_status parse_postfix(stf__parser *parser, stf__node **ret_node)
{
    stf__node *node = NULL;
    STF__TRY(parse_primary(parser, &node));
    for (;;) {
        if (parser->token.kind == STF__TOKEN_DOT) {
            STF__TRY(parse_member(parser, node, &node));
        } else if (parser->token.kind == STF__TOKEN_LEFT_BRACKET && !parser->is_range_end) {
            STF__TRY(parse_filter(parser, node, &node));
        } else {
            *ret_node = node;
            return STF_OK;
        }
    }
}

static stf_status parse_unary(stf__parser *parser, /* NOLINT(misc-no-recursion) */
                              stf__node **ret_node)
{
    if (parser->token.kind != STF__TOKEN_MINUS) {
        return parse_postfix(parser, ret_node);
    }
    size_t offset = parser->token.start;
    stf__node *operand = NULL;
    STF__TRY(stf__parse_enter(parser));
    STF__TRY(stf__parse_advance(parser));
    STF__TRY(parse_unary(parser, &operand));
    stf__parse_leave(parser);
    return stf__parse_wrap(parser, STF__NODE_NEGATE, offset, operand, ret_node);
}

static stf_status parse_power(stf__parser *parser, stf__node **ret_node)
{
    static const stf__operator operators[] = {{STF__TOKEN_STAR_STAR, STF__OP_POWER}};
    return stf__parse_fold(parser, parse_unary, operators, STF_COUNT_OF(operators), ret_node);
}

static stf_status parse_multiplicative(stf__parser *parser, stf__node **ret_node)
{
    static const stf__operator operators[] = {{STF__TOKEN_STAR, STF__OP_MULTIPLY},
                                              {STF__TOKEN_SLASH, STF__OP_DIVIDE}};
    return stf__parse_fold(parser, parse_power, operators, STF_COUNT_OF(operators), ret_node);
}

static stf_status parse_additive(stf__parser *parser, stf__node **ret_node)
{
    static const stf__operator operators[] = {{STF__TOKEN_PLUS, STF__OP_ADD},
                                              {STF__TOKEN_MINUS, STF__OP_SUBTRACT}};
    return stf__parse_fold(parser, parse_multiplicative, operators, STF_COUNT_OF(operators),
                           ret_node);
}

/* "> 5", "]1..5[" or a value, as x in ... takes them. Inside parentheses a value may be any
 * expression. */
static stf_status parse_test(stf__parser *parser, bool is_grouped, stf__node *in)
{
    size_t offset = parser->token.start;
    const stf__operator *comparison = peek_comparison(parser);
    stf__node *node = NULL;
    if (comparison != NULL) {
        STF__TRY(stf__parse_new_node(parser, STF__NODE_COMPARE, offset, &node));
        node->op = comparison->op;
        STF__TRY(stf__parse_advance(parser));
        STF__TRY(stf__parse_child(parser, parse_additive, node));
    } else if (parser->token.kind == STF__TOKEN_RIGHT_BRACKET) {
        STF__TRY(stf__parse_advance(parser));
        STF__TRY(parse_additive(parser, &node));
        if (parser->token.kind != STF__TOKEN_DOT_DOT) {
            return stf__parse_unexpected(parser, "\"..\" and the end of the range");
        }
        STF__TRY(parse_range(parser, node, offset, STF__RANGE_OPEN_START, &node));
    } else if (is_grouped) {
        STF__TRY(parse_expression(parser, &node));
    } else {
        STF__TRY(parse_additive(parser, &node));
    }
    return stf__parse_add_child(parser, in, node);
}

/* x in ...: the current token is in. */
static stf_status parse_in(stf__parser *parser, stf__node *subject, stf__node **ret_node)
{
    stf__node *in = NULL;
    STF__TRY(stf__parse_wrap(parser, STF__NODE_IN, parser->token.start, subject, &in));
    STF__TRY(stf__parse_advance(parser));
    *ret_node = in;
    if (parser->token.kind != STF__TOKEN_LEFT_PAREN) {
        return parse_test(parser, false, in);
    }
    size_t offset = parser->token.start;
    do {
        STF__TRY(stf__parse_advance(parser));
        bool is_first = in->count == 1;
        STF__TRY(parse_test(parser, true, in));
        if (is_first && parser->token.kind == STF__TOKEN_DOT_DOT) {
            /* "(a..b)": what looked like the first test is the start of a range. */
            stf__node *start = in->last;
            in->first->next = NULL;
            in->last = in->first;
            in->count = 1;
            STF__TRY(parse_range(parser, start, offset, STF__RANGE_OPEN_START, &start));
            return stf__parse_add_child(parser, in, start);
        }
    } while (parser->token.kind == STF__TOKEN_COMMA);
    return stf__parse_expect(parser, STF__TOKEN_RIGHT_PAREN, "\",\" or \")\"");
}

static stf_status parse_between(stf__parser *parser, stf__node *subject, stf__node **ret_node)
{
    stf__node *node = NULL;
    STF__TRY(stf__parse_wrap(parser, STF__NODE_BETWEEN, parser->token.start, subject, &node));
    STF__TRY(stf__parse_advance(parser));
    STF__TRY(stf__parse_child(parser, parse_additive, node));
    STF__TRY(stf__parse_expect(parser, STF__TOKEN_AND, "and, the upper end of between"));
    STF__TRY(stf__parse_child(parser, parse_additive, node));
    *ret_node = node;
    return STF_OK;
}

/* One comparison: "a < b < c" would compare a boolean with a number. */
static stf_status parse_comparison(stf__parser *parser, stf__node **ret_node)
{
    stf__node *left = NULL;
    STF__TRY(parse_additive(parser, &left));
    const stf__operator *comparison = peek_comparison(parser);
    if (parser->token.kind == STF__TOKEN_IN) {
        STF__TRY(parse_in(parser, left, &left));
    } else if (parser->token.kind == STF__TOKEN_BETWEEN) {
        STF__TRY(parse_between(parser, left, &left));
    } else if (comparison != NULL) {
        stf__node *fold = NULL;
        stf__node *right = NULL;
        size_t op_offset = parser->token.start;
        STF__TRY(stf__parse_wrap(parser, STF__NODE_FOLD, left->offset, left, &fold));
        STF__TRY(stf__parse_advance(parser));
        STF__TRY(parse_additive(parser, &right));
        right->op = comparison->op;
        right->op_offset = op_offset;
        STF__TRY(stf__parse_add_child(parser, fold, right));
        left = fold;
    }
    if (peek_comparison(parser) != NULL) {
        return stf__source_fail(&parser->lexer.source, STF_EXPRESSION, parser->token.start,
                                "only two values can be compared: join comparisons with and");
    }
    *ret_node = left;
    return STF_OK;
}

static stf_status parse_and(stf__parser *parser, stf__node **ret_node)
{
    return stf__parse_logic(parser, parse_comparison, STF__TOKEN_AND, STF__NODE_AND, ret_node);
}

static stf_status parse_expression(stf__parser *parser, stf__node **ret_node)
{
    bool was_range_end = parser->is_range_end;
    parser->is_range_end = false;
    STF__TRY(stf__parse_enter(parser));
    STF__TRY(stf__parse_logic(parser, parse_and, STF__TOKEN_OR, STF__NODE_OR, ret_node));
    stf__parse_leave(parser);
    parser->is_range_end = was_range_end;
    return STF_OK;
}

stf_status stf__parse_feel(stf_expr *expr, stf_error *error)
{
    stf__parser parser = {
        .expr = expr,
        .lexer = {.source = {.text = expr->text, .error = error}, .language = STF_EXPR_FEEL},
        .hints = hints,
        .hint_count = STF_COUNT_OF(hints),
    };
    if (expr->text.size != 0 && expr->text.data[0] == '=') {
        parser.lexer.at = 1; /* as Zeebe's files mark an expression */
    }
    stf__node *root = NULL;
    STF__TRY(stf__parse_advance(&parser));
    STF__TRY(parse_expression(&parser, &root));
    if (parser.token.kind != STF__TOKEN_END) {
        return stf__parse_unexpected(&parser, "an operator or the end");
    }
    return stf__parse_use(&parser, root, &expr->root);
}

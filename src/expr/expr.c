/* SPDX-License-Identifier: Apache-2.0 */
/* The public face: which language a text is in, the life of a compiled expression, evaluations. */
#include <stepfast/expr.h>
#include <string.h>

#include "base/mem.h"
#include "expr/eval.h"
#include "expr/parse.h"
#include "expr/utf8.h"

/* A leading "=" is FEEL whatever follows; "${" or "#{" anywhere makes a text JUEL. */
static stf_expr_language detect(stf_str text)
{
    if (text.size != 0 && text.data[0] == '=') {
        return STF_EXPR_FEEL;
    }
    for (size_t i = 0; i + 1 < text.size; i++) {
        if ((text.data[i] == '$' || text.data[i] == '#') && text.data[i + 1] == '{') {
            return STF_EXPR_JUEL;
        }
    }
    return STF_EXPR_FEEL;
}

static void expr_free(stf_expr *expr)
{
    for (stf__node *node = expr->literals; node != NULL; node = node->next_literal) {
        stf_value_unref(node->value);
    }
    stf__arena_done(&expr->arena);
    stf__mem_free(expr->alloc, expr);
}

static stf_status check_text(stf_str text, stf_error *error)
{
    stf__source source = {.text = {NULL, 0}, .error = error};
    if (text.size > STF_LIMIT_EXPR_BYTES) {
        return stf__source_fail(&source, STF_LIMIT_EXCEEDED, 0, "the expression is over %u bytes",
                                STF_LIMIT_EXPR_BYTES);
    }
    if (!stf_str_is_utf8(text)) {
        return stf__source_fail(&source, STF_EXPRESSION, 0, "the expression is not UTF-8");
    }
    return STF_OK;
}

static stf_status compile(stf_expr *expr, stf_str text, stf_expr_language language,
                          stf_error *error)
{
    if (stf__arena_copy_str(&expr->arena, text, &expr->text) != STF_OK) {
        return stf_error_set(error, STF_NO_MEMORY, "EXPR", "no memory to compile an expression");
    }
    expr->language = language == STF_EXPR_DETECT ? detect(text) : language;
    return expr->language == STF_EXPR_JUEL ? stf__parse_juel(expr, error)
                                           : stf__parse_feel(expr, error);
}

stf_status stf_expr_compile(const stf_allocator *alloc, stf_str text, stf_expr_language language,
                            stf_expr **ret_expr, stf_error *error)
{
    if (ret_expr == NULL || (text.data == NULL && text.size != 0) ||
        (uint32_t)language > STF_EXPR_JUEL) {
        return stf_error_set(
            error, STF_INVALID_ARGUMENT, "EXPR",
            "stf_expr_compile needs a text, a language and a place for the result");
    }
    STF__TRY(check_text(text, error));
    text = stf__utf8_trim(text);
    if (text.size == 0) {
        stf__source source = {.text = text, .error = error};
        return stf__source_fail(&source, STF_EXPRESSION, 0, "the expression is empty");
    }
    stf_expr *expr = stf__mem_zalloc(alloc, sizeof(*expr));
    if (expr == NULL) {
        return stf_error_set(error, STF_NO_MEMORY, "EXPR", "no memory to compile an expression");
    }
    atomic_init(&expr->refs, 1);
    expr->alloc = stf__alloc_or_default(alloc);
    stf__arena_init(&expr->arena, expr->alloc);
    stf_status status = compile(expr, text, language, error);
    if (status != STF_OK) {
        expr_free(expr);
        return status;
    }
    *ret_expr = expr;
    return STF_OK;
}

/* The count is not part of what is immutable. */
static atomic_uint *refs_of(const stf_expr *expr)
{
    union {
        const stf_expr *in;
        stf_expr *out;
    } cast = {.in = expr};
    return &cast.out->refs;
}

stf_expr *stf_expr_ref(const stf_expr *expr)
{
    union {
        const stf_expr *in;
        stf_expr *out;
    } cast = {.in = expr};
    if (expr != NULL) {
        atomic_fetch_add_explicit(refs_of(expr), 1, memory_order_relaxed);
    }
    return cast.out;
}

stf_expr *stf_expr_unref(stf_expr *expr)
{
    if (expr != NULL && atomic_fetch_sub_explicit(&expr->refs, 1, memory_order_acq_rel) == 1) {
        expr_free(expr);
    }
    return NULL;
}

stf_str stf_expr_peek_text(const stf_expr *expr)
{
    return expr != NULL ? expr->text : (stf_str){NULL, 0};
}

bool stf_expr_is_constant(const stf_expr *expr)
{
    return expr != NULL && !expr->has_names;
}

stf_status stf_expr_eval(const stf_expr *expr, const stf_allocator *alloc,
                         const stf_expr_scope *scope, stf_value **ret_value, stf_error *error)
{
    if (expr == NULL || ret_value == NULL) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "EXPR",
                             "stf_expr_eval needs an expression and a place for the result");
    }
    uint32_t budget =
        scope != NULL && scope->step_budget != 0 ? scope->step_budget : STF_LIMIT_EXPR_STEPS;
    stf__eval eval = {
        .alloc = stf__alloc_or_default(alloc),
        .scope = scope,
        .source = {.text = expr->text, .error = error},
        .language = expr->language,
        .steps_left = budget,
        .budget = budget,
    };
    stf_value *value = NULL;
    STF__TRY(stf__eval_node(&eval, expr->root, &value));
    *ret_value = value;
    return STF_OK;
}

stf_status stf_expr_eval_condition(const stf_expr *expr, const stf_allocator *alloc,
                                   const stf_expr_scope *scope, bool *ret_is_true, stf_error *error)
{
    if (ret_is_true == NULL) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "EXPR",
                             "stf_expr_eval_condition needs a place for the result");
    }
    stf_value *value = NULL;
    STF__TRY(stf_expr_eval(expr, alloc, scope, &value, error));
    stf_value_kind kind = stf_value_get_kind(value);
    stf_status status = STF_OK;
    if (kind == STF_VALUE_BOOL || kind == STF_VALUE_NULL) {
        *ret_is_true = stf_value_is_true(value);
    } else {
        stf__source source = {.text = expr->text, .error = error};
        status =
            stf__source_fail(&source, STF_EXPRESSION, expr->root->offset,
                             "a condition is true or false, but this is %s", stf__kind_name(value));
    }
    stf_value_unref(value);
    return status;
}

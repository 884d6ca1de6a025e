/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions: FEEL (DMN 1.4 clause 10.3) and the ${...} form of Camunda and Flowable files,
 * translated to one tree at compile time and evaluated under a step budget. */
#ifndef STEPFAST_EXPR_H
#define STEPFAST_EXPR_H

#include <stepfast/value.h>

STF_BEGIN_DECLS

typedef struct stf_expr stf_expr; /* immutable, refcounted */

/* The language a text is written in. DETECT: "${...}" or "#{...}" is JUEL, a leading "=" or none is
 * FEEL. A text that mixes literal parts with ${...} is a JUEL string concatenation. */
typedef enum stf_expr_language {
    STF_EXPR_DETECT = 0,
    STF_EXPR_FEEL = 1,
    STF_EXPR_JUEL = 2
} stf_expr_language;

/* Outer white space is ignored. On failure the message names the column (from 1, in characters of
 * the trimmed text) and what was expected; the details "column" and "expression" hold the number
 * and the text. OK, EXPRESSION, LIMIT_EXCEEDED, NO_MEMORY, INVALID_ARGUMENT. Thread: any. */
STF_API STF_MUST_CHECK stf_status stf_expr_compile(const stf_allocator *alloc, stf_str text,
                                                   stf_expr_language language, stf_expr **ret_expr,
                                                   stf_error *error);
STF_API stf_expr *stf_expr_ref(const stf_expr *expr);
STF_API stf_expr *stf_expr_unref(stf_expr *expr);
STF_API stf_str stf_expr_peek_text(const stf_expr *expr); /* as compiled, trimmed */
/* True for a literal: its value does not depend on any variable. */
STF_API bool stf_expr_is_constant(const stf_expr *expr);

/* Where variables come from. */
typedef struct stf_expr_scope {
    size_t struct_size;
    uint32_t abi;
    uint32_t flags;
    void *user;
    /* The value of a name, borrowed until the evaluation returns; NULL: no such variable. */
    const stf_value *(*lookup)(void *user, stf_str name);
    uint32_t step_budget; /* 0: STF_LIMIT_EXPR_STEPS */
    uint32_t reserved;
} stf_expr_scope;

#define STF_EXPR_SCOPE_ABI 1u

/* FEEL follows the standard (a missing variable and a failing operation are null); JUEL fails on a
 * missing variable, as Camunda does, except under "empty". Gives one reference. OK, EXPRESSION,
 * LIMIT_EXCEEDED (budget, depth, size), NO_MEMORY. Thread: any. */
STF_API STF_MUST_CHECK stf_status stf_expr_eval(const stf_expr *expr, const stf_allocator *alloc,
                                                const stf_expr_scope *scope, stf_value **ret_value,
                                                stf_error *error);

/* Evaluates a condition: OK with ret_is_true; a result that is neither boolean nor null is
 * EXPRESSION; null is false. */
STF_API STF_MUST_CHECK stf_status stf_expr_eval_condition(const stf_expr *expr,
                                                          const stf_allocator *alloc,
                                                          const stf_expr_scope *scope,
                                                          bool *ret_is_true, stf_error *error);

STF_END_DECLS

#endif

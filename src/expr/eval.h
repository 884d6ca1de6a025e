/* SPDX-License-Identifier: Apache-2.0 */
/* One evaluation: its scope, its budget, and what operators and built-ins need of it. Every value
 * that a function gives is one reference of the caller's. */
#ifndef STF_EXPR_EVAL_H
#define STF_EXPR_EVAL_H

#include "expr/tree.h"

/* Names that an expression brings into scope: the item of a filter, the entries of a context that
 * come before the one that is evaluated. */
typedef struct stf__frame {
    const struct stf__frame *up;
    const stf_value *item; /* a filter's item, or NULL */
    const stf_str *keys;   /* a context's entries so far */
    stf_value *const *values;
    size_t count;
} stf__frame;

typedef struct stf__eval {
    const stf_allocator *alloc;
    const stf_expr_scope *scope;
    stf__source source;
    stf_expr_language language;
    const stf__frame *frame;
    const stf_value *subject; /* the left side of the IN that is evaluated */
    bool is_lenient;          /* under "empty": what is missing is null */
    uint32_t steps_left;
    uint32_t budget;
} stf__eval;

/* Recursion: a tree is at most STF_LIMIT_EXPR_DEPTH deep. */
STF_MUST_CHECK stf_status stf__eval_node(stf__eval *eval, const stf__node *node,
                                         stf_value **ret_value);

/* Takes steps from the budget: each node, item and 64 bytes of text costs one. LIMIT_EXCEEDED. */
STF_MUST_CHECK stf_status stf__eval_charge(stf__eval *eval, const stf__node *at, size_t steps);
STF_MUST_CHECK stf_status stf__eval_charge_text(stf__eval *eval, const stf__node *at, size_t bytes);

stf_status stf__eval_no_memory(const stf__eval *eval);

/* Results. */
STF_MUST_CHECK stf_status stf__eval_give_null(stf_value **ret_value);
STF_MUST_CHECK stf_status stf__eval_give_bool(bool is_true, stf_value **ret_value);
STF_MUST_CHECK stf_status stf__eval_give_ref(const stf_value *value, stf_value **ret_value);
/* Null when there is no number. */
STF_MUST_CHECK stf_status stf__eval_give_number(stf__eval *eval, bool is_number, stf_decimal number,
                                                stf_value **ret_value);
STF_MUST_CHECK stf_status stf__eval_give_int(stf__eval *eval, int64_t number,
                                             stf_value **ret_value);
/* Charges its size. */
STF_MUST_CHECK stf_status stf__eval_give_text(stf__eval *eval, const stf__node *at, stf_str text,
                                              stf_value **ret_value);

/* A list that grows. */
typedef struct stf__items {
    const stf_allocator *alloc;
    stf_value **values;
    size_t count;
    size_t capacity;
} stf__items;

void stf__items_done(stf__items *items);
/* Charges a step. take: consumes the reference, also on failure. NO_MEMORY, LIMIT_EXCEEDED. */
STF_MUST_CHECK stf_status stf__items_add(stf__eval *eval, const stf__node *at, stf__items *items,
                                         const stf_value *value);
STF_MUST_CHECK stf_status stf__items_take(stf__eval *eval, const stf__node *at, stf__items *items,
                                          stf_value *value);
STF_MUST_CHECK stf_status stf__items_give_list(stf__eval *eval, const stf__items *items,
                                               stf_value **ret_value);

/* Appends a value as text: texts as they are, the rest as JSON; charges. */
STF_MUST_CHECK stf_status stf__eval_append_text(stf__eval *eval, const stf__node *at,
                                                const stf_value *value, stf_buf *buf);

/* Three-valued logic. */
typedef enum stf__truth {
    STF__NO,
    STF__YES,
    STF__UNKNOWN
} stf__truth;

stf__truth stf__truth_of(bool is_true);
STF_MUST_CHECK stf_status stf__truth_give(stf__truth truth, stf_value **ret_value);

/* ---- Operators, each language's own. */

/* The value as a condition. FEEL: what is no boolean is unknown. JUEL: never unknown; EXPRESSION
 * for what has no truth. */
STF_MUST_CHECK stf_status stf__operator_truth(stf__eval *eval, const stf__node *at,
                                              const stf_value *value, stf__truth *ret_truth);
/* a op b. offset: where the operator stands. */
STF_MUST_CHECK stf_status stf__operator_apply(stf__eval *eval, const stf__node *at, size_t offset,
                                              stf__op op, const stf_value *a, const stf_value *b,
                                              stf_value **ret_value);
STF_MUST_CHECK stf_status stf__operator_negate(stf__eval *eval, const stf__node *at,
                                               const stf_value *value, stf_value **ret_value);
/* Deep, charging for what it reads. Numbers by value; different kinds are not equal. */
STF_MUST_CHECK stf_status stf__operator_same(stf__eval *eval, const stf__node *at,
                                             const stf_value *a, const stf_value *b,
                                             bool *ret_is_same);
STF_MUST_CHECK stf_status stf__operator_compare_feel(stf__eval *eval, const stf__node *at,
                                                     stf__op op, const stf_value *a,
                                                     const stf_value *b, stf__truth *ret_truth);

/* JUEL's half, called through the above. */
STF_MUST_CHECK stf_status stf__juel_truth(stf__eval *eval, const stf__node *at,
                                          const stf_value *value, stf__truth *ret_truth);
STF_MUST_CHECK stf_status stf__juel_apply(stf__eval *eval, const stf__node *at, size_t offset,
                                          stf__op op, const stf_value *a, const stf_value *b,
                                          stf_value **ret_value);
STF_MUST_CHECK stf_status stf__juel_number(stf__eval *eval, size_t offset, const stf_value *value,
                                           stf_decimal *ret_number);

const char *stf__kind_name(const stf_value *value); /* "a number" */
const char *stf__op_text(stf__op op);
bool stf__op_matches(stf__op op, int order); /* < <= > >= of what compared as order */

#endif

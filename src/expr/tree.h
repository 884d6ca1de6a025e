/* SPDX-License-Identifier: Apache-2.0 */
/* The tree that both languages compile to. Nodes live in the expression's arena and never change
 * after the compilation. Children are a list, so a chain such as a + b + c is one node and the
 * depth of a tree is at most STF_LIMIT_EXPR_DEPTH whatever the length of the text: evaluation may
 * recurse over it. */
#ifndef STF_EXPR_TREE_H
#define STF_EXPR_TREE_H

#include <stdatomic.h>

#include "base/arena.h"
#include "expr/lexer.h"

/* One row per kind of node: its name, its evaluator's name. What the children are: */
#define STF__NODE_MAP(X)                                                                           \
    X(LITERAL, literal) /* value */                                                                \
    X(NAME, name)       /* name */                                                                 \
    X(MEMBER, member)   /* name; the base */                                                       \
    X(FILTER, filter)   /* the base, the filter; FEEL, from 1 */                                   \
    X(INDEX, index)     /* the base, the index; JUEL, from 0 */                                    \
    X(NEGATE, negate)   /* the operand */                                                          \
    X(NOT, not )        /* the operand */                                                          \
    X(EMPTY, empty)     /* the operand */                                                          \
    X(FOLD, fold)       /* operands; each but the first with its operator */                       \
    X(AND, and)         /* operands */                                                             \
    X(OR, or)           /* operands */                                                             \
    X(IF, if)           /* the condition, then, else */                                            \
    X(BETWEEN, between) /* the subject, the lower end, the upper end */                            \
    X(IN, in)           /* the subject, tests: RANGE, COMPARE or any other node */                 \
    X(RANGE, range)     /* the lower end, the upper end; flags say which is open */                \
    X(COMPARE, compare) /* the right side of op; the left one is the subject of IN */              \
    X(LIST, list)       /* items */                                                                \
    X(CONTEXT, context) /* ENTRY each */                                                           \
    X(ENTRY, entry)     /* name; the value */                                                      \
    X(CALL, call)       /* builtin; arguments */                                                   \
    X(CONCAT, concat)   /* the parts of a JUEL text */

typedef enum stf__node_kind {
#define STF__NODE_ENUM(name, evaluator) STF__NODE_##name,
    STF__NODE_MAP(STF__NODE_ENUM)
#undef STF__NODE_ENUM
    STF__NODE_KINDS
} stf__node_kind;

/* Operators that take two values: name, how a person writes it. */
#define STF__OP_MAP(X)                                                                             \
    X(ADD, "+")                                                                                    \
    X(SUBTRACT, "-")                                                                               \
    X(MULTIPLY, "*")                                                                               \
    X(DIVIDE, "/")                                                                                 \
    X(MODULO, "%")                                                                                 \
    X(POWER, "**")                                                                                 \
    X(EQUAL, "=")                                                                                  \
    X(NOT_EQUAL, "!=")                                                                             \
    X(LESS, "<")                                                                                   \
    X(LESS_EQUAL, "<=")                                                                            \
    X(GREATER, ">")                                                                                \
    X(GREATER_EQUAL, ">=")

typedef enum stf__op {
#define STF__OP_ENUM(name, text) STF__OP_##name,
    STF__OP_MAP(STF__OP_ENUM)
#undef STF__OP_ENUM
    STF__OPS
} stf__op;

#define STF__RANGE_OPEN_START 1u
#define STF__RANGE_OPEN_END 2u

struct stf__builtin;

typedef struct stf__node stf__node;
struct stf__node {
    stf__node_kind kind;
    stf__op op;     /* COMPARE, and a child of FOLD: the operator before it */
    uint32_t flags; /* RANGE */
    uint32_t depth; /* 1 for a leaf */
    size_t offset;  /* in the text, for messages */
    size_t op_offset;
    stf_str name;     /* NAME, MEMBER, ENTRY */
    stf_value *value; /* LITERAL: one reference */
    const struct stf__builtin *builtin;
    stf__node *first;
    stf__node *last;
    stf__node *next; /* the next child of the same parent */
    size_t count;    /* children */
    stf__node *next_literal;
};

struct stf_expr {
    atomic_uint refs;
    const stf_allocator *alloc;
    stf__arena arena;
    stf_str text; /* trimmed, in the arena */
    stf_expr_language language;
    bool has_names;
    stf__node *root;
    stf__node *literals; /* every LITERAL, to give back their values */
};

#endif

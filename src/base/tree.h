/* SPDX-License-Identifier: Apache-2.0 */
/* An ordered set of intrusive nodes (a treap: ordered by key, heap by a drawn priority). Insert,
 * remove and seek are logarithmic on average whatever the order of arrival; nothing is allocated,
 * so moving a row between its indexes cannot fail. No two keys are equal. */
#ifndef STF_BASE_TREE_H
#define STF_BASE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The struct that a tree node is embedded in. */
#define STF__NODE_OWNER(node, type, member)                                                        \
    ((const type *)((const char *)(node)-offsetof(type, member)))

typedef struct stf__tree_node stf__tree_node;

struct stf__tree_node {
    stf__tree_node *parent;
    stf__tree_node *left;
    stf__tree_node *right;
    uint64_t priority; /* 0: in no tree */
};

/* < 0, 0, > 0 as memcmp. */
typedef int (*stf__tree_compare)(const stf__tree_node *a, const stf__tree_node *b);
/* The key against the node's. */
typedef int (*stf__tree_compare_key)(const void *key, const stf__tree_node *node);

typedef struct stf__tree {
    stf__tree_node *root;
    stf__tree_compare compare;
    uint64_t drawn; /* priorities drawn so far; no randomness is needed against ourselves */
} stf__tree;

void stf__tree_init(stf__tree *tree, stf__tree_compare compare);
bool stf__tree_has(const stf__tree_node *node); /* in some tree */
void stf__tree_insert(stf__tree *tree, stf__tree_node *node);
void stf__tree_remove(stf__tree *tree, stf__tree_node *node); /* in no tree: nothing happens */
stf__tree_node *stf__tree_first(const stf__tree *tree);
stf__tree_node *stf__tree_next(const stf__tree_node *node);
/* The first node behind the key; NULL: none. */
stf__tree_node *stf__tree_after(const stf__tree *tree, stf__tree_compare_key compare,
                                const void *key);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The treap. A node rises by rotations while its priority is above its parent's, and sinks before
 * it is cut off; parents make the walk to the next node possible without a stack. */
#include "base/tree.h"

void stf__tree_init(stf__tree *tree, stf__tree_compare compare)
{
    *tree = (stf__tree){.compare = compare};
}

bool stf__tree_has(const stf__tree_node *node)
{
    return node->priority != 0;
}

/* Spreads a counter over all bits (the finaliser of splitmix64); never 0. */
static uint64_t draw_priority(stf__tree *tree)
{
    uint64_t bits = ++tree->drawn * UINT64_C(0x9e3779b97f4a7c15);
    bits = (bits ^ (bits >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ (bits >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (bits ^ (bits >> 31)) | 1u;
}

/* Where the tree points to this node. */
static stf__tree_node **link_to(stf__tree *tree, const stf__tree_node *node)
{
    if (node->parent == NULL) {
        return &tree->root;
    }
    return node->parent->left == node ? &node->parent->left : &node->parent->right;
}

/* Lifts a child over its parent; the order stays. */
static void rotate_up(stf__tree *tree, stf__tree_node *node)
{
    stf__tree_node *parent = node->parent;
    *link_to(tree, parent) = node;
    node->parent = parent->parent;
    parent->parent = node;
    stf__tree_node *moved;
    if (parent->left == node) {
        moved = node->right;
        parent->left = moved;
        node->right = parent;
    } else {
        moved = node->left;
        parent->right = moved;
        node->left = parent;
    }
    if (moved != NULL) {
        moved->parent = parent;
    }
}

void stf__tree_insert(stf__tree *tree, stf__tree_node *node)
{
    stf__tree_node *parent = NULL;
    stf__tree_node **link = &tree->root;
    while (*link != NULL) {
        parent = *link;
        link = tree->compare(node, parent) < 0 ? &parent->left : &parent->right;
    }
    *node = (stf__tree_node){.parent = parent, .priority = draw_priority(tree)};
    *link = node;
    while (node->parent != NULL && node->parent->priority < node->priority) {
        rotate_up(tree, node);
    }
}

void stf__tree_remove(stf__tree *tree, stf__tree_node *node)
{
    if (!stf__tree_has(node)) {
        return;
    }
    while (node->left != NULL && node->right != NULL) {
        bool is_left_higher = node->left->priority > node->right->priority;
        rotate_up(tree, is_left_higher ? node->left : node->right);
    }
    stf__tree_node *child = node->left != NULL ? node->left : node->right;
    *link_to(tree, node) = child;
    if (child != NULL) {
        child->parent = node->parent;
    }
    *node = (stf__tree_node){.priority = 0};
}

static stf__tree_node *leftmost(stf__tree_node *node)
{
    while (node != NULL && node->left != NULL) {
        node = node->left;
    }
    return node;
}

stf__tree_node *stf__tree_first(const stf__tree *tree)
{
    return leftmost(tree->root);
}

stf__tree_node *stf__tree_next(const stf__tree_node *node)
{
    if (node->right != NULL) {
        return leftmost(node->right);
    }
    while (node->parent != NULL && node->parent->right == node) {
        node = node->parent;
    }
    return node->parent;
}

stf__tree_node *stf__tree_after(const stf__tree *tree, stf__tree_compare_key compare,
                                const void *key)
{
    stf__tree_node *found = NULL;
    stf__tree_node *node = tree->root;
    while (node != NULL) {
        if (compare(key, node) < 0) {
            found = node;
            node = node->left;
        } else {
            node = node->right;
        }
    }
    return found;
}

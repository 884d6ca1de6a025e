/* SPDX-License-Identifier: Apache-2.0 */
/* The ordered set against a plain array. */
#include "base/tree.h"

#include "support/stf_test.h"

#define KEYS 300

typedef struct number {
    stf__tree_node node;
    int key;
} number;

static int key_of(const stf__tree_node *node)
{
    return ((const number *)(const void *)node)->key;
}

static int compare(const stf__tree_node *a, const stf__tree_node *b)
{
    return key_of(a) - key_of(b);
}

static int compare_key(const void *key, const stf__tree_node *node)
{
    return *(const int *)key - key_of(node);
}

/* Every walk and every seek agrees with the flags. */
static void expect_same(const stf__tree *tree, const bool *is_in)
{
    const stf__tree_node *node = stf__tree_first(tree);
    for (int key = 0; key < KEYS; key++) {
        if (is_in[key]) {
            ck_assert_ptr_nonnull(node);
            ck_assert_int_eq(key_of(node), key);
            ck_assert(node->parent == NULL || node->parent->priority >= node->priority);
            node = stf__tree_next(node);
        }
    }
    ck_assert_ptr_null(node);
    int wanted = KEYS;
    for (int key = KEYS - 1; key >= -1; key--) {
        const stf__tree_node *found = stf__tree_after(tree, compare_key, &key);
        ck_assert_int_eq(found != NULL ? key_of(found) : KEYS, wanted);
        wanted = key >= 0 && is_in[key] ? key : wanted;
    }
}

STF_TEST(random_inserts_and_removals_keep_the_order)
{
    static number numbers[KEYS];
    static bool is_in[KEYS];
    uint32_t random = 1;
    stf__tree tree;
    stf__tree_init(&tree, compare);
    for (int round = 0; round < 20000; round++) {
        random = random * 1664525u + 1013904223u;
        int key = (int)(random >> 8) % KEYS;
        numbers[key].key = key;
        ck_assert_int_eq(stf__tree_has(&numbers[key].node), is_in[key]);
        if (is_in[key]) {
            stf__tree_remove(&tree, &numbers[key].node);
        } else {
            stf__tree_insert(&tree, &numbers[key].node);
        }
        is_in[key] = !is_in[key];
        if (round % 97 == 0) {
            expect_same(&tree, is_in);
        }
    }
}

static size_t depth_of(const stf__tree_node *node)
{
    size_t depth = 0;
    for (; node != NULL; node = node->parent) {
        depth++;
    }
    return depth;
}

STF_TEST(ascending_keys_do_not_make_a_list)
{
    enum {
        MANY = 20000
    };
    number *numbers = calloc(MANY, sizeof(*numbers));
    size_t deepest = 0;
    stf__tree tree;
    stf__tree_init(&tree, compare);
    for (int i = 0; i < MANY; i++) {
        numbers[i].key = i;
        stf__tree_insert(&tree, &numbers[i].node);
    }
    for (int i = 0; i < MANY; i++) {
        size_t depth = depth_of(&numbers[i].node);
        deepest = depth > deepest ? depth : deepest;
    }
    ck_assert_uint_lt(deepest, 60); /* 2 x log2 would be 29 */
    free(numbers);
}

STF_TEST(removing_what_is_in_no_tree_changes_nothing)
{
    number one = {.key = 1};
    number other = {.key = 2};
    stf__tree tree;
    stf__tree_init(&tree, compare);
    stf__tree_remove(&tree, &one.node);
    ck_assert_ptr_null(stf__tree_first(&tree));
    stf__tree_insert(&tree, &one.node);
    stf__tree_remove(&tree, &other.node);
    ck_assert_ptr_eq(stf__tree_first(&tree), &one.node);
}

static const stf_test_case cases[] = {
    STF_CASE(random_inserts_and_removals_keep_the_order),
    STF_CASE(ascending_keys_do_not_make_a_list),
    STF_CASE(removing_what_is_in_no_tree_changes_nothing),
};

STF_TEST_MAIN("base/tree", cases)

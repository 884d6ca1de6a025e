/* SPDX-License-Identifier: Apache-2.0 */
/* The hash map against a model that is an array. */
#include "base/map.h"
#include "base/mem.h"
#include "support/stf_test.h"
#include "unit/base/faulty.h"

enum {
    KEYS = 600,
};

static char names[KEYS][16];

static void make_names(void)
{
    for (int i = 0; i < KEYS; i++) {
        snprintf(names[i], sizeof(names[i]), "key-%d", i);
    }
}

typedef struct tally {
    size_t visited;
    size_t stop_after;
} tally;

static bool count_visit(void *user, stf_str key, void *value)
{
    tally *seen = user;
    STF_CHECK_STR(key, (const char *)value);
    seen->visited++;
    return seen->visited != seen->stop_after;
}

STF_TEST(an_empty_map_finds_nothing)
{
    stf__map map;
    tally seen = {0};
    stf__map_init(&map, NULL);
    ck_assert_ptr_null(stf__map_get(&map, stf_str_of("a")));
    ck_assert_ptr_null(stf__map_remove(&map, stf_str_of("a")));
    stf__map_each(&map, count_visit, &seen);
    ck_assert_uint_eq(seen.visited, 0);
    stf__map_done(&map);
}

/* Of the first key_count keys. */
static void check_sequence(size_t key_count)
{
    stf__map map;
    bool is_in[KEYS] = {false};
    size_t count = 0;
    uint32_t state = 12345;
    make_names();
    stf__map_init(&map, NULL);
    for (int turn = 0; turn < 30000; turn++) {
        state = state * 1664525u + 1013904223u;
        size_t key = (state >> 8) % key_count;
        /* Growing and shrinking phases, so that long runs are taken apart as well. */
        bool is_put = (state >> 28) < (turn / 5000 % 2 == 0 ? 11u : 4u);
        if (is_put) {
            ck_assert_int_eq(stf__map_put(&map, stf_str_of(names[key]), names[key]), STF_OK);
        } else {
            void *old = stf__map_remove(&map, stf_str_of(names[key]));
            ck_assert_ptr_eq(old, is_in[key] ? names[key] : NULL);
        }
        count += (is_put && !is_in[key]) ? 1 : 0;
        count -= (!is_put && is_in[key]) ? 1 : 0;
        is_in[key] = is_put;
        ck_assert_uint_eq(map.count, count);
        if (turn % 97 == 0 || key_count < 10) {
            for (size_t i = 0; i < key_count; i++) {
                void *found = stf__map_get(&map, stf_str_of(names[i]));
                if (found != (is_in[i] ? names[i] : NULL)) {
                    ck_abort_msg("%s after %d turns", names[i], turn);
                }
            }
        }
    }
    tally seen = {0};
    stf__map_each(&map, count_visit, &seen);
    ck_assert_uint_eq(seen.visited, count);
    seen = (tally){.stop_after = 2};
    stf__map_each(&map, count_visit, &seen);
    ck_assert_uint_eq(seen.visited, count < 2 ? count : 2);
    stf__map_done(&map);
}

STF_TEST(any_sequence_of_puts_and_removes_agrees_with_a_plain_array)
{
    static const size_t key_counts[] = {1, 2, 3, 7, 8, 9, 20, KEYS}; /* few entries lie packed */
    for (size_t i = 0; i < STF_COUNT_OF(key_counts); i++) {
        check_sequence(key_counts[i]);
    }
}

STF_TEST(putting_again_replaces_the_value_and_the_key)
{
    stf__map map;
    char first[] = "same";
    char second[] = "same";
    stf__map_init(&map, NULL);
    ck_assert_int_eq(stf__map_put(&map, stf_str_of(first), first), STF_OK);
    ck_assert_int_eq(stf__map_put(&map, stf_str_of(second), second), STF_OK);
    ck_assert_uint_eq(map.count, 1);
    first[0] = 'x'; /* the old key may be gone */
    ck_assert_ptr_eq(stf__map_get(&map, stf_str_of("same")), second);
    stf__map_done(&map);
}

STF_TEST(a_put_that_runs_out_of_memory_changes_nothing)
{
    faulty alloc;
    stf__map map;
    make_names();
    faulty_init(&alloc, 1);
    stf__map_init(&map, &alloc.port);
    ck_assert_int_eq(stf__map_put(&map, stf_str_of(names[0]), names[0]), STF_NO_MEMORY);
    ck_assert_uint_eq(map.count, 0);
    int filled = 0;
    for (long calls = alloc.calls + 1; alloc.calls <= calls; filled++) {
        alloc.fail_at = calls + 1; /* the second growth */
        if (stf__map_put(&map, stf_str_of(names[filled]), names[filled]) != STF_OK) {
            break;
        }
    }
    ck_assert_int_gt(filled, 4);
    ck_assert_uint_eq(map.count, (size_t)filled);
    for (int i = 0; i < filled; i++) {
        ck_assert_ptr_eq(stf__map_get(&map, stf_str_of(names[i])), names[i]);
    }
    ck_assert_ptr_null(stf__map_get(&map, stf_str_of(names[filled])));
    stf__map_done(&map);
    ck_assert_int_eq(alloc.live, 0);
}

static const stf_test_case cases[] = {
    STF_CASE(an_empty_map_finds_nothing),
    STF_CASE(any_sequence_of_puts_and_removes_agrees_with_a_plain_array),
    STF_CASE(putting_again_replaces_the_value_and_the_key),
    STF_CASE(a_put_that_runs_out_of_memory_changes_nothing),
};

STF_TEST_MAIN("base/map", cases)

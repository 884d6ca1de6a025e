/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts: sorted, without doubles, copied on change. */
#include "base/mem.h"
#include "unit/base/faulty.h"
#include "unit/value/gen.h"
#include "value/private.h"

STF_TEST(entries_are_sorted_by_bytes_and_found)
{
    enum {
        COUNT = 1000
    };
    static char names[COUNT][12];
    stf_str keys[COUNT];
    stf_value *values[COUNT];
    gen random = gen_start();
    for (size_t i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof(names[i]), "%zu", i);
        keys[i] = stf_str_of(names[i]);
        ck_assert_int_eq(stf_value_new_int(NULL, (int64_t)i, &values[i], NULL), STF_OK);
    }
    for (uint32_t i = COUNT - 1; i > 0; i--) {
        uint32_t j = gen_below(&random, i + 1);
        stf_str key = keys[i];
        stf_value *value = values[i];
        keys[i] = keys[j];
        values[i] = values[j];
        keys[j] = key;
        values[j] = value;
    }
    stf_value *context;
    ck_assert_int_eq(stf_value_new_context(NULL, keys, values, COUNT, &context, NULL), STF_OK);
    ck_assert_uint_eq(stf_value_count(context), COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        int64_t number = -1;
        ck_assert(stf_value_get_int(stf_value_peek(context, stf_str_of(names[i])), &number));
        ck_assert_int_eq(number, (int64_t)i);
        ck_assert(i == 0 || stf_str_compare(stf_value_peek_key(context, i - 1),
                                            stf_value_peek_key(context, i)) < 0);
        (void)stf_value_unref(values[i]);
    }
    ck_assert_ptr_null(stf_value_peek(context, stf_str_of("1000")));
    ck_assert_ptr_null(stf_value_peek(context, stf_str_of("")));
    (void)stf_value_unref(context);
}

STF_TEST(of_equal_keys_the_later_wins_and_nothing_leaks)
{
    faulty alloc;
    stf_value *values[5];
    stf_value *context;
    faulty_init(&alloc, 0);
    stf_str keys[5] = {stf_str_of("b"), stf_str_of(""), stf_str_of("a"), stf_str_of(""),
                       stf_str_of("b")};
    for (int i = 0; i < 5; i++) {
        ck_assert_int_eq(stf_value_new_int(&alloc.port, i, &values[i], NULL), STF_OK);
    }
    ck_assert_int_eq(stf_value_new_context(&alloc.port, keys, values, 5, &context, NULL), STF_OK);
    for (int i = 0; i < 5; i++) {
        (void)stf_value_unref(values[i]);
    }
    check_json(context, "{\"\":3,\"a\":2,\"b\":4}");
    ck_assert_int_eq(alloc.live, 4);
    (void)stf_value_unref(context);
    ck_assert_int_eq(alloc.live, 0);
}

STF_TEST(taking_entries_drops_the_references_of_those_that_lost)
{
    faulty alloc;
    stf__entry entries[3];
    stf_value *context;
    faulty_init(&alloc, 0);
    for (int i = 0; i < 3; i++) {
        entries[i].key = stf_str_of("k");
        ck_assert_int_eq(stf_value_new_int(&alloc.port, i, &entries[i].value, NULL), STF_OK);
    }
    ck_assert_int_eq(stf__value_take_context(&alloc.port, entries, 3, &context, NULL), STF_OK);
    check_json(context, "{\"k\":2}");
    ck_assert_int_eq(alloc.live, 2);
    (void)stf_value_unref(context);
    ck_assert_int_eq(alloc.live, 0);
}

STF_TEST(setting_an_entry_makes_a_new_context_and_leaves_the_old_one)
{
    stf_error error = STF_ERROR_INIT;
    stf_value *old = value_of("{\"a\":1,\"c\":3}");
    stf_value *two = value_of("2");
    stf_value *added;
    stf_value *replaced;
    STF_CHECK_OK(stf_value_with(NULL, old, stf_str_of("b"), two, &added, &error), &error);
    STF_CHECK_OK(stf_value_with(NULL, old, stf_str_of("a"), NULL, &replaced, &error), &error);
    (void)stf_value_unref(two);
    check_json(old, "{\"a\":1,\"c\":3}");
    (void)stf_value_unref(old);
    check_json(added, "{\"a\":1,\"b\":2,\"c\":3}");
    check_json(replaced, "{\"a\":null,\"c\":3}");
    (void)stf_value_unref(added);
    (void)stf_value_unref(replaced);
}

STF_TEST(only_a_context_can_get_an_entry)
{
    stf_error error = STF_ERROR_INIT;
    stf_value *list = value_of("[1]");
    stf_value *result = NULL;
    STF_CHECK_STATUS(stf_value_with(NULL, list, stf_str_of("a"), NULL, &result, &error),
                     STF_INVALID_ARGUMENT, &error);
    ck_assert_ptr_null(result);
    (void)stf_value_unref(list);
}

STF_TEST(keys_must_be_utf8_and_within_the_limits)
{
    stf_error error = STF_ERROR_INIT;
    stf_value *result = NULL;
    STF_CHECK_STATUS(stf_value_with(NULL, NULL, stf_str_of("\xc0\x80"), NULL, &result, &error),
                     STF_PARSE, &error);
    char *large = malloc(STF_LIMIT_VALUE_BYTES + 1);
    memset(large, 'x', STF_LIMIT_VALUE_BYTES + 1);
    stf_str key = {large, STF_LIMIT_VALUE_BYTES + 1};
    STF_CHECK_STATUS(stf_value_with(NULL, NULL, key, NULL, &result, &error), STF_LIMIT_EXCEEDED,
                     &error);
    key.size = STF_LIMIT_VALUE_BYTES; /* with its head it is over */
    STF_CHECK_STATUS(stf_value_with(NULL, NULL, key, NULL, &result, &error), STF_LIMIT_EXCEEDED,
                     &error);
    free(large);
    size_t count = STF_LIMIT_LIST_ITEMS + 1;
    stf_str *keys = calloc(count, sizeof(*keys));
    stf_value **values = calloc(count, sizeof(*values));
    STF_CHECK_STATUS(stf_value_new_context(NULL, keys, values, count, &result, &error),
                     STF_LIMIT_EXCEEDED, &error);
    ck_assert_ptr_null(result);
    free(keys);
    free(values);
}

static bool is_less(const stf__entry *a, const stf__entry *b)
{
    return a->key.size < b->key.size;
}

STF_TEST(sorting_sorts_every_order_of_up_to_7_entries)
{
    for (size_t count = 0; count <= 7; count++) {
        uint32_t orders = 1;
        for (uint32_t i = 2; i <= count; i++) {
            orders *= i;
        }
        for (uint32_t order = 0; order < orders; order++) {
            stf__entry entries[7] = {0};
            uint32_t rest = order;
            for (size_t i = 0; i < count; i++) {
                size_t at = rest % (i + 1);
                rest /= (uint32_t)(i + 1);
                memmove(entries + at + 1, entries + at, (i - at) * sizeof(*entries));
                entries[at].key.size = i;
            }
            stf__entries_sort(entries, count, is_less);
            for (size_t i = 0; i < count; i++) {
                ck_assert_uint_eq(entries[i].key.size, i);
            }
        }
    }
}

static const stf_test_case cases[] = {
    STF_CASE(entries_are_sorted_by_bytes_and_found),
    STF_CASE(of_equal_keys_the_later_wins_and_nothing_leaks),
    STF_CASE(taking_entries_drops_the_references_of_those_that_lost),
    STF_CASE(setting_an_entry_makes_a_new_context_and_leaves_the_old_one),
    STF_CASE(only_a_context_can_get_an_entry),
    STF_CASE(keys_must_be_utf8_and_within_the_limits),
    STF_CASE(sorting_sorts_every_order_of_up_to_7_entries),
};

STF_TEST_MAIN("value/context", cases)

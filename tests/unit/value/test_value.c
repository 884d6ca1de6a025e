/* SPDX-License-Identifier: Apache-2.0 */
/* Values: construction, counts, limits, readers. */
#include "base/mem.h"
#include "unit/base/faulty.h"
#include "unit/value/gen.h"
#include "value/private.h"

#include <pthread.h>

STF_TEST(null_and_booleans_are_immortal)
{
    for (int i = 0; i < 3; i++) {
        (void)stf_value_unref(stf_value_null());
        (void)stf_value_unref(stf_value_bool(true));
        ck_assert_ptr_eq(stf_value_ref(stf_value_bool(false)), stf_value_bool(false));
    }
    ck_assert_int_eq(stf_value_get_kind(stf_value_null()), STF_VALUE_NULL);
    ck_assert_int_eq(stf_value_get_kind(stf_value_bool(false)), STF_VALUE_BOOL);
    ck_assert(stf_value_is_true(stf_value_bool(true)));
    ck_assert(!stf_value_is_true(stf_value_bool(false)));
}

STF_TEST(a_reader_of_another_kind_answers_nothing)
{
    stf_value *all[] = {NULL,
                        stf_value_null(),
                        stf_value_bool(true),
                        value_of("5"),
                        value_of("\"five\""),
                        value_of("[5]"),
                        value_of("{\"five\":5}")};
    for (size_t i = 0; i < STF_COUNT_OF(all); i++) {
        const stf_value *value = all[i];
        int64_t number = 7;
        stf_decimal decimal;
        ck_assert(stf_value_is_true(value) == (i == 2));
        ck_assert(stf_value_get_int(value, &number) == (i == 3));
        ck_assert_int_eq(number, i == 3 ? 5 : 7);
        ck_assert(stf_value_get_number(value, &decimal) == (i == 3));
        STF_CHECK_STR(stf_value_peek_string(value), i == 4 ? "five" : "");
        ck_assert_uint_eq(stf_value_count(value), i >= 5);
        ck_assert((stf_value_peek_item(value, 0) != NULL) == (i >= 5));
        ck_assert_ptr_null(stf_value_peek_item(value, 1));
        STF_CHECK_STR(stf_value_peek_key(value, 0), i == 6 ? "five" : "");
        STF_CHECK_STR(stf_value_peek_key(value, 1), "");
        ck_assert((stf_value_peek(value, stf_str_of("five")) != NULL) == (i == 6));
    }
    for (size_t i = 0; i < STF_COUNT_OF(all); i++) {
        (void)stf_value_unref(all[i]);
    }
}

STF_TEST(a_value_lives_as_long_as_its_last_holder)
{
    faulty alloc;
    stf_value *item;
    stf_value *list;
    faulty_init(&alloc, 0);
    ck_assert_int_eq(stf_value_new_int(&alloc.port, 5, &item, NULL), STF_OK);
    stf_value *twice[] = {item, item, NULL};
    ck_assert_int_eq(stf_value_new_list(&alloc.port, twice, 3, &list, NULL), STF_OK);
    ck_assert_ptr_null(stf_value_unref(item));
    ck_assert_ptr_eq(stf_value_peek_item(list, 1), item);
    ck_assert_int_eq(stf_value_get_kind(stf_value_peek_item(list, 2)), STF_VALUE_NULL);
    (void)stf_value_ref(list);
    (void)stf_value_unref(list);
    ck_assert_int_eq(alloc.live, 2);
    (void)stf_value_unref(list);
    ck_assert_int_eq(alloc.live, 0);
}

static void *ref_and_unref(void *user)
{
    for (int i = 0; i < 20000; i++) {
        (void)stf_value_unref(stf_value_ref(user));
    }
    return stf_value_unref(user);
}

STF_TEST(threads_may_share_a_value)
{
    faulty alloc;
    stf_value *text;
    pthread_t threads[4];
    faulty_init(&alloc, 0);
    ck_assert_int_eq(stf_value_new_string(&alloc.port, stf_str_of("x"), &text, NULL), STF_OK);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, ref_and_unref, stf_value_ref(text)), 0);
    }
    (void)stf_value_unref(text);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    }
    ck_assert_int_eq(alloc.live, 0);
}

STF_TEST(a_number_is_made_canonical_and_must_be_finite)
{
    stf_error error = STF_ERROR_INIT;
    stf_decimal five_zeros = {50, UINT64_C(0x303e000000000000)}; /* 50e-1 */
    stf_decimal infinite = {0, UINT64_C(0x7800000000000000)};
    stf_value *number = NULL;
    stf_value *five = value_of("5");
    STF_CHECK_OK(stf_value_new_number(NULL, five_zeros, &number, &error), &error);
    ck_assert(stf_value_equal(number, five));
    (void)stf_value_unref(number);
    (void)stf_value_unref(five);
    number = NULL;
    STF_CHECK_STATUS(stf_value_new_number(NULL, infinite, &number, &error), STF_INVALID_ARGUMENT,
                     &error);
    ck_assert_ptr_null(number);
}

STF_TEST(a_text_must_be_utf8_and_within_the_limit)
{
    stf_error error = STF_ERROR_INIT;
    stf_value *text = NULL;
    STF_CHECK_STATUS(stf_value_new_string(NULL, stf_str_of("\xff"), &text, &error), STF_PARSE,
                     &error);
    char *large = malloc(STF_LIMIT_VALUE_BYTES + 1);
    memset(large, 'x', STF_LIMIT_VALUE_BYTES + 1);
    stf_str view = {large, STF_LIMIT_VALUE_BYTES + 1};
    STF_CHECK_STATUS(stf_value_new_string(NULL, view, &text, &error), STF_LIMIT_EXCEEDED, &error);
    ck_assert_ptr_null(text);
    view.size--;
    STF_CHECK_OK(stf_value_new_string(NULL, view, &text, &error), &error);
    ck_assert_uint_eq(stf_value_peek_string(text).size, STF_LIMIT_VALUE_BYTES);
    stf_value *list = NULL;
    STF_CHECK_STATUS(stf_value_new_list(NULL, &text, 1, &list, &error), STF_LIMIT_EXCEEDED, &error);
    (void)stf_value_unref(text);
    free(large);
}

STF_TEST(nesting_stops_at_the_limit_and_the_refused_parts_stay_the_callers)
{
    faulty alloc;
    stf_error error = STF_ERROR_INIT;
    stf_value *value = stf_value_null();
    faulty_init(&alloc, 0);
    for (uint32_t i = 0; i < STF_LIMIT_VALUE_DEPTH; i++) {
        stf_value *outer;
        if (i % 2 == 0) {
            STF_CHECK_OK(stf_value_new_list(&alloc.port, &value, 1, &outer, &error), &error);
        } else {
            STF_CHECK_OK(stf_value_with(&alloc.port, NULL, stf_str_of("k"), value, &outer, &error),
                         &error);
        }
        (void)stf_value_unref(value);
        value = outer;
    }
    stf_value *deeper = NULL;
    STF_CHECK_STATUS(stf_value_new_list(&alloc.port, &value, 1, &deeper, &error),
                     STF_LIMIT_EXCEEDED, &error);
    STF_CHECK_STATUS(stf_value_with(&alloc.port, NULL, stf_str_of("k"), value, &deeper, &error),
                     STF_LIMIT_EXCEEDED, &error);
    ck_assert_ptr_null(deeper);
    ck_assert_int_eq(alloc.live, STF_LIMIT_VALUE_DEPTH);
    (void)stf_value_unref(value);
    ck_assert_int_eq(alloc.live, 0);
}

STF_TEST(sharing_cannot_make_a_small_value_explode)
{
    stf_error error = STF_ERROR_INIT;
    stf_value *value = value_of("\"0123456789\"");
    stf_status status = STF_OK;
    int doubled = 0;
    while (status == STF_OK) {
        stf_value *twice[] = {value, value};
        stf_value *outer = NULL;
        status = stf_value_new_list(NULL, twice, 2, &outer, &error);
        if (status == STF_OK) {
            (void)stf_value_unref(value);
            value = outer;
            doubled++;
        }
    }
    ck_assert_int_eq(status, STF_LIMIT_EXCEEDED);
    ck_assert_int_gt(doubled, 10);
    ck_assert_int_lt(doubled, 24);
    (void)stf_value_unref(value);
}

STF_TEST(a_list_has_at_most_so_many_items)
{
    stf_error error = STF_ERROR_INIT;
    stf_value *list = NULL;
    stf_value **items = calloc(STF_LIMIT_LIST_ITEMS + 1, sizeof(*items));
    STF_CHECK_STATUS(stf_value_new_list(NULL, items, STF_LIMIT_LIST_ITEMS + 1, &list, &error),
                     STF_LIMIT_EXCEEDED, &error);
    ck_assert_ptr_null(list);
    STF_CHECK_OK(stf_value_new_list(NULL, items, STF_LIMIT_LIST_ITEMS, &list, &error), &error);
    ck_assert_uint_eq(stf_value_count(list), STF_LIMIT_LIST_ITEMS);
    (void)stf_value_unref(list);
    STF_CHECK_OK(stf_value_new_list(NULL, NULL, 0, &list, &error), &error);
    ck_assert_uint_eq(stf_value_count(list), 0);
    (void)stf_value_unref(list);
    free(items);
}

STF_TEST(values_are_equal_when_kind_and_content_are)
{
    static const char *const different[] = {
        "null",  "true",  "false",     "0",         "1",         "-1",         "1.5",
        "\"\"",  "\"1\"", "\"2\"",     "[]",        "[1]",       "[2]",        "[1,2]",
        "[[1]]", "{}",    "{\"a\":1}", "{\"b\":1}", "{\"a\":2}", "{\"a\":{}}", "{\"a\":1,\"b\":1}"};
    for (size_t i = 0; i < STF_COUNT_OF(different); i++) {
        for (size_t j = 0; j < STF_COUNT_OF(different); j++) {
            stf_value *a = value_of(different[i]);
            stf_value *b = value_of(different[j]);
            ck_assert_msg(stf_value_equal(a, b) == (i == j), "%s and %s", different[i],
                          different[j]);
            (void)stf_value_unref(a);
            (void)stf_value_unref(b);
        }
    }
    ck_assert(stf_value_equal(NULL, NULL));
    ck_assert(stf_value_equal(NULL, stf_value_null()));
    ck_assert(!stf_value_equal(NULL, stf_value_bool(false)));
}

STF_TEST(every_constructor_survives_the_failure_of_any_allocation)
{
    for (int form = 0; form < 5; form++) {
        faulty alloc;
        stf_error error = STF_ERROR_INIT;
        stf_value *value = NULL;
        stf_value *null = stf_value_null();
        stf_str key = stf_str_of("k");
        faulty_init(&alloc, 1);
        stf_status status = STF_OK;
        for (; value == NULL; alloc.fail_at++) {
            alloc.calls = 0;
            status = form == 0   ? stf_value_new_int(&alloc.port, 1, &value, &error)
                     : form == 1 ? stf_value_new_string(&alloc.port, key, &value, &error)
                     : form == 2 ? stf_value_new_list(&alloc.port, &null, 1, &value, &error)
                     : form == 3
                         ? stf_value_new_context(&alloc.port, &key, &null, 1, &value, &error)
                         : stf_value_with(&alloc.port, NULL, key, null, &value, &error);
            ck_assert(value != NULL || (status == STF_NO_MEMORY && alloc.live == 0));
        }
        ck_assert_int_eq(status, STF_OK);
        ck_assert_int_eq(alloc.fail_at, 3); /* one allocation each: failed once, then passed */
        (void)stf_value_unref(value);
        ck_assert_int_eq(alloc.live, 0);
    }
}

static const stf_test_case cases[] = {
    STF_CASE(null_and_booleans_are_immortal),
    STF_CASE(a_reader_of_another_kind_answers_nothing),
    STF_CASE(a_value_lives_as_long_as_its_last_holder),
    STF_CASE(threads_may_share_a_value),
    STF_CASE(a_number_is_made_canonical_and_must_be_finite),
    STF_CASE(a_text_must_be_utf8_and_within_the_limit),
    STF_CASE(nesting_stops_at_the_limit_and_the_refused_parts_stay_the_callers),
    STF_CASE(sharing_cannot_make_a_small_value_explode),
    STF_CASE(a_list_has_at_most_so_many_items),
    STF_CASE(values_are_equal_when_kind_and_content_are),
    STF_CASE(every_constructor_survives_the_failure_of_any_allocation),
};

STF_TEST_MAIN("value/value", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* The list of problems: order, limits, texts, a lack of memory. */
#include "bpmn/diagnostics.h"

#include "base/mem.h"
#include "unit/bpmn/support.h"

#include <stepfast/limits.h>

static stf_diagnostics *new_list(const stf_allocator *alloc)
{
    stf_diagnostics *list = NULL;
    ck_assert_int_eq(stf_diagnostics_new(alloc, &list, NULL), STF_OK);
    return list;
}

static stf__place at(uint32_t line, uint32_t column)
{
    return (stf__place){.line = line, .column = column, .element = STF_STR("e")};
}

STF_TEST(the_list_is_in_file_order_and_equal_places_keep_the_order_of_the_rules)
{
    stf_diagnostics *list = new_list(NULL);
    stf__diagnostics_add(list, STF_SEVERITY_ERROR, "c", at(3, 1), "third");
    stf__diagnostics_add(list, STF_SEVERITY_WARNING, "a", at(1, 9), "first");
    stf__diagnostics_add(list, STF_SEVERITY_UNSUPPORTED, "b", at(3, 0), "second");
    stf__diagnostics_add(list, STF_SEVERITY_ERROR, "d", at(3, 1), "fourth %d", 4);
    static const char *const expected[] = {"first", "second", "third", "fourth 4"};
    ck_assert_uint_eq(stf_diagnostics_count(list), 4);
    for (size_t i = 0; i < 4; i++) {
        STF_CHECK_STR(stf_diagnostics_at(list, i)->message, expected[i]);
        STF_CHECK_STR(stf_diagnostics_at(list, i)->element, "e");
    }
    ck_assert_uint_eq(stf_diagnostics_count_of(list, STF_SEVERITY_ERROR), 2);
    ck_assert_ptr_null(stf_diagnostics_at(list, 4));
    stf_diagnostics_free(list);
}

STF_TEST(warnings_leave_room_for_errors_and_the_list_has_a_limit)
{
    stf_diagnostics *list = new_list(NULL);
    for (uint32_t i = 0; i < 2 * STF_LIMIT_DIAGNOSTICS; i++) {
        stf__diagnostics_add(list, STF_SEVERITY_WARNING, "w", at(i, 1), "w");
    }
    ck_assert_uint_eq(stf_diagnostics_count(list),
                      STF_LIMIT_DIAGNOSTICS - STF__DIAGNOSTICS_KEPT_FOR_ERRORS);
    ck_assert(!stf__diagnostics_has_errors(list));
    for (uint32_t i = 0; i < 2 * STF_LIMIT_DIAGNOSTICS; i++) {
        stf__diagnostics_add(list, STF_SEVERITY_ERROR, "e", at(i, 1), "e");
    }
    ck_assert_uint_eq(stf_diagnostics_count(list), STF_LIMIT_DIAGNOSTICS - 1);
    stf__diagnostics_add(list, STF_SEVERITY_ERROR, "limit.x", at(9999, 1), "the end");
    ck_assert_uint_eq(stf_diagnostics_count(list), STF_LIMIT_DIAGNOSTICS);
    stf_error error = STF_ERROR_INIT;
    ck_assert_int_eq(stf__diagnostics_fill_error(list, STF_LIMIT_EXCEEDED, &error),
                     STF_LIMIT_EXCEEDED);
    ck_assert_str_eq(error.message, "the end");
    ck_assert(stf__diagnostics_has_errors(list));
    stf_diagnostics_free(list);
}

STF_TEST(long_texts_are_cut_between_characters)
{
    char text[301];
    for (size_t i = 0; i < 300; i += 3) {
        memcpy(text + i, "\xe2\x82\xac", 3); /* euro signs: 100 is inside one */
    }
    text[300] = '\0';
    stf_str cut = stf__diagnostics_cut(stf_str_of(text));
    ck_assert_uint_eq(cut.size, 99);
    stf_diagnostics *list = new_list(NULL);
    stf__diagnostics_add(list, STF_SEVERITY_ERROR, "r", at(1, 1), "%s%s%s%sx", text, text, text,
                         text);
    ck_assert(stf_str_is_utf8(stf_diagnostics_at(list, 0)->message));
    ck_assert_uint_lt(stf_diagnostics_at(list, 0)->message.size, 1100);
    stf_diagnostics_free(list);
}

STF_TEST(the_error_repeats_the_first_error_of_the_list)
{
    stf_diagnostics *list = new_list(NULL);
    stf__diagnostics_add(list, STF_SEVERITY_WARNING, "w", at(1, 1), "a warning");
    stf__diagnostics_add(list, STF_SEVERITY_ERROR, "late", at(9, 1), "a later one");
    stf__diagnostics_add(list, STF_SEVERITY_ERROR, "early", at(2, 5), "the first one");
    stf_error error = STF_ERROR_INIT;
    ck_assert_int_eq(stf__diagnostics_fill_error(list, STF_PARSE, &error), STF_PARSE);
    ck_assert_str_eq(error.message, "the first one");
    ck_assert_str_eq(stf_error_get_detail(&error, "line"), "2");
    ck_assert_str_eq(stf_error_get_detail(&error, "column"), "5");
    ck_assert_str_eq(stf_error_get_detail(&error, "element"), "e");
    ck_assert_str_eq(stf_error_get_detail(&error, "rule"), "early");
    stf__diagnostics_clear(list);
    ck_assert_uint_eq(stf_diagnostics_count(list), 0);
    ck_assert(!stf__diagnostics_has_errors(list));
    stf_diagnostics_free(list);
}

STF_TEST(a_lack_of_memory_is_remembered_and_nothing_leaks)
{
    size_t failures = 0;
    for (size_t n = 1;; n++) {
        counting_alloc counting;
        counting_init(&counting);
        counting.fail_at = n;
        stf_diagnostics *list = NULL;
        if (stf_diagnostics_new(&counting.alloc, &list, NULL) != STF_OK) {
            ck_assert_ptr_null(list);
            failures++;
            continue;
        }
        for (uint32_t i = 0; i < 40; i++) {
            stf__diagnostics_add(list, STF_SEVERITY_ERROR, "r", at(i, 1), "a message %u", i);
        }
        bool is_out = stf__diagnostics_is_out_of_memory(list);
        ck_assert(stf__diagnostics_has_errors(list));
        ck_assert(is_out || stf_diagnostics_count(list) == 40);
        stf_diagnostics_free(list);
        ck_assert_uint_eq(counting.live, 0);
        failures += is_out;
        if (counting.calls < n) {
            ck_assert(!is_out);
            break;
        }
    }
    ck_assert_uint_gt(failures, 3);
}

STF_TEST(a_null_list_is_empty)
{
    ck_assert_uint_eq(stf_diagnostics_count(NULL), 0);
    ck_assert_ptr_null(stf_diagnostics_at(NULL, 0));
    ck_assert_ptr_null(stf_diagnostics_free(NULL));
}

static const stf_test_case cases[] = {
    STF_CASE(the_list_is_in_file_order_and_equal_places_keep_the_order_of_the_rules),
    STF_CASE(warnings_leave_room_for_errors_and_the_list_has_a_limit),
    STF_CASE(long_texts_are_cut_between_characters),
    STF_CASE(the_error_repeats_the_first_error_of_the_list),
    STF_CASE(a_lack_of_memory_is_remembered_and_nothing_leaks),
    STF_CASE(a_null_list_is_empty),
};

STF_TEST_MAIN("bpmn/diagnostics", cases)

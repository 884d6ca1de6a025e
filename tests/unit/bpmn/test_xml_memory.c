/* SPDX-License-Identifier: Apache-2.0 */
/* The memory scope of the XML parser. */
#include "bpmn/xml_memory.h"

#include "base/mem.h"
#include "unit/bpmn/support.h"

STF_TEST(requests_over_the_budget_are_refused_and_remembered)
{
    counting_alloc counting;
    counting_init(&counting);
    stf__xml_memory memory = {.alloc = &counting.alloc, .budget = 1000};
    stf__xml_memory *previous = stf__xml_memory_enter(&memory);
    void *first = stf__xml_memory_suite.malloc_fcn(600);
    ck_assert_ptr_nonnull(first);
    ck_assert_ptr_null(stf__xml_memory_suite.malloc_fcn(500));
    ck_assert(memory.is_over_budget);
    ck_assert_ptr_null(stf__xml_memory_suite.malloc_fcn(SIZE_MAX));
    void *grown = stf__xml_memory_suite.realloc_fcn(first, 1000); /* its own 600 count once */
    ck_assert_ptr_nonnull(grown);
    ck_assert_uint_eq(memory.used, 1000);
    stf__xml_memory_suite.free_fcn(grown);
    stf__xml_memory_suite.free_fcn(NULL);
    ck_assert_uint_eq(memory.used, 0);
    ck_assert_uint_eq(counting.live, 0);
    stf__xml_memory_leave(previous);
}

STF_TEST(scopes_nest)
{
    stf__xml_memory outer = {.alloc = stf_allocator_default(), .budget = 1000};
    stf__xml_memory inner = {.alloc = stf_allocator_default(), .budget = 1000};
    stf__xml_memory *before = stf__xml_memory_enter(&outer);
    stf__xml_memory *between = stf__xml_memory_enter(&inner);
    void *block = stf__xml_memory_suite.malloc_fcn(10);
    ck_assert_uint_eq(inner.used, 10);
    stf__xml_memory_suite.free_fcn(block);
    stf__xml_memory_leave(between);
    block = stf__xml_memory_suite.malloc_fcn(20);
    ck_assert_uint_eq(outer.used, 20);
    stf__xml_memory_suite.free_fcn(block);
    stf__xml_memory_leave(before);
}

STF_TEST(a_lack_of_memory_is_not_the_budget)
{
    counting_alloc counting;
    counting_init(&counting);
    counting.fail_at = 1;
    stf__xml_memory memory = {.alloc = &counting.alloc, .budget = 1000};
    stf__xml_memory *previous = stf__xml_memory_enter(&memory);
    ck_assert_ptr_null(stf__xml_memory_suite.malloc_fcn(10));
    ck_assert(!memory.is_over_budget);
    ck_assert_uint_eq(memory.used, 0);
    stf__xml_memory_leave(previous);
}

static const stf_test_case cases[] = {
    STF_CASE(requests_over_the_budget_are_refused_and_remembered),
    STF_CASE(scopes_nest),
    STF_CASE(a_lack_of_memory_is_not_the_budget),
};

STF_TEST_MAIN("bpmn/xml_memory", cases)

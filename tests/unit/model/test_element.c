/* SPDX-License-Identifier: Apache-2.0 */
/* The facts of each kind of flow node. */
#include "base/mem.h"
#include "model/private.h"
#include "support/stf_test.h"

STF_TEST(each_kind_is_found_by_its_element_and_event)
{
    for (uint32_t kind = 0; kind < STF__ELEMENT_COUNT; kind++) {
        const stf__element_info *info = stf__element_get_info((stf__element_kind)kind);
        stf__element_kind found = STF__ELEMENT_COUNT;
        ck_assert(stf__element_find(stf_str_of(info->xml), stf_str_of(info->event), &found));
        ck_assert_uint_eq((uint32_t)found, kind);
        ck_assert_uint_ne(info->traits, 0);
        ck_assert_str_ne(info->label, "");
    }
}

STF_TEST(other_combinations_are_not_found)
{
    stf__element_kind found = STF__ELEMENT_COUNT;
    ck_assert(!stf__element_find(STF_STR("endEvent"), STF_STR("timerEventDefinition"), &found));
    ck_assert(!stf__element_find(STF_STR("quantumTask"), STF_STR(""), &found));
    ck_assert_uint_eq((uint32_t)found, STF__ELEMENT_COUNT);
}

STF_TEST(what_has_a_family_is_supported)
{
    static const struct {
        stf__element_kind kind;
        bool is_supported;
        uint32_t traits;
    } rows[] = {
        {STF__START_NONE, true, STF__TRAIT_START},
        {STF__END_SIGNAL, false, STF__TRAIT_END},
        {STF__TASK_SERVICE, true, STF__TRAIT_ACTIVITY | STF__TRAIT_WORK},
        {STF__TASK_USER, true, STF__TRAIT_ACTIVITY},
        {STF__SUB_PROCESS_EVENT, false, STF__TRAIT_SCOPE},
    };
    for (size_t i = 0; i < STF_COUNT_OF(rows); i++) {
        const stf__element_info *info = stf__element_get_info(rows[i].kind);
        ck_assert(info->is_supported == rows[i].is_supported);
        ck_assert_uint_eq(info->traits, rows[i].traits);
    }
}

static const stf_test_case cases[] = {
    STF_CASE(each_kind_is_found_by_its_element_and_event),
    STF_CASE(other_combinations_are_not_found),
    STF_CASE(what_has_a_family_is_supported),
};

STF_TEST_MAIN("model/element", cases)

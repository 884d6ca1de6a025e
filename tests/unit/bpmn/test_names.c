/* SPDX-License-Identifier: Apache-2.0 */
/* The table of element names. */
#include "base/mem.h"
#include "bpmn/names.h"
#include "model/private.h"
#include "support/stf_test.h"

STF_TEST(names_are_in_order_so_that_each_is_found)
{
    size_t count = 0;
    for (const stf__bpmn_name *name; (name = stf__bpmn_get_name(count)) != NULL; count++) {
        ck_assert_ptr_eq(stf__bpmn_find_name(stf_str_of(name->text)), name);
        if (count > 0) {
            ck_assert_int_lt(strcmp(stf__bpmn_get_name(count - 1)->text, name->text), 0);
        }
    }
    ck_assert_uint_gt(count, 150);
}

STF_TEST(other_names_are_not_found)
{
    static const char *const others[] = {"", "quantumTask", "Task", "tas", "tasks", "bpmn:task"};
    for (size_t i = 0; i < STF_COUNT_OF(others); i++) {
        ck_assert_ptr_null(stf__bpmn_find_name(stf_str_of(others[i])));
    }
}

STF_TEST(every_flow_node_and_event_definition_of_the_model_has_its_class)
{
    for (uint32_t kind = 0; kind < STF__ELEMENT_COUNT; kind++) {
        const stf__element_info *info = stf__element_get_info((stf__element_kind)kind);
        const stf__bpmn_name *name = stf__bpmn_find_name(stf_str_of(info->xml));
        ck_assert_ptr_nonnull(name);
        ck_assert_int_eq((int)name->name_class, STF__BPMN_NODE);
        if (strstr(info->event, "EventDefinition") != NULL) {
            name = stf__bpmn_find_name(stf_str_of(info->event));
            ck_assert_ptr_nonnull(name);
            ck_assert_int_eq((int)name->name_class, STF__BPMN_EVENT_DEFINITION);
        }
    }
}

STF_TEST(every_name_of_class_node_is_in_the_model)
{
    const stf__bpmn_name *name;
    for (size_t i = 0; (name = stf__bpmn_get_name(i)) != NULL; i++) {
        stf__element_kind kind;
        bool is_node = stf__element_find(stf_str_of(name->text), (stf_str){NULL, 0}, &kind);
        ck_assert_msg(is_node == (name->name_class == STF__BPMN_NODE), "%s", name->text);
    }
}

static const stf_test_case cases[] = {
    STF_CASE(names_are_in_order_so_that_each_is_found),
    STF_CASE(other_names_are_not_found),
    STF_CASE(every_flow_node_and_event_definition_of_the_model_has_its_class),
    STF_CASE(every_name_of_class_node_is_in_the_model),
};

STF_TEST_MAIN("bpmn/names", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* How an instance begins: where, with which variables, and called by whom. */
#include "core_case.h"

static stf_status try_event(core_case *c, stf__event event)
{
    return core_case_step(c, &event);
}

STF_TEST(several_none_starts_need_a_name)
{
    core_case *c = core_case_load("<startEvent id='s1'/><startEvent id='s2'/>"
                                  "<sequenceFlow id='f1' sourceRef='s1' targetRef='a'/>"
                                  "<sequenceFlow id='f2' sourceRef='s2' targetRef='b'/>"
                                  "<userTask id='a'/><userTask id='b'/>");
    ck_assert_int_eq(try_event(c, (stf__event){.kind = STF__EVENT_START}), STF_INVALID_ARGUMENT);
    ck_assert_int_eq(
        try_event(c, (stf__event){.kind = STF__EVENT_START, .element = stf_str_of("s2")}), STF_OK);
    core_case_expect_waiting(c, "b");
    core_case_free(c);
}

STF_TEST(without_a_start_event_the_run_begins_at_the_nodes_without_an_incoming_flow)
{
    core_case *c = core_case_load("<userTask id='a'/><userTask id='b'/><endEvent id='e'/>"
                                  "<sequenceFlow id='f1' sourceRef='a' targetRef='e'/>");
    ck_assert_int_eq(
        try_event(c, (stf__event){.kind = STF__EVENT_START, .element = stf_str_of("a")}),
        STF_NOT_FOUND);
    core_case_start(c, NULL);
    core_case_expect_waiting(c, "a b");
    core_case_free(c);
}

STF_TEST(data_objects_and_properties_are_null_until_given)
{
    core_case *c = core_case_load("<property id='p1' name='total'/><dataObject id='order'/>"
                                  "<startEvent id='s'/><userTask id='t'/>"
                                  "<sequenceFlow id='f1' sourceRef='s' targetRef='t'/>");
    core_case_start(c, "{\"order\": 7}");
    core_case_expect_variable(c, "total", "null");
    core_case_expect_variable(c, "order", "7");
    core_case_free(c);
}

static const char one_task[] = "<startEvent id='s'/><userTask id='t'/>"
                               "<sequenceFlow id='f1' sourceRef='s' targetRef='t'/>";

STF_TEST(a_called_instance_knows_its_caller)
{
    core_case *c = core_case_load(one_task);
    stf__event start = {.kind = STF__EVENT_START, .sender = core_case_sender(1)};
    core_case_event(c, start, "{\"a\": 1}");
    STF_CHECK_STR(c->doc->caller.id, "other");
    ck_assert_uint_eq(c->doc->caller.activation, 7);
    core_case_expect_variable(c, "a", "1");
    core_case_free(c);
}

/* R18: the same call is known after its sender was forgotten, another one is refused. */
STF_TEST(r18_a_call_that_comes_again_after_days_makes_no_second_instance)
{
    core_case *c = core_case_load(one_task);
    stf__event start = {.kind = STF__EVENT_START, .sender = core_case_sender(1)};
    core_case_event(c, start, NULL);
    c->doc->heard_count = 0;
    ck_assert_int_eq(try_event(c, start), STF_ALREADY_EXISTS);
    stf__event other = start;
    other.sender.activation = 8;
    ck_assert_int_eq(try_event(c, other), STF_CONFLICT);
    other.sender = core_case_sender(1);
    other.sender.id = stf_str_of("another");
    ck_assert_int_eq(try_event(c, other), STF_CONFLICT);
    ck_assert_int_eq(try_event(c, (stf__event){.kind = STF__EVENT_START}), STF_INVALID_STATE);
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(several_none_starts_need_a_name),
    STF_CASE(without_a_start_event_the_run_begins_at_the_nodes_without_an_incoming_flow),
    STF_CASE(data_objects_and_properties_are_null_until_given),
    STF_CASE(a_called_instance_knows_its_caller),
    STF_CASE(r18_a_call_that_comes_again_after_days_makes_no_second_instance),
};

STF_TEST_MAIN("core/event_start", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* What people do: tasks, and variables written from outside. */
#include "core_case.h"

static stf_status try_event(core_case *c, stf__event event)
{
    return core_case_step(c, &event);
}

STF_TEST(a_task_is_found_by_activation_or_as_the_only_one_at_its_element)
{
    core_case *c =
        core_case_load("<startEvent id='s'/><sequenceFlow id='f1' sourceRef='s' targetRef='t'/>"
                       "<sequenceFlow id='f2' sourceRef='s' targetRef='t'/><userTask id='t'/>");
    core_case_start(c, NULL);
    core_case_expect_waiting(c, "t t");
    ck_assert_int_eq(
        try_event(c, (stf__event){.kind = STF__EVENT_TASK, .element = stf_str_of("t")}),
        STF_INVALID_STATE);
    ck_assert_int_eq(try_event(c, (stf__event){.kind = STF__EVENT_TASK, .activation = 3}), STF_OK);
    core_case_expect_waiting(c, "t");
    core_case_task(c, "t", NULL);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_free(c);
}

static const char nested[] = "<startEvent id='s'/>"
                             "<sequenceFlow id='f1' sourceRef='s' targetRef='sub'/>"
                             "<subProcess id='sub'><property id='x'/><startEvent id='is'/>"
                             "<userTask id='t'/>"
                             "<sequenceFlow id='f2' sourceRef='is' targetRef='t'/></subProcess>";

STF_TEST(variables_are_written_to_the_process_or_to_the_scope_that_is_named)
{
    core_case *c = core_case_load(nested);
    core_case_start(c, NULL);
    stf__event event = {.kind = STF__EVENT_VARIABLES};
    core_case_event(c, event, "{\"x\": 1, \"y\": 2}");
    core_case_expect_variable(c, "x", "1"); /* the sub-process's own x is another one */
    core_case_expect_variable(c, "y", "2");
    event.element = stf_str_of("sub");
    core_case_event(c, event, "{\"x\": 3}");
    core_case_expect_variable(c, "x", "1");
    uint64_t scope = c->doc->scopes[1].number;
    int64_t x = 0;
    ck_assert(stf_value_get_int(stf__doc_peek_variable(c->doc, scope, stf_str_of("x")), &x));
    ck_assert_int_eq(x, 3);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_VARIABLES_SET, NULL), 2);
    ck_assert_str_eq(c->facts[c->fact_count - 1].detail, "1"); /* a count, never a value */
    core_case_expect_waiting(c, "t");
    core_case_free(c);
}

STF_TEST(a_scope_that_is_not_there_or_not_the_only_one_is_refused)
{
    core_case *c =
        core_case_load("<startEvent id='s'/><sequenceFlow id='f1' sourceRef='s' targetRef='sub'/>"
                       "<sequenceFlow id='f2' sourceRef='s' targetRef='sub'/>"
                       "<subProcess id='sub'><userTask id='t'/></subProcess>");
    stf__event event = {.kind = STF__EVENT_VARIABLES, .element = stf_str_of("sub")};
    core_case_start(c, NULL);
    ck_assert_int_eq(try_event(c, event), STF_INVALID_STATE);
    event.element = stf_str_of("t");
    ck_assert_int_eq(try_event(c, event), STF_NOT_FOUND);
    stf_value *text = core_case_json("\"no context\"");
    ck_assert_int_eq(try_event(c, (stf__event){.kind = STF__EVENT_VARIABLES, .variables = text}),
                     STF_INVALID_ARGUMENT);
    stf_value_unref(text);
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(a_task_is_found_by_activation_or_as_the_only_one_at_its_element),
    STF_CASE(variables_are_written_to_the_process_or_to_the_scope_that_is_named),
    STF_CASE(a_scope_that_is_not_there_or_not_the_only_one_is_refused),
};

STF_TEST_MAIN("core/event_task", cases)

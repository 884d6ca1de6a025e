/* SPDX-License-Identifier: Apache-2.0 */
/* Mappings into calls and out of them: order, everything, what fails. */
#include "core_case.h"

#define FLOW(from, to) "<sequenceFlow id='" from to "' sourceRef='" from "' targetRef='" to "'/>"
#define IN(source, target) "<stepfast:in sourceExpression='" source "' target='" target "'/>"
#define OUT(source, target) "<stepfast:out sourceExpression='" source "' target='" target "'/>"
#define ALL_IN "<stepfast:in variables='all'/>"
#define ALL_OUT "<stepfast:out variables='all'/>"

static core_case *load(const char *mappings)
{
    char body[2048];
    snprintf(body, sizeof(body),
             "<startEvent id='s'/>" FLOW(
                 "s", "sub") "<subProcess id='sub'><property id='x'/>"
                             "<callActivity id='c' calledElement='other'><extensionElements>%s"
                             "</extensionElements></callActivity></subProcess>" FLOW(
                                 "sub", "u") "<userTask id='u'/>",
             mappings);
    return core_case_load(body);
}

static void check_inputs(const char *mappings, const char *before, const char *expected)
{
    core_case *c = load(mappings);
    core_case_start(c, before);
    stf__send_item item = core_case_find_send(c, STF__SEND_CREATE);
    stf_value *wanted = core_case_json(expected);
    if (expected == NULL) {
        ck_assert_ptr_null(item.variables);
    } else {
        ck_assert(item.variables != NULL && stf_value_equal(item.variables, wanted));
    }
    stf_value_unref(wanted);
    core_case_free(c);
}

STF_TEST(inputs_are_mapped_in_the_scope_of_the_activity_and_of_two_for_one_name_the_later_wins)
{
    check_inputs("", "{\"a\": 1}", NULL);
    check_inputs(IN("=a + 1", "b"), "{\"a\": 1}", "{\"b\": 2}");
    check_inputs(IN("=x", "b"), "{\"x\": 5}", "{\"b\": null}"); /* the sub-process's own x */
    check_inputs(ALL_IN, "{\"a\": 1, \"x\": 5}", "{\"a\": 1, \"x\": null}");
    check_inputs(ALL_IN IN("=9", "a"), "{\"a\": 1}", "{\"a\": 9, \"x\": null}");
    check_inputs(IN("=9", "a") ALL_IN, "{\"a\": 1}", "{\"a\": 1, \"x\": null}");
}

STF_TEST(an_input_that_fails_is_an_incident_and_nothing_is_called_until_its_retry)
{
    core_case *c = load(IN("=1", "a") IN("${missing}", "b"));
    core_case_start(c, NULL);
    core_case_expect_incident(c, "c", "expression", "input variable \"b\"");
    ck_assert_uint_eq(c->doc->outbox_count, 0);
    core_case_set(c, "{\"missing\": 2}");
    core_case_retry(c);
    ck_assert_uint_eq(stf_value_count(core_case_find_send(c, STF__SEND_CREATE).variables), 2);
    core_case_free(c);
}

STF_TEST(outputs_see_only_what_the_called_instance_ended_with)
{
    core_case *c = load(OUT("=r + 1", "x") OUT("=a", "b"));
    core_case_start(c, "{\"a\": 1, \"x\": 0}");
    core_case_child(c, "c", STF__CHILD_COMPLETED, "", "{\"r\": 41, \"ignored\": true}");
    core_case_expect_waiting(c, "u");
    core_case_expect_variable(c, "b", "null");
    core_case_expect_variable(c, "x", "0"); /* it went to the sub-process's own, which is gone */
    core_case_free(c);
    c = load(ALL_OUT OUT("=2", "k"));
    core_case_start(c, NULL);
    core_case_child(c, "c", STF__CHILD_COMPLETED, "", "{\"r\": 41, \"k\": 1}");
    core_case_expect_variable(c, "r", "41");
    core_case_expect_variable(c, "k", "2");
    core_case_free(c);
}

STF_TEST(without_output_mappings_nothing_comes_out)
{
    core_case *c = load("");
    core_case_start(c, "{\"a\": 1}");
    core_case_child(c, "c", STF__CHILD_COMPLETED, "", "{\"a\": 2}");
    core_case_expect_variable(c, "a", "1");
    core_case_expect_waiting(c, "u");
    core_case_free(c);
}

/* Trap 42, 53: what came out is kept, and the called instance does not run again. */
STF_TEST(trap_53_an_output_that_fails_stops_the_call_on_its_way_out)
{
    core_case *c = load(OUT("${missing}", "a") OUT("=r", "b") OUT("${gone}", "d"));
    core_case_start(c, NULL);
    stf__send_item item = core_case_find_send(c, STF__SEND_CREATE);
    core_case_ack(c, &item, STF__ACK_DELIVERED);
    core_case_child(c, "c", STF__CHILD_COMPLETED, "", "{\"r\": 3}");
    core_case_expect_incident(c, "c", "expression", "output variable \"a\"");
    core_case_expect_variable(c, "b", "3");
    core_case_retry(c);
    core_case_expect_waiting(c, "u");
    ck_assert_uint_eq(core_case_count_sends(c, STF__SEND_CREATE), 0);
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(inputs_are_mapped_in_the_scope_of_the_activity_and_of_two_for_one_name_the_later_wins),
    STF_CASE(an_input_that_fails_is_an_incident_and_nothing_is_called_until_its_retry),
    STF_CASE(outputs_see_only_what_the_called_instance_ended_with),
    STF_CASE(without_output_mappings_nothing_comes_out),
    STF_CASE(trap_53_an_output_that_fails_stops_the_call_on_its_way_out),
};

STF_TEST_MAIN("core/map", cases)

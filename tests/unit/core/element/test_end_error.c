/* SPDX-License-Identifier: Apache-2.0 */
/* Error end events: cancelled, never completed, whoever catches the error or nobody does. */
#include "core_case.h"

#define ERRORS "<error id='E1' errorCode='one'/>"
#define BANG "<endEvent id='bang'><errorEventDefinition errorRef='E1'/></endEvent>"

STF_TEST(it_is_cancelled_with_the_scope_that_its_error_ends)
{
    core_case *c = core_case_load_in(
        ERRORS, "<subProcess id='sub'>" BANG "</subProcess>"
                "<boundaryEvent id='c' attachedToRef='sub'><errorEventDefinition errorRef='E1'/>"
                "</boundaryEvent>");
    core_case_start(c, NULL);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_expect_completed(c, "bang", 0);
    core_case_expect_completed(c, "sub", 0);
    core_case_expect_completed(c, "c", 1);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_NODE_ENTERED, "bang"), 1);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_NODE_CANCELLED, "bang"), 1);
    core_case_expect_one_end_each(c);
    core_case_free(c);
}

STF_TEST(with_nobody_to_catch_it_the_instance_ends_at_once_with_all_that_is_in_it)
{
    core_case *c = core_case_load_in(
        ERRORS, "<startEvent id='s'/><sequenceFlow id='f1' sourceRef='s' targetRef='a'/>"
                "<sequenceFlow id='f2' sourceRef='s' targetRef='w'/><userTask id='a'/>"
                "<serviceTask id='w' stepfast:handler='h'/>"
                "<sequenceFlow id='f3' sourceRef='a' targetRef='bang'/>" BANG);
    core_case_start(c, NULL);
    core_case_start_work(c, "w");
    uint64_t running = core_case_find_work(c, "w").activation;
    core_case_task(c, "a", "{\"kept\": 1}");
    core_case_expect_status(c, STF_RECORD_TERMINATED);
    core_case_expect_completed(c, "bang", 0);
    ck_assert_uint_eq(c->effects.cancelled_count, 1);
    ck_assert_uint_eq(c->effects.cancelled[0], running);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_INSTANCE_FAILED, "bang"), 1);
    core_case_expect_variable(c, "kept", "1");
    core_case_expect_one_end_each(c);
    stf__event task = {.kind = STF__EVENT_TASK, .element = stf_str_of("a")};
    ck_assert_int_eq(core_case_step(c, &task), STF_INVALID_STATE);
    core_case_free(c);
}

STF_TEST(people_see_how_where_and_with_which_code_the_instance_ended)
{
    core_case *c = core_case_load_in(ERRORS, BANG);
    core_case_start(c, NULL);
    stf_value *view = NULL;
    STF_CHECK_OK(stf__doc_view(c->doc, c->process, &view, &c->error), &c->error);
    const stf_value *end = stf_value_peek(view, stf_str_of("end"));
    STF_CHECK_STR(stf_value_peek_string(stf_value_peek(end, stf_str_of("how"))), "failed");
    STF_CHECK_STR(stf_value_peek_string(stf_value_peek(end, stf_str_of("element"))), "bang");
    STF_CHECK_STR(stf_value_peek_string(stf_value_peek(end, stf_str_of("code"))), "one");
    stf_value_unref(view);
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(it_is_cancelled_with_the_scope_that_its_error_ends),
    STF_CASE(with_nobody_to_catch_it_the_instance_ends_at_once_with_all_that_is_in_it),
    STF_CASE(people_see_how_where_and_with_which_code_the_instance_ended),
};

STF_TEST_MAIN("core/element/end_error", cases)

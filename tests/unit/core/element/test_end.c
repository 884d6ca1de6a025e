/* SPDX-License-Identifier: Apache-2.0 */
/* None and terminate end events. */
#include "core_case.h"

static const char with_terminate[] =
    "<startEvent id='s'/>"
    "<sequenceFlow id='f1' sourceRef='s' targetRef='a'/>"
    "<sequenceFlow id='f2' sourceRef='s' targetRef='b'/>"
    "<sequenceFlow id='f3' sourceRef='s' targetRef='w'/>"
    "<sequenceFlow id='f4' sourceRef='s' targetRef='x'/>"
    "<sequenceFlow id='f5' sourceRef='s' targetRef='j'/>"
    "<userTask id='a'/><userTask id='b'/><serviceTask id='w' stepfast:handler='h'/>"
    "<boundaryEvent id='late' attachedToRef='b'><timerEventDefinition>"
    "<timeDuration>PT1H</timeDuration></timerEventDefinition></boundaryEvent>"
    "<exclusiveGateway id='x'/>"
    "<sequenceFlow id='f6' sourceRef='x' targetRef='e'>"
    "<conditionExpression>${false}</conditionExpression></sequenceFlow>"
    "<parallelGateway id='j'/><sequenceFlow id='f7' sourceRef='b' targetRef='j'/>"
    "<sequenceFlow id='f8' sourceRef='a' targetRef='t'/>"
    "<endEvent id='t'><terminateEventDefinition/></endEvent>"
    "<endEvent id='e'/>";

STF_TEST(a_none_end_event_ends_its_token_only)
{
    core_case *c = core_case_load(
        "<startEvent id='s'/><sequenceFlow id='f1' sourceRef='s' targetRef='a'/>"
        "<sequenceFlow id='f2' sourceRef='s' targetRef='e'/><userTask id='a'/><endEvent id='e'/>"
        "<sequenceFlow id='f3' sourceRef='a' targetRef='e'/>");
    core_case_start(c, NULL);
    core_case_expect_completed(c, "e", 1);
    core_case_expect_status(c, STF_RECORD_ACTIVE);
    core_case_task(c, "a", NULL);
    core_case_expect_completed(c, "e", 2);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_free(c);
}

/* Items 16 and 49: tokens at joins, timers, work and incidents go with the instance. */
STF_TEST(trap_16_terminate_drops_everything_else_at_once)
{
    core_case *c = core_case_load(with_terminate);
    core_case_start(c, NULL);
    core_case_start_work(c, "w");
    uint64_t running = core_case_find_work(c, "w").activation;
    core_case_expect_status(c, STF_RECORD_INCIDENT);
    ck_assert_uint_eq(c->doc->parked_count, 1);
    ck_assert_uint_eq(c->doc->timer_count, 1);
    core_case_task(c, "a", NULL);
    core_case_expect_status(c, STF_RECORD_TERMINATED);
    ck_assert_uint_eq(c->effects.cancelled_count, 1);
    ck_assert_uint_eq(c->effects.cancelled[0], running);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_INCIDENT_DROPPED, "x"), 1);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_NODE_CANCELLED, "b"), 1);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_INSTANCE_TERMINATED, "t"), 1);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_INSTANCE_COMPLETED, NULL), 0);
    core_case_expect_completed(c, "e", 0);
    core_case_expect_one_end_each(c);
    stf__doc_summary summary = core_case_summary(c);
    ck_assert(stf_wall_is_none(summary.due) && summary.wait_count == 0 && !summary.has_started);
    core_case_free(c);
}

STF_TEST(the_reason_and_the_node_of_the_end_are_recorded)
{
    core_case *c = core_case_load(with_terminate);
    core_case_start(c, NULL);
    core_case_task(c, "a", NULL);
    stf_value *view = NULL;
    STF_CHECK_OK(stf__doc_view(c->doc, c->process, &view, &c->error), &c->error);
    const stf_value *end = stf_value_peek(view, stf_str_of("end"));
    STF_CHECK_STR(stf_value_peek_string(stf_value_peek(end, stf_str_of("how"))), "terminated");
    STF_CHECK_STR(stf_value_peek_string(stf_value_peek(end, stf_str_of("element"))), "t");
    STF_CHECK_STR(stf_value_peek_string(stf_value_peek(end, stf_str_of("at"))),
                  "2026-01-01T00:00:00Z");
    stf_value_unref(view);
    core_case_free(c);
}

/* Item 49: inside a sub-process only that ends, and it goes on by its own outgoing flows. */
STF_TEST(trap_49_terminate_in_a_sub_process_ends_that_sub_process_only)
{
    core_case *c = core_case_load(
        "<startEvent id='s'/><sequenceFlow id='f1' sourceRef='s' targetRef='sub'/>"
        "<sequenceFlow id='f2' sourceRef='s' targetRef='beside'/><userTask id='beside'/>"
        "<sequenceFlow id='f3' sourceRef='sub' targetRef='after'/><userTask id='after'/>"
        "<subProcess id='sub'><startEvent id='i'/>"
        "<sequenceFlow id='g1' sourceRef='i' targetRef='a'/>"
        "<sequenceFlow id='g2' sourceRef='i' targetRef='deep'/>"
        "<sequenceFlow id='g3' sourceRef='i' targetRef='j'/>"
        "<userTask id='a'/><sequenceFlow id='g4' sourceRef='a' targetRef='t'/>"
        "<subProcess id='deep'><serviceTask id='w' stepfast:handler='h'/></subProcess>"
        "<sequenceFlow id='g5' sourceRef='deep' targetRef='j'/><parallelGateway id='j'/>"
        "<endEvent id='t'><terminateEventDefinition/></endEvent></subProcess>");
    core_case_start(c, NULL);
    core_case_start_work(c, "w");
    uint64_t running = core_case_find_work(c, "w").activation;
    ck_assert_uint_eq(c->doc->parked_count, 1);
    core_case_task(c, "a", NULL);
    core_case_expect_status(c, STF_RECORD_ACTIVE);
    core_case_expect_waiting(c, "after beside");
    core_case_expect_completed(c, "sub", 1);
    core_case_expect_completed(c, "deep", 0);
    ck_assert_uint_eq(c->effects.cancelled_count, 1);
    ck_assert_uint_eq(c->effects.cancelled[0], running);
    ck_assert_uint_eq(c->doc->parked_count, 0);
    ck_assert_uint_eq(c->doc->scope_count, 1);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_INSTANCE_TERMINATED, NULL), 0);
    core_case_task(c, "after", NULL);
    core_case_task(c, "beside", NULL);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_expect_one_end_each(c);
    core_case_free(c);
}

STF_TEST(trap_49_terminate_in_an_inner_sub_process_leaves_the_outer_one_running)
{
    core_case *c = core_case_load(
        "<subProcess id='outer'><userTask id='a'/><subProcess id='inner'><userTask id='b'/>"
        "<sequenceFlow id='g1' sourceRef='b' targetRef='t'/><userTask id='d'/>"
        "<endEvent id='t'><terminateEventDefinition/></endEvent></subProcess></subProcess>");
    core_case_start(c, NULL);
    core_case_expect_waiting(c, "a b d");
    core_case_task(c, "b", NULL);
    core_case_expect_waiting(c, "a");
    core_case_expect_completed(c, "inner", 1);
    core_case_expect_completed(c, "outer", 0);
    core_case_task(c, "a", NULL);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_free(c);
}

/* Item 49: and in a called process only the called instance; to its caller that is a completion. */
STF_TEST(trap_49_a_called_instance_that_terminates_tells_its_caller_that_it_is_done)
{
    core_case *c = core_case_load(with_terminate);
    stf__event start = {
        .kind = STF__EVENT_START,
        .sender = {.is_given = true, .sequence = 1, .activation = 7, .id = stf_str_of("caller-1")}};
    STF_CHECK_OK(core_case_step(c, &start), &c->error);
    core_case_task(c, "a", NULL);
    ck_assert_uint_eq(c->doc->end_how, STF__END_TERMINATED);
    stf__send_item item;
    ck_assert(stf__doc_get_send(c->doc, 0, &item));
    ck_assert_uint_eq(item.kind, STF__SEND_RESULT);
    ck_assert_uint_eq(item.how, STF__CHILD_COMPLETED);
    ck_assert_uint_eq(item.target_activation, 7);
    STF_CHECK_STR(item.target, "caller-1");
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(a_none_end_event_ends_its_token_only),
    STF_CASE(trap_16_terminate_drops_everything_else_at_once),
    STF_CASE(the_reason_and_the_node_of_the_end_are_recorded),
    STF_CASE(trap_49_terminate_in_a_sub_process_ends_that_sub_process_only),
    STF_CASE(trap_49_terminate_in_an_inner_sub_process_leaves_the_outer_one_running),
    STF_CASE(trap_49_a_called_instance_that_terminates_tells_its_caller_that_it_is_done),
};

STF_TEST_MAIN("core/element/end", cases)

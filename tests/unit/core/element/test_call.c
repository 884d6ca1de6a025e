/* SPDX-License-Identifier: Apache-2.0 */
/* Call activities: what they send, and each way in which the called instance ends. */
#include "core_case.h"
#include "unit/base/faulty.h"

#include <stepfast/limits.h>

#define FLOW(from, to) "<sequenceFlow id='" from to "' sourceRef='" from "' targetRef='" to "'/>"

static const char calls[] = "<startEvent id='s'/>" FLOW(
    "s", "c") "<callActivity id='c' calledElement='ship'>"
              "<extensionElements><stepfast:in source='order' target='order'/>"
              "<stepfast:out source='parcel' target='parcel'/></extensionElements></callActivity>"
              "<boundaryEvent id='on' attachedToRef='c'><errorEventDefinition "
              "errorRef='E'/></boundaryEvent>"
              "<boundaryEvent id='late' attachedToRef='c'><timerEventDefinition>"
              "<timeDuration>PT1M</timeDuration></timerEventDefinition></boundaryEvent>" FLOW(
                  "c", "e") "<endEvent id='e'/>" FLOW("on", "u")
                  FLOW("late", "v") "<userTask id='u'/><userTask id='v'/>";

static core_case *start(void)
{
    core_case *c = core_case_load_in("<error id='E' errorCode='E1'/>", calls);
    core_case_start(c, "{\"order\": 7}");
    return c;
}

/* The engine has made it. */
static core_case *start_and_deliver(void)
{
    core_case *c = start();
    stf__send_item item = core_case_find_send(c, STF__SEND_CREATE);
    core_case_ack(c, &item, STF__ACK_DELIVERED);
    return c;
}

STF_TEST(r18_a_call_is_an_entry_of_the_outbox_with_an_id_of_its_own)
{
    core_case *c = start();
    stf__send_item item = core_case_find_send(c, STF__SEND_CREATE);
    STF_CHECK_STR(item.name, "ship");
    ck_assert_int_eq(item.version, 0);
    STF_CHECK_STR(item.target, "010203fe000000000000000000000000-2-1");
    ck_assert_uint_eq(item.activation, 2);
    ck_assert_uint_eq(item.sequence, 1);
    stf_value *expected = core_case_json("{\"order\": 7}");
    ck_assert(stf_value_equal(item.variables, expected));
    stf_value_unref(expected);
    STF_CHECK_STR(c->doc->activations[0]->child, "010203fe000000000000000000000000-2-1");
    ck_assert_uint_eq(core_case_count(c, STF_FACT_CHILD_CALLED, "c"), 1);
    core_case_free(c);
}

/* A process that calls itself without end comes to a stop, and the depth outlives its record. */
STF_TEST(calls_go_no_deeper_than_the_limit)
{
    for (uint64_t above = STF_LIMIT_CALL_DEPTH - 2; above < STF_LIMIT_CALL_DEPTH; above++) {
        core_case *c = core_case_load_in("<error id='E' errorCode='E1'/>", calls);
        stf__event begin = {.kind = STF__EVENT_START, .sender = core_case_sender(1)};
        begin.sender.depth = above;
        core_case_event(c, begin, "{\"order\": 7}");
        ck_assert_uint_eq(stf__doc_get_call_depth(c->doc), above + 1);
        if (above + 1 < STF_LIMIT_CALL_DEPTH) {
            ck_assert_uint_eq(core_case_count_sends(c, STF__SEND_CREATE), 1);
        } else {
            ck_assert_uint_eq(core_case_count_sends(c, STF__SEND_CREATE), 0);
            core_case_expect_incident(c, "c", "limit", "calls are nested deeper");
            core_case_retry(c);
            core_case_expect_incident(c, "c", "limit", "calls are nested deeper");
        }
        core_case_free(c);
    }
}

STF_TEST(a_called_process_may_be_an_expression_and_a_bad_one_is_an_incident)
{
    core_case *c = core_case_load(
        "<startEvent id='s'/>" FLOW("s", "c") "<callActivity id='c' calledElement='${which}'/>");
    core_case_start(c, "{\"which\": 7}");
    core_case_expect_incident(c, "c", "call", "process called by \"c\"");
    core_case_set(c, "{\"which\": \"ship\"}");
    core_case_retry(c);
    STF_CHECK_STR(core_case_find_send(c, STF__SEND_CREATE).name, "ship");
    core_case_free(c);
}

STF_TEST(when_the_called_instance_completes_its_outputs_come_back_and_the_flow_goes_on)
{
    core_case *c = start_and_deliver();
    core_case_child(c, "c", STF__CHILD_COMPLETED, "", "{\"parcel\": 5, \"order\": 8}");
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_expect_variable(c, "parcel", "5");
    core_case_expect_variable(c, "order", "7");
    ck_assert_uint_eq(core_case_count(c, STF_FACT_CHILD_ENDED, "c"), 1);
    core_case_expect_one_end_each(c);
    core_case_free(c);
}

STF_TEST(only_the_instance_that_was_called_ends_the_call_and_only_once)
{
    core_case *c = start_and_deliver();
    stf__event event = {.kind = STF__EVENT_CHILD,
                        .how = STF__CHILD_COMPLETED,
                        .activation = 2,
                        .sender = core_case_sender(1)};
    ck_assert_int_eq(core_case_step(c, &event), STF_NOT_FOUND);
    event.sender.id = stf_str_of("010203fe000000000000000000000000-2-1");
    event.activation = 1;
    ck_assert_int_eq(core_case_step(c, &event), STF_NOT_FOUND);
    event.activation = 2;
    event.how = 0;
    ck_assert_int_eq(core_case_step(c, &event), STF_INVALID_ARGUMENT);
    event.how = STF__CHILD_COMPLETED;
    STF_CHECK_OK(core_case_step(c, &event), &c->error);
    ck_assert_int_eq(core_case_step(c, &event), STF_ALREADY_EXISTS);
    core_case_free(c);
}

/* Trap 47: up through the call activity, whoever threw it. */
STF_TEST(trap_47_an_error_of_the_called_instance_is_caught_at_the_call)
{
    static const stf__child_how ways[] = {STF__CHILD_ERROR, STF__CHILD_WORK_ERROR};
    for (size_t i = 0; i < STF_COUNT_OF(ways); i++) {
        core_case *c = start_and_deliver();
        core_case_child(c, "c", ways[i], "E1", NULL);
        core_case_expect_waiting(c, "u");
        ck_assert_uint_eq(c->doc->outbox_count, 0); /* it has ended: nobody need end it */
        core_case_free(c);
    }
}

STF_TEST(an_error_that_nobody_catches_ends_the_caller_or_stops_it_as_in_its_own_process)
{
    core_case *c = start_and_deliver();
    core_case_child(c, "c", STF__CHILD_ERROR, "E2", NULL);
    ck_assert_uint_eq(c->doc->end_how, STF__END_FAILED);
    STF_CHECK_STR(c->doc->end_code, "E2");
    core_case_expect_one_end_each(c);
    core_case_free(c);
    c = start_and_deliver();
    core_case_child(c, "c", STF__CHILD_WORK_ERROR, "E2", NULL);
    core_case_expect_incident(c, "c", "bpmn_error", "\"E2\"");
    core_case_retry(c); /* calls anew */
    ck_assert_uint_eq(core_case_count_sends(c, STF__SEND_CREATE), 1);
    core_case_free(c);
}

/* Through two calls: the distinction is not lost on the way. */
STF_TEST(a_caller_that_was_called_itself_passes_the_error_on_as_it_came)
{
    static const stf__child_how ways[] = {STF__CHILD_ERROR, STF__CHILD_WORK_ERROR};
    for (size_t i = 0; i < STF_COUNT_OF(ways); i++) {
        core_case *c = core_case_load(
            "<startEvent id='s'/>" FLOW("s", "c") "<callActivity id='c' calledElement='ship'/>");
        core_case_event(c, (stf__event){.kind = STF__EVENT_START, .sender = core_case_sender(1)},
                        NULL);
        core_case_child(c, "c", ways[i], "E2", NULL);
        ck_assert(stf__doc_has_ended(c->doc));
        ck_assert_uint_eq(core_case_find_send(c, STF__SEND_RESULT).how, ways[i]);
        core_case_free(c);
    }
}

STF_TEST(a_called_instance_that_people_cancelled_is_an_incident_and_a_retry_calls_another)
{
    core_case *c = start_and_deliver();
    core_case_child(c, "c", STF__CHILD_CANCELLED, "", NULL);
    core_case_expect_incident(c, "c", "call", "has no result: it was cancelled");
    ck_assert_uint_eq(c->doc->timer_count, 1);
    core_case_retry(c);
    stf__send_item item = core_case_find_send(c, STF__SEND_CREATE);
    STF_CHECK_STR(item.target, "010203fe000000000000000000000000-2-2");
    ck_assert_uint_eq(c->doc->timer_count, 1); /* not armed again */
    core_case_child(c, "c", STF__CHILD_COMPLETED, "", NULL);
    ck_assert(stf__doc_has_ended(c->doc));
    core_case_free(c);
}

STF_TEST(an_interrupted_call_tells_the_called_instance_to_end)
{
    core_case *c = start_and_deliver();
    core_case_advance(c, SECONDS(60));
    core_case_expect_waiting(c, "v");
    stf__send_item item = core_case_find_send(c, STF__SEND_CANCEL);
    STF_CHECK_STR(item.target, "010203fe000000000000000000000000-2-1");
    ck_assert_uint_eq(core_case_count(c, STF_FACT_CHILD_CANCELLED, "c"), 1);
    core_case_ack(c, &item, STF__ACK_DELIVERED);
    core_case_task(c, "v", NULL);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_free(c);
}

/* The record ends with the last acknowledgement, not before: the called instance must hear it. */
STF_TEST(r18_a_cancelled_caller_ends_what_it_called_before_its_record_ends)
{
    core_case *c = start();
    core_case_event(c, (stf__event){.kind = STF__EVENT_CANCEL}, NULL);
    ck_assert(stf__doc_has_ended(c->doc));
    stf__send_item create = core_case_find_send(c, STF__SEND_CREATE);
    stf__send_item cancel = core_case_find_send(c, STF__SEND_CANCEL);
    ck_assert(stf__doc_may_send(c->doc, &create) && !stf__doc_may_send(c->doc, &cancel));
    core_case_ack(c, &create, STF__ACK_DELIVERED);
    ck_assert(stf__doc_may_send(c->doc, &cancel));
    core_case_ack(c, &cancel, STF__ACK_DELIVERED);
    core_case_expect_status(c, STF_RECORD_TERMINATED);
    core_case_free(c);
}

/* One way with the n-th allocation failing: NO_MEMORY or done, and no leak. */
static bool play_with(faulty *memory)
{
    core_case *c = core_case_load_in("<error id='E' errorCode='E1'/>", calls);
    stf__doc_free(c->doc);
    stf__doc_identity identity = {
        .id = stf_str_of("i-1"), .process = c->process->id, .version = 3, .created = c->now};
    stf_value *variables = core_case_json("{\"order\": 7, \"parcel\": \"p\"}");
    stf__sender sender = core_case_sender(6);
    sender.id = stf_str_of("00000000000000000000000000000000-2-1");
    const stf__event events[] = {
        {.kind = STF__EVENT_START, .variables = variables, .sender = core_case_sender(5)},
        {.kind = STF__EVENT_CHILD,
         .how = STF__CHILD_COMPLETED,
         .activation = 2,
         .variables = variables,
         .sender = sender},
    };
    stf_status status = stf__doc_new(&memory->port, &identity, &c->doc, NULL);
    c->doc = status == STF_OK ? c->doc : NULL;
    for (size_t i = 0; status == STF_OK && i < STF_COUNT_OF(events); i++) {
        stf__core_inputs inputs = {.now = c->now};
        stf__arena_reset(&c->arena);
        stf__effects_init(&c->effects, &c->arena);
        status = stf__core_step(c->doc, c->process, &events[i], &inputs, &c->effects, &c->error);
    }
    ck_assert(status == STF_OK || status == STF_NO_MEMORY);
    ck_assert(status != STF_OK || stf__doc_has_ended(c->doc));
    c->doc = stf__doc_free(c->doc);
    ck_assert_int_eq(memory->live, 0);
    stf_value_unref(variables);
    core_case_free(c);
    return status == STF_OK;
}

STF_TEST(out_of_memory_is_told_and_leaks_nothing_at_every_allocation)
{
    long n = 1;
    for (bool is_done = false; !is_done; n++) {
        faulty memory;
        faulty_init(&memory, n);
        is_done = play_with(&memory);
    }
    ck_assert_int_gt(n, 20);
}

static const stf_test_case cases[] = {
    STF_CASE(r18_a_call_is_an_entry_of_the_outbox_with_an_id_of_its_own),
    STF_CASE(calls_go_no_deeper_than_the_limit),
    STF_CASE(a_called_process_may_be_an_expression_and_a_bad_one_is_an_incident),
    STF_CASE(when_the_called_instance_completes_its_outputs_come_back_and_the_flow_goes_on),
    STF_CASE(only_the_instance_that_was_called_ends_the_call_and_only_once),
    STF_CASE(trap_47_an_error_of_the_called_instance_is_caught_at_the_call),
    STF_CASE(an_error_that_nobody_catches_ends_the_caller_or_stops_it_as_in_its_own_process),
    STF_CASE(a_caller_that_was_called_itself_passes_the_error_on_as_it_came),
    STF_CASE(a_called_instance_that_people_cancelled_is_an_incident_and_a_retry_calls_another),
    STF_CASE(an_interrupted_call_tells_the_called_instance_to_end),
    STF_CASE(r18_a_cancelled_caller_ends_what_it_called_before_its_record_ends),
    STF_CASE(out_of_memory_is_told_and_leaks_nothing_at_every_allocation),
};

STF_TEST_MAIN("core/element/call", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* What comes from other records: messages, what a queue keeps, cancellation. The end of a called
 * instance is in element/test_call.c. */
#include "core_case.h"

static stf_status try_event(core_case *c, stf__event event)
{
    return core_case_step(c, &event);
}

#define FLOW(from, to) "<sequenceFlow id='" from to "' sourceRef='" from "' targetRef='" to "'/>"
#define MESSAGE "<message id='m' name='paid' stepfast:correlationKey='=order'/>"

static const char waits[] = "<startEvent id='s'/>" FLOW(
    "s", "w") "<receiveTask id='w' messageRef='m'/>" FLOW("w", "u") "<userTask id='u'/>";

/* ---- MESSAGE */

STF_TEST(a_message_goes_to_one_receiver_with_its_variables)
{
    core_case *c = core_case_load_in(MESSAGE, waits);
    core_case_start(c, "{\"order\": 7}");
    core_case_expect_nobody(c, "paid", "8");
    core_case_expect_nobody(c, "other", "7");
    core_case_message(c, "paid", "7", "{\"sum\": 12}");
    core_case_expect_waiting(c, "u");
    core_case_expect_variable(c, "sum", "12");
    ck_assert_uint_eq(core_case_count(c, STF_FACT_MESSAGE_RECEIVED, "w"), 1);
    core_case_expect_nobody(c, "paid", "7");
    core_case_free(c);
}

/* Trap 21, 23: of several the oldest gets it, and each message goes to one. */
STF_TEST(trap_21_two_messages_reach_two_receivers_the_oldest_first)
{
    core_case *c = core_case_load_in(
        MESSAGE,
        "<startEvent id='s'/>" FLOW("s", "w")
            FLOW("s", "t") "<receiveTask id='w' messageRef='m'/>"
                           "<userTask id='t'/><receiveTask id='v' messageRef='m'/>" FLOW("t", "v"));
    core_case_start(c, "{\"order\": 7}");
    c->now.us += SECONDS(1);
    core_case_task(c, "t", NULL);
    ck_assert_uint_eq(c->doc->subscription_count, 2);
    core_case_message(c, "paid", "7", NULL);
    ck_assert_uint_eq(c->doc->subscription_count, 1);
    STF_CHECK_STR(c->doc->subscriptions[0].element, "v");
    core_case_message(c, "paid", "7", NULL);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_free(c);
}

STF_TEST(r5_a_message_that_is_delivered_again_is_not_taken_again)
{
    core_case *c = core_case_load_in(
        MESSAGE,
        "<startEvent id='s'/>" FLOW("s", "w") FLOW(
            "s", "v") "<receiveTask id='w' messageRef='m'/><receiveTask id='v' messageRef='m'/>");
    stf__event event = {.kind = STF__EVENT_MESSAGE,
                        .name = stf_str_of("paid"),
                        .key = stf_str_of("7"),
                        .sender = core_case_sender(1)};
    core_case_start(c, "{\"order\": 7}");
    core_case_event(c, event, NULL);
    ck_assert_int_eq(try_event(c, event), STF_ALREADY_EXISTS);
    ck_assert_uint_eq(c->doc->subscription_count, 1);
    event.sender.sequence = 2;
    core_case_event(c, event, NULL);
    ck_assert_int_eq(try_event(c, event), STF_ALREADY_EXISTS); /* it has ended meanwhile */
    core_case_free(c);
}

/* ---- PUBLISH */

static stf__event publish(core_case *c, const char *name, const char *key)
{
    return (stf__event){.kind = STF__EVENT_PUBLISH,
                        .name = stf_str_of(name),
                        .key = stf_str_of(key),
                        .until = {c->now.us + SECONDS(60)}};
}

STF_TEST(a_queue_keeps_messages_in_the_order_of_their_publication)
{
    core_case *c = core_case_queue();
    core_case_event(c, publish(c, "paid", "7"), "{\"n\": 1}");
    core_case_event(c, publish(c, "paid", "7"), "{\"n\": 2}");
    stf__send_item first;
    stf__send_item second;
    ck_assert(stf__doc_get_send(c->doc, 0, &first) && stf__doc_get_send(c->doc, 1, &second));
    ck_assert(first.number < second.number && first.sequence == 0);
    STF_CHECK_STR(first.name, "paid");
    STF_CHECK_STR(first.key, "7");
    ck_assert_int_eq(first.until.us, c->now.us + SECONDS(60));
    ck_assert_uint_eq(stf_value_count(first.variables), 1);
    ck_assert(stf__doc_may_aim(c->doc, &first) && !stf__doc_may_aim(c->doc, &second));
    ck_assert_uint_eq(core_case_count(c, STF_FACT_MESSAGE_KEPT, NULL), 2);
    core_case_free(c);
}

STF_TEST(a_queue_is_of_one_name_and_key_and_keeps_nothing_for_ever)
{
    core_case *c = core_case_queue();
    core_case_event(c, publish(c, "paid", "7"), NULL);
    ck_assert_int_eq(try_event(c, publish(c, "paid", "8")), STF_INVALID_ARGUMENT);
    ck_assert_int_eq(try_event(c, publish(c, "other", "7")), STF_INVALID_ARGUMENT);
    stf__event endless = publish(c, "paid", "7");
    endless.until = stf_wall_none();
    ck_assert_int_eq(try_event(c, endless), STF_INVALID_ARGUMENT);
    core_case_free(c);
}

STF_TEST(a_full_queue_refuses_and_a_delivery_that_is_repeated_is_not_kept_twice)
{
    core_case *c = core_case_queue();
    c->keeps_document = true;
    stf__event event = publish(c, "paid", "7");
    event.sender = core_case_sender(1);
    core_case_event(c, event, NULL);
    ck_assert_int_eq(try_event(c, event), STF_ALREADY_EXISTS);
    ck_assert_uint_eq(c->doc->outbox_count, 1);
    /* an instance that sent it has told that it is kept */
    ck_assert_uint_eq(core_case_count(c, STF_FACT_MESSAGE_KEPT, NULL), 0);
    stf__effects effects;
    stf__effects_init(&effects, &c->arena);
    stf__core_inputs inputs = {.now = c->now};
    event = publish(c, "paid", "7");
    for (unsigned i = 1; i < STF_LIMIT_QUEUE; i++) {
        STF_CHECK_OK(stf__core_step(c->doc, NULL, &event, &inputs, &effects, &c->error), &c->error);
    }
    ck_assert_int_eq(try_event(c, event), STF_LIMIT_EXCEEDED);
    core_case_free(c);
}

/* ---- CANCEL */

STF_TEST(a_cancelled_instance_ends_at_once_and_keeps_the_reason)
{
    core_case *c = core_case_load("<startEvent id='s'/>" FLOW("s", "a")
                                      FLOW("s", "u") "<serviceTask id='a' stepfast:handler='h'/>"
                                                     "<userTask id='u'/>");
    core_case_start(c, NULL);
    core_case_start_work(c, "a");
    core_case_event(
        c, (stf__event){.kind = STF__EVENT_CANCEL, .message = stf_str_of("caf\xe9 is closed")},
        NULL);
    ck_assert_uint_eq(c->doc->end_how, STF__END_CANCELLED);
    ck_assert_str_eq(c->doc->end_message, "caf? is closed");
    ck_assert_uint_eq(c->effects.cancelled_count, 1); /* the handler is told to stop */
    ck_assert_uint_eq(core_case_count(c, STF_FACT_INSTANCE_CANCELLED, NULL), 1);
    core_case_expect_status(c, STF_RECORD_TERMINATED);
    core_case_expect_one_end_each(c);
    ck_assert_int_eq(try_event(c, (stf__event){.kind = STF__EVENT_CANCEL}), STF_INVALID_STATE);
    core_case_free(c);
}

STF_TEST(a_called_instance_is_cancelled_by_people_and_by_its_caller_alone)
{
    static const struct {
        const char *by; /* NULL: people */
        stf_status status;
        size_t results; /* does the caller hear of it? */
    } ways[] = {{NULL, STF_OK, 1}, {"other", STF_OK, 0}, {"stranger", STF_INVALID_STATE, 0}};
    for (size_t i = 0; i < STF_COUNT_OF(ways); i++) {
        core_case *c = core_case_load("<startEvent id='s'/>" FLOW("s", "u") "<userTask id='u'/>");
        core_case_event(c, (stf__event){.kind = STF__EVENT_START, .sender = core_case_sender(1)},
                        NULL);
        stf__event cancel = {.kind = STF__EVENT_CANCEL};
        if (ways[i].by != NULL) {
            cancel.sender = core_case_sender(2);
            cancel.sender.id = stf_str_of(ways[i].by);
        }
        ck_assert_int_eq(try_event(c, cancel), ways[i].status);
        ck_assert_uint_eq(core_case_count_sends(c, STF__SEND_RESULT), ways[i].results);
        core_case_free(c);
    }
}

/* R18: the cancellation overtakes the call. */
STF_TEST(r18_an_instance_that_was_cancelled_before_it_began_never_begins)
{
    core_case *c = core_case_load("<startEvent id='s'/>" FLOW("s", "u") "<userTask id='u'/>");
    core_case_event(c, (stf__event){.kind = STF__EVENT_CANCEL, .sender = core_case_sender(2)},
                    NULL);
    core_case_expect_status(c, STF_RECORD_TERMINATED);
    stf__event start = {.kind = STF__EVENT_START, .sender = core_case_sender(1)};
    ck_assert_int_eq(try_event(c, start), STF_ALREADY_EXISTS);
    c->doc->heard_count = 0;
    ck_assert_int_eq(try_event(c, start), STF_CONFLICT);
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(a_message_goes_to_one_receiver_with_its_variables),
    STF_CASE(trap_21_two_messages_reach_two_receivers_the_oldest_first),
    STF_CASE(r5_a_message_that_is_delivered_again_is_not_taken_again),
    STF_CASE(a_queue_keeps_messages_in_the_order_of_their_publication),
    STF_CASE(a_queue_is_of_one_name_and_key_and_keeps_nothing_for_ever),
    STF_CASE(a_full_queue_refuses_and_a_delivery_that_is_repeated_is_not_kept_twice),
    STF_CASE(a_cancelled_instance_ends_at_once_and_keeps_the_reason),
    STF_CASE(a_called_instance_is_cancelled_by_people_and_by_its_caller_alone),
    STF_CASE(r18_an_instance_that_was_cancelled_before_it_began_never_begins),
};

STF_TEST_MAIN("core/event_outside", cases)

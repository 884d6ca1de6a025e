/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of the outbox: what they hold, and what becomes of each kind by each answer. */
#include "core_case.h"

#define FLOW(from, to) "<sequenceFlow id='" from to "' sourceRef='" from "' targetRef='" to "'/>"
#define MESSAGE                                                                                    \
    "<message id='m' name='paid' stepfast:correlationKey='=order' stepfast:keep='PT1M'/>"

static const char sends[] = "<startEvent id='s'/>" FLOW(
    "s", "t") "<sendTask id='t' messageRef='m'><extensionElements>"
              "<stepfast:in source='sum' target='amount'/></extensionElements></sendTask>" FLOW(
                  "t", "u") "<userTask id='u'/>";
static const char calls[] = "<startEvent id='s'/>" FLOW(
    "s", "t") "<callActivity id='t' calledElement='other'/>"
              "<boundaryEvent id='on' attachedToRef='t'><timerEventDefinition>"
              "<timeDuration>PT1M</timeDuration></timerEventDefinition></boundaryEvent>" FLOW(
                  "on", "u") "<userTask id='u'/>";

STF_TEST(a_message_carries_its_mapped_variables_and_how_long_it_is_kept)
{
    core_case *c = core_case_load_in(MESSAGE, sends);
    core_case_start(c, "{\"order\": 7, \"sum\": 12, \"secret\": 1}");
    stf__send_item item = core_case_find_send(c, STF__SEND_MESSAGE);
    STF_CHECK_STR(item.name, "paid");
    STF_CHECK_STR(item.key, "7");
    STF_CHECK_STR(item.element, "t");
    ck_assert_uint_eq(item.sequence, 0); /* the engine looks for its receiver */
    ck_assert_int_eq(item.until.us, c->now.us + SECONDS(60));
    stf_value *expected = core_case_json("{\"amount\": 12}");
    ck_assert(stf_value_equal(item.variables, expected));
    stf_value_unref(expected);
    core_case_expect_waiting(c, "u");
    core_case_free(c);
}

/* ---- results */

static core_case *load_called(const char *around, const char *body)
{
    core_case *c = core_case_load_in(around, body);
    core_case_event(c, (stf__event){.kind = STF__EVENT_START, .sender = core_case_sender(1)},
                    "{\"a\": 1}");
    return c;
}

STF_TEST(a_called_instance_tells_its_caller_how_it_ended)
{
    static const struct {
        const char *end;
        uint32_t how;
        const char *code;
        bool has_variables;
    } ends[] = {
        {"<endEvent id='e'/>", STF__CHILD_COMPLETED, "", true},
        {"<endEvent id='e'><terminateEventDefinition/></endEvent>", STF__CHILD_COMPLETED, "", true},
        {"<endEvent id='e'><errorEventDefinition errorRef='E'/></endEvent>", STF__CHILD_ERROR, "E1",
         false},
    };
    for (size_t i = 0; i < STF_COUNT_OF(ends); i++) {
        char body[512];
        snprintf(body, sizeof(body), "<startEvent id='s'/>" FLOW("s", "e") "%s", ends[i].end);
        core_case *c = load_called("<error id='E' errorCode='E1'/>", body);
        stf__send_item item = core_case_find_send(c, STF__SEND_RESULT);
        ck_assert_uint_eq(item.how, ends[i].how);
        STF_CHECK_STR(item.target, "other");
        ck_assert_uint_eq(item.target_activation, 7);
        STF_CHECK_STR(item.code, ends[i].code);
        ck_assert_int_eq(item.variables != NULL, ends[i].has_variables);
        ck_assert(item.sequence != 0); /* it is aimed already */
        core_case_ack(c, &item, STF__ACK_DELIVERED);
        ck_assert_uint_eq(c->doc->outbox_count, 0);
        core_case_free(c);
    }
}

STF_TEST(an_instance_that_nobody_called_sends_no_result)
{
    core_case *c = core_case_load("<startEvent id='s'/>" FLOW("s", "e") "<endEvent id='e'/>");
    core_case_start(c, NULL);
    ck_assert_uint_eq(c->doc->outbox_count, 0);
    core_case_free(c);
}

STF_TEST(an_error_of_work_that_a_called_instance_does_not_catch_is_told_as_such)
{
    core_case *c = load_called(
        "", "<startEvent id='s'/>" FLOW("s", "a") "<serviceTask id='a' stepfast:handler='h'/>");
    core_case_start_work(c, "a");
    core_case_answer(c, "a", STF__WORK_BPMN_ERROR, "E1");
    stf__send_item item = core_case_find_send(c, STF__SEND_RESULT);
    ck_assert_uint_eq(item.how, STF__CHILD_WORK_ERROR);
    STF_CHECK_STR(item.code, "E1");
    ck_assert(stf__doc_has_ended(c->doc));
    core_case_free(c);
}

/* ---- the table of answers */

enum { /* what a row expects */
    LEAVES,
    DROPS,
    AIMS,
    STOPS,
    SHRINKS
};

/* An instance with one entry of a kind. */
static core_case *with_entry(stf__send_kind kind)
{
    if (kind == STF__SEND_MESSAGE) {
        core_case *c = core_case_load_in(MESSAGE, sends);
        core_case_start(c, "{\"order\": 7, \"sum\": 12}");
        stf__send_item item = core_case_find_send(c, kind);
        STF_CHECK_OK(stf__doc_aim(c->doc, item.number, stf_str_of("i-9"), stf_str_of("q-1"), c->now,
                                  &c->effects, &c->error),
                     &c->error);
        return c;
    }
    if (kind == STF__SEND_RESULT) {
        return load_called("", "<startEvent id='s'/>" FLOW("s", "e") "<endEvent id='e'/>");
    }
    core_case *c = core_case_load(calls);
    core_case_start(c, NULL);
    if (kind == STF__SEND_CANCEL) {
        stf__send_item item = core_case_find_send(c, STF__SEND_CREATE);
        core_case_ack(c, &item, STF__ACK_DELIVERED);
        core_case_advance(c, SECONDS(60));
    }
    return c;
}

static void check_answer(stf__send_kind kind, stf__ack_answer answer, int expected)
{
    core_case *c = with_entry(kind);
    stf__send_item item = core_case_find_send(c, kind);
    size_t dropped = core_case_count(c, STF_FACT_SEND_DROPPED, NULL);
    core_case_ack(c, &item, answer);
    dropped = core_case_count(c, STF_FACT_SEND_DROPPED, NULL) - dropped;
    ck_assert_uint_eq(dropped, expected == DROPS ? 1 : 0);
    ck_assert_uint_eq(core_case_count_sends(c, kind),
                      expected == AIMS || expected == SHRINKS ? 1 : 0);
    ck_assert_uint_eq(c->doc->incident_count, expected == STOPS ? 1 : 0);
    if (expected == AIMS) {
        item = core_case_find_send(c, kind);
        ck_assert(item.target.size == 0 && item.sequence == 0 && !item.is_to_queue);
        ck_assert(stf__doc_may_aim(c->doc, &item));
    }
    if (expected == STOPS) {
        core_case_expect_incident(c, "t", "call", "\"other\" was not called");
        ck_assert_uint_eq(c->doc->timer_count, 1); /* its boundary event is still armed */
    }
    core_case_free(c);
}

STF_TEST(r5_each_kind_of_entry_has_an_end_by_each_answer)
{
    static const int expected[][8] = {
        /*                     delivered not waiting absent ended other group no definition refused
         */
        [STF__SEND_MESSAGE] = {0, LEAVES, AIMS, AIMS, AIMS, AIMS, DROPS, DROPS},
        [STF__SEND_CREATE] = {0, LEAVES, STOPS, STOPS, LEAVES, STOPS, STOPS, STOPS},
        [STF__SEND_RESULT] = {0, LEAVES, DROPS, DROPS, DROPS, DROPS, DROPS, SHRINKS},
        [STF__SEND_CANCEL] = {0, LEAVES, DROPS, LEAVES, LEAVES, DROPS, DROPS, DROPS},
    };
    for (int kind = STF__SEND_MESSAGE; kind <= STF__SEND_CANCEL; kind++) {
        for (int answer = STF__ACK_DELIVERED; answer <= STF__ACK_REFUSED; answer++) {
            check_answer((stf__send_kind)kind, (stf__ack_answer)answer, expected[kind][answer]);
        }
    }
}

STF_TEST(r18_a_result_that_its_caller_cannot_take_is_followed_by_one_that_says_so)
{
    core_case *c = load_called("", "<startEvent id='s'/>" FLOW("s", "e") "<endEvent id='e'/>");
    stf__send_item first = core_case_find_send(c, STF__SEND_RESULT);
    ck_assert_uint_eq(first.how, STF__CHILD_COMPLETED);
    uint64_t sequence = first.sequence;
    core_case_ack(c, &first, STF__ACK_REFUSED);
    stf__send_item second = core_case_find_send(c, STF__SEND_RESULT);
    ck_assert_uint_eq(second.how, STF__CHILD_CANCELLED);
    ck_assert_uint_gt(second.sequence, sequence);
    ck_assert_ptr_null(second.variables);
    STF_CHECK_STR(second.message, "the receiver refuses it");
    ck_assert(stf__doc_may_send(c->doc, &second));
    core_case_ack(c, &second, STF__ACK_REFUSED);
    ck_assert_uint_eq(core_case_count_sends(c, STF__SEND_RESULT), 0);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_SEND_DROPPED, NULL), 1);
    core_case_free(c);
}

STF_TEST(r18_an_acknowledgement_of_an_entry_that_was_aimed_anew_or_has_left_changes_nothing)
{
    core_case *c = with_entry(STF__SEND_MESSAGE);
    stf__send_item old = core_case_find_send(c, STF__SEND_MESSAGE);
    core_case_ack(c, &old, STF__ACK_NOT_WAITING);
    STF_CHECK_OK(stf__doc_aim(c->doc, old.number, stf_str_of("i-8"), stf_str_of("q-1"), c->now,
                              &c->effects, &c->error),
                 &c->error);
    core_case_ack(c, &old, STF__ACK_DELIVERED);
    core_case_ack(c, &old, STF__ACK_REFUSED);
    stf__send_item item = core_case_find_send(c, STF__SEND_MESSAGE);
    STF_CHECK_STR(item.target, "i-8");
    core_case_ack(c, &item, STF__ACK_DELIVERED);
    core_case_ack(c, &item, STF__ACK_DELIVERED);
    ck_assert_uint_eq(c->doc->outbox_count, 0);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_SEND_DROPPED, NULL), 0);
    core_case_free(c);
}

STF_TEST(an_answer_that_does_not_exist_is_refused)
{
    core_case *c = with_entry(STF__SEND_MESSAGE);
    stf__ack acks[] = {{.number = 1, .sequence = 1, .answer = STF__ACK_DELIVERED},
                       {.number = 1, .sequence = 1, .answer = 8}};
    stf__event event = {.kind = STF__EVENT_ACK, .acks = acks, .ack_count = 2};
    ck_assert_int_eq(core_case_step(c, &event), STF_INVALID_ARGUMENT);
    acks[1].answer = 0;
    ck_assert_int_eq(core_case_step(c, &event), STF_INVALID_ARGUMENT);
    ck_assert_uint_eq(c->doc->outbox_count, 1);
    core_case_free(c);
}

STF_TEST(the_refusal_of_a_call_is_told_in_the_words_of_who_refused)
{
    core_case *c = with_entry(STF__SEND_CREATE);
    stf__send_item item = core_case_find_send(c, STF__SEND_CREATE);
    stf__ack ack = {.number = item.number,
                    .sequence = item.sequence,
                    .answer = STF__ACK_REFUSED,
                    .message = stf_str_of("it has 2 start events")};
    core_case_event(c, (stf__event){.kind = STF__EVENT_ACK, .acks = &ack, .ack_count = 1}, NULL);
    core_case_expect_incident(c, "t", "call", "it has 2 start events");
    core_case_free(c);
}

/* The activity ended before the answer came: nobody waits for the call any more. */
STF_TEST(a_refused_call_of_an_activity_that_is_gone_is_dropped_with_a_fact)
{
    core_case *c = with_entry(STF__SEND_CREATE);
    stf__send_item item = core_case_find_send(c, STF__SEND_CREATE);
    core_case_advance(c, SECONDS(60));
    core_case_ack(c, &item, STF__ACK_NO_DEFINITION);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_SEND_DROPPED, NULL), 1);
    ck_assert_uint_eq(c->doc->incident_count, 0);
    core_case_free(c);
}

/* It was made and cancelled before its acknowledgement came, and the activity has called anew. */
/* As JSON; so large that it cannot be stored twice. */
static char *make_large(const char *name)
{
    size_t size = STF_LIMIT_PAYLOAD_BYTES / 4 + 1;
    char *json = malloc(size + 64);
    ck_assert_ptr_nonnull(json);
    int used = snprintf(json, 64, "{\"order\": 1, \"%s\": \"", name);
    memset(json + used, 'x', size);
    memcpy(json + (size_t)used + size, "\"}", 3);
    return json;
}

STF_TEST(what_is_too_large_to_be_handed_over_is_an_incident_at_who_sends_it)
{
    char *large = make_large("sum");
    core_case *c = core_case_load_in(MESSAGE, sends);
    core_case_start(c, large);
    core_case_expect_incident(c, "t", "limit", "too large");
    ck_assert_uint_eq(c->doc->outbox_count, 0);
    core_case_set(c, "{\"sum\": 1}");
    core_case_retry(c);
    ck_assert_uint_eq(c->doc->outbox_count, 1);
    core_case_free(c);
    free(large);
}

STF_TEST(a_called_instance_that_ends_with_too_much_tells_its_caller_so)
{
    char *large = make_large("sum");
    core_case *c = core_case_load("<startEvent id='s'/>" FLOW("s", "e") "<endEvent id='e'/>");
    core_case_event(c, (stf__event){.kind = STF__EVENT_START, .sender = core_case_sender(1)},
                    large);
    ck_assert_uint_eq(c->doc->end_how, STF__END_COMPLETED);
    stf__send_item item = core_case_find_send(c, STF__SEND_RESULT);
    ck_assert_uint_eq(item.how, STF__CHILD_CANCELLED);
    ck_assert_ptr_null(item.variables);
    ck_assert(item.message.size > 0);
    core_case_free(c);
    free(large);
}

STF_TEST(a_late_answer_to_an_earlier_call_does_not_stop_the_present_one)
{
    core_case *c = with_entry(STF__SEND_CREATE);
    stf__send_item old = core_case_find_send(c, STF__SEND_CREATE);
    core_case_child(c, "t", STF__CHILD_CANCELLED, "", NULL);
    core_case_retry(c);
    core_case_ack(c, &old, STF__ACK_REFUSED);
    ck_assert_uint_eq(c->doc->incident_count, 0);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_SEND_DROPPED, NULL), 1);
    ck_assert_uint_eq(core_case_find_send(c, STF__SEND_CREATE).number, old.number + 1);
    core_case_free(c);
}

STF_TEST(a_full_outbox_is_an_incident_and_a_retry_sends)
{
    core_case *c =
        core_case_load_in(MESSAGE, "<startEvent id='s'/>" FLOW("s", "u") "<userTask id='u'/>" FLOW(
                                       "u", "t") "<sendTask id='t' messageRef='m'/>");
    c->keeps_document = true;
    core_case_start(c, "{\"order\": 7}");
    stf__send_item item = {.kind = STF__SEND_MESSAGE,
                           .name = stf_str_of("x"),
                           .until = stf_wall_none(),
                           .since = c->now};
    for (unsigned i = 0; i < STF_LIMIT_OUTBOX; i++) {
        STF_CHECK_OK(stf__doc_add_send(c->doc, &item, c->now, &c->error), &c->error);
    }
    core_case_task(c, "u", NULL);
    core_case_expect_incident(c, "t", "limit", "not delivered");
    stf__doc_remove_send(c->doc, 1);
    core_case_retry(c);
    ck_assert(stf__doc_has_ended(c->doc));
    ck_assert_uint_eq(c->doc->outbox_count, STF_LIMIT_OUTBOX);
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(a_message_carries_its_mapped_variables_and_how_long_it_is_kept),
    STF_CASE(a_called_instance_tells_its_caller_how_it_ended),
    STF_CASE(an_instance_that_nobody_called_sends_no_result),
    STF_CASE(an_error_of_work_that_a_called_instance_does_not_catch_is_told_as_such),
    STF_CASE(r5_each_kind_of_entry_has_an_end_by_each_answer),
    STF_CASE(r18_a_result_that_its_caller_cannot_take_is_followed_by_one_that_says_so),
    STF_CASE(r18_an_acknowledgement_of_an_entry_that_was_aimed_anew_or_has_left_changes_nothing),
    STF_CASE(an_answer_that_does_not_exist_is_refused),
    STF_CASE(the_refusal_of_a_call_is_told_in_the_words_of_who_refused),
    STF_CASE(a_refused_call_of_an_activity_that_is_gone_is_dropped_with_a_fact),
    STF_CASE(what_is_too_large_to_be_handed_over_is_an_incident_at_who_sends_it),
    STF_CASE(a_called_instance_that_ends_with_too_much_tells_its_caller_so),
    STF_CASE(a_late_answer_to_an_earlier_call_does_not_stop_the_present_one),
    STF_CASE(a_full_outbox_is_an_incident_and_a_retry_sends),
};

STF_TEST_MAIN("core/send", cases)

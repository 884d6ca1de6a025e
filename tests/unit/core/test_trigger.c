/* SPDX-License-Identifier: Apache-2.0 */
/* Arming timers and messages, and what a message triggers. */
#include "core_case.h"

#define KEYED(id, name, key)                                                                       \
    "<message id='" id "' name='" name "'><extensionElements><zeebe:subscription "                 \
    "xmlns:zeebe='http://camunda.org/schema/zeebe/1.0' correlationKey='= " key "'/>"               \
    "</extensionElements></message>"
#define CATCH(id, message)                                                                         \
    "<intermediateCatchEvent id='" id "'><messageEventDefinition messageRef='" message "'/>"       \
    "</intermediateCatchEvent>"
#define FLOW(id, from, to) "<sequenceFlow id='" id "' sourceRef='" from "' targetRef='" to "'/>"
#define USER(id) "<userTask id='" id "'/>"
#define BOUNDARY(id, cancel)                                                                       \
    "<boundaryEvent id='" id "' attachedToRef='t' cancelActivity='" cancel "'>"                    \
    "<messageEventDefinition messageRef='m'/></boundaryEvent>" FLOW(                               \
        "f_" id, id, "after_" id) "<userTask id='after_" id "'/>"
#define TASK "<startEvent id='s'/>" FLOW("f0", "s", "t") "<userTask id='t'/>"
#define ONE "<startEvent id='s'/>" FLOW("f0", "s", "w") CATCH("w", "m")

static void expect_subscription(core_case *c, size_t index, const char *name, const char *key)
{
    ck_assert_uint_lt(index, c->doc->subscription_count);
    STF_CHECK_STR(c->doc->subscriptions[index].name, name);
    STF_CHECK_STR(c->doc->subscriptions[index].key, key);
}

typedef struct key_case {
    const char *variables;
    const char *key; /* NULL: an incident that says */
    const char *message;
} key_case;

static const key_case keys[] = {
    {"{\"k\": \"A-7\"}", "A-7", NULL},
    {"{\"k\": 42}", "42", NULL},
    {"{\"k\": 1.50}", "1.5", NULL},
    {"{\"k\": null}", NULL, "correlation key of \"w\""},
    {"{\"k\": true}", NULL, "number or a text"},
    {"{\"k\": [1]}", NULL, "number or a text"},
    {"{\"k\": \"\"}", NULL, "number or a text"},
};

STF_TEST(a_key_is_the_text_of_a_string_or_a_number_and_anything_else_an_incident)
{
    for (size_t i = 0; i < STF_COUNT_OF(keys); i++) {
        core_case *c = core_case_load_in(KEYED("m", "paid", "k"), ONE);
        core_case_start(c, keys[i].variables);
        if (keys[i].key != NULL) {
            core_case_expect_waiting(c, "w");
            expect_subscription(c, 0, "paid", keys[i].key);
            core_case_expect_nobody(c, "paid", "");
            core_case_message(c, "paid", keys[i].key, NULL);
        } else {
            core_case_expect_incident(c, "w", "expression", keys[i].message);
            ck_assert_uint_eq(c->doc->subscription_count, 0);
            core_case_set(c, "{\"k\": \"x\"}");
            core_case_retry(c);
            core_case_message(c, "paid", "x", NULL);
        }
        core_case_expect_status(c, STF_RECORD_COMPLETED);
        core_case_free(c);
    }
}

STF_TEST(a_key_of_more_bytes_than_a_wait_can_hold_is_an_incident)
{
    char json[400];
    memset(json, 'x', sizeof(json));
    memcpy(json, "{\"k\": \"", 7);
    memcpy(json + 7 + 255, "\"}", 3);
    core_case *c = core_case_load_in(KEYED("m", "paid", "k"), ONE);
    core_case_start(c, json);
    core_case_expect_waiting(c, "w");
    core_case_free(c);
    memcpy(json + 7 + 255, "x\"}", 4);
    c = core_case_load_in(KEYED("m", "paid", "k"), ONE);
    core_case_start(c, json);
    core_case_expect_incident(c, "w", "expression", "1 to 255 bytes");
    core_case_free(c);
}

STF_TEST(a_name_may_be_an_expression)
{
    core_case *c = core_case_load_in("<message id='m' name='${n}'/>", ONE);
    core_case_start(c, "{\"n\": \"paid-7\"}");
    expect_subscription(c, 0, "paid-7", "");
    core_case_message(c, "paid-7", "", NULL);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_free(c);
}

STF_TEST(who_begins_to_wait_is_told_to_the_engine)
{
    core_case *c = core_case_load_in(KEYED("m", "paid", "k"), ONE);
    core_case_start(c, "{\"k\": 7}");
    ck_assert_uint_eq(c->effects.subscribed_count, 1);
    STF_CHECK_STR(c->effects.subscribed[0].name, "paid");
    STF_CHECK_STR(c->effects.subscribed[0].key, "7");
    ck_assert_uint_eq(core_case_count(c, STF_FACT_MESSAGE_AWAITED, "w"), 1);
    core_case_message(c, "paid", "7", NULL);
    ck_assert_uint_eq(c->effects.subscribed_count, 0);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_MESSAGE_RECEIVED, "w"), 1);
    core_case_free(c);
}

/* Item 21: each message has a target of its own, the oldest first, and none is overwritten. */
STF_TEST(trap_21_each_message_goes_to_the_oldest_that_still_waits)
{
    core_case *c = core_case_load_in(
        "<message id='m' name='paid'/>",
        "<startEvent id='s'/>" FLOW("f1", "s", "a")
            FLOW("f2", "s", "u") "<userTask id='u'/>" FLOW("f3", "u", "b") CATCH("a", "m")
                CATCH("b", "m") FLOW("f4", "a", "after_a")
                    FLOW("f5", "b", "after_b") "<userTask id='after_a'/><userTask id='after_b'/>");
    core_case_start(c, NULL);
    c->now.us += SECONDS(1);
    core_case_task(c, "u", NULL);
    core_case_expect_waiting(c, "a b");
    core_case_message(c, "paid", "", NULL);
    core_case_expect_waiting(c, "after_a b");
    core_case_message(c, "paid", "", NULL);
    core_case_expect_waiting(c, "after_a after_b");
    core_case_expect_nobody(c, "paid", "");
    core_case_free(c);
}

STF_TEST(an_interrupting_boundary_message_ends_the_activity)
{
    core_case *c = core_case_load_in("<message id='m' name='stop'/>", TASK BOUNDARY("b", "true"));
    core_case_start(c, NULL);
    core_case_message(c, "stop", "", "{\"why\": \"x\"}");
    core_case_expect_waiting(c, "after_b");
    core_case_expect_variable(c, "why", "\"x\"");
    ck_assert_uint_eq(c->effects.subscribed_count, 0);
    core_case_expect_nobody(c, "stop", "");
    ck_assert_uint_eq(core_case_count(c, STF_FACT_NODE_CANCELLED, "t"), 1);
    core_case_free(c);
}

/* Item 20: one message, one trigger; and it goes on waiting for the next one. */
STF_TEST(trap_20_a_non_interrupting_boundary_takes_each_message_once_and_stays)
{
    core_case *c = core_case_load_in("<message id='m' name='news'/>", TASK BOUNDARY("b", "false"));
    core_case_start(c, NULL);
    core_case_message(c, "news", "", NULL);
    core_case_expect_waiting(c, "after_b t");
    core_case_expect_completed(c, "b", 1);
    ck_assert_uint_eq(c->effects.subscribed_count, 1); /* another one may have been kept */
    core_case_message(c, "news", "", NULL);
    core_case_expect_waiting(c, "after_b after_b t");
    ck_assert_uint_eq(c->doc->subscription_count, 1);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_MESSAGE_RECEIVED, "b"), 2);
    core_case_task(c, "t", NULL);
    core_case_expect_nobody(c, "news", "");
    core_case_expect_completed(c, "b", 2);
    core_case_free(c);
}

STF_TEST(a_non_interrupting_boundary_moves_behind_others_and_keeps_its_key)
{
    core_case *c = core_case_load_in(KEYED("m", "news", "k"),
                                     TASK BOUNDARY("b", "false") FLOW("f1", "s", "u") USER("u")
                                         FLOW("f2", "u", "w") CATCH("w", "m"));
    core_case_start(c, "{\"k\": 1}");
    c->now.us += SECONDS(1);
    core_case_task(c, "u", NULL);   /* w waits later than the boundary event */
    core_case_set(c, "{\"k\": 2}"); /* keys are fixed already */
    c->now.us += SECONDS(1);
    core_case_message(c, "news", "1", NULL);
    core_case_expect_waiting(c, "after_b t w");
    core_case_message(c, "news", "1", NULL);
    core_case_expect_waiting(c, "after_b t");
    core_case_message(c, "news", "1", NULL);
    core_case_expect_waiting(c, "after_b after_b t");
    core_case_free(c);
}

STF_TEST(boundary_events_are_armed_all_or_none)
{
    core_case *c = core_case_load_in(
        "<message id='m' name='stop'/>",
        TASK BOUNDARY("b", "true") "<boundaryEvent id='late' attachedToRef='t'>"
                                   "<timerEventDefinition><timeDuration>${limit}</timeDuration>"
                                   "</timerEventDefinition></boundaryEvent>");
    core_case_start(c, "{\"limit\": \"x\"}");
    core_case_expect_incident(c, "t", "timer", "timer of \"late\"");
    core_case_expect_nobody(c, "stop", "");
    ck_assert_uint_eq(core_case_count(c, STF_FACT_MESSAGE_AWAITED, NULL), 0);
    core_case_set(c, "{\"limit\": \"PT1H\"}");
    core_case_retry(c);
    ck_assert_uint_eq(c->doc->timer_count, 1);
    ck_assert_uint_eq(c->doc->subscription_count, 1);
    core_case_free(c);
}

/* Item 19, for messages. */
STF_TEST(trap_19_in_a_loop_each_activation_has_its_own_subscription)
{
    core_case *c = core_case_load_in(
        KEYED("m", "stop", "k"),
        "<startEvent id='s'/><exclusiveGateway id='x'/>" FLOW("f0", "s", "x") FLOW("f1", "x", "t")
            FLOW("f2", "t", "x") "<userTask id='t'/>" BOUNDARY("b", "true"));
    core_case_start(c, "{\"k\": 1}");
    core_case_task(c, "t", "{\"k\": 2}");
    ck_assert_uint_eq(c->doc->subscription_count, 1);
    core_case_expect_nobody(c, "stop", "1");
    core_case_message(c, "stop", "2", NULL);
    core_case_expect_waiting(c, "after_b");
    core_case_free(c);
}

/* Items 15 and 18: whichever event is durable first. */
STF_TEST(trap_15_of_a_message_and_a_timer_the_first_one_wins)
{
    const char *body = TASK BOUNDARY("b", "true") "<boundaryEvent id='late' attachedToRef='t'>"
                                                  "<timerEventDefinition>"
                                                  "<timeDuration>PT1H</timeDuration>"
                                                  "</timerEventDefinition></boundaryEvent>" FLOW(
                                                      "f9", "late", "l") "<userTask id='l'/>";
    core_case *c = core_case_load_in("<message id='m' name='stop'/>", body);
    core_case_start(c, NULL);
    c->now.us += SECONDS(7200); /* overdue, but the message is first */
    core_case_message(c, "stop", "", NULL);
    core_case_wake(c);
    core_case_expect_waiting(c, "after_b");
    core_case_free(c);
    c = core_case_load_in("<message id='m' name='stop'/>", body);
    core_case_start(c, NULL);
    core_case_advance(c, SECONDS(3600));
    core_case_expect_nobody(c, "stop", "");
    core_case_expect_waiting(c, "l");
    core_case_free(c);
}

/* Variables go to the nearest scope that has the name, else to the process. */
STF_TEST(a_message_merges_its_variables_by_the_nearest_scope)
{
    core_case *c = core_case_load_in(
        "<message id='m' name='paid'/>",
        "<startEvent id='s'/>" FLOW("f1", "s", "q") "<subProcess id='q'><dataObject id='d' "
                                                    "name='inner'/><startEvent id='ps'/>" FLOW(
                                                        "f2", "ps", "w") CATCH("w", "m")
                                                        FLOW("f3", "w", "u") "<userTask id='u'/>"
                                                                             "</subProcess>");
    core_case_start(c, NULL);
    core_case_message(c, "paid", "", "{\"inner\": 1, \"outer\": 2}");
    core_case_expect_waiting(c, "u");
    core_case_expect_variable(c, "outer", "2");
    ck_assert_ptr_null(stf__doc_peek_variable(c->doc, 0, stf_str_of("inner")));
    core_case_free(c);
}

STF_TEST(one_message_more_than_an_instance_may_wait_for_is_an_incident)
{
    core_case *c = core_case_load_in("<message id='m' name='paid'/>", TASK CATCH("w", "m"));
    core_case_start(c, NULL);
    stf__step step = {.doc = c->doc, .process = c->process, .effects = &c->effects};
    stf__activation *activation = c->doc->activations[0];
    const stf__node *node = stf__process_find_node(c->process, stf_str_of("w"));
    stf__subscription other = {.activation = activation->number, .element = activation->element};
    while (c->doc->subscription_count < STF_LIMIT_SUBSCRIPTIONS - 1) {
        other.number = ++c->doc->counters.timer;
        STF_CHECK_OK(stf__doc_add_subscription(c->doc, &other, &c->error), &c->error);
    }
    bool is_ok = false;
    STF_CHECK_OK(stf__step_arm_node(&step, activation, node, &is_ok), &c->error);
    ck_assert(is_ok);
    STF_CHECK_OK(stf__step_arm_node(&step, activation, node, &is_ok), &c->error);
    ck_assert(!is_ok);
    ck_assert_uint_eq(c->doc->subscription_count, STF_LIMIT_SUBSCRIPTIONS);
    ck_assert_uint_eq(c->doc->incidents[0].kind, STF__INCIDENT_LIMIT);
    core_case_free(c);
}

STF_TEST(something_that_cannot_wait_is_not_triggered)
{
    core_case *c = core_case_load(TASK);
    core_case_start(c, NULL);
    stf__step step = {.doc = c->doc, .process = c->process, .effects = &c->effects};
    step.error = &c->error;
    stf__activation *activation = c->doc->activations[0];
    const stf__node *node = stf__process_find_node(c->process, stf_str_of("t"));
    ck_assert_int_eq(stf__step_trigger(&step, activation, node), STF_CORRUPT);
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(a_key_is_the_text_of_a_string_or_a_number_and_anything_else_an_incident),
    STF_CASE(a_key_of_more_bytes_than_a_wait_can_hold_is_an_incident),
    STF_CASE(a_name_may_be_an_expression),
    STF_CASE(who_begins_to_wait_is_told_to_the_engine),
    STF_CASE(trap_21_each_message_goes_to_the_oldest_that_still_waits),
    STF_CASE(an_interrupting_boundary_message_ends_the_activity),
    STF_CASE(trap_20_a_non_interrupting_boundary_takes_each_message_once_and_stays),
    STF_CASE(a_non_interrupting_boundary_moves_behind_others_and_keeps_its_key),
    STF_CASE(boundary_events_are_armed_all_or_none),
    STF_CASE(trap_19_in_a_loop_each_activation_has_its_own_subscription),
    STF_CASE(trap_15_of_a_message_and_a_timer_the_first_one_wins),
    STF_CASE(a_message_merges_its_variables_by_the_nearest_scope),
    STF_CASE(one_message_more_than_an_instance_may_wait_for_is_an_incident),
    STF_CASE(something_that_cannot_wait_is_not_triggered),
};

STF_TEST_MAIN("core/trigger", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* Parallel gateways: split, join, rounds, deadlock. */
#include "core_case.h"

/* Two branches with a user task each. */
static const char fork_join[] = "<startEvent id='s'/>"
                                "<sequenceFlow id='f0' sourceRef='s' targetRef='fork'/>"
                                "<parallelGateway id='fork'/>"
                                "<sequenceFlow id='f1' sourceRef='fork' targetRef='a'/>"
                                "<sequenceFlow id='f2' sourceRef='fork' targetRef='b'/>"
                                "<userTask id='a'/><userTask id='b'/>"
                                "<sequenceFlow id='f3' sourceRef='a' targetRef='join'/>"
                                "<sequenceFlow id='f4' sourceRef='b' targetRef='join'/>"
                                "<parallelGateway id='join'/>"
                                "<sequenceFlow id='f5' sourceRef='join' targetRef='e'/>"
                                "<endEvent id='e'/>";

STF_TEST(a_split_gives_every_flow_a_token_and_a_join_waits_for_all)
{
    core_case *c = core_case_load(fork_join);
    core_case_start(c, NULL);
    core_case_expect_waiting(c, "a b");
    core_case_task(c, "a", NULL);
    core_case_expect_waiting(c, "b");
    core_case_expect_completed(c, "join", 0);
    core_case_task(c, "b", NULL);
    core_case_expect_completed(c, "fork", 1);
    core_case_expect_completed(c, "join", 1);
    core_case_expect_completed(c, "e", 1);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_expect_one_end_each(c);
    core_case_free(c);
}

/* Two tasks feed one flow into the join; the other flow is slow. */
static const char two_on_one_flow[] =
    "<startEvent id='s'/><sequenceFlow id='f0' sourceRef='s' targetRef='fork'/>"
    "<parallelGateway id='fork'/>"
    "<sequenceFlow id='f1' sourceRef='fork' targetRef='a'/>"
    "<sequenceFlow id='f2' sourceRef='fork' targetRef='b'/>"
    "<sequenceFlow id='f3' sourceRef='fork' targetRef='c'/>"
    "<userTask id='a'/><userTask id='b'/><userTask id='c'/>"
    "<sequenceFlow id='f4' sourceRef='a' targetRef='merge'/>"
    "<sequenceFlow id='f5' sourceRef='b' targetRef='merge'/>"
    "<exclusiveGateway id='merge'/>"
    "<sequenceFlow id='f6' sourceRef='merge' targetRef='join'/>"
    "<sequenceFlow id='f7' sourceRef='c' targetRef='join'/>"
    "<parallelGateway id='join'/>"
    "<sequenceFlow id='f8' sourceRef='join' targetRef='e'/><endEvent id='e'/>";

/* A join counts flows, not tokens: engines have got this wrong. */
STF_TEST(trap_07_two_tokens_of_one_flow_do_not_open_a_join)
{
    core_case *c = core_case_load(two_on_one_flow);
    core_case_start(c, NULL);
    core_case_task(c, "a", NULL);
    core_case_task(c, "b", NULL);
    core_case_expect_completed(c, "join", 0);
    core_case_task(c, "c", NULL);
    core_case_expect_completed(c, "join", 1);
    core_case_free(c);
}

/* Items 2 and 8: the surplus token stays for the next round. */
STF_TEST(trap_02_surplus_tokens_wait_for_the_next_firing)
{
    core_case *c = core_case_load(two_on_one_flow);
    core_case_start(c, NULL);
    core_case_task(c, "a", NULL);
    core_case_task(c, "b", NULL);
    core_case_task(c, "c", NULL);
    core_case_expect_status(c, STF_RECORD_ACTIVE);
    stf__doc_summary summary = core_case_summary(c);
    ck_assert_uint_eq(summary.wait_count, 1);
    ck_assert_uint_eq(summary.waits[0].kind, STF_WAIT_STUCK);
    STF_CHECK_STR(summary.waits[0].key, "join");
    ck_assert_uint_eq(stf__doc_count_parked(c->doc, 0, stf_str_of("join"), stf_str_of("f6")), 1);
    core_case_free(c);
}

static const char join_in_loop[] =
    "<startEvent id='s'/><sequenceFlow id='f0' sourceRef='s' targetRef='merge'/>"
    "<exclusiveGateway id='merge'/>"
    "<sequenceFlow id='f1' sourceRef='merge' targetRef='fork'/>"
    "<parallelGateway id='fork'/>"
    "<sequenceFlow id='f2' sourceRef='fork' targetRef='a'/>"
    "<sequenceFlow id='f3' sourceRef='fork' targetRef='b'/>"
    "<userTask id='a'/><userTask id='b'/>"
    "<sequenceFlow id='f4' sourceRef='a' targetRef='join'/>"
    "<sequenceFlow id='f5' sourceRef='b' targetRef='join'/>"
    "<parallelGateway id='join'/>"
    "<sequenceFlow id='f6' sourceRef='join' targetRef='again'/>"
    "<exclusiveGateway id='again' default='f7'/>"
    "<sequenceFlow id='f7' sourceRef='again' targetRef='e'/>"
    "<sequenceFlow id='f8' sourceRef='again' targetRef='merge'>"
    "<conditionExpression>${more}</conditionExpression></sequenceFlow>"
    "<endEvent id='e'/>";

/* Items 8 and 12: counters are per round and part of the checkpoint (every step here restores). */
STF_TEST(trap_08_a_join_in_a_loop_takes_exactly_one_per_flow_and_round)
{
    core_case *c = core_case_load(join_in_loop);
    core_case_start(c, "{\"more\": true}");
    for (int round = 0; round < 3; round++) {
        core_case_expect_waiting(c, "a b");
        core_case_task(c, round % 2 == 0 ? "a" : "b", NULL);
        core_case_expect_completed(c, "join", (size_t)round);
        core_case_task(c, round % 2 == 0 ? "b" : "a", round == 2 ? "{\"more\": false}" : NULL);
        core_case_expect_completed(c, "join", (size_t)round + 1);
        ck_assert_uint_eq(c->doc->parked_count, 0);
    }
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_expect_one_end_each(c);
    core_case_free(c);
}

/* Item 10: the deadlock is the specified result, and it is told. */
STF_TEST(trap_10_exclusive_branches_into_a_join_are_stuck_and_say_so)
{
    core_case *c =
        core_case_load("<startEvent id='s'/><sequenceFlow id='f0' sourceRef='s' targetRef='x'/>"
                       "<exclusiveGateway id='x' default='f2'/>"
                       "<sequenceFlow id='f1' sourceRef='x' targetRef='join'>"
                       "<conditionExpression>${n > 1}</conditionExpression></sequenceFlow>"
                       "<sequenceFlow id='f2' sourceRef='x' targetRef='join'/>"
                       "<parallelGateway id='join'/>"
                       "<sequenceFlow id='f3' sourceRef='join' targetRef='e'/><endEvent id='e'/>");
    core_case_start(c, "{\"n\": 5}");
    core_case_expect_waiting(c, "");
    core_case_expect_status(c, STF_RECORD_ACTIVE);
    stf__doc_summary summary = core_case_summary(c);
    ck_assert_uint_eq(summary.wait_count, 1);
    ck_assert_uint_eq(summary.waits[0].kind, STF_WAIT_STUCK);
    ck_assert(!summary.has_started && !summary.has_unstarted);
    ck_assert(stf_wall_is_none(summary.due));
    core_case_expect_completed(c, "join", 0);
    core_case_free(c);
}

STF_TEST(a_gateway_with_one_incoming_flow_passes_every_token)
{
    core_case *c = core_case_load(
        "<startEvent id='s'/><sequenceFlow id='f0' sourceRef='s' targetRef='g'/>"
        "<parallelGateway id='g'/><sequenceFlow id='f1' sourceRef='g' targetRef='e'/>"
        "<endEvent id='e'/>");
    core_case_start(c, NULL);
    core_case_expect_completed(c, "g", 1);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_free(c);
}

/* Item 55: what is entered is told exactly one end, joins included. */
STF_TEST(trap_55_a_join_is_entered_once_per_firing_and_ends_once)
{
    core_case *c = core_case_load(fork_join);
    core_case_start(c, NULL);
    core_case_task(c, "b", NULL);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_NODE_ENTERED, "join"), 0);
    core_case_task(c, "a", NULL);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_NODE_ENTERED, "join"), 1);
    core_case_expect_one_end_each(c);
    core_case_free(c);
}

/* Item 46: two branches write one name; the later durable write stays. */
STF_TEST(trap_46_at_a_join_the_last_durable_write_wins)
{
    core_case *c = core_case_load(fork_join);
    core_case_start(c, NULL);
    core_case_task(c, "b", "{\"x\": \"b\"}");
    core_case_task(c, "a", "{\"x\": \"a\"}");
    core_case_expect_variable(c, "x", "\"a\"");
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(a_split_gives_every_flow_a_token_and_a_join_waits_for_all),
    STF_CASE(trap_07_two_tokens_of_one_flow_do_not_open_a_join),
    STF_CASE(trap_02_surplus_tokens_wait_for_the_next_firing),
    STF_CASE(trap_08_a_join_in_a_loop_takes_exactly_one_per_flow_and_round),
    STF_CASE(trap_10_exclusive_branches_into_a_join_are_stuck_and_say_so),
    STF_CASE(a_gateway_with_one_incoming_flow_passes_every_token),
    STF_CASE(trap_55_a_join_is_entered_once_per_firing_and_ends_once),
    STF_CASE(trap_46_at_a_join_the_last_durable_write_wins),
};

STF_TEST_MAIN("core/element/parallel_gateway", cases)

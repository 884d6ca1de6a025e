/* SPDX-License-Identifier: Apache-2.0 */
/* Inclusive joins: when they open, and with which tokens (BPMN 2.0.2, 13.4.3). */
#include "core_case.h"

#define FLOW(id, from, to) "<sequenceFlow id='" id "' sourceRef='" from "' targetRef='" to "'/>"
#define FLOW_IF(id, from, to, condition)                                                           \
    "<sequenceFlow id='" id "' sourceRef='" from "' targetRef='" to "'><conditionExpression>"      \
    "${" condition "}</conditionExpression></sequenceFlow>"
#define OR(id) "<inclusiveGateway id='" id "'/>"
#define XOR(id) "<exclusiveGateway id='" id "'/>"
#define USER(id) "<userTask id='" id "'/>"
#define END(id) "<endEvent id='" id "'/>"
/* A token at each of the flows out of s; what comes behind the join. */
#define AROUND "<startEvent id='s'/>" OR("j") FLOW("jo", "j", "after") USER("after")
#define HOUR_TIMER "<timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition>"

static core_case *start(const char *body, const char *json)
{
    core_case *c = core_case_load(body);
    core_case_start(c, json);
    return c;
}

static bool is_stuck(core_case *c)
{
    stf__doc_summary summary = core_case_summary(c);
    for (size_t i = 0; i < summary.wait_count; i++) {
        if (summary.waits[i].kind == STF_WAIT_STUCK) {
            return true;
        }
    }
    return false;
}

STF_TEST(a_join_waits_for_exactly_those_that_can_still_come)
{
    core_case *c = start(AROUND FLOW("f1", "s", "a") FLOW("f2", "s", "b") FLOW("f3", "s", "x")
                             USER("a") USER("b") USER("x") FLOW("g1", "a", "j") FLOW("g2", "b", "j")
                                 FLOW("g3", "x", "e") END("e"),
                         NULL);
    core_case_task(c, "a", NULL);
    core_case_expect_waiting(c, "b x");
    core_case_task(c, "b", NULL); /* x never comes here */
    core_case_expect_waiting(c, "after x");
    core_case_expect_completed(c, "j", 1);
    core_case_task(c, "after", NULL);
    core_case_task(c, "x", NULL);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_expect_one_end_each(c);
    core_case_free(c);
}

#define SPLIT_TWO                                                                                  \
    AROUND OR("o") FLOW("f0", "s", "o") FLOW_IF("f1", "o", "a", "v &lt;= 2")                       \
        FLOW_IF("f2", "o", "b", "v >= 2") FLOW("g1", "a", "j") FLOW("g2", "b", "j")

STF_TEST(only_the_branches_that_were_taken_are_waited_for)
{
    core_case *c = start(SPLIT_TWO USER("a") USER("b"), "{\"v\": 1}");
    core_case_task(c, "a", NULL);
    core_case_expect_waiting(c, "after");
    core_case_free(c);
    c = start(SPLIT_TWO USER("a") USER("b"), "{\"v\": 2}");
    core_case_task(c, "b", NULL);
    core_case_expect_waiting(c, "a");
    core_case_task(c, "a", NULL);
    core_case_expect_waiting(c, "after");
    core_case_free(c);
}

/* Items 1 and 14: nothing arrives at the join when it has to open. */
STF_TEST(trap_1_14_a_token_that_an_interrupting_boundary_takes_elsewhere_opens_the_join)
{
    core_case *c =
        start(SPLIT_TWO USER("a") USER("b") "<boundaryEvent id='t' attachedToRef='a'>" HOUR_TIMER
                                            "</boundaryEvent>" FLOW("h", "t", "e") END("e"),
              "{\"v\": 2}");
    core_case_task(c, "b", NULL);
    core_case_expect_waiting(c, "a");
    core_case_advance(c, SECONDS(3600));
    core_case_expect_waiting(c, "after");
    core_case_expect_completed(c, "j", 1);
    core_case_free(c);
}

STF_TEST(trap_1_a_boundary_error_that_removes_the_other_path_opens_the_join)
{
    core_case *c = start(SPLIT_TWO "<serviceTask id='a' stepfast:handler='h'/>" USER(
                             "b") "<boundaryEvent id='t' attachedToRef='a'><errorEventDefinition/>"
                                  "</boundaryEvent>" FLOW("h", "t", "e") END("e"),
                         "{\"v\": 2}");
    core_case_task(c, "b", NULL);
    core_case_expect_waiting(c, "a");
    core_case_start_work(c, "a");
    core_case_answer(c, "a", STF__WORK_BPMN_ERROR, "E");
    core_case_expect_waiting(c, "after");
    core_case_free(c);
}

STF_TEST(trap_14_a_token_that_goes_another_way_opens_the_join)
{
    core_case *c =
        start(AROUND FLOW("f1", "s", "a") FLOW("f2", "s", "b") USER("a") USER("b")
                  FLOW("g1", "a", "j") FLOW("g2", "b", "x") XOR("x") FLOW_IF("h1", "x", "j", "v")
                      FLOW_IF("h2", "x", "e", "not v") USER("e"),
              "{\"v\": false}");
    core_case_task(c, "a", NULL);
    core_case_expect_waiting(c, "b");
    core_case_task(c, "b", NULL);
    core_case_expect_waiting(c, "after e");
    core_case_free(c);
}

STF_TEST(trap_14_a_token_that_somebody_drops_opens_the_join)
{
    core_case *c =
        start(SPLIT_TWO "<serviceTask id='a' stepfast:handler='h'/>" USER("b"), "{\"v\": 2}");
    core_case_task(c, "b", NULL);
    core_case_start_work(c, "a");
    core_case_answer(c, "a", STF__WORK_FAILED, "no luck");
    core_case_expect_waiting(c, ""); /* stopped, not gone: it is still waited for */
    stf__event drop = {.kind = STF__EVENT_DROP};
    STF_CHECK_OK(core_case_step(c, &drop), &c->error);
    core_case_expect_waiting(c, "after");
    core_case_free(c);
}

/* Item 2: two tokens on one flow; one of each flow is taken, the other one waits for its turn. */
STF_TEST(trap_2_a_surplus_token_waits_for_the_next_firing)
{
    core_case *c =
        start(AROUND XOR("x") FLOW("f1", "s", "x") FLOW("f2", "s", "x") FLOW("f3", "s", "b")
                  USER("b") FLOW("g1", "x", "j") FLOW("g2", "b", "j"),
              NULL);
    ck_assert_uint_eq(c->doc->parked_count, 1);
    ck_assert_uint_eq(c->doc->parked[0].count, 2);
    core_case_expect_waiting(c, "b");
    core_case_task(c, "b", NULL);
    core_case_expect_completed(c, "j", 2);
    core_case_expect_waiting(c, "after after");
    ck_assert_uint_eq(c->doc->parked_count, 0);
    core_case_free(c);
}

/* Item 9 for this gateway, and item 13: no counts but those of waiting tokens. */
STF_TEST(trap_9_13_a_loop_through_the_join_opens_it_once_a_round)
{
    core_case *c = start("<startEvent id='s'/>" OR("j") USER("t") XOR("x") END("e")
                             FLOW("f0", "s", "j") FLOW("f1", "j", "t") FLOW("f2", "t", "x")
                                 FLOW_IF("f3", "x", "j", "v") FLOW_IF("f4", "x", "e", "not v"),
                         NULL);
    for (size_t round = 1; round < 5; round++) {
        core_case_expect_completed(c, "j", round);
        core_case_expect_waiting(c, "t");
        core_case_task(c, "t", "{\"v\": true}");
    }
    core_case_task(c, "t", "{\"v\": false}");
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_free(c);
}

STF_TEST(a_token_that_has_passed_and_may_come_round_again_is_waited_for)
{
    core_case *c = start("<startEvent id='s'/>" OR("j") USER("t") USER("b") XOR("x") END("e")
                             FLOW("f0", "s", "j") FLOW("f1", "j", "t") FLOW("f2", "t", "x")
                                 FLOW_IF("f3", "x", "j", "v") FLOW_IF("f4", "x", "e", "not v")
                                     FLOW("fb", "s", "b") FLOW("fc", "b", "j2") XOR("j2")
                                         FLOW("fd", "j2", "j"),
                         NULL);
    core_case_expect_waiting(c, "b"); /* the token of f0 waits for b */
    core_case_task(c, "b", NULL);     /* f3 is empty, but leads here only through the join */
    core_case_expect_waiting(c, "t");
    core_case_task(c, "t", "{\"v\": false}");
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_free(c);
    /* A second token arrives while the first, which passed, may still come by f3. */
    c = start("<startEvent id='s'/>" OR("j") USER("t") USER("b") XOR("x") XOR("m") END("e")
                  FLOW("f0", "s", "m") FLOW("f1", "j", "t") FLOW("f2", "t", "x")
                      FLOW_IF("f3", "x", "j", "v") FLOW_IF("f4", "x", "e", "not v")
                          FLOW("fb", "s", "b") FLOW("fc", "b", "m") FLOW("fd", "m", "j"),
              NULL);
    core_case_expect_waiting(c, "b t"); /* b comes by fd, which has a token: it does not hold up */
    core_case_task(c, "b", NULL);
    core_case_expect_waiting(c, "t");
    core_case_task(c, "t", "{\"v\": true}");
    core_case_expect_waiting(c, "t"); /* both together */
    core_case_expect_completed(c, "j", 2);
    core_case_free(c);
}

STF_TEST(a_token_that_could_as_well_come_by_a_flow_with_a_token_does_not_hold_it_up)
{
    core_case *c =
        start(AROUND FLOW("f1", "s", "a") FLOW("f2", "s", "q") USER("a") USER("q") XOR("m") XOR("x")
                  FLOW("g1", "a", "m") FLOW("g2", "m", "j") FLOW("g3", "q", "x")
                      FLOW_IF("h1", "x", "m", "v") FLOW_IF("h2", "x", "j", "not v"),
              "{\"v\": false}");
    core_case_task(c, "a", NULL);
    core_case_expect_waiting(c, "after q");
    core_case_task(c, "q", NULL);
    core_case_expect_waiting(c, "after after");
    core_case_free(c);
}

STF_TEST(a_boundary_event_is_a_way_to_the_join)
{
    const char *body =
        AROUND FLOW("f1", "s", "a") FLOW("f2", "s", "b") USER("a") USER("b") FLOW("g1", "a", "e")
            END("e") FLOW("g2", "b", "j") "<boundaryEvent id='t' attachedToRef='a'>" HOUR_TIMER
                                          "</boundaryEvent>" FLOW("g3", "t", "j");
    core_case *c = start(body, NULL);
    core_case_task(c, "b", NULL);
    core_case_expect_waiting(c, "a");
    core_case_task(c, "a", NULL);
    core_case_expect_waiting(c, "after");
    core_case_free(c);
    c = start(body, NULL);
    core_case_task(c, "b", NULL);
    core_case_advance(c, SECONDS(3600));
    core_case_expect_waiting(c, "after");
    core_case_expect_completed(c, "j", 1);
    core_case_free(c);
}

STF_TEST(a_sub_process_is_one_token_at_its_node)
{
    core_case *c =
        start(SPLIT_TWO "<subProcess id='a'><startEvent id='as'/>" USER("at1") USER("at2")
                  FLOW("a1", "as", "at1") FLOW("a2", "as", "at2") "</subProcess>"
                                                                  "<subProcess id='b'><startEvent "
                                                                  "id='bs'/>" FLOW("b1", "bs", "bt")
                                                                      USER("bt") "</subProcess>",
              "{\"v\": 2}");
    core_case_expect_waiting(c, "at1 at2 bt");
    core_case_task(c, "bt", NULL);
    core_case_task(c, "at1", NULL);
    core_case_expect_waiting(c, "at2");
    core_case_task(c, "at2", NULL);
    core_case_expect_waiting(c, "after");
    core_case_free(c);
}

/* Item 11: a sub-process that runs twice at once has two joins. */
STF_TEST(trap_11_a_join_counts_tokens_of_its_own_scope_only)
{
    core_case *c = start("<startEvent id='s'/>" FLOW("f1", "s", "q")
                             FLOW("f2", "s", "q") "<subProcess id='q'><startEvent id='ps'/>" OR("j")
                                 USER("a") USER("b") FLOW("i1", "ps", "a") FLOW("i2", "ps", "b")
                                     FLOW("i3", "a", "j") FLOW("i4", "b", "j")
                                         FLOW("i5", "j", "after") USER("after") "</subProcess>",
                         NULL);
    core_case_expect_waiting(c, "a a b b");
    /* a of the first scope, b of the second one. */
    stf__event first_a = {.kind = STF__EVENT_TASK};
    stf__event second_b = {.kind = STF__EVENT_TASK};
    for (size_t i = 0; i < c->doc->activation_count; i++) {
        const stf__activation *activation = c->doc->activations[i];
        if (stf_str_equal(activation->element, stf_str_of("a")) && first_a.activation == 0) {
            first_a.activation = activation->number;
        }
        if (stf_str_equal(activation->element, stf_str_of("b"))) {
            second_b.activation = activation->number;
        }
    }
    STF_CHECK_OK(core_case_step(c, &first_a), &c->error);
    STF_CHECK_OK(core_case_step(c, &second_b), &c->error);
    core_case_expect_waiting(c, "a b");
    core_case_task(c, "a", NULL);
    core_case_task(c, "b", NULL);
    core_case_expect_waiting(c, "after after");
    core_case_free(c);
}

/* Item 11 again: what is active or parked in another scope holds nothing up. */
STF_TEST(trap_11_tokens_of_another_scope_are_not_waited_for)
{
    core_case *c = start(
        "<startEvent id='s'/>" FLOW("f1", "s", "q")
            FLOW("f2", "s", "q") "<subProcess id='q'><startEvent id='qs'/>" OR("j") XOR("x")
                END("e") USER("a") USER("b") USER("d") FLOW("i1", "qs", "a") FLOW("i2", "qs", "b")
                    FLOW("i3", "qs", "d") "<parallelGateway id='k'/>" FLOW("i4", "b", "k")
                        FLOW("i5", "d", "k") FLOW("i6", "k", "x") FLOW_IF("i7", "x", "j", "v")
                            FLOW_IF("i8", "x", "e", "not v") FLOW("i9", "a", "j")
                                FLOW("i0", "j", "after") USER("after") "</subProcess>",
        "{\"v\": false}");
    uint64_t first = c->doc->scopes[1].number;
    uint64_t of_first[3] = {0};
    uint64_t second_b = 0;
    for (size_t i = 0, count = 0; i < c->doc->activation_count; i++) {
        const stf__activation *activation = c->doc->activations[i];
        if (activation->scope == first && count < 3) {
            of_first[count++] = activation->number;
        } else if (stf_str_equal(activation->element, stf_str_of("b"))) {
            second_b = activation->number;
        }
    }
    stf__event task = {.kind = STF__EVENT_TASK, .activation = second_b};
    STF_CHECK_OK(core_case_step(c, &task), &c->error); /* parked at k, in the second scope */
    for (size_t i = 0; i < 3; i++) {
        core_case_expect_completed(c, "j", 0);
        task.activation = of_first[i];
        STF_CHECK_OK(core_case_step(c, &task), &c->error);
    }
    core_case_expect_completed(c, "j", 1);
    core_case_expect_waiting(c, "a after d");
    core_case_free(c);
}

STF_TEST(a_path_through_the_join_itself_does_not_count)
{
    core_case *c = start("<startEvent id='s'/>" OR("j") USER("t") USER("b") XOR("x") XOR("m")
                             END("e") FLOW("f0", "s", "m") FLOW("f1", "m", "j") FLOW("f2", "j", "t")
                                 FLOW("f3", "t", "x") FLOW_IF("f4", "x", "m", "v")
                                     FLOW_IF("f5", "x", "e", "not v") FLOW("fb", "s", "b")
                                         FLOW("fc", "b", "j"),
                         NULL);
    core_case_expect_waiting(c, "b"); /* not by f1, unless round through the join */
    core_case_task(c, "b", NULL);
    core_case_expect_waiting(c, "t");
    core_case_free(c);
}

/* A token that is stopped in front of the join itself: on the flow of another one, or alone. */
static void hold_before_join(core_case *c, const char *flow)
{
    stf__activation *activation = c->doc->activations[0];
    stf__token token = {.count = 1};
    const stf__node *join = stf__process_find_node(c->process, stf_str_of("j"));
    stf__step step = {.doc = c->doc, .process = c->process, .effects = &c->effects};
    STF_CHECK_OK(stf__doc_intern(c->doc, stf_str_of("j"), &token.node, &c->error), &c->error);
    STF_CHECK_OK(stf__doc_intern(c->doc, stf_str_of(flow), &token.flow, &c->error), &c->error);
    STF_CHECK_OK(stf__step_hold(&step, &token, join, STF__INCIDENT_LOOP, stf_str_of("round")),
                 &c->error);
    STF_CHECK_OK(stf__step_cancel(&step, activation), &c->error); /* b: nothing else comes */
    core_case_wake(c);
}

STF_TEST(a_token_that_is_stopped_in_front_of_the_join_is_waited_for_on_its_flow)
{
    const char *body =
        AROUND USER("b") FLOW("f1", "s", "j") FLOW("f2", "s", "b") FLOW("g2", "b", "j");
    core_case *c = start(body, NULL);
    hold_before_join(c, "g2");
    core_case_expect_completed(c, "j", 0);
    core_case_retry(c);
    core_case_expect_completed(c, "j", 1);
    core_case_expect_waiting(c, "after");
    core_case_free(c);
    c = start(body, NULL);
    hold_before_join(c, "f1");
    core_case_expect_completed(c, "j", 1);
    core_case_retry(c);
    core_case_expect_completed(c, "j", 2);
    core_case_free(c);
}

/* Item 16: what was parked goes with its scope. */
STF_TEST(trap_16_a_scope_that_is_interrupted_takes_its_parked_tokens_along)
{
    core_case *c =
        start("<startEvent id='s'/>" FLOW(
                  "f1", "s", "q") "<subProcess id='q'><startEvent id='ps'/>" OR("j") USER("a")
                  USER("b") FLOW("i1", "ps", "a") FLOW("i2", "ps", "b") FLOW("i3", "a", "j")
                      FLOW("i4", "b", "j") "</subProcess>"
                                           "<boundaryEvent id='t' attachedToRef='q'>" HOUR_TIMER
                                           "</boundaryEvent>" FLOW("f2", "t", "e") USER("e"),
              NULL);
    core_case_task(c, "a", NULL);
    ck_assert_uint_eq(c->doc->parked_count, 1);
    core_case_advance(c, SECONDS(3600));
    core_case_expect_waiting(c, "e");
    ck_assert_uint_eq(c->doc->parked_count, 0);
    core_case_free(c);
}

STF_TEST(an_event_gateway_on_the_way_is_waited_for_until_it_leads_here)
{
    core_case *c = core_case_load_in(
        "<message id='m1' name='one'/><message id='m2' name='two'/>",
        AROUND FLOW("f1", "s", "a") FLOW("f2", "s", "g") USER("a")
            FLOW("g1", "a", "j") "<eventBasedGateway id='g'/>" FLOW("f3", "g", "c1") FLOW(
                "f4", "g",
                "c2") "<intermediateCatchEvent id='c1'><messageEventDefinition messageRef='m1'/>"
                      "</intermediateCatchEvent>"
                      "<intermediateCatchEvent id='c2'><messageEventDefinition messageRef='m2'/>"
                      "</intermediateCatchEvent>" FLOW("f5", "c1", "j") FLOW("f6", "c2", "e")
                          USER("e"));
    core_case_start(c, NULL);
    core_case_task(c, "a", NULL);
    core_case_expect_waiting(c, "g");
    core_case_message(c, "two", "", NULL);
    core_case_expect_waiting(c, "after e");
    core_case_free(c);
}

STF_TEST(a_token_that_an_incident_stops_on_its_way_is_waited_for)
{
    core_case *c =
        start(AROUND FLOW("f1", "s", "a") FLOW("f2", "s", "b") USER("a") USER("b")
                  FLOW("g1", "a", "j") FLOW("g2", "b", "x") XOR("x")
                      FLOW_IF("h1", "x", "j", "v > 1") FLOW_IF("h2", "x", "e", "v > 1") END("e"),
              "{\"v\": 1}");
    core_case_task(c, "a", NULL);
    core_case_task(c, "b", NULL);
    core_case_expect_incident(c, "x", "no_flow", "x");
    core_case_expect_waiting(c, "");
    core_case_set(c, "{\"v\": 2}");
    core_case_retry(c);
    core_case_expect_waiting(c, "after");
    core_case_free(c);
}

/* The standard's rule leaves both shut; opening one of them would be a guess. */
STF_TEST(two_joins_that_wait_for_each_other_are_stuck_and_the_record_says_so)
{
    core_case *c =
        start("<startEvent id='s'/>" OR("j1") OR("j2") XOR("x1") XOR("x2") FLOW("f1", "s", "j1")
                  FLOW("f2", "s", "j2") FLOW("g1", "j1", "x1") FLOW("g2", "j2", "x2")
                      FLOW("h1", "x1", "j2") FLOW("h2", "x2", "j1") FLOW_IF("k1", "x1", "e", "true")
                          FLOW_IF("k2", "x2", "e", "true") END("e"),
              NULL);
    core_case_expect_status(c, STF_RECORD_ACTIVE);
    core_case_expect_waiting(c, "");
    ck_assert_uint_eq(c->doc->parked_count, 2);
    ck_assert(is_stuck(c));
    core_case_free(c);
}

/* R8: also where the sub-process around them waits for its content. */
STF_TEST(r8_a_join_that_stays_shut_inside_a_sub_process_is_stuck_too)
{
    core_case *c =
        start("<startEvent id='s'/>" FLOW(
                  "f1", "s",
                  "q") "<subProcess id='q'><startEvent id='qs'/><parallelGateway id='k'/>" XOR("x")
                  FLOW("i1", "qs", "x") FLOW("i2", "x", "k")
                      FLOW_IF("i3", "x", "k", "true") "</subProcess>",
              NULL);
    core_case_expect_status(c, STF_RECORD_ACTIVE);
    ck_assert(is_stuck(c));
    core_case_free(c);
}

STF_TEST(a_yield_does_not_ask_before_the_queue_is_empty)
{
    core_case *c =
        core_case_load(AROUND FLOW("f1", "s", "j") FLOW("f2", "s", "a") "<task id='a'/>" FLOW(
            "g1", "a", "b") "<task id='b'/>" FLOW("g2", "b", "j"));
    c->step_budget = 1;
    core_case_start(c, NULL);
    for (unsigned i = 0; c->effects.has_yielded; i++) {
        ck_assert_uint_lt(i, 20);
        ck_assert_uint_le(core_case_count(c, STF_FACT_NODE_COMPLETED, "j"),
                          core_case_count(c, STF_FACT_NODE_COMPLETED, "b"));
        core_case_wake(c);
    }
    core_case_expect_completed(c, "j", 1);
    core_case_expect_waiting(c, "after");
    core_case_free(c);
}

/* Every x gets one mark by its own flow and the other one all along the chain: the scratch memory
 * is enough (ASan), and the question stays linear. */
STF_TEST(a_question_visits_each_node_at_most_twice)
{
    enum {
        COUNT = 2000
    };
    stf_buf body;
    stf_buf_init(&body, NULL);
    STF_CHECK_OK(stf_buf_append_str(&body, stf_str_of(AROUND USER("a") XOR("m") FLOW("f1", "s", "a")
                                                          FLOW("f2", "a", "x0") FLOW("f3", "s", "m")
                                                              FLOW("f4", "m", "j"))),
                 NULL);
    for (unsigned i = 0; i < COUNT; i++) {
        STF_CHECK_OK(stf_buf_printf(&body,
                                    "<exclusiveGateway id='x%u'/>"
                                    "<sequenceFlow id='p%u' sourceRef='x%u' targetRef='j'/>"
                                    "<sequenceFlow id='q%u' sourceRef='x%u' targetRef='x%u'/>",
                                    i, i, i, i, i, i + 1),
                     NULL);
    }
    STF_CHECK_OK(stf_buf_printf(&body,
                                "<exclusiveGateway id='x%u'/>"
                                "<sequenceFlow id='last' sourceRef='x%u' targetRef='m'/>",
                                COUNT, COUNT),
                 NULL);
    core_case *c = core_case_load(stf_buf_c_str(&body));
    core_case_start(c, NULL);
    core_case_expect_waiting(c, "a after"); /* a could come by f4, too */
    core_case_free(c);
    stf_buf_done(&body);
}

static const stf_test_case cases[] = {
    STF_CASE(a_join_waits_for_exactly_those_that_can_still_come),
    STF_CASE(only_the_branches_that_were_taken_are_waited_for),
    STF_CASE(trap_1_14_a_token_that_an_interrupting_boundary_takes_elsewhere_opens_the_join),
    STF_CASE(trap_1_a_boundary_error_that_removes_the_other_path_opens_the_join),
    STF_CASE(trap_14_a_token_that_goes_another_way_opens_the_join),
    STF_CASE(trap_14_a_token_that_somebody_drops_opens_the_join),
    STF_CASE(trap_2_a_surplus_token_waits_for_the_next_firing),
    STF_CASE(trap_9_13_a_loop_through_the_join_opens_it_once_a_round),
    STF_CASE(a_token_that_has_passed_and_may_come_round_again_is_waited_for),
    STF_CASE(a_token_that_could_as_well_come_by_a_flow_with_a_token_does_not_hold_it_up),
    STF_CASE(a_boundary_event_is_a_way_to_the_join),
    STF_CASE(a_sub_process_is_one_token_at_its_node),
    STF_CASE(trap_11_a_join_counts_tokens_of_its_own_scope_only),
    STF_CASE(trap_11_tokens_of_another_scope_are_not_waited_for),
    STF_CASE(a_path_through_the_join_itself_does_not_count),
    STF_CASE(a_token_that_is_stopped_in_front_of_the_join_is_waited_for_on_its_flow),
    STF_CASE(trap_16_a_scope_that_is_interrupted_takes_its_parked_tokens_along),
    STF_CASE(an_event_gateway_on_the_way_is_waited_for_until_it_leads_here),
    STF_CASE(a_token_that_an_incident_stops_on_its_way_is_waited_for),
    STF_CASE(two_joins_that_wait_for_each_other_are_stuck_and_the_record_says_so),
    STF_CASE(r8_a_join_that_stays_shut_inside_a_sub_process_is_stuck_too),
    STF_CASE(a_yield_does_not_ask_before_the_queue_is_empty),
    STF_CASE(a_question_visits_each_node_at_most_twice),
};

STF_TEST_MAIN("core/join", cases)

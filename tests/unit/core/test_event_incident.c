/* SPDX-License-Identifier: Apache-2.0 */
/* What is done about incidents, and the one of the instance itself. */
#include "core_case.h"

static stf_status try_event(core_case *c, stf__event event)
{
    return core_case_step(c, &event);
}

#define FLOW(from, to) "<sequenceFlow id='" from to "' sourceRef='" from "' targetRef='" to "'/>"

static const char one_job[] = "<startEvent id='s'/>" FLOW(
    "s",
    "a") "<serviceTask id='a' stepfast:handler='h'/>"
         "<boundaryEvent id='on' attachedToRef='a'><errorEventDefinition/></boundaryEvent>" FLOW(
             "on", "u") "<userTask id='u'/>" FLOW("a", "e") "<endEvent id='e'/>";

static core_case *start_one_job(stf__work_outcome outcome)
{
    core_case *c = core_case_load(one_job);
    core_case_start(c, NULL);
    core_case_start_work(c, "a");
    core_case_answer(c, "a", outcome, "trouble");
    return c;
}

static const stf__work_outcome stopped[] = {STF__WORK_UNKNOWN, STF__WORK_FAILED};

STF_TEST(work_that_was_done_after_all_goes_on)
{
    for (size_t i = 0; i < STF_COUNT_OF(stopped); i++) {
        core_case *c = start_one_job(stopped[i]);
        core_case_event(c, (stf__event){.kind = STF__EVENT_RESOLVE, .outcome = STF__WORK_COMPLETED},
                        "{\"receipt\": 5}");
        core_case_expect_status(c, STF_RECORD_COMPLETED);
        core_case_expect_variable(c, "receipt", "5");
        core_case_expect_completed(c, "a", 1);
        ck_assert_uint_eq(core_case_count(c, STF_FACT_INCIDENT_RESOLVED, "a"), 1);
        core_case_expect_one_end_each(c);
        core_case_free(c);
    }
}

STF_TEST(work_may_be_resolved_as_a_bpmn_error)
{
    for (size_t i = 0; i < STF_COUNT_OF(stopped); i++) {
        core_case *c = start_one_job(stopped[i]);
        core_case_event(c,
                        (stf__event){.kind = STF__EVENT_RESOLVE,
                                     .outcome = STF__WORK_BPMN_ERROR,
                                     .code = stf_str_of("E")},
                        NULL);
        core_case_expect_waiting(c, "u");
        ck_assert_uint_eq(c->doc->incident_count, 0);
        core_case_free(c);
    }
}

/* People ran nothing: whatever incarnation is told, their answer counts and no attempt is left. */
STF_TEST(what_people_found_out_counts_under_any_incarnation)
{
    static const stf__work_outcome found[] = {STF__WORK_COMPLETED, STF__WORK_BPMN_ERROR,
                                              STF__WORK_FAILED};
    for (size_t i = 0; i < STF_COUNT_OF(stopped) * STF_COUNT_OF(found); i++) {
        core_case *c = start_one_job(stopped[i / STF_COUNT_OF(found)]);
        core_case_event(c,
                        (stf__event){.kind = STF__EVENT_RESOLVE,
                                     .incarnation = c->incarnation + 7,
                                     .outcome = found[i % STF_COUNT_OF(found)],
                                     .code = stf_str_of("E")},
                        NULL);
        ck_assert_uint_eq(core_case_count(c, STF_FACT_RESULT_DROPPED, NULL), 0);
        bool has_failed = found[i % STF_COUNT_OF(found)] == STF__WORK_FAILED;
        ck_assert_uint_eq(c->doc->incident_count, has_failed ? 1 : 0);
        core_case_free(c);
    }
}

/* R6: it is certain now that nothing happened, so the retry has a key of its own. */
STF_TEST(r6_unknown_work_that_has_failed_stays_an_incident_and_its_retry_has_a_new_key)
{
    static const stf_retry_policy policy = {.retries = 5};
    core_case *c = start_one_job(STF__WORK_UNKNOWN);
    c->retry = &policy;
    core_case_event(c,
                    (stf__event){.kind = STF__EVENT_RESOLVE,
                                 .outcome = STF__WORK_FAILED,
                                 .message = stf_str_of("the bank knows nothing")},
                    NULL);
    core_case_expect_incident(c, "a", "failed", "the bank knows nothing");
    ck_assert(stf_wall_is_none(c->doc->incidents[0].retry_at)); /* people have it in hand */
    core_case_retry(c);
    stf__work_item item = core_case_find_work(c, "a");
    ck_assert_uint_eq(item.attempt, 2);
    ck_assert_uint_eq(item.definitive_failures, 1);
    core_case_free(c);
}

STF_TEST(only_incidents_of_begun_work_are_resolved)
{
    core_case *c = core_case_load(
        "<startEvent id='s'/>" FLOW("s", "a") "<serviceTask id='a' stepfast:handler='${x}'/>");
    stf__event event = {.kind = STF__EVENT_RESOLVE, .outcome = STF__WORK_COMPLETED};
    core_case_start(c, NULL);
    core_case_expect_incident(c, "a", "expression", "topic");
    ck_assert_int_eq(try_event(c, event), STF_INVALID_STATE);
    event.outcome = STF__WORK_UNKNOWN;
    ck_assert_int_eq(try_event(c, event), STF_INVALID_ARGUMENT);
    event.outcome = STF__WORK_COMPLETED;
    event.incident = 99;
    ck_assert_int_eq(try_event(c, event), STF_NOT_FOUND);
    core_case_free(c);
}

STF_TEST(a_dropped_token_is_gone_and_an_instance_with_nothing_left_completes)
{
    for (size_t i = 0; i < STF_COUNT_OF(stopped); i++) {
        core_case *c = start_one_job(stopped[i]);
        core_case_event(c, (stf__event){.kind = STF__EVENT_DROP}, NULL);
        core_case_expect_status(c, STF_RECORD_COMPLETED);
        core_case_expect_completed(c, "a", 0);
        core_case_expect_completed(c, "e", 0);
        ck_assert_uint_eq(core_case_count(c, STF_FACT_INCIDENT_DROPPED, "a"), 1);
        ck_assert_uint_eq(core_case_count(c, STF_FACT_INCIDENT_RESOLVED, NULL), 0);
        core_case_expect_one_end_each(c);
        core_case_free(c);
    }
}

STF_TEST(what_a_dropped_token_leaves_behind_goes_on)
{
    core_case *c = core_case_load(
        "<startEvent id='s'/>" FLOW("s", "sub") "<subProcess id='sub'><startEvent id='is'/>" FLOW(
            "is", "x") "<exclusiveGateway id='x'/>" FLOW("is",
                                                         "t") "<userTask id='t'/>"
                                                              "<sequenceFlow id='xt' sourceRef='x' "
                                                              "targetRef='t'>"
                                                              "<conditionExpression>=false</"
                                                              "conditionExpression></sequenceFlow>"
                                                              "</subProcess>" FLOW(
                                                                  "sub", "u") "<userTask id='u'/>");
    core_case_start(c, NULL);
    core_case_expect_incident(c, "x", "no_flow", "");
    core_case_event(c, (stf__event){.kind = STF__EVENT_DROP, .incident = 1}, NULL);
    core_case_expect_waiting(c, "t");
    core_case_expect_status(c, STF_RECORD_ACTIVE);
    core_case_task(c, "t", NULL);
    core_case_expect_waiting(c, "u");
    core_case_free(c);
}

STF_TEST(r15_a_poisoned_instance_stops_until_it_is_retried)
{
    core_case *c = core_case_load("<startEvent id='s'/>" FLOW(
        "s", "w") "<intermediateCatchEvent id='w'>"
                  "<timerEventDefinition><timeDuration>PT1M</timeDuration>"
                  "</timerEventDefinition></intermediateCatchEvent>");
    stf__event poison = {.kind = STF__EVENT_POISON, .message = stf_str_of("six times")};
    core_case_start(c, NULL);
    core_case_event(c, poison, NULL);
    ck_assert_uint_eq(c->doc->incidents[0].kind, STF__INCIDENT_POISON);
    ck_assert_uint_eq(c->doc->incidents[0].activation, 0);
    ck_assert_str_eq(c->doc->incidents[0].message, "six times");
    core_case_expect_status(c, STF_RECORD_INCIDENT);
    ck_assert_int_eq(try_event(c, poison), STF_INVALID_STATE);
    ck_assert_int_eq(try_event(c, (stf__event){.kind = STF__EVENT_DROP}), STF_INVALID_STATE);
    ck_assert_int_eq(
        try_event(c, (stf__event){.kind = STF__EVENT_RESOLVE, .outcome = STF__WORK_COMPLETED}),
        STF_INVALID_STATE);
    c->now.us += SECONDS(3600);
    core_case_wake(c);
    core_case_expect_status(c, STF_RECORD_INCIDENT);
    core_case_expect_completed(c, "w", 0);
    core_case_retry(c);
    core_case_expect_status(c, STF_RECORD_ACTIVE);
    core_case_wake(c);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(work_that_was_done_after_all_goes_on),
    STF_CASE(work_may_be_resolved_as_a_bpmn_error),
    STF_CASE(what_people_found_out_counts_under_any_incarnation),
    STF_CASE(r6_unknown_work_that_has_failed_stays_an_incident_and_its_retry_has_a_new_key),
    STF_CASE(only_incidents_of_begun_work_are_resolved),
    STF_CASE(a_dropped_token_is_gone_and_an_instance_with_nothing_left_completes),
    STF_CASE(what_a_dropped_token_leaves_behind_goes_on),
    STF_CASE(r15_a_poisoned_instance_stops_until_it_is_retried),
};

STF_TEST_MAIN("core/event_incident", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs: work that nobody has started and somebody answers. Handlers' own answers and recovery are
 * in element/test_work.c. */
#include "core_case.h"

static stf_status try_event(core_case *c, stf__event event)
{
    return core_case_step(c, &event);
}

#define FLOW(from, to) "<sequenceFlow id='" from to "' sourceRef='" from "' targetRef='" to "'/>"

static const char jobs[] = "<startEvent id='s'/>" FLOW("s", "a") FLOW("s", "b")
    FLOW("s", "u") "<serviceTask id='a' stepfast:handler='pack'/>"
                   "<serviceTask id='b' stepfast:handler='ship'/><userTask id='u'/>";

static stf__event job(const char *element, const char *topic)
{
    return (stf__event){.kind = STF__EVENT_JOB,
                        .outcome = STF__WORK_COMPLETED,
                        .element = stf_str_of(element),
                        .topic = stf_str_of(topic),
                        .retries = -1};
}

STF_TEST(a_job_is_found_by_activation_element_or_topic)
{
    static const struct {
        const char *element;
        const char *topic;
        bool by_number;
    } ways[] = {{"a", "", false}, {"", "pack", false}, {"", "", true}, {"a", "", true}};
    for (size_t i = 0; i < STF_COUNT_OF(ways); i++) {
        core_case *c = core_case_load(jobs);
        core_case_start(c, NULL);
        stf__event event = job(ways[i].element, ways[i].topic);
        event.activation = ways[i].by_number ? core_case_find_work(c, "a").activation : 0;
        core_case_event(c, event, "{\"box\": 4}");
        core_case_expect_waiting(c, "b u");
        core_case_expect_variable(c, "box", "4");
        core_case_expect_completed(c, "a", 1);
        ck_assert_uint_eq(core_case_count(c, STF_FACT_WORK_STARTED, "a"), 1);
        ck_assert_uint_eq(core_case_count(c, STF_FACT_WORK_COMPLETED, "a"), 1);
        core_case_free(c);
    }
}

STF_TEST(no_such_job_and_several_of_them_are_refused)
{
    core_case *c = core_case_load("<startEvent id='s'/>" FLOW("s", "a") FLOW("s", "b")
                                      FLOW("s", "u") "<serviceTask id='a' stepfast:handler='h'/>"
                                                     "<serviceTask id='b' stepfast:handler='h'/>"
                                                     "<userTask id='u'/>");
    core_case_start(c, NULL);
    ck_assert_int_eq(try_event(c, job("", "h")), STF_INVALID_STATE);
    ck_assert_int_eq(try_event(c, job("", "other")), STF_NOT_FOUND);
    ck_assert_int_eq(try_event(c, job("u", "")), STF_NOT_FOUND);
    ck_assert_int_eq(try_event(c, job("", "")), STF_NOT_FOUND);
    stf__event event = job("b", "");
    event.activation = core_case_find_work(c, "a").activation;
    ck_assert_int_eq(try_event(c, event), STF_NOT_FOUND);
    event.activation = 99;
    ck_assert_int_eq(try_event(c, event), STF_NOT_FOUND);
    event = job("a", "");
    event.outcome = (stf__work_outcome)9;
    ck_assert_int_eq(try_event(c, event), STF_INVALID_ARGUMENT);
    core_case_free(c);
}

/* Nobody answers for a handler that runs: its own outcome is what counts. */
STF_TEST(r2_a_job_that_a_handler_has_started_is_refused)
{
    core_case *c = core_case_load(jobs);
    core_case_start(c, NULL);
    core_case_start_work(c, "a");
    ck_assert_int_eq(try_event(c, job("a", "")), STF_INVALID_STATE);
    core_case_answer(c, "a", STF__WORK_UNKNOWN, "reset");
    ck_assert_int_eq(try_event(c, job("a", "")), STF_NOT_FOUND);
    core_case_free(c);
}

STF_TEST(of_two_jobs_of_a_topic_the_one_that_a_handler_runs_is_not_meant)
{
    core_case *c = core_case_load("<startEvent id='s'/>" FLOW("s", "a")
                                      FLOW("s", "b") "<serviceTask id='a' stepfast:handler='h'/>"
                                                     "<serviceTask id='b' stepfast:handler='h'/>");
    core_case_start(c, NULL);
    core_case_start_work(c, "a");
    core_case_event(c, job("", "h"), NULL);
    core_case_expect_waiting(c, "a");
    core_case_expect_completed(c, "b", 1);
    core_case_free(c);
}

STF_TEST(whoever_fails_a_job_says_how_many_retries_are_left)
{
    static const stf_retry_policy policy = {.retries = 5, .first_us = SECONDS(30)};
    static const struct {
        int32_t retries;
        const stf_retry_policy *policy;
        int64_t delay_us; /* below 0: an incident for people */
    } ways[] = {{0, &policy, -1},           {0, NULL, -1}, {-1, NULL, -1},
                {-1, &policy, SECONDS(30)}, {2, NULL, 0},  {2, &policy, SECONDS(30)}};
    for (size_t i = 0; i < STF_COUNT_OF(ways); i++) {
        core_case *c = core_case_load(jobs);
        c->retry = ways[i].policy;
        core_case_start(c, NULL);
        stf__event event = job("a", "");
        event.outcome = STF__WORK_FAILED;
        event.message = stf_str_of("no paper");
        event.retries = ways[i].retries;
        core_case_event(c, event, NULL);
        ck_assert_uint_eq(c->doc->incident_count, 1);
        stf_wall at = c->doc->incidents[0].retry_at;
        if (ways[i].delay_us < 0) {
            ck_assert(stf_wall_is_none(at));
        } else {
            ck_assert_int_eq(at.us, c->now.us + ways[i].delay_us);
        }
        core_case_free(c);
    }
}

STF_TEST(a_job_may_end_in_a_bpmn_error)
{
    core_case *c = core_case_load_in(
        "<error id='E' errorCode='E1'/>",
        "<startEvent id='s'/>" FLOW(
            "s",
            "a") "<serviceTask id='a' stepfast:handler='h'/>"
                 "<boundaryEvent id='on' attachedToRef='a'><errorEventDefinition errorRef='E'/>"
                 "</boundaryEvent>" FLOW("on", "u") "<userTask id='u'/>");
    core_case_start(c, NULL);
    stf__event event = job("a", "");
    event.outcome = STF__WORK_BPMN_ERROR;
    event.code = stf_str_of("E1");
    core_case_event(c, event, NULL);
    core_case_expect_waiting(c, "u");
    core_case_expect_status(c, STF_RECORD_ACTIVE);
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(a_job_is_found_by_activation_element_or_topic),
    STF_CASE(no_such_job_and_several_of_them_are_refused),
    STF_CASE(r2_a_job_that_a_handler_has_started_is_refused),
    STF_CASE(of_two_jobs_of_a_topic_the_one_that_a_handler_runs_is_not_meant),
    STF_CASE(whoever_fails_a_job_says_how_many_retries_are_left),
    STF_CASE(a_job_may_end_in_a_bpmn_error),
};

STF_TEST_MAIN("core/event_work", cases)

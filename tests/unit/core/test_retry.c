/* SPDX-License-Identifier: Apache-2.0 */
/* Automatic retries: which ends of work qualify, when they come, and when people are asked. */
#include "core_case.h"

#define FLOW(from, to) "<sequenceFlow id='" from to "' sourceRef='" from "' targetRef='" to "'/>"
#define JOB "<startEvent id='s'/>" FLOW("s", "a") "<serviceTask id='a' stepfast:handler='h' %s/>"

static core_case *load(const char *attributes, const stf_retry_policy *policy)
{
    char body[512];
    snprintf(body, sizeof(body), JOB, attributes);
    core_case *c = core_case_load(body);
    c->retry = policy;
    core_case_start(c, NULL);
    return c;
}

static void end_work(core_case *c, stf__work_outcome outcome)
{
    core_case_start_work(c, "a");
    core_case_answer(c, "a", outcome, "no");
}

/* How long until the retry; -1: none is scheduled. */
static int64_t delay_of(const core_case *c)
{
    ck_assert_uint_eq(c->doc->incident_count, 1);
    stf_wall at = c->doc->incidents[0].retry_at;
    return stf_wall_is_none(at) ? -1 : at.us - c->now.us;
}

STF_TEST(delays_are_fixed_or_grow_up_to_the_cap)
{
    static const struct {
        stf_retry_policy policy;
        int64_t delays[5];
    } rows[] = {
        {{.retries = 3, .first_us = 10}, {10, 10, 10, -1}},
        {{.retries = 4, .first_us = 10, .factor_percent = 200}, {10, 20, 40, 80, -1}},
        {{.retries = 4, .first_us = 10, .factor_percent = 300, .cap_us = 50}, {10, 30, 50, 50, -1}},
        {{.retries = 2, .first_us = 100, .factor_percent = 150}, {100, 150, -1}},
        {{.retries = 2, .first_us = 100, .cap_us = 7}, {7, 7, -1}},
        {{.retries = 1}, {0, -1}},
        {{.retries = 0, .first_us = 100}, {-1}},
        {{.retries = 3, .first_us = INT64_MAX, .factor_percent = 10000},
         {SECONDS(366 * 86400), SECONDS(366 * 86400), SECONDS(366 * 86400), -1}},
    };
    for (size_t i = 0; i < STF_COUNT_OF(rows); i++) {
        core_case *c = load("", &rows[i].policy);
        for (size_t n = 0;; n++) {
            end_work(c, STF__WORK_FAILED);
            ck_assert_int_eq(delay_of(c), rows[i].delays[n]);
            if (rows[i].delays[n] < 0) {
                break;
            }
            core_case_advance(c, rows[i].delays[n]);
        }
        core_case_free(c);
    }
}

STF_TEST(jitter_takes_off_up_to_its_share_and_differs_by_the_draw)
{
    static const stf_retry_policy policy = {
        .retries = 1, .first_us = SECONDS(100), .jitter_percent = 40};
    int64_t least = INT64_MAX;
    int64_t most = 0;
    for (uint64_t random = 1; random <= 200; random++) {
        core_case *c = core_case_load(
            "<startEvent id='s'/>" FLOW("s", "a") "<serviceTask id='a' stepfast:handler='h'/>");
        c->retry = &policy;
        core_case_start(c, NULL);
        c->random = random * UINT64_C(0x9e3779b97f4a7c15);
        end_work(c, STF__WORK_FAILED);
        int64_t delay = delay_of(c);
        least = delay < least ? delay : least;
        most = delay > most ? delay : most;
        core_case_free(c);
    }
    ck_assert_int_ge(least, SECONDS(60));
    ck_assert_int_le(most, SECONDS(100));
    ck_assert_int_le(least, SECONDS(64));
    ck_assert_int_ge(most, SECONDS(96));
}

STF_TEST(r6_a_retry_has_a_new_attempt_and_a_new_key_once_it_is_certain_that_nothing_happened)
{
    static const stf_retry_policy policy = {.retries = 2, .first_us = SECONDS(10)};
    core_case *c = load("", &policy);
    end_work(c, STF__WORK_FAILED);
    core_case_expect_waiting(c, "");
    ck_assert_uint_eq(core_case_count(c, STF_FACT_RETRY_SCHEDULED, "a"), 1);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_INCIDENT_OPENED, NULL), 0);
    core_case_advance(c, SECONDS(9));
    core_case_expect_waiting(c, "");
    core_case_advance(c, SECONDS(1));
    core_case_expect_waiting(c, "a");
    stf__work_item item = core_case_find_work(c, "a");
    ck_assert_uint_eq(item.attempt, 2);
    ck_assert_uint_eq(item.definitive_failures, 1);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_INCIDENT_RESOLVED, NULL), 0);
    core_case_work(c, "a", NULL);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_expect_one_end_each(c);
    core_case_free(c);
}

STF_TEST(r6_unknown_work_is_retried_by_itself_only_when_it_is_idempotent_and_keeps_its_key)
{
    static const stf_retry_policy policy = {.retries = 2, .first_us = SECONDS(10)};
    core_case *c = load("", &policy);
    end_work(c, STF__WORK_UNKNOWN);
    ck_assert_int_eq(delay_of(c), -1);
    core_case_expect_incident(c, "a", "unknown", "no");
    core_case_free(c);
    c = load("stepfast:idempotent='true'", &policy);
    end_work(c, STF__WORK_UNKNOWN);
    ck_assert_int_eq(delay_of(c), SECONDS(10));
    core_case_advance(c, SECONDS(10));
    stf__work_item item = core_case_find_work(c, "a");
    ck_assert_uint_eq(item.attempt, 2);
    ck_assert_uint_eq(item.definitive_failures, 0);
    core_case_free(c);
}

STF_TEST(a_bpmn_error_is_no_failure_and_is_not_retried)
{
    static const stf_retry_policy policy = {.retries = 2};
    core_case *c = load("", &policy);
    end_work(c, STF__WORK_BPMN_ERROR);
    ck_assert_int_eq(delay_of(c), -1);
    core_case_free(c);
}

STF_TEST(the_activitys_own_policy_goes_before_the_engines)
{
    static const stf_retry_policy policy = {.retries = 9, .first_us = 1};
    core_case *c = load("stepfast:retries='1' stepfast:retryDelay='PT7S'", &policy);
    end_work(c, STF__WORK_FAILED);
    ck_assert_int_eq(delay_of(c), SECONDS(7));
    core_case_advance(c, SECONDS(7));
    end_work(c, STF__WORK_FAILED);
    ck_assert_int_eq(delay_of(c), -1);
    core_case_free(c);
}

STF_TEST(a_retry_by_people_begins_the_policy_anew)
{
    static const stf_retry_policy policy = {.retries = 1, .first_us = SECONDS(10)};
    core_case *c = load("", &policy);
    end_work(c, STF__WORK_FAILED);
    core_case_retry(c); /* they need not wait for the scheduled one either */
    core_case_expect_waiting(c, "a");
    ck_assert_uint_eq(core_case_count(c, STF_FACT_INCIDENT_RESOLVED, NULL), 0);
    end_work(c, STF__WORK_FAILED);
    ck_assert_int_eq(delay_of(c), SECONDS(10));
    core_case_advance(c, SECONDS(10));
    end_work(c, STF__WORK_FAILED);
    core_case_expect_incident(c, "a", "failed", "no");
    ck_assert_uint_eq(core_case_count(c, STF_FACT_INCIDENT_OPENED, "a"), 1);
    core_case_retry(c);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_INCIDENT_RESOLVED, "a"), 1);
    core_case_free(c);
}

STF_TEST(of_several_retries_that_are_due_the_earliest_comes_first)
{
    core_case *c =
        core_case_load("<startEvent id='s'/>" FLOW("s", "a")
                           FLOW("s", "b") "<serviceTask id='a' stepfast:handler='h' "
                                          "stepfast:retries='1' stepfast:retryDelay='PT9S'/>"
                                          "<serviceTask id='b' stepfast:handler='h' "
                                          "stepfast:retries='1' stepfast:retryDelay='PT3S'/>");
    core_case_start(c, NULL);
    core_case_answer(c, "a", STF__WORK_FAILED, "no");
    core_case_answer(c, "b", STF__WORK_FAILED, "no");
    stf__step step = {.doc = c->doc, .now = c->now};
    size_t index = 99;
    ck_assert(!stf__step_find_retry(&step, &index));
    step.now.us += SECONDS(9);
    ck_assert(stf__step_find_retry(&step, &index));
    ck_assert_uint_eq(index, 1);
    c->now.us += SECONDS(9);
    core_case_wake(c);
    core_case_expect_waiting(c, "a b");
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(delays_are_fixed_or_grow_up_to_the_cap),
    STF_CASE(jitter_takes_off_up_to_its_share_and_differs_by_the_draw),
    STF_CASE(r6_a_retry_has_a_new_attempt_and_a_new_key_once_it_is_certain_that_nothing_happened),
    STF_CASE(r6_unknown_work_is_retried_by_itself_only_when_it_is_idempotent_and_keeps_its_key),
    STF_CASE(a_bpmn_error_is_no_failure_and_is_not_retried),
    STF_CASE(the_activitys_own_policy_goes_before_the_engines),
    STF_CASE(a_retry_by_people_begins_the_policy_anew),
    STF_CASE(of_several_retries_that_are_due_the_earliest_comes_first),
};

STF_TEST_MAIN("core/retry", cases)

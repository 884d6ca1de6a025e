/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that call a handler: outcomes, retries, recovery, late results (R2, R6, R12). */
#include "core_case.h"

#define HEAD                                                                                       \
    "<startEvent id='s'/><sequenceFlow id='f1' sourceRef='s' targetRef='t'/>"                      \
    "<sequenceFlow id='f2' sourceRef='t' targetRef='e'/><endEvent id='e'/>"

static const char one_job[] = HEAD "<serviceTask id='t' stepfast:handler='charge'/>";

static core_case *start_one_job(void)
{
    core_case *c = core_case_load(one_job);
    core_case_start(c, "{\"amount\": 5}");
    return c;
}

/* An answer that names all it knows. */
static void offer(core_case *c, stf__work_item item, stf__work_outcome outcome, int64_t incarnation)
{
    stf__event event = {.kind = STF__EVENT_WORK,
                        .outcome = outcome,
                        .activation = item.activation,
                        .attempt = item.attempt,
                        .incarnation = incarnation};
    STF_CHECK_OK(core_case_step(c, &event), &c->error);
}

static void recover(core_case *c, int64_t incarnation)
{
    stf__event event = {.kind = STF__EVENT_RECOVER, .incarnation = incarnation};
    c->incarnation = incarnation;
    STF_CHECK_OK(core_case_step(c, &event), &c->error);
}

STF_TEST(every_kind_of_work_task_waits_as_an_unstarted_job)
{
    static const char *const kinds[] = {"serviceTask", "sendTask", "scriptTask",
                                        "businessRuleTask"};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        char body[512];
        snprintf(body, sizeof(body), HEAD "<%s id='t' stepfast:handler='charge'/>", kinds[i]);
        core_case *c = core_case_load(body);
        core_case_start(c, NULL);
        core_case_expect_waiting(c, "t");
        stf__doc_summary summary = core_case_summary(c);
        ck_assert(summary.has_unstarted && !summary.has_started);
        ck_assert_uint_eq(summary.waits[0].kind, STF_WAIT_JOB);
        STF_CHECK_STR(summary.waits[0].key, "charge");
        core_case_free(c);
    }
}

STF_TEST(a_result_writes_variables_and_moves_on)
{
    core_case *c = start_one_job();
    core_case_start_work(c, "t");
    stf__doc_summary summary = core_case_summary(c);
    ck_assert(summary.has_started && !summary.has_unstarted && summary.wait_count == 0);
    core_case_expect_waiting(c, "t");
    core_case_answer(c, "t", STF__WORK_COMPLETED, "{\"receipt\": \"r1\"}");
    core_case_expect_variable(c, "receipt", "\"r1\"");
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_WORK_COMPLETED, "t"), 1);
    core_case_expect_one_end_each(c);
    core_case_free(c);
}

STF_TEST(a_topic_may_be_an_expression_and_a_bad_one_is_an_incident)
{
    core_case *c = core_case_load(HEAD "<serviceTask id='t' stepfast:handler='${where}'/>");
    core_case_start(c, "{\"where\": 7}");
    core_case_expect_incident(c, "t", "expression", "topic of \"t\"");
    core_case_set(c, "{\"where\": \"here\"}");
    core_case_retry(c);
    STF_CHECK_STR(core_case_find_work(c, "t").topic, "here");
    core_case_free(c);
}

STF_TEST(a_definitive_failure_is_an_incident_and_a_retry_sends_a_new_key)
{
    core_case *c = start_one_job();
    char first[STF__WORK_KEY_BYTES];
    char second[STF__WORK_KEY_BYTES];
    stf__work_item item = core_case_find_work(c, "t");
    STF_CHECK_OK(stf__doc_format_work_key(c->doc, item.activation, first, &c->error), &c->error);
    core_case_start_work(c, "t");
    core_case_answer(c, "t", STF__WORK_FAILED, "card refused");
    core_case_expect_incident(c, "t", "failed", "card refused");
    core_case_expect_waiting(c, "");
    core_case_retry(c);
    core_case_expect_waiting(c, "t");
    item = core_case_find_work(c, "t");
    ck_assert_uint_eq(item.attempt, 2);
    ck_assert_uint_eq(item.definitive_failures, 1);
    ck_assert(!item.is_started);
    STF_CHECK_OK(stf__doc_format_work_key(c->doc, item.activation, second, &c->error), &c->error);
    ck_assert_str_ne(first, second);
    core_case_work(c, "t", NULL);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_free(c);
}

/* An unclear end of the handler, then a retry: the incident's kind, and the same key. */
static void check_unclear_end(core_case *c, const char *kind)
{
    char first[STF__WORK_KEY_BYTES];
    char second[STF__WORK_KEY_BYTES];
    stf__work_item item = core_case_find_work(c, "t");
    STF_CHECK_OK(stf__doc_format_work_key(c->doc, item.activation, first, &c->error), &c->error);
    core_case_start_work(c, "t");
    core_case_answer(c, "t", STF__WORK_UNKNOWN, "connection reset");
    core_case_expect_incident(c, "t", kind, "connection reset");
    core_case_retry(c);
    item = core_case_find_work(c, "t");
    ck_assert_uint_eq(item.attempt, 2);
    ck_assert_uint_eq(item.definitive_failures, 0);
    STF_CHECK_OK(stf__doc_format_work_key(c->doc, item.activation, second, &c->error), &c->error);
    ck_assert_str_eq(first, second);
    core_case_free(c);
}

STF_TEST(r6_a_retry_after_unknown_grows_the_attempt_and_keeps_the_key)
{
    check_unclear_end(start_one_job(), "unknown");
}

STF_TEST(an_unclear_end_of_idempotent_work_has_failed_and_a_retry_keeps_the_key)
{
    core_case *c = core_case_load(HEAD "<serviceTask id='t' stepfast:idempotent='true'/>");
    core_case_start(c, NULL);
    check_unclear_end(c, "failed");
}

STF_TEST(a_bpmn_error_that_nobody_catches_is_an_incident_with_its_code)
{
    core_case *c = start_one_job();
    core_case_start_work(c, "t");
    core_case_answer(c, "t", STF__WORK_BPMN_ERROR, "NO_FUNDS");
    core_case_expect_incident(c, "t", "bpmn_error", "\"NO_FUNDS\"");
    ck_assert_str_eq(c->doc->incidents[0].code, "NO_FUNDS");
    core_case_retry(c);
    ck_assert_uint_eq(core_case_find_work(c, "t").definitive_failures, 1);
    core_case_free(c);
}

STF_TEST(r2_started_work_of_a_dead_engine_is_unknown_and_its_attempt_does_not_grow)
{
    core_case *c = start_one_job();
    core_case_start_work(c, "t");
    recover(c, 1); /* the same incarnation: nothing to settle */
    ck_assert(core_case_find_work(c, "t").is_started);
    recover(c, 2);
    core_case_expect_incident(c, "t", "unknown", "stopped before it answered");
    ck_assert_uint_eq(c->doc->activations[0]->work.attempt, 1);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_WORK_UNKNOWN, "t"), 1);
    core_case_free(c);
}

STF_TEST(r2_unstarted_work_is_left_alone_by_recovery)
{
    core_case *c = start_one_job();
    recover(c, 9);
    core_case_expect_waiting(c, "t");
    core_case_expect_status(c, STF_RECORD_ACTIVE);
    core_case_free(c);
}

STF_TEST(r2_an_idempotent_task_runs_again_with_the_same_attempt)
{
    core_case *c = core_case_load(
        HEAD "<serviceTask id='t' stepfast:handler='h' stepfast:idempotent='true'/>");
    core_case_start(c, NULL);
    core_case_start_work(c, "t");
    recover(c, 2);
    stf__work_item item = core_case_find_work(c, "t");
    ck_assert(!item.is_started && item.is_idempotent);
    ck_assert_uint_eq(item.attempt, 1);
    core_case_expect_status(c, STF_RECORD_ACTIVE);
    core_case_free(c);
}

STF_TEST(r2_an_idempotent_handler_counts_for_the_run_that_it_started)
{
    core_case *c = start_one_job();
    stf__work_item item = core_case_find_work(c, "t");
    STF_CHECK_OK(
        stf__doc_mark_started(c->doc, item.activation, 1, true, c->now, &c->effects, &c->error),
        &c->error);
    recover(c, 2);
    ck_assert(!core_case_find_work(c, "t").is_started);
    ck_assert(!core_case_find_work(c, "t").is_idempotent);
    core_case_start_work(c, "t"); /* by another handler */
    recover(c, 3);
    core_case_expect_status(c, STF_RECORD_INCIDENT);
    core_case_free(c);
}

STF_TEST(r12_the_late_truth_about_an_unknown_attempt_settles_it)
{
    core_case *c = start_one_job();
    core_case_start_work(c, "t");
    stf__work_item item = core_case_find_work(c, "t");
    recover(c, 2);
    offer(c, item, STF__WORK_COMPLETED, 1);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_INCIDENT_RESOLVED, "t"), 1);
    core_case_expect_one_end_each(c);
    core_case_free(c);
}

STF_TEST(r12_a_late_definitive_failure_replaces_the_unknown)
{
    core_case *c = start_one_job();
    core_case_start_work(c, "t");
    stf__work_item item = core_case_find_work(c, "t");
    recover(c, 2);
    offer(c, item, STF__WORK_FAILED, 1);
    core_case_expect_incident(c, "t", "failed", "");
    core_case_free(c);
}

STF_TEST(a_result_of_an_older_attempt_is_dropped_with_a_fact)
{
    core_case *c = start_one_job();
    core_case_start_work(c, "t");
    stf__work_item item = core_case_find_work(c, "t");
    core_case_answer(c, "t", STF__WORK_UNKNOWN, "reset");
    core_case_retry(c);
    offer(c, item, STF__WORK_COMPLETED, 0);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_RESULT_DROPPED, "t"), 1);
    core_case_expect_waiting(c, "t");
    core_case_free(c);
}

STF_TEST(a_second_unknown_about_an_unknown_attempt_is_dropped)
{
    core_case *c = start_one_job();
    core_case_start_work(c, "t");
    stf__work_item item = core_case_find_work(c, "t");
    recover(c, 2);
    offer(c, item, STF__WORK_UNKNOWN, 1);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_RESULT_DROPPED, "t"), 1);
    ck_assert_uint_eq(c->doc->incident_count, 1);
    core_case_free(c);
}

STF_TEST(a_fenced_result_does_not_answer_for_the_run_of_another_owner)
{
    core_case *c = core_case_load(
        HEAD "<serviceTask id='t' stepfast:handler='h' stepfast:idempotent='true'/>");
    core_case_start(c, NULL);
    core_case_start_work(c, "t");
    stf__work_item item = core_case_find_work(c, "t");
    recover(c, 2);
    core_case_start_work(c, "t");
    offer(c, item, STF__WORK_FAILED, 1);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_RESULT_DROPPED, "t"), 1);
    ck_assert(core_case_find_work(c, "t").is_started);
    core_case_free(c);
}

/* Item 53: completed work never runs again, wherever the flow is stopped afterwards. */
STF_TEST(trap_53_an_incident_on_the_way_out_does_not_run_the_work_again)
{
    core_case *c = core_case_load(
        "<startEvent id='s'/><sequenceFlow id='f1' sourceRef='s' targetRef='t'/>"
        "<serviceTask id='t' stepfast:handler='h'/>"
        "<sequenceFlow id='f2' sourceRef='t' targetRef='e'>"
        "<conditionExpression>${go}</conditionExpression></sequenceFlow><endEvent id='e'/>");
    core_case_start(c, NULL);
    core_case_work(c, "t", NULL);
    core_case_expect_incident(c, "t", "expression", "flow \"f2\"");
    stf__work_item item;
    ck_assert(!stf__doc_next_work(c->doc, 0, &item));
    core_case_set(c, "{\"go\": true}");
    core_case_retry(c);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_expect_completed(c, "t", 1);
    core_case_free(c);
}

STF_TEST(text_from_a_handler_that_is_no_utf8_can_still_be_stored)
{
    core_case *c = start_one_job();
    core_case_start_work(c, "t");
    core_case_answer(c, "t", STF__WORK_FAILED, "caf\xe9 closed");
    core_case_expect_incident(c, "t", "failed", "caf? closed");
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(every_kind_of_work_task_waits_as_an_unstarted_job),
    STF_CASE(a_result_writes_variables_and_moves_on),
    STF_CASE(a_topic_may_be_an_expression_and_a_bad_one_is_an_incident),
    STF_CASE(a_definitive_failure_is_an_incident_and_a_retry_sends_a_new_key),
    STF_CASE(r6_a_retry_after_unknown_grows_the_attempt_and_keeps_the_key),
    STF_CASE(an_unclear_end_of_idempotent_work_has_failed_and_a_retry_keeps_the_key),
    STF_CASE(a_bpmn_error_that_nobody_catches_is_an_incident_with_its_code),
    STF_CASE(r2_started_work_of_a_dead_engine_is_unknown_and_its_attempt_does_not_grow),
    STF_CASE(r2_unstarted_work_is_left_alone_by_recovery),
    STF_CASE(r2_an_idempotent_task_runs_again_with_the_same_attempt),
    STF_CASE(r2_an_idempotent_handler_counts_for_the_run_that_it_started),
    STF_CASE(r12_the_late_truth_about_an_unknown_attempt_settles_it),
    STF_CASE(r12_a_late_definitive_failure_replaces_the_unknown),
    STF_CASE(a_result_of_an_older_attempt_is_dropped_with_a_fact),
    STF_CASE(a_second_unknown_about_an_unknown_attempt_is_dropped),
    STF_CASE(a_fenced_result_does_not_answer_for_the_run_of_another_owner),
    STF_CASE(trap_53_an_incident_on_the_way_out_does_not_run_the_work_again),
    STF_CASE(text_from_a_handler_that_is_no_utf8_can_still_be_stored),
};

STF_TEST_MAIN("core/element/work", cases)

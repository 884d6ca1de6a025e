/* SPDX-License-Identifier: Apache-2.0 */
/* Retry policies, in every dialect. */
#include "base/mem.h"
#include "unit/bpmn/support.h"

#define TASK(kind, attributes, content)                                                            \
    "<startEvent id='s'/><sequenceFlow id='f' sourceRef='s' targetRef='x'/>\n"                     \
    "<" kind " id='x' " attributes "><extensionElements>" content "</extensionElements></" kind    \
    ">"
#define WORK(attributes) TASK("serviceTask", attributes, "")
#define CYCLE(text)                                                                                \
    TASK("serviceTask", "",                                                                        \
         "\n<camunda:failedJobRetryTimeCycle>" text "</camunda:failedJobRetryTimeCycle>")
#define TRIES(text) TASK("serviceTask", "", "<zeebe:taskDefinition type='t' retries='" text "'/>")

static const struct {
    const char *body;
    stf_retry_policy policy;
} rows[] = {
    {WORK("stepfast:retries='3'"), {.retries = 3}},
    {WORK("stepfast:retries='0'"), {.retries = 0}},
    {WORK("stepfast:retries=' 1000 ' stepfast:retryDelay='PT10S' stepfast:retryFactor='2' "
          "stepfast:retryMax='PT5M' stepfast:retryJitter='20'"),
     {.retries = 1000,
      .first_us = 10000000,
      .factor_percent = 200,
      .cap_us = INT64_C(300000000),
      .jitter_percent = 20}},
    {WORK("stepfast:retries='1' stepfast:retryFactor='1.5'"),
     {.retries = 1, .factor_percent = 150}},
    {WORK("stepfast:retries='1' stepfast:retryFactor='1.05'"),
     {.retries = 1, .factor_percent = 105}},
    {WORK("stepfast:retries='1' stepfast:retryFactor='100' stepfast:retryJitter='100'"),
     {.retries = 1, .factor_percent = 10000, .jitter_percent = 100}},
    {CYCLE("R3/PT10M"), {.retries = 3, .first_us = INT64_C(600000000)}},
    {CYCLE(" R3/PT10M\n"), {.retries = 3, .first_us = INT64_C(600000000)}},
    {CYCLE("PT10M"), {.retries = 1, .first_us = INT64_C(600000000)}},
    {TASK("serviceTask", "",
          "<flowable:failedJobRetryTimeCycle>R2/PT1S</flowable:failedJobRetryTimeCycle>"),
     {.retries = 2, .first_us = 1000000}},
    {TRIES("3"), {.retries = 2}},
    {TRIES("1"), {.retries = 0}},
    {TRIES("0"), {.retries = 0}},
    {TASK("serviceTask", "stepfast:retries='5'",
          "<zeebe:taskDefinition type='t' retries='3'/>"
          "<camunda:failedJobRetryTimeCycle>R9/PT1S</camunda:failedJobRetryTimeCycle>"),
     {.retries = 5}},
    {TASK("serviceTask", "",
          "<camunda:failedJobRetryTimeCycle>R9/PT1S</camunda:failedJobRetryTimeCycle>"
          "<zeebe:taskDefinition type='t' retries='3'/>"),
     {.retries = 2}},
    {TASK("endEvent", "stepfast:retries='4' stepfast:handler='h'",
          "</extensionElements><messageEventDefinition/><extensionElements>"),
     {.retries = 4}},
};

STF_TEST(policies_come_into_the_model)
{
    for (size_t i = 0; i < STF_COUNT_OF(rows); i++) {
        fixture file;
        fixture_load_body(&file, rows[i].body);
        fixture_expect_silence(&file);
        const stf_retry_policy *policy = fixture_node(&file, "x")->retry;
        ck_assert_ptr_nonnull(policy);
        ck_assert_msg(memcmp(policy, &rows[i].policy, sizeof(*policy)) == 0,
                      "row %zu: %u after %lld, %u %%, at most %lld, %u %%", i, policy->retries,
                      (long long)policy->first_us, policy->factor_percent,
                      (long long)policy->cap_us, policy->jitter_percent);
        fixture_done(&file);
    }
}

STF_TEST(without_a_word_about_retries_the_engines_policy_counts)
{
    static const char *const bodies[] = {
        WORK(""), TASK("serviceTask", "", "<zeebe:taskDefinition type='t'/>"),
        TASK("serviceTask", "", "<zeebe:taskDefinition type='t' retries=' '/>"),
        WORK("stepfast:retries=''"),
        TASK("userTask", "",
             "<camunda:failedJobRetryTimeCycle>R9/PT1S</camunda:failedJobRetryTimeCycle>")};
    for (size_t i = 0; i < STF_COUNT_OF(bodies); i++) {
        fixture file;
        fixture_load_body(&file, bodies[i]);
        fixture_expect_silence(&file);
        ck_assert_ptr_null(fixture_node(&file, "x")->retry);
        fixture_done(&file);
    }
}

static const rule_row wrong[] = {
    {WORK("stepfast:retries='many'"), STF_SEVERITY_ERROR, 4, "x", "retry.invalid",
     "stepfast:retries is \"many\""},
    {WORK("stepfast:retries='1001'"), STF_SEVERITY_ERROR, 4, "x", "retry.invalid", "up to 1000"},
    {WORK("stepfast:retries='-1'"), STF_SEVERITY_ERROR, 4, "x", "retry.invalid", "\"-1\""},
    {WORK("stepfast:retries='99999999999999999999'"), STF_SEVERITY_ERROR, 4, "x", "retry.invalid",
     "up to 1000"},
    {WORK("stepfast:retryDelay='PT1S'"), STF_SEVERITY_ERROR, 4, "x", "retry.invalid",
     "stepfast:retries is \"\""},
    {WORK("stepfast:retries='1' stepfast:retryDelay='P1M'"), STF_SEVERITY_ERROR, 4, "x",
     "retry.invalid", "stepfast:retryDelay is \"P1M\""},
    {WORK("stepfast:retries='1' stepfast:retryMax='soon'"), STF_SEVERITY_ERROR, 4, "x",
     "retry.invalid", "stepfast:retryMax"},
    {WORK("stepfast:retries='1' stepfast:retryFactor='0.5'"), STF_SEVERITY_ERROR, 4, "x",
     "retry.invalid", "from 1 to 100"},
    {WORK("stepfast:retries='1' stepfast:retryFactor='100.01'"), STF_SEVERITY_ERROR, 4, "x",
     "retry.invalid", "from 1 to 100"},
    {WORK("stepfast:retries='1' stepfast:retryFactor='1.'"), STF_SEVERITY_ERROR, 4, "x",
     "retry.invalid", "from 1 to 100"},
    {WORK("stepfast:retries='1' stepfast:retryFactor='1.555'"), STF_SEVERITY_ERROR, 4, "x",
     "retry.invalid", "from 1 to 100"},
    {WORK("stepfast:retries='1' stepfast:retryJitter='101'"), STF_SEVERITY_ERROR, 4, "x",
     "retry.invalid", "from 0 to 100"},
    {TRIES("1002"), STF_SEVERITY_ERROR, 4, "x", "retry.invalid", "retries is \"1002\""},
    {TRIES("=n"), STF_SEVERITY_UNSUPPORTED, 4, "x", "unsupported", "retries"},
    {CYCLE("R/PT1M"), STF_SEVERITY_ERROR, 5, "x", "retry.invalid", "such as R3/PT10M"},
    {CYCLE("R3/P1M"), STF_SEVERITY_ERROR, 5, "x", "retry.invalid", "such as R3/PT10M"},
    {CYCLE("R3/2030-01-31T12:00:00Z/PT1M"), STF_SEVERITY_ERROR, 5, "x", "retry.invalid", "such as"},
    {CYCLE(""), STF_SEVERITY_ERROR, 5, "x", "retry.invalid", "such as"},
    {CYCLE("PT1M,"), STF_SEVERITY_ERROR, 5, "x", "retry.invalid", "such as"},
    {CYCLE("PT1M,,PT2M"), STF_SEVERITY_ERROR, 5, "x", "retry.invalid", "such as"},
    {CYCLE("${cycle}"), STF_SEVERITY_UNSUPPORTED, 5, "x", "unsupported", "failedJobRetryTimeCycle"},
    {CYCLE("PT1M, PT5M"), STF_SEVERITY_WARNING, 5, "x", "retry.list", "for all 2 retries"},
    {TASK("userTask", "stepfast:retries='3'", ""), STF_SEVERITY_WARNING, 4, "x", "retry.ignored",
     "where a handler is called"},
};

STF_TEST(policies_that_cannot_be_read_are_told)
{
    fixture_check_rows(wrong, STF_COUNT_OF(wrong));
}

STF_TEST(of_a_list_the_first_delay_is_taken_for_all)
{
    fixture file;
    fixture_load_body(&file, CYCLE("PT1M, PT5M,PT1H"));
    const stf_retry_policy *policy = fixture_node(&file, "x")->retry;
    ck_assert_uint_eq(policy->retries, 3);
    ck_assert_int_eq(policy->first_us, 60000000);
    fixture_done(&file);
}

static const stf_test_case cases[] = {
    STF_CASE(policies_come_into_the_model),
    STF_CASE(without_a_word_about_retries_the_engines_policy_counts),
    STF_CASE(policies_that_cannot_be_read_are_told),
    STF_CASE(of_a_list_the_first_delay_is_taken_for_all),
};

STF_TEST_MAIN("bpmn/retry", cases)

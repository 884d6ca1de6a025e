/* SPDX-License-Identifier: Apache-2.0 */
/* Inclusive gateways as splits; core/test_join.c has the joins. */
#include "core_case.h"

#define FLOW_IF(id, to, condition)                                                                 \
    "<sequenceFlow id='" id "' sourceRef='g' targetRef='" to "'><conditionExpression>"             \
    "${" condition "}</conditionExpression></sequenceFlow>"
#define FLOW(id, to) "<sequenceFlow id='" id "' sourceRef='g' targetRef='" to "'/>"
#define HEAD(gateway)                                                                              \
    "<startEvent id='s'/><sequenceFlow id='f0' sourceRef='s' targetRef='g'/>"                      \
    "<inclusiveGateway id='g'" gateway "/>"                                                        \
    "<userTask id='a'/><userTask id='b'/><userTask id='c'/>"

typedef struct split_case {
    const char *body;
    const char *variables;
    const char *waiting; /* NULL: an incident at the gateway */
} split_case;

#define THREE                                                                                      \
    FLOW_IF("f1", "a", "v == 1") FLOW_IF("f2", "b", "v &lt;= 2") FLOW_IF("f3", "c", "v &lt;= 3")

static const split_case splits[] = {
    {HEAD("") THREE, "{\"v\": 1}", "a b c"},
    {HEAD("") THREE, "{\"v\": 2}", "b c"},
    {HEAD("") THREE, "{\"v\": 3}", "c"},
    {HEAD("") THREE, "{\"v\": 4}", NULL},
    {HEAD("") FLOW_IF("f1", "a", "v == 1") FLOW("f2", "b"), "{\"v\": 1}", "a b"},
    {HEAD("") FLOW_IF("f1", "a", "v == 1") FLOW("f2", "b"), "{\"v\": 2}", "b"},
    /* The default is taken when nothing else is. */
    {HEAD(" default='f2'") FLOW_IF("f1", "a", "v == 1") FLOW("f2", "b"), "{\"v\": 1}", "a"},
    {HEAD(" default='f2'") FLOW_IF("f1", "a", "v == 1") FLOW("f2", "b"), "{\"v\": 2}", "b"},
};

STF_TEST(all_flows_whose_conditions_hold_are_taken)
{
    for (size_t i = 0; i < STF_COUNT_OF(splits); i++) {
        core_case *c = core_case_load(splits[i].body);
        core_case_start(c, splits[i].variables);
        if (splits[i].waiting != NULL) {
            core_case_expect_waiting(c, splits[i].waiting);
        } else {
            core_case_expect_incident(c, "g", "no_flow", "no condition of the flows out of \"g\"");
        }
        core_case_free(c);
    }
}

/* Item 4. */
STF_TEST(trap_4_the_condition_of_an_only_flow_is_asked)
{
    core_case *c = core_case_load(HEAD("") FLOW_IF("f1", "a", "v == 1"));
    core_case_start(c, "{\"v\": 2}");
    core_case_expect_incident(c, "g", "no_flow", "no condition");
    core_case_set(c, "{\"v\": 1}");
    core_case_retry(c);
    core_case_expect_waiting(c, "a");
    core_case_free(c);
}

/* Item 5: it is neither refused nor asked. */
STF_TEST(trap_5_the_condition_of_the_default_flow_does_not_count)
{
    core_case *c = core_case_load(HEAD(" default='f2'") FLOW_IF("f1", "a", "v == 1")
                                      FLOW_IF("f2", "b", "v == 1"));
    core_case_start(c, "{\"v\": 1}");
    core_case_expect_waiting(c, "a");
    core_case_free(c);
    c = core_case_load(HEAD(" default='f2'") FLOW_IF("f1", "a", "v == 1")
                           FLOW_IF("f2", "b", "nonsense(v)"));
    core_case_start(c, "{\"v\": 2}");
    core_case_expect_waiting(c, "b");
    core_case_free(c);
}

/* Item 6. */
STF_TEST(trap_6_a_default_that_stands_first_is_still_the_last_choice)
{
    core_case *c =
        core_case_load(HEAD(" default='f1'") FLOW("f1", "a") FLOW_IF("f2", "b", "v == 1"));
    core_case_start(c, "{\"v\": 1}");
    core_case_expect_waiting(c, "b");
    core_case_free(c);
}

/* Item 3: one condition fails after another one held: nothing is taken, and the retry asks all. */
STF_TEST(trap_3_a_retry_makes_the_whole_split_again)
{
    core_case *c = core_case_load(HEAD("") FLOW_IF("f1", "a", "v == 1") FLOW_IF("f2", "b", "w"));
    core_case_start(c, "{\"v\": 1, \"w\": 5}");
    core_case_expect_incident(c, "g", "expression", "condition of flow \"f2\"");
    core_case_expect_waiting(c, "");
    core_case_set(c, "{\"v\": 2, \"w\": true}");
    core_case_retry(c);
    core_case_expect_waiting(c, "b");
    core_case_expect_completed(c, "g", 1);
    core_case_task(c, "b", NULL);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_expect_one_end_each(c);
    core_case_free(c);
}

STF_TEST(a_gateway_that_leads_nowhere_ends_its_token)
{
    core_case *c = core_case_load(HEAD(""));
    core_case_start(c, NULL);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(all_flows_whose_conditions_hold_are_taken),
    STF_CASE(trap_4_the_condition_of_an_only_flow_is_asked),
    STF_CASE(trap_5_the_condition_of_the_default_flow_does_not_count),
    STF_CASE(trap_6_a_default_that_stands_first_is_still_the_last_choice),
    STF_CASE(trap_3_a_retry_makes_the_whole_split_again),
    STF_CASE(a_gateway_that_leads_nowhere_ends_its_token),
};

STF_TEST_MAIN("core/element/inclusive_gateway", cases)

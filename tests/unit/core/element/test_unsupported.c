/* SPDX-License-Identifier: Apache-2.0 */
/* A token at a kind that nothing executes yet is kept, with an incident that says so. */
#include "core_case.h"

#include <stepfast/bpmn.h>

STF_TEST(the_token_is_held_and_a_retry_holds_it_again)
{
    static const char file[] =
        "<definitions xmlns='http://www.omg.org/spec/BPMN/20100524/MODEL' targetNamespace='urn:t'>"
        "<process id='p'><startEvent id='s'/><sequenceFlow id='f' sourceRef='s' targetRef='r'/>"
        "<endEvent id='r'><signalEventDefinition/></endEvent></process></definitions>";
    core_case *c = core_case_load("<startEvent id='s'/>");
    stf_model *model = NULL;
    STF_CHECK_OK(stf_bpmn_load(NULL, (stf_bytes){(const uint8_t *)file, sizeof(file) - 1}, NULL,
                               &model, &c->error),
                 &c->error);
    stf_model_unref(c->model);
    c->model = model;
    c->process = stf__model_find_process(model, stf_str_of("p"));
    core_case_start(c, NULL);
    core_case_expect_incident(c, "r", "unsupported", "end signal");
    ck_assert_uint_eq(core_case_count(c, STF_FACT_NODE_ENTERED, "r"), 0);
    core_case_retry(c);
    core_case_expect_incident(c, "r", "unsupported", "end signal");
    ck_assert_uint_eq(c->doc->activation_count, 1);
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(the_token_is_held_and_a_retry_holds_it_again),
};

STF_TEST_MAIN("core/element/unsupported", cases)

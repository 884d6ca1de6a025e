/* SPDX-License-Identifier: Apache-2.0 */
/* Variables: written to the process, sorted, copied out; which values live in bulk. */
#include "core_case.h"

static const char one_task[] = "<startEvent id='s'/><userTask id='t'/>"
                               "<sequenceFlow id='f' sourceRef='s' targetRef='t'/>";

STF_TEST(a_result_replaces_what_has_its_name_and_adds_the_rest)
{
    core_case *c = core_case_load(one_task);
    core_case_start(c, "{\"b\": 1, \"d\": [1, 2]}");
    core_case_set(c, "{\"a\": true, \"b\": 2, \"c\": null, \"\": \"nameless\"}");
    core_case_expect_variable(c, "a", "true");
    core_case_expect_variable(c, "b", "2");
    core_case_expect_variable(c, "c", "null");
    core_case_expect_variable(c, "d", "[1, 2]");
    core_case_expect_variable(c, "", "\"nameless\"");
    for (size_t i = 1; i < c->doc->scopes[0].variable_count; i++) {
        ck_assert_int_lt(
            stf_str_compare(c->doc->scopes[0].variables[i - 1].name, c->doc->scopes[0].variables[i].name), 0);
    }
    core_case_wake(c);
    core_case_expect_variable(c, "", "\"nameless\"");
    core_case_free(c);
}

STF_TEST(variables_are_copied_for_an_activation_that_exists)
{
    core_case *c = core_case_load(one_task);
    core_case_start(c, "{\"n\": 1}");
    stf_value *copy = NULL;
    STF_CHECK_OK(stf__doc_copy_variables(c->doc, 2, &copy, &c->error), &c->error);
    ck_assert_uint_eq(stf_value_count(copy), 1);
    stf_value_unref(copy);
    ck_assert_int_eq(stf__doc_copy_variables(c->doc, 77, &copy, &c->error), STF_NOT_FOUND);
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(a_result_replaces_what_has_its_name_and_adds_the_rest),
    STF_CASE(variables_are_copied_for_an_activation_that_exists),
};

STF_TEST_MAIN("core/variables", cases)

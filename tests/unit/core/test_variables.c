/* SPDX-License-Identifier: Apache-2.0 */
/* Variables: written to the process, sorted, copied out; which values live in bulk. */
#include "core_case.h"
#include "doc_case.h"

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
        ck_assert_int_lt(stf_str_compare(c->doc->scopes[0].variables[i - 1].name,
                                         c->doc->scopes[0].variables[i].name),
                         0);
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

static void expect_variable(const stf__doc *doc, uint64_t scope, const char *name, const char *json)
{
    const stf_value *value = stf__doc_peek_variable(doc, scope, stf_str_of(name));
    stf_value *expected = core_case_json(json);
    ck_assert_msg(json == NULL ? value == NULL : stf_value_equal(value, expected), "%s in %llu",
                  name, (unsigned long long)scope);
    stf_value_unref(expected);
}

/* Scopes 4 in 1 in 0. */
STF_TEST(a_name_means_the_nearest_scope_that_has_it)
{
    stf__doc *doc = doc_case_rich();
    expect_variable(doc, 0, "m", "\"outer\"");
    expect_variable(doc, 1, "m", "\"inner\"");
    expect_variable(doc, 4, "m", "\"inner\"");
    expect_variable(doc, 4, "n", "1");
    expect_variable(doc, 1, "deep", NULL);
    expect_variable(doc, 99, "n", NULL);
    stf__doc_free(doc);
}

STF_TEST(a_result_is_written_to_the_nearest_scope_that_has_the_name_else_to_the_process)
{
    stf__doc *doc = doc_case_rich();
    stf_value *result = core_case_json("{\"m\": 7, \"n\": 8, \"deep\": 9, \"new\": 10}");
    STF_CHECK_OK(stf__doc_merge_variables(doc, 4, result, NULL), (stf_error *)NULL);
    STF_CHECK_OK(stf__doc_merge_variables(doc, 4, NULL, NULL), (stf_error *)NULL);
    expect_variable(doc, 0, "m", "\"outer\"");
    expect_variable(doc, 1, "m", "7");
    expect_variable(doc, 0, "n", "8");
    expect_variable(doc, 4, "deep", "9");
    expect_variable(doc, 0, "new", "10");
    ck_assert_uint_eq(doc->scopes[1].variable_count, 2);
    ck_assert_uint_eq(doc->scopes[2].variable_count, 1);
    doc_case_check(doc);
    stf_value_unref(result);
    stf__doc_free(doc);
}

STF_TEST(setting_writes_to_that_very_scope)
{
    stf__doc *doc = doc_case_rich();
    doc_case_set(doc, 4, "m", "1");
    expect_variable(doc, 4, "m", "1");
    expect_variable(doc, 1, "m", "\"inner\"");
    ck_assert_int_eq(stf__doc_set_variable(doc, 99, stf_str_of("m"), stf_value_null(), NULL),
                     STF_CORRUPT);
    doc_case_check(doc);
    stf__doc_free(doc);
}

STF_TEST(a_copy_has_all_that_is_visible_and_inner_names_hide_outer_ones)
{
    static const struct {
        uint64_t scope;
        size_t count;
        const char *m;
    } rows[] = {{0, 3, "outer"}, {1, 4, "inner"}, {4, 5, "inner"}};
    stf__doc *doc = doc_case_rich();
    for (size_t i = 0; i < STF_COUNT_OF(rows); i++) {
        stf_value *copy = NULL;
        STF_CHECK_OK(stf__doc_copy_scope_variables(doc, rows[i].scope, &copy, NULL),
                     (stf_error *)NULL);
        ck_assert_uint_eq(stf_value_count(copy), rows[i].count);
        STF_CHECK_STR(stf_value_peek_string(stf_value_peek(copy, stf_str_of("m"))), rows[i].m);
        stf_value_unref(copy);
    }
    stf_value *copy = NULL;
    ck_assert_int_eq(stf__doc_copy_scope_variables(doc, 99, &copy, NULL), STF_NOT_FOUND);
    /* An activation sees what its scope does. */
    STF_CHECK_OK(stf__doc_copy_variables(doc, doc_case_find(doc, "task")->number, &copy, NULL),
                 (stf_error *)NULL);
    ck_assert_uint_eq(stf_value_count(copy), 4);
    stf_value_unref(copy);
    stf__doc_free(doc);
}

static const stf_test_case cases[] = {
    STF_CASE(a_name_means_the_nearest_scope_that_has_it),
    STF_CASE(a_result_is_written_to_the_nearest_scope_that_has_the_name_else_to_the_process),
    STF_CASE(setting_writes_to_that_very_scope),
    STF_CASE(a_copy_has_all_that_is_visible_and_inner_names_hide_outer_ones),
    STF_CASE(a_result_replaces_what_has_its_name_and_adds_the_rest),
    STF_CASE(variables_are_copied_for_an_activation_that_exists),
};

STF_TEST_MAIN("core/variables", cases)

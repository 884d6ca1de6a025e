/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of scopes as a list. */
#include "doc_case.h"

STF_TEST(a_scope_opens_inside_that_of_its_activation_and_stands_at_its_number)
{
    stf__doc *doc = doc_case_new(STF__DOC_INSTANCE);
    stf__activation *first = doc_case_add(doc, 0, "a", STF__FOR_TASK);
    stf__activation *second = doc_case_add(doc, 0, "b", STF__FOR_SCOPE);
    STF_CHECK_OK(stf__doc_add_scope(doc, first, NULL), (stf_error *)NULL); /* a later retry */
    doc_case_add(doc, 2, "c", STF__FOR_SCOPE);
    static const uint64_t numbers[] = {0, 1, 2, 3};
    static const uint64_t parents[] = {0, 0, 0, 2};
    ck_assert_uint_eq(doc->scope_count, STF_COUNT_OF(numbers));
    for (size_t i = 0; i < STF_COUNT_OF(numbers); i++) {
        ck_assert_uint_eq(doc->scopes[i].number, numbers[i]);
        ck_assert_uint_eq(doc->scopes[i].parent, parents[i]);
        ck_assert_ptr_eq(stf__doc_find_scope(doc, numbers[i]), &doc->scopes[i]);
    }
    ck_assert_ptr_null(stf__doc_find_scope(doc, 4));
    ck_assert_int_eq(stf__doc_add_scope(doc, second, NULL), STF_ALREADY_EXISTS);
    stf__doc_free(doc);
}

STF_TEST(a_scope_leaves_with_its_variables_and_tokens_and_nothing_else)
{
    stf__doc *doc = doc_case_rich();
    stf_str j = stf_str_of("j");
    ck_assert_uint_eq(stf__doc_count_in_scope(doc, 4), 2);
    ck_assert_uint_eq(stf__doc_count_in_scope(doc, 1), 4); /* task, gate, inner, a token */
    uint64_t bulk = doc->bulk_version;
    stf__doc_remove_scope(doc, 4);
    ck_assert_uint_eq(doc->bulk_version, bulk);
    ck_assert_uint_eq(stf__doc_count_parked(doc, 4, j, stf_str_of("f2")), 0);
    ck_assert_uint_eq(doc->ready_count, 1);
    ck_assert_uint_eq(doc->scope_count, 2);
    stf__doc_remove_scope(doc, 4); /* none any more */
    stf__doc_remove_scope(doc, 0); /* the process stays */
    ck_assert_uint_eq(doc->scope_count, 2);
    stf__doc_free(doc);
}

STF_TEST(a_large_value_that_leaves_with_its_scope_changes_bulk)
{
    stf__doc *doc = doc_case_rich();
    stf_buf head;
    stf_buf bulk;
    bool has_changed = false;
    stf_buf_init(&head, NULL);
    stf_buf_init(&bulk, NULL);
    STF_CHECK_OK(stf__doc_encode(doc, &head, &bulk, &has_changed, NULL), (stf_error *)NULL);
    stf__doc_saved(doc);
    stf__doc_remove_scope(doc, 4);
    STF_CHECK_OK(stf__doc_encode_head(doc, &head, &has_changed, NULL), (stf_error *)NULL);
    ck_assert(!has_changed);
    stf__doc_remove_scope(doc, 1);
    STF_CHECK_OK(stf__doc_encode_head(doc, &head, &has_changed, NULL), (stf_error *)NULL);
    ck_assert(has_changed);
    stf_buf_done(&head);
    stf_buf_done(&bulk);
    stf__doc_free(doc);
}

STF_TEST(scopes_are_nested_as_deep_as_the_limit_and_no_deeper)
{
    stf__doc *doc = doc_case_new(STF__DOC_INSTANCE);
    for (uint64_t i = 0; i < STF_LIMIT_SCOPE_DEPTH; i++) {
        doc_case_add(doc, i, "s", STF__FOR_SCOPE);
    }
    stf__activation *one_more = doc_case_add(doc, STF_LIMIT_SCOPE_DEPTH, "t", STF__FOR_TASK);
    doc_case_check(doc);
    ck_assert_int_eq(stf__doc_add_scope(doc, one_more, NULL), STF_LIMIT_EXCEEDED);
    /* Nor does such a document come in from outside. */
    doc_case_add(doc, one_more->number, "u", STF__FOR_TASK);
    one_more->active_for = STF__FOR_SCOPE;
    STF_CHECK_OK(stf__doc_insert_scope(doc, one_more->number, one_more->scope, NULL),
                 (stf_error *)NULL);
    ck_assert_int_eq(stf__doc_check_invariants(doc), STF_CORRUPT);
    stf__doc_free(doc);
}

STF_TEST(clearing_the_flow_leaves_the_process_and_its_variables)
{
    stf__doc *doc = doc_case_rich();
    stf__doc_clear_flow(doc);
    ck_assert_uint_eq(doc->scope_count, 1);
    ck_assert_uint_eq(doc->scopes[0].variable_count, 3);
    ck_assert_uint_eq(doc->subscription_count + doc->timer_count + doc->parked_count, 0);
    ck_assert_uint_eq(doc->outbox_count, 5);
    doc->end_how = STF__END_COMPLETED;
    doc_case_check(doc);
    stf__doc_free(doc);
}

static const stf_test_case cases[] = {
    STF_CASE(a_scope_opens_inside_that_of_its_activation_and_stands_at_its_number),
    STF_CASE(a_scope_leaves_with_its_variables_and_tokens_and_nothing_else),
    STF_CASE(a_large_value_that_leaves_with_its_scope_changes_bulk),
    STF_CASE(scopes_are_nested_as_deep_as_the_limit_and_no_deeper),
    STF_CASE(clearing_the_flow_leaves_the_process_and_its_variables),
};

STF_TEST_MAIN("core/scopes", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* The lists of the document in their canonical order. */
#include "core_case.h"

static stf__doc *new_doc(void)
{
    stf__doc_identity identity = {.id = stf_str_of("i"), .process = stf_str_of("p")};
    stf__doc *doc = NULL;
    STF_CHECK_OK(stf__doc_new(NULL, &identity, &doc, NULL), (stf_error *)NULL);
    return doc;
}

static void park(stf__doc *doc, const char *node, const char *flow)
{
    stf__token token = {.count = 1, .node = stf_str_of(node), .flow = stf_str_of(flow)};
    STF_CHECK_OK(stf__doc_park(doc, &token, NULL), (stf_error *)NULL);
}

STF_TEST(ready_tokens_leave_in_the_order_they_came)
{
    stf__doc *doc = new_doc();
    stf__token token = {.count = 1, .node = stf_str_of("n")};
    uint64_t pushed = 0;
    uint64_t taken = 0;
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < 3; i++) {
            token.scope = pushed++;
            STF_CHECK_OK(stf__doc_push_ready(doc, &token, NULL), (stf_error *)NULL);
        }
        for (int i = 0; i < 2; i++) {
            stf__token out;
            ck_assert(stf__doc_take_ready(doc, &out));
            ck_assert_uint_eq(out.scope, taken++);
        }
    }
    ck_assert_uint_eq(stf__doc_count_live(doc), pushed - taken);
    stf__token out;
    while (stf__doc_take_ready(doc, &out)) {
        ck_assert_uint_eq(out.scope, taken++);
    }
    ck_assert_uint_eq(taken, pushed);
    stf__doc_free(doc);
}

STF_TEST(parked_tokens_are_counted_per_node_and_flow_and_sorted)
{
    stf__doc *doc = new_doc();
    park(doc, "j2", "a");
    park(doc, "j1", "b");
    park(doc, "j1", "a");
    park(doc, "j1", "b");
    ck_assert_uint_eq(doc->parked_count, 3);
    STF_CHECK_STR(doc->parked[0].flow, "a");
    STF_CHECK_STR(doc->parked[2].node, "j2");
    ck_assert_uint_eq(stf__doc_count_parked(doc, 0, stf_str_of("j1"), stf_str_of("b")), 2);
    ck_assert_uint_eq(stf__doc_count_parked(doc, 1, stf_str_of("j1"), stf_str_of("b")), 0);
    ck_assert_uint_eq(stf__doc_count_live(doc), 4);
    stf__doc_unpark(doc, 0, stf_str_of("j1"), stf_str_of("b"));
    ck_assert_uint_eq(stf__doc_count_parked(doc, 0, stf_str_of("j1"), stf_str_of("b")), 1);
    stf__doc_unpark(doc, 0, stf_str_of("j1"), stf_str_of("b"));
    stf__doc_unpark(doc, 0, stf_str_of("j1"), stf_str_of("b")); /* nothing there: nothing */
    ck_assert_uint_eq(doc->parked_count, 2);
    stf__doc_free(doc);
}

/* Item 11: a join only counts tokens of its own scope instance. */
STF_TEST(trap_11_tokens_of_another_scope_are_counted_apart)
{
    stf__doc *doc = new_doc();
    stf__token token = {.scope = 5, .count = 1, .node = stf_str_of("j"), .flow = stf_str_of("f")};
    STF_CHECK_OK(stf__doc_park(doc, &token, NULL), (stf_error *)NULL);
    park(doc, "j", "f");
    ck_assert_uint_eq(doc->parked_count, 2);
    ck_assert_uint_eq(stf__doc_count_parked(doc, 0, stf_str_of("j"), stf_str_of("f")), 1);
    ck_assert_uint_eq(stf__doc_count_parked(doc, 5, stf_str_of("j"), stf_str_of("f")), 1);
    stf__doc_free(doc);
}

STF_TEST(activations_are_found_by_number_and_removed_in_any_order)
{
    stf__doc *doc = new_doc();
    for (uint64_t number = 1; number <= 20; number++) {
        stf__activation *activation = NULL;
        STF_CHECK_OK(stf__doc_add_activation(doc, number * 2, &activation, NULL),
                     (stf_error *)NULL);
    }
    ck_assert_ptr_null(stf__doc_find_activation(doc, 7));
    ck_assert_ptr_null(stf__doc_find_activation(doc, 41));
    for (uint64_t number = 2; number <= 20; number += 2) {
        stf__doc_remove_activation(doc, stf__doc_find_activation(doc, number * 2));
    }
    ck_assert_uint_eq(doc->activation_count, 10);
    for (uint64_t number = 1; number <= 20; number++) {
        ck_assert((stf__doc_find_activation(doc, number * 2) != NULL) == (number % 2 == 1));
    }
    stf__doc_free(doc);
}

STF_TEST(incidents_and_their_kinds_have_names)
{
    stf__doc *doc = new_doc();
    stf__incident incident = {.number = 1, .activation = 4, .kind = STF__INCIDENT_BPMN_ERROR};
    STF_CHECK_OK(stf__doc_add_incident(doc, &incident, stf_str_of("C"), stf_str_of("text"), NULL),
                 (stf_error *)NULL);
    incident.number = 2;
    incident.activation = 6;
    STF_CHECK_OK(stf__doc_add_incident(doc, &incident, stf_str_of(""), stf_str_of("two"), NULL),
                 (stf_error *)NULL);
    stf__doc_remove_incident(doc, 0);
    ck_assert_uint_eq(doc->incident_count, 1);
    ck_assert_str_eq(doc->incidents[0].message, "two");
    for (uint32_t kind = 1; kind <= STF__INCIDENT_KIND_LAST; kind++) {
        ck_assert_str_ne(stf__incident_kind_name(kind), "?");
    }
    ck_assert_str_eq(stf__incident_kind_name(0), "?");
    ck_assert_str_eq(stf__incident_kind_name(STF__INCIDENT_KIND_LAST + 1), "?");
    stf__doc_free(doc);
}

static const stf_test_case cases[] = {
    STF_CASE(ready_tokens_leave_in_the_order_they_came),
    STF_CASE(parked_tokens_are_counted_per_node_and_flow_and_sorted),
    STF_CASE(trap_11_tokens_of_another_scope_are_counted_apart),
    STF_CASE(activations_are_found_by_number_and_removed_in_any_order),
    STF_CASE(incidents_and_their_kinds_have_names),
};

STF_TEST_MAIN("core/flow_state", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* Prefixes and open elements. */
#include "bpmn/namespace.h"

#include "base/mem.h"
#include "support/stf_test.h"

static stf__ns find(const stf__ns_stack *stack, const char *prefix)
{
    stf__ns ns = STF__NS_NONE;
    stf_str uri;
    ck_assert(stf__ns_find(stack, stf_str_of(prefix), &ns, &uri));
    return ns;
}

static bool is_known(const stf__ns_stack *stack, const char *prefix)
{
    stf__ns ns;
    stf_str uri;
    return stf__ns_find(stack, stf_str_of(prefix), &ns, &uri);
}

STF_TEST(declarations_hold_for_their_element_and_what_is_inside)
{
    static stf__ns_stack stack;
    stf__ns_init(&stack, NULL);
    ck_assert_int_eq(find(&stack, ""), STF__NS_NONE);
    ck_assert_int_eq(stf__ns_push(&stack, STF_STR("a"), 1), STF_OK);
    ck_assert_int_eq(stf__ns_bind(&stack, STF_STR("p"), STF_STR(STF__NS_BPMN_URI)), STF_OK);
    ck_assert_int_eq(stf__ns_bind(&stack, STF_STR(""), STF_STR("urn:other")), STF_OK);
    ck_assert_int_eq(stf__ns_push(&stack, STF_STR("b"), 2), STF_OK);
    ck_assert_int_eq(stf__ns_bind(&stack, STF_STR("p"), STF_STR(STF__NS_STEPFAST_URI)), STF_OK);
    ck_assert_int_eq(find(&stack, "p"), STF__NS_STEPFAST);
    ck_assert_int_eq(find(&stack, ""), STF__NS_OTHER);
    stf__ns_pop(&stack);
    ck_assert_int_eq(find(&stack, "p"), STF__NS_BPMN);
    stf__ns_pop(&stack);
    ck_assert(!is_known(&stack, "p"));
    ck_assert_int_eq(find(&stack, ""), STF__NS_NONE);
    stf__ns_done(&stack);
}

STF_TEST(an_empty_declaration_takes_the_default_namespace_away)
{
    static stf__ns_stack stack;
    stf__ns_init(&stack, NULL);
    ck_assert_int_eq(stf__ns_push(&stack, STF_STR("a"), 1), STF_OK);
    ck_assert_int_eq(stf__ns_bind(&stack, STF_STR(""), STF_STR(STF__NS_BPMN_URI)), STF_OK);
    ck_assert_int_eq(stf__ns_push(&stack, STF_STR("b"), 1), STF_OK);
    ck_assert_int_eq(stf__ns_bind(&stack, STF_STR(""), STF_STR("")), STF_OK);
    ck_assert_int_eq(find(&stack, ""), STF__NS_NONE);
    stf__ns_done(&stack);
}

STF_TEST(the_prefix_xml_needs_no_declaration)
{
    static stf__ns_stack stack;
    stf__ns_init(&stack, NULL);
    ck_assert_int_eq(find(&stack, "xml"), STF__NS_OTHER);
    stf__ns_done(&stack);
}

STF_TEST(the_innermost_open_element_is_known_with_its_line)
{
    static stf__ns_stack stack;
    uint32_t line = 0;
    stf__ns_init(&stack, NULL);
    STF_CHECK_STR(stf__ns_peek_open(&stack, &line), "");
    ck_assert_int_eq(stf__ns_push(&stack, STF_STR("x:outer"), 4), STF_OK);
    ck_assert_int_eq(stf__ns_push(&stack, STF_STR("inner"), 7), STF_OK);
    STF_CHECK_STR(stf__ns_peek_open(&stack, &line), "inner");
    ck_assert_uint_eq(line, 7);
    stf__ns_pop(&stack);
    STF_CHECK_STR(stf__ns_peek_open(&stack, &line), "x:outer");
    stf__ns_done(&stack);
}

STF_TEST(declarations_in_scope_have_a_limit)
{
    static stf__ns_stack stack;
    stf__ns_init(&stack, NULL);
    ck_assert_int_eq(stf__ns_push(&stack, STF_STR("a"), 1), STF_OK);
    for (unsigned i = 0; i < STF_LIMIT_XML_ATTRIBUTES; i++) {
        ck_assert_int_eq(stf__ns_bind(&stack, STF_STR("p"), STF_STR("urn:x")), STF_OK);
    }
    ck_assert_int_eq(stf__ns_bind(&stack, STF_STR("p"), STF_STR("urn:x")), STF_LIMIT_EXCEEDED);
    stf__ns_done(&stack);
}

static const stf_test_case cases[] = {
    STF_CASE(declarations_hold_for_their_element_and_what_is_inside),
    STF_CASE(an_empty_declaration_takes_the_default_namespace_away),
    STF_CASE(the_prefix_xml_needs_no_declaration),
    STF_CASE(the_innermost_open_element_is_known_with_its_line),
    STF_CASE(declarations_in_scope_have_a_limit),
};

STF_TEST_MAIN("bpmn/namespace", cases)

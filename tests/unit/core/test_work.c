/* SPDX-License-Identifier: Apache-2.0 */
/* Work between a step and its save: listing, starting, keys. */
#include "core_case.h"

static const char two_jobs[] = "<startEvent id='s'/>"
                               "<sequenceFlow id='f1' sourceRef='s' targetRef='a'/>"
                               "<sequenceFlow id='f2' sourceRef='s' targetRef='u'/>"
                               "<sequenceFlow id='f3' sourceRef='s' targetRef='b'/>"
                               "<userTask id='u'/><serviceTask id='a' stepfast:handler='ha'/>"
                               "<serviceTask id='b' stepfast:handler='hb'/>";

static stf_status mark(core_case *c, uint64_t activation)
{
    return stf__doc_mark_started(c->doc, activation, 4, false, c->now, &c->effects, &c->error);
}

STF_TEST(pending_work_is_listed_in_the_order_of_activations)
{
    core_case *c = core_case_load(two_jobs);
    core_case_start(c, NULL);
    stf__work_item item;
    ck_assert(stf__doc_next_work(c->doc, 0, &item));
    STF_CHECK_STR(item.element, "a");
    STF_CHECK_STR(item.topic, "ha");
    ck_assert_uint_eq(item.attempt, 1);
    ck_assert_int_eq(item.since.us, CORE_CASE_BEGIN_US);
    ck_assert(stf__doc_next_work(c->doc, item.activation, &item));
    STF_CHECK_STR(item.element, "b");
    ck_assert(!stf__doc_next_work(c->doc, item.activation, &item));
    ck_assert(!stf__doc_next_work(c->doc, UINT64_MAX, &item));
    core_case_answer(c, "a", STF__WORK_FAILED, "no");
    ck_assert(stf__doc_next_work(c->doc, 0, &item));
    STF_CHECK_STR(item.element, "b");
    core_case_free(c);
}

STF_TEST(work_starts_once_and_only_where_there_is_some)
{
    core_case *c = core_case_load(two_jobs);
    core_case_start(c, NULL);
    ck_assert_int_eq(mark(c, 99), STF_NOT_FOUND);
    ck_assert_int_eq(mark(c, 3), STF_NOT_FOUND); /* the user task */
    ck_assert_int_eq(mark(c, 2), STF_OK);
    ck_assert_int_eq(mark(c, 2), STF_INVALID_STATE);
    stf__work_item item = core_case_find_work(c, "a");
    ck_assert(item.is_started);
    ck_assert_int_eq(item.incarnation, 4);
    const stf__fact_row *fact = &c->effects.facts[c->effects.fact_count - 1];
    ck_assert_uint_eq(fact->kind, STF_FACT_WORK_STARTED);
    STF_CHECK_STR(fact->detail, "ha");
    core_case_answer(c, "a", STF__WORK_UNKNOWN, "?");
    ck_assert_int_eq(mark(c, 2), STF_INVALID_STATE);
    core_case_free(c);
}

STF_TEST(r6_the_key_is_nonce_activation_and_definitive_failures)
{
    core_case *c = core_case_load(two_jobs);
    core_case_start(c, NULL);
    char key[STF__WORK_KEY_BYTES] = "untouched";
    ck_assert_int_eq(stf__doc_format_work_key(c->doc, 3, key, &c->error), STF_NOT_FOUND);
    ck_assert_str_eq(key, "untouched");
    STF_CHECK_OK(stf__doc_format_work_key(c->doc, 2, key, &c->error), &c->error);
    ck_assert_str_eq(key, "010203fe000000000000000000000000-2-0");
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(pending_work_is_listed_in_the_order_of_activations),
    STF_CASE(work_starts_once_and_only_where_there_is_some),
    STF_CASE(r6_the_key_is_nonce_activation_and_definitive_failures),
};

STF_TEST_MAIN("core/work", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* Effects live in the step's arena and outlive the document. */
#include "core_case.h"

STF_TEST(rows_keep_their_order_and_their_own_texts)
{
    stf__arena arena;
    stf__effects effects;
    stf__arena_init(&arena, NULL);
    stf__effects_init(&effects, &arena);
    for (uint64_t i = 0; i < 100; i++) {
        char element[16];
        snprintf(element, sizeof(element), "e%llu", (unsigned long long)i);
        stf__fact_row row = {.kind = STF_FACT_NODE_ENTERED,
                             .activation = i,
                             .at = {(int64_t)i},
                             .element = stf_str_of(element)};
        STF_CHECK_OK(stf__effects_add_fact(&effects, &row, NULL), (stf_error *)NULL);
        STF_CHECK_OK(stf__effects_add_cancelled(&effects, i, NULL), (stf_error *)NULL);
        STF_CHECK_OK(stf__effects_add_subscribed(&effects, stf_str_of(element),
                                                 stf_str_of(element + 1), NULL),
                     (stf_error *)NULL);
        memset(element, 'x', sizeof(element));
    }
    ck_assert_uint_eq(effects.fact_count, 100);
    ck_assert_uint_eq(effects.cancelled_count, 100);
    STF_CHECK_STR(effects.facts[73].element, "e73");
    ck_assert_uint_eq(effects.facts[73].activation, 73);
    ck_assert_uint_eq(effects.cancelled[99], 99);
    ck_assert_uint_eq(effects.subscribed_count, 100);
    STF_CHECK_STR(effects.subscribed[42].name, "e42");
    STF_CHECK_STR(effects.subscribed[42].key, "42");
    ck_assert(!effects.has_yielded);
    stf__arena_done(&arena);
}

static const stf_test_case cases[] = {
    STF_CASE(rows_keep_their_order_and_their_own_texts),
};

STF_TEST_MAIN("core/effects", cases)

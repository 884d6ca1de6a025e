/* SPDX-License-Identifier: Apache-2.0 */
/* Timers and subscriptions. */
#include "doc_case.h"

STF_TEST(r5_a_message_finds_the_oldest_subscription_of_its_name_and_key)
{
    static const struct {
        const char *name;
        const char *key;
        uint64_t activation; /* 0: nobody waits */
    } rows[] = {{"m", "k", 3}, {"m", "", 4}, {"m", "x", 0}, {"n", "k", 5}, {"mk", "", 0}};
    stf__doc *doc = doc_case_new(STF__DOC_INSTANCE);
    doc_case_add_subscription(doc, 1, "e", "m", "k", DOC_CASE_NOW_US + 9);
    doc_case_add_subscription(doc, 2, "e", "m", "k", DOC_CASE_NOW_US + 7);
    doc_case_add_subscription(doc, 3, "e", "m", "k", DOC_CASE_NOW_US + 5);
    doc_case_add_subscription(doc, 4, "e", "m", "", DOC_CASE_NOW_US + 5);
    doc_case_add_subscription(doc, 5, "e", "n", "k", DOC_CASE_NOW_US + 1);
    doc_case_add_subscription(doc, 6, "e", "m", "k", DOC_CASE_NOW_US + 5); /* armed later */
    for (size_t i = 0; i < STF_COUNT_OF(rows); i++) {
        size_t index = 99;
        bool is_found = stf__doc_find_subscription(doc, stf_str_of(rows[i].name),
                                                   stf_str_of(rows[i].key), &index);
        ck_assert(is_found == (rows[i].activation != 0));
        ck_assert(!is_found || doc->subscriptions[index].activation == rows[i].activation);
    }
    stf__doc_free(doc);
}

STF_TEST(what_waits_for_an_activation_goes_with_it_and_the_rest_keeps_its_order)
{
    stf__doc *doc = doc_case_rich();
    stf__doc_remove_waits_of(doc, 2);
    ck_assert_uint_eq(doc->timer_count, 2);
    ck_assert_uint_eq(doc->timers[0].activation, 3);
    ck_assert_uint_eq(doc->subscription_count, 2);
    ck_assert_uint_eq(doc->subscriptions[0].activation, 3);
    stf__doc_remove_subscription(doc, 0);
    ck_assert_uint_eq(doc->subscriptions[0].activation, 6);
    stf__doc_remove_timer(doc, 0);
    ck_assert_uint_eq(doc->timers[0].activation, 8);
    stf__doc_free(doc);
}

/* It could be saved, and nothing could read it again. */
STF_TEST(a_text_that_could_not_be_read_again_is_refused)
{
    char longest[STF_LIMIT_ID_BYTES + 1];
    memset(longest, 'x', sizeof(longest));
    const stf_str bad[] = {{longest, sizeof(longest)}, {"\xff", 1}, {"a\0b", 3}};
    stf__doc *doc = doc_case_new(STF__DOC_INSTANCE);
    for (size_t i = 0; i < STF_COUNT_OF(bad); i++) {
        stf__subscription name = {.activation = 1, .name = bad[i]};
        stf__subscription key = {.activation = 1, .name = stf_str_of("m"), .key = bad[i]};
        stf__timer timer = {.activation = 1, .cycle = bad[i]};
        ck_assert_int_eq(stf__doc_add_subscription(doc, &name, NULL), STF_LIMIT_EXCEEDED);
        ck_assert_int_eq(stf__doc_add_subscription(doc, &key, NULL), STF_LIMIT_EXCEEDED);
        ck_assert_int_eq(stf__doc_add_timer(doc, &timer, NULL), STF_LIMIT_EXCEEDED);
    }
    ck_assert_uint_eq(doc->subscription_count + doc->timer_count, 0);
    stf__subscription most = {.name = {longest, STF_LIMIT_ID_BYTES},
                              .key = {longest, STF_LIMIT_ID_BYTES}};
    ck_assert_int_eq(stf__doc_add_subscription(doc, &most, NULL), STF_OK);
    stf__doc_free(doc);
}

STF_TEST(an_instance_waits_for_no_more_messages_than_the_limit)
{
    stf__doc *doc = doc_case_new(STF__DOC_INSTANCE);
    stf__subscription subscription = {.activation = 1, .name = stf_str_of("m")};
    for (uint32_t i = 0; i < STF_LIMIT_SUBSCRIPTIONS; i++) {
        ck_assert_int_eq(stf__doc_add_subscription(doc, &subscription, NULL), STF_OK);
    }
    ck_assert_int_eq(stf__doc_add_subscription(doc, &subscription, NULL), STF_LIMIT_EXCEEDED);
    ck_assert_uint_lt(STF_LIMIT_SUBSCRIPTIONS + STF_LIMIT_TOKENS, STF_LIMIT_WAITS);
    stf__doc_free(doc);
}

static const stf_test_case cases[] = {
    STF_CASE(r5_a_message_finds_the_oldest_subscription_of_its_name_and_key),
    STF_CASE(what_waits_for_an_activation_goes_with_it_and_the_rest_keeps_its_order),
    STF_CASE(a_text_that_could_not_be_read_again_is_refused),
    STF_CASE(an_instance_waits_for_no_more_messages_than_the_limit),
};

STF_TEST_MAIN("core/waits", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* Ids of queues, and who is found for a message. */
#include "engine/send.h"
#include "unit/engine/message_case.h"

STF_TEST(ids_of_queues_differ_wherever_their_parts_do)
{
    static const char *const parts[][3] = {/* tenant, name, key */
                                           {"t", "n", "k"},   {"", "tn", "k"},   {"tn", "", "k"},
                                           {"t", "nk", ""},   {"t", "", "nk"},   {"t", "1:n", "k"},
                                           {"t1:n", "", "k"}, {"t", "n", "1:k"}, {"t", "n1", ":k"}};
    engine_case *c = engine_case_new();
    stf__queue_id ids[STF_COUNT_OF(parts)];
    engine_case_open(c, NULL);
    for (size_t i = 0; i < STF_COUNT_OF(parts); i++) {
        ck_assert_int_eq(stf__queue_id_make(&ids[i], c->engine, stf_str_of(parts[i][0]),
                                            stf_str_of(parts[i][1]), stf_str_of(parts[i][2]), NULL),
                         STF_OK);
        ck_assert(stf__id_is_own(ids[i].id));
        for (size_t j = 0; j < i; j++) {
            ck_assert(!stf_str_equal(ids[i].id, ids[j].id));
        }
    }
    STF_CHECK_STR(ids[0].id, "stf:queue/1:g1:t1:n1:k");
    engine_case_free(c);
}

STF_TEST(an_id_of_a_queue_has_at_most_255_bytes)
{
    engine_case *c = engine_case_new();
    char key[256];
    stf__queue_id id;
    engine_case_open(c, NULL);
    memset(key, 'k', sizeof(key));
    /* "stf:queue/" "1:g" "1:t" "1:n" and the length of the key with its colon. */
    size_t fits = STF_LIMIT_ID_BYTES - 10 - 3 - 3 - 3 - 4;
    for (size_t size = fits; size <= fits + 1; size++) {
        ck_assert_int_eq(stf__queue_id_make(&id, c->engine, stf_str_of("t"), stf_str_of("n"),
                                            (stf_str){key, size}, NULL),
                         size == fits ? STF_OK : STF_LIMIT_EXCEEDED);
    }
    ck_assert_uint_eq(id.id.size, STF_LIMIT_ID_BYTES);
    engine_case_free(c);
}

STF_TEST(only_the_prefix_makes_an_id_the_engines_own)
{
    static const char *const others[] = {"", "s", "stf", "stf;", "STF:x", " stf:x", "x/stf:"};
    for (size_t i = 0; i < STF_COUNT_OF(others); i++) {
        ck_assert(!stf__id_is_own(stf_str_of(others[i])));
    }
    ck_assert(stf__id_is_own(stf_str_of("stf:")));
    ck_assert(stf__id_is_own(stf_str_of("stf:queue/x")));
}

/* The id, which is kept in waiter. */
static stf_str find(engine_case *c, const stf__aim *aim, stf__waiter *waiter)
{
    STF_CHECK_OK(stf__aim_find(c->engine, NULL, aim, waiter, &c->error), &c->error);
    return waiter->id;
}

STF_TEST(the_oldest_wait_of_the_tenant_is_found_unless_others_are_kept)
{
    engine_case *c = engine_case_new();
    stf__queue_id queue;
    stf__waiter waiter;
    engine_case_open(c, NULL);
    engine_case_deploy_file(c, case_messages);
    stf__aim aim = {.tenant = stf_buf_str(&c->engine->tenant),
                    .name = stf_str_of("paid"),
                    .key = stf_str_of("k")};
    ck_assert_uint_eq(find(c, &aim, &waiter).size, 0);
    message_case_wait(c, "i2");
    message_case_wait(c, "i1");
    STF_CHECK_STR(find(c, &aim, &waiter), "i2");
    aim.tenant = stf_str_of("elsewhere");
    ck_assert_uint_eq(find(c, &aim, &waiter).size, 0);
    aim.tenant = stf_buf_str(&c->engine->tenant);
    aim.key = stf_str_of("other");
    ck_assert_uint_eq(find(c, &aim, &waiter).size, 0);
    STF_CHECK_OK(engine_case_publish(c, "paid", "other", NULL, SECONDS(9), NULL), &c->error);
    engine_case_start_of(c, "w", "i3", "{\"key\": \"other\"}");
    ck_assert_int_eq(
        stf__queue_id_make(&queue, c->engine, aim.tenant, aim.name, aim.key, &c->error), STF_OK);
    aim.queue = queue.id;
    ck_assert_uint_eq(find(c, &aim, &waiter).size, 0); /* the kept one is for i3 */
    engine_case_idle(c);
    engine_case_start_of(c, "w", "i4", "{\"key\": \"other\"}");
    STF_CHECK_STR(find(c, &aim, &waiter), "i4");
    engine_case_free(c);
}

STF_TEST(a_store_that_does_not_answer_is_told_and_nothing_is_sent)
{
    engine_case *c = engine_case_new();
    stf_ctx ctx = STF_CTX_INIT;
    stf_message message = STF_MESSAGE_INIT;
    engine_case_open(c, NULL);
    engine_case_deploy_file(c, case_messages);
    message_case_wait(c, "i1");
    atomic_store(&c->faulty.only_saves, false);
    faulty_repository_cut(&c->faulty, 1);
    message.name = stf_str_of("paid");
    message.key = stf_str_of("k");
    ctx.flags = STF_CTX_HAS_DEADLINE;
    ctx.deadline.us = stf_clock_system()->mono(NULL).us + 20000;
    STF_CHECK_STATUS(stf_engine_publish(c->engine, &ctx, &message, NULL, &c->error),
                     STF_UNAVAILABLE, &c->error);
    faulty_repository_heal(&c->faulty);
    ck_assert(!engine_case_waits_at(c, "i1", "after"));
    engine_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(ids_of_queues_differ_wherever_their_parts_do),
    STF_CASE(an_id_of_a_queue_has_at_most_255_bytes),
    STF_CASE(only_the_prefix_makes_an_id_the_engines_own),
    STF_CASE(the_oldest_wait_of_the_tenant_is_found_unless_others_are_kept),
    STF_CASE(a_store_that_does_not_answer_is_told_and_nothing_is_sent),
};

STF_TEST_MAIN("aim", cases)

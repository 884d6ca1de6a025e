/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of handlers: which one a topic finds, how many run at the same time. */
#include "unit/engine/engine_case.h"

static stf_status run_nothing(void *user, const stf_ctx *ctx, stf_work *work, stf_error *error)
{
    (void)ctx;
    (*(int *)user)++;
    return stf_work_complete(work, NULL, error);
}

static stf_handler handler_of(int *counter)
{
    return (stf_handler){.struct_size = sizeof(stf_handler),
                         .abi = STF_HANDLER_ABI,
                         .user = counter,
                         .run = run_nothing};
}

STF_TEST(a_topic_has_one_handler_and_handlers_come_before_the_start)
{
    engine_case *c = engine_case_new();
    int count = 0;
    stf_handler handler = handler_of(&count);
    stf_handler empty = handler;
    char long_topic[300];
    memset(long_topic, 'x', sizeof(long_topic));
    empty.run = NULL;
    engine_case_make(c, NULL);
    STF_CHECK_OK(stf_engine_add_handler(c->engine, stf_str_of("a"), &handler, &c->error),
                 &c->error);
    STF_CHECK_STATUS(stf_engine_add_handler(c->engine, stf_str_of("a"), &handler, &c->error),
                     STF_ALREADY_EXISTS, &c->error);
    STF_CHECK_STATUS(stf_engine_add_handler(c->engine, stf_str_of(""), &handler, &c->error),
                     STF_EMPTY_NOT_ALLOWED, &c->error);
    STF_CHECK_STATUS(stf_engine_add_handler(c->engine, stf_str_of("\xff"), &handler, &c->error),
                     STF_INVALID_ARGUMENT, &c->error);
    STF_CHECK_STATUS(
        stf_engine_add_handler(c->engine, (stf_str){long_topic, 300}, &handler, &c->error),
        STF_LIMIT_EXCEEDED, &c->error);
    STF_CHECK_STATUS(stf_engine_add_handler(c->engine, stf_str_of("b"), &empty, &c->error),
                     STF_INVALID_ARGUMENT, &c->error);
    STF_CHECK_STATUS(stf_engine_add_handler(NULL, stf_str_of("b"), &handler, &c->error),
                     STF_INVALID_ARGUMENT, &c->error);
    STF_CHECK_OK(stf_engine_start(c->engine, NULL, &c->error), &c->error);
    STF_CHECK_STATUS(stf_engine_add_handler(c->engine, stf_str_of("b"), &handler, &c->error),
                     STF_INVALID_STATE, &c->error);
    engine_case_free(c);
}

STF_TEST(the_star_takes_what_no_other_handler_takes)
{
    engine_case *c = engine_case_new();
    int own = 0;
    int rest = 0;
    stf_handler handler = handler_of(&own);
    stf_handler star = handler_of(&rest);
    engine_case_make(c, NULL);
    STF_CHECK_OK(stf_engine_add_handler(c->engine, stf_str_of("*"), &star, &c->error), &c->error);
    STF_CHECK_OK(stf_engine_add_handler(c->engine, stf_str_of("a"), &handler, &c->error),
                 &c->error);
    STF_CHECK_OK(stf_engine_start(c->engine, NULL, &c->error), &c->error);
    engine_case_deploy(c, "<startEvent id='s'/><serviceTask id='a'/><serviceTask id='b'/>"
                          "<endEvent id='e'/><sequenceFlow id='f1' sourceRef='s' targetRef='a'/>"
                          "<sequenceFlow id='f2' sourceRef='a' targetRef='b'/>"
                          "<sequenceFlow id='f3' sourceRef='b' targetRef='e'/>");
    for (int i = 0; i < 5; i++) {
        engine_case_start(c, NULL, NULL);
    }
    engine_case_idle(c);
    ck_assert_int_eq(own, 5);
    ck_assert_int_eq(rest, 5);
    engine_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(a_topic_has_one_handler_and_handlers_come_before_the_start),
    STF_CASE(the_star_takes_what_no_other_handler_takes),
};

STF_TEST_MAIN("handlers", cases)

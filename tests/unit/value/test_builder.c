/* SPDX-License-Identifier: Apache-2.0 */
/* The builder: what readers pile up becomes one value, or nothing at all. */
#include "base/mem.h"
#include "unit/base/faulty.h"
#include "unit/value/gen.h"
#include "value/builder.h"

STF_TEST(a_scalar_alone_is_the_result)
{
    stf__builder builder;
    stf__builder_init(&builder, NULL);
    ck_assert_int_eq(stf__builder_add(&builder, value_of("5"), NULL), STF_OK);
    stf_value *value = stf__builder_take_result(&builder);
    stf__builder_done(&builder);
    check_json(value, "5");
    (void)stf_value_unref(value);
}

/* {"b":[1,{}],"a":2} */
static stf_status build_sample(stf__builder *builder, const stf_allocator *alloc)
{
    stf_value *value;
    stf_status status = stf__builder_open(builder, true, NULL);
    stf__builder_set_key(builder, stf_str_of("b"));
    status = status == STF_OK ? stf__builder_open(builder, false, NULL) : status;
    status = status == STF_OK ? stf_value_new_int(alloc, 1, &value, NULL) : status;
    status = status == STF_OK ? stf__builder_add(builder, value, NULL) : status;
    status = status == STF_OK ? stf__builder_open(builder, true, NULL) : status;
    status = status == STF_OK ? stf__builder_close(builder, NULL) : status;
    status = status == STF_OK ? stf__builder_close(builder, NULL) : status;
    stf__builder_set_key(builder, stf_str_of("a"));
    status = status == STF_OK ? stf_value_new_int(alloc, 2, &value, NULL) : status;
    status = status == STF_OK ? stf__builder_add(builder, value, NULL) : status;
    return status == STF_OK ? stf__builder_close(builder, NULL) : status;
}

STF_TEST(any_failing_allocation_leaves_nothing_behind)
{
    bool is_done = false;
    int failures = 0;
    for (long n = 1; !is_done; n++) {
        faulty alloc;
        stf__builder builder;
        faulty_init(&alloc, n);
        stf__builder_init(&builder, &alloc.port);
        stf_status status = build_sample(&builder, &alloc.port);
        if (status == STF_OK) {
            stf_value *value = stf__builder_take_result(&builder);
            check_json(value, "{\"a\":2,\"b\":[1,{}]}");
            (void)stf_value_unref(value);
            is_done = true;
        } else {
            ck_assert_int_eq(status, STF_NO_MEMORY);
            failures++;
        }
        stf__builder_done(&builder);
        ck_assert_int_eq(alloc.live, 0);
    }
    ck_assert_int_eq(failures, 6);
}

STF_TEST(depth_stops_at_the_limit)
{
    stf__builder builder;
    stf_error error = STF_ERROR_INIT;
    stf__builder_init(&builder, NULL);
    for (uint32_t i = 0; i < STF_LIMIT_VALUE_DEPTH; i++) {
        STF_CHECK_OK(stf__builder_open(&builder, false, &error), &error);
    }
    STF_CHECK_STATUS(stf__builder_open(&builder, false, &error), STF_LIMIT_EXCEEDED, &error);
    stf__builder_done(&builder);
}

STF_TEST(an_endless_list_is_stopped_at_the_limit_and_its_item_is_not_leaked)
{
    stf__builder builder;
    stf_error error = STF_ERROR_INIT;
    stf__builder_init(&builder, NULL);
    STF_CHECK_OK(stf__builder_open(&builder, false, &error), &error);
    for (uint32_t i = 0; i < STF_LIMIT_LIST_ITEMS; i++) {
        REQUIRE(stf__builder_add(&builder, stf_value_null(), NULL) == STF_OK);
    }
    STF_CHECK_STATUS(stf__builder_add(&builder, value_of("1"), &error), STF_LIMIT_EXCEEDED, &error);
    stf__builder_done(&builder);
}

static const stf_test_case cases[] = {
    STF_CASE(a_scalar_alone_is_the_result),
    STF_CASE(any_failing_allocation_leaves_nothing_behind),
    STF_CASE(depth_stops_at_the_limit),
    STF_CASE(an_endless_list_is_stopped_at_the_limit_and_its_item_is_not_leaked),
};

STF_TEST_MAIN("value/builder", cases)

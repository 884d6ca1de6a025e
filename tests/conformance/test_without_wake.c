/* SPDX-License-Identifier: Apache-2.0 */
/* The whole suite over a store without the wake capability: the port's index answers as a store
 * would, and stf_repository_has still says that the store does not. */
#include <stepfast/sys/repository_wake.h>

#include "conformance/memory_factory.h"
#include "conformance/without_wake.h"
#include "support/stf_test.h"
#include "support/wake_model.h"

typedef struct hidden_factory {
    memory_factory memory;
    stf_status (*fresh)(void *user, const stf_clock *clock, stf_repository **ret_repository,
                        stf_error *error);
    const stf_clock *clock;
    bool tells_time;
} hidden_factory;

static stf_status wrap(void *user, stf_repository *inner, stf_repository **ret_outer,
                       stf_error *error)
{
    const hidden_factory *self = user;
    return without_wake_new(NULL, inner, self->tells_time ? self->clock : NULL, ret_outer, error);
}

static stf_status fresh(void *user, const stf_clock *clock, stf_repository **ret_repository,
                        stf_error *error)
{
    hidden_factory *self = user;
    self->clock = clock;
    return self->fresh(user, clock, ret_repository, error);
}

static void init(hidden_factory *self, bool tells_time)
{
    memset(self, 0, sizeof(*self));
    memory_factory_init(&self->memory);
    self->fresh = self->memory.factory.fresh;
    self->memory.factory.fresh = fresh;
    self->memory.wrap = wrap;
    self->memory.user = self;
    self->tells_time = tells_time;
}

static void report(void *user, const stf_conformance_result *result)
{
    size_t *wake_cases = user;
    ck_assert_msg(result->outcome != STF_CONFORMANCE_FAILED, "%s: %s", result->id, result->reason);
    if (strncmp(result->id, "wake.", 5) == 0 || strncmp(result->id, "waiting.", 8) == 0) {
        ck_assert_msg(result->outcome == STF_CONFORMANCE_OK, "%s was skipped", result->id);
        ++*wake_cases;
    }
}

STF_TEST(every_case_passes_with_the_index_of_the_port)
{
    for (int tells_time = 0; tells_time < 2; tells_time++) {
        hidden_factory factory;
        size_t wake_cases = 0;
        stf_error error = STF_ERROR_INIT;
        stf_conformance_options options = {
            .struct_size = sizeof(options), .abi = STF_CONFORMANCE_ABI, .race_saves = 1000};
        init(&factory, tells_time != 0);
        STF_CHECK_OK(
            stf_conformance_run(&factory.memory.factory, &options, report, &wake_cases, &error),
            &error);
        ck_assert_uint_ge(wake_cases, 22);
    }
}

/* The store's own clock is not asked: the query names its times. */
STF_TEST(the_index_agrees_with_a_look_at_every_record)
{
    for (uint32_t seed = 1; seed < 6; seed++) {
        stf_memory *memory = NULL;
        stf_repository *inner = NULL;
        stf_repository *outer = NULL;
        stf_error error = STF_ERROR_INIT;
        STF_CHECK_OK(stf_memory_new(NULL, &memory, &error), &error);
        STF_CHECK_OK(stf_memory_open_repository(memory, &inner, &error), &error);
        STF_CHECK_OK(without_wake_new(NULL, inner, NULL, &outer, &error), &error);
        ck_assert(!stf_repository_has(outer, STF_REPOSITORY_WAKE));
        wake_model_check(outer, 1000, seed);
        stf_repository_close(outer);
        stf_memory_unref(memory);
    }
}

static const stf_test_case cases[] = {
    STF_CASE(every_case_passes_with_the_index_of_the_port),
    STF_CASE(the_index_agrees_with_a_look_at_every_record),
};

STF_TEST_MAIN("conformance/without_wake", cases)

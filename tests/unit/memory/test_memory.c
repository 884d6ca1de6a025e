/* SPDX-License-Identifier: Apache-2.0 */
/* The shared state: references, handles, options, what the store says of itself. */
#include <stepfast/sys/repository_batch.h>
#include <stepfast/sys/repository_catalog.h>
#include <stepfast/sys/repository_clock.h>
#include <stepfast/sys/repository_cluster.h>
#include <stepfast/sys/repository_journal.h>
#include <stepfast/sys/repository_liveness.h>
#include <stepfast/sys/repository_migrator.h>
#include <stepfast/sys/repository_wake.h>

#include "support/stf_test.h"
#include "unit/memory/memory_case.h"

STF_TEST(handles_share_one_store_and_outlive_the_first_reference)
{
    memory_case self;
    stf_repository *second = NULL;
    stf_definition_store *definitions = NULL;
    memory_case_open(&self, 0);
    STF_CHECK_OK(stf_memory_open_repository(self.memory, &second, &self.error), &self.error);
    STF_CHECK_OK(stf_memory_open_definitions(self.memory, &definitions, &self.error), &self.error);
    memory_put(&self, "a", 0, STF_RECORD_ACTIVE);
    self.memory = stf_memory_unref(self.memory);
    ck_assert_ptr_null(self.memory);
    stf_repository_close(self.repository);
    self.repository = second;
    ck_assert_int_eq(memory_version(&self, "a"), 1);
    stf_definition_store_close(definitions);
    memory_case_close(&self);
}

STF_TEST(defaults_work_without_options)
{
    stf_memory *memory = NULL;
    stf_repository *repository = NULL;
    stf_error error = STF_ERROR_INIT;
    STF_CHECK_OK(stf_memory_new(NULL, &memory, &error), &error);
    STF_CHECK_OK(stf_memory_open_repository(memory, &repository, &error), &error);
    STF_CHECK_OK(stf_repository_register_group(repository, NULL, stf_str_of("g"), &error), &error);
    stf_repository_close(repository);
    ck_assert_ptr_null(stf_memory_unref(memory));
    ck_assert_ptr_null(stf_memory_unref(NULL));
}

STF_TEST(malformed_arguments_are_refused)
{
    stf_memory *memory = NULL;
    stf_repository *repository = NULL;
    stf_definition_store *definitions = NULL;
    stf_error error = STF_ERROR_INIT;
    stf_memory_options options = {.struct_size = 4, .abi = STF_MEMORY_ABI};
    STF_CHECK_STATUS(stf_memory_new(&options, &memory, &error), STF_INVALID_ARGUMENT, &error);
    options = (stf_memory_options){.struct_size = sizeof(options), .abi = 0};
    STF_CHECK_STATUS(stf_memory_new(&options, &memory, &error), STF_INVALID_ARGUMENT, &error);
    STF_CHECK_STATUS(stf_memory_new(NULL, NULL, &error), STF_INVALID_ARGUMENT, &error);
    STF_CHECK_STATUS(stf_memory_open_repository(NULL, &repository, &error), STF_INVALID_ARGUMENT,
                     &error);
    STF_CHECK_STATUS(stf_memory_open_definitions(NULL, &definitions, &error), STF_INVALID_ARGUMENT,
                     &error);
    ck_assert_ptr_null(memory);
}

STF_TEST(the_store_says_what_it_is)
{
    memory_case self;
    memory_case_open(&self, 0);
    stf_repository_facts facts = STF_REPOSITORY_FACTS_INIT;
    bool is_compatible = true;
    const char *reason = NULL;
    STF_CHECK_OK(stf_repository_describe(self.repository, NULL, &facts, &self.error), &self.error);
    ck_assert_str_eq(facts.name, "memory");
    ck_assert_uint_eq(facts.flags & STF_REPOSITORY_DURABLE, 0);
    STF_CHECK_OK(
        stf_repository_is_cluster_compatible(self.repository, &is_compatible, &reason, &self.error),
        &self.error);
    ck_assert(!is_compatible);
    ck_assert_str_eq(reason, "in-memory; state is not shared across nodes");
    static const char *const has[] = {STF_REPOSITORY_BATCH, STF_REPOSITORY_WAKE,
                                      STF_REPOSITORY_CATALOG, STF_REPOSITORY_JOURNAL,
                                      STF_REPOSITORY_CLUSTER};
    static const char *const has_not[] = {STF_REPOSITORY_MIGRATOR, STF_REPOSITORY_CLOCK,
                                          STF_REPOSITORY_LIVENESS};
    for (size_t i = 0; i < 5; i++) {
        ck_assert(stf_repository_has(self.repository, has[i]));
    }
    for (size_t i = 0; i < 3; i++) {
        ck_assert(!stf_repository_has(self.repository, has_not[i]));
    }
    memory_case_close(&self);
}

static stf_status open_and_close(memory_case *self)
{
    stf_memory_options options = {
        .struct_size = sizeof(options), .abi = STF_MEMORY_ABI, .alloc = &self->allocator.port};
    stf_memory *memory = NULL;
    stf_repository *repository = NULL;
    stf_definition_store *definitions = NULL;
    stf_status status = stf_memory_new(&options, &memory, &self->error);
    if (status == STF_OK) {
        status = stf_memory_open_repository(memory, &repository, &self->error);
    }
    if (status == STF_OK) {
        status = stf_memory_open_definitions(memory, &definitions, &self->error);
    }
    stf_definition_store_close(definitions);
    stf_repository_close(repository);
    stf_memory_unref(memory);
    return status;
}

STF_TEST(opening_survives_every_failing_allocation)
{
    memory_case self;
    memory_case_open(&self, 0);
    memory_fail_each(&self, open_and_close, NULL);
    memory_case_close(&self);
}

static const stf_test_case cases[] = {
    STF_CASE(handles_share_one_store_and_outlive_the_first_reference),
    STF_CASE(defaults_work_without_options),
    STF_CASE(malformed_arguments_are_refused),
    STF_CASE(the_store_says_what_it_is),
    STF_CASE(opening_survives_every_failing_allocation),
};

STF_TEST_MAIN("memory/memory", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* A store is taken in whole or not at all. */
#include "unit/base/faulty.h"
#include "unit/port/fake.h"

#include "support/stf_test.h"

#define HEAD_SIZE (sizeof(size_t) + 2 * sizeof(uint32_t))
typedef void (*any_slot)(void);

static void expect_refused(fake *self, const char *named)
{
    stf_repository *repository = NULL;
    stf_error error = STF_ERROR_INIT;
    STF_CHECK_STATUS(stf_repository_new(NULL, &self->vtable, self, &repository, &error),
                     STF_INVALID_ARGUMENT, &error);
    ck_assert_ptr_null(repository);
    ck_assert_uint_eq(self->closes, 0);
    ck_assert_msg(strstr(error.message, named) != NULL, "\"%s\" does not name %s", error.message,
                  named);
}

STF_TEST(each_base_slot_is_required)
{
    size_t count = (sizeof(stf_repository_vtable) - HEAD_SIZE) / sizeof(any_slot);
    ck_assert_uint_eq(count, 10);
    for (size_t i = 0; i < count; i++) {
        fake self;
        fake_init(&self);
        memset((char *)&self.vtable + HEAD_SIZE + i * sizeof(any_slot), 0, sizeof(any_slot));
        expect_refused(&self, "missing");
    }
}

STF_TEST(each_slot_of_a_returned_capability_is_required)
{
    static const size_t sizes[STF__CAPABILITY_COUNT] = {
        sizeof(stf_migrator_vtable), sizeof(stf_cluster_vtable), sizeof(stf_batch_vtable),
        sizeof(stf_wake_vtable),     sizeof(stf_catalog_vtable), sizeof(stf_store_clock_vtable),
        sizeof(stf_journal_vtable),  sizeof(stf_liveness_vtable)};
    for (size_t i = 0; i < STF__CAPABILITY_COUNT; i++) {
        for (size_t at = HEAD_SIZE; at < sizes[i]; at += sizeof(any_slot)) {
            fake self;
            union {
                stf_wake_vtable align;
                char bytes[sizeof(stf_repository_vtable)];
            } broken;
            fake_init(&self);
            memcpy(broken.bytes, self.capabilities[i], sizes[i]);
            memset(broken.bytes + at, 0, sizeof(any_slot));
            self.capabilities[i] = &broken;
            expect_refused(&self, "stf.repository.");
        }
    }
}

STF_TEST(another_size_or_abi_is_refused)
{
    fake self;
    fake_init(&self);
    self.vtable.struct_size--;
    expect_refused(&self, "size");
    fake_init(&self);
    self.vtable.abi++;
    expect_refused(&self, "abi");
    fake_init(&self);
    stf_batch_vtable batch = fake_batch;
    batch.abi++;
    self.capabilities[STF__CAPABILITY_BATCH] = &batch;
    expect_refused(&self, STF_REPOSITORY_BATCH);
    stf_error error = STF_ERROR_INIT;
    stf_repository *repository = NULL;
    STF_CHECK_STATUS(stf_repository_new(NULL, NULL, &self, &repository, &error),
                     STF_INVALID_ARGUMENT, &error);
}

STF_TEST(a_larger_vtable_of_a_newer_adapter_is_taken)
{
    fake self;
    fake_init(&self);
    self.vtable.struct_size += sizeof(any_slot);
    stf_repository_close(fake_open(&self));
    ck_assert_uint_eq(self.closes, 1);
}

STF_TEST(capabilities_are_asked_for_once)
{
    fake self;
    fake_init(&self);
    self.capabilities[STF__CAPABILITY_WAKE] = NULL;
    stf_repository *repository = fake_open(&self);
    for (int i = 0; i < 3; i++) {
        ck_assert(stf_repository_has(repository, STF_REPOSITORY_BATCH));
        ck_assert(!stf_repository_has(repository, STF_REPOSITORY_WAKE));
        ck_assert(!stf_repository_has(repository, "stf.repository.unknown/1"));
    }
    ck_assert(!stf_repository_has(repository, NULL));
    ck_assert(!stf_repository_has(NULL, STF_REPOSITORY_BATCH));
    for (size_t i = 0; i < STF__CAPABILITY_COUNT; i++) {
        ck_assert_uint_eq(self.asked[i], 1);
    }
    stf_repository_close(repository);
    ck_assert_ptr_null(stf_repository_close(NULL));
}

STF_TEST(without_memory_impl_stays_the_callers)
{
    fake self;
    faulty memory;
    stf_repository *repository = NULL;
    stf_error error = STF_ERROR_INIT;
    fake_init(&self);
    faulty_init(&memory, 1);
    STF_CHECK_STATUS(stf_repository_new(&memory.port, &self.vtable, &self, &repository, &error),
                     STF_NO_MEMORY, &error);
    ck_assert_uint_eq(self.closes, 0);
    faulty_init(&memory, 0);
    STF_CHECK_OK(stf_repository_new(&memory.port, &self.vtable, &self, &repository, &error),
                 &error);
    stf_repository_close(repository);
    ck_assert_int_eq(memory.live, 0);
    ck_assert_uint_eq(self.closes, 1);
}

static const stf_test_case cases[] = {
    STF_CASE(each_base_slot_is_required),
    STF_CASE(each_slot_of_a_returned_capability_is_required),
    STF_CASE(another_size_or_abi_is_refused),
    STF_CASE(a_larger_vtable_of_a_newer_adapter_is_taken),
    STF_CASE(capabilities_are_asked_for_once),
    STF_CASE(without_memory_impl_stays_the_callers),
};

STF_TEST_MAIN("port/registration", cases)

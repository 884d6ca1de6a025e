/* SPDX-License-Identifier: Apache-2.0 */
/* Saving: eviction of the ended, and no trace of what failed. */
#include <stepfast/sys/repository_batch.h>
#include <stepfast/sys/repository_catalog.h>

#include "support/stf_test.h"
#include "unit/memory/memory_case.h"

STF_TEST(ended_records_are_evicted_oldest_first)
{
    memory_case self;
    memory_case_open(&self, 2);
    memory_put(&self, "a", 0, STF_RECORD_COMPLETED);
    memory_put(&self, "b", 0, STF_RECORD_ACTIVE);
    memory_put(&self, "c", 0, STF_RECORD_TERMINATED);
    ck_assert_str_eq(self.evicted, "");
    memory_put(&self, "b", 1, STF_RECORD_COMPLETED);
    ck_assert_str_eq(self.evicted, "a ");
    /* One that is saved again keeps its place: c is older than b. */
    memory_put(&self, "c", 1, STF_RECORD_COMPLETED);
    memory_put(&self, "d", 0, STF_RECORD_COMPLETED);
    ck_assert_str_eq(self.evicted, "a c ");
    ck_assert_int_eq(memory_version(&self, "a"), 0);
    ck_assert_int_eq(memory_version(&self, "b"), 2);
    ck_assert_int_eq(memory_version(&self, "d"), 1);
    memory_case_close(&self);
}

STF_TEST(an_active_record_is_never_evicted_after_terminal_to_active)
{
    memory_case self;
    memory_case_open(&self, 3);
    memory_put(&self, "back", 0, STF_RECORD_COMPLETED);
    memory_put(&self, "back", 1, STF_RECORD_ACTIVE);
    memory_put(&self, "stuck", 0, STF_RECORD_COMPLETED);
    memory_put(&self, "stuck", 1, STF_RECORD_INCIDENT);
    memory_put(&self, "sleep", 0, STF_RECORD_TERMINATED);
    memory_put(&self, "sleep", 1, STF_RECORD_SUSPENDED);
    memory_put(&self, "odd", 0, STF_RECORD_TERMINATED);
    memory_put(&self, "odd", 1, 99);
    for (int i = 0; i < 20; i++) {
        char id[8];
        snprintf(id, sizeof(id), "e%d", i);
        memory_put(&self, id, 0, STF_RECORD_COMPLETED);
    }
    ck_assert_int_eq(memory_version(&self, "back"), 2);
    ck_assert_int_eq(memory_version(&self, "stuck"), 2);
    ck_assert_int_eq(memory_version(&self, "sleep"), 2);
    ck_assert_int_eq(memory_version(&self, "odd"), 2);
    ck_assert_int_eq(memory_version(&self, "e16"), 0);
    ck_assert_int_eq(memory_version(&self, "e17"), 1);
    ck_assert_ptr_null(strstr(self.evicted, "back"));
    /* Ended once more it is the newest, not the oldest. */
    memory_put(&self, "back", 2, STF_RECORD_COMPLETED);
    ck_assert_int_eq(memory_version(&self, "e17"), 0);
    ck_assert_int_eq(memory_version(&self, "back"), 3);
    memory_case_close(&self);
}

STF_TEST(deleted_and_pruned_records_make_room)
{
    memory_case self;
    uint64_t count = 0;
    memory_case_open(&self, 2);
    memory_put(&self, "a", 0, STF_RECORD_COMPLETED);
    memory_put(&self, "b", 0, STF_RECORD_COMPLETED);
    stf_delete gone = {
        .struct_size = sizeof(gone), .abi = STF_DELETE_ABI, .id = {"a", 1}, .expected_version = 1};
    STF_CHECK_OK(stf_repository_delete(self.repository, NULL, &gone, &self.error), &self.error);
    memory_put(&self, "c", 0, STF_RECORD_COMPLETED);
    stf_prune_request prune = {.group = {"g", 1}, .ended_before = {2000}, .limit = 1};
    STF_CHECK_OK(stf_repository_prune(self.repository, NULL, &prune, &count, &self.error),
                 &self.error);
    ck_assert_uint_eq(count, 1);
    memory_put(&self, "d", 0, STF_RECORD_COMPLETED);
    ck_assert_str_eq(self.evicted, "");
    ck_assert_int_eq(memory_version(&self, "b"), 0); /* pruned: the oldest */
    memory_case_close(&self);
}

STF_TEST(a_batch_evicts_as_single_saves_do)
{
    memory_case self;
    memory_save saves[4];
    stf_save requests[4];
    stf_save_result results[4];
    static const char *const ids[] = {"a", "b", "c", "d"};
    memory_case_open(&self, 1);
    for (size_t i = 0; i < 4; i++) {
        memory_save_init(&saves[i], ids[i], 0);
        saves[i].record.status = STF_RECORD_COMPLETED;
        saves[i].save.record = &saves[i].record;
        requests[i] = saves[i].save;
    }
    STF_CHECK_OK(stf_repository_save_many(self.repository, NULL, requests, 4, results, &self.error),
                 &self.error);
    ck_assert_uint_eq(strlen(self.evicted), 6);
    ck_assert_int_eq(memory_version(&self, "d"), 1);
    ck_assert_int_eq(memory_version(&self, "c"), 0);
    memory_case_close(&self);
}

/* ---- Out of memory ----------------------------------------------------------------------- */

static stf_status create_record(memory_case *self)
{
    memory_save save;
    static const stf_wait wait = {.kind = STF_WAIT_TASK, .key = {"key", 3}};
    static const stf_journal_row row = {.fact = 1, .element = {"start", 5}};
    memory_save_init(&save, "new", 0);
    save.record.tenant = stf_str_of("acme");
    save.record.bulk = save.record.head;
    save.record.label_key = stf_str_of("order");
    save.record.lease.owner = stf_str_of("engine");
    save.record.due = (stf_wall){5};
    save.record.waits = &wait;
    save.record.wait_count = 1;
    save.save.journal = &row;
    save.save.journal_count = 1;
    return memory_save_run(self, &save);
}

static stf_status never(void *user, stf_str id, stf_error *error)
{
    (void)user;
    ck_abort_msg("%.*s is there", (int)id.size, id.data);
    return stf_error_set(error, STF_INTERNAL, "TEST", "visited");
}

static void nothing_was_created(memory_case *self)
{
    ck_assert_int_eq(memory_version(self, "new"), 0);
    stf_in_flight_query query = {.group = {"g", 1}, .now = {INT64_MAX}, .limit = 10};
    STF_CHECK_OK(
        stf_repository_list_in_flight(self->repository, NULL, &query, never, NULL, &self->error),
        &self->error);
}

STF_TEST(a_creation_without_memory_leaves_no_trace)
{
    memory_case self;
    memory_case_open(&self, 0);
    memory_fail_each(&self, create_record, nothing_was_created);
    ck_assert_int_eq(memory_version(&self, "new"), 1);
    memory_case_close(&self);
}

STF_TEST(an_update_of_the_same_size_allocates_nothing)
{
    memory_case self;
    memory_case_open(&self, 0);
    memory_put(&self, "a", 0, STF_RECORD_ACTIVE);
    long calls = self.allocator.calls;
    for (int64_t version = 1; version < 100; version++) {
        memory_put(&self, "a", version, STF_RECORD_ACTIVE);
    }
    ck_assert_int_eq(self.allocator.calls, calls);
    memory_case_close(&self);
}

STF_TEST(an_endless_lease_ends_at_the_last_instant)
{
    memory_case self;
    memory_save save;
    stf_save_result result;
    memory_case_open(&self, 0);
    memory_save_init(&save, "a", 0);
    save.record.lease.owner = stf_str_of("engine");
    save.save.flags = STF_SAVE_LEASE_DURATION;
    save.save.lease_duration_us = INT64_MAX;
    save.save.record = &save.record;
    STF_CHECK_OK(stf_repository_save(self.repository, NULL, &save.save, &result, &self.error),
                 &self.error);
    ck_assert_int_eq(result.lease_expiry.us, INT64_MAX);
    memory_case_close(&self);
}

static const stf_test_case cases[] = {
    STF_CASE(ended_records_are_evicted_oldest_first),
    STF_CASE(an_active_record_is_never_evicted_after_terminal_to_active),
    STF_CASE(deleted_and_pruned_records_make_room),
    STF_CASE(a_batch_evicts_as_single_saves_do),
    STF_CASE(a_creation_without_memory_leaves_no_trace),
    STF_CASE(an_update_of_the_same_size_allocates_nothing),
    STF_CASE(an_endless_lease_ends_at_the_last_instant),
};

STF_TEST_MAIN("memory/save", cases)

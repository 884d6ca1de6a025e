/* SPDX-License-Identifier: Apache-2.0 */
/* The wake pages: right against the model of support/wake_model.h, and found by their keys. */
#include <stdio.h>
#include <stepfast/sys/repository_wake.h>

#include "memory/private.h"

#include "support/stf_test.h"
#include "support/wake_model.h"
#include "unit/memory/memory_case.h"

static memory_case self;

static stf_status count_row(void *user, const stf_wake_row *row, stf_error *error)
{
    (void)row;
    (void)error;
    ++*(size_t *)user;
    return STF_OK;
}

STF_TEST(pages_agree_with_a_look_at_every_record)
{
    memory_case_open(&self, 1000);
    wake_model_check(self.repository, 3000, 42);
    memory_case_close(&self);
}

/* R5 looks for the waiters of one message: others who wait must not cost it anything. */
#define OTHERS 500u

static uint64_t waits_seen_by(stf_str key, size_t *ret_rows)
{
    stf_waiting_query query = {.group = {"g", 1},
                               .kind = STF_WAIT_MESSAGE,
                               .key = key,
                               .after_since = stf_wall_none(),
                               .limit = 10};
    uint64_t before = self.memory->waits_seen;
    *ret_rows = 0;
    STF_CHECK_OK(stf_repository_waiting_page(self.repository, NULL, &query, count_row, ret_rows,
                                             &self.error),
                 &self.error);
    return self.memory->waits_seen - before;
}

STF_TEST(a_key_is_found_without_a_look_at_the_waits_of_others)
{
    memory_case_open(&self, 0);
    for (unsigned i = 0; i < OTHERS; i++) {
        char id[16];
        char key[16];
        memory_save save;
        (void)snprintf(id, sizeof(id), "id-%u", i);
        (void)snprintf(key, sizeof(key), "key-%u", i);
        const stf_wait wait = {
            .kind = STF_WAIT_MESSAGE, .key = stf_str_of(key), .since = {(int64_t)i}};
        memory_save_init(&save, id, 0);
        save.record.waits = &wait;
        save.record.wait_count = 1;
        STF_CHECK_OK(memory_save_run(&self, &save), &self.error);
    }
    size_t rows;
    ck_assert_uint_eq(waits_seen_by(stf_str_of("key-499"), &rows), 1);
    ck_assert_uint_eq(rows, 1);
    ck_assert_uint_eq(waits_seen_by(stf_str_of("nobody"), &rows), 0);
    ck_assert_uint_eq(rows, 0);
    memory_case_close(&self);
}

static stf_status read_pages(memory_case *store)
{
    size_t rows = 0;
    stf_due_query due = {
        .group = {"g", 1}, .now = {100}, .after_due = stf_wall_none(), .limit = 10};
    stf_orphan_query orphans = {.group = {"g", 1}, .now = {100}, .limit = 10};
    stf_waiting_query waiting = {
        .group = {"g", 1}, .kind = 1, .after_since = stf_wall_none(), .limit = 10};
    stf_waiting_query by_key = waiting;
    by_key.key = stf_str_of("key");
    stf_status status =
        stf_repository_due_page(store->repository, NULL, &due, count_row, &rows, &store->error);
    if (status == STF_OK) {
        status = stf_repository_orphan_page(store->repository, NULL, &orphans, count_row, &rows,
                                            &store->error);
    }
    if (status == STF_OK) {
        status = stf_repository_waiting_page(store->repository, NULL, &waiting, count_row, &rows,
                                             &store->error);
    }
    if (status == STF_OK) {
        status = stf_repository_waiting_page(store->repository, NULL, &by_key, count_row, &rows,
                                             &store->error);
    }
    ck_assert(status != STF_OK || rows == 4);
    return status;
}

STF_TEST(pages_survive_every_failing_allocation)
{
    memory_save save;
    static const stf_wait wait = {.kind = 1, .key = {"key", 3}};
    memory_case_open(&self, 0);
    memory_save_init(&save, "a", 0);
    save.record.due = (stf_wall){1};
    save.record.lease = (stf_lease){{"x", 1}, 1, {1}};
    save.record.waits = &wait;
    save.record.wait_count = 1;
    STF_CHECK_OK(memory_save_run(&self, &save), &self.error);
    memory_fail_each(&self, read_pages, NULL);
    memory_case_close(&self);
}

static const stf_test_case cases[] = {
    STF_CASE(pages_agree_with_a_look_at_every_record),
    STF_CASE(a_key_is_found_without_a_look_at_the_waits_of_others),
    STF_CASE(pages_survive_every_failing_allocation),
};

STF_TEST_MAIN("memory/wake", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* Reading: visitors may call the store, and no memory is no damage. */
#include <stepfast/sys/repository_batch.h>
#include <stepfast/sys/repository_catalog.h>

#include "support/stf_test.h"
#include "unit/memory/memory_case.h"

static memory_case self;
static char visited[64];

static void note(stf_str id)
{
    size_t used = strlen(visited);
    memcpy(visited + used, id.data, id.size);
    visited[used + id.size] = ' ';
    visited[used + id.size + 1] = '\0';
}

static void start(void)
{
    static const char *const ids[] = {"a", "b", "c", "d"};
    visited[0] = '\0';
    memory_case_open(&self, 0);
    for (size_t i = 0; i < 4; i++) {
        memory_put(&self, ids[i], 0, STF_RECORD_ACTIVE);
    }
}

/* Deletes what it is shown, and the one behind it. */
static stf_status delete_pair(void *user, const stf_record *record, stf_error *error)
{
    (void)user;
    note(record->id);
    char next[2] = {(char)(record->id.data[0] + 1), '\0'};
    stf_str ids[] = {record->id, stf_str_of(next)};
    for (size_t i = 0; i < 2; i++) {
        stf_delete gone = {.struct_size = sizeof(gone),
                           .abi = STF_DELETE_ABI,
                           .flags = STF_DELETE_ANY,
                           .id = ids[i]};
        stf_status status = stf_repository_delete(self.repository, NULL, &gone, error);
        if (status != STF_OK) {
            return status;
        }
    }
    return STF_OK;
}

STF_TEST(a_catalog_page_walks_on_over_what_its_visitor_deletes)
{
    start();
    stf_catalog_query query = {.group = {"g", 1}, .limit = 10};
    STF_CHECK_OK(stf_repository_page(self.repository, NULL, &query, delete_pair, NULL, &self.error),
                 &self.error);
    ck_assert_str_eq(visited, "a c ");
    memory_case_close(&self);
}

static stf_status cancel_after_one(void *user, const stf_record *record, stf_error *error)
{
    (void)error;
    note(record->id);
    stf_cancel_request(user);
    return STF_OK;
}

STF_TEST(a_catalog_page_can_be_cancelled)
{
    start();
    stf_cancel *cancel = NULL;
    stf_ctx ctx = STF_CTX_INIT;
    STF_CHECK_OK(stf_cancel_new(NULL, &cancel, &self.error), &self.error);
    ctx.cancel = cancel;
    stf_catalog_query query = {.group = {"g", 1}, .limit = 10};
    STF_CHECK_STATUS(
        stf_repository_page(self.repository, &ctx, &query, cancel_after_one, cancel, &self.error),
        STF_CANCELLED, &self.error);
    ck_assert_str_eq(visited, "a ");
    stf_cancel_unref(cancel);
    memory_case_close(&self);
}

static stf_status note_record(void *user, const stf_record *record, stf_error *error)
{
    (void)user;
    (void)error;
    note(record->id);
    return STF_OK;
}

static stf_status read_everything(memory_case *store)
{
    bool is_found = false;
    const stf_str ids[] = {{"c", 1}, {"d", 1}};
    stf_catalog_query query = {.group = {"g", 1}, .limit = 10};
    visited[0] = '\0';
    stf_status status = stf_repository_load(store->repository, NULL, stf_str_of("a"), note_record,
                                            NULL, &is_found, &store->error);
    if (status == STF_OK) {
        status = stf_repository_load_many(store->repository, NULL, ids, 2, stf_wall_none(),
                                          note_record, NULL, &store->error);
    }
    if (status == STF_OK) {
        status =
            stf_repository_page(store->repository, NULL, &query, note_record, NULL, &store->error);
    }
    return status;
}

STF_TEST(reading_survives_every_failing_allocation)
{
    start();
    memory_fail_each(&self, read_everything, NULL);
    ck_assert_str_eq(visited, "a c d a b c d ");
    memory_case_close(&self);
}

STF_TEST(statuses_beyond_the_mask_match_no_mask_but_the_empty_one)
{
    start();
    memory_put(&self, "e", 0, 99);
    stf_catalog_query query = {.group = {"g", 1}, .status_mask = UINT64_MAX, .limit = 10};
    uint64_t count = 0;
    STF_CHECK_OK(stf_repository_count(self.repository, NULL, &query, &count, &self.error),
                 &self.error);
    ck_assert_uint_eq(count, 4);
    query.status_mask = 0;
    STF_CHECK_OK(stf_repository_count(self.repository, NULL, &query, &count, &self.error),
                 &self.error);
    ck_assert_uint_eq(count, 5);
    memory_case_close(&self);
}

static const stf_test_case cases[] = {
    STF_CASE(a_catalog_page_walks_on_over_what_its_visitor_deletes),
    STF_CASE(a_catalog_page_can_be_cancelled),
    STF_CASE(reading_survives_every_failing_allocation),
    STF_CASE(statuses_beyond_the_mask_match_no_mask_but_the_empty_one),
};

STF_TEST_MAIN("memory/read", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* The journal of the memory store without memory. */
#include <stepfast/sys/repository_journal.h>

#include "support/stf_test.h"
#include "unit/memory/memory_case.h"

static const stf_journal_row rows[] = {
    {.fact = 1, .element = {"start", 5}, .detail = {"first", 5}},
    {.fact = 2, .element = {"end", 3}},
};

static stf_status save_with_rows(memory_case *self)
{
    memory_save save;
    memory_save_init(&save, "a", 1);
    save.save.journal = rows;
    save.save.journal_count = 2;
    return memory_save_run(self, &save);
}

typedef struct seen {
    size_t count;
    bool is_same;
} seen;

static stf_status compare(void *user, int64_t version, uint64_t position,
                          const stf_journal_row *row, stf_error *error)
{
    (void)error;
    seen *list = user;
    const stf_journal_row *expected = &rows[list->count % 2];
    list->is_same = list->is_same && version == 2 && position == list->count + 1 &&
                    row->fact == expected->fact && stf_str_equal(row->element, expected->element) &&
                    stf_str_equal(row->detail, expected->detail);
    list->count++;
    return STF_OK;
}

static stf_status read_rows(memory_case *self, size_t expected)
{
    seen list = {0, true};
    stf_journal_query query = {.id = {"a", 1}, .limit = 10};
    stf_status status =
        stf_repository_journal_page(self->repository, NULL, &query, compare, &list, &self->error);
    ck_assert(list.is_same);
    ck_assert_uint_eq(list.count, status == STF_OK ? expected : 0);
    return status;
}

static void no_rows(memory_case *self)
{
    STF_CHECK_OK(read_rows(self, 0), &self->error);
    ck_assert_int_eq(memory_version(self, "a"), 1);
}

static stf_status read_two(memory_case *self)
{
    return read_rows(self, 2);
}

STF_TEST(rows_are_written_with_their_save_or_not_at_all)
{
    memory_case self;
    memory_case_open(&self, 0);
    memory_put(&self, "a", 0, STF_RECORD_ACTIVE);
    memory_fail_each(&self, save_with_rows, no_rows);
    memory_fail_each(&self, read_two, NULL);
    memory_case_close(&self);
}

STF_TEST(evicted_records_take_their_rows_along)
{
    memory_case self;
    memory_case_open(&self, 1);
    memory_put(&self, "a", 0, STF_RECORD_ACTIVE);
    STF_CHECK_OK(save_with_rows(&self), &self.error);
    memory_put(&self, "a", 2, STF_RECORD_COMPLETED);
    memory_put(&self, "b", 0, STF_RECORD_COMPLETED);
    ck_assert_str_eq(self.evicted, "a ");
    STF_CHECK_OK(read_rows(&self, 0), &self.error);
    memory_case_close(&self);
}

static const stf_test_case cases[] = {
    STF_CASE(rows_are_written_with_their_save_or_not_at_all),
    STF_CASE(evicted_records_take_their_rows_along),
};

STF_TEST_MAIN("memory/journal", cases)

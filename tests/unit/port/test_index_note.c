/* SPDX-License-Identifier: Apache-2.0 */
/* What the wrappers tell the wake index: saves that won, lost comparisons, lost answers, deletes,
 * loads that show something else. */
#include <stepfast/sys/repository_batch.h>

#include "support/stf_test.h"
#include "unit/port/index_case.h"

static index_case self;

STF_TEST(a_save_and_a_delete_are_seen_at_once)
{
    index_case_open(&self);
    index_expect_due(&self, "");
    index_put(&self, self.mine, "a", 0, 10);
    index_put(&self, self.mine, "b", 0, 5);
    index_expect_due(&self, "b a ");
    index_expect_waiting(&self, "key", "a b ");
    index_put(&self, self.mine, "b", 1, STF_WALL_NONE_US);
    index_expect_due(&self, "a ");
    index_delete(&self, self.mine, "a");
    index_expect_due(&self, "");
    index_expect_waiting(&self, "key", "b ");
    index_case_close(&self);
}

static stf_status ignore(void *user, const stf_record *record, stf_error *error)
{
    (void)user;
    (void)record;
    (void)error;
    return STF_OK;
}

STF_TEST(a_lost_comparison_shows_what_the_other_handle_saved)
{
    index_case_open(&self);
    index_put(&self, self.mine, "a", 0, 10);
    index_expect_due(&self, "a ");
    index_put(&self, self.other, "a", 1, STF_WALL_NONE_US);
    index_expect_due(&self, "a "); /* not known yet */
    index_save late;
    index_save_init(&late, "a", 1, 20);
    STF_CHECK_STATUS(index_save_run(&self, self.mine, &late), STF_CONCURRENT_UPDATE, &self.error);
    index_expect_due(&self, "");
    index_case_close(&self);
}

STF_TEST(a_load_that_shows_another_record_is_believed_at_the_next_call)
{
    bool is_found = false;
    stf_str id = stf_str_of("a");
    index_case_open(&self);
    index_put(&self, self.mine, "a", 0, 10);
    index_expect_due(&self, "a ");
    index_put(&self, self.other, "a", 1, STF_WALL_NONE_US);
    STF_CHECK_OK(stf_repository_load(self.mine, NULL, id, ignore, NULL, &is_found, &self.error),
                 &self.error);
    index_expect_due(&self, "");
    /* Created again by somebody else, at the same version: the attempt tells (R9). */
    index_delete(&self, self.other, "a");
    index_put(&self, self.other, "a", 0, 10);
    index_save again;
    index_save_init(&again, "a", 1, 10);
    again.save.attempt.bytes[0] = 99;
    STF_CHECK_OK(index_save_run(&self, self.other, &again), &self.error);
    STF_CHECK_OK(stf_repository_load_many(self.mine, NULL, &id, 1, stf_wall_none(), ignore, NULL,
                                          &self.error),
                 &self.error);
    index_expect_due(&self, "a ");
    /* Gone. */
    index_delete(&self, self.other, "a");
    STF_CHECK_OK(stf_repository_load(self.mine, NULL, id, ignore, NULL, &is_found, &self.error),
                 &self.error);
    ck_assert(!is_found);
    index_expect_due(&self, "");
    index_expect_waiting(&self, "key", "");
    index_case_close(&self);
}

/* The answer of a save is lost; whether the store applied it is what the next load says. */
static void check_lost_answer(bool applies)
{
    index_case_open(&self);
    index_put(&self, self.mine, "a", 0, STF_WALL_NONE_US);
    index_expect_due(&self, "");
    index_save lost;
    index_save_init(&lost, "a", 1, 10);
    faulty_repository_fail_saves(&self.faults, 1, 1, STF_OUTCOME_UNKNOWN, applies);
    STF_CHECK_STATUS(index_save_run(&self, self.mine, &lost), STF_OUTCOME_UNKNOWN, &self.error);
    faulty_repository_heal(&self.faults);
    index_expect_due(&self, applies ? "a " : "");
    index_expect_waiting(&self, "key", "a ");
    index_case_close(&self);
}

STF_TEST(a_record_whose_save_lost_its_answer_is_loaded_again)
{
    check_lost_answer(true);
    check_lost_answer(false);
}

STF_TEST(a_batch_tells_the_outcome_of_each_record)
{
    index_case_open(&self);
    index_put(&self, self.other, "b", 0, 10);
    index_save saves[2];
    stf_save batch[2];
    stf_save_result results[2];
    index_save_init(&saves[0], "a", 0, 10);
    index_save_init(&saves[1], "b", 0, 99999999);
    for (size_t i = 0; i < 2; i++) {
        saves[i].record.waits = &saves[i].wait;
        saves[i].save.record = &saves[i].record;
        batch[i] = saves[i].save;
    }
    STF_CHECK_OK(stf_repository_save_many(self.mine, NULL, batch, 2, results, &self.error),
                 &self.error);
    ck_assert_uint_eq(results[1].status, STF_CONCURRENT_UPDATE);
    index_expect_due(&self, "a b ");
    /* The answer of a whole batch is lost, after the store had applied it. */
    batch[0].expected_version = 1;
    batch[1].expected_version = 1;
    saves[0].record.due = stf_wall_none();
    faulty_repository_fail_saves(&self.faults, 1, 1, STF_OUTCOME_UNKNOWN, true);
    STF_CHECK_STATUS(stf_repository_save_many(self.mine, NULL, batch, 2, results, &self.error),
                     STF_OUTCOME_UNKNOWN, &self.error);
    index_expect_due(&self, "");
    index_case_close(&self);
}

/* "" is the group's default tenant, which only the store knows. */
STF_TEST(a_record_saved_without_its_tenant_has_it_in_the_pages)
{
    index_case_open(&self);
    index_save save;
    index_save_init(&save, "a", 0, 10);
    save.record.tenant = stf_str_of("");
    STF_CHECK_OK(index_save_run(&self, self.mine, &save), &self.error);
    size_t rows = 0;
    stf_waiting_query query = {.group = {"g", 1},
                               .tenant = {"default", 7},
                               .kind = STF_WAIT_MESSAGE,
                               .after_since = stf_wall_none(),
                               .limit = 10};
    STF_CHECK_OK(
        stf_repository_waiting_page(self.mine, NULL, &query, index_count_row, &rows, &self.error),
        &self.error);
    ck_assert_uint_eq(rows, 1);
    index_case_close(&self);
}

static const stf_test_case cases[] = {
    STF_CASE(a_save_and_a_delete_are_seen_at_once),
    STF_CASE(a_lost_comparison_shows_what_the_other_handle_saved),
    STF_CASE(a_load_that_shows_another_record_is_believed_at_the_next_call),
    STF_CASE(a_record_whose_save_lost_its_answer_is_loaded_again),
    STF_CASE(a_batch_tells_the_outcome_of_each_record),
    STF_CASE(a_record_saved_without_its_tenant_has_it_in_the_pages),
};

STF_TEST_MAIN("port/index_note", cases)

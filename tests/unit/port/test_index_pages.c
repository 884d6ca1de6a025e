/* SPDX-License-Identifier: Apache-2.0 */
/* The pages of the wake index: against a plain model, and what they say without a clock. What they
 * contain is the conformance suite's: tests/conformance/test_without_wake.c. */
#include "support/stf_test.h"
#include "support/wake_model.h"
#include "unit/port/index_case.h"

static index_case self;

STF_TEST(pages_agree_with_a_look_at_every_record)
{
    index_case_open(&self);
    wake_model_check(self.mine, 1500, 7);
    index_case_close(&self);
}

STF_TEST(a_query_without_a_time_needs_a_store_with_a_clock)
{
    size_t rows = 0;
    index_case_open(&self);
    index_put(&self, self.mine, "a", 0, 10);
    stf_due_query due = {
        .group = {"g", 1}, .now = stf_wall_none(), .after_due = stf_wall_none(), .limit = 10};
    STF_CHECK_STATUS(
        stf_repository_due_page(self.mine, NULL, &due, index_count_row, &rows, &self.error),
        STF_UNSUPPORTED, &self.error);
    stf_orphan_query orphans = {.group = {"g", 1}, .now = stf_wall_none(), .limit = 10};
    STF_CHECK_STATUS(
        stf_repository_orphan_page(self.mine, NULL, &orphans, index_count_row, &rows, &self.error),
        STF_UNSUPPORTED, &self.error);
    ck_assert_uint_eq(rows, 0);
    index_case_close(&self);
}

/* A visitor may call the store again, and what it returns is the answer. */
static stf_status delete_and_stop(void *user, const stf_wake_row *row, stf_error *error)
{
    index_case *store = user;
    ck_assert(stf_str_equal(row->id, stf_str_of("a")));
    index_delete(store, store->mine, "a");
    return stf_error_set(error, STF_CALLBACK, "TEST", "enough");
}

STF_TEST(a_visitor_may_call_the_store_and_end_the_page)
{
    index_case_open(&self);
    index_put(&self, self.mine, "a", 0, 10);
    index_put(&self, self.mine, "b", 0, 10);
    stf_due_query due = {
        .group = {"g", 1}, .now = {self.now_us}, .after_due = stf_wall_none(), .limit = 10};
    STF_CHECK_STATUS(
        stf_repository_due_page(self.mine, NULL, &due, delete_and_stop, &self, &self.error),
        STF_CALLBACK, &self.error);
    index_expect_due(&self, "b ");
    index_case_close(&self);
}

static const stf_test_case cases[] = {
    STF_CASE(pages_agree_with_a_look_at_every_record),
    STF_CASE(a_query_without_a_time_needs_a_store_with_a_clock),
    STF_CASE(a_visitor_may_call_the_store_and_end_the_page),
};

STF_TEST_MAIN("port/index_pages", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of the wake index, by themselves: what is put is found in its places, what is unsure
 * stands in a list, and no failing allocation loses an entry silently. */
#include "port/index.h"

#include "support/stf_test.h"
#include "unit/base/faulty.h"

static faulty allocator;
static stf__index *wake_index;

static void open_index(void)
{
    stf_error error = STF_ERROR_INIT;
    faulty_init(&allocator, 0);
    STF_CHECK_OK(stf__index_new(&allocator.port, &wake_index, &error), &error);
}

static void close_index(void)
{
    stf__index_free(wake_index);
    ck_assert_int_eq(allocator.live, 0);
}

static stf_status put(const char *id, int64_t version, uint32_t status, int64_t due_us,
                      const char *owner)
{
    static const stf_wait waits[] = {{.kind = 1, .key = {"k", 1}}, {.kind = 1, .key = {"k", 1}}};
    stf_record record = STF_RECORD_INIT;
    record.id = stf_str_of(id);
    record.group = stf_str_of("g");
    record.tenant = stf_str_of("t");
    record.rec_version = version;
    record.status = status;
    record.due = (stf_wall){due_us};
    record.lease.owner = stf_str_of(owner);
    record.waits = waits;
    record.wait_count = 2;
    return stf__index_put(wake_index, &record);
}

static size_t count_nodes(const stf__tree *tree)
{
    size_t count = 0;
    for (const stf__tree_node *node = stf__tree_first(tree); node != NULL;
         node = stf__tree_next(node)) {
        count++;
    }
    return count;
}

/* records, due, owned, waits, waits_by_key */
static void expect_counts(size_t records, size_t due, size_t owned, size_t waits)
{
    const stf__index_group *group = stf__index_find_group(wake_index, stf_str_of("g"));
    ck_assert_ptr_nonnull(group);
    ck_assert_uint_eq(count_nodes(&group->set.records), records);
    ck_assert_uint_eq(count_nodes(&group->set.due), due);
    ck_assert_uint_eq(count_nodes(&group->set.owned), owned);
    ck_assert_uint_eq(count_nodes(&group->set.waits), waits);
    ck_assert_uint_eq(count_nodes(&group->set.waits_by_key), waits);
}

STF_TEST(an_entry_stands_where_its_fields_say_and_leaves_when_they_change)
{
    open_index();
    ck_assert_uint_eq(put("a", 1, STF_RECORD_ACTIVE, 7, "x"), STF_OK);
    expect_counts(1, 1, 1, 2);
    ck_assert_uint_eq(put("b", 1, STF_RECORD_SUSPENDED, 7, ""), STF_OK);
    expect_counts(2, 2, 1, 2);
    ck_assert_uint_eq(put("a", 2, STF_RECORD_ACTIVE, STF_WALL_NONE_US, ""), STF_OK);
    expect_counts(2, 1, 0, 2);
    ck_assert_uint_eq(put("a", 3, STF_RECORD_COMPLETED, 7, "x"), STF_OK);
    expect_counts(1, 1, 0, 0);
    stf__index_remove(wake_index, stf__index_find(wake_index, stf_str_of("b")));
    expect_counts(0, 0, 0, 0);
    ck_assert_uint_eq(wake_index->entries.count, 0);
    close_index();
}

STF_TEST(who_is_doubted_again_goes_to_the_end_of_the_list)
{
    open_index();
    ck_assert_uint_eq(put("a", 1, STF_RECORD_ACTIVE, 7, ""), STF_OK);
    stf__index_doubt(wake_index, stf_str_of("a"));
    stf__index_doubt(wake_index, stf_str_of("unknown"));
    STF_CHECK_STR(wake_index->unsure_first->wake.id, "a");
    stf__index_doubt(wake_index, stf_str_of("a"));
    STF_CHECK_STR(wake_index->unsure_first->wake.id, "unknown");
    STF_CHECK_STR(wake_index->unsure_last->wake.id, "a");
    ck_assert_ptr_null(wake_index->unsure_first->group);
    /* Taking a record settles it. */
    ck_assert_uint_eq(put("unknown", 4, STF_RECORD_ACTIVE, 7, ""), STF_OK);
    ck_assert_ptr_eq(wake_index->unsure_first, wake_index->unsure_last);
    stf__index_trust(wake_index, wake_index->unsure_first);
    ck_assert_ptr_null(wake_index->unsure_first);
    ck_assert_ptr_null(wake_index->unsure_last);
    expect_counts(2, 2, 0, 4);
    close_index();
}

STF_TEST(a_failing_allocation_leaves_the_entry_that_was_there)
{
    open_index();
    ck_assert_uint_eq(put("a", 1, STF_RECORD_ACTIVE, 7, "x"), STF_OK);
    allocator.fail_at = allocator.calls + 1;
    ck_assert_uint_eq(put("a", 2, STF_RECORD_ACTIVE, STF_WALL_NONE_US, ""), STF_NO_MEMORY);
    expect_counts(1, 1, 1, 2);
    ck_assert_int_eq(stf__index_find(wake_index, stf_str_of("a"))->wake.version, 1);
    /* A doubt about a known record needs no memory; one about an unknown one is not lost. */
    allocator.fail_at = allocator.calls + 1;
    stf__index_doubt(wake_index, stf_str_of("a"));
    ck_assert_ptr_nonnull(wake_index->unsure_first);
    ck_assert(!wake_index->is_lossy);
    stf__index_doubt(wake_index, stf_str_of("unknown"));
    ck_assert(wake_index->is_lossy);
    allocator.fail_at = 0;
    close_index();
}

STF_TEST(every_failing_allocation_of_the_first_record_is_said)
{
    stf_status status = STF_NO_MEMORY;
    for (long n = 1; status == STF_NO_MEMORY; n++) {
        open_index();
        allocator.fail_at = allocator.calls + n;
        status = put("a", 1, STF_RECORD_ACTIVE, 7, "x");
        ck_assert(status == STF_OK || wake_index->entries.count == 0);
        ck_assert(status == STF_NO_MEMORY || n > 3);
        close_index();
    }
    ck_assert_uint_eq(status, STF_OK);
}

static const stf_test_case cases[] = {
    STF_CASE(an_entry_stands_where_its_fields_say_and_leaves_when_they_change),
    STF_CASE(who_is_doubted_again_goes_to_the_end_of_the_list),
    STF_CASE(a_failing_allocation_leaves_the_entry_that_was_there),
    STF_CASE(every_failing_allocation_of_the_first_record_is_said),
};

STF_TEST_MAIN("port/index", cases)

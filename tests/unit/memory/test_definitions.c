/* SPDX-License-Identifier: Apache-2.0 */
/* The definition store without memory, and under visitors that call it or change what they see. */
#include "base/mem.h"
#include "support/stf_test.h"
#include "unit/memory/memory_case.h"

static stf_definition_store *store;

static void start(memory_case *self)
{
    memory_case_open(self, 0);
    STF_CHECK_OK(stf_memory_open_definitions(self->memory, &store, &self->error), &self->error);
}

static void finish(memory_case *self)
{
    stf_definition_store_close(store);
    memory_case_close(self);
}

static stf_status put(memory_case *self, const char *key, const char *file, int64_t expected)
{
    stf_definition definition = {
        .group = {"g", 1}, .key = stf_str_of(key), .file = {(const uint8_t *)file, strlen(file)}};
    int64_t version = 0;
    bool is_new = false;
    stf_status status =
        stf_definition_store_put(store, NULL, &definition, &version, &is_new, &self->error);
    ck_assert_int_eq(version, status == STF_OK ? expected : 0);
    return status;
}

static stf_status count(void *user, const stf_definition *definition, stf_error *error)
{
    (void)definition;
    (void)error;
    ++*(size_t *)user;
    return STF_OK;
}

static stf_status list(memory_case *self, size_t expected)
{
    size_t seen = 0;
    stf_definition_query query = {.group = {"g", 1}, .limit = 10};
    stf_status status = stf_definition_store_list(store, NULL, &query, count, &seen, &self->error);
    ck_assert(status != STF_OK || seen == expected);
    return status;
}

static stf_status put_first(memory_case *self)
{
    return put(self, "order", "one", 1);
}

static void nothing_is_listed(memory_case *self)
{
    STF_CHECK_OK(list(self, 0), &self->error);
}

static stf_status read_one(memory_case *self)
{
    size_t seen = 0;
    bool is_found = false;
    stf_status status =
        stf_definition_store_get(store, NULL, stf_str_of("g"), (stf_str){NULL, 0},
                                 stf_str_of("order"), 0, count, &seen, &is_found, &self->error);
    return status == STF_OK ? list(self, 1) : status;
}

STF_TEST(a_version_is_given_with_its_file_or_not_at_all)
{
    memory_case self;
    start(&self);
    memory_fail_each(&self, put_first, nothing_is_listed);
    STF_CHECK_OK(put(&self, "order", "two", 2), &self.error);
    finish(&self);
}

STF_TEST(reading_needs_no_memory)
{
    memory_case self;
    start(&self);
    STF_CHECK_OK(put(&self, "order", "one", 1), &self.error);
    long calls = (long)self.allocator.calls;
    STF_CHECK_OK(read_one(&self), &self.error);
    ck_assert_int_eq((long)self.allocator.calls, calls);
    finish(&self);
}

static stf_status remove_first(memory_case *self)
{
    return stf_definition_store_delete(store, NULL, stf_str_of("g"), (stf_str){NULL, 0},
                                       stf_str_of("order"), 1, &self->error);
}

static stf_status remove_and_read(void *user, const stf_definition *definition, stf_error *error)
{
    (void)error;
    memory_case *self = user;
    STF_CHECK_OK(remove_first(self), &self->error);
    ck_assert_uint_eq(definition->file.size, 3);
    ck_assert_mem_eq(definition->file.data, "one", 3);
    return STF_OK;
}

static stf_status get_and_remove(memory_case *self)
{
    bool is_found = false;
    return stf_definition_store_get(store, NULL, stf_str_of("g"), (stf_str){NULL, 0},
                                    stf_str_of("order"), 0, remove_and_read, self, &is_found,
                                    &self->error);
}

static stf_status list_and_remove(memory_case *self)
{
    stf_definition_query query = {.group = {"g", 1}, .limit = 10};
    return stf_definition_store_list(store, NULL, &query, remove_and_read, self, &self->error);
}

STF_TEST(a_file_stays_for_its_visitor_while_its_version_is_removed)
{
    stf_status (*const visits[])(memory_case *) = {get_and_remove, list_and_remove};
    for (size_t i = 0; i < STF_COUNT_OF(visits); i++) {
        memory_case self;
        start(&self);
        STF_CHECK_OK(put(&self, "order", "one", 1), &self.error);
        long live = self.allocator.live;
        STF_CHECK_OK(visits[i](&self), &self.error);
        ck_assert_int_eq(self.allocator.live, live - 1);
        STF_CHECK_OK(list(&self, 0), &self.error);
        finish(&self);
    }
}

static stf_status put_again(void *user, const stf_definition *definition, stf_error *error)
{
    (void)error;
    memory_case *self = user;
    ck_assert_uint_eq(definition->file.size, 3);
    return definition->version < 5
               ? put(self, "order", definition->version % 2 == 0 ? "one" : "two",
                     definition->version + 1)
               : STF_OK;
}

STF_TEST(a_listing_walks_on_into_what_its_visitor_deploys)
{
    memory_case self;
    start(&self);
    STF_CHECK_OK(put(&self, "order", "one", 1), &self.error);
    stf_definition_query query = {.group = {"g", 1}, .limit = 10};
    STF_CHECK_OK(stf_definition_store_list(store, NULL, &query, put_again, &self, &self.error),
                 &self.error);
    STF_CHECK_OK(list(&self, 5), &self.error);
    finish(&self);
}

STF_TEST(a_removed_version_frees_its_file_and_keeps_its_number)
{
    memory_case self;
    start(&self);
    STF_CHECK_OK(put(&self, "order", "one", 1), &self.error);
    long live = self.allocator.live;
    STF_CHECK_OK(stf_definition_store_delete(store, NULL, stf_str_of("g"), (stf_str){NULL, 0},
                                             stf_str_of("order"), 1, &self.error),
                 &self.error);
    ck_assert_int_eq(self.allocator.live, live - 1);
    STF_CHECK_OK(put(&self, "order", "one", 2), &self.error);
    finish(&self);
}

static const stf_test_case cases[] = {
    STF_CASE(a_version_is_given_with_its_file_or_not_at_all),
    STF_CASE(reading_needs_no_memory),
    STF_CASE(a_file_stays_for_its_visitor_while_its_version_is_removed),
    STF_CASE(a_listing_walks_on_into_what_its_visitor_deploys),
    STF_CASE(a_removed_version_frees_its_file_and_keeps_its_number),
};

STF_TEST_MAIN("memory/definitions", cases)

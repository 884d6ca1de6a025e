/* SPDX-License-Identifier: Apache-2.0 */
/* The wrapper of a definition store: registration, refusals, outputs on success only. */
#include "unit/port/fake.h"

#include "support/stf_test.h"

typedef struct fake_definitions {
    size_t calls;
    size_t closes;
    stf_status answer;
} fake_definitions;

static stf_status answer(void *impl)
{
    fake_definitions *self = impl;
    self->calls++;
    return self->answer;
}

static stf_status put(void *impl, const stf_ctx *ctx, const stf_definition *definition,
                      int64_t *ret_version, bool *ret_is_new, stf_error *error)
{
    (void)ctx;
    (void)definition;
    (void)error;
    *ret_version = 42;
    *ret_is_new = true;
    return answer(impl);
}

static stf_status get(void *impl, const stf_ctx *ctx, stf_str group, stf_str tenant, stf_str key,
                      int64_t version, stf_definition_visitor visit, void *user, bool *ret_found,
                      stf_error *error)
{
    (void)ctx;
    (void)group;
    (void)tenant;
    (void)key;
    (void)version;
    (void)visit;
    (void)user;
    (void)error;
    *ret_found = true;
    return answer(impl);
}

static stf_status list(void *impl, const stf_ctx *ctx, const stf_definition_query *query,
                       stf_definition_visitor visit, void *user, stf_error *error)
{
    (void)ctx;
    (void)query;
    (void)visit;
    (void)user;
    (void)error;
    return answer(impl);
}

static stf_status remove_definition(void *impl, const stf_ctx *ctx, stf_str group, stf_str tenant,
                                    stf_str key, int64_t version, stf_error *error)
{
    (void)ctx;
    (void)group;
    (void)tenant;
    (void)key;
    (void)version;
    (void)error;
    return answer(impl);
}

static void close_store(void *impl)
{
    ((fake_definitions *)impl)->closes++;
}

static const stf_definition_store_vtable slots = {
    sizeof(slots), STF_DEFINITION_STORE_ABI, 0, put, get, list, remove_definition, close_store};

static stf_definition_store *open_store(fake_definitions *self)
{
    stf_definition_store *store = NULL;
    stf_error error = STF_ERROR_INIT;
    STF_CHECK_OK(stf_definition_store_new(NULL, &slots, self, &store, &error), &error);
    return store;
}

STF_TEST(each_slot_is_required)
{
    for (size_t i = 0; i < 5; i++) {
        fake_definitions self = {.calls = 0};
        stf_definition_store *store = NULL;
        stf_definition_store_vtable broken = slots;
        size_t head = sizeof(size_t) + 2 * sizeof(uint32_t);
        memset((char *)&broken + head + i * sizeof(void (*)(void)), 0, sizeof(void (*)(void)));
        ck_assert_uint_eq(stf_definition_store_new(NULL, &broken, &self, &store, NULL),
                          STF_INVALID_ARGUMENT);
        ck_assert_ptr_null(store);
        ck_assert_uint_eq(self.closes, 0);
    }
    fake_definitions self = {.calls = 0};
    ck_assert_ptr_null(stf_definition_store_close(open_store(&self)));
    ck_assert_uint_eq(self.closes, 1);
    ck_assert_ptr_null(stf_definition_store_close(NULL));
}

static stf_status put_named(stf_definition_store *store, stf_str group, stf_str key, size_t size)
{
    static const uint8_t file[1] = {'x'};
    stf_definition definition = {.group = group, .key = key, .file = {file, size}};
    int64_t version = 7;
    bool is_new = false;
    stf_status status = stf_definition_store_put(store, NULL, &definition, &version, &is_new, NULL);
    ck_assert_int_eq(version, status == STF_OK ? 42 : 7);
    ck_assert_int_eq(is_new, status == STF_OK);
    return status;
}

static stf_status get_named(stf_definition_store *store, stf_str group, stf_str key,
                            int64_t version)
{
    bool is_found = false;
    stf_definition_visitor never = (stf_definition_visitor)(void (*)(void))abort;
    stf_status status = stf_definition_store_get(store, NULL, group, (stf_str){NULL, 0}, key,
                                                 version, never, NULL, &is_found, NULL);
    ck_assert_int_eq(is_found, status == STF_OK);
    return status;
}

STF_TEST(refusals_reach_no_slot)
{
    static const stf_str good = {"g", 1};
    static const stf_str empty = {NULL, 0};
    static const stf_str bad = {"\xff", 1};
    fake_definitions self = {.calls = 0};
    stf_definition_store *store = open_store(&self);
    ck_assert_uint_eq(put_named(store, empty, fake_long_text(), 1), STF_EMPTY_NOT_ALLOWED);
    ck_assert_uint_eq(put_named(store, good, empty, 1), STF_EMPTY_NOT_ALLOWED);
    ck_assert_uint_eq(put_named(store, fake_long_text(), good, 0), STF_EMPTY_NOT_ALLOWED);
    ck_assert_uint_eq(put_named(store, good, fake_long_text(), 1), STF_LIMIT_EXCEEDED);
    ck_assert_uint_eq(put_named(store, good, bad, STF_LIMIT_XML_BYTES + 1u), STF_LIMIT_EXCEEDED);
    ck_assert_uint_eq(put_named(store, good, bad, 1), STF_INVALID_ARGUMENT);
    ck_assert_uint_eq(get_named(store, good, empty, 0), STF_EMPTY_NOT_ALLOWED);
    ck_assert_uint_eq(get_named(store, good, good, -1), STF_INVALID_ARGUMENT);
    ck_assert_uint_eq(stf_definition_store_delete(store, NULL, good, empty, good, -1, NULL),
                      STF_INVALID_ARGUMENT);
    ck_assert_uint_eq(stf_definition_store_delete(store, NULL, empty, empty, good, 1, NULL),
                      STF_EMPTY_NOT_ALLOWED);
    stf_definition_query query = {.group = good, .limit = 1, .after_version = -1};
    stf_definition_visitor never = (stf_definition_visitor)(void (*)(void))abort;
    ck_assert_uint_eq(stf_definition_store_list(store, NULL, &query, never, NULL, NULL),
                      STF_INVALID_ARGUMENT);
    query.after_version = 0;
    query.limit = 0;
    ck_assert_uint_eq(stf_definition_store_list(store, NULL, &query, never, NULL, NULL),
                      STF_INVALID_ARGUMENT);
    ck_assert_uint_eq(self.calls, 0);
    stf_definition_store_close(store);
}

STF_TEST(outputs_are_set_on_success_only)
{
    static const stf_str good = {"g", 1};
    fake_definitions self = {.calls = 0};
    stf_definition_store *store = open_store(&self);
    ck_assert_uint_eq(put_named(store, good, good, 1), STF_OK);
    ck_assert_uint_eq(get_named(store, good, good, 0), STF_OK);
    self.answer = STF_UNAVAILABLE;
    ck_assert_uint_eq(put_named(store, good, good, 1), STF_UNAVAILABLE);
    ck_assert_uint_eq(get_named(store, good, good, 0), STF_UNAVAILABLE);
    ck_assert_uint_eq(
        stf_definition_store_delete(store, NULL, good, (stf_str){NULL, 0}, good, 1, NULL),
        STF_UNAVAILABLE);
    ck_assert_uint_eq(self.calls, 5);
    stf_definition_store_close(store);
}

static const stf_test_case cases[] = {
    STF_CASE(each_slot_is_required),
    STF_CASE(refusals_reach_no_slot),
    STF_CASE(outputs_are_set_on_success_only),
};

STF_TEST_MAIN("port/definitions", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* The suite is tested: every deliberately broken store fails the case named for it, and the same
 * decorator without the defect passes everything. */
#include "conformance/memory_factory.h"
#include "conformance/passthrough.h"

#include "support/stf_test.h"

static stf_status wrap(void *user, stf_repository *inner, stf_repository **ret_outer,
                       stf_error *error)
{
    const broken_store *broken = user;
    return passthrough_new(broken->break_it, inner, ret_outer, error);
}

typedef struct verdict {
    const char *case_id;
    bool has_failed;
} verdict;

static void report(void *user, const stf_conformance_result *result)
{
    verdict *seen = user;
    if (strcmp(result->id, seen->case_id) == 0) {
        seen->has_failed = result->outcome == STF_CONFORMANCE_FAILED;
        ck_assert_str_ne(result->contract, "");
        ck_assert(!seen->has_failed || result->reason[0] != '\0');
    }
}

static void expect_caught(const broken_store *stores, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        memory_factory factory;
        broken_store broken = stores[i];
        verdict seen = {.case_id = broken.case_id};
        stf_error error = STF_ERROR_INIT;
        stf_conformance_options options = {.struct_size = sizeof(options),
                                           .abi = STF_CONFORMANCE_ABI,
                                           .race_saves = 20,
                                           .only = broken.case_id};
        memory_factory_init(&factory);
        factory.wrap = wrap;
        factory.user = &broken;
        stf_status status = stf_conformance_run(&factory.factory, &options, report, &seen, &error);
        ck_assert_msg(seen.has_failed, "\"%s\" passed %s", broken.what, broken.case_id);
        STF_CHECK_STATUS(status, STF_INTERNAL, &error);
    }
}

STF_TEST(each_store_that_breaks_a_record_fails_its_case)
{
    expect_caught(broken_records, broken_records_count);
}

STF_TEST(each_store_that_breaks_a_page_fails_its_case)
{
    expect_caught(broken_pages, broken_pages_count);
}

STF_TEST(each_store_that_breaks_a_fence_or_a_repeat_fails_its_case)
{
    expect_caught(broken_fencing, broken_fencing_count);
}

STF_TEST(each_store_that_breaks_a_wake_page_fails_its_case)
{
    expect_caught(broken_wake, broken_wake_count);
}

static void report_any_failure(void *user, const stf_conformance_result *result)
{
    (void)user;
    ck_assert_msg(result->outcome != STF_CONFORMANCE_FAILED, "%s: %s", result->id, result->reason);
}

STF_TEST(the_decorator_without_a_defect_passes_every_case)
{
    memory_factory factory;
    broken_store sound = {"nothing", "", NULL};
    stf_error error = STF_ERROR_INIT;
    memory_factory_init(&factory);
    factory.wrap = wrap;
    factory.user = &sound;
    STF_CHECK_OK(stf_conformance_run(&factory.factory, NULL, report_any_failure, NULL, &error),
                 &error);
}

/* ---- Broken definition stores ------------------------------------------------------------- */

static stf_status (*inner_definitions)(void *user, const stf_clock *clock,
                                       stf_definition_store **ret_store, stf_error *error);

/* Every deployment is given other bytes, so nothing is ever the same. */
static stf_status put_marked(void *impl, const stf_ctx *ctx, const stf_definition *definition,
                             int64_t *ret_version, bool *ret_is_new, stf_error *error)
{
    static uint8_t mark;
    uint8_t bytes[64];
    stf_definition marked = *definition;
    ck_assert_uint_lt(definition->file.size, sizeof(bytes));
    memcpy(bytes, definition->file.data, definition->file.size);
    bytes[definition->file.size] = mark++;
    marked.file = (stf_bytes){bytes, definition->file.size + 1};
    return stf_definition_store_put(impl, ctx, &marked, ret_version, ret_is_new, error);
}

static stf_status get_inner(void *impl, const stf_ctx *ctx, stf_str group, stf_str tenant,
                            stf_str key, int64_t version, stf_definition_visitor visit, void *user,
                            bool *ret_found, stf_error *error)
{
    return stf_definition_store_get(impl, ctx, group, tenant, key, version, visit, user, ret_found,
                                    error);
}

static stf_status list_inner(void *impl, const stf_ctx *ctx, const stf_definition_query *query,
                             stf_definition_visitor visit, void *user, stf_error *error)
{
    return stf_definition_store_list(impl, ctx, query, visit, user, error);
}

/* Says that it is gone, whatever became of it. */
static stf_status remove_nothing(void *impl, const stf_ctx *ctx, stf_str group, stf_str tenant,
                                 stf_str key, int64_t version, stf_error *error)
{
    (void)!stf_definition_store_delete(impl, ctx, group, tenant, key, version, error);
    return STF_OK;
}

static void close_inner(void *impl)
{
    stf_definition_store_close(impl);
}

static stf_status open_broken_definitions(void *user, const stf_clock *clock,
                                          stf_definition_store **ret_store, stf_error *error)
{
    static const stf_definition_store_vtable slots = {
        .struct_size = sizeof(slots),
        .abi = STF_DEFINITION_STORE_ABI,
        .put = put_marked,
        .get = get_inner,
        .list = list_inner,
        .remove = remove_nothing,
        .close = close_inner,
    };
    stf_definition_store *inner = NULL;
    stf_status status = inner_definitions(user, clock, &inner, error);
    return status == STF_OK ? stf_definition_store_new(NULL, &slots, inner, ret_store, error)
                            : status;
}

STF_TEST(a_broken_definition_store_fails_its_cases)
{
    static const char *const ids[] = {"definitions.versions", "definitions.pinned",
                                      "definitions.get"};
    for (size_t i = 0; i < 3; i++) {
        memory_factory factory;
        verdict seen = {.case_id = ids[i]};
        stf_error error = STF_ERROR_INIT;
        stf_conformance_options options = {
            .struct_size = sizeof(options), .abi = STF_CONFORMANCE_ABI, .only = ids[i]};
        memory_factory_init(&factory);
        inner_definitions = factory.factory.definitions;
        factory.factory.definitions = open_broken_definitions;
        STF_CHECK_STATUS(stf_conformance_run(&factory.factory, &options, report, &seen, &error),
                         STF_INTERNAL, &error);
        ck_assert_msg(seen.has_failed, "it passed %s", ids[i]);
    }
}

/* A store that says it is durable may not skip the reopen. */
static stf_status describe_durable(void *impl, const stf_ctx *ctx, stf_repository_facts *ret_facts,
                                   stf_error *error)
{
    stf_status status =
        stf_repository_describe(((passthrough *)impl)->inner, ctx, ret_facts, error);
    ret_facts->flags |= STF_REPOSITORY_DURABLE;
    return status;
}

static void claims_durability(stf_repository_vtable *vtable, passthrough *self)
{
    (void)self;
    vtable->describe = describe_durable;
}

STF_TEST(a_store_that_claims_durability_must_survive)
{
    static const broken_store broken[] = {
        {"claims durability", "durability.records", claims_durability}};
    expect_caught(broken, 1);
}

static const stf_test_case cases[] = {
    STF_CASE(each_store_that_breaks_a_record_fails_its_case),
    STF_CASE(each_store_that_breaks_a_page_fails_its_case),
    STF_CASE(each_store_that_breaks_a_fence_or_a_repeat_fails_its_case),
    STF_CASE(each_store_that_breaks_a_wake_page_fails_its_case),
    STF_CASE(the_decorator_without_a_defect_passes_every_case),
    STF_CASE(a_broken_definition_store_fails_its_cases),
    STF_CASE(a_store_that_claims_durability_must_survive),
};

STF_TEST_MAIN("conformance/broken_stores", cases)

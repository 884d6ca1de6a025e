/* SPDX-License-Identifier: Apache-2.0 */
/* Groups and tenants: established once, the default by its flag, and numbers that are remembered
 * only when they are stored. */
#include "fixture.h"

static void check_tenant(sqlite_fixture *f, const char *group, const char *tenant,
                         const char *expected)
{
    stf_buf name;
    stf_buf_init(&name, NULL);
    STF_CHECK_OK(stf_repository_resolve_tenant(f->repository, NULL, fixture_str(group),
                                               fixture_str(tenant), &name, &f->error),
                 &f->error);
    STF_CHECK_STR(stf_buf_str(&name), expected);
    stf_buf_done(&name);
}

STF_TEST(the_default_is_made_once_and_designated_by_its_flag)
{
    sqlite_fixture f;
    fixture_init(&f);
    check_tenant(&f, "g", "", "default");
    check_tenant(&f, "g", "", "default");
    ck_assert_int_eq(fixture_sql_int(&f, "SELECT count(*) FROM stepfast_tenants"), 1);
    check_tenant(&f, "g", "acme", "acme");
    fixture_sql(&f, "UPDATE stepfast_tenants SET is_default = 0;"
                    "UPDATE stepfast_tenants SET is_default = 1 WHERE tenant_id = 'acme'");
    check_tenant(&f, "g", "", "acme");
    fixture_done(&f);
}

STF_TEST(a_tenant_that_is_named_default_becomes_it)
{
    sqlite_fixture f;
    fixture_init(&f);
    check_tenant(&f, "g", "default", "default");
    ck_assert_int_eq(fixture_sql_int(&f, "SELECT sum(is_default) FROM stepfast_tenants"), 0);
    check_tenant(&f, "g", "", "default");
    ck_assert_int_eq(fixture_sql_int(&f, "SELECT sum(is_default) FROM stepfast_tenants"), 1);
    ck_assert_int_eq(fixture_sql_int(&f, "SELECT count(*) FROM stepfast_tenants"), 1);
    fixture_done(&f);
}

STF_TEST(tenants_of_two_groups_are_apart)
{
    sqlite_fixture f;
    fixture_init(&f);
    STF_CHECK_OK(stf_repository_register_group(f.repository, NULL, fixture_str("h"), &f.error),
                 &f.error);
    check_tenant(&f, "g", "t", "t");
    check_tenant(&f, "h", "t", "t");
    ck_assert_int_eq(fixture_sql_int(&f, "SELECT count(*) FROM stepfast_tenants"), 2);
    stf_buf name;
    stf_buf_init(&name, NULL);
    STF_CHECK_STATUS(stf_repository_resolve_tenant(f.repository, NULL, fixture_str("x"),
                                                   fixture_str("t"), &name, &f.error),
                     STF_NOT_FOUND, &f.error);
    stf_buf_done(&name);
    fixture_done(&f);
}

/* The second record of the batch does not fit, so the tenant that the first one made is undone. */
STF_TEST(a_number_of_a_rolled_back_tenant_is_forgotten)
{
    static uint8_t bytes[2000000];
    sqlite_fixture f;
    fixture_make(&f);
    f.options.max_page_count = 100;
    fixture_open(&f);
    stf_record records[3] = {fixture_record("a"), fixture_record("b"), fixture_record("c")};
    for (size_t i = 0; i < 3; i++) {
        records[i].tenant = fixture_str("new");
    }
    records[2].bulk = (stf_bytes){bytes, sizeof(bytes)};
    stf_save saves[3] = {fixture_save(&records[0], 0), fixture_save(&records[1], 0),
                         fixture_save(&records[2], 0)};
    stf_save_result results[3];
    STF_CHECK_STATUS(stf_repository_save_many(f.repository, NULL, saves, 3, results, &f.error),
                     STF_UNAVAILABLE, &f.error);
    ck_assert_int_eq(fixture_sql_int(&f, "SELECT count(*) FROM stepfast_tenants"), 0);
    STF_CHECK_OK(fixture_put(f.repository, &records[0], 0, &f.error), &f.error);
    ck_assert_int_eq(fixture_sql_int(&f, "SELECT count(*) FROM stepfast_instances i JOIN"
                                         " stepfast_tenants t USING (tenant_no)"),
                     1);
    fixture_done(&f);
}

static const stf_test_case cases[] = {
    STF_CASE(the_default_is_made_once_and_designated_by_its_flag),
    STF_CASE(a_tenant_that_is_named_default_becomes_it),
    STF_CASE(tenants_of_two_groups_are_apart),
    STF_CASE(a_number_of_a_rolled_back_tenant_is_forgotten),
};

STF_TEST_MAIN("sqlite names", cases)

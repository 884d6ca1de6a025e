/* SPDX-License-Identifier: Apache-2.0 */
/* The definition store beside the repository, on the same handle. */
#include "fixture.h"

#include <inttypes.h>
#include <pthread.h>

typedef struct definition_shelf {
    sqlite_fixture f;
    stf_definition_store *store;
} definition_shelf;

static void shelf_init(definition_shelf *shelf)
{
    fixture_init(&shelf->f);
    STF_CHECK_OK(stf_sqlite_open_definitions(shelf->f.sqlite, &shelf->store, &shelf->f.error),
                 &shelf->f.error);
}

static void shelf_done(definition_shelf *shelf)
{
    stf_definition_store_close(shelf->store);
    fixture_done(&shelf->f);
}

static stf_definition definition_of(const char *tenant, const char *key, const char *file)
{
    return (stf_definition){.group = fixture_str("g"),
                            .tenant = fixture_str(tenant),
                            .key = fixture_str(key),
                            .file = fixture_bytes(file)};
}

static void put(definition_shelf *shelf, const char *tenant, const char *key, const char *file,
                int64_t version, bool is_new)
{
    stf_definition definition = definition_of(tenant, key, file);
    int64_t given = 0;
    bool was_new = !is_new;
    STF_CHECK_OK(stf_definition_store_put(shelf->store, NULL, &definition, &given, &was_new,
                                          &shelf->f.error),
                 &shelf->f.error);
    ck_assert_int_eq(given, version);
    ck_assert_int_eq(was_new, is_new);
}

static stf_status note(void *user, const stf_definition *definition, stf_error *error)
{
    (void)error;
    STF_CHECK_STR(definition->group, "g");
    ck_assert_int_eq(definition->deployed.us, FIXTURE_NOW);
    return stf_buf_printf(user, "%.*s/%.*s.%" PRId64 "=%.*s ", (int)definition->tenant.size,
                          definition->tenant.data, (int)definition->key.size, definition->key.data,
                          definition->version, (int)definition->file.size,
                          (const char *)definition->file.data);
}

static void check_get(definition_shelf *shelf, const char *tenant, int64_t version,
                      const char *expected)
{
    stf_buf seen;
    bool is_found = false;
    stf_buf_init(&seen, NULL);
    STF_CHECK_OK(stf_definition_store_get(shelf->store, NULL, fixture_str("g"), fixture_str(tenant),
                                          fixture_str("order"), version, note, &seen, &is_found,
                                          &shelf->f.error),
                 &shelf->f.error);
    STF_CHECK_STR(stf_buf_str(&seen), expected);
    ck_assert_int_eq(is_found, expected[0] != '\0');
    stf_buf_done(&seen);
}

STF_TEST(the_same_bytes_as_the_latest_are_the_same_version)
{
    definition_shelf shelf;
    shelf_init(&shelf);
    put(&shelf, "", "order", "A", 1, true);
    put(&shelf, "default", "order", "A", 1, false);
    put(&shelf, "", "order", "B", 2, true);
    put(&shelf, "", "order", "A", 3, true);
    put(&shelf, "u", "order", "A", 1, true);
    check_get(&shelf, "", 0, "default/order.3=A ");
    check_get(&shelf, "default", 2, "default/order.2=B ");
    check_get(&shelf, "u", 0, "u/order.1=A ");
    check_get(&shelf, "u", 2, "");
    check_get(&shelf, "nobody", 0, "");
    stf_definition lost = definition_of("", "order", "A");
    lost.group = fixture_str("nowhere");
    int64_t version;
    bool is_new;
    STF_CHECK_STATUS(
        stf_definition_store_put(shelf.store, NULL, &lost, &version, &is_new, &shelf.f.error),
        STF_NOT_FOUND, &shelf.f.error);
    shelf_done(&shelf);
}

STF_TEST(a_restarted_program_needs_no_file)
{
    definition_shelf shelf;
    shelf_init(&shelf);
    put(&shelf, "", "order", "A", 1, true);
    stf_definition_store_close(shelf.store);
    fixture_close(&shelf.f);
    fixture_open(&shelf.f);
    STF_CHECK_OK(stf_sqlite_open_definitions(shelf.f.sqlite, &shelf.store, &shelf.f.error),
                 &shelf.f.error);
    check_get(&shelf, "", 0, "default/order.1=A ");
    shelf_done(&shelf);
}

static void check_list(definition_shelf *shelf, stf_definition_query query, const char *expected)
{
    stf_buf seen;
    stf_buf_init(&seen, NULL);
    query.group = fixture_str("g");
    STF_CHECK_OK(
        stf_definition_store_list(shelf->store, NULL, &query, note, &seen, &shelf->f.error),
        &shelf->f.error);
    STF_CHECK_STR(stf_buf_str(&seen), expected);
    stf_buf_done(&seen);
}

STF_TEST(lists_are_ordered_by_tenant_key_and_version)
{
    definition_shelf shelf;
    shelf_init(&shelf);
    put(&shelf, "u", "order", "A", 1, true);
    put(&shelf, "t", "order", "B", 1, true);
    put(&shelf, "t", "claim", "C", 1, true);
    put(&shelf, "t", "order", "D", 2, true);
    check_list(&shelf, (stf_definition_query){.limit = 10},
               "t/claim.1=C t/order.1=B t/order.2=D u/order.1=A ");
    check_list(&shelf, (stf_definition_query){.limit = 2}, "t/claim.1=C t/order.1=B ");
    check_list(&shelf,
               (stf_definition_query){.after_tenant = fixture_str("t"),
                                      .after_key = fixture_str("order"),
                                      .after_version = 1,
                                      .limit = 10},
               "t/order.2=D u/order.1=A ");
    check_list(&shelf, (stf_definition_query){.key = fixture_str("order"), .limit = 10},
               "t/order.1=B t/order.2=D u/order.1=A ");
    check_list(&shelf, (stf_definition_query){.tenant = fixture_str("u"), .limit = 10},
               "u/order.1=A ");
    shelf_done(&shelf);
}

STF_TEST(a_pinned_version_stays_and_a_removed_number_is_not_given_again)
{
    definition_shelf shelf;
    shelf_init(&shelf);
    put(&shelf, "t", "order", "A", 1, true);
    put(&shelf, "t", "order", "B", 2, true);
    stf_record record = fixture_record("a");
    record.label_key = fixture_str("order");
    record.label_version = 2;
    STF_CHECK_OK(fixture_put(shelf.f.repository, &record, 0, &shelf.f.error), &shelf.f.error);
#define REMOVE(version)                                                                            \
    stf_definition_store_delete(shelf.store, NULL, fixture_str("g"), fixture_str("t"),             \
                                fixture_str("order"), version, &shelf.f.error)
    STF_CHECK_STATUS(REMOVE(2), STF_INVALID_STATE, &shelf.f.error);
    STF_CHECK_OK(REMOVE(1), &shelf.f.error);
    STF_CHECK_OK(REMOVE(7), &shelf.f.error);
    record.status = STF_RECORD_COMPLETED;
    STF_CHECK_OK(fixture_put(shelf.f.repository, &record, 1, &shelf.f.error), &shelf.f.error);
    STF_CHECK_OK(REMOVE(2), &shelf.f.error);
    STF_CHECK_OK(REMOVE(2), &shelf.f.error);
    check_get(&shelf, "t", 0, "");
    put(&shelf, "t", "order", "B", 3, true);
    shelf_done(&shelf);
}

enum {
    DEPLOYERS = 4,
    FILES = 25
};

typedef struct deployer {
    sqlite_fixture *f;
    stf_definition_store *store;
    char name;
    pthread_t thread;
} deployer;

static void *deploy(void *user)
{
    deployer *self = user;
    for (int i = 0; i < FILES; i++) {
        char file[16];
        snprintf(file, sizeof(file), "%c%d", self->name, i);
        stf_definition definition = definition_of("t", "order", file);
        int64_t version;
        bool is_new = false;
        stf_error error = STF_ERROR_INIT;
        STF_CHECK_OK(
            stf_definition_store_put(self->store, NULL, &definition, &version, &is_new, &error),
            &error);
        ck_assert(is_new);
    }
    return NULL;
}

STF_TEST(versions_have_no_gap_under_races)
{
    sqlite_fixture f;
    fixture_init(&f);
    deployer deployers[DEPLOYERS];
    for (int i = 0; i < DEPLOYERS; i++) {
        stf_sqlite *sqlite = NULL;
        STF_CHECK_OK(stf_sqlite_open(NULL, &f.options, &sqlite, &f.error), &f.error);
        deployers[i] = (deployer){.f = &f, .name = (char)('a' + i)};
        STF_CHECK_OK(stf_sqlite_open_definitions(sqlite, &deployers[i].store, &f.error), &f.error);
        stf_sqlite_unref(sqlite);
    }
    for (int i = 0; i < DEPLOYERS; i++) {
        pthread_create(&deployers[i].thread, NULL, deploy, &deployers[i]);
    }
    for (int i = 0; i < DEPLOYERS; i++) {
        pthread_join(deployers[i].thread, NULL);
        stf_definition_store_close(deployers[i].store);
    }
    ck_assert_int_eq(fixture_sql_int(&f, "SELECT count(*) FROM stepfast_definitions"),
                     (int64_t)DEPLOYERS * FILES);
    ck_assert_int_eq(fixture_sql_int(&f, "SELECT max(version) FROM stepfast_definitions"),
                     (int64_t)DEPLOYERS * FILES);
    fixture_done(&f);
}

static const stf_test_case cases[] = {
    STF_CASE(the_same_bytes_as_the_latest_are_the_same_version),
    STF_CASE(a_restarted_program_needs_no_file),
    STF_CASE(lists_are_ordered_by_tenant_key_and_version),
    STF_CASE(a_pinned_version_stays_and_a_removed_number_is_not_given_again),
    STF_CASE(versions_have_no_gap_under_races),
};

STF_TEST_MAIN("sqlite definitions", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* The plans of the hot statements: the index that each must use, and no sorting. */
#include "statements.h"

#include "fixture.h"

typedef struct plan {
    unsigned statement;
    const char *uses;
    bool may_sort;
} plan;

static const plan plans[] = {
    {STF__SQL_GROUP_FIND, "sqlite_autoindex_stepfast_groups_1", false},
    {STF__SQL_TENANT_FIND, "sqlite_autoindex_stepfast_tenants_1", false},
    {STF__SQL_TENANT_DEFAULT, "stepfast_tenants_default", false},
    {STF__SQL_RECORD_FIND, "sqlite_autoindex_stepfast_instances_1 (id=?)", false},
    {STF__SQL_RECORD_LOAD, "sqlite_autoindex_stepfast_instances_1 (id=?)", false},
    {STF__SQL_RECORD_UPDATE, "USING INTEGER PRIMARY KEY (rowid=?)", false},
    {STF__SQL_RECORD_UPDATE + STF__SQLITE_SET_ALL, "USING INTEGER PRIMARY KEY (rowid=?)", false},
    {STF__SQL_BULK_READ, "USING INTEGER PRIMARY KEY (rowid=?)", false},
    {STF__SQL_WAITS_READ, "USING PRIMARY KEY (instance_no=?)", false},
    {STF__SQL_WAITS_TRIM, "USING PRIMARY KEY (instance_no=? AND position>?)", false},
    {STF__SQL_JOURNAL_DROP, "USING PRIMARY KEY (instance_no=?)", false},
    {STF__SQL_JOURNAL_PAGE, "USING PRIMARY KEY (instance_no=? AND (version,position)>(?,?))",
     false},
    {STF__SQL_IN_FLIGHT, "stepfast_instances_in_flight (group_no=? AND id>?)", false},
    {STF__SQL_DUE_PAGE, "stepfast_instances_due (group_no=? AND (due,id)>(?,?) AND due<?)", false},
    {STF__SQL_NEXT_DUE, "stepfast_instances_due (group_no=? AND due>?)", false},
    {STF__SQL_ORPHAN_PAGE, "stepfast_instances_owned (group_no=? AND id>?)", false},
    {STF__SQL_OWNERS, "INDEX stepfast_instances_owned (group_no=?)", true},
    {STF__SQL_WAITING_PAGE,
     "stepfast_waits_find (group_no=? AND kind=? AND key=? AND (since,id)>(?,?))", false},
    {STF__SQL_WAITING_ANY_PAGE, "stepfast_waits_find (group_no=? AND kind=?)", true},
    {STF__SQL_CATALOG_PAGE, "sqlite_autoindex_stepfast_instances_1 (id>?)", false},
    {STF__SQL_DEFINITION_LATEST, "sqlite_autoindex_stepfast_definitions_1 (tenant_no=? AND key=?)",
     false},
    {STF__SQL_DEFINITION_LIST, "sqlite_autoindex_stepfast_definitions_1 (tenant_no=?", false},
    {STF__SQL_DEFINITION_PINNED, "stepfast_instances_in_flight (group_no=?)", false},
};

static sqlite3 *open_schema(void)
{
    sqlite3 *db = NULL;
    ck_assert_int_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(db, stf_sqlite_schema_sql(), NULL, NULL, NULL), SQLITE_OK);
    return db;
}

static void explain(sqlite3 *db, const char *text, char *ret_plan, size_t size)
{
    char query[STF__SQLITE_STATEMENT_BYTES + 32];
    snprintf(query, sizeof(query), "EXPLAIN QUERY PLAN %s", text);
    sqlite3_stmt *stmt = NULL;
    ck_assert_msg(sqlite3_prepare_v2(db, query, -1, &stmt, NULL) == SQLITE_OK, "%s: %s", text,
                  sqlite3_errmsg(db));
    ret_plan[0] = '\0';
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        size_t used = strlen(ret_plan);
        snprintf(ret_plan + used, size - used, "%s\n", (const char *)sqlite3_column_text(stmt, 3));
    }
    sqlite3_finalize(stmt);
}

STF_TEST(hot_statements_use_their_index_and_do_not_sort)
{
    sqlite3 *db = open_schema();
    for (size_t i = 0; i < sizeof(plans) / sizeof(plans[0]); i++) {
        char buffer[STF__SQLITE_STATEMENT_BYTES];
        char found[1024];
        const char *text = stf__sqlite_statement_text(plans[i].statement, buffer);
        explain(db, text, found, sizeof(found));
        ck_assert_msg(strstr(found, plans[i].uses) != NULL, "%s\nlacks %s:\n%s", text,
                      plans[i].uses, found);
        ck_assert_msg(plans[i].may_sort || strstr(found, "TEMP B-TREE") == NULL, "%s\nsorts:\n%s",
                      text, found);
        ck_assert_msg(strstr(found, "SCAN stepfast") == NULL, "%s\nscans:\n%s", text, found);
    }
    sqlite3_close(db);
}

STF_TEST(every_statement_fits_the_schema)
{
    sqlite3 *db = open_schema();
    for (unsigned i = 0; i < STF__SQL_COUNT; i++) {
        char buffer[STF__SQLITE_STATEMENT_BYTES];
        sqlite3_stmt *stmt = NULL;
        const char *text = stf__sqlite_statement_text(i, buffer);
        ck_assert_msg(sqlite3_prepare_v2(db, text, -1, &stmt, NULL) == SQLITE_OK, "%s: %s", text,
                      sqlite3_errmsg(db));
        ck_assert_msg(strchr(sqlite3_sql(stmt), ';') == NULL, "%s", text);
        sqlite3_finalize(stmt);
    }
    sqlite3_close(db);
}

/* SQLite writes every index that an update names: the quiet one must name no indexed column. */
STF_TEST(an_update_names_only_the_columns_of_its_mask)
{
    static const struct {
        unsigned bit;
        const char *column;
    } columns[] = {
        {STF__SQLITE_SET_HEAD, " head = "},
        {STF__SQLITE_SET_STATUS, " status = "},
        {STF__SQLITE_SET_OWNER, " owner = "},
        {STF__SQLITE_SET_DUE, " due = "},
    };
    for (unsigned mask = 0; mask <= STF__SQLITE_SET_ALL; mask++) {
        char buffer[STF__SQLITE_STATEMENT_BYTES];
        const char *text = stf__sqlite_statement_text(STF__SQL_RECORD_UPDATE + mask, buffer);
        for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
            bool is_named = strstr(text, columns[i].column) != NULL;
            ck_assert_int_eq(is_named, (mask & columns[i].bit) != 0);
        }
    }
}

static const stf_test_case cases[] = {
    STF_CASE(hot_statements_use_their_index_and_do_not_sort),
    STF_CASE(every_statement_fits_the_schema),
    STF_CASE(an_update_names_only_the_columns_of_its_mask),
};

STF_TEST_MAIN("sqlite statements", cases)

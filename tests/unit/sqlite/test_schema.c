/* SPDX-License-Identifier: Apache-2.0 */
/* The ledger of migrations: once each, under races too, and never guessed. */
#include "schema.h"

#include "fixture.h"

#include <sys/wait.h>
#include <unistd.h>

static void check_open(sqlite_fixture *fixture, stf_status expected, const char *sentence)
{
    stf_sqlite *sqlite = NULL;
    STF_CHECK_STATUS(stf_sqlite_open(NULL, &fixture->options, &sqlite, &fixture->error), expected,
                     &fixture->error);
    ck_assert_msg(strstr(fixture->error.message, sentence) != NULL, "\"%s\" lacks \"%s\"",
                  fixture->error.message, sentence);
}

STF_TEST(a_re_run_changes_nothing)
{
    sqlite_fixture f;
    fixture_init(&f);
    int64_t before = fixture_sql_int(&f, "SELECT sum(applied) FROM stepfast_schema_version");
    f.now_us += 1000000;
    STF_CHECK_OK(stf_repository_migrate(f.repository, NULL, &f.error), &f.error);
    STF_CHECK_OK(stf_repository_check_schema(f.repository, NULL, &f.error), &f.error);
    ck_assert_int_eq(fixture_sql_int(&f, "SELECT sum(applied) FROM stepfast_schema_version"),
                     before);
    ck_assert_int_eq(before, FIXTURE_NOW);
    fixture_done(&f);
}

STF_TEST(a_newer_schema_is_refused_and_nothing_is_lost)
{
    sqlite_fixture f;
    fixture_init(&f);
    stf_record record = fixture_record("a");
    STF_CHECK_OK(fixture_put(f.repository, &record, 0, &f.error), &f.error);
    fixture_sql(&f, "INSERT INTO stepfast_schema_version VALUES (999, 'x', 0)");
    STF_CHECK_STATUS(stf_repository_check_schema(f.repository, NULL, &f.error), STF_SCHEMA_MISMATCH,
                     &f.error);
    STF_CHECK_STATUS(stf_repository_migrate(f.repository, NULL, &f.error), STF_SCHEMA_MISMATCH,
                     &f.error);
    fixture_close(&f);
    check_open(&f, STF_SCHEMA_MISMATCH, "newer (999)");
    fixture_sql(&f, "DELETE FROM stepfast_schema_version WHERE number = 999");
    fixture_open(&f);
    ck_assert_int_eq(fixture_version(f.repository, "a"), 1);
    fixture_done(&f);
}

STF_TEST(an_edited_migration_is_refused)
{
    sqlite_fixture f;
    fixture_init(&f);
    fixture_close(&f);
    fixture_sql(&f, "UPDATE stepfast_schema_version SET checksum = '0123456789abcdef'");
    check_open(&f, STF_SCHEMA_MISMATCH, "other content");
    char checksum[17];
    char text[120];
    stf__sqlite_schema_checksum(stf_sqlite_schema_sql(), checksum);
    snprintf(text, sizeof(text), "UPDATE stepfast_schema_version SET number = 5, checksum = '%s'",
             checksum);
    fixture_sql(&f, text); /* the same text under another number */
    check_open(&f, STF_SCHEMA_MISMATCH, "other content");
    fixture_done(&f);
}

STF_TEST(without_migration_a_missing_schema_is_refused_and_not_made)
{
    sqlite_fixture f;
    fixture_make(&f);
    fixture_sql(&f, "CREATE TABLE theirs (x)");
    f.options.flags = STF_SQLITE_NO_MIGRATION;
    check_open(&f, STF_SCHEMA_MISMATCH, "missing");
    ck_assert_int_eq(fixture_sql_int(&f, "SELECT count(*) FROM sqlite_schema"), 1);
    f.options.flags = 0;
    fixture_open(&f); /* beside their tables */
    fixture_close(&f);
    f.options.flags = STF_SQLITE_NO_MIGRATION;
    fixture_open(&f);
    fixture_done(&f);
}

STF_TEST(an_older_schema_opens_and_is_migrated_on_request)
{
    sqlite_fixture f;
    fixture_make(&f);
    /* A ledger without rows is what a program before the first migration would have left. */
    fixture_sql(&f, "CREATE TABLE stepfast_schema_version (number INTEGER PRIMARY KEY,"
                    " checksum TEXT NOT NULL, applied INTEGER NOT NULL)");
    stf_error *error = &f.error;
    STF_CHECK_OK(stf_sqlite_open(NULL, &f.options, &f.sqlite, error), error);
    STF_CHECK_OK(stf_sqlite_open_repository(f.sqlite, &f.repository, error), error);
    STF_CHECK_STATUS(stf_repository_check_schema(f.repository, NULL, error), STF_SCHEMA_MISMATCH,
                     error);
    STF_CHECK_STATUS(stf_repository_register_group(f.repository, NULL, fixture_str("g"), error),
                     STF_SCHEMA_MISMATCH, error);
    STF_CHECK_OK(stf_repository_migrate(f.repository, NULL, error), error);
    STF_CHECK_OK(stf_repository_register_group(f.repository, NULL, fixture_str("g"), error), error);
    fixture_done(&f);
}

STF_TEST(text_that_is_not_utf_8_is_refused)
{
    sqlite_fixture f;
    fixture_make(&f);
    fixture_sql(&f, "PRAGMA encoding='UTF-16le'; CREATE TABLE theirs (x)");
    check_open(&f, STF_SCHEMA_MISMATCH, "UTF-16le");
    fixture_done(&f);
}

/* The child opens the file when the pipe closes, so that all start at once. */
static pid_t start_opener(sqlite_fixture *f, int ready_fd, int start_fd)
{
    pid_t pid = fork();
    if (pid == 0) {
        close(start_fd);
        char byte;
        (void)!read(ready_fd, &byte, 1);
        stf_sqlite *sqlite = NULL;
        stf_error error = STF_ERROR_INIT;
        stf_status status = stf_sqlite_open(NULL, &f->options, &sqlite, &error);
        if (status != STF_OK) {
            fprintf(stderr, "%s: %s\n", stf_status_name(status), error.message);
        }
        stf_sqlite_unref(sqlite);
        _exit(status == STF_OK ? 0 : 1);
    }
    return pid;
}

STF_TEST(programs_that_open_a_new_file_at_once_serialise)
{
    enum {
        OPENERS = 6,
        ROUNDS = 10
    };
    for (int round = 0; round < ROUNDS; round++) {
        sqlite_fixture f;
        fixture_make(&f);
        int ends[2];
        ck_assert_int_eq(pipe(ends), 0);
        pid_t pids[OPENERS];
        for (int i = 0; i < OPENERS; i++) {
            pids[i] = start_opener(&f, ends[0], ends[1]);
        }
        close(ends[0]);
        close(ends[1]);
        for (int i = 0; i < OPENERS; i++) {
            int result = 0;
            ck_assert_int_eq(waitpid(pids[i], &result, 0), pids[i]);
            ck_assert_int_eq(result, 0);
        }
        ck_assert_int_eq(fixture_sql_int(&f, "SELECT count(*) FROM stepfast_schema_version"), 1);
        fixture_done(&f);
    }
}

STF_TEST(the_schema_is_printed_as_it_is_applied)
{
    const char *text = stf_sqlite_schema_sql();
    ck_assert_ptr_nonnull(strstr(text, "-- "));
    sqlite3 *db = NULL;
    ck_assert_int_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    char checksum[17];
    stf__sqlite_schema_checksum(text, checksum);
    sqlite_fixture f;
    fixture_init(&f);
    char query[160];
    snprintf(query, sizeof(query),
             "SELECT count(*) FROM stepfast_schema_version WHERE number = 1 AND checksum = '%s'",
             checksum);
    ck_assert_int_eq(fixture_sql_int(&f, query), 1);
    fixture_done(&f);
}

static const stf_test_case cases[] = {
    STF_CASE(a_re_run_changes_nothing),
    STF_CASE(a_newer_schema_is_refused_and_nothing_is_lost),
    STF_CASE(an_edited_migration_is_refused),
    STF_CASE(without_migration_a_missing_schema_is_refused_and_not_made),
    STF_CASE(an_older_schema_opens_and_is_migrated_on_request),
    STF_CASE(text_that_is_not_utf_8_is_refused),
    STF_CASE(programs_that_open_a_new_file_at_once_serialise),
    STF_CASE(the_schema_is_printed_as_it_is_applied),
};

STF_TEST_MAIN("sqlite schema", cases)

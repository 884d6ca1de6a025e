/* SPDX-License-Identifier: Apache-2.0 */
/* Opening: each thing that can be wrong with a file has its status and a sentence, and leaves the
 * file as it was. */
#include "fixture.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static void check_open(sqlite_fixture *fixture, stf_status expected, const char *sentence)
{
    stf_sqlite *sqlite = NULL;
    STF_CHECK_STATUS(stf_sqlite_open(NULL, &fixture->options, &sqlite, &fixture->error), expected,
                     &fixture->error);
    ck_assert_ptr_null(sqlite);
    ck_assert_msg(strstr(fixture->error.message, sentence) != NULL, "\"%s\" lacks \"%s\"",
                  fixture->error.message, sentence);
    ck_assert_str_eq(fixture->error.origin, "SQLITE_REPO");
}

static void write_file(const char *path, const char *mode, const void *bytes, size_t size, long at)
{
    FILE *file = fopen(path, mode);
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fseek(file, at, SEEK_SET), 0);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

STF_TEST(options_are_checked)
{
    sqlite_fixture f;
    fixture_make(&f);
    stf_sqlite *sqlite = NULL;
    STF_CHECK_STATUS(stf_sqlite_open(NULL, NULL, &sqlite, &f.error), STF_INVALID_ARGUMENT,
                     &f.error);
    STF_CHECK_STATUS(stf_sqlite_open(NULL, &f.options, NULL, &f.error), STF_INVALID_ARGUMENT,
                     &f.error);
    f.options.path = "";
    check_open(&f, STF_INVALID_ARGUMENT, "path is empty");
    f.options.path = NULL;
    check_open(&f, STF_INVALID_ARGUMENT, "path is empty");
    f.options.path = f.path;
    f.options.flags = 128;
    check_open(&f, STF_INVALID_ARGUMENT, "out of its range");
    f.options.flags = 0;
    f.options.busy_timeout_us = -1;
    check_open(&f, STF_INVALID_ARGUMENT, "out of its range");
    f.options.busy_timeout_us = 0;
    f.options.abi = 77;
    check_open(&f, STF_INVALID_ARGUMENT, "another version");
    fixture_done(&f);
}

STF_TEST(a_path_that_cannot_be_created_is_unavailable_and_named)
{
    sqlite_fixture f;
    fixture_make(&f);
    f.options.path = "/proc/stepfast/store.db";
    check_open(&f, STF_UNAVAILABLE, "/proc/stepfast/store.db");
    ck_assert_str_eq(stf_error_get_detail(&f.error, "path"), "/proc/stepfast/store.db");
    ck_assert_msg(strstr(f.error.native_code, "SQLITE_CANTOPEN") != NULL, "%s",
                  f.error.native_code);
    fixture_done(&f);
}

STF_TEST(a_directory_is_unavailable)
{
    sqlite_fixture f;
    fixture_make(&f);
    f.options.path = f.dir;
    check_open(&f, STF_UNAVAILABLE, f.dir);
    fixture_done(&f);
}

STF_TEST(a_file_that_is_only_readable_is_unavailable)
{
    sqlite_fixture f;
    fixture_init(&f);
    fixture_close(&f);
    ck_assert_int_eq(chmod(f.path, 0444), 0);
    if (geteuid() != 0) { /* root may write it anyway */
        check_open(&f, STF_UNAVAILABLE, "not writable");
    }
    fixture_done(&f);
}

STF_TEST(must_exist_creates_nothing)
{
    sqlite_fixture f;
    fixture_make(&f);
    f.options.flags = STF_SQLITE_MUST_EXIST;
    check_open(&f, STF_NOT_FOUND, "no such file");
    f.options.flags = STF_SQLITE_NO_MIGRATION;
    check_open(&f, STF_NOT_FOUND, "no such file");
    ck_assert_int_ne(access(f.path, F_OK), 0);
    fixture_done(&f);
}

STF_TEST(a_file_that_is_no_database_is_corrupt_and_stays_as_it_was)
{
    static const char text[] = "This is a shopping list, and not a database at all: bread, milk, "
                               "apples, and something for the weekend, which will be cold.";
    sqlite_fixture f;
    fixture_make(&f);
    write_file(f.path, "wb", text, sizeof(text), 0);
    check_open(&f, STF_CORRUPT, "not an SQLite database");
    struct stat facts;
    ck_assert_int_eq(stat(f.path, &facts), 0);
    ck_assert_int_eq(facts.st_size, sizeof(text));
    fixture_done(&f);
}

STF_TEST(an_empty_file_is_a_new_database)
{
    sqlite_fixture f;
    fixture_make(&f);
    write_file(f.path, "wb", "", 0, 0);
    fixture_open(&f);
    stf_record record = fixture_record("a");
    STF_CHECK_OK(fixture_put(f.repository, &record, 0, &f.error), &f.error);
    fixture_done(&f);
}

static void fill(sqlite_fixture *f, int count)
{
    static const uint8_t bytes[3000];
    for (int i = 0; i < count; i++) {
        char id[16];
        snprintf(id, sizeof(id), "r%d", i);
        stf_record record = fixture_record(id);
        record.head = (stf_bytes){bytes, sizeof(bytes)};
        STF_CHECK_OK(fixture_put(f->repository, &record, 0, &f->error), &f->error);
    }
}

STF_TEST(a_truncated_database_is_corrupt)
{
    sqlite_fixture f;
    fixture_init(&f);
    fill(&f, 40);
    fixture_close(&f);
    struct stat facts;
    ck_assert_int_eq(stat(f.path, &facts), 0);
    ck_assert_int_eq(truncate(f.path, facts.st_size / 8192 * 4096), 0);
    check_open(&f, STF_CORRUPT, "damaged");
    fixture_done(&f);
}

static stf_status ignore_record(void *user, const stf_record *record, stf_error *error)
{
    (void)user;
    (void)record;
    (void)error;
    return STF_OK;
}

STF_TEST(a_damaged_page_is_corrupt_where_it_is_met_and_nowhere_else)
{
    sqlite_fixture f;
    fixture_init(&f);
    fill(&f, 40);
    fixture_close(&f);
    struct stat facts;
    ck_assert_int_eq(stat(f.path, &facts), 0);
    uint8_t junk[4096];
    memset(junk, 0xa5, sizeof(junk));
    write_file(f.path, "r+b", junk, sizeof(junk), (long)facts.st_size - 4096);
    fixture_open(&f);
    size_t corrupt = 0;
    for (int i = 0; i < 40; i++) {
        char id[16];
        bool is_found = false;
        snprintf(id, sizeof(id), "r%d", i);
        stf_status status = stf_repository_load(f.repository, NULL, fixture_str(id), ignore_record,
                                                NULL, &is_found, &f.error);
        ck_assert_msg(status == STF_OK || status == STF_CORRUPT, "%s", f.error.message);
        corrupt += status == STF_CORRUPT;
    }
    ck_assert_uint_ge(corrupt, 1);
    ck_assert_uint_lt(corrupt, 40);
    fixture_done(&f);
}

STF_TEST(a_path_never_means_a_database_in_memory)
{
    sqlite_fixture f;
    fixture_make(&f);
    ck_assert_int_eq(chdir(f.dir), 0);
    static const char *const paths[] = {":memory:", "file:x?mode=memory"};
    for (size_t i = 0; i < 2; i++) {
        f.options.path = paths[i];
        fixture_open(&f);
        ck_assert_int_eq(access(paths[i], F_OK), 0);
        fixture_close(&f);
    }
    fixture_done(&f);
}

STF_TEST(a_handle_closes_with_its_last_user)
{
    sqlite_fixture f;
    fixture_init(&f);
    stf_sqlite *sqlite = stf_sqlite_ref(f.sqlite);
    stf_sqlite_unref(f.sqlite);
    f.sqlite = NULL;
    stf_record record = fixture_record("a");
    STF_CHECK_OK(fixture_put(f.repository, &record, 0, &f.error), &f.error);
    f.repository = stf_repository_close(f.repository);
    ck_assert_ptr_null(stf_sqlite_unref(sqlite));
    ck_assert_ptr_null(stf_sqlite_unref(NULL));
    ck_assert_ptr_null(stf_sqlite_ref(NULL));
    char wal[128];
    snprintf(wal, sizeof(wal), "%s-wal", f.path);
    ck_assert_int_ne(access(wal, F_OK), 0); /* the log is in the file */
    fixture_open(&f);
    ck_assert_int_eq(fixture_version(f.repository, "a"), 1);
    fixture_done(&f);
}

STF_TEST(no_descriptor_is_inherited_by_exec)
{
    sqlite_fixture f;
    fixture_init(&f);
    STF_CHECK_OK(stf_repository_hold_owner(f.repository, NULL, fixture_str("me"), &f.error),
                 &f.error);
    for (int fd = 3; fd < 64; fd++) {
        char link[64];
        char target[256] = "";
        snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
        if (readlink(link, target, sizeof(target) - 1) > 0 && strstr(target, f.dir) != NULL) {
            ck_assert_msg((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0, "%s", target);
        }
    }
    fixture_done(&f);
}

static const stf_test_case cases[] = {
    STF_CASE(options_are_checked),
    STF_CASE(a_path_that_cannot_be_created_is_unavailable_and_named),
    STF_CASE(a_directory_is_unavailable),
    STF_CASE(a_file_that_is_only_readable_is_unavailable),
    STF_CASE(must_exist_creates_nothing),
    STF_CASE(a_file_that_is_no_database_is_corrupt_and_stays_as_it_was),
    STF_CASE(an_empty_file_is_a_new_database),
    STF_CASE(a_truncated_database_is_corrupt),
    STF_CASE(a_damaged_page_is_corrupt_where_it_is_met_and_nowhere_else),
    STF_CASE(a_path_never_means_a_database_in_memory),
    STF_CASE(a_handle_closes_with_its_last_user),
    STF_CASE(no_descriptor_is_inherited_by_exec),
};

STF_TEST_MAIN("sqlite handle", cases)

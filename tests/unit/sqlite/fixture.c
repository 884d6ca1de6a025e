/* SPDX-License-Identifier: Apache-2.0 */
/* The shared parts of the tests: the store in its directory, raw SQL, record builders, the counting
 * allocator. */
#include "fixture.h"

#include <dirent.h>
#include <unistd.h>

static stf_wall clock_wall(void *user)
{
    return (stf_wall){*(const int64_t *)user};
}

static stf_mono clock_mono(void *user)
{
    return (stf_mono){*(const int64_t *)user};
}

void fixture_make(sqlite_fixture *fixture)
{
    memset(fixture, 0, sizeof(*fixture));
    snprintf(fixture->dir, sizeof(fixture->dir), "/tmp/stf-sqlite-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(fixture->dir));
    snprintf(fixture->path, sizeof(fixture->path), "%s/store.db", fixture->dir);
    stf_error_init(&fixture->error);
    fixture->now_us = FIXTURE_NOW;
    fixture->clock = (stf_clock){.struct_size = sizeof(stf_clock),
                                 .abi = STF_CLOCK_ABI,
                                 .user = &fixture->now_us,
                                 .wall = clock_wall,
                                 .mono = clock_mono};
    fixture->options = (stf_sqlite_options)STF_SQLITE_OPTIONS_INIT;
    fixture->options.path = fixture->path;
    fixture->options.clock = &fixture->clock;
}

void fixture_open(sqlite_fixture *fixture)
{
    stf_error *error = &fixture->error;
    STF_CHECK_OK(stf_sqlite_open(NULL, &fixture->options, &fixture->sqlite, error), error);
    STF_CHECK_OK(stf_sqlite_open_repository(fixture->sqlite, &fixture->repository, error), error);
    STF_CHECK_OK(stf_repository_register_group(fixture->repository, NULL, fixture_str("g"), error),
                 error);
}

void fixture_init(sqlite_fixture *fixture)
{
    fixture_make(fixture);
    fixture_open(fixture);
}

void fixture_close(sqlite_fixture *fixture)
{
    fixture->repository = stf_repository_close(fixture->repository);
    fixture->sqlite = stf_sqlite_unref(fixture->sqlite);
}

void fixture_done(sqlite_fixture *fixture)
{
    fixture_close(fixture);
    DIR *dir = opendir(fixture->dir);
    ck_assert_ptr_nonnull(dir);
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        char path[400];
        snprintf(path, sizeof(path), "%s/%s", fixture->dir, entry->d_name);
        (void)unlink(path);
    }
    closedir(dir);
    (void)rmdir(fixture->dir);
}

stf_repository *fixture_second(sqlite_fixture *fixture)
{
    stf_error *error = &fixture->error;
    stf_sqlite *sqlite = NULL;
    stf_repository *repository = NULL;
    STF_CHECK_OK(stf_sqlite_open(NULL, &fixture->options, &sqlite, error), error);
    STF_CHECK_OK(stf_sqlite_open_repository(sqlite, &repository, error), error);
    stf_sqlite_unref(sqlite);
    return repository;
}

void fixture_sql(const sqlite_fixture *fixture, const char *text)
{
    sqlite3 *db = NULL;
    ck_assert_int_eq(sqlite3_open(fixture->path, &db), SQLITE_OK);
    sqlite3_busy_timeout(db, 5000);
    char *message = NULL;
    int code = sqlite3_exec(db, text, NULL, NULL, &message);
    ck_assert_msg(code == SQLITE_OK, "%s: %s", text, message != NULL ? message : "?");
    ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
}

int64_t fixture_sql_int(const sqlite_fixture *fixture, const char *text)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *stmt = NULL;
    ck_assert_int_eq(sqlite3_open(fixture->path, &db), SQLITE_OK);
    sqlite3_busy_timeout(db, 5000);
    ck_assert_int_eq(sqlite3_prepare_v2(db, text, -1, &stmt, NULL), SQLITE_OK);
    ck_assert_int_eq(sqlite3_step(stmt), SQLITE_ROW);
    int64_t value = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
    return value;
}

stf_str fixture_str(const char *text)
{
    return stf_str_of(text);
}

stf_bytes fixture_bytes(const char *text)
{
    return (stf_bytes){(const uint8_t *)text, strlen(text)};
}

stf_record fixture_record(const char *id)
{
    stf_record record = STF_RECORD_INIT;
    record.id = fixture_str(id);
    record.group = fixture_str("g");
    record.tenant = fixture_str("t");
    record.head = fixture_bytes("head");
    return record;
}

stf_save fixture_save(const stf_record *record, int64_t expected_version)
{
    static _Atomic uint64_t counter;
    uint64_t number = ++counter;
    stf_save save = STF_SAVE_INIT;
    save.record = record;
    save.expected_version = expected_version;
    memcpy(save.attempt.bytes, &number, sizeof(number));
    return save;
}

stf_status fixture_put(stf_repository *repository, const stf_record *record,
                       int64_t expected_version, stf_error *error)
{
    stf_save save = fixture_save(record, expected_version);
    stf_save_result result;
    return stf_repository_save(repository, NULL, &save, &result, error);
}

static stf_status note_version(void *user, const stf_record *record, stf_error *error)
{
    (void)error;
    *(int64_t *)user = record->rec_version;
    return STF_OK;
}

int64_t fixture_version(stf_repository *repository, const char *id)
{
    int64_t version = 0;
    bool is_found = false;
    stf_error error = STF_ERROR_INIT;
    STF_CHECK_OK(stf_repository_load(repository, NULL, fixture_str(id), note_version, &version,
                                     &is_found, &error),
                 &error);
    return version;
}

stf_status fixture_note_id(void *user, stf_str id, stf_error *error)
{
    (void)error;
    stf_status status = stf_buf_append_str(user, id);
    return status == STF_OK ? stf_buf_append(user, " ", 1) : status;
}

stf_status fixture_note_wake(void *user, const stf_wake_row *row, stf_error *error)
{
    return fixture_note_id(user, row->id, error);
}

stf_status fixture_note_record(void *user, const stf_record *record, stf_error *error)
{
    return fixture_note_id(user, record->id, error);
}

/* ---- allocator ---- */

static bool is_failing(fixture_alloc *counting)
{
    counting->calls++;
    return counting->calls == counting->fail_at;
}

static void *counting_alloc(void *user, size_t size)
{
    fixture_alloc *counting = user;
    void *memory = is_failing(counting) ? NULL : malloc(size);
    counting->live += memory != NULL;
    return memory;
}

static void *counting_realloc(void *user, void *memory, size_t size)
{
    fixture_alloc *counting = user;
    void *grown = is_failing(counting) ? NULL : realloc(memory, size);
    counting->live += grown != NULL && memory == NULL;
    return grown;
}

static void counting_free(void *user, void *memory)
{
    fixture_alloc *counting = user;
    counting->live -= memory != NULL;
    free(memory);
}

void fixture_alloc_init(fixture_alloc *counting)
{
    *counting = (fixture_alloc){.alloc = {.struct_size = sizeof(stf_allocator),
                                          .abi = STF_ALLOCATOR_ABI,
                                          .user = counting,
                                          .alloc = counting_alloc,
                                          .realloc = counting_realloc,
                                          .free = counting_free}};
}

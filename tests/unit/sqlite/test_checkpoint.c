/* SPDX-License-Identifier: Apache-2.0 */
/* The log stays bounded under writes that never pause, is moved by the thread and not by a save,
 * and is gone after a close. */
#include "checkpoint.h"

#include "fixture.h"
#include "store.h"

#include <sys/stat.h>
#include <unistd.h>

#define THRESHOLD (256 * 1024)

static int64_t log_size(const sqlite_fixture *f)
{
    char path[128];
    struct stat facts;
    snprintf(path, sizeof(path), "%s-wal", f->path);
    return stat(path, &facts) == 0 ? facts.st_size : 0;
}

static void save_often(sqlite_fixture *f, int count)
{
    static uint8_t head[3000];
    stf_record record = fixture_record("a");
    record.head = (stf_bytes){head, sizeof(head)};
    int64_t version = fixture_version(f->repository, "a");
    for (int i = 0; i < count; i++) {
        head[i % 3000]++;
        STF_CHECK_OK(fixture_put(f->repository, &record, version + i, &f->error), &f->error);
    }
}

STF_TEST(the_log_stays_bounded_while_writes_never_pause)
{
    sqlite_fixture f;
    fixture_make(&f);
    f.options.flags = STF_SQLITE_SYNC_NORMAL;
    f.options.checkpoint_bytes = THRESHOLD;
    fixture_open(&f);
    int64_t largest = 0;
    for (int i = 0; i < 100; i++) {
        save_often(&f, 100); /* 100 x 100 pages: 40 MiB in all */
        largest = log_size(&f) > largest ? log_size(&f) : largest;
    }
    ck_assert_uint_gt(atomic_load(&f.sqlite->checkpointer.runs), 0);
    /* The thread may be late on a busy machine; without it the log would hold everything. */
    ck_assert_msg(largest < 80 * THRESHOLD, "%lld", (long long)largest);
    fixture_done(&f);
}

/* A save by somebody else's handle, whenever a checkpoint writes a page: so no PASSIVE one is ever
 * complete. While a checkpoint holds the write lock, the save gives up. */
static void overtake(void *user)
{
    static int64_t number;
    stf_repository *other = user;
    char id[32];
    snprintf(id, sizeof(id), "overtaker-%lld", (long long)++number);
    stf_record record = fixture_record(id);
    stf_save save = fixture_save(&record, 0);
    stf_save_result result;
    stf_ctx ctx = STF_CTX_INIT;
    ctx.flags = STF_CTX_HAS_DEADLINE;
    ctx.deadline.us = stf_clock_system()->mono(stf_clock_system()->user).us + 2000;
    (void)!stf_repository_save(other, &ctx, &save, &result, NULL);
}

STF_TEST(a_log_that_is_always_overtaken_is_restarted)
{
    fixture_vfs_state *vfs = fixture_vfs_install();
    sqlite_fixture f;
    fixture_make(&f);
    f.options.flags = STF_SQLITE_SYNC_NORMAL;
    f.options.checkpoint_bytes = THRESHOLD;
    fixture_open(&f);
    f.options.checkpoint_bytes = 1 << 30; /* the other leaves the log to us */
    stf_repository *other = fixture_second(&f);
    void (*nothing)(void *) = NULL;
    vfs->user = other;
    vfs->on_db_write = overtake;
    for (int round = 0; round < 12; round++) {
        uint64_t runs = atomic_load(&f.sqlite->checkpointer.runs);
        save_often(&f, 150);
        while (atomic_load(&f.sqlite->checkpointer.runs) == runs) {
            usleep(1000);
        }
    }
    uint64_t written = vfs->wal_bytes;
    ck_assert_uint_gt(written, 20 * THRESHOLD);
    ck_assert_msg(log_size(&f) < (int64_t)written / 2, "%lld of %llu", (long long)log_size(&f),
                  (unsigned long long)written);
    vfs->on_db_write = nothing;
    fixture_close(&f); /* ends its thread, which may still be in a save of the other's */
    stf_repository_close(other);
    fixture_done(&f);
}

/* No save moves pages, however large the log is: with the thread's gate held by nobody, the file
 * stays as it was until the threshold. */
STF_TEST(below_the_threshold_nothing_moves)
{
    sqlite_fixture f;
    fixture_init(&f);
    struct stat before;
    struct stat after;
    save_often(&f, 1);
    ck_assert_int_eq(stat(f.path, &before), 0);
    save_often(&f, 1500); /* past SQLite's own 1000 pages */
    ck_assert_int_eq(stat(f.path, &after), 0);
    ck_assert_int_eq(before.st_mtim.tv_sec, after.st_mtim.tv_sec);
    ck_assert_int_eq(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
    ck_assert_int_ge(log_size(&f), 1500 * 4096);
    ck_assert_uint_eq(atomic_load(&f.sqlite->checkpointer.runs), 0);
    fixture_done(&f);
}

STF_TEST(a_close_beside_another_handle_empties_the_log)
{
    sqlite_fixture f;
    fixture_init(&f);
    stf_repository *second = fixture_second(&f);
    save_often(&f, 50);
    fixture_close(&f);
    ck_assert_int_eq(log_size(&f), 0);
    ck_assert_int_eq(fixture_version(second, "a"), 50);
    stf_repository_close(second);
    fixture_done(&f);
}

STF_TEST(a_failing_checkpoint_harms_no_save)
{
    fixture_vfs_state *vfs = fixture_vfs_install();
    sqlite_fixture f;
    fixture_make(&f);
    f.options.checkpoint_bytes = THRESHOLD;
    fixture_open(&f);
    /* Truncates happen in checkpoints only, never in a save. */
    vfs->fail_kinds = FIXTURE_FAIL_TRUNCATE;
    vfs->fail_at = 1;
    vfs->fail_count = UINT32_MAX;
    save_often(&f, 300);
    ck_assert_int_eq(fixture_version(f.repository, "a"), 300);
    fixture_close(&f);
    vfs->fail_at = 0;
    fixture_open(&f);
    ck_assert_int_eq(fixture_version(f.repository, "a"), 300);
    fixture_done(&f);
}

static const stf_test_case cases[] = {
    STF_CASE(the_log_stays_bounded_while_writes_never_pause),
    STF_CASE(a_log_that_is_always_overtaken_is_restarted),
    STF_CASE(below_the_threshold_nothing_moves),
    STF_CASE(a_close_beside_another_handle_empties_the_log),
    STF_CASE(a_failing_checkpoint_harms_no_save),
};

STF_TEST_MAIN("sqlite checkpoint", cases)

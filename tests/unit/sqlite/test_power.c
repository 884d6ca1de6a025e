/* SPDX-License-Identifier: Apache-2.0 */
/* The power goes at sync 1, 2, 3, ... through a series of saves, batches, deletes and log
 * checkpoints. What the store had acknowledged is there when it is opened again, the file is sound,
 * and what was under way is there whole or not at all. With synchronous=NORMAL the last commits may
 * be lost, as the option says, but nothing else; with OFF the same test must see loss, or it would
 * see none anywhere. */
#include <unistd.h>

#include "fixture.h"
#include "forgetful_vfs.h"
#include "store.h"

#define IDS 6u
#define ROUNDS 36u
#define BATCH 3u

typedef struct life {
    sqlite_fixture fixture;
    int64_t acknowledged[IDS]; /* versions; 0: absent */
    int64_t under_way[IDS];    /* what the call without an answer would have made of it */
    bool has_under_way;
    size_t answers;
    char bulk[9000];
} life;

static life self;

static void make(void)
{
    memset(&self, 0, sizeof(self));
    fixture_make(&self.fixture);
    /* Small, so that the store's own thread moves the log, too. */
    self.fixture.options.checkpoint_bytes = 64 * 1024;
    memset(self.bulk, 'b', sizeof(self.bulk));
}

static stf_status open_store(void)
{
    sqlite_fixture *f = &self.fixture;
    stf_status status = stf_sqlite_open(NULL, &f->options, &f->sqlite, &f->error);
    if (status == STF_OK) {
        status = stf_sqlite_open_repository(f->sqlite, &f->repository, &f->error);
    }
    return status == STF_OK
               ? stf_repository_register_group(f->repository, NULL, fixture_str("g"), &f->error)
               : status;
}

static const char *id_of(size_t i)
{
    static const char *const ids[IDS] = {"a", "b", "c", "d", "e", "f"};
    return ids[i % IDS];
}

/* What a call without an answer leaves open, call by call. */
static void begin_call(void)
{
    memcpy(self.under_way, self.acknowledged, sizeof(self.under_way));
    self.has_under_way = true;
}

/* true: go on. */
static bool end_call(stf_status status)
{
    if (status == STF_OK) {
        memcpy(self.acknowledged, self.under_way, sizeof(self.acknowledged));
        self.has_under_way = false;
        self.answers++;
    }
    return status == STF_OK;
}

static void fill(stf_record *record, size_t i)
{
    *record = fixture_record(id_of(i));
    record->bulk = (stf_bytes){(const uint8_t *)self.bulk, 100 + (i * 1009) % 8000};
}

static bool save_one(size_t round)
{
    stf_record record;
    stf_save_result result;
    size_t i = round % IDS;
    fill(&record, round);
    stf_save save = fixture_save(&record, self.acknowledged[i]);
    begin_call();
    self.under_way[i]++;
    return end_call(
        stf_repository_save(self.fixture.repository, NULL, &save, &result, &self.fixture.error));
}

static bool save_batch(size_t round)
{
    stf_record records[BATCH];
    stf_save saves[BATCH];
    stf_save_result results[BATCH];
    begin_call();
    for (size_t k = 0; k < BATCH; k++) {
        size_t i = (round + k) % IDS;
        fill(&records[k], round + k);
        saves[k] = fixture_save(&records[k], self.acknowledged[i]);
        self.under_way[i]++;
    }
    stf_status status = stf_repository_save_many(self.fixture.repository, NULL, saves, BATCH,
                                                 results, &self.fixture.error);
    for (size_t k = 0; k < BATCH && status == STF_OK; k++) {
        status = (stf_status)results[k].status;
    }
    return end_call(status);
}

static bool delete_one(size_t round)
{
    size_t i = round % IDS;
    stf_delete request = {.struct_size = sizeof(request),
                          .abi = STF_DELETE_ABI,
                          .id = fixture_str(id_of(i)),
                          .expected_version = self.acknowledged[i]};
    begin_call();
    self.under_way[i] = 0;
    return end_call(
        stf_repository_delete(self.fixture.repository, NULL, &request, &self.fixture.error));
}

/* RESTART, so that the next save begins the log anew over frames that are still there. */
static void move_log(void)
{
    sqlite3 *db = NULL;
    if (sqlite3_open(self.fixture.path, &db) == SQLITE_OK) {
        (void)sqlite3_exec(db, "PRAGMA schema_version", NULL, NULL, NULL);
        (void)sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_RESTART, NULL, NULL);
    }
    (void)sqlite3_close(db);
}

/* Until the power goes, or to the end. */
static void work(void)
{
    bool goes_on = true;
    for (size_t round = 0; round < ROUNDS && goes_on; round++) {
        if (round % 7 == 6) {
            goes_on = delete_one(round);
        } else if (round % 3 == 2) {
            goes_on = save_batch(round);
        } else {
            goes_on = save_one(round);
        }
        if (goes_on && round % 9 == 8) {
            move_log();
        }
    }
}

static void close_store(void)
{
    fixture_close(&self.fixture);
}

/* ---- After the cut ------------------------------------------------------------------------ */

static void expect_sound_file(void)
{
    ck_assert_int_eq(fixture_sql_int(&self.fixture, "SELECT count(*) FROM pragma_integrity_check"
                                                    " WHERE integrity_check <> 'ok'"),
                     0);
    ck_assert_int_eq(
        fixture_sql_int(&self.fixture, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
}

static void read_versions(int64_t versions[IDS])
{
    for (size_t i = 0; i < IDS; i++) {
        versions[i] = fixture_version(self.fixture.repository, id_of(i));
    }
}

/* The call without an answer is there as a whole, or not at all. */
static bool is_as_acknowledged(const int64_t versions[IDS])
{
    return memcmp(versions, self.acknowledged, sizeof(self.acknowledged)) == 0 ||
           (self.has_under_way && memcmp(versions, self.under_way, sizeof(self.under_way)) == 0);
}

/* Opens what the disk still has. */
static void open_again(forgetful_mode mode, uint64_t seed)
{
    close_store();
    forgetful_restore(mode, seed);
    STF_CHECK_OK(open_store(), &self.fixture.error);
    expect_sound_file();
}

static void check_usable(void)
{
    stf_record record = fixture_record("after");
    STF_CHECK_OK(fixture_put(self.fixture.repository, &record, 0, &self.fixture.error),
                 &self.fixture.error);
}

/* Whether the power went before the end. */
static bool live_once(uint32_t flags, uint64_t cut_at, forgetful_mode mode, bool *ret_is_whole)
{
    int64_t versions[IDS];
    make();
    self.fixture.options.flags = flags;
    forgetful_begin(cut_at);
    if (open_store() == STF_OK) {
        work();
    }
    bool was_cut = forgetful_is_cut();
    ck_assert_msg(was_cut || self.answers == ROUNDS, "%s", self.fixture.error.message);
    open_again(mode, cut_at);
    read_versions(versions);
    *ret_is_whole = is_as_acknowledged(versions);
    check_usable();
    fixture_done(&self.fixture);
    return was_cut;
}

static void cut_everywhere(forgetful_mode mode)
{
    uint64_t cut_at = 1;
    bool is_whole = false;
    for (; live_once(0, cut_at, mode, &is_whole); cut_at++) {
        ck_assert_msg(is_whole, "cut at sync %llu: what was acknowledged is not what is there",
                      (unsigned long long)cut_at);
        ck_assert_uint_lt(cut_at, 1000);
    }
    ck_assert(is_whole);               /* the life without a cut */
    ck_assert_uint_gt(cut_at, ROUNDS); /* a sync for each commit, and those of the checkpoints */
}

STF_TEST(what_was_acknowledged_survives_a_disk_that_forgets)
{
    forgetful_install();
    cut_everywhere(FORGETFUL_DROPS);
}

STF_TEST(what_was_acknowledged_survives_a_disk_that_tears_what_was_not_synced)
{
    forgetful_install();
    cut_everywhere(FORGETFUL_TEARS);
}

/* The documented price of the option: a suffix of the commits, never the file. */
STF_TEST(with_sync_normal_the_file_is_sound_whatever_is_lost)
{
    uint64_t cut_at = 1;
    bool is_whole = false;
    forgetful_install();
    while (live_once(STF_SQLITE_SYNC_NORMAL, cut_at,
                     cut_at % 2 == 0 ? FORGETFUL_DROPS : FORGETFUL_TEARS, &is_whole)) {
        ck_assert_uint_lt(++cut_at, 1000);
    }
}

/* The test itself: without syncs it sees that acknowledged saves are lost. */
static bool loses(const char *pragma)
{
    int64_t versions[IDS];
    make();
    forgetful_begin(0);
    STF_CHECK_OK(open_store(), &self.fixture.error);
    STF_CHECK_OK(stf__sqlite_exec(&self.fixture.sqlite->conn, pragma, &self.fixture.error),
                 &self.fixture.error);
    for (size_t round = 0; round < 5; round++) {
        ck_assert(save_one(round));
    }
    forgetful_cut();
    open_again(FORGETFUL_DROPS, 1);
    read_versions(versions);
    bool is_whole = is_as_acknowledged(versions);
    fixture_done(&self.fixture);
    return !is_whole;
}

STF_TEST(without_syncs_acknowledged_saves_are_lost_and_the_test_sees_it)
{
    forgetful_install();
    ck_assert(loses("PRAGMA synchronous=OFF"));
    ck_assert(loses("PRAGMA synchronous=NORMAL"));
    ck_assert(!loses("PRAGMA synchronous=FULL"));
}

static const stf_test_case cases[] = {
    STF_CASE(what_was_acknowledged_survives_a_disk_that_forgets),
    STF_CASE(what_was_acknowledged_survives_a_disk_that_tears_what_was_not_synced),
    STF_CASE(with_sync_normal_the_file_is_sound_whatever_is_lost),
    STF_CASE(without_syncs_acknowledged_saves_are_lost_and_the_test_sees_it),
};

STF_TEST_MAIN("sqlite/power", cases)

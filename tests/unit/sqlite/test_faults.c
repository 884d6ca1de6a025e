/* SPDX-License-Identifier: Apache-2.0 */
/* The n-th write or sync fails, for every n: each answer is true. OK means the new version, an
 * answer that promises "nothing was written" means the old one, OUTCOME_UNKNOWN means either; also
 * for the next program, after a process that ended without closing. */
#include "fixture.h"

#include <sys/wait.h>
#include <unistd.h>

static uint8_t bulk[30000];

/* What a child did, told by its exit code. */
enum {
    REPORT_OK = 10,
    REPORT_NOTHING_WRITTEN,
    REPORT_UNKNOWN,
    REPORT_UNEXPECTED
};

static int report(stf_status status)
{
    if (status == STF_OK) {
        return REPORT_OK;
    }
    if (status == STF_UNAVAILABLE || status == STF_NO_MEMORY) {
        return REPORT_NOTHING_WRITTEN;
    }
    return status == STF_OUTCOME_UNKNOWN ? REPORT_UNKNOWN : REPORT_UNEXPECTED;
}

typedef struct fault_scenario {
    int fail_kinds;
    uint64_t fail_count;
    int fail_code;
    bool is_repeated; /* the identical save once more, in the same process */
} fault_scenario;

static stf_status save_two(sqlite_fixture *f, const stf_save saves[2])
{
    stf_save_result results[2];
    stf_status status = stf_repository_save_many(f->repository, NULL, saves, 2, results, &f->error);
    for (size_t i = 0; status == STF_OK && i < 2; i++) {
        status = (stf_status)results[i].status;
    }
    return status;
}

/* Saves version 2 of two records with the n-th operation failing, and ends without closing. */
static void run_child(const sqlite_fixture *parent, const fault_scenario *scenario, uint64_t n)
{
    sqlite_fixture f = *parent;
    f.clock.user = &f.now_us;
    f.options.path = f.path;
    f.options.clock = &f.clock;
    fixture_vfs_state *vfs = fixture_vfs_install();
    fixture_open(&f);
    stf_record records[2] = {fixture_record("a"), fixture_record("b")};
    records[0].bulk = (stf_bytes){bulk, sizeof(bulk)};
    stf_save saves[2] = {fixture_save(&records[0], 1), fixture_save(&records[1], 1)};
    vfs->writes = 0;
    vfs->fail_kinds = scenario->fail_kinds;
    vfs->fail_code = scenario->fail_code;
    vfs->fail_count = scenario->fail_count;
    vfs->fail_at = n;
    stf_status status = save_two(&f, saves);
    bool has_failed = vfs->failed_code != 0;
    vfs->fail_at = 0;
    if (!has_failed) {
        _exit(status == STF_OK ? 0 : REPORT_UNEXPECTED); /* n is past the last operation */
    }
    if (status != STF_OK && scenario->is_repeated) {
        status = save_two(&f, saves);
    }
    _exit(report(status));
}

static void check_report(int result, int64_t version_a, int64_t version_b, uint64_t n)
{
    ck_assert_msg(version_a == version_b, "n=%llu: torn: %lld and %lld", (unsigned long long)n,
                  (long long)version_a, (long long)version_b);
    if (result == REPORT_OK) {
        ck_assert_msg(version_a == 2, "n=%llu: OK, but version %lld", (unsigned long long)n,
                      (long long)version_a);
    } else if (result == REPORT_NOTHING_WRITTEN) {
        ck_assert_msg(version_a == 1, "n=%llu: nothing written, but version %lld",
                      (unsigned long long)n, (long long)version_a);
    } else {
        ck_assert_msg(result == REPORT_UNKNOWN, "n=%llu: reported %d", (unsigned long long)n,
                      result);
        ck_assert(version_a == 1 || version_a == 2);
    }
}

/* How often each report came. */
static void run_scenario(const fault_scenario *scenario, int counts[4])
{
    for (uint64_t n = 1;; n++) {
        sqlite_fixture f;
        fixture_init(&f);
        stf_record a = fixture_record("a");
        stf_record b = fixture_record("b");
        STF_CHECK_OK(fixture_put(f.repository, &a, 0, &f.error), &f.error);
        STF_CHECK_OK(fixture_put(f.repository, &b, 0, &f.error), &f.error);
        fixture_close(&f);
        pid_t pid = fork();
        if (pid == 0) {
            run_child(&f, scenario, n);
        }
        int result = 0;
        ck_assert_int_eq(waitpid(pid, &result, 0), pid);
        ck_assert(WIFEXITED(result));
        fixture_open(&f);
        int64_t version_a = fixture_version(f.repository, "a");
        int64_t version_b = fixture_version(f.repository, "b");
        bool is_over = WEXITSTATUS(result) == 0;
        if (is_over) {
            ck_assert_int_eq(version_a, 2);
        } else {
            check_report(WEXITSTATUS(result), version_a, version_b, n);
            counts[WEXITSTATUS(result) - REPORT_OK]++;
        }
        ck_assert_int_eq(fixture_sql_int(&f, "SELECT count(*) FROM pragma_integrity_check"
                                             " WHERE integrity_check <> 'ok'"),
                         0);
        fixture_done(&f);
        if (is_over) {
            break;
        }
        ck_assert_uint_lt(n, 500);
    }
}

STF_TEST(a_failing_write_never_lies)
{
    int counts[4] = {0};
    fault_scenario scenario = {.fail_kinds = FIXTURE_FAIL_WRITE, .fail_count = 1};
    run_scenario(&scenario, counts);
    ck_assert_int_gt(counts[REPORT_UNKNOWN - REPORT_OK], 5); /* the log is written by COMMIT */
    ck_assert_int_eq(counts[REPORT_UNEXPECTED - REPORT_OK], 0);
}

STF_TEST(a_failing_sync_of_a_commit_is_outcome_unknown)
{
    int counts[4] = {0};
    fault_scenario scenario = {.fail_kinds = FIXTURE_FAIL_SYNC, .fail_count = 1};
    run_scenario(&scenario, counts);
    ck_assert_int_gt(counts[REPORT_UNKNOWN - REPORT_OK], 0);
    ck_assert_int_eq(counts[REPORT_OK - REPORT_OK], 0);
    ck_assert_int_eq(counts[REPORT_NOTHING_WRITTEN - REPORT_OK], 0);
}

STF_TEST(a_disk_that_stays_broken_never_lies)
{
    int counts[4] = {0};
    fault_scenario scenario = {.fail_count = UINT32_MAX};
    run_scenario(&scenario, counts);
    ck_assert_int_eq(counts[REPORT_OK - REPORT_OK], 0);
    ck_assert_int_gt(counts[REPORT_UNKNOWN - REPORT_OK], 0);
}

STF_TEST(a_full_disk_is_unavailable_and_nothing_was_written)
{
    int counts[4] = {0};
    fault_scenario scenario = {
        .fail_kinds = FIXTURE_FAIL_WRITE, .fail_count = 1, .fail_code = SQLITE_FULL};
    run_scenario(&scenario, counts);
    ck_assert_int_eq(counts[REPORT_UNKNOWN - REPORT_OK], 0);
    ck_assert_int_gt(counts[REPORT_NOTHING_WRITTEN - REPORT_OK], 5);
}

/* docs/rules.md, R3: an unknown outcome is settled by the identical save. Here nothing of the first
 * try is visible, so the second one wins. */
STF_TEST(the_identical_save_settles_an_unknown_outcome)
{
    int counts[4] = {0};
    fault_scenario scenario = {.fail_count = 1, .is_repeated = true};
    run_scenario(&scenario, counts);
    ck_assert_int_gt(counts[REPORT_OK - REPORT_OK], 5);
    ck_assert_int_eq(counts[REPORT_UNKNOWN - REPORT_OK], 0);
    ck_assert_int_eq(counts[REPORT_UNEXPECTED - REPORT_OK], 0);
}

static const stf_test_case cases[] = {
    STF_CASE(a_failing_write_never_lies),
    STF_CASE(a_failing_sync_of_a_commit_is_outcome_unknown),
    STF_CASE(a_disk_that_stays_broken_never_lies),
    STF_CASE(a_full_disk_is_unavailable_and_nothing_was_written),
    STF_CASE(the_identical_save_settles_an_unknown_outcome),
};

STF_TEST_MAIN("sqlite faults", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* Two processes on one SQLite file. The whole suite runs with its second handle over there; and the
 * zombie and the lost reply of the suite are played as they happen: a process that is stopped with
 * a save in its hands, a store whose answers are lost on the way. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conformance/remote.h"
#include "conformance/sqlite_factory.h"
#include "support/faulty_repository.h"
#include "support/stf_test.h"

static stf_status open_remote(void *user, const stf_clock *clock, stf_repository **ret_repository,
                              stf_error *error)
{
    const sqlite_factory *factory = user;
    return remote_open(STF_SECOND_PROCESS, factory->path, clock, ret_repository, NULL, error);
}

static void report(void *user, const stf_conformance_result *result)
{
    ck_assert_msg(result->outcome != STF_CONFORMANCE_FAILED, "%s: %s", result->id, result->reason);
    ++*(size_t *)user;
}

STF_TEST(every_case_passes_with_its_second_handle_in_another_process)
{
    sqlite_factory factory;
    size_t seen = 0;
    stf_error error = STF_ERROR_INIT;
    stf_conformance_options options = {
        .struct_size = sizeof(options), .abi = STF_CONFORMANCE_ABI, .race_saves = 300};
    sqlite_factory_init(&factory, STF_SQLITE_SYNC_NORMAL);
    factory.factory.second_handle = open_remote;
    STF_CHECK_OK(stf_conformance_run(&factory.factory, &options, report, &seen, &error), &error);
    ck_assert_uint_eq(seen, stf_conformance_case_count());
    sqlite_factory_done(&factory);
}

/* ---- Scenes ------------------------------------------------------------------------------ */

#define LEASE_US 30000000

static int64_t now_us;

static stf_wall read_wall(void *user)
{
    (void)user;
    return (stf_wall){now_us};
}

static stf_mono read_mono(void *user)
{
    (void)user;
    return (stf_mono){now_us};
}

static const stf_clock test_clock = {
    .struct_size = sizeof(test_clock), .abi = STF_CLOCK_ABI, .wall = read_wall, .mono = read_mono};

/* "mine" loses answers; "other" is the second process. */
typedef struct scene {
    sqlite_factory factory;
    stf_repository *file;
    faulty_repository faults;
    stf_repository *mine;
    stf_repository *other;
    remote *process;
    stf_error error;
} scene;

static scene s;

static void open_scene(void)
{
    now_us = 1000000;
    memset(&s, 0, sizeof(s));
    stf_error_init(&s.error);
    sqlite_factory_init(&s.factory, 0);
    STF_CHECK_OK(sqlite_factory_open(&s.factory, &test_clock, &s.file, &s.error), &s.error);
    s.mine = faulty_repository_new(&s.faults, s.file);
    STF_CHECK_OK(remote_open(STF_SECOND_PROCESS, s.factory.path, &test_clock, &s.other, &s.process,
                             &s.error),
                 &s.error);
    STF_CHECK_OK(stf_repository_register_group(s.mine, NULL, stf_str_of("g"), &s.error), &s.error);
}

static void close_scene(void)
{
    stf_repository_close(s.other);
    stf_repository_close(s.mine);
    stf_repository_close(s.file);
    sqlite_factory_done(&s.factory);
}

/* A save of "a" over a version, with the head as its text and its attempt as its first letter. */
typedef struct scene_save {
    stf_record record;
    stf_save save;
    stf_save_result result;
} scene_save;

static void init_save(scene_save *save, int64_t expected_version, const char *head,
                      const char *owner, int64_t incarnation)
{
    *save = (scene_save){.record = STF_RECORD_INIT, .save = STF_SAVE_INIT};
    save->record.id = stf_str_of("a");
    save->record.group = stf_str_of("g");
    save->record.head = (stf_bytes){(const uint8_t *)head, strlen(head)};
    save->record.lease = (stf_lease){stf_str_of(owner), incarnation, {0}};
    save->save.expected_version = expected_version;
    save->save.attempt.bytes[0] = (uint8_t)head[0];
    save->save.flags = STF_SAVE_LEASE_DURATION;
    save->save.lease_duration_us = LEASE_US;
}

static stf_status run_save(stf_repository *repository, scene_save *save)
{
    save->save.record = &save->record;
    return stf_repository_save(repository, NULL, &save->save, &save->result, &s.error);
}

typedef struct stored {
    int64_t version;
    int64_t incarnation;
    uint8_t attempt;
    char head[64];
} stored;

static stf_status note_record(void *user, const stf_record *record, stf_error *error)
{
    (void)error;
    stored *copy = user;
    copy->version = record->rec_version;
    copy->incarnation = record->lease.incarnation;
    copy->attempt = record->attempt.bytes[0];
    ck_assert_uint_lt(record->head.size, sizeof(copy->head));
    memcpy(copy->head, record->head.data, record->head.size);
    return STF_OK;
}

/* Both processes see the same. */
static void expect_stored(int64_t version, const char *head, int64_t incarnation)
{
    stf_repository *const handles[] = {s.file, s.other};
    for (size_t i = 0; i < 2; i++) {
        stored seen = {.version = 0};
        bool is_found = false;
        STF_CHECK_OK(stf_repository_load(handles[i], NULL, stf_str_of("a"), note_record, &seen,
                                         &is_found, &s.error),
                     &s.error);
        ck_assert(is_found);
        ck_assert_int_eq(seen.version, version);
        ck_assert_str_eq(seen.head, head);
        ck_assert_int_eq(seen.incarnation, incarnation);
        ck_assert_int_eq(seen.attempt, head[0]);
    }
}

STF_TEST(a_lost_answer_of_an_applied_save_is_settled_by_its_repeat)
{
    scene_save save;
    open_scene();
    init_save(&save, 0, "ours", "me", 1);
    faulty_repository_fail_saves(&s.faults, 1, 1, STF_OUTCOME_UNKNOWN, true);
    STF_CHECK_STATUS(run_save(s.mine, &save), STF_OUTCOME_UNKNOWN, &s.error);
    STF_CHECK_STATUS(run_save(s.mine, &save), STF_CONCURRENT_UPDATE, &s.error);
    expect_stored(1, "ours", 1);
    close_scene();
}

STF_TEST(a_lost_answer_of_a_save_that_was_not_applied_is_settled_by_its_repeat)
{
    scene_save save;
    open_scene();
    init_save(&save, 0, "first", "me", 1);
    STF_CHECK_OK(run_save(s.mine, &save), &s.error);
    init_save(&save, 1, "ours", "me", 1);
    faulty_repository_fail_saves(&s.faults, 1, 2, STF_OUTCOME_UNKNOWN, false);
    STF_CHECK_STATUS(run_save(s.mine, &save), STF_OUTCOME_UNKNOWN, &s.error);
    expect_stored(1, "first", 1);
    STF_CHECK_STATUS(run_save(s.mine, &save), STF_OUTCOME_UNKNOWN, &s.error);
    STF_CHECK_OK(run_save(s.mine, &save), &s.error);
    expect_stored(2, "ours", 1);
    close_scene();
}

/* Reading back proves nothing: here the save arrives after the look. */
STF_TEST(a_save_that_is_applied_after_the_look_is_settled_by_its_repeat)
{
    scene_save save;
    open_scene();
    init_save(&save, 0, "first", "me", 1);
    STF_CHECK_OK(run_save(s.mine, &save), &s.error);
    init_save(&save, 1, "ours", "me", 1);
    faulty_repository_fail_saves(&s.faults, 1, 1, STF_OUTCOME_UNKNOWN, false);
    STF_CHECK_STATUS(run_save(s.mine, &save), STF_OUTCOME_UNKNOWN, &s.error);
    expect_stored(1, "first", 1);
    STF_CHECK_OK(run_save(s.other, &save), &s.error); /* still on its way until now */
    STF_CHECK_STATUS(run_save(s.mine, &save), STF_CONCURRENT_UPDATE, &s.error);
    expect_stored(2, "ours", 1);
    close_scene();
}

STF_TEST(a_repeat_that_was_overtaken_changes_nothing)
{
    scene_save save;
    scene_save theirs;
    open_scene();
    init_save(&save, 0, "ours", "me", 1);
    faulty_repository_fail_saves(&s.faults, 1, 1, STF_OUTCOME_UNKNOWN, true);
    STF_CHECK_STATUS(run_save(s.mine, &save), STF_OUTCOME_UNKNOWN, &s.error);
    init_save(&theirs, 1, "theirs", "them", 2);
    STF_CHECK_OK(run_save(s.other, &theirs), &s.error);
    STF_CHECK_STATUS(run_save(s.mine, &save), STF_CONCURRENT_UPDATE, &s.error);
    expect_stored(2, "theirs", 2);
    close_scene();
}

/* The holder is a process that is stopped with its save in the pipe, and wakes up long after its
 * lease. */
STF_TEST(a_holder_that_was_stopped_past_its_lease_writes_nothing)
{
    scene_save held;
    scene_save claim;
    scene_save stale;
    open_scene();
    init_save(&held, 0, "held", "zombie", 1);
    STF_CHECK_OK(run_save(s.other, &held), &s.error);
    ck_assert_int_eq(kill(remote_pid(s.process), SIGSTOP), 0);
    int state = 0;
    ck_assert_int_eq(waitpid(remote_pid(s.process), &state, WUNTRACED), remote_pid(s.process));
    ck_assert(WIFSTOPPED(state));
    init_save(&stale, held.result.rec_version, "stale", "zombie", 1);
    stale.save.record = &stale.record;
    stale.save.flags |= STF_SAVE_HAS_ATTEMPT_SEEN;
    stale.save.attempt_seen = held.save.attempt;
    remote_send_save(s.process, &stale.save);

    now_us += LEASE_US;
    init_save(&claim, held.result.rec_version, "claimed", "me", 2);
    STF_CHECK_OK(run_save(s.mine, &claim), &s.error);
    ck_assert_int_eq(kill(remote_pid(s.process), SIGCONT), 0);
    STF_CHECK_STATUS(remote_receive_save(s.process, &stale.result, &s.error), STF_CONCURRENT_UPDATE,
                     &s.error);
    expect_stored(2, "claimed", 2);
    close_scene();
}

/* A process that is killed in the middle of its saves leaves whole ones. */
STF_TEST(a_process_that_is_killed_leaves_a_store_that_others_go_on_with)
{
    scene_save save;
    open_scene();
    init_save(&save, 0, "one", "them", 1);
    STF_CHECK_OK(run_save(s.other, &save), &s.error);
    init_save(&save, 1, "two", "them", 1);
    save.save.record = &save.record;
    remote_send_save(s.process, &save.save);
    ck_assert_int_eq(kill(remote_pid(s.process), SIGKILL), 0);
    stf_status status = run_save(s.mine, &save); /* as the one who settles would */
    ck_assert(status == STF_OK || status == STF_CONCURRENT_UPDATE);
    stored seen = {.version = 0};
    bool is_found = false;
    STF_CHECK_OK(
        stf_repository_load(s.mine, NULL, stf_str_of("a"), note_record, &seen, &is_found, &s.error),
        &s.error);
    ck_assert_int_eq(seen.version, 2);
    ck_assert_str_eq(seen.head, "two");
    close_scene();
}

static const stf_test_case cases[] = {
    STF_CASE(every_case_passes_with_its_second_handle_in_another_process),
    STF_CASE(a_lost_answer_of_an_applied_save_is_settled_by_its_repeat),
    STF_CASE(a_lost_answer_of_a_save_that_was_not_applied_is_settled_by_its_repeat),
    STF_CASE(a_save_that_is_applied_after_the_look_is_settled_by_its_repeat),
    STF_CASE(a_repeat_that_was_overtaken_changes_nothing),
    STF_CASE(a_holder_that_was_stopped_past_its_lease_writes_nothing),
    STF_CASE(a_process_that_is_killed_leaves_a_store_that_others_go_on_with),
};

STF_TEST_MAIN("conformance/second_process", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* A living owner is never proved dead; a killed one is, at once; a handler that outlives its engine
 * proves nothing. */
#include "fixture.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_dead(sqlite_fixture *f, stf_repository *repository, const char *owner)
{
    bool dead = false;
    STF_CHECK_OK(
        stf_repository_owner_is_dead(repository, NULL, fixture_str(owner), &dead, &f->error),
        &f->error);
    return dead;
}

STF_TEST(within_one_process_handles_see_each_other)
{
    sqlite_fixture f;
    fixture_init(&f);
    stf_repository *second = fixture_second(&f);
    ck_assert(is_dead(&f, second, "me"));
    STF_CHECK_OK(stf_repository_hold_owner(f.repository, NULL, fixture_str("me"), &f.error),
                 &f.error);
    ck_assert(!is_dead(&f, second, "me"));
    ck_assert(!is_dead(&f, f.repository, "me"));
    ck_assert(!is_dead(&f, f.repository, "me")); /* asking dropped nothing */
    ck_assert(is_dead(&f, second, "you"));
    STF_CHECK_STATUS(stf_repository_hold_owner(second, NULL, fixture_str("me"), &f.error),
                     STF_ALREADY_EXISTS, &f.error);
    STF_CHECK_STATUS(stf_repository_hold_owner(f.repository, NULL, fixture_str("me"), &f.error),
                     STF_ALREADY_EXISTS, &f.error);
    STF_CHECK_OK(stf_repository_hold_owner(f.repository, NULL, fixture_str("two"), &f.error),
                 &f.error);
    stf_repository_release_owner(f.repository, fixture_str("me"));
    stf_repository_release_owner(f.repository, fixture_str("never held"));
    ck_assert(is_dead(&f, second, "me"));
    ck_assert(!is_dead(&f, second, "two"));
    f.repository = stf_repository_close(f.repository); /* releases what is held */
    ck_assert(is_dead(&f, second, "two"));
    stf_repository_close(second);
    fixture_done(&f);
}

/* An engine that holds "victim", has started a handler, and waits to be killed. */
static void be_engine(const sqlite_fixture *parent, int ready_fd, int handler_fd)
{
    sqlite_fixture f = *parent;
    f.clock.user = &f.now_us;
    f.options.path = f.path;
    f.options.clock = &f.clock;
    fixture_open(&f);
    if (stf_repository_hold_owner(f.repository, NULL, fixture_str("victim"), &f.error) != STF_OK) {
        _exit(1);
    }
    pid_t handler = fork();
    if (handler == 0) { /* lives until the test closes its end */
        dup2(handler_fd, STDIN_FILENO);
        execl("/bin/cat", "cat", (char *)NULL);
        _exit(1);
    }
    ssize_t put = write(ready_fd, &handler, sizeof(handler));
    (void)put;
    for (;;) {
        pause();
    }
}

STF_TEST(a_killed_process_is_dead_and_its_handler_is_no_sign_of_life)
{
    sqlite_fixture f;
    fixture_make(&f);
    int ready[2];
    int input[2];
    ck_assert_int_eq(pipe(ready), 0);
    ck_assert_int_eq(pipe(input), 0);
    pid_t pid = fork();
    if (pid == 0) {
        close(input[1]);
        be_engine(&f, ready[1], input[0]);
    }
    close(input[0]);
    pid_t handler = 0;
    ck_assert_int_eq(read(ready[0], &handler, sizeof(handler)), sizeof(handler));
    fixture_open(&f);
    ck_assert(!is_dead(&f, f.repository, "victim"));
    ck_assert_int_eq(kill(pid, SIGKILL), 0);
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    /* The handler has the engine's descriptors until exec closes them. */
    for (int i = 0; i < 1000 && !is_dead(&f, f.repository, "victim"); i++) {
        usleep(1000);
    }
    ck_assert(is_dead(&f, f.repository, "victim"));
    ck_assert_int_eq(kill(handler, 0), 0);
    close(input[1]);
    fixture_done(&f);
}

STF_TEST(owners_are_listed_once_and_not_those_of_ended_records)
{
    static const struct {
        const char *id;
        const char *owner;
        uint32_t status;
    } table[] = {{"a", "two", STF_RECORD_ACTIVE},
                 {"b", "one", STF_RECORD_SUSPENDED},
                 {"c", "two", STF_RECORD_INCIDENT},
                 {"d", "three", STF_RECORD_COMPLETED},
                 {"e", "", STF_RECORD_ACTIVE}};
    sqlite_fixture f;
    fixture_init(&f);
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        stf_record record = fixture_record(table[i].id);
        record.lease.owner = fixture_str(table[i].owner);
        record.status = table[i].status;
        STF_CHECK_OK(fixture_put(f.repository, &record, 0, &f.error), &f.error);
    }
    stf_buf seen;
    stf_buf_init(&seen, NULL);
    STF_CHECK_OK(stf_repository_list_owners(f.repository, NULL, fixture_str("g"), fixture_note_id,
                                            &seen, &f.error),
                 &f.error);
    STF_CHECK_STR(stf_buf_str(&seen), "one two ");
    stf_buf_done(&seen);
    fixture_done(&f);
}

static const stf_test_case cases[] = {
    STF_CASE(within_one_process_handles_see_each_other),
    STF_CASE(a_killed_process_is_dead_and_its_handler_is_no_sign_of_life),
    STF_CASE(owners_are_listed_once_and_not_those_of_ended_records),
};

STF_TEST_MAIN("sqlite liveness", cases)

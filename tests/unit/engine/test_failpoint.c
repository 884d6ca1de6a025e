/* SPDX-License-Identifier: Apache-2.0 */
/* The crash points: each is passed, and the n-th pass ends the process with SIGKILL. */
#include "unit/engine/engine_case.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const all_topics[] = {"*", NULL};

/* Plays the order process in a child with that failpoint; the signal that ended it, or 0. */
static int signal_of(const char *failpoint)
{
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        (void)setenv("STEPFAST_FAILPOINT", failpoint, 1);
        engine_case *c = engine_case_new();
        engine_case_open(c, all_topics);
        engine_case_deploy(c, case_order);
        engine_case_start(c, "i1", NULL);
        engine_case_advance(c, SECONDS(5));
        engine_case_task(c, "i1", "approve", NULL);
        engine_case_free(c);
        _exit(0);
    }
    int status = 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

STF_TEST(a_failpoint_kills_at_the_pass_that_it_names)
{
#ifdef STF_FAILPOINTS
    static const char *const points[] = {"before_save:1", "before_save:4",  "after_save:1",
                                         "after_save:4",  "after_effect:1", "before_ack:1",
                                         "before_ack:2"};
    for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
        ck_assert_msg(signal_of(points[i]) == SIGKILL, "%s", points[i]);
    }
#endif
    static const char *const others[] = {"",  "before_save", "before_save:0", "before_save:5",
                                         ":", "nowhere:1",   "after_effect:2"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        ck_assert_msg(signal_of(others[i]) == 0, "%s", others[i]);
    }
}

static const stf_test_case cases[] = {
    STF_CASE(a_failpoint_kills_at_the_pass_that_it_names),
};

STF_TEST_MAIN("failpoint", cases)

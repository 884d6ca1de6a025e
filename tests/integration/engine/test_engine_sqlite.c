/* SPDX-License-Identifier: Apache-2.0 */
/* The engine over real SQLite files: the whole chain, a process that is killed, and lost replies.
 */
#include "sqlite_case.h"
#include "unit/engine/rule_case.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const all_topics[] = {"*", NULL};

STF_TEST(the_whole_chain_runs_on_sqlite_and_a_new_engine_needs_no_file)
{
    sqlite_case_make_folder();
    engine_case *c = sqlite_case_open("one", all_topics);
    engine_case_deploy(c, case_order);
    engine_case_start(c, "i1", "{\"amount\": 0.1}");
    engine_case_idle(c);
    ck_assert_uint_eq(engine_case_calls_of(c, "work"), 1);
    engine_case_free(c);
    c = sqlite_case_open("two", all_topics);
    engine_case_advance(c, SECONDS(5));
    ck_assert(engine_case_waits_at(c, "i1", "approve"));
    engine_case_task(c, "i1", "approve", "{\"ok\": true}");
    ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
    ck_assert_uint_eq(engine_case_calls_of(c, "work"), 0);
    engine_case_free(c);
    sqlite_case_remove_folder();
}

static void die(engine_case *c, stf_work *work)
{
    (void)c;
    (void)work;
    (void)raise(SIGKILL); /* in the middle of the effect */
}

STF_TEST(the_work_of_a_killed_process_is_taken_at_once_and_is_unknown)
{
    sqlite_case_make_folder();
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        engine_case *c = sqlite_case_open("one", all_topics);
        engine_case_deploy(c, case_order);
        engine_case_start(c, "i1", NULL);
        c->on_call = die;
        engine_case_idle(c);
        _exit(0);
    }
    int status = 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    engine_case *c = sqlite_case_open("two", all_topics);
    ck_assert_str_eq(engine_case_status(c, "i1"), "incident"); /* the clock has not moved */
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_WORK_UNKNOWN), 1);
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_INSTANCE_RECOVERED), 1);
    ck_assert_int_eq(engine_case_record(c, "i1").incarnation, 2);
    ck_assert_uint_eq(engine_case_calls_of(c, "work"), 0);
    STF_CHECK_OK(stf_engine_retry_incident(c->engine, NULL, stf_str_of("i1"), 0, &c->error),
                 &c->error);
    engine_case_idle(c);
    ck_assert_uint_eq(engine_case_calls_of(c, "work"), 1);
    engine_case_advance(c, SECONDS(5));
    engine_case_task(c, "i1", "approve", NULL);
    ck_assert_str_eq(engine_case_status(c, "i1"), "completed");
    engine_case_free(c);
    sqlite_case_remove_folder();
}

STF_TEST(r3_lost_replies_of_sqlite_are_settled_while_another_engine_steps)
{
    static const bool applies[] = {true, false};
    for (size_t i = 0; i < 2; i++) {
        sqlite_case_make_folder();
        engine_case *c = sqlite_case_open("one", all_topics);
        engine_case_deploy(c, case_order);
        engine_case_start(c, "i1", NULL);
        /* The result of the work is saved; the answer is lost three times. */
        faulty_repository_fail_saves(&c->faulty, 1, 3, STF_OUTCOME_UNKNOWN, applies[i]);
        for (int n = 0; n < 3; n++) {
            STF_CHECK_OK(stf_engine_step(c->engine, NULL, NULL, &c->error), &c->error);
        }
        engine_case *other = sqlite_case_open("two", NULL);
        atomic_store(&other->clock.us, SECONDS(6));
        engine_case_idle(other); /* fires the timer if the result is there */
        ck_assert(engine_case_waits_at(other, "i1", applies[i] ? "approve" : "work"));
        for (int n = 0; n < 20; n++) {
            atomic_fetch_add(&c->clock.us, SECONDS(1));
            STF_CHECK_OK(stf_engine_step(c->engine, NULL, NULL, &c->error), &c->error);
        }
        ck_assert(engine_case_waits_at(c, "i1", "approve"));
        ck_assert_uint_eq(engine_case_calls_of(c, "work"), 1);
        ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_WORK_COMPLETED), 1);
        ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_TIMER_FIRED) +
                              engine_case_facts_of(other, STF_FACT_TIMER_FIRED),
                          1);
        engine_case_free(other);
        engine_case_free(c);
        sqlite_case_remove_folder();
    }
}

/* ---- The rules, with a handle for each engine --------------------------------------------------
 */

static void play_on_sqlite(void (*play)(engine_case *c, engine_case *other),
                           const char *const *topics)
{
    sqlite_case_make_folder();
    engine_case *c = sqlite_case_open("one", topics);
    engine_case *other = sqlite_case_open("two", NULL);
    play(c, other);
    engine_case_free(other);
    engine_case_free(c);
    sqlite_case_remove_folder();
}

STF_TEST(r4_on_sqlite_who_looks_from_outside_sees_the_save_before_its_effects)
{
    play_on_sqlite(rule_case_effects_follow_their_saves, all_topics);
}

STF_TEST(r9_on_sqlite_a_record_that_was_made_again_is_not_written_over)
{
    play_on_sqlite(rule_case_made_again_under_the_save, NULL);
}

STF_TEST(r16_on_sqlite_a_lost_row_of_a_batch_never_aborts_its_neighbours)
{
    play_on_sqlite(rule_case_lost_row_in_a_batch, NULL);
}

static void step_after_the_commit(engine_case *c, engine_case *other)
{
    rule_case_step_between_commit_and_repeat(c, other, true);
}

static void step_before_the_commit(engine_case *c, engine_case *other)
{
    rule_case_step_between_commit_and_repeat(c, other, false);
}

STF_TEST(r3_on_sqlite_a_step_between_the_commit_and_its_repeat_changes_nothing)
{
    play_on_sqlite(step_after_the_commit, NULL);
    play_on_sqlite(step_before_the_commit, NULL);
}

static const stf_test_case cases[] = {
    STF_CASE(the_whole_chain_runs_on_sqlite_and_a_new_engine_needs_no_file),
    STF_CASE(the_work_of_a_killed_process_is_taken_at_once_and_is_unknown),
    STF_CASE(r3_lost_replies_of_sqlite_are_settled_while_another_engine_steps),
    STF_CASE(r4_on_sqlite_who_looks_from_outside_sees_the_save_before_its_effects),
    STF_CASE(r9_on_sqlite_a_record_that_was_made_again_is_not_written_over),
    STF_CASE(r16_on_sqlite_a_lost_row_of_a_batch_never_aborts_its_neighbours),
    STF_CASE(r3_on_sqlite_a_step_between_the_commit_and_its_repeat_changes_nothing),
};

STF_TEST_MAIN("engine_sqlite", cases)

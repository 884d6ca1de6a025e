/* SPDX-License-Identifier: Apache-2.0 */
/* Walks every (state, call, guards, policy) of the transition table. The expectation is the table
 * of the design written down a second time, edge by edge, and not in the form of the code. */
#include "durable/durable.h"

#include "support/stf_test.h"

enum {
    STATES = 5,
    GUARDS = 32,
    POLICIES = 3
};

#define EACH_COMBINATION                                                                           \
    for (unsigned from = 0; from < STATES; from++)                                                 \
        for (unsigned call = 0; call < STF__DURABLE_CALL_COUNT; call++)                            \
            for (unsigned guards = 0; guards < GUARDS; guards++)                                   \
                for (unsigned policy = 0; policy < POLICIES; policy++)

static stf__durable_decision decide(unsigned from, unsigned call, unsigned guards, unsigned policy)
{
    return stf__durable_decide((stf__durable_state)from, (stf__durable_call)call, guards,
                               (stf__crash_policy)policy);
}

typedef struct expectation {
    unsigned to;
    unsigned answer;
    bool writes;
    bool moves;
} expectation;

static expectation stays(unsigned from, unsigned answer)
{
    return (expectation){.to = from, .answer = answer};
}

static expectation goes(unsigned to, unsigned answer)
{
    return (expectation){.to = to, .answer = answer, .writes = true, .moves = true};
}

static expectation expect_claim(unsigned from, unsigned guards, unsigned policy)
{
    if (from == STF__DURABLE_ABSENT) {
        return goes(STF__DURABLE_PENDING, STF__ANSWER_OWNER);
    }
    if (!(guards & STF__GUARD_SAME_IDENTITY)) {
        return stays(from, STF__ANSWER_CONFLICT);
    }
    if (from == STF__DURABLE_COMPLETED || from == STF__DURABLE_FAILED) {
        return stays(from, STF__ANSWER_REPLAY);
    }
    if (from == STF__DURABLE_UNKNOWN) {
        return stays(from, STF__ANSWER_UNKNOWN);
    }
    if (guards & STF__GUARD_SAME_ATTEMPT) {
        return stays(from, STF__ANSWER_OWNER);
    }
    if (guards & STF__GUARD_LEASE_LIVE) {
        return stays(from, STF__ANSWER_PENDING);
    }
    if (!(guards & STF__GUARD_STARTED) || policy == STF__CRASH_IDEMPOTENT) {
        return goes(STF__DURABLE_PENDING, STF__ANSWER_RECLAIMED);
    }
    if (policy == STF__CRASH_FAIL) {
        return goes(STF__DURABLE_FAILED, STF__ANSWER_REPLAY);
    }
    return goes(STF__DURABLE_UNKNOWN, STF__ANSWER_UNKNOWN);
}

/* The calls of the owner: start, renew, complete, fail, mark_unknown, release. */
static expectation expect_owner(unsigned from, unsigned call, unsigned guards)
{
    static const unsigned ends[STF__DURABLE_CALL_COUNT] = {
        [STF__DURABLE_START] = STF__DURABLE_PENDING,
        [STF__DURABLE_RENEW] = STF__DURABLE_PENDING,
        [STF__DURABLE_COMPLETE] = STF__DURABLE_COMPLETED,
        [STF__DURABLE_FAIL] = STF__DURABLE_FAILED,
        [STF__DURABLE_MARK_UNKNOWN] = STF__DURABLE_UNKNOWN,
        [STF__DURABLE_RELEASE] = STF__DURABLE_ABSENT,
    };
    const unsigned starter = STF__GUARD_SAME_ATTEMPT | STF__GUARD_STARTED;
    bool is_finish = call == STF__DURABLE_COMPLETE || call == STF__DURABLE_FAIL;
    if (from == STF__DURABLE_UNKNOWN && is_finish && (guards & starter) == starter) {
        return goes(ends[call], STF__ANSWER_RECORD);
    }
    if (!(guards & STF__GUARD_FENCE)) {
        return stays(from, STF__ANSWER_LEASE_LOST);
    }
    if (from != STF__DURABLE_PENDING ||
        (call == STF__DURABLE_RELEASE && (guards & STF__GUARD_STARTED) != 0)) {
        return stays(from, STF__ANSWER_INVALID);
    }
    expectation done = goes(ends[call], STF__ANSWER_RECORD);
    done.moves = is_finish || call == STF__DURABLE_MARK_UNKNOWN;
    return done;
}

static expectation expect(unsigned from, unsigned call, unsigned guards, unsigned policy)
{
    if (call == STF__DURABLE_CLAIM) {
        return expect_claim(from, guards, policy);
    }
    if (from == STF__DURABLE_ABSENT) {
        return stays(from, STF__ANSWER_NOT_FOUND);
    }
    if (call == STF__DURABLE_RESOLVE_COMPLETED || call == STF__DURABLE_RESOLVE_FAILED) {
        if (from != STF__DURABLE_UNKNOWN) {
            return stays(from, STF__ANSWER_INVALID);
        }
        if (!(guards & STF__GUARD_FENCE)) {
            return stays(from, STF__ANSWER_LEASE_LOST);
        }
        return goes(call == STF__DURABLE_RESOLVE_COMPLETED ? STF__DURABLE_COMPLETED
                                                           : STF__DURABLE_FAILED,
                    STF__ANSWER_RECORD);
    }
    return expect_owner(from, call, guards);
}

STF_TEST(every_combination_answers_as_the_design_says)
{
    unsigned count = 0;
    EACH_COMBINATION
    {
        stf__durable_decision got = decide(from, call, guards, policy);
        expectation want = expect(from, call, guards, policy);
        ck_assert_msg(got.to == want.to && got.answer == want.answer && got.writes == want.writes &&
                          got.moves_fence == want.moves,
                      "from %u call %u guards %u policy %u: to %u answer %u writes %d moves %d "
                      "instead of to %u answer %u writes %d moves %d",
                      from, call, guards, policy, got.to, got.answer, got.writes, got.moves_fence,
                      want.to, want.answer, want.writes, want.moves);
        count++;
    }
    ck_assert_uint_eq(count, STATES * STF__DURABLE_CALL_COUNT * GUARDS * POLICIES);
}

/* Every change of state that may happen at all, as (from, call, to). */
STF_TEST(no_other_edge_exists)
{
    static const unsigned char allowed[][3] = {
        {STF__DURABLE_ABSENT, STF__DURABLE_CLAIM, STF__DURABLE_PENDING},
        {STF__DURABLE_PENDING, STF__DURABLE_CLAIM, STF__DURABLE_PENDING},
        {STF__DURABLE_PENDING, STF__DURABLE_CLAIM, STF__DURABLE_UNKNOWN},
        {STF__DURABLE_PENDING, STF__DURABLE_CLAIM, STF__DURABLE_FAILED},
        {STF__DURABLE_PENDING, STF__DURABLE_START, STF__DURABLE_PENDING},
        {STF__DURABLE_PENDING, STF__DURABLE_RENEW, STF__DURABLE_PENDING},
        {STF__DURABLE_PENDING, STF__DURABLE_COMPLETE, STF__DURABLE_COMPLETED},
        {STF__DURABLE_PENDING, STF__DURABLE_FAIL, STF__DURABLE_FAILED},
        {STF__DURABLE_PENDING, STF__DURABLE_MARK_UNKNOWN, STF__DURABLE_UNKNOWN},
        {STF__DURABLE_PENDING, STF__DURABLE_RELEASE, STF__DURABLE_ABSENT},
        {STF__DURABLE_UNKNOWN, STF__DURABLE_COMPLETE, STF__DURABLE_COMPLETED},
        {STF__DURABLE_UNKNOWN, STF__DURABLE_FAIL, STF__DURABLE_FAILED},
        {STF__DURABLE_UNKNOWN, STF__DURABLE_RESOLVE_COMPLETED, STF__DURABLE_COMPLETED},
        {STF__DURABLE_UNKNOWN, STF__DURABLE_RESOLVE_FAILED, STF__DURABLE_FAILED},
    };
    bool seen[sizeof(allowed) / sizeof(allowed[0])] = {false};
    EACH_COMBINATION
    {
        stf__durable_decision got = decide(from, call, guards, policy);
        if (!got.writes) {
            ck_assert_uint_eq(got.to, from);
            ck_assert(!got.moves_fence);
            continue;
        }
        bool is_allowed = false;
        for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++) {
            if (allowed[i][0] == from && allowed[i][1] == call && allowed[i][2] == got.to) {
                is_allowed = true;
                seen[i] = true;
            }
        }
        ck_assert_msg(is_allowed, "edge from %u by %u to %u", from, call, got.to);
    }
    for (size_t i = 0; i < sizeof(seen) / sizeof(seen[0]); i++) {
        ck_assert_msg(seen[i], "edge %zu never happens", i);
    }
}

STF_TEST(r13_the_fence_moves_only_with_ownership_or_state)
{
    EACH_COMBINATION
    {
        stf__durable_decision got = decide(from, call, guards, policy);
        if (call == STF__DURABLE_START || call == STF__DURABLE_RENEW) {
            ck_assert(!got.moves_fence);
        }
        if (got.writes && got.to != from && got.to != STF__DURABLE_ABSENT) {
            ck_assert(got.moves_fence);
        }
    }
}

STF_TEST(r12_unknown_is_settled_only_by_its_starter_or_by_who_saw_the_fence)
{
    EACH_COMBINATION
    {
        stf__durable_decision got = decide(from, call, guards, policy);
        if (from == STF__DURABLE_UNKNOWN && got.writes) {
            bool is_resolve = call >= STF__DURABLE_RESOLVE_COMPLETED;
            ck_assert((guards & (is_resolve ? STF__GUARD_FENCE : STF__GUARD_SAME_ATTEMPT)) != 0);
        }
    }
}

STF_TEST(numbers_outside_the_enums_answer_invalid_and_change_nothing)
{
    static const unsigned odd[][3] = {
        {STATES, STF__DURABLE_CLAIM, 0},
        {STF__DURABLE_PENDING, STF__DURABLE_CALL_COUNT, 0},
        {STF__DURABLE_PENDING, STF__DURABLE_CLAIM, POLICIES},
        {250, 250, 250},
    };
    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
        stf__durable_decision got = decide(odd[i][0], odd[i][1], GUARDS - 1, odd[i][2]);
        ck_assert_uint_eq(got.answer, STF__ANSWER_INVALID);
        ck_assert_uint_eq(got.to, odd[i][0]);
        ck_assert(!got.writes && !got.moves_fence);
    }
}

STF_TEST(states_have_names)
{
    ck_assert_str_eq(stf__durable_state_name(STF__DURABLE_ABSENT), "absent");
    ck_assert_str_eq(stf__durable_state_name(STF__DURABLE_UNKNOWN), "unknown");
    ck_assert_str_eq(stf__durable_state_name((stf__durable_state)STATES), "?");
}

static const stf_test_case cases[] = {
    STF_CASE(every_combination_answers_as_the_design_says),
    STF_CASE(no_other_edge_exists),
    STF_CASE(r13_the_fence_moves_only_with_ownership_or_state),
    STF_CASE(r12_unknown_is_settled_only_by_its_starter_or_by_who_saw_the_fence),
    STF_CASE(numbers_outside_the_enums_answer_invalid_and_change_nothing),
    STF_CASE(states_have_names),
};

STF_TEST_MAIN("durable", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* The transition table of guarded work, as data. Rows are read from the top and the first one that
 * fits decides, so a row may rely on the ones above it; what no row names has no edge and changes
 * nothing. Invariants, each tested over all combinations: a decision that does not write keeps the
 * state; unknown and the two ends are never left by a claim; the fence moves only with ownership or
 * state (R13). */
#include "durable/durable.h"

#include <stddef.h>

enum { /* sets of states, calls and policies as bits */
    IN_ABSENT = 1 << STF__DURABLE_ABSENT,
    IN_PENDING = 1 << STF__DURABLE_PENDING,
    IN_UNKNOWN = 1 << STF__DURABLE_UNKNOWN,
    IN_ENDED = 1 << STF__DURABLE_COMPLETED | 1 << STF__DURABLE_FAILED,
    IN_ANY = IN_ABSENT | IN_PENDING | IN_UNKNOWN | IN_ENDED,

    BY_CLAIM = 1 << STF__DURABLE_CLAIM,
    BY_TOUCH = 1 << STF__DURABLE_START | 1 << STF__DURABLE_RENEW,
    BY_COMPLETE = 1 << STF__DURABLE_COMPLETE,
    BY_FAIL = 1 << STF__DURABLE_FAIL,
    BY_MARK_UNKNOWN = 1 << STF__DURABLE_MARK_UNKNOWN,
    BY_RELEASE = 1 << STF__DURABLE_RELEASE,
    BY_RESOLVE_COMPLETED = 1 << STF__DURABLE_RESOLVE_COMPLETED,
    BY_RESOLVE_FAILED = 1 << STF__DURABLE_RESOLVE_FAILED,
    BY_RESOLVE = BY_RESOLVE_COMPLETED | BY_RESOLVE_FAILED,
    BY_OWNER = BY_TOUCH | BY_COMPLETE | BY_FAIL | BY_MARK_UNKNOWN | BY_RELEASE,
    BY_ANY = (1 << STF__DURABLE_CALL_COUNT) - 1,

    POLICY_UNKNOWN = 1 << STF__CRASH_UNKNOWN,
    POLICY_IDEMPOTENT = 1 << STF__CRASH_IDEMPOTENT,
    POLICY_FAIL = 1 << STF__CRASH_FAIL,
    POLICY_ANY = POLICY_UNKNOWN | POLICY_IDEMPOTENT | POLICY_FAIL,

    FENCE = STF__GUARD_FENCE,
    ATTEMPT = STF__GUARD_SAME_ATTEMPT,
    STARTED = STF__GUARD_STARTED,
    LIVE = STF__GUARD_LEASE_LIVE,
    IDENTITY = STF__GUARD_SAME_IDENTITY,

    SAME = 0xff /* to: stays where it is and writes nothing */
};

typedef struct durable_edge {
    uint8_t from; /* IN_* */
    uint8_t to;   /* stf__durable_state or SAME */
    uint16_t by;  /* BY_* */
    uint8_t look; /* the guards that matter, and how they must be */
    uint8_t want;
    uint8_t policies; /* POLICY_* */
    uint8_t answer;
    bool moves_fence;
} durable_edge;

#define EDGE(from_, by_, look_, want_, policies_, to_, answer_, moves_)                            \
    {                                                                                              \
        .from = (from_), .to = (to_), .by = (by_), .look = (look_), .want = (want_),               \
        .policies = (policies_), .answer = STF__ANSWER_##answer_, .moves_fence = (moves_)          \
    }

/* clang-format off */
static const durable_edge edges[] = {
    /*   from        by                    looks at          needs             policy             to                       answer       moves */
    EDGE(IN_ABSENT,  BY_CLAIM,             0,                0,                POLICY_ANY,        STF__DURABLE_PENDING,    OWNER,       true),
    EDGE(IN_ABSENT,  BY_ANY,               0,                0,                POLICY_ANY,        SAME,                    NOT_FOUND,   false),
    EDGE(IN_ANY,     BY_CLAIM,             IDENTITY,         0,                POLICY_ANY,        SAME,                    CONFLICT,    false),

    EDGE(IN_PENDING, BY_CLAIM,             ATTEMPT,          ATTEMPT,          POLICY_ANY,        SAME,                    OWNER,       false),
    EDGE(IN_PENDING, BY_CLAIM,             LIVE,             LIVE,             POLICY_ANY,        SAME,                    PENDING,     false),
    EDGE(IN_PENDING, BY_CLAIM,             STARTED,          0,                POLICY_ANY,        STF__DURABLE_PENDING,    RECLAIMED,   true),
    EDGE(IN_PENDING, BY_CLAIM,             0,                0,                POLICY_IDEMPOTENT, STF__DURABLE_PENDING,    RECLAIMED,   true),
    EDGE(IN_PENDING, BY_CLAIM,             0,                0,                POLICY_FAIL,       STF__DURABLE_FAILED,     REPLAY,      true),
    EDGE(IN_PENDING, BY_CLAIM,             0,                0,                POLICY_UNKNOWN,    STF__DURABLE_UNKNOWN,    UNKNOWN,     true),
    EDGE(IN_PENDING, BY_TOUCH,             FENCE,            FENCE,            POLICY_ANY,        STF__DURABLE_PENDING,    RECORD,      false),
    EDGE(IN_PENDING, BY_COMPLETE,          FENCE,            FENCE,            POLICY_ANY,        STF__DURABLE_COMPLETED,  RECORD,      true),
    EDGE(IN_PENDING, BY_FAIL,              FENCE,            FENCE,            POLICY_ANY,        STF__DURABLE_FAILED,     RECORD,      true),
    EDGE(IN_PENDING, BY_MARK_UNKNOWN,      FENCE,            FENCE,            POLICY_ANY,        STF__DURABLE_UNKNOWN,    RECORD,      true),
    EDGE(IN_PENDING, BY_RELEASE,           FENCE | STARTED,  FENCE,            POLICY_ANY,        STF__DURABLE_ABSENT,     RECORD,      false),

    EDGE(IN_UNKNOWN, BY_CLAIM,             0,                0,                POLICY_ANY,        SAME,                    UNKNOWN,     false),
    EDGE(IN_UNKNOWN, BY_COMPLETE,          ATTEMPT | STARTED, ATTEMPT | STARTED, POLICY_ANY,      STF__DURABLE_COMPLETED,  RECORD,      true),
    EDGE(IN_UNKNOWN, BY_FAIL,              ATTEMPT | STARTED, ATTEMPT | STARTED, POLICY_ANY,      STF__DURABLE_FAILED,     RECORD,      true),
    EDGE(IN_UNKNOWN, BY_RESOLVE_COMPLETED, FENCE,            FENCE,            POLICY_ANY,        STF__DURABLE_COMPLETED,  RECORD,      true),
    EDGE(IN_UNKNOWN, BY_RESOLVE_FAILED,    FENCE,            FENCE,            POLICY_ANY,        STF__DURABLE_FAILED,     RECORD,      true),
    EDGE(IN_UNKNOWN, BY_RESOLVE,           0,                0,                POLICY_ANY,        SAME,                    LEASE_LOST,  false),

    EDGE(IN_ENDED,   BY_CLAIM,             0,                0,                POLICY_ANY,        SAME,                    REPLAY,      false),

    /* no edge: the owner's calls say first that the caller is not the owner */
    EDGE(IN_ANY,     BY_OWNER,             FENCE,            0,                POLICY_ANY,        SAME,                    LEASE_LOST,  false),
    EDGE(IN_ANY,     BY_ANY,               0,                0,                POLICY_ANY,        SAME,                    INVALID,     false),
};
/* clang-format on */

stf__durable_decision stf__durable_decide(stf__durable_state from, stf__durable_call call,
                                          uint32_t guards, stf__crash_policy policy)
{
    stf__durable_decision decision = {.to = (uint8_t)from, .answer = STF__ANSWER_INVALID};
    if ((uint32_t)from > STF__DURABLE_UNKNOWN || (uint32_t)call >= STF__DURABLE_CALL_COUNT ||
        (uint32_t)policy > STF__CRASH_FAIL) {
        return decision;
    }
    for (size_t i = 0; i < sizeof(edges) / sizeof(edges[0]); i++) {
        const durable_edge *edge = &edges[i];
        if ((edge->from >> from & 1) == 0 || (edge->by >> call & 1) == 0 ||
            (edge->policies >> policy & 1) == 0 || (guards & edge->look) != edge->want) {
            continue;
        }
        decision.answer = edge->answer;
        decision.moves_fence = edge->moves_fence;
        if (edge->to != SAME) {
            decision.to = edge->to;
            decision.writes = true;
        }
        break;
    }
    return decision;
}

const char *stf__durable_state_name(stf__durable_state state)
{
    static const char *const names[] = {
        [STF__DURABLE_ABSENT] = "absent",       [STF__DURABLE_PENDING] = "pending",
        [STF__DURABLE_COMPLETED] = "completed", [STF__DURABLE_FAILED] = "failed",
        [STF__DURABLE_UNKNOWN] = "unknown",
    };
    return (size_t)state < sizeof(names) / sizeof(names[0]) ? names[state] : "?";
}

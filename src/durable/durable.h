/* SPDX-License-Identifier: Apache-2.0 */
/* The one transition table of guarded work, pure: durable operations use it over their stores and
 * the core uses it for handler runs embedded in activations (docs/rules.md, R2). No I/O, no clock:
 * facts come in, a decision goes out. */
#ifndef STF_DURABLE_DURABLE_H
#define STF_DURABLE_DURABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stepfast/status.h>

typedef enum stf__durable_state { /* append-only: stored */
    STF__DURABLE_ABSENT = 0,
    STF__DURABLE_PENDING = 1,
    STF__DURABLE_COMPLETED = 2,
    STF__DURABLE_FAILED = 3,
    STF__DURABLE_UNKNOWN = 4
} stf__durable_state;

typedef enum stf__crash_policy { /* append-only: stored. What a claim makes of started work whose
                                    lease is over */
    STF__CRASH_UNKNOWN = 0,      /* the default: the outcome is not known */
    STF__CRASH_IDEMPOTENT = 1,   /* safe to run again, even beside itself */
    STF__CRASH_FAIL = 2
} stf__crash_policy;

typedef enum stf__durable_call {
    STF__DURABLE_CLAIM = 0,
    STF__DURABLE_START = 1,
    STF__DURABLE_RENEW = 2,
    STF__DURABLE_COMPLETE = 3,
    STF__DURABLE_FAIL = 4,
    STF__DURABLE_MARK_UNKNOWN = 5,
    STF__DURABLE_RELEASE = 6,
    STF__DURABLE_RESOLVE_COMPLETED = 7,
    STF__DURABLE_RESOLVE_FAILED = 8,
    STF__DURABLE_CALL_COUNT = 9
} stf__durable_call;

/* What the caller knows about the record, in bits. */
enum {
    STF__GUARD_FENCE = 1,         /* the caller's fence (incarnation, revision) is the record's */
    STF__GUARD_SAME_ATTEMPT = 2,  /* the caller's attempt id is the record's */
    STF__GUARD_STARTED = 4,       /* the record's started mark is set */
    STF__GUARD_LEASE_LIVE = 8,    /* the record's lease has not lapsed */
    STF__GUARD_SAME_IDENTITY = 16 /* fingerprint and crash policy are the record's */
};

typedef enum stf__durable_answer {
    STF__ANSWER_OWNER = 0,     /* the caller owns it (again) */
    STF__ANSWER_RECLAIMED = 1, /* the caller took it over */
    STF__ANSWER_PENDING = 2,   /* somebody else owns it */
    STF__ANSWER_REPLAY = 3,    /* it is over: the stored outcome */
    STF__ANSWER_UNKNOWN = 4,
    STF__ANSWER_CONFLICT = 5,
    STF__ANSWER_RECORD = 6,     /* done: the record as it is now */
    STF__ANSWER_LEASE_LOST = 7, /* the fence is not the caller's */
    STF__ANSWER_INVALID = 8,    /* no such edge from this state */
    STF__ANSWER_NOT_FOUND = 9
} stf__durable_answer;

typedef struct stf__durable_decision {
    uint8_t to;       /* stf__durable_state; the same state when nothing changes */
    uint8_t answer;   /* stf__durable_answer */
    bool writes;      /* the record changes */
    bool moves_fence; /* revision + 1 (claim, reclaim, finish, unknown, resolve; R13) */
} stf__durable_decision;

/* Total: every combination has an answer. */
stf__durable_decision stf__durable_decide(stf__durable_state from, stf__durable_call call,
                                          uint32_t guards, stf__crash_policy policy);

const char *stf__durable_state_name(stf__durable_state state);

#endif

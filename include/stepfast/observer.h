/* SPDX-License-Identifier: Apache-2.0 */
/* Facts: what happened, told after it is durable. Names and counts, never payload. An observer runs
 * on the loop thread, must not call back into the engine and cannot break it. */
#ifndef STEPFAST_OBSERVER_H
#define STEPFAST_OBSERVER_H

#include <stepfast/buf.h>
#include <stepfast/clock.h>

STF_BEGIN_DECLS

/* name, number (append-only: it is stored in journals), text */
#define STF_FACT_MAP(X)                                                                            \
    X(INSTANCE_CREATED, 1, "instance created")                                                     \
    X(INSTANCE_COMPLETED, 2, "instance completed")                                                 \
    X(INSTANCE_TERMINATED, 3, "instance terminated")                                               \
    X(INSTANCE_RECOVERED, 4, "instance recovered")                                                 \
    X(INSTANCE_HYDRATED, 5, "instance loaded")                                                     \
    X(INSTANCE_DEHYDRATED, 6, "instance left memory")                                              \
    X(INSTANCE_FAILED, 7, "instance ended by an error that nobody catches")                        \
    X(INSTANCE_CANCELLED, 8, "instance cancelled")                                                 \
    X(NODE_ENTERED, 10, "node entered")                                                            \
    X(NODE_COMPLETED, 11, "node completed")                                                        \
    X(NODE_FAILED, 12, "node failed")                                                              \
    X(NODE_CANCELLED, 13, "node cancelled")                                                        \
    X(GATEWAY_DECIDED, 14, "gateway decided")                                                      \
    X(TIMER_ARMED, 20, "timer armed")                                                              \
    X(TIMER_FIRED, 21, "timer fired")                                                              \
    X(WORK_STARTED, 30, "work started")                                                            \
    X(WORK_COMPLETED, 31, "work completed")                                                        \
    X(WORK_FAILED, 32, "work failed")                                                              \
    X(WORK_UNKNOWN, 33, "outcome of work unknown")                                                 \
    X(RESULT_DROPPED, 34, "result dropped: nothing waits for it any more")                         \
    X(TASK_CREATED, 40, "task created")                                                            \
    X(TASK_COMPLETED, 41, "task completed")                                                        \
    X(INCIDENT_OPENED, 50, "incident opened")                                                      \
    X(INCIDENT_RESOLVED, 51, "incident resolved")                                                  \
    X(INCIDENT_DROPPED, 52, "incident dropped")                                                    \
    X(RETRY_SCHEDULED, 53, "retry scheduled")                                                      \
    X(SAVE_CONFLICTED, 60, "save conflicted")                                                      \
    X(LEASE_LOST, 61, "lease lost: fenced")                                                        \
    X(CHECKPOINT_DEFERRED, 62, "not written yet, still owned")                                     \
    X(RECORD_SKIPPED, 63, "record cannot be read here, left untouched")                            \
    X(RECORD_CORRUPT, 64, "record is damaged: kept as it is, no longer due")                       \
    X(MESSAGE_SENT, 70, "message sent")                                                            \
    X(MESSAGE_RECEIVED, 71, "message received")                                                    \
    X(MESSAGE_DROPPED, 72, "message dropped: nobody waits for it")                                 \
    X(MESSAGE_KEPT, 73, "message kept: nobody waits for it yet")                                   \
    X(SEND_DROPPED, 74, "entry of the outbox dropped: its receiver cannot take it")                \
    X(MESSAGE_AWAITED, 75, "waits for a message")                                                  \
    X(CHILD_CALLED, 76, "instance called")                                                         \
    X(CHILD_ENDED, 77, "called instance ended")                                                    \
    X(CHILD_CANCELLED, 78, "called instance told to end")                                          \
    X(ERROR_THROWN, 80, "error thrown")                                                            \
    X(ERROR_CAUGHT, 81, "error caught")                                                            \
    X(VARIABLES_SET, 82, "variables set from outside")

typedef enum stf_fact_kind {
#define STF_FACT_ENUM(name, number, text) STF_FACT_##name = number,
    STF_FACT_MAP(STF_FACT_ENUM)
#undef STF_FACT_ENUM
} stf_fact_kind;

STF_API const char *stf_fact_name(uint32_t kind); /* "NODE_ENTERED"; "?" when unknown */

/* Borrowed for the call. */
typedef struct stf_fact {
    size_t struct_size;
    uint32_t abi;
    uint32_t kind; /* stf_fact_kind */
    stf_wall at;
    stf_str instance;
    stf_str process;     /* definition key */
    stf_str element;     /* may be empty */
    uint64_t activation; /* 0: none */
    stf_str detail;      /* flow taken, topic, reason; may be empty */
} stf_fact;

typedef enum stf_log_level {
    STF_LOG_ERROR = 0,
    STF_LOG_WARNING = 1,
    STF_LOG_INFO = 2,
    STF_LOG_DEBUG = 3
} stf_log_level;

typedef struct stf_observer {
    size_t struct_size;
    uint32_t abi;
    uint32_t flags;
    void *user;
    void (*on_fact)(void *user, const stf_fact *fact);                /* may be NULL */
    void (*on_log)(void *user, stf_log_level level, stf_str message); /* may be NULL */
} stf_observer;

#define STF_OBSERVER_ABI 1u

STF_END_DECLS

#endif

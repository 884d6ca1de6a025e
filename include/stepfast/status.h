/* SPDX-License-Identifier: Apache-2.0 */
/* The outcome of a call. What became of a process instance is data (stf_record_status), never a
 * status; see docs/glossary.md. */
#ifndef STEPFAST_STATUS_H
#define STEPFAST_STATUS_H

#include <stepfast/api.h>

STF_BEGIN_DECLS

/* One row per status: name, number (append-only, part of the ABI), sentence. */
#define STF_STATUS_MAP(X)                                                                          \
    X(OK, 0, "success")                                                                            \
    X(INVALID_ARGUMENT, 1, "an argument is not acceptable")                                        \
    X(EMPTY_NOT_ALLOWED, 2, "a value that must not be empty is empty")                             \
    X(NOT_FOUND, 3, "no such thing")                                                               \
    X(ALREADY_EXISTS, 4, "a thing of that identity exists")                                        \
    X(CONCURRENT_UPDATE, 5, "the stored version is not the expected one; nothing was written")     \
    X(LEASE_LOST, 6, "another owner holds the lease")                                              \
    X(INVALID_STATE, 7, "not possible in the present state")                                       \
    X(CONFLICT, 8, "the same identity was used with other content")                                \
    X(UNSUPPORTED, 9, "not supported")                                                             \
    X(LIMIT_EXCEEDED, 10, "a limit was exceeded; nothing was written")                             \
    X(PARSE, 11, "the input is not well-formed or not valid")                                      \
    X(EXPRESSION, 12, "an expression could not be compiled or evaluated")                          \
    X(CANCELLED, 13, "cancelled; nothing was written")                                             \
    X(DEADLINE_EXCEEDED, 14, "the deadline passed; nothing was written")                           \
    X(UNAVAILABLE, 15, "not available now; nothing was written, try again")                        \
    X(OUTCOME_UNKNOWN, 16, "a write was sent and its answer was lost")                             \
    X(SCHEMA_MISMATCH, 17, "the stored schema is not the one this program knows")                  \
    X(CORRUPT, 18, "stored data is damaged")                                                       \
    X(CALLBACK, 19, "a callback of the caller failed")                                             \
    X(NO_MEMORY, 20, "out of memory")                                                              \
    X(INTERNAL, 21, "a defect of this library")

typedef enum stf_status {
#define STF_STATUS_ENUM(name, number, text) STF_##name = number,
    STF_STATUS_MAP(STF_STATUS_ENUM)
#undef STF_STATUS_ENUM
} stf_status;

/* The name without prefix, such as "CONCURRENT_UPDATE"; "?" for an unknown number. Static
 * storage. Thread: any. */
STF_API const char *stf_status_name(stf_status status);

/* The sentence of the table above. Static storage. Thread: any. */
STF_API const char *stf_status_text(stf_status status);

STF_END_DECLS

#endif

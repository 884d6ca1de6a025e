/* SPDX-License-Identifier: Apache-2.0 */
/* A caller-owned, fixed-size report of why a call failed. Optional everywhere (NULL is fine), never
 * allocated, never thread-local. Layers add context with stf_error_context and never change the
 * status. */
#ifndef STEPFAST_ERROR_H
#define STEPFAST_ERROR_H

#include <stddef.h>
#include <stdint.h>
#include <stepfast/api.h>
#include <stepfast/status.h>

STF_BEGIN_DECLS

#define STF_ERROR_ABI 1u
#define STF_ERROR_DETAILS 8
#define STF_ERROR_TRAIL 3

typedef struct stf_error_detail {
    char key[24];
    char value[104]; /* cut with "..." when longer */
} stf_error_detail;

typedef struct stf_error {
    size_t struct_size;
    uint32_t abi;
    uint32_t flags;
    uint32_t status; /* stf_status */
    uint32_t detail_count;
    char origin[32];      /* the room, such as "SQLITE_REPO" */
    char message[512];    /* a sentence; cut with "..." when longer */
    char native_code[32]; /* SQLSTATE, SQLite extended code, errno name; "" when none */
    stf_error_detail details[STF_ERROR_DETAILS];
    char trail[STF_ERROR_TRAIL][96]; /* added context, innermost first */
} stf_error;

#define STF_ERROR_INIT                                                                             \
    {                                                                                              \
        .struct_size = sizeof(stf_error), .abi = STF_ERROR_ABI                                     \
    }

/* Fills a fresh struct; what STF_ERROR_INIT does where designated initialisers are missing. */
STF_API void stf_error_init(stf_error *error);

/* Overwrites the report and returns status, so that reporting is one return line. error may be
 * NULL. Allocates nothing. Thread: the owner of error. */
STF_API stf_status stf_error_set(stf_error *error, stf_status status, const char *origin,
                                 const char *format, ...) STF_PRINTF(4, 5);
#ifdef __clang_analyzer__
/* The analyzer sees one file at a time and must know that the call answers its own argument. */
#define stf_error_set(error, status, ...)                                                          \
    ((void)(stf_error_set)((error), (status), __VA_ARGS__), (status))
#endif

/* Adds a key and value (the ninth is dropped), a native code, a line of context (the fourth is
 * dropped). No-ops on NULL. */
STF_API void stf_error_add_detail(stf_error *error, const char *key, const char *format, ...)
    STF_PRINTF(3, 4);
STF_API void stf_error_set_native(stf_error *error, const char *format, ...) STF_PRINTF(2, 3);
STF_API void stf_error_context(stf_error *error, const char *format, ...) STF_PRINTF(2, 3);

/* The value of a detail, or NULL. Borrowed from error. */
STF_API const char *stf_error_get_detail(const stf_error *error, const char *key);

STF_END_DECLS

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The published conformance suite (library libstepfast-conformance): the definition of the
 * repository contract. No test framework inside. Only an absent optional capability may be
 * skipped. */
#ifndef STEPFAST_CONFORMANCE_H
#define STEPFAST_CONFORMANCE_H

#include <stepfast/sys/definition_store.h>
#include <stepfast/sys/repository.h>

STF_BEGIN_DECLS

/* How the suite gets stores. fresh gives an empty store under the given clock; second_handle
 * another handle on the store that is open; reopen closes nothing: it is called after the handle
 * was closed and gives the same store again, or UNSUPPORTED where nothing survives. */
typedef struct stf_conformance_factory {
    size_t struct_size;
    uint32_t abi;
    uint32_t flags;
    void *user;
    stf_status (*fresh)(void *user, const stf_clock *clock, stf_repository **ret_repository,
                        stf_error *error);
    stf_status (*second_handle)(void *user, const stf_clock *clock, stf_repository **ret_repository,
                                stf_error *error);
    stf_status (*reopen)(void *user, const stf_clock *clock, stf_repository **ret_repository,
                         stf_error *error);
    /* The definition store beside the fresh repository; NULL slot: its cases are skipped. */
    stf_status (*definitions)(void *user, const stf_clock *clock, stf_definition_store **ret_store,
                              stf_error *error);
    /* After each case, whatever its outcome. */
    void (*destroy)(void *user);
} stf_conformance_factory;

#define STF_CONFORMANCE_ABI 1u

typedef enum stf_conformance_outcome {
    STF_CONFORMANCE_OK = 0,
    STF_CONFORMANCE_FAILED = 1,
    STF_CONFORMANCE_SKIPPED = 2
} stf_conformance_outcome;

typedef struct stf_conformance_result {
    const char *id;       /* stable, such as "save.stale-version" */
    const char *contract; /* the sentence that it checks */
    const char *reason;   /* why it failed or was skipped; "" when ok */
    uint32_t outcome;
    uint32_t number; /* from 1 */
} stf_conformance_result;

typedef void (*stf_conformance_reporter)(void *user, const stf_conformance_result *result);

typedef struct stf_conformance_options {
    size_t struct_size;
    uint32_t abi;
    uint32_t flags;
    uint32_t race_saves; /* saves in the racing cases; 0: 10000 */
    uint32_t reserved;
    uint64_t seed;
    const char *only; /* a case id, or NULL: all */
} stf_conformance_options;

STF_API size_t stf_conformance_case_count(void);

/* Runs the cases. OK when none failed, INTERNAL when one did, NOT_FOUND (only), CALLBACK (the
 * factory failed). options and reporter may be NULL. */
STF_API STF_MUST_CHECK stf_status stf_conformance_run(const stf_conformance_factory *factory,
                                                      const stf_conformance_options *options,
                                                      stf_conformance_reporter reporter, void *user,
                                                      stf_error *error);

/* A reporter that prints TAP version 13 to stdout; the plan comes first, through
 * stf_conformance_case_count. user is ignored. */
STF_API void stf_conformance_report_tap(void *user, const stf_conformance_result *result);

STF_END_DECLS

#endif

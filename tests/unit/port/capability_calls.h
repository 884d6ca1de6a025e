/* SPDX-License-Identifier: Apache-2.0 */
/* The guarantees that every call of an optional capability gives, checked for a table of calls. */
#ifndef UNIT_PORT_CAPABILITY_CALLS_H
#define UNIT_PORT_CAPABILITY_CALLS_H

#include "port/index.h"
#include "support/stf_test.h"
#include "unit/port/fake.h"

/* Makes the call with this name as its group, id or owner; checks its outputs itself. */
typedef struct capability_call {
    stf_status (*call)(stf_repository *repository, const stf_ctx *ctx, stf_str name);
    stf__capability capability;
    bool has_name;
} capability_call;

static inline void check_capability_call(const capability_call *row)
{
    const stf_str good = {"g", 1};
    fake store;
    fake_init(&store);
    stf_repository *repository = fake_open(&store);
    ck_assert_uint_eq(row->call(repository, NULL, good), STF_OK);
    ck_assert_uint_eq(store.calls, 1);
    store.answer = STF_UNAVAILABLE;
    ck_assert_uint_eq(row->call(repository, NULL, good), STF_UNAVAILABLE);
    store.calls = 0;
    if (row->has_name) {
        ck_assert_uint_eq(row->call(repository, NULL, (stf_str){NULL, 0}), STF_EMPTY_NOT_ALLOWED);
        ck_assert_uint_eq(row->call(repository, NULL, fake_long_text()), STF_LIMIT_EXCEEDED);
        ck_assert_uint_eq(row->call(repository, NULL, (stf_str){"\xff", 1}), STF_INVALID_ARGUMENT);
    }
    ck_assert_uint_eq(row->call(NULL, NULL, good), STF_INVALID_ARGUMENT);
    stf_cancel *cancel = NULL;
    ck_assert(stf_cancel_new(NULL, &cancel, NULL) == STF_OK);
    stf_cancel_request(cancel);
    stf_ctx stopped = STF_CTX_INIT;
    stopped.cancel = cancel;
    ck_assert_uint_eq(row->call(repository, &stopped, good), STF_CANCELLED);
    stf_cancel_unref(cancel);
    ck_assert_uint_eq(store.calls, 0);
    stf_repository_close(repository);

    fake_init(&store);
    store.capabilities[row->capability] = NULL;
    repository = fake_open(&store);
    if (row->capability == STF__CAPABILITY_WAKE) {
        /* Not the store's slots: the index asks it for what is in flight. */
        ck_assert_uint_eq(row->call(repository, NULL, (stf_str){NULL, 0}), STF_EMPTY_NOT_ALLOWED);
        store.answer = STF_UNAVAILABLE;
        ck_assert_uint_eq(row->call(repository, NULL, good), STF_UNAVAILABLE);
        ck_assert_uint_eq(store.limit_seen, STF__INDEX_PAGE);
    } else {
        ck_assert_uint_eq(row->call(repository, NULL, good), STF_UNSUPPORTED);
        ck_assert_uint_eq(store.calls, 0);
    }
    stf_repository_close(repository);
}

#endif

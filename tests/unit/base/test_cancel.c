/* SPDX-License-Identifier: Apache-2.0 */
/* The cancel token for those who ask and for those who poll. */
#include "support/stf_test.h"
#include "unit/base/faulty.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stepfast/ctx.h>
#include <sys/resource.h>
#include <unistd.h>

static bool is_readable(int fd)
{
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    return poll(&wait, 1, 0) == 1 && (wait.revents & POLLIN) != 0;
}

STF_TEST(a_request_is_seen_by_askers_and_pollers_and_stays)
{
    stf_error error = STF_ERROR_INIT;
    stf_cancel *cancel;
    STF_CHECK_OK(stf_cancel_new(NULL, &cancel, &error), &error);
    ck_assert(!stf_cancel_is_requested(cancel));
    ck_assert(!is_readable(stf_cancel_fd(cancel)));
    errno = 42;
    stf_cancel_request(cancel);
    stf_cancel_request(cancel);
    ck_assert_int_eq(errno, 42);
    ck_assert(stf_cancel_is_requested(cancel));
    ck_assert(is_readable(stf_cancel_fd(cancel)));
    ck_assert(is_readable(stf_cancel_fd(cancel)));
    ck_assert_ptr_null(stf_cancel_unref(cancel));
}

STF_TEST(a_request_keeps_errno_even_when_its_write_fails)
{
    stf_cancel *cancel;
    ck_assert_int_eq(stf_cancel_new(NULL, &cancel, NULL), STF_OK);
    ck_assert_int_eq(close(stf_cancel_fd(cancel)), 0);
    errno = 42;
    stf_cancel_request(cancel);
    ck_assert_int_eq(errno, 42);
    ck_assert(stf_cancel_is_requested(cancel));
    (void)stf_cancel_unref(cancel);
}

STF_TEST(no_token_is_never_cancelled)
{
    stf_cancel_request(NULL);
    ck_assert(!stf_cancel_is_requested(NULL));
    ck_assert_int_eq(stf_cancel_fd(NULL), -1);
    ck_assert_ptr_null(stf_cancel_ref(NULL));
    ck_assert_ptr_null(stf_cancel_unref(NULL));
}

STF_TEST(the_last_reference_frees_the_token_and_its_descriptor)
{
    faulty alloc;
    stf_cancel *cancel;
    faulty_init(&alloc, 0);
    ck_assert_int_eq(stf_cancel_new(&alloc.port, &cancel, NULL), STF_OK);
    int fd = stf_cancel_fd(cancel);
    ck_assert_ptr_eq(stf_cancel_ref(cancel), cancel);
    (void)stf_cancel_unref(cancel);
    ck_assert_int_eq(alloc.live, 1);
    ck_assert(!is_readable(fd));
    (void)stf_cancel_unref(cancel);
    ck_assert_int_eq(alloc.live, 0);
    errno = 0;
    ck_assert_int_eq(close(fd), -1);
    ck_assert_int_eq(errno, EBADF);
}

STF_TEST(without_memory_or_descriptors_there_is_an_error_and_no_leak)
{
    faulty alloc;
    stf_error error = STF_ERROR_INIT;
    stf_cancel *cancel = NULL;
    faulty_init(&alloc, 1);
    STF_CHECK_STATUS(stf_cancel_new(&alloc.port, &cancel, &error), STF_NO_MEMORY, &error);
    struct rlimit before;
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
    struct rlimit none = {.rlim_cur = 0, .rlim_max = before.rlim_max};
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
    stf_status status = stf_cancel_new(&alloc.port, &cancel, &error);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0); /* the leak checker needs some */
    STF_CHECK_STATUS(status, STF_UNAVAILABLE, &error);
    ck_assert_ptr_null(cancel);
    ck_assert_int_eq(alloc.live, 0);
}

static void *request_and_drop(void *user)
{
    stf_cancel *cancel = user;
    stf_cancel_request(cancel);
    return stf_cancel_unref(cancel);
}

STF_TEST(threads_may_request_and_drop_at_the_same_time)
{
    stf_cancel *cancel;
    pthread_t threads[4];
    ck_assert_int_eq(stf_cancel_new(NULL, &cancel, NULL), STF_OK);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(
            pthread_create(&threads[i], NULL, request_and_drop, stf_cancel_ref(cancel)), 0);
    }
    struct pollfd wait = {.fd = stf_cancel_fd(cancel), .events = POLLIN};
    ck_assert_int_eq(poll(&wait, 1, -1), 1);
    ck_assert(stf_cancel_is_requested(cancel));
    (void)stf_cancel_unref(cancel);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    }
}

static const stf_test_case cases[] = {
    STF_CASE(a_request_is_seen_by_askers_and_pollers_and_stays),
    STF_CASE(a_request_keeps_errno_even_when_its_write_fails),
    STF_CASE(no_token_is_never_cancelled),
    STF_CASE(the_last_reference_frees_the_token_and_its_descriptor),
    STF_CASE(without_memory_or_descriptors_there_is_an_error_and_no_leak),
    STF_CASE(threads_may_request_and_drop_at_the_same_time),
};

STF_TEST_MAIN("base/cancel", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* Unit tests over Check: a table of names and functions, one program per source file. Test names
 * state the guarantee. The program takes an optional test name to run it alone (without fork). */
#ifndef STF_TEST_H
#define STF_TEST_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <stepfast/buf.h>
#include <stepfast/error.h>
#include <string.h>

typedef struct stf_test_case {
    const char *name;
    void (*run)(void);
} stf_test_case;

int stf_test_run(const char *suite, const stf_test_case *cases, size_t count, int argc,
                 char **argv);

/* STF_TEST(name) { body } and a row STF_CASE(name) in the table. A test without a row is an unused
 * static function, which does not compile. */
#define STF_TEST(test_name) static void test_name(void)
#define STF_CASE(test_name)                                                                        \
    {                                                                                              \
#test_name, test_name                                                                      \
    }
#define STF_TEST_MAIN(suite, cases)                                                                \
    int main(int argc, char **argv)                                                                \
    {                                                                                              \
        return stf_test_run((suite), (cases), sizeof(cases) / sizeof((cases)[0]), argc, argv);     \
    }

/* The call gives this status; on a mismatch the message of `error` is shown. */
#define STF_CHECK_STATUS(call, expected, error_pointer)                                            \
    do {                                                                                           \
        stf_status stf_check_status_ = (call);                                                     \
        ck_assert_msg(stf_check_status_ == (expected), "%s: %s instead of %s: %s", #call,          \
                      stf_status_name(stf_check_status_), stf_status_name(expected),               \
                      (error_pointer) != NULL ? ((const stf_error *)(error_pointer))->message      \
                                              : "");                                               \
    } while (0)
#define STF_CHECK_OK(call, error_pointer) STF_CHECK_STATUS(call, STF_OK, error_pointer)
#define STF_CHECK_STR(actual, expected_text)                                                       \
    do {                                                                                           \
        stf_str stf_check_str_ = (actual);                                                         \
        ck_assert_msg(stf_str_equal(stf_check_str_, stf_str_of(expected_text)),                    \
                      "\"%.*s\" instead of \"%s\"", (int)stf_check_str_.size,                      \
                      stf_check_str_.size != 0 ? stf_check_str_.data : "", (expected_text));       \
    } while (0)

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of expressions: text, variables as JSON, the expected result as JSON, or the error. */
#ifndef STF_TESTS_EXPR_ROWS_H
#define STF_TESTS_EXPR_ROWS_H

#include <stepfast/expr.h>
#include <stepfast/limits.h>

#include "support/stf_test.h"

typedef struct row {
    const char *text;
    const char *variables; /* NULL: none */
    const char *expected;
} row;

typedef struct error_row {
    const char *text;
    const char *variables;
    long column;
    const char *fragment; /* of the message */
} error_row;

static inline const stf_value *rows_lookup(void *user, stf_str name)
{
    return stf_value_peek((const stf_value *)user, name);
}

static inline stf_value *rows_json(const char *text)
{
    stf_error error = STF_ERROR_INIT;
    stf_value *value = NULL;
    STF_CHECK_OK(stf_value_parse_json(NULL, stf_str_of(text), &value, &error), &error);
    return value;
}

/* Compiles and evaluates. */
static inline stf_status rows_run(const stf_allocator *alloc, stf_expr_language language,
                                  const char *text, stf_value *variables, uint32_t budget,
                                  stf_value **ret_value, stf_error *error)
{
    stf_expr *expr = NULL;
    stf_expr_scope scope = {.struct_size = sizeof(scope),
                            .abi = STF_EXPR_SCOPE_ABI,
                            .user = variables,
                            .lookup = rows_lookup,
                            .step_budget = budget};
    stf_status status = stf_expr_compile(alloc, stf_str_of(text), language, &expr, error);
    if (status == STF_OK) {
        status = stf_expr_eval(expr, alloc, &scope, ret_value, error);
        stf_expr_unref(expr);
    }
    return status;
}

static inline void rows_check_one(stf_expr_language language, const row *test)
{
    stf_error error = STF_ERROR_INIT;
    stf_value *variables = rows_json(test->variables != NULL ? test->variables : "{}");
    stf_value *expected = rows_json(test->expected);
    stf_value *value = NULL;
    stf_status status = rows_run(NULL, language, test->text, variables, 0, &value, &error);
    ck_assert_msg(status == STF_OK, "%s: %s", test->text, error.message);
    stf_buf buf;
    stf_buf_init(&buf, NULL);
    STF_CHECK_OK(stf_value_write_json(value, false, &buf, &error), &error);
    ck_assert_msg(stf_value_equal(value, expected), "%s gives %s instead of %s", test->text,
                  stf_buf_c_str(&buf), test->expected);
    stf_buf_done(&buf);
    stf_value_unref(value);
    stf_value_unref(expected);
    stf_value_unref(variables);
}

#define ROWS_CHECK(language, rows)                                                                 \
    do {                                                                                           \
        for (size_t row_ = 0; row_ < sizeof(rows) / sizeof((rows)[0]); row_++) {                   \
            rows_check_one((language), &(rows)[row_]);                                             \
        }                                                                                          \
    } while (0)

static inline void rows_check_error(stf_expr_language language, const error_row *test)
{
    stf_error error = STF_ERROR_INIT;
    stf_value *variables = rows_json(test->variables != NULL ? test->variables : "{}");
    stf_value *value = NULL;
    stf_status status = rows_run(NULL, language, test->text, variables, 0, &value, &error);
    ck_assert_msg(status == STF_EXPRESSION, "%s: %s instead of EXPRESSION (%s)", test->text,
                  stf_status_name(status), error.message);
    ck_assert_ptr_null(value);
    ck_assert_str_eq(error.origin, "EXPR");
    ck_assert_msg(strstr(error.message, test->fragment) != NULL, "%s: \"%s\" lacks \"%s\"",
                  test->text, error.message, test->fragment);
    const char *column = stf_error_get_detail(&error, "column");
    ck_assert_msg(column != NULL && strtol(column, NULL, 10) == test->column,
                  "%s: column %s instead of %ld (%s)", test->text, column != NULL ? column : "?",
                  test->column, error.message);
    stf_value_unref(variables);
}

#define ROWS_CHECK_ERRORS(language, rows)                                                          \
    do {                                                                                           \
        for (size_t row_ = 0; row_ < sizeof(rows) / sizeof((rows)[0]); row_++) {                   \
            rows_check_error((language), &(rows)[row_]);                                           \
        }                                                                                          \
    } while (0)

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The public calls: languages, lifetimes, conditions, failing allocations, and the examples of
 * docs/expressions.md. */
#include <stepfast/expr.h>

#include "rows.h"

static stf_expr *compile(const char *text, stf_expr_language language)
{
    stf_error error = STF_ERROR_INIT;
    stf_expr *expr = NULL;
    STF_CHECK_OK(stf_expr_compile(NULL, stf_str_of(text), language, &expr, &error), &error);
    return expr;
}

STF_TEST(the_language_is_detected_from_the_text)
{
    static const row rows[] = {
        {"a + 1", "{\"a\": 1}", "2"},     {"${a + 1}", "{\"a\": 1}", "2"},
        {"#{a + 1}", "{\"a\": 1}", "2"},  {"a + ${a}", "{\"a\": 1}", "\"a + 1\""},
        {"= \"${a}\"", NULL, "\"${a}\""}, {"= a", "{\"a\": 1}", "1"},
    };
    ROWS_CHECK(STF_EXPR_DETECT, rows);
}

STF_TEST(the_text_is_kept_trimmed)
{
    stf_expr *expr = compile(" \t= a \xC2\xA0\n", STF_EXPR_DETECT);
    STF_CHECK_STR(stf_expr_peek_text(expr), "= a");
    ck_assert_uint_eq(stf_expr_peek_text(NULL).size, 0);
    stf_expr_unref(expr);
}

STF_TEST(constant_means_that_no_variable_is_read)
{
    static const struct {
        const char *text;
        bool is_constant;
    } rows[] = {
        {"true", true},      {"-5", true},          {"[1, \"a\"]", true}, {"${1}", true},
        {"P${1}D", true},    {"x", false},          {"[x]", false},       {"${x}", false},
        {"a ${x} b", false}, {"${empty x}", false},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        stf_expr *expr = compile(rows[i].text, STF_EXPR_DETECT);
        ck_assert_msg(stf_expr_is_constant(expr) == rows[i].is_constant, "%s", rows[i].text);
        stf_expr_unref(expr);
    }
    ck_assert(!stf_expr_is_constant(NULL));
}

STF_TEST(references_keep_an_expression_alive)
{
    stf_expr *expr = compile("\"text\"", STF_EXPR_FEEL);
    ck_assert_ptr_eq(stf_expr_ref(expr), expr);
    ck_assert_ptr_null(stf_expr_unref(expr));
    stf_error error = STF_ERROR_INIT;
    stf_value *value = NULL;
    STF_CHECK_OK(stf_expr_eval(expr, NULL, NULL, &value, &error), &error);
    stf_expr_unref(expr);
    STF_CHECK_STR(stf_value_peek_string(value), "text"); /* a value outlives its expression */
    stf_value_unref(value);
    ck_assert_ptr_null(stf_expr_ref(NULL));
    ck_assert_ptr_null(stf_expr_unref(NULL));
}

STF_TEST(empty_long_and_damaged_texts_are_refused)
{
    stf_error error = STF_ERROR_INIT;
    stf_expr *expr = NULL;
    STF_CHECK_STATUS(stf_expr_compile(NULL, stf_str_of(" \n"), STF_EXPR_DETECT, &expr, &error),
                     STF_EXPRESSION, &error);
    ck_assert_ptr_nonnull(strstr(error.message, "empty"));
    STF_CHECK_STATUS(stf_expr_compile(NULL, (stf_str){NULL, 0}, STF_EXPR_JUEL, &expr, &error),
                     STF_EXPRESSION, &error);
    STF_CHECK_STATUS(stf_expr_compile(NULL, stf_str_of("\"\xC3\""), STF_EXPR_FEEL, &expr, &error),
                     STF_EXPRESSION, &error);
    ck_assert_ptr_nonnull(strstr(error.message, "UTF-8"));

    size_t size = STF_LIMIT_EXPR_BYTES;
    char *text = malloc(size + 1);
    ck_assert_ptr_nonnull(text);
    memset(text, ' ', size + 1);
    text[0] = '1';
    STF_CHECK_STATUS(
        stf_expr_compile(NULL, (stf_str){text, size + 1}, STF_EXPR_FEEL, &expr, &error),
        STF_LIMIT_EXCEEDED, &error);
    ck_assert_ptr_null(expr);
    STF_CHECK_OK(stf_expr_compile(NULL, (stf_str){text, size}, STF_EXPR_FEEL, &expr, &error),
                 &error);
    stf_expr_unref(expr);
    free(text);
}

STF_TEST(wrong_arguments_are_refused)
{
    stf_error error = STF_ERROR_INIT;
    stf_expr *expr = NULL;
    stf_value *value = NULL;
    bool is_true = false;
    stf_str one = stf_str_of("1");
    STF_CHECK_STATUS(stf_expr_compile(NULL, one, STF_EXPR_FEEL, NULL, &error), STF_INVALID_ARGUMENT,
                     &error);
    STF_CHECK_STATUS(stf_expr_compile(NULL, one, (stf_expr_language)7, &expr, &error),
                     STF_INVALID_ARGUMENT, &error);
    STF_CHECK_STATUS(stf_expr_compile(NULL, (stf_str){NULL, 5}, STF_EXPR_FEEL, &expr, &error),
                     STF_INVALID_ARGUMENT, &error);
    STF_CHECK_STATUS(stf_expr_eval(NULL, NULL, NULL, &value, &error), STF_INVALID_ARGUMENT, &error);
    expr = compile("1", STF_EXPR_FEEL);
    STF_CHECK_STATUS(stf_expr_eval(expr, NULL, NULL, NULL, &error), STF_INVALID_ARGUMENT, &error);
    STF_CHECK_STATUS(stf_expr_eval_condition(expr, NULL, NULL, NULL, &error), STF_INVALID_ARGUMENT,
                     &error);
    STF_CHECK_STATUS(stf_expr_eval_condition(NULL, NULL, NULL, &is_true, &error),
                     STF_INVALID_ARGUMENT, &error);
    stf_expr_unref(expr);
}

STF_TEST(a_condition_is_true_false_or_null)
{
    static const struct {
        const char *text;
        stf_status status;
        bool is_true;
    } rows[] = {
        {"true", STF_OK, true},
        {"false", STF_OK, false},
        {"null", STF_OK, false},
        {"missing", STF_OK, false},
        {"missing > 5", STF_OK, false},
        {"1", STF_EXPRESSION, false},
        {"\"true\"", STF_EXPRESSION, false},
        {"[true]", STF_EXPRESSION, false},
        {"${missing}", STF_EXPRESSION, false},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        stf_error error = STF_ERROR_INIT;
        stf_expr *expr = compile(rows[i].text, STF_EXPR_DETECT);
        bool is_true = !rows[i].is_true;
        STF_CHECK_STATUS(stf_expr_eval_condition(expr, NULL, NULL, &is_true, &error),
                         rows[i].status, &error);
        ck_assert(is_true == (rows[i].status == STF_OK ? rows[i].is_true : !rows[i].is_true));
        ck_assert(rows[i].status == STF_OK || error.message[0] != '\0');
        stf_expr_unref(expr);
    }
}

STF_TEST(errors_name_the_expression_and_may_be_left_out)
{
    stf_error error = STF_ERROR_INIT;
    stf_value *none = rows_json("{}");
    stf_value *value = NULL;
    STF_CHECK_STATUS(rows_run(NULL, STF_EXPR_JUEL, "${who}", none, 0, &value, &error),
                     STF_EXPRESSION, &error);
    ck_assert_str_eq(stf_error_get_detail(&error, "expression"), "${who}");
    ck_assert_str_eq(stf_error_get_detail(&error, "variable"), "who");
    STF_CHECK_STATUS(rows_run(NULL, STF_EXPR_JUEL, "${who}", none, 0, &value, NULL), STF_EXPRESSION,
                     NULL);
    STF_CHECK_STATUS(rows_run(NULL, STF_EXPR_FEEL, "1 +", none, 0, &value, NULL), STF_EXPRESSION,
                     NULL);
    stf_value_unref(none);
}

/* ---- Every allocation fails once. */

typedef struct meter {
    size_t calls;
    size_t fail_at;
    size_t live;
} meter;

static void *meter_realloc(void *user, void *memory, size_t size)
{
    meter *self = user;
    if (++self->calls == self->fail_at) {
        return NULL;
    }
    void *grown = realloc(memory, size);
    ck_assert_ptr_nonnull(grown);
    self->live += memory == NULL ? 1 : 0;
    return grown;
}

static void *meter_alloc(void *user, size_t size)
{
    return meter_realloc(user, NULL, size);
}

static void meter_free(void *user, void *memory)
{
    meter *self = user;
    self->live -= memory != NULL ? 1 : 0;
    free(memory);
}

static void check_every_failure(const char *text, stf_value *variables)
{
    stf_value *const untouched = stf_value_bool(true);
    for (size_t n = 1;; n++) {
        meter counts = {.fail_at = n};
        stf_allocator alloc = {.struct_size = sizeof(alloc),
                               .abi = STF_ALLOCATOR_ABI,
                               .user = &counts,
                               .alloc = meter_alloc,
                               .realloc = meter_realloc,
                               .free = meter_free};
        stf_error error = STF_ERROR_INIT;
        stf_value *value = untouched;
        stf_status status = rows_run(&alloc, STF_EXPR_DETECT, text, variables, 0, &value, &error);
        if (status == STF_OK) {
            ck_assert_uint_gt(n, 2);
            ck_assert_uint_lt(counts.calls, n);
            stf_value_unref(value);
            ck_assert_uint_eq(counts.live, 0);
            return;
        }
        ck_assert_msg(status == STF_NO_MEMORY, "%s, allocation %zu: %s", text, n, error.message);
        ck_assert_uint_eq(error.status, STF_NO_MEMORY);
        ck_assert_ptr_eq(value, untouched);
        ck_assert_msg(counts.live == 0, "%s, allocation %zu leaks", text, n);
    }
}

STF_TEST(a_failing_allocation_leaks_nothing_and_says_so)
{
    static const char *const texts[] = {
        "{a: [1, 2, 3, 4, 5][item > x], \"b c\": a.d, e: \"x\\n\" + \"y\"}",
        "if two words in (1..2) then upper case(\"abc\") else substring(\"abcd\", 2)",
        "sum(1, 2) + mean([1, 2]) - -x * modulo(5, 3) ** 2",
        "append(concatenate([1], [2]), min(1, 2), string([1]), number(\"5\"))",
        "lines.price[1] in (> 1, [5..7], x) and not(x between 1 and 2)",
        "a ${x + 1} b \\${no} ${empty missing ? 'c' : \"d\"} ${lines[0]['price']}",
        "${x == '2' && !empty lines && -x < 0}",
    };
    stf_value *variables =
        rows_json("{\"x\": 2, \"two words\": 3, \"lines\": [{\"price\": 5}, {\"price\": 6}]}");
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        check_every_failure(texts[i], variables);
    }
    stf_value_unref(variables);
}

/* ---- docs/expressions.md. */

static char *read_page(void)
{
    FILE *file = fopen(STF_EXPRESSIONS_PAGE, "rb");
    ck_assert_ptr_nonnull(file);
    char *text = calloc(1, 100000);
    ck_assert_ptr_nonnull(text);
    ck_assert_uint_lt(fread(text, 1, 99999, file), 99999);
    ck_assert_int_eq(fclose(file), 0);
    return text;
}

/* "text   → result": cuts the line at the arrow. */
static void check_example(stf_expr_language language, char *line, const char *variables)
{
    static const char arrow[] = " \xE2\x86\x92 ";
    static const char error_mark[] = "error: ";
    char *at = strstr(line, arrow);
    ck_assert_msg(at != NULL, "no result: %s", line);
    *at = '\0';
    const char *expected = at + sizeof(arrow) - 1;
    if (strncmp(expected, error_mark, sizeof(error_mark) - 1) != 0) {
        rows_check_one(language, &(row){line, variables, expected});
        return;
    }
    stf_error error = STF_ERROR_INIT;
    stf_value *value = NULL;
    stf_value *scope = rows_json(variables);
    stf_status status = rows_run(NULL, language, line, scope, 0, &value, &error);
    ck_assert_msg(status == STF_EXPRESSION, "%s: %s", line, stf_status_name(status));
    ck_assert_msg(strstr(error.message, expected + sizeof(error_mark) - 1) != NULL, "%s: %s", line,
                  error.message);
    stf_value_unref(scope);
}

/* The content of a fence up to its closing line; moves the page on. */
static char *take_fence(char **page, const char *opening)
{
    char *start = strstr(*page, opening);
    if (start == NULL) {
        return NULL;
    }
    start += strlen(opening);
    char *end = strstr(start, "```");
    ck_assert_ptr_nonnull(end);
    *end = '\0';
    *page = end + 1;
    return start;
}

/* The language is detected: the fences are for the reader. */
static size_t check_fences(const char *opening)
{
    size_t count = 0;
    char *text = read_page();
    char *page = text;
    const char *variables = take_fence(&page, "```variables\n");
    ck_assert_ptr_nonnull(variables);
    for (char *line = take_fence(&page, opening); line != NULL; line = take_fence(&page, opening)) {
        while (*line != '\0') {
            char *end = strchr(line, '\n');
            ck_assert_ptr_nonnull(end);
            *end = '\0';
            check_example(STF_EXPR_DETECT, line, variables);
            count++;
            line = end + 1;
        }
    }
    free(text);
    return count;
}

STF_TEST(every_example_of_the_documentation_holds)
{
    ck_assert_uint_gt(check_fences("```feel\n"), 40);
    ck_assert_uint_gt(check_fences("```juel\n"), 20);
}

static const stf_test_case cases[] = {
    STF_CASE(the_language_is_detected_from_the_text),
    STF_CASE(the_text_is_kept_trimmed),
    STF_CASE(constant_means_that_no_variable_is_read),
    STF_CASE(references_keep_an_expression_alive),
    STF_CASE(empty_long_and_damaged_texts_are_refused),
    STF_CASE(wrong_arguments_are_refused),
    STF_CASE(a_condition_is_true_false_or_null),
    STF_CASE(errors_name_the_expression_and_may_be_left_out),
    STF_CASE(a_failing_allocation_leaks_nothing_and_says_so),
    STF_CASE(every_example_of_the_documentation_holds),
};

STF_TEST_MAIN("expr_expr", cases)

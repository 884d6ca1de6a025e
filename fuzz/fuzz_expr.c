/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions from strangers: the first byte picks the language (F: FEEL, J: JUEL, else detected),
 * the rest is the text. What compiles is evaluated over a small scope with a small budget; a second
 * evaluation must give the same. */
#include <stdlib.h>
#include <stepfast/expr.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds)
{
    if (!holds) {
        abort();
    }
}

static const stf_value *lookup(void *user, stf_str name)
{
    return stf_value_peek((const stf_value *)user, name);
}

static void evaluate_twice(const stf_expr *expr, stf_value *variables)
{
    stf_expr_scope scope = {.struct_size = sizeof(scope),
                            .abi = STF_EXPR_SCOPE_ABI,
                            .user = variables,
                            .lookup = lookup,
                            .step_budget = 10000};
    stf_error error = STF_ERROR_INIT;
    stf_value *first = NULL;
    stf_value *second = NULL;
    stf_status status = stf_expr_eval(expr, NULL, &scope, &first, &error);
    demand(stf_expr_eval(expr, NULL, &scope, &second, NULL) == status);
    demand(status == STF_OK || status == STF_EXPRESSION || status == STF_LIMIT_EXCEEDED);
    demand((status == STF_OK) == (first != NULL));
    demand(status == STF_OK || error.message[0] != '\0');
    demand(stf_value_equal(first, second));
    stf_value_unref(first);
    stf_value_unref(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static stf_value *variables;
    if (variables == NULL) {
        static const char json[] =
            "{\"x\": 5, \"y\": \"10\", \"b\": true, \"n\": null, \"s\": \"a\","
            " \"l\": [1, 2, {\"k\": 3}], \"c\": {\"k\": {\"k\": [4]}}}";
        demand(stf_value_parse_json(NULL, stf_str_of(json), &variables, NULL) == STF_OK);
    }
    if (size == 0) {
        return 0;
    }
    stf_expr_language language = data[0] == 'F'   ? STF_EXPR_FEEL
                                 : data[0] == 'J' ? STF_EXPR_JUEL
                                                  : STF_EXPR_DETECT;
    stf_str text = {(const char *)data + 1, size - 1};
    stf_error error = STF_ERROR_INIT;
    stf_expr *expr = NULL;
    stf_status status = stf_expr_compile(NULL, text, language, &expr, &error);
    demand(status == STF_OK || status == STF_EXPRESSION || status == STF_LIMIT_EXCEEDED);
    demand((status == STF_OK) == (expr != NULL));
    if (expr != NULL) {
        evaluate_twice(expr, variables);
        stf_expr_unref(expr);
    } else {
        demand(error.message[0] != '\0');
    }
    return 0;
}

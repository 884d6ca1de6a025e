/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions inside a step: variables come from the activation's scope outwards, steps are
 * bounded, and a failure is an incident that names the expression, the element and the line. */
#include "core/step.h"

typedef struct variable_source {
    const stf__doc *doc;
    uint64_t scope;
} variable_source;

static const stf_value *lookup(void *user, stf_str name)
{
    const variable_source *source = user;
    return stf__doc_peek_variable(source->doc, source->scope, name);
}

static stf_expr_scope make_scope(const stf__step *step, variable_source *source)
{
    return (stf_expr_scope){.struct_size = sizeof(stf_expr_scope),
                            .abi = STF_EXPR_SCOPE_ABI,
                            .user = source,
                            .lookup = lookup,
                            .step_budget = step->expr_steps};
}

static stf_status open_expression_incident(stf__step *step, const stf__activation *activation,
                                           const stf_expr *expr, const stf__expr_site *site,
                                           stf__incident_kind kind, const char *why)
{
    stf_str text = stf_expr_peek_text(expr);
    return stf__step_open_incident_of(step, activation, kind, site->line,
                                      "%s \"%.*s\" (line %u), %.*s: %s", site->what,
                                      STF_STR_ARG(site->id), site->line, STF_STR_ARG(text), why);
}

/* A failed evaluation: out of memory stays that, everything else is the model's trouble. */
static stf_status tell_failure(stf__step *step, const stf__activation *activation,
                               const stf_expr *expr, const stf__expr_site *site,
                               stf__incident_kind kind, stf_status status, const stf_error *why)
{
    if (status == STF_NO_MEMORY) {
        return stf__doc_no_memory(step->error);
    }
    return open_expression_incident(step, activation, expr, site, kind, why->message);
}

stf_status stf__step_eval_condition(stf__step *step, const stf__activation *activation,
                                    const stf_expr *expr, const stf__expr_site *site,
                                    bool *ret_is_ok, bool *ret_is_true)
{
    variable_source source = {.doc = step->doc, .scope = activation->scope};
    stf_expr_scope scope = make_scope(step, &source);
    stf_error why = STF_ERROR_INIT;
    stf_status status = stf_expr_eval_condition(expr, step->doc->alloc, &scope, ret_is_true, &why);
    *ret_is_ok = status == STF_OK;
    return status == STF_OK
               ? STF_OK
               : tell_failure(step, activation, expr, site, STF__INCIDENT_EXPRESSION, status, &why);
}

stf_status stf__step_eval(stf__step *step, const stf__activation *activation, const stf_expr *expr,
                          const stf__expr_site *site, stf__incident_kind kind, bool *ret_is_ok,
                          stf_value **ret_value)
{
    variable_source source = {.doc = step->doc, .scope = activation->scope};
    stf_expr_scope scope = make_scope(step, &source);
    stf_error why = STF_ERROR_INIT;
    stf_status status = stf_expr_eval(expr, step->doc->alloc, &scope, ret_value, &why);
    *ret_is_ok = status == STF_OK;
    return status == STF_OK ? STF_OK
                            : tell_failure(step, activation, expr, site, kind, status, &why);
}

stf_status stf__step_eval_text(stf__step *step, const stf__activation *activation,
                               const stf_expr *expr, const stf__expr_site *site,
                               stf__incident_kind kind, bool *ret_is_ok, stf_value **ret_text)
{
    stf_value *text = NULL;
    bool is_ok = false;
    stf_status status = stf__step_eval(step, activation, expr, site, kind, &is_ok, &text);
    *ret_is_ok = false;
    if (status != STF_OK || !is_ok) {
        return status;
    }
    if (stf_value_get_kind(text) != STF_VALUE_STRING || stf_value_peek_string(text).size == 0) {
        bool is_null = stf_value_get_kind(text) == STF_VALUE_NULL;
        stf_value_unref(text);
        return open_expression_incident(step, activation, expr, site, kind,
                                        is_null ? "the result is null, not a text"
                                                : "the result is not a text, or an empty one");
    }
    *ret_is_ok = true;
    *ret_text = text;
    return STF_OK;
}

stf_status stf__step_eval_key(stf__step *step, const stf__activation *activation,
                              const stf_expr *expr, const stf__expr_site *site, bool *ret_is_ok,
                              stf_str *ret_key)
{
    stf_value *value = NULL;
    char digits[STF_DECIMAL_TEXT_BYTES];
    stf_decimal number;
    bool is_ok = false;
    stf_status status =
        stf__step_eval(step, activation, expr, site, STF__INCIDENT_EXPRESSION, &is_ok, &value);
    *ret_is_ok = false;
    if (status != STF_OK || !is_ok) {
        return status;
    }
    stf_str text = stf_value_peek_string(value);
    if (stf_value_get_number(value, &number)) {
        stf_decimal_format(number, digits);
        text = stf_str_of(digits);
    }
    if (text.size == 0 || text.size > STF_LIMIT_ID_BYTES) {
        status = open_expression_incident(step, activation, expr, site, STF__INCIDENT_EXPRESSION,
                                          "the result is not a number or a text of 1 to 255 bytes");
    } else {
        *ret_is_ok = true;
        if (stf__arena_copy_str(step->effects->arena, text, ret_key) != STF_OK) {
            status = stf__doc_no_memory(step->error);
        }
    }
    stf_value_unref(value);
    return status;
}

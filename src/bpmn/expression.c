/* SPDX-License-Identifier: Apache-2.0 */
/* Which language a text is written in, and compiling it with a message that names text, element and
 * line.
 *
 * An expression's own language attribute decides. The file's expressionLanguage is a default that
 * most tools write without meaning it (XPath is the schema's), so a text that says by its form what
 * it is ("${...}", "=...") is believed before it. */
#include "base/mem.h"
#include "bpmn/ascii.h"
#include "bpmn/build.h"

typedef enum meaning {
    LANGUAGE_UNKNOWN,
    LANGUAGE_NONE, /* says nothing: no name, or the schema's default, which few tools mean */
    LANGUAGE_FEEL,
    LANGUAGE_JUEL
} meaning;

/* Parts of the names and URIs in use, compared without case. */
static const struct {
    const char *part;
    meaning means;
} languages[] = {
    {"feel", LANGUAGE_FEEL}, {"juel", LANGUAGE_JUEL},  {"uel", LANGUAGE_JUEL},
    {"/jsp", LANGUAGE_JUEL}, {"xpath", LANGUAGE_NONE}, {"xhtml", LANGUAGE_NONE},
};

static meaning find_language(stf_str name)
{
    if (name.size == 0) {
        return LANGUAGE_NONE;
    }
    for (size_t i = 0; i < STF_COUNT_OF(languages); i++) {
        if (stf__ascii_contains(name, stf_str_of(languages[i].part))) {
            return languages[i].means;
        }
    }
    return LANGUAGE_UNKNOWN;
}

bool stf__expression_is(stf_str text)
{
    return (text.size != 0 && text.data[0] == '=') || stf__ascii_contains(text, STF_STR("${")) ||
           stf__ascii_contains(text, STF_STR("#{"));
}

/* False: not supported; reported. */
static bool decide_language(stf__builder *builder, stf__place place, const char *what, stf_str text,
                            stf_str name, stf_expr_language *ret_language)
{
    bool is_told_by_text = stf__expression_is(text);
    bool is_own = name.size != 0;
    stf_str decisive = is_own ? name : builder->draft->expression_language;
    meaning found = find_language(decisive);
    if (found == LANGUAGE_UNKNOWN ? is_own || !is_told_by_text
                                  : found == LANGUAGE_NONE && is_own && !is_told_by_text) {
        stf__draft_report(builder->draft, builder->from,
                          found == LANGUAGE_NONE ? STF__FAULT_UNSUPPORTED : STF__FAULT_WRONG,
                          "expression.language", place,
                          "the %s is in the language \"%.*s\", which is not supported", what,
                          STF__CUT(decisive));
        return false;
    }
    *ret_language = STF_EXPR_DETECT;
    if (found == LANGUAGE_FEEL && (is_own || !is_told_by_text) && text.data[0] != '=') {
        *ret_language = STF_EXPR_FEEL;
    } else if (found == LANGUAGE_JUEL && (is_own || !is_told_by_text)) {
        *ret_language = STF_EXPR_JUEL;
    }
    return true;
}

/* A text that would be right in a later version, or in the XPath that the file declares, is legal
 * BPMN. The expression room says so in its message, not in its status. */
static stf__fault find_fault(const stf__builder *builder, stf_str text, stf_str name,
                             const stf_error *error)
{
    stf_str declared = name.size != 0 ? name : builder->draft->expression_language;
    bool may_be_xpath =
        declared.size != 0 && find_language(declared) == LANGUAGE_NONE && !stf__expression_is(text);
    bool is_for_later =
        stf__ascii_contains(stf_str_of(error->message), STF_STR("not supported yet"));
    return may_be_xpath || is_for_later ? STF__FAULT_UNSUPPORTED : STF__FAULT_WRONG;
}

static stf_expr *give_to_model(stf__builder *builder, stf_expr *expr)
{
    if (stf__model_take_expr(builder->model, expr) != STF_OK) {
        builder->draft->is_out_of_memory = true;
        return NULL;
    }
    return expr;
}

static stf_expr *compile_as_language(stf__builder *builder, stf__place place, const char *what,
                                     stf_str text, stf_str declared, stf_expr_language language)
{
    stf_expr *expr = NULL;
    stf_error error = STF_ERROR_INIT;
    stf_status status = stf_expr_compile(builder->alloc, text, language, &expr, &error);
    if (status == STF_OK) {
        return give_to_model(builder, expr);
    }
    if (status == STF_NO_MEMORY) {
        builder->draft->is_out_of_memory = true;
        return NULL;
    }
    stf__draft_report(builder->draft, builder->from, find_fault(builder, text, declared, &error),
                      "expression.syntax", place,
                      "the %s \"%.*s\" of \"%.*s\" at line %u does not compile: %s", what,
                      STF__CUT(text), STF__CUT(place.element), (unsigned)place.line, error.message);
    return NULL;
}

stf_expr *stf__expression_compile(stf__builder *builder, stf__place place, const char *what,
                                  stf_str text, stf_str language)
{
    if (text.size == 0) {
        stf__draft_report(builder->draft, builder->from, STF__FAULT_MISSING, "expression.empty",
                          place, "the %s is empty", what);
        return NULL;
    }
    stf_expr_language compile_as = STF_EXPR_DETECT;
    if (!decide_language(builder, place, what, text, language, &compile_as)) {
        return NULL;
    }
    return compile_as_language(builder, place, what, text, language, compile_as);
}

/* Letters of any script, digits and underscores. */
static bool is_plain_name(stf_str text)
{
    for (size_t i = 0; i < text.size; i++) {
        char byte = text.data[i];
        bool is_digit = byte >= '0' && byte <= '9';
        if (!(byte >= 'a' && byte <= 'z') && !(byte >= 'A' && byte <= 'Z') && byte != '_' &&
            ((uint8_t)byte & 0x80u) == 0 && !is_digit) {
            return false;
        }
    }
    return text.size != 0;
}

stf_expr *stf__expression_of_variable(stf__builder *builder, stf__place place, stf_str name)
{
    stf_expr *expr = NULL;
    stf_status status = is_plain_name(name)
                            ? stf_expr_compile(builder->alloc, name, STF_EXPR_FEEL, &expr, NULL)
                            : STF_EXPRESSION;
    /* "true" compiles, and names no variable. */
    if (status == STF_OK && !stf_expr_is_constant(expr)) {
        return give_to_model(builder, expr);
    }
    stf_expr_unref(expr);
    if (status == STF_NO_MEMORY) {
        builder->draft->is_out_of_memory = true;
        return NULL;
    }
    stf__draft_report(builder->draft, builder->from, STF__FAULT_WRONG, "mapping.source-name", place,
                      "\"%.*s\" is no name of a variable that can be read: use letters, digits "
                      "and \"_\"",
                      STF__CUT(name));
    return NULL;
}

stf_expr *stf__expression_of_text(stf__builder *builder, stf__place place, const char *what,
                                  stf_str text)
{
    return compile_as_language(builder, place, what, text, (stf_str){NULL, 0}, STF_EXPR_JUEL);
}

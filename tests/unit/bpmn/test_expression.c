/* SPDX-License-Identifier: Apache-2.0 */
/* Languages of expressions, and messages about those that do not compile. */
#include "base/mem.h"
#include "unit/bpmn/support.h"

/* A gateway with a condition; head: attributes of definitions. */
static void load_condition(fixture *file, const char *head, bool is_executable,
                           const char *attributes, const char *text)
{
    char xml[2000];
    (void)snprintf(xml, sizeof(xml),
                   "<definitions " BPMN_NS " %s><process id='p'%s><startEvent id='s'/>"
                   "<exclusiveGateway id='g' default='d'/><task id='t'/>"
                   "<sequenceFlow id='a' sourceRef='s' targetRef='g'/>"
                   "<sequenceFlow id='d' sourceRef='g' targetRef='t'/>"
                   "<sequenceFlow id='f' sourceRef='g' targetRef='t'>\n"
                   "<conditionExpression%s>%s</conditionExpression></sequenceFlow>"
                   "</process></definitions>",
                   head, is_executable ? " isExecutable='true'" : "", attributes, text);
    fixture_load(file, xml);
}

#define XPATH "http://www.w3.org/1999/XPath"
#define FEEL "https://www.omg.org/spec/DMN/20191111/FEEL/"

static const struct {
    const char *head;
    const char *attributes;
    const char *text;
} good[] = {
    {"", "", "a > 1"},
    {"", "", "= a > 1"},
    {"", "", "${a > 1 &amp;&amp; b}"},
    {"", "", "#{a}"},
    {"", " language='FEEL'", "a = \"x\""},
    {"", " language='" FEEL "'", "=a > 1"},
    {"", " language='juel'", "${!a}"},
    {"", " language='" XPATH "'", "${a}"}, /* the schema's default, and JUEL by its form */
    {"expressionLanguage='" XPATH "'", "", "a > 1"},
    {"expressionLanguage='" FEEL "'", "", "a > 1"},
    {"expressionLanguage='" FEEL "'", "", "${a}"},
    {"expressionLanguage='http://groovy.codehaus.org/'", "", "${a}"},
};

STF_TEST(languages_in_use_are_recognised)
{
    for (size_t i = 0; i < STF_COUNT_OF(good); i++) {
        fixture file;
        load_condition(&file, good[i].head, true, good[i].attributes, good[i].text);
        fixture_expect_silence(&file);
        ck_assert_ptr_nonnull(fixture_flow(&file, "f")->condition);
        fixture_done(&file);
    }
}

static const struct {
    const char *head;
    const char *attributes;
    const char *text;
    stf_severity severity;
    const char *rule;
    const char *says;
} bad[] = {
    {"", " language='groovy'", "a == 1", STF_SEVERITY_ERROR, "expression.language",
     "the condition is in the language \"groovy\", which is not supported"},
    {"", " language='groovy'", "${a}", STF_SEVERITY_ERROR, "expression.language", "groovy"},
    {"", " language='javascript'", "a", STF_SEVERITY_ERROR, "expression.language", "javascript"},
    {"expressionLanguage='http://groovy.codehaus.org/'", "", "a", STF_SEVERITY_ERROR,
     "expression.language", "groovy"},
    {"", " language='" XPATH "'", "a", STF_SEVERITY_UNSUPPORTED, "expression.language", "XPath"},
    {"expressionLanguage='" XPATH "'", "", "bpmn:getDataObject('a')", STF_SEVERITY_UNSUPPORTED,
     "expression.syntax", "does not compile"},
    {"", "", "a >", STF_SEVERITY_ERROR, "expression.syntax",
     "the condition \"a >\" of \"f\" at line 2 does not compile: column "},
    {"", "", "${a &gt;}", STF_SEVERITY_ERROR, "expression.syntax", "${a >}"},
    {"", "", "= some x in list satisfies x = 1", STF_SEVERITY_UNSUPPORTED, "expression.syntax",
     "not supported yet"},
    {"", "", " ", STF_SEVERITY_ERROR, "expression.empty", "the condition is empty"},
};

STF_TEST(what_cannot_be_compiled_names_text_element_and_line)
{
    for (size_t i = 0; i < STF_COUNT_OF(bad); i++) {
        fixture file;
        load_condition(&file, bad[i].head, true, bad[i].attributes, bad[i].text);
        const char *message = fixture_expect(&file, bad[i].severity, 2, "f", bad[i].rule);
        ck_assert_msg(strstr(message, bad[i].says) != NULL, "%s", message);
        ck_assert_uint_eq(stf_diagnostics_count(file.list), 1);
        fixture_done(&file);
    }
}

STF_TEST(in_a_drawing_it_is_a_warning_and_the_process_is_not_runnable)
{
    for (size_t i = 0; i < STF_COUNT_OF(bad); i++) {
        fixture file;
        load_condition(&file, bad[i].head, false, bad[i].attributes, bad[i].text);
        fixture_expect(
            &file, bad[i].severity == STF_SEVERITY_ERROR ? STF_SEVERITY_WARNING : bad[i].severity,
            2, "f", bad[i].rule);
        ck_assert_uint_eq(fixture_process(&file, "p")->flags, 0);
        fixture_done(&file);
    }
}

static const stf_test_case cases[] = {
    STF_CASE(languages_in_use_are_recognised),
    STF_CASE(what_cannot_be_compiled_names_text_element_and_line),
    STF_CASE(in_a_drawing_it_is_a_warning_and_the_process_is_not_runnable),
};

STF_TEST_MAIN("bpmn/expression", cases)

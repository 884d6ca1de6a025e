/* SPDX-License-Identifier: Apache-2.0 */
/* Which process a call activity calls. */
#include "base/mem.h"
#include "unit/bpmn/support.h"

#define CALL(attributes, content)                                                                  \
    "<startEvent id='s'/><sequenceFlow id='f' sourceRef='s' targetRef='c'/>\n"                     \
    "<callActivity id='c' " attributes "><extensionElements>" content                              \
    "</extensionElements></callActivity>"

STF_TEST(the_called_process_comes_into_the_model)
{
    static const struct {
        const char *body;
        const char *process; /* NULL: an expression */
        int64_t version;
    } rows[] = {
        {CALL("calledElement=' other '", ""), "other", 0},
        {CALL("calledElement='x:p'", ""), "p", 0},
        {CALL("calledElement='x:q'", ""), "x:q", 0},
        {CALL("calledElement='c'", ""), "c", 0},
        {CALL("calledElement='${which}'", ""), NULL, 0},
        {CALL("calledElement='=which'", ""), NULL, 0},
        {CALL("", "<zeebe:calledElement processId='other'/>"), "other", 0},
        {CALL("", "<zeebe:calledElement processId='=which'/>"), NULL, 0},
        {CALL("calledElement='a'", "<zeebe:calledElement processId='b'/>"), "a", 0},
        {CALL("calledElement='a' camunda:calledElementBinding='latest'", ""), "a", 0},
        {CALL("calledElement='a' camunda:calledElementBinding='version' "
              "camunda:calledElementVersion=' 12 '",
              ""),
         "a", 12},
    };
    for (size_t i = 0; i < STF_COUNT_OF(rows); i++) {
        fixture file;
        fixture_load_body(&file, rows[i].body);
        fixture_expect_silence(&file);
        const stf__call *call = fixture_node(&file, "c")->call;
        ck_assert_ptr_nonnull(call);
        STF_CHECK_STR(call->process, rows[i].process != NULL ? rows[i].process : "");
        ck_assert((call->process_expr != NULL) == (rows[i].process == NULL));
        ck_assert_int_eq(call->version, rows[i].version);
        fixture_done(&file);
    }
}

#define VERSION(text)                                                                              \
    CALL("calledElement='a' camunda:calledElementBinding='version' "                               \
         "camunda:calledElementVersion='" text "'",                                                \
         "")

static const rule_row rows[] = {
    {CALL("", ""), STF_SEVERITY_ERROR, 4, "c", "call.no-process", "names no process"},
    {CALL("calledElement=' '", "<zeebe:calledElement processId=''/>"), STF_SEVERITY_ERROR, 4, "c",
     "call.no-process", "names no process"},
    {CALL("calledElement='=1 +'", ""), STF_SEVERITY_ERROR, 4, "c", "expression.syntax",
     "the called process \"=1 +\""},
    {CALL("calledElement='a' camunda:calledElementBinding='deployment'", ""), STF_SEVERITY_WARNING,
     4, "c", "call.binding-latest", "the latest version"},
    {CALL("", "<zeebe:calledElement processId='a' bindingType='deployment'/>"),
     STF_SEVERITY_WARNING, 4, "c", "call.binding-latest", "the latest version"},
    {CALL("calledElement='a' camunda:calledElementBinding='versionTag'", ""),
     STF_SEVERITY_UNSUPPORTED, 4, "c", "unsupported", "the binding \"versionTag\""},
    {CALL("calledElement='a' camunda:variableMappingClass='X'", ""), STF_SEVERITY_UNSUPPORTED, 4,
     "c", "unsupported", "mapped by a class"},
    {CALL("calledElement='a' camunda:variableMappingDelegateExpression='${x}'", ""),
     STF_SEVERITY_UNSUPPORTED, 4, "c", "unsupported", "mapped by a class"},
    {VERSION("${v}"), STF_SEVERITY_UNSUPPORTED, 4, "c", "unsupported", "calledElementVersion"},
    {VERSION(""), STF_SEVERITY_ERROR, 4, "c", "call.version-invalid", "a number from 1"},
    {VERSION("0"), STF_SEVERITY_ERROR, 4, "c", "call.version-invalid", "is \"0\""},
    {VERSION("1a"), STF_SEVERITY_ERROR, 4, "c", "call.version-invalid", "is \"1a\""},
    {VERSION("9223372036854775808"), STF_SEVERITY_ERROR, 4, "c", "call.version-invalid",
     "a number"},
};

STF_TEST(calls_that_cannot_be_made_are_told)
{
    fixture_check_rows(rows, STF_COUNT_OF(rows));
    char body[600];
    (void)snprintf(body, sizeof(body), CALL("calledElement='%0256d'", ""), 1);
    fixture file;
    fixture_load_body(&file, body);
    fixture_expect(&file, STF_SEVERITY_ERROR, 4, "c", "call.process-long");
    fixture_done(&file);
}

STF_TEST(a_call_that_is_not_finished_is_no_reason_to_refuse_a_drawing)
{
    fixture file;
    fixture_load_drawing(&file, CALL("", ""));
    fixture_expect(&file, STF_SEVERITY_WARNING, 4, "c", "call.no-process");
    ck_assert_uint_eq(fixture_process(&file, "p")->flags, 0);
    fixture_done(&file);
}

static const stf_test_case cases[] = {
    STF_CASE(the_called_process_comes_into_the_model),
    STF_CASE(calls_that_cannot_be_made_are_told),
    STF_CASE(a_call_that_is_not_finished_is_no_reason_to_refuse_a_drawing),
};

STF_TEST_MAIN("bpmn/call", cases)

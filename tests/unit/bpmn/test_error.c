/* SPDX-License-Identifier: Apache-2.0 */
/* What error events throw and catch. */
#include "base/mem.h"
#include "unit/bpmn/support.h"

/* Line 2 holds the errors, the content of the process begins in line 4. */
static void load(fixture *file, const char *errors, const char *body)
{
    char xml[3000];
    (void)snprintf(xml, sizeof(xml),
                   BPMN_HEAD "%s\n<process id='p' isExecutable='true'>\n<startEvent id='s'/>"
                             "<userTask id='u'/><sequenceFlow id='f' sourceRef='s' targetRef='u'/>"
                             "<sequenceFlow id='g' sourceRef='u' targetRef='e'/>\n%s</process>"
                             "</definitions>",
                   errors, body);
    fixture_load(file, xml);
}

#define THROW(reference) "<endEvent id='e'><errorEventDefinition " reference "/></endEvent>"
#define CATCH(attributes)                                                                          \
    "<endEvent id='e'/><boundaryEvent id='b' attachedToRef='u'><errorEventDefinition " attributes  \
    "/></boundaryEvent>"

STF_TEST(an_error_event_has_the_code_of_its_error)
{
    static const struct {
        const char *errors;
        const char *body;
        const char *node;
        const char *code;
    } rows[] = {
        {"<error id='x' errorCode=' 123 '/>", THROW("errorRef='x'"), "e", "123"},
        {"<error id='x' errorCode='123'/>", CATCH("errorRef='v:x'"), "b", "123"},
        {"<error id='x' errorCode='123'/>", CATCH(""), "b", ""},
        {"<error id='x'/>", CATCH("errorRef='x'"), "b", ""},
    };
    for (size_t i = 0; i < STF_COUNT_OF(rows); i++) {
        fixture file;
        load(&file, rows[i].errors, rows[i].body);
        fixture_expect_silence(&file);
        const stf__error_ref *error = fixture_node(&file, rows[i].node)->error;
        ck_assert_ptr_nonnull(error);
        STF_CHECK_STR(error->code, rows[i].code);
        STF_CHECK_STR(error->code_variable, "");
        STF_CHECK_STR(error->message_variable, "");
        fixture_done(&file);
    }
}

STF_TEST(the_variables_of_a_caught_error_are_read)
{
    static const char *const bodies[] = {
        CATCH("camunda:errorCodeVariable='c' camunda:errorMessageVariable=' m '"),
        CATCH("stepfast:errorCodeVariable='c' camunda:errorCodeVariable='other' "
              "stepfast:errorMessageVariable='m'"),
    };
    for (size_t i = 0; i < STF_COUNT_OF(bodies); i++) {
        fixture file;
        load(&file, "", bodies[i]);
        fixture_expect_silence(&file);
        STF_CHECK_STR(fixture_node(&file, "b")->error->code_variable, "c");
        STF_CHECK_STR(fixture_node(&file, "b")->error->message_variable, "m");
        fixture_done(&file);
    }
}

STF_TEST(an_error_boundary_event_always_interrupts)
{
    fixture file;
    load(&file, "",
         "<endEvent id='e'/>\n<boundaryEvent id='b' attachedToRef='u' cancelActivity='false'>"
         "<errorEventDefinition/></boundaryEvent>");
    fixture_expect(&file, STF_SEVERITY_WARNING, 6, "b", "boundary.error-interrupts");
    ck_assert(fixture_node(&file, "b")->is_interrupting);
    fixture_done(&file);
}

static const struct {
    const char *errors;
    const char *body;
    stf_severity severity;
    const char *element;
    const char *rule;
    const char *says;
} wrong[] = {
    {"", THROW("errorRef='x'"), STF_SEVERITY_ERROR, "e", "event.error-unknown",
     "errorRef \"x\" names no error in this file"},
    {"<message id='x' name='M'/>", THROW("errorRef='x'"), STF_SEVERITY_ERROR, "e",
     "event.error-unknown", "names no error"},
    {"", CATCH("errorRef='x'"), STF_SEVERITY_ERROR, "b", "event.error-unknown", "names no error"},
    {"", THROW(""), STF_SEVERITY_ERROR, "e", "event.error-missing", "names no error (errorRef)"},
    {"<error id='x'/>", THROW("errorRef='x'"), STF_SEVERITY_ERROR, "e", "event.error-missing",
     "has no errorCode"},
    {"<error id='x' errorCode='=code'/>", THROW("errorRef='x'"), STF_SEVERITY_UNSUPPORTED, "e",
     "unsupported", "an error code that is an expression"},
    {"", THROW("") "<transaction id='later'/>", STF_SEVERITY_WARNING, "e", "event.error-missing",
     "names no error"},
};

STF_TEST(errors_that_cannot_be_used_are_told)
{
    for (size_t i = 0; i < STF_COUNT_OF(wrong); i++) {
        fixture file;
        load(&file, wrong[i].errors, wrong[i].body);
        const char *message =
            fixture_expect(&file, wrong[i].severity, 5, wrong[i].element, wrong[i].rule);
        ck_assert_msg(strstr(message, wrong[i].says) != NULL, "%s", message);
        ck_assert_uint_eq(stf_diagnostics_count_of(file.list, STF_SEVERITY_ERROR),
                          wrong[i].severity == STF_SEVERITY_ERROR);
        fixture_done(&file);
    }
}

STF_TEST(in_a_drawing_the_reference_stands_for_the_code)
{
    fixture file;
    fixture_load_drawing(&file, "<startEvent id='s'/><sequenceFlow id='f' sourceRef='s' "
                                "targetRef='e'/>\n" THROW("errorRef='x'"));
    fixture_expect(&file, STF_SEVERITY_WARNING, 4, "e", "event.error-unknown");
    STF_CHECK_STR(fixture_node(&file, "e")->error->code, "x");
    ck_assert_uint_eq(fixture_process(&file, "p")->flags, 0);
    fixture_done(&file);
}

static const stf_test_case cases[] = {
    STF_CASE(an_error_event_has_the_code_of_its_error),
    STF_CASE(the_variables_of_a_caught_error_are_read),
    STF_CASE(an_error_boundary_event_always_interrupts),
    STF_CASE(errors_that_cannot_be_used_are_told),
    STF_CASE(in_a_drawing_the_reference_stands_for_the_code),
};

STF_TEST_MAIN("bpmn/error", cases)

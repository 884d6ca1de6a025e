/* SPDX-License-Identifier: Apache-2.0 */
/* The kind of each node, for every row of element.def. */
#include "base/mem.h"
#include "unit/bpmn/support.h"

static void write_definitions(char *text, size_t size, const char *event)
{
    text[0] = '\0';
    if (strcmp(event, "*") == 0) {
        (void)snprintf(text, size, "<signalEventDefinition/><messageEventDefinition/>");
    } else if (strcmp(event, "timerEventDefinition") == 0) {
        (void)snprintf(text, size,
                       "<timerEventDefinition><timeDuration>PT1M</timeDuration>"
                       "</timerEventDefinition>");
    } else if (strcmp(event, "messageEventDefinition") == 0) {
        (void)snprintf(text, size, "<messageEventDefinition messageRef='m'/>");
    } else if (strcmp(event, "errorEventDefinition") == 0) {
        (void)snprintf(text, size, "<errorEventDefinition errorRef='err'/>");
    } else if (strstr(event, "EventDefinition") != NULL) {
        (void)snprintf(text, size, "<%s/>", event);
    }
}

STF_TEST(every_row_of_the_table_is_recognised_and_unsupported_ones_are_said)
{
    for (uint32_t kind = 0; kind < STF__ELEMENT_COUNT; kind++) {
        const stf__element_info *info = stf__element_get_info((stf__element_kind)kind);
        char definitions[200];
        char xml[2000];
        write_definitions(definitions, sizeof(definitions), info->event);
        (void)snprintf(
            xml, sizeof(xml),
            BPMN_HEAD "<message id='m' name='M'/><error id='err' errorCode='E'/>"
                      "<process id='p' isExecutable='true'>\n"
                      "<startEvent id='s'/><userTask id='u'/>\n<%s id='x'%s%s%s>%s</%s>"
                      "</process></definitions>",
            info->xml,
            strcmp(info->event, "triggeredByEvent") == 0 ? " triggeredByEvent='true'" : "",
            (info->traits & STF__TRAIT_BOUNDARY) != 0 ? " attachedToRef='u'" : "",
            kind == STF__CALL_ACTIVITY ? " calledElement='q'" : "", definitions, info->xml);
        fixture file;
        fixture_load(&file, xml);
        ck_assert_uint_eq(fixture_node(&file, "x")->kind, kind);
        ck_assert_uint_eq(fixture_count(&file, "unsupported"), info->is_supported ? 0 : 1);
        if (!info->is_supported) {
            char says[200];
            (void)snprintf(says, sizeof(says), "not supported yet: %s at line 4", info->label);
            ck_assert_str_eq(fixture_expect(&file, STF_SEVERITY_UNSUPPORTED, 4, "x", "unsupported"),
                             says);
        }
        uint32_t flags = fixture_process(&file, "p")->flags;
        ck_assert(((flags & STF_PROCESS_RUNNABLE) != 0) == info->is_supported);
        fixture_done(&file);
    }
}

static const rule_row rows[] = {
    {"<startEvent id='s'/>\n<endEvent id='e'><timerEventDefinition><timeDuration>PT1M"
     "</timeDuration></timerEventDefinition></endEvent>",
     STF_SEVERITY_ERROR, 4, "e", "event.not-allowed", "endEvent may not have timerEventDefinition"},
    {"<startEvent id='s'><linkEventDefinition/></startEvent>", STF_SEVERITY_ERROR, 3, "s",
     "event.not-allowed", "startEvent may not have linkEventDefinition"},
    {"<startEvent id='s'/>\n<userTask id='t'><signalEventDefinition/></userTask>",
     STF_SEVERITY_ERROR, 4, "t", "event.not-allowed", "userTask may not have"},
    {"<startEvent id='s'/>\n<userTask id='t' triggeredByEvent='true'/>", STF_SEVERITY_ERROR, 4, "t",
     "event.not-allowed", "userTask may not have triggeredByEvent"},
    {"<startEvent id='s'/><endEvent id='e'>\n<eventDefinitionRef>x</eventDefinitionRef></endEvent>",
     STF_SEVERITY_ERROR, 4, "e", "event.definition-unknown", "\"x\" names no event definition"},
    {"<startEvent id='s'/><endEvent id='e'>\n<errorEventDefinition errorRef='x'/></endEvent>",
     STF_SEVERITY_ERROR, 4, "e", "event.error-unknown",
     "errorRef \"x\" names no error in this file"},
    {"<startEvent id='s'/><userTask id='t'><multiInstanceLoopCharacteristics>\n"
     "<loopDataInputRef>list</loopDataInputRef></multiInstanceLoopCharacteristics></userTask>",
     STF_SEVERITY_WARNING, 4, "t", "loop.input-unknown", "\"list\" names no data input"},
};

STF_TEST(what_an_event_may_not_have_or_does_not_find_is_told)
{
    fixture_check_rows(rows, STF_COUNT_OF(rows));
}

STF_TEST(definitions_of_the_file_are_found_by_reference)
{
    fixture file;
    fixture_load(&file, BPMN_HEAD
                 "<terminateEventDefinition id='stop'/><timerEventDefinition id='soon'>"
                 "<timeDuration>PT5M</timeDuration></timerEventDefinition>"
                 "<process id='p' isExecutable='true'><startEvent id='s'/>"
                 "<intermediateCatchEvent id='c'><eventDefinitionRef> soon </eventDefinitionRef>"
                 "</intermediateCatchEvent><endEvent id='e'>"
                 "<eventDefinitionRef>v:stop</eventDefinitionRef></endEvent>"
                 "<sequenceFlow id='f' sourceRef='s' targetRef='c'/>"
                 "<sequenceFlow id='g' sourceRef='c' targetRef='e'/></process></definitions>");
    fixture_expect_silence(&file);
    ck_assert_uint_eq(fixture_node(&file, "e")->kind, STF__END_TERMINATE);
    ck_assert_uint_eq(fixture_node(&file, "c")->kind, STF__CATCH_TIMER);
    STF_CHECK_STR(fixture_node(&file, "c")->timer_text, "PT5M");
    fixture_done(&file);
}

STF_TEST(an_own_definition_and_a_named_one_make_it_multiple)
{
    fixture file;
    fixture_load(&file, BPMN_HEAD "<signalEventDefinition id='d'/><process id='p'>"
                                  "<startEvent id='s'><messageEventDefinition/>"
                                  "<eventDefinitionRef>d</eventDefinitionRef></startEvent>"
                                  "</process></definitions>");
    ck_assert_uint_eq(fixture_node(&file, "s")->kind, STF__START_MULTIPLE);
    fixture_done(&file);
}

STF_TEST(a_declared_error_is_found)
{
    fixture file;
    fixture_load(&file, BPMN_HEAD "<error id='err' errorCode='E'/><process id='p'"
                                  " isExecutable='true'><startEvent id='s'/><endEvent id='e'>"
                                  "<errorEventDefinition errorRef='err'/></endEvent>"
                                  "</process></definitions>");
    ck_assert_uint_eq(fixture_count(&file, "event.error-unknown"), 0);
    fixture_done(&file);
}

static const stf_test_case cases[] = {
    STF_CASE(every_row_of_the_table_is_recognised_and_unsupported_ones_are_said),
    STF_CASE(what_an_event_may_not_have_or_does_not_find_is_told),
    STF_CASE(definitions_of_the_file_are_found_by_reference),
    STF_CASE(an_own_definition_and_a_named_one_make_it_multiple),
    STF_CASE(a_declared_error_is_found),
};

STF_TEST_MAIN("bpmn/event", cases)

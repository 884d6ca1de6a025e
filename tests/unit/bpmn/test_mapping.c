/* SPDX-License-Identifier: Apache-2.0 */
/* Variables that cross the border of a call or travel with a message. */
#include "base/mem.h"
#include "unit/bpmn/support.h"

#define CALL(content)                                                                              \
    "<startEvent id='s'/><sequenceFlow id='f' sourceRef='s' targetRef='x'/>\n"                     \
    "<callActivity id='x' calledElement='q'><extensionElements>" content                           \
    "</extensionElements></callActivity>"

/* "target<source" or "*", one after the other. */
static void describe(const stf__mappings *mappings, char *text, size_t size)
{
    text[0] = '\0';
    for (uint32_t i = 0; i < mappings->count; i++) {
        const stf__mapping *item = &mappings->items[i];
        size_t used = strlen(text);
        ck_assert_uint_ge(item->line, 4);
        ck_assert((item->source == NULL) == item->is_all);
        stf_str source = item->is_all ? STF_STR("*") : stf_expr_peek_text(item->source);
        (void)snprintf(text + used, size - used, "%s%.*s<%.*s", i != 0 ? ", " : "",
                       STF_STR_ARG(item->target), STF_STR_ARG(source));
    }
}

static void check(const stf__node *node, const char *inputs, const char *outputs)
{
    char text[500];
    describe(&node->inputs, text, sizeof(text));
    ck_assert_str_eq(text, inputs);
    describe(&node->outputs, text, sizeof(text));
    ck_assert_str_eq(text, outputs);
}

STF_TEST(what_is_mapped_crosses_the_border_of_a_call)
{
    static const struct {
        const char *body;
        const char *inputs;
        const char *outputs;
    } rows[] = {
        {CALL(""), "", ""},
        {CALL("<camunda:in source='a' target='b'/><camunda:out source='c' target=' d '/>"
              "<camunda:in sourceExpression='${a+5}' target='e'/>"),
         "b<a, e<${a+5}", "d<c"},
        {CALL("<stepfast:in source='a' target='b'/><stepfast:in sourceExpression='=a + 5' "
              "target='e'/><stepfast:out sourceExpression='c * 2' target='d'/>"),
         "b<a, e<=a + 5", "d<c * 2"},
        {CALL("<flowable:in source='a' target='b'/><flowable:out source='c' target='d'/>"), "b<a",
         "d<c"},
        {CALL("<camunda:in variables='all'/><camunda:in source='a' target='b'/>"
              "<camunda:out variables=' all '/>"),
         "<*, b<a", "<*"},
        {CALL("<zeebe:calledElement processId='z'/>"), "<*", "<*"},
        {CALL("<zeebe:calledElement propagateAllParentVariables='false' "
              "propagateAllChildVariables='false'/>"),
         "", ""},
        {CALL("<zeebe:calledElement propagateAllParentVariables='false'/><zeebe:ioMapping>"
              "<zeebe:input source='=a' target='b'/><zeebe:output source='= c.d' target='e'/>"
              "</zeebe:ioMapping>"),
         "b<=a", "e<= c.d"},
        {CALL("<zeebe:ioMapping><v:x/><zeebe:input source='=a' target='b'/></zeebe:ioMapping>"
              "<zeebe:calledElement/>"),
         "<*, b<=a", "<*"},
        {CALL("<zeebe:ioMapping><zeebe:input source='plain text' target='b'/></zeebe:ioMapping>"),
         "b<plain text", ""},
        {CALL("<v:in source='a' target='b'/>"
              "<camunda:inputOutput><camunda:in source='a' target='b'/></camunda:inputOutput>"),
         "", ""},
    };
    for (size_t i = 0; i < STF_COUNT_OF(rows); i++) {
        fixture file;
        fixture_load_body(&file, rows[i].body);
        fixture_expect_silence(&file);
        check(fixture_node(&file, "x"), rows[i].inputs, rows[i].outputs);
        fixture_done(&file);
    }
}

STF_TEST(flowable_calls_may_inherit_all_variables)
{
    fixture file;
    fixture_load_body(&file, "<startEvent id='s'/><sequenceFlow id='f' sourceRef='s' "
                             "targetRef='x'/>\n<callActivity id='x' calledElement='q' "
                             "flowable:inheritVariables='true'/>");
    fixture_expect_silence(&file);
    check(fixture_node(&file, "x"), "<*", "");
    fixture_done(&file);
}

static const stf_value *lookup(void *user, stf_str name)
{
    return stf_str_equal(name, STF_STR("a")) ? user : NULL;
}

static void check_source(const char *body, const char *expected_json)
{
    fixture file;
    fixture_load_body(&file, body);
    stf_value *user = NULL;
    stf_value *value = NULL;
    stf_value *expected = NULL;
    ck_assert_int_eq(stf_value_parse_json(NULL, STF_STR("\"of a\""), &user, NULL), STF_OK);
    ck_assert_int_eq(stf_value_parse_json(NULL, stf_str_of(expected_json), &expected, NULL),
                     STF_OK);
    stf_expr_scope scope = {
        .struct_size = sizeof(scope), .abi = STF_EXPR_SCOPE_ABI, .user = user, .lookup = lookup};
    stf_error error = STF_ERROR_INIT;
    const stf__mapping *mapping = &fixture_node(&file, "x")->inputs.items[0];
    STF_CHECK_OK(stf_expr_eval(mapping->source, NULL, &scope, &value, &error), &error);
    ck_assert_msg(stf_value_equal(value, expected), "%s", body);
    stf_value_unref(value);
    stf_value_unref(user);
    stf_value_unref(expected);
    fixture_done(&file);
}

STF_TEST(a_source_is_a_variable_and_a_plain_text_of_zeebe_is_that_text)
{
    check_source(CALL("<camunda:in source='a' target='b'/>"), "\"of a\"");
    check_source(CALL("<camunda:in source='missing' target='b'/>"), "null");
    check_source(CALL("<zeebe:ioMapping><zeebe:input source='a \"b\" + c' target='b'/>"
                      "</zeebe:ioMapping>"),
                 "\"a \\\"b\\\" + c\"");
    check_source(CALL("<zeebe:ioMapping><zeebe:input source='=a' target='b'/></zeebe:ioMapping>"),
                 "\"of a\"");
}

STF_TEST(sent_messages_take_variables_along)
{
    static const char *const bodies[] = {
        "<sendTask id='x' messageRef='m'><extensionElements><stepfast:in source='a' target='b'/>"
        "</extensionElements></sendTask>",
        "<endEvent id='x'><extensionElements><stepfast:in source='a' target='b'/>"
        "</extensionElements><messageEventDefinition messageRef='m'/></endEvent>",
        "<intermediateThrowEvent id='x'><messageEventDefinition messageRef='m'><extensionElements>"
        "<stepfast:in source='a' target='b'/></extensionElements></messageEventDefinition>"
        "</intermediateThrowEvent>",
    };
    for (size_t i = 0; i < STF_COUNT_OF(bodies); i++) {
        char xml[2000];
        (void)snprintf(xml, sizeof(xml),
                       BPMN_HEAD "<message id='m' name='M'/>\n<process id='p' isExecutable='true'>"
                                 "<startEvent id='s'/>\n<sequenceFlow id='f' sourceRef='s' "
                                 "targetRef='x'/>%s</process></definitions>",
                       bodies[i]);
        fixture file;
        fixture_load(&file, xml);
        fixture_expect_silence(&file);
        check(fixture_node(&file, "x"), "b<a", "");
        fixture_done(&file);
    }
}

#define TASK(kind, content)                                                                        \
    "<startEvent id='s'/><sequenceFlow id='f' sourceRef='s' targetRef='x'/>\n"                     \
    "<" kind " id='x'><extensionElements>" content "</extensionElements></" kind ">"

static const rule_row rows[] = {
    {CALL("\n<camunda:in source='a'/>"), STF_SEVERITY_ERROR, 5, "x", "mapping.incomplete",
     "has no target"},
    {CALL("\n<camunda:out target='a'/>"), STF_SEVERITY_ERROR, 5, "x", "mapping.incomplete",
     "has no source"},
    {CALL("\n<camunda:out variables='some' target='a'/>"), STF_SEVERITY_ERROR, 5, "x",
     "mapping.incomplete", "has no source"},
    {CALL("\n<camunda:in source='a-b' target='c'/>"), STF_SEVERITY_ERROR, 5, "x",
     "mapping.source-name", "\"a-b\" is no name of a variable"},
    {CALL("\n<camunda:in source='true' target='c'/>"), STF_SEVERITY_ERROR, 5, "x",
     "mapping.source-name", "\"true\""},
    {CALL("\n<camunda:in source='if' target='c'/>"), STF_SEVERITY_ERROR, 5, "x",
     "mapping.source-name", "\"if\""},
    {CALL("\n<camunda:in source='1a' target='c'/>"), STF_SEVERITY_ERROR, 5, "x",
     "mapping.source-name", "\"1a\""},
    {CALL("\n<stepfast:in sourceExpression='=1 +' target='c'/>"), STF_SEVERITY_ERROR, 5, "x",
     "expression.syntax", "the source of the mapping"},
    {CALL("\n<zeebe:ioMapping><zeebe:input source='=a' target='b.c'/></zeebe:ioMapping>"),
     STF_SEVERITY_UNSUPPORTED, 5, "x", "unsupported", "a part of a variable"},
    {CALL("\n<camunda:in businessKey='${k}'/>"), STF_SEVERITY_WARNING, 5, "x", "mapping.ignored",
     "\"businessKey\""},
    {CALL("\n<camunda:in source='a' target='b' local='true'/>"), STF_SEVERITY_WARNING, 5, "x",
     "mapping.ignored", "\"local\""},
    {TASK("userTask", "\n<stepfast:in source='a' target='b'/>"), STF_SEVERITY_WARNING, 5, "x",
     "mapping.ignored", "here they are ignored"},
    {TASK("sendTask", "\n<stepfast:in source='a' target='b'/>"), STF_SEVERITY_WARNING, 5, "x",
     "mapping.ignored", "here they are ignored"},
};

STF_TEST(mappings_that_cannot_be_done_are_told_with_their_own_line)
{
    fixture_check_rows(rows, STF_COUNT_OF(rows));
    char body[800];
    (void)snprintf(body, sizeof(body), CALL("<camunda:in source='a' target='%0256d'/>"), 1);
    fixture file;
    fixture_load_body(&file, body);
    fixture_expect(&file, STF_SEVERITY_ERROR, 4, "x", "mapping.target-long");
    fixture_done(&file);
}

STF_TEST(vendors_mappings_elsewhere_are_their_own_affair)
{
    fixture file;
    fixture_load(&file, BPMN_HEAD "<message id='m' name='M'/><process id='p' isExecutable='true'>"
                                  "<startEvent id='s'/><sendTask id='x' messageRef='m'>"
                                  "<extensionElements><camunda:in source='a' target='b'/>"
                                  "<zeebe:ioMapping><zeebe:input source='=a' target='b'/>"
                                  "</zeebe:ioMapping></extensionElements></sendTask>"
                                  "<sequenceFlow id='f' sourceRef='s' targetRef='x'/></process>"
                                  "</definitions>");
    fixture_expect_silence(&file);
    check(fixture_node(&file, "x"), "", "");
    fixture_done(&file);
}

STF_TEST(an_output_of_a_sent_message_is_warned_of_and_its_inputs_stay)
{
    fixture file;
    fixture_load(&file, BPMN_HEAD "<message id='m' name='M'/><process id='p' isExecutable='true'>"
                                  "<startEvent id='s'/>\n\n<sendTask id='x' messageRef='m'>"
                                  "<extensionElements><stepfast:in source='a' target='b'/>"
                                  "<stepfast:out source='a' target='b'/></extensionElements>"
                                  "</sendTask><sequenceFlow id='f' sourceRef='s' targetRef='x'/>"
                                  "</process></definitions>");
    fixture_expect(&file, STF_SEVERITY_WARNING, 4, "x", "mapping.ignored");
    check(fixture_node(&file, "x"), "b<a", "");
    fixture_done(&file);
}

static const stf_test_case cases[] = {
    STF_CASE(what_is_mapped_crosses_the_border_of_a_call),
    STF_CASE(flowable_calls_may_inherit_all_variables),
    STF_CASE(a_source_is_a_variable_and_a_plain_text_of_zeebe_is_that_text),
    STF_CASE(sent_messages_take_variables_along),
    STF_CASE(mappings_that_cannot_be_done_are_told_with_their_own_line),
    STF_CASE(vendors_mappings_elsewhere_are_their_own_affair),
    STF_CASE(an_output_of_a_sent_message_is_warned_of_and_its_inputs_stay),
};

STF_TEST_MAIN("bpmn/mapping", cases)

/* SPDX-License-Identifier: Apache-2.0 */
/* Messages, and what refers to them. */
#include "base/mem.h"
#include "unit/bpmn/support.h"

/* Line 2 holds the messages, the process begins in line 3, its content in line 4. */
static void load(fixture *file, const char *messages, const char *body)
{
    char xml[4000];
    (void)snprintf(xml, sizeof(xml),
                   BPMN_HEAD "%s\n<process id='p' isExecutable='true'>\n"
                             "<startEvent id='s'/>%s</process></definitions>",
                   messages, body);
    fixture_load(file, xml);
}

#define EVENT(kind, definition)                                                                    \
    "<" kind " id='x'><messageEventDefinition " definition "/></" kind ">"                         \
    "<sequenceFlow id='f' sourceRef='s' targetRef='x'/>"
#define TASK(kind, attributes)                                                                     \
    "<" kind " id='x' " attributes "/><sequenceFlow id='f' sourceRef='s' targetRef='x'/>"

#define BOUNDARY                                                                                   \
    "<userTask id='u'/><boundaryEvent id='x' attachedToRef='u'>"                                   \
    "<messageEventDefinition messageRef='m'/></boundaryEvent>"                                     \
    "<sequenceFlow id='f' sourceRef='s' targetRef='u'/>"

STF_TEST(what_refers_to_a_message_has_its_name)
{
    static const char *const bodies[] = {
        EVENT("intermediateCatchEvent", "messageRef='m'"),
        EVENT("intermediateThrowEvent", "messageRef='m'"),
        EVENT("endEvent", "messageRef='v:m'"),
        TASK("receiveTask", "messageRef='m'"),
        TASK("sendTask", "messageRef=' m '"),
        BOUNDARY,
    };
    for (size_t i = 0; i < STF_COUNT_OF(bodies); i++) {
        fixture file;
        load(&file, "<message id='m' name=' Message 1 '/>", bodies[i]);
        fixture_expect_silence(&file);
        const stf__node *node = fixture_node(&file, "x");
        ck_assert_ptr_nonnull(node->message);
        STF_CHECK_STR(node->message->name, "Message 1");
        ck_assert_ptr_null(node->message->name_expr);
        ck_assert_ptr_null(node->message->key);
        ck_assert_int_eq(node->message->keep_us, 0);
        ck_assert_uint_eq(node->message->line, 2);
        STF_CHECK_STR(node->topic, "");
        fixture_done(&file);
    }
}

STF_TEST(a_message_may_stand_behind_the_process_and_one_serves_all)
{
    fixture file;
    fixture_load(&file,
                 BPMN_HEAD "<process id='p' isExecutable='true'><startEvent id='s'/>"
                           "<receiveTask id='a' messageRef='m'/><sendTask id='b' messageRef='m'/>"
                           "<sequenceFlow id='f' sourceRef='s' targetRef='a'/>"
                           "<sequenceFlow id='g' sourceRef='a' targetRef='b'/></process>"
                           "<process id='q' isExecutable='true'><startEvent id='t'/>"
                           "<receiveTask id='c' messageRef='m'/>"
                           "<sequenceFlow id='h' sourceRef='t' targetRef='c'/></process>"
                           "<message id='m' name='M' stepfast:correlationKey='k'/></definitions>");
    fixture_expect_silence(&file);
    ck_assert_ptr_eq(fixture_node(&file, "a")->message, fixture_node(&file, "b")->message);
    const stf__node *other = stf__process_find_node(fixture_process(&file, "q"), STF_STR("c"));
    ck_assert_ptr_ne(other->message, fixture_node(&file, "a")->message);
    ck_assert_ptr_nonnull(other->message->key);
    fixture_done(&file);
}

STF_TEST(keys_names_and_times_of_a_message_come_into_the_model)
{
    static const struct {
        const char *message;
        const char *key; /* NULL: none */
        const char *name_expr;
        int64_t keep_us;
    } rows[] = {
        {"<message id='m' name='M' stepfast:correlationKey='orderId' stepfast:keep='PT1H'/>",
         "orderId", NULL, INT64_C(3600000000)},
        {"<message id='m' name='M'><extensionElements><v:x/><zeebe:subscription "
         "correlationKey='= order.id'/></extensionElements></message>",
         "= order.id", NULL, 0},
        {"<message id='m' name='M' stepfast:correlationKey='${mine}'><extensionElements>"
         "<zeebe:subscription correlationKey='=other'/></extensionElements></message>",
         "${mine}", NULL, 0},
        {"<message id='m' name='=&quot;paid-&quot; + country'/>", NULL, "=\"paid-\" + country", 0},
        {"<message id='m' name='paid-${country}' stepfast:keep=' P1D '/>", NULL, "paid-${country}",
         INT64_C(86400000000)},
    };
    for (size_t i = 0; i < STF_COUNT_OF(rows); i++) {
        fixture file;
        load(&file, rows[i].message, TASK("receiveTask", "messageRef='m'"));
        fixture_expect_silence(&file);
        const stf__message_ref *message = fixture_node(&file, "x")->message;
        ck_assert((message->key == NULL) == (rows[i].key == NULL));
        ck_assert((message->name_expr == NULL) == (rows[i].name_expr == NULL));
        if (rows[i].key != NULL) {
            STF_CHECK_STR(stf_expr_peek_text(message->key), rows[i].key);
        }
        if (rows[i].name_expr != NULL) {
            STF_CHECK_STR(stf_expr_peek_text(message->name_expr), rows[i].name_expr);
        }
        ck_assert_int_eq(message->keep_us, rows[i].keep_us);
        fixture_done(&file);
    }
}

STF_TEST(work_wins_over_the_message_and_tasks_can_do_without_one)
{
    static const struct {
        const char *body;
        const char *topic; /* "": not work */
        bool has_message;
    } rows[] = {
        {TASK("receiveTask", ""), "", false},
        {TASK("receiveTask", "stepfast:handler='h' messageRef='m'"), "", true},
        {TASK("sendTask", ""), "x", false},
        {TASK("sendTask", "messageRef='m' stepfast:handler='h'"), "h", false},
        {TASK("sendTask", "messageRef='m' stepfast:topic='h'"), "h", false},
        {TASK("sendTask", "messageRef='m' camunda:type='external' camunda:topic='c'"), "c", false},
        {TASK("sendTask", "messageRef='m' camunda:class='org.x.Y'"), "x", false},
        {TASK("sendTask", "messageRef='m' camunda:class=' '"), "", true},
        {TASK("sendTask", "messageRef='m' operationRef='op'"), "Do it", false},
        {"<sendTask id='x' messageRef='m'><extensionElements><zeebe:taskDefinition type='z'/>"
         "</extensionElements></sendTask><sequenceFlow id='f' sourceRef='s' targetRef='x'/>",
         "z", false},
        {EVENT("endEvent", "stepfast:handler='h'"), "h", false},
        {EVENT("endEvent", "messageRef='m' camunda:topic='c'"), "c", false},
        {EVENT("intermediateThrowEvent", "messageRef='m' flowable:topic='fl'"), "fl", false},
        {EVENT("intermediateThrowEvent", "camunda:delegateExpression='${bean}'"), "x", false},
        {EVENT("intermediateThrowEvent", "camunda:expression='${bean.go}'"), "x", false},
        {EVENT("endEvent", "camunda:type='external'"), "x", false},
        {"<endEvent id='x' stepfast:handler='own'><messageEventDefinition stepfast:handler='def'/>"
         "</endEvent><sequenceFlow id='f' sourceRef='s' targetRef='x'/>",
         "own", false},
        {"<endEvent id='x'><extensionElements><zeebe:taskDefinition type='z'/></extensionElements>"
         "<messageEventDefinition messageRef='m'/></endEvent>"
         "<sequenceFlow id='f' sourceRef='s' targetRef='x'/>",
         "z", false},
        {"<endEvent id='x'><messageEventDefinition messageRef='m'><operationRef> op </operationRef>"
         "</messageEventDefinition></endEvent><sequenceFlow id='f' sourceRef='s' targetRef='x'/>",
         "Do it", false},
    };
    for (size_t i = 0; i < STF_COUNT_OF(rows); i++) {
        fixture file;
        load(&file,
             "<message id='m' name='M'/><interface id='i' name='I'><operation id='op' "
             "name='Do it'/></interface>",
             rows[i].body);
        fixture_expect_silence(&file);
        const stf__node *node = fixture_node(&file, "x");
        ck_assert_msg(stf_str_equal(node->topic, stf_str_of(rows[i].topic)), "row %zu: %.*s", i,
                      STF_STR_ARG(node->topic));
        ck_assert_msg((node->message != NULL) == rows[i].has_message, "row %zu", i);
        fixture_done(&file);
    }
}

/* The place is the message's in line 2, or that of what refers to it. */
static const struct {
    const char *messages;
    const char *body;
    stf_severity severity;
    uint32_t line;
    const char *element;
    const char *rule;
} wrong[] = {
    {"", EVENT("intermediateCatchEvent", "messageRef='m'"), STF_SEVERITY_ERROR, 4, "x",
     "message.unknown"},
    {"<error id='m'/>", TASK("receiveTask", "messageRef='m'"), STF_SEVERITY_ERROR, 4, "x",
     "message.unknown"},
    {"", TASK("sendTask", "messageRef='m'"), STF_SEVERITY_ERROR, 4, "x", "message.unknown"},
    {"", "<startEvent id='x'><messageEventDefinition messageRef='m'/></startEvent>",
     STF_SEVERITY_WARNING, 4, "x", "message.unknown"},
    {"", EVENT("intermediateCatchEvent", ""), STF_SEVERITY_ERROR, 4, "x", "message.missing"},
    {"", EVENT("endEvent", ""), STF_SEVERITY_ERROR, 4, "x", "message.missing"},
    {"", EVENT("intermediateThrowEvent", ""), STF_SEVERITY_ERROR, 4, "x", "message.missing"},
    {"",
     "<userTask id='u'/><boundaryEvent id='x' attachedToRef='u'><messageEventDefinition/>"
     "</boundaryEvent>",
     STF_SEVERITY_ERROR, 4, "x", "message.missing"},
    {"", EVENT("endEvent", "") "<transaction id='later'/>", STF_SEVERITY_WARNING, 4, "x",
     "message.missing"},
    {"<message id='m'/>", TASK("receiveTask", "messageRef='m'"), STF_SEVERITY_ERROR, 2, "m",
     "message.no-name"},
    {"<message id='m' name='=1 +'/>", TASK("receiveTask", "messageRef='m'"), STF_SEVERITY_ERROR, 2,
     "m", "expression.syntax"},
    {"<message id='m' name='M' stepfast:correlationKey='1 +'/>", TASK("sendTask", "messageRef='m'"),
     STF_SEVERITY_ERROR, 2, "m", "expression.syntax"},
    {"<message id='m' name='M' stepfast:keep='P1M'/>", TASK("sendTask", "messageRef='m'"),
     STF_SEVERITY_ERROR, 2, "m", "message.keep-invalid"},
    {"<message id='m' name='M' stepfast:keep='a while'/>", TASK("sendTask", "messageRef='m'"),
     STF_SEVERITY_ERROR, 2, "m", "message.keep-invalid"},
};

STF_TEST(messages_that_cannot_be_used_are_told_where_they_stand)
{
    for (size_t i = 0; i < STF_COUNT_OF(wrong); i++) {
        fixture file;
        load(&file, wrong[i].messages, wrong[i].body);
        fixture_expect(&file, wrong[i].severity, wrong[i].line, wrong[i].element, wrong[i].rule);
        ck_assert_uint_eq(stf_diagnostics_count_of(file.list, STF_SEVERITY_ERROR),
                          wrong[i].severity == STF_SEVERITY_ERROR);
        fixture_done(&file);
    }
    char message[500];
    (void)snprintf(message, sizeof(message), "<message id='m' name='%0256d'/>", 1);
    fixture file;
    load(&file, message, TASK("receiveTask", "messageRef='m'"));
    fixture_expect(&file, STF_SEVERITY_ERROR, 2, "m", "message.name-long");
    fixture_done(&file);
}

STF_TEST(in_a_drawing_a_missing_message_is_a_warning)
{
    fixture file;
    fixture_load_drawing(&file, "<startEvent id='s'/>" EVENT("endEvent", "messageRef='m'"));
    fixture_expect(&file, STF_SEVERITY_WARNING, 3, "x", "message.unknown");
    ck_assert_uint_eq(fixture_process(&file, "p")->flags, 0);
    fixture_done(&file);
}

static const stf_test_case cases[] = {
    STF_CASE(what_refers_to_a_message_has_its_name),
    STF_CASE(a_message_may_stand_behind_the_process_and_one_serves_all),
    STF_CASE(keys_names_and_times_of_a_message_come_into_the_model),
    STF_CASE(work_wins_over_the_message_and_tasks_can_do_without_one),
    STF_CASE(messages_that_cannot_be_used_are_told_where_they_stand),
    STF_CASE(in_a_drawing_a_missing_message_is_a_warning),
};

STF_TEST_MAIN("bpmn/message", cases)

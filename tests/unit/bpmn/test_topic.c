/* SPDX-License-Identifier: Apache-2.0 */
/* How a task finds its handler (docs/handlers.md). */
#include "base/mem.h"
#include "unit/bpmn/support.h"

#define ZEEBE "<extensionElements><v:x/><zeebe:taskDefinition type='zee'/></extensionElements>"

/* The attributes of a task "t" and its content; the topic that comes of it. */
static const struct {
    const char *attributes;
    const char *content;
    const char *topic;
} rows[] = {
    {"stepfast:handler='mine' camunda:topic='cam' flowable:topic='flow' operationRef='op'", ZEEBE,
     "mine"},
    {"camunda:topic='cam' flowable:topic='flow' operationRef='op'", ZEEBE, "zee"},
    {"flowable:topic='flow' camunda:topic='cam' operationRef='op'", "", "cam"},
    {"flowable:topic=' flow ' operationRef='op'", "", "flow"},
    {"operationRef='op'", "", "Charge card"},
    {"operationRef='bare'", "", "bare"},
    {"", "", "t"},
    {"stepfast:handler='' camunda:topic='cam'", "", "cam"},
    {"topic='none' v:topic='none' handler='none'", "", "t"},
};

static void load_task(fixture *file, const char *kind, const char *attributes, const char *content)
{
    char xml[2000];
    (void)snprintf(xml, sizeof(xml),
                   BPMN_HEAD
                   "<interface id='i' name='x'><operation id='op' name='Charge card'/>"
                   "<operation id='bare'/></interface><process id='p' isExecutable='true'>"
                   "<startEvent id='s'/><sequenceFlow id='f' sourceRef='s' targetRef='t'/>\n"
                   "<%s id='t' %s>%s</%s></process></definitions>",
                   kind, attributes, content, kind);
    fixture_load(file, xml);
}

STF_TEST(the_first_source_that_says_something_gives_the_handler)
{
    for (size_t i = 0; i < STF_COUNT_OF(rows); i++) {
        fixture file;
        load_task(&file, "serviceTask", rows[i].attributes, rows[i].content);
        fixture_expect_silence(&file);
        STF_CHECK_STR(fixture_node(&file, "t")->topic, rows[i].topic);
        fixture_done(&file);
    }
}

STF_TEST(every_kind_of_work_has_a_handler_and_no_other)
{
    static const char *const kinds[] = {"serviceTask", "sendTask", "scriptTask", "businessRuleTask",
                                        "userTask",    "task",     "manualTask"};
    for (size_t i = 0; i < STF_COUNT_OF(kinds); i++) {
        fixture file;
        load_task(&file, kinds[i], "stepfast:handler='h'", "");
        STF_CHECK_STR(fixture_node(&file, "t")->topic, i < 4 ? "h" : "");
        fixture_done(&file);
    }
}

STF_TEST(a_handler_may_be_an_expression)
{
    static const char *const texts[] = {"=handlerName", "${handlerName}", "pay-${country}"};
    for (size_t i = 0; i < STF_COUNT_OF(texts); i++) {
        char attribute[100];
        (void)snprintf(attribute, sizeof(attribute), "stepfast:handler='%s'", texts[i]);
        fixture file;
        load_task(&file, "serviceTask", attribute, "");
        fixture_expect_silence(&file);
        ck_assert_ptr_nonnull(fixture_node(&file, "t")->topic_expr);
        STF_CHECK_STR(fixture_node(&file, "t")->topic, "");
        fixture_done(&file);
    }
}

STF_TEST(bad_handlers_are_told)
{
    fixture file;
    load_task(&file, "serviceTask", "operationRef='nowhere'", "");
    fixture_expect(&file, STF_SEVERITY_WARNING, 3, "t", "task.operation-unknown");
    STF_CHECK_STR(fixture_node(&file, "t")->topic, "nowhere");
    fixture_done(&file);
    load_task(&file, "serviceTask", "stepfast:handler='=1 +'", "");
    fixture_expect(&file, STF_SEVERITY_ERROR, 3, "t", "expression.syntax");
    fixture_done(&file);
    char attribute[400];
    (void)snprintf(attribute, sizeof(attribute), "stepfast:handler='%0300d'", 1);
    load_task(&file, "serviceTask", attribute, "");
    fixture_expect(&file, STF_SEVERITY_ERROR, 3, "t", "task.handler-long");
    fixture_done(&file);
}

static const stf_test_case cases[] = {
    STF_CASE(the_first_source_that_says_something_gives_the_handler),
    STF_CASE(every_kind_of_work_has_a_handler_and_no_other),
    STF_CASE(a_handler_may_be_an_expression),
    STF_CASE(bad_handlers_are_told),
};

STF_TEST_MAIN("bpmn/topic", cases)

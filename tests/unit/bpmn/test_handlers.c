/* SPDX-License-Identifier: Apache-2.0 */
/* Which element may stand where, and what of it comes into the model. */
#include "base/mem.h"
#include "unit/bpmn/support.h"

static const rule_row rows[] = {
    {"<startEvent id='s'><task id='t'/></startEvent>", STF_SEVERITY_ERROR, 3, "t",
     "element.misplaced", "task may stand directly inside a process or sub-process only"},
    {"<startEvent id='s'/><task id='t'>\n<sequenceFlow id='f'/></task>", STF_SEVERITY_ERROR, 4, "f",
     "element.misplaced", "sequenceFlow may stand"},
    {"<startEvent id='s'/>\n<process id='q'/>", STF_SEVERITY_ERROR, 4, "q", "element.misplaced",
     "process may stand directly inside definitions only"},
    {"<startEvent id='s'/>\n<definitions/>", STF_SEVERITY_ERROR, 4, "", "element.misplaced",
     "definitions may stand"},
    {"<startEvent id='s'/>\n<userTask/>", STF_SEVERITY_ERROR, 4, "", "node.no-id",
     "the userTask has no id"},
};

STF_TEST(elements_in_the_wrong_place_or_without_an_id_are_told)
{
    fixture_check_rows(rows, STF_COUNT_OF(rows));
}

STF_TEST(a_process_needs_an_id)
{
    fixture file;
    fixture_load(&file, BPMN_HEAD "<process isExecutable='true'><task id='t'/></process>"
                                  "</definitions>");
    fixture_expect(&file, STF_SEVERITY_ERROR, 2, "", "process.no-id");
    fixture_done(&file);
}

STF_TEST(process_attributes_come_into_the_model)
{
    fixture file;
    fixture_load(&file, BPMN_HEAD "<process id='a' name='First' isExecutable='true'>"
                                  "<startEvent id='s'/></process>\n"
                                  "<process id='b' isExecutable='1'><startEvent id='t'/></process>"
                                  "<process id='c' isExecutable='false'/></definitions>");
    fixture_expect_silence(&file);
    ck_assert_uint_eq(stf_model_process_count(file.model), 3);
    static const uint32_t flags[] = {STF_PROCESS_EXECUTABLE | STF_PROCESS_RUNNABLE,
                                     STF_PROCESS_EXECUTABLE | STF_PROCESS_RUNNABLE,
                                     STF_PROCESS_RUNNABLE};
    for (size_t i = 0; i < 3; i++) {
        stf_process_info info;
        ck_assert_int_eq(stf_model_get_process(file.model, i, &info), STF_OK);
        ck_assert_uint_eq(info.flags, flags[i]);
    }
    STF_CHECK_STR(fixture_process(&file, "a")->name, "First");
    ck_assert_uint_eq(fixture_process(&file, "b")->line, 3);
    fixture_done(&file);
}

STF_TEST(data_objects_and_properties_are_variables_of_their_scope)
{
    fixture file;
    fixture_load_body(&file, "<property id='a' name='amount'/><startEvent id='s'/>"
                             "<dataObject id='order'/>\n"
                             "<subProcess id='sub'><property id='x'/><dataObject id='y'/>"
                             "<userTask id='t'><property id='z'/></userTask></subProcess>");
    const stf__process *process = fixture_process(&file, "p");
    uint32_t sub = fixture_node(&file, "sub")->index;
    uint32_t task = fixture_node(&file, "t")->index;
    const struct {
        const char *name;
        uint32_t scope;
    } expected[] = {
        {"amount", STF__NONE}, {"order", STF__NONE}, {"x", sub}, {"y", sub}, {"z", task}};
    ck_assert_uint_eq(process->data_item_count, STF_COUNT_OF(expected));
    for (size_t i = 0; i < STF_COUNT_OF(expected); i++) {
        STF_CHECK_STR(process->data_items[i].name, expected[i].name);
        ck_assert_uint_eq(process->data_items[i].scope, expected[i].scope);
    }
    STF_CHECK_STR(process->data_items[0].id, "a");
    ck_assert_uint_eq(process->data_items[2].line, 4);
    fixture_done(&file);
}

STF_TEST(nested_content_is_counted_and_knows_its_scope)
{
    fixture file;
    fixture_load_body(&file, "<startEvent id='s'/><subProcess id='a'><startEvent id='as'/>"
                             "<transaction id='b'><task id='bt'/></transaction>"
                             "<sequenceFlow id='f' sourceRef='as' targetRef='b'/></subProcess>"
                             "<adHocSubProcess id='c'><task id='ct'/></adHocSubProcess>");
    const stf__process *process = fixture_process(&file, "p");
    ck_assert_uint_eq(process->node_count, 7);
    ck_assert_uint_eq(process->flow_count, 1);
    ck_assert_uint_eq(fixture_node(&file, "s")->scope, STF__NONE);
    ck_assert_uint_eq(fixture_node(&file, "b")->scope, fixture_node(&file, "a")->index);
    ck_assert_uint_eq(fixture_node(&file, "bt")->scope, fixture_node(&file, "b")->index);
    ck_assert_uint_eq(fixture_node(&file, "c")->scope, STF__NONE);
    ck_assert_uint_eq(fixture_node(&file, "ct")->scope, fixture_node(&file, "c")->index);
    fixture_done(&file);
}

STF_TEST(node_attributes_come_into_the_model)
{
    fixture file;
    fixture_load_body(&file,
                      "<startEvent id='s'/>\n"
                      "  <serviceTask id='a' name='Pay' stepfast:idempotent='true'/>"
                      "<userTask id='u'/>"
                      "<boundaryEvent id='b' attachedToRef='u'><timerEventDefinition>"
                      "<timeDuration>PT1M</timeDuration></timerEventDefinition></boundaryEvent>"
                      "<boundaryEvent id='n' attachedToRef='u' cancelActivity='false'>"
                      "<timerEventDefinition><timeDuration>PT1M</timeDuration>"
                      "</timerEventDefinition></boundaryEvent>");
    const stf__node *task = fixture_node(&file, "a");
    STF_CHECK_STR(task->name, "Pay");
    ck_assert(task->is_idempotent && !fixture_node(&file, "u")->is_idempotent);
    ck_assert_uint_eq(task->line, 4);
    ck_assert_uint_eq(task->column, 3);
    ck_assert(fixture_node(&file, "b")->is_interrupting);
    ck_assert(!fixture_node(&file, "n")->is_interrupting);
    fixture_done(&file);
}

STF_TEST(an_idempotent_that_is_neither_true_nor_false_is_told_and_false)
{
    static const struct {
        const char *word;
        bool is_idempotent;
        bool is_told;
    } words[] = {{"true", true, false}, {" 1 ", true, false}, {"false", false, false},
                 {"0", false, false},   {"yes", false, true}, {"True", false, true},
                 {"", false, true}};
    for (size_t i = 0; i < STF_COUNT_OF(words); i++) {
        fixture file;
        char body[400];
        (void)snprintf(body, sizeof(body),
                       "<startEvent id='s'/><sequenceFlow id='f' sourceRef='s' targetRef='a'/>\n"
                       "<serviceTask id='a' stepfast:idempotent='%s'/>",
                       words[i].word);
        fixture_load_body(&file, body);
        ck_assert_msg(fixture_node(&file, "a")->is_idempotent == words[i].is_idempotent, "%s",
                      words[i].word);
        if (words[i].is_told) {
            const char *text =
                fixture_expect(&file, STF_SEVERITY_WARNING, 4, "a", "task.idempotent-unclear");
            ck_assert_ptr_nonnull(strstr(text, "\"true\" or \"false\" is expected"));
        } else {
            fixture_expect_silence(&file);
        }
        fixture_done(&file);
    }
}

static const stf_test_case cases[] = {
    STF_CASE(elements_in_the_wrong_place_or_without_an_id_are_told),
    STF_CASE(a_process_needs_an_id),
    STF_CASE(process_attributes_come_into_the_model),
    STF_CASE(data_objects_and_properties_are_variables_of_their_scope),
    STF_CASE(nested_content_is_counted_and_knows_its_scope),
    STF_CASE(node_attributes_come_into_the_model),
    STF_CASE(an_idempotent_that_is_neither_true_nor_false_is_told_and_false),
};

STF_TEST_MAIN("bpmn/handlers", cases)
